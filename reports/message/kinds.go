package message

import (
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// kindNotes give the peak of a layer, or say of what its times are if they are of no message.
func kindNotes(peak platforms.Peak, units quantity.UnitChoice) (notes []string) {
	if peak.Timed.Of == platforms.Message || peak.Timed.Of == platforms.Stream {
		notes = append(notes, peak.Layer+": "+peak.Text(units))
	}
	switch peak.Timed.Of {
	case platforms.Stream:
		notes = append(notes, peak.Layer+": gaps between messages of a stream, "+
			"which do not show the latency of a message.")
	case platforms.Operation:
		notes = append(notes, peak.Layer+": times of an operation, not of a message: "+
			"no RTT, gap or bandwidth follows.")
	case platforms.Collective:
		text := "algbw is bytes over time; busbw is algbw times what each rank has to send " +
			"for a byte, as nccl-tests counts it"
		if peak.Timed.PerRank {
			text += "; the size is the block of one rank, and the bytes are those of all"
		}
		if peak.Timed.Ranks == 0 {
			text += "; the file does not give the number of ranks; " +
				"for busbw, write ranks = \"8\" into the layer"
		}
		notes = append(notes, peak.Layer+": "+text+".")
	}
	return notes
}
