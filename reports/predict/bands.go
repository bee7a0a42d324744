package predict

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// ForecastNote explains the intervals of a table or a figure. It must say what the 95
// % are of: readers take an interval for that of the mean, which is narrower by far.
const ForecastNote = "95 %: the next measurement by the same benchmark, on the machine that was " +
	"measured, in 95 of 100 cases."

// WithMeasured adds to ascending sizes the measured ones between them that the design
// was fitted to, and the first size on each side beyond those. The band has a kink at
// each of these sizes: it is narrow where it was measured. A curve over powers of two
// alone would cut the kinks off. The design must be fitted.
func WithMeasured(sizes []quantity.Bytes, d platforms.Design) []quantity.Bytes {
	all := slices.Clone(sizes)
	measured := d.Layer.Measured.Sizes
	// There the band changes its kind: the forecast widens from the first size
	// beyond. One byte beside the last measured size makes this edge vertical in a
	// picture.
	beside := []quantity.Bytes{measured[0] - 1, measured[len(measured)-1] + 1}
	for _, n := range append(beside, measured...) {
		if n >= sizes[0] && n <= sizes[len(sizes)-1] {
			all = append(all, n)
		}
	}
	return stats.Ascending(all)
}

// ForecastBands returns the bands that hold the next measurement of a quantity that
// follows from the one-way time, over sizes of [WithMeasured]: one over the measured
// sizes, and one on each side beyond them. They are separate series because the outer
// ones are paler: no measurement supports them. Neighbours meet at a common size, so
// that the picture has no gap.
func ForecastBands(
	name string, follower *model.Quantity, d platforms.Design, sizes []quantity.Bytes,
) []reports.Series {
	measured := d.Layer.Measured.Sizes
	first, last := measured[0], measured[len(measured)-1]
	var bands []reports.Series
	for _, part := range []struct {
		kind reports.SeriesKind
		has  func(n quantity.Bytes) bool
	}{
		{reports.Beyond, func(n quantity.Bytes) bool { return n <= first }},
		{reports.Band, func(n quantity.Bytes) bool { return n >= first && n <= last }},
		{reports.Beyond, func(n quantity.Bytes) bool { return n >= last }},
	} {
		s := reports.Series{Name: name, Kind: part.kind}
		for _, n := range sizes {
			if part.has(n) {
				next := d.Forecast(n)
				// The interval of a bandwidth follows from that of the time with its
				// ends exchanged; the quantity knows in which direction it runs.
				in := follower.Interval(n, next.Middle, next.Low, next.High)
				s.X, s.Y = append(s.X, float64(n)), append(s.Y, in.Value)
				s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
			}
		}
		// A band needs two sizes to have an area.
		if len(s.X) > 1 {
			bands = append(bands, s)
		}
	}
	return bands
}

// BandNotes explains the bands among the series of a figure, and nothing that it does
// not show.
func BandNotes(series []reports.Series) []string {
	has := func(k reports.SeriesKind) bool {
		return slices.ContainsFunc(series, func(s reports.Series) bool { return s.Kind == k })
	}
	var notes []string
	if has(reports.Band) || has(reports.Beyond) {
		notes = append(notes, "Band: the next measurement by the same benchmark, "+
			"in 95 of 100 cases.")
	}
	if has(reports.Beyond) {
		notes = append(notes, "Paler, with a dashed edge: beyond the sizes that were measured; "+
			"the protocol may change there.")
	}
	return notes
}

// WithBoundaries adds to sizes the last of each branch and the first of the next, so
// that the line jumps where the protocol does. Between two powers of two it would
// otherwise rise over a whole octave, and the switch would look gradual.
func WithBoundaries(sizes, boundaries []quantity.Bytes) []quantity.Bytes {
	all := slices.Clone(sizes)
	for _, n := range boundaries {
		// The boundary belongs to the lower branch, so the next one begins a byte above.
		all = append(all, n, n+1)
	}
	return stats.Ascending(all)
}

// BoundaryMarks returns a mark at each boundary with the branch that ends there. The
// branch that begins is the label of the next mark, or none.
func BoundaryMarks(l platforms.Layer, boundaries []quantity.Bytes) []reports.Mark {
	return list.Map(boundaries, func(n quantity.Bytes) reports.Mark {
		label := model.Regime(l.Model, n) + " up to " + n.String()
		return reports.Mark{Kind: reports.AtX, X: float64(n), Series: l.Ref(), Label: label}
	})
}
