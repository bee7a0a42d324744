package whatif

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/reports/predict"
)

// An uncertainty is predictions with their intervals, of one design or of two. It has
// intervals of two kinds, which notes must tell apart: of the next measurement, and
// of the model at the true parameters (docs/trust.md).
type uncertainty struct {
	Designs    []namedDesign
	Quantities []Quantity // of messages of any size
	Sizes      []quantity.Bytes
	Sampling   Sampling
	Intervals  [][][]quantity.Interval // by design, quantity and size
	faster     []float64               // how likely the second design is the faster one, by size
	measured   bool                    // some intervals are of the next measurement
	sampled    bool                    // some are intervals of parameters
}

// A namedDesign is a design under the name that a table has for it.
type namedDesign struct {
	Name string
	Design
}

// predictAll predicts quantities of one or two designs with 95 % intervals. Of two, it also gives
// the probability that the second is faster. It is an error that is [ErrExact] if no parameter of
// them has an interval.
func predictAll(designs []namedDesign, quantities []Quantity, sizes []quantity.Bytes,
	s Sampling) (u *uncertainty, err error) {
	if !sized(quantities) {
		sizes = sizes[:1] // any
	}
	if slices.ContainsFunc(quantities, Quantity.simulated) {
		s.Samples = min(s.Samples, maxSimulatedSamples)
	}
	s.total = s.Samples * len(quantities) * len(designs)
	u = &uncertainty{Designs: designs, Quantities: quantities, Sizes: sizes, Sampling: s}
	exact := 0
	next := allFitted(designs)
	for _, d := range designs {
		var of [][]quantity.Interval
		for i, q := range quantities {
			in, measured, err := intervals(d, next, q.Name, sizes, s)
			u.measured, u.sampled = u.measured || measured, u.sampled || !measured
			// Whether a design has any interval does not depend on the quantity, so
			// it is counted once.
			if errors.Is(err, ErrExact) {
				if i == 0 {
					exact++
				}
			} else if err != nil {
				return nil, err
			}
			of = append(of, in)
		}
		u.Intervals = append(u.Intervals, of)
	}
	last := designs[len(designs)-1]
	if exact == len(designs) {
		return nil, usage.Fields(fmt.Errorf("%s: %w", last.subject(), ErrExact), "assume")
	}
	switch {
	case len(designs) == 1 || !sized(quantities):
	case next:
		u.faster, err = nextFaster(last.Design, designs[0].Design, sizes, s)
	default:
		u.faster, err = faster(last.Design, designs[0].Design, sizes, s)
	}
	return u, err
}

// allFitted reports whether the next measurement of each of the designs can be
// predicted. If not, their intervals are all of parameters, so that like is compared
// with like: a changed design has no measurement.
func allFitted(designs []namedDesign) bool {
	return !slices.ContainsFunc(designs, func(d namedDesign) bool { return !d.Forecastable() })
}

// intervals predicts a quantity: with next it is the next measurement of times and of bandwidth;
// otherwise the intervals are those of the parameters.
func intervals(d namedDesign, next bool, name string, sizes []quantity.Bytes,
	s Sampling) (all []quantity.Interval, measured bool, err error) {
	follower, follows := followerOf(d.Design, name, sizes)
	if !next || !follows {
		all, err = d.Predict(name, sizes, s)
		return all, false, err
	}
	return d.forecasts(follower, sizes), true, nil
}

