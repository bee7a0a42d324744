package curves

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// ForecastNote explains the intervals of a table or a figure. It must say what the 95
// % are of: readers take an interval for that of the mean, which is narrower by far.
const ForecastNote = "95 %: the next measurement by the same benchmark, on the machine that was " +
	"measured, in 95 of 100 cases."

// Forecasts returns the bands that hold the next measurement of a quantity that follows from the
// one-way time, over ascending sizes, and these sizes with those at which the band has a kink: the
// measured ones between them, where it is narrow, and the first size on each side beyond. A curve
// over powers of two alone would cut the kinks off. The design must be fitted.
//
// One band is over the measured sizes, and one on each side beyond them. They are separate series
// because the outer ones are paler: no measurement supports them. Neighbours meet at a common size,
// so that the picture has no gap.
func Forecasts(name string, follower *model.Quantity, d platforms.Design, sizes []quantity.Bytes) (
	bands []table.Series, all []quantity.Bytes) {
	first, last, _ := d.Layer.MeasuredRange()
	all = slices.Clone(sizes)
	// There the band changes its kind: the forecast widens from the first size beyond. One byte
	// beside the last measured size makes this edge vertical in a picture.
	for _, n := range append([]quantity.Bytes{first - 1, last + 1}, d.Layer.Measured.Sizes...) {
		if n >= sizes[0] && n <= sizes[len(sizes)-1] {
			all = append(all, n)
		}
	}
	all = stats.Ascending(all)
	for _, part := range []struct {
		kind table.SeriesKind
		has  func(n quantity.Bytes) bool
	}{
		{table.Beyond, func(n quantity.Bytes) bool { return n <= first }},
		{table.Band, func(n quantity.Bytes) bool { return n >= first && n <= last }},
		{table.Beyond, func(n quantity.Bytes) bool { return n >= last }},
	} {
		s := table.Series{Name: name, Kind: part.kind}
		for _, n := range all {
			if !part.has(n) {
				continue
			}
			in := quantity.Alone(math.NaN())
			if next := d.Forecast(n); next.Unknown == "" {
				// The interval of a bandwidth follows from that of the time with its ends
				// exchanged; the quantity knows in which direction it runs.
				in = follower.Interval(n, next.Interval)
			}
			s.X, s.Y = append(s.X, float64(n)), append(s.Y, in.Value)
			s.Low, s.High = append(s.Low, in.Low), append(s.High, in.High)
		}
		for _, piece := range pieces(s) {
			if len(piece.X) > 1 { // else it has no area
				bands = append(bands, piece)
			}
		}
	}
	return bands, all
}

// pieces divides a series where its values are NaN, so that nothing is drawn across.
func pieces(all table.Series) (parts []table.Series) {
	part := func(values table.Numbers, from, to int) table.Numbers {
		if values == nil {
			return nil
		}
		return values[from:to]
	}
	for from, to := 0, 0; from < len(all.X); from = to + 1 {
		for to = from; to < len(all.X) && !math.IsNaN(all.Y[to]); to++ {
		}
		if s := all; to > from {
			s.X, s.Y = s.X[from:to], s.Y[from:to]
			s.Low, s.High = part(s.Low, from, to), part(s.High, from, to)
			parts = append(parts, s)
		}
	}
	return parts
}

// BandNotes explains the bands among the series of a figure, and nothing that it does
// not show.
func BandNotes(series []table.Series) []string {
	has := func(k table.SeriesKind) bool {
		return slices.ContainsFunc(series, func(s table.Series) bool { return s.Kind == k })
	}
	var notes []string
	if has(table.Band) || has(table.Beyond) {
		notes = append(notes, "Band: the next measurement by the same benchmark, "+
			"in 95 of 100 cases.")
	}
	if has(table.Beyond) {
		notes = append(notes, "Paler, with a dashed edge: beyond the sizes that were measured; "+
			"the protocol may change there.")
	}
	if slices.ContainsFunc(series, func(s table.Series) bool {
		return s.Kind == table.Line && slices.ContainsFunc(s.Y, math.IsNaN)
	}) {
		notes = append(notes, "A line ends where there is no interval; predict has its times.")
	}
	return notes
}

// Boundaries adds to sizes the last of each branch of the layer and the first of the next, so that
// a line jumps where the protocol does: between two powers of two it would otherwise rise over a
// whole octave, and the switch would look gradual. Each boundary has a mark with the branch that
// ends there; the branch that begins is the label of the next mark, or none. Branches of a fit have
// numbers for names: there a mark says that the protocol changes, and several have a note instead.
func Boundaries(l platforms.Layer, sizes []quantity.Bytes) (all []quantity.Bytes,
	marks []table.Mark, notes []string) {
	all = slices.Clone(sizes)
	ends := model.Boundaries(l.Model, slices.Min(sizes), slices.Max(sizes))
	if l.Measured != nil && len(ends) > 1 {
		notes = []string{"Dotted upright lines: the protocol changes above the size."}
	}
	for _, n := range ends {
		// The boundary belongs to the lower branch, so the next one begins a byte above.
		all = append(all, n, n+1)
		label := model.Regime(l.Model, n) + " up to " + n.String()
		switch {
		case notes != nil:
			label = "above " + n.String()
		case l.Measured != nil:
			label = "protocol changes above " + n.String()
		}
		marks = append(marks,
			table.Mark{Kind: table.AtX, X: float64(n), Series: l.Ref(), Label: label})
	}
	return stats.Ascending(all), marks, notes
}
