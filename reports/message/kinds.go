package message

import (
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// kindNotes give the peak of a layer, or say of what its times are if they are of no message.
func kindNotes(peak platforms.Peak, units quantity.UnitChoice) (notes []remark.Note) {
	if peak.Timed.Of == platforms.Message || peak.Timed.Of == platforms.Stream {
		notes = append(notes, remark.Described(peak.Text(units)).About(peak.Layer))
	}
	switch peak.Timed.Of {
	case platforms.Stream:
		notes = append(notes, remark.StreamGaps(peak.Layer))
	case platforms.Operation:
		notes = append(notes, remark.OperationTimes(peak.Layer))
	case platforms.Collective:
		notes = append(notes,
			remark.BusBandwidth(peak.Layer, peak.Timed.PerRank, peak.Timed.Ranks > 0))
	}
	return notes
}
