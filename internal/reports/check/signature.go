package check

import (
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// signatureSeries returns the intervals of a signature against the number of
// messages, one series for each Δ. Bursts of one Δ stand together in the table, so a
// new name begins a series.
func signatureSeries(
	bursts []benchfile.Burst, kind reports.SeriesKind, name func(delta quantity.Micros) string,
) []reports.Series {
	var all []reports.Series
	for _, b := range bursts {
		of := name(b.Delta)
		if k := len(all); k == 0 || all[k-1].Name != of {
			all = append(all, reports.Series{Name: of, Kind: kind})
		}
		s := &all[len(all)-1]
		s.X, s.Y = append(s.X, float64(b.Messages)), append(s.Y, float64(b.Interval))
	}
	return all
}