// rows returns the table of the intervals. The columns of quantities are made in a
// loop, so that this table is not one of [reports.TableOf].
func (u *uncertainty) rows() reports.Rows {
	several, sized := len(u.Designs) > 1, sized(u.Quantities)
	rows := reports.Rows{Columns: []reports.Column{{Key: "platform"},
		{Key: "layer", Head: reports.HeadIf(!several && !sized, "layer")},
		{Key: "design", Head: reports.HeadIf(several, "design")},
		{Key: "size_bytes", Head: reports.HeadIf(sized, "size")}}}
	for i, q := range u.Quantities {
		rows.Columns = append(rows.Columns,
			reports.Column{Head: q.of.Title + ", 95 % interval", Rank: i},
			reports.Column{Key: q.of.Key()}, reports.Column{Key: q.of.KeyOf("low")},
			reports.Column{Key: q.of.KeyOf("high")})
	}
	if several && sized {
		rows.Columns = append(rows.Columns,
			reports.Column{Key: "probability_faster", Head: "faster with probability",
				Text: probabilityText})
	}
	for i, n := range u.Sizes {
		for k, d := range u.Designs {
			row := []any{d.Platform.Name, d.layerName(), d.Name, n}
			for j, q := range u.Quantities {
				in := u.Intervals[k][j][i]
				row = append(row, reports.Interval{Dim: q.dim(), Interval: in}, in.Value, in.Low,
					in.High)
			}
			if several && sized {
				row = append(row, reports.OrAbsent(u.faster[i], k == 1))
			}
			rows.Data = append(rows.Data, row)
		}
	}
	rows.Notes = append(u.notes(several), notesOf(u.Quantities)...)
	return rows
}

// notes says what the intervals are of, and where they are extrapolated.
func (u *uncertainty) notes(several bool) (notes []string) {
	if u.measured {
		for _, d := range u.Designs {
			m := d.Layer.Measured
			first, last := m.Sizes[0], m.Sizes[len(m.Sizes)-1]
			of := ""
			if several {
				of = d.Name + ": "
			}
			for _, n := range u.Sizes {
				if n < first || n > last {
					notes = append(notes,
						fmt.Sprintf("%s%s is beyond the sizes that were measured, %s to %s: the "+
							"protocol may change.", of, n, first, last))
				}
			}
		}
		notes = append(notes,
			"Times and bandwidth are those of the next measurement, predicted from the measured "+
				"curve.")
		if several {
			notes = append(notes,
				"The probability assumes that the next measurements are log-normal.")
		}
	} else if slices.ContainsFunc(u.Designs,
		func(d namedDesign) bool { return d.Layer.Measured != nil }) {
		notes = append(notes,
			"Without a measured curve, or after a change, there is no next measurement: the "+
				"intervals are those of the parameters.")
	}
	if u.measured && !u.sampled {
		return notes
	}
	if u.measured {
		notes = append(notes, "Intervals of other quantities follow from those of the parameters:")
	}
	notes = append(notes,
		fmt.Sprintf("%d samples, seed %d; parameters vary independently, except that β and τ "+
			"of a fit are correlated.", u.Sampling.Samples, u.Sampling.Seed))
	notes = append(notes, changeNotes(u.Designs[len(u.Designs)-1].Design)...)
	return notes
}

// bands draws the intervals of a quantity over sizes, as a band around each line. A
// band of next measurements is made of three series and drawn below its line.
func bands(designs []namedDesign, q Quantity, sizes []quantity.Bytes, s Sampling) (reports.Figure,
	error) {
	f := reports.Figure{
		Title: designs[len(designs)-1].subject() + ": " + q.of.Title + " with 95 % intervals",
		X:     reports.Axis{Label: "message size", Log: true, Bytes: true},
		Y:     reports.Axis{Label: q.of.Title, Dim: q.dim(), Log: true},
	}
	if q.dim() == quantity.DimRate { // where lines level off, a linear scale shows the bands
		f.Y.Log = false
	}
	next := allFitted(designs)
	for _, d := range designs {
		line, all := reports.Series{Name: d.Name, Kind: reports.Line}, sizes
		follower, follows := followerOf(d.Design, q.Name, sizes)
		banded := next && follows
		if banded {
			var bands []reports.Series
			bands, all = predict.Forecasts(d.Name, follower, d.Design.Design, sizes)
			f.Series = append(f.Series, bands...)
		}
		in, _, err := intervals(d, next, q.Name, all, s)
		if err != nil && !errors.Is(err, ErrExact) {
			return f, err
		}
		for i, n := range all {
			line.X, line.Y = append(line.X, float64(n)), append(line.Y, in[i].Value)
			if !banded {
				line.Low, line.High = append(line.Low, in[i].Low), append(line.High, in[i].High)
			}
		}
		f.Series = append(f.Series, line)
	}
	f.Notes = predict.BandNotes(f.Series)
	return f, nil
}
