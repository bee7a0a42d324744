package page

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// maxSamples is as many draws as `whatif uncertainty` takes by default. The page
// asks for 200, which a slider can wait for.
const maxSamples = 10_000

// curves answers with one figure of all designs. It is asked at each move of a
// slider, and so must be fast: Plain leaves out what only matters when the slider
// rests.
func (x *Explorer) curves(r curvesRequest) (f table.Figure, err error) {
	designs, err := x.all(r.Designs)
	if err != nil {
		return f, err
	}
	kind := curves.Kind(r.Quantity)
	if !slices.Contains(curves.Kinds, kind) {
		return f, fmt.Errorf("no quantity %.40q; choose one of %s", r.Quantity, curves.Kinds)
	}
	if r.Samples < 0 || r.Samples > maxSamples {
		return f, fmt.Errorf("%d samples; at most %d", r.Samples, maxSamples)
	}
	sizes, err := sizes(r.Sizes)
	if err != nil {
		return f, err
	}
	on := list.Map(designs, resolved.message)
	f.X, f.Y = table.Axis{Label: "message size"}, kind.Axis(on...)
	for i, d := range on {
		name := cmp.Or(r.Designs[i].Name, d.Layer.Ref())
		if err := r.addCurve(&f, name, d, kind, sizes); err != nil {
			return f, err
		}
		if ref := r.Designs[i].Ref; designs[i].now.Whole {
			addNote(&f, fmt.Sprintf("%s: messages of its layer %s; the list has the others.", ref,
				d.Layer.Name))
		}
	}
	return f, nil
}

func (r curvesRequest) addCurve(f *table.Figure, name string, d platforms.Design,
	kind curves.Kind, sizes []quantity.Bytes) error {
	// Latency is the time itself, whatever it is of. Bandwidths and gaps need
	// messages, or a stream, whose times are gaps.
	of := d.Layer.Timed.Of
	if of != platforms.Message && of != platforms.Stream && kind != curves.Latency {
		return fmt.Errorf("%s: %w", d.Layer.Ref(), d.Layer.Messages())
	}
	// The curves of other designs stay.
	if err := kind.Row().Check(d.Layer.Model, 1); err != nil {
		addNote(f, fmt.Sprintf("%s has no %s: %v.", name, kind.Row().Title, err))
		return nil
	}
	if r.Plain {
		line := curves.Line(kind, sizes, d)
		line.Name = name
		f.Series = append(f.Series, line)
		return nil
	}
	// A fitted layer has the band of its next measurement, as in plot; a second one that follows
	// from the parameters would say something else under the same note.
	forecast := d.Forecastable() && kind.Row().FromOneWay != nil
	if r.Samples > 0 && !forecast {
		if err := addInterval(f, name, kind, sizes, d, r.Samples); err != nil {
			return err
		}
	}
	one, err := curves.Figure(kind, sizes, d)
	if err != nil {
		return err
	}
	for _, s := range one.Series {
		s.Name = name
		f.Series = append(f.Series, s)
	}
	for _, m := range one.Marks {
		// A roof of several designs is one mark to the eye.
		same := func(o table.Mark) bool {
			return m.Kind == table.AtY && o.Kind == m.Kind && o.Label == m.Label && o.Y == m.Y
		}
		if m.Series = name; !slices.ContainsFunc(f.Marks, same) {
			f.Marks = append(f.Marks, m)
		}
	}
	for _, note := range one.Notes {
		addNote(f, note)
	}
	return nil
}

// addNote adds a note once, and keeps only the longer of two that begin alike: the points of one
// design may have error bars, and those of the next none.
func addNote(f *table.Figure, note string) {
	begins := func(short, long string) bool {
		lines := strings.HasPrefix(short, "Lines: ") && strings.HasPrefix(long, "Lines: ")
		return lines || strings.HasPrefix(long, strings.TrimSuffix(short, "."))
	}
	for i, other := range f.Notes {
		if begins(note, other) || begins(other, note) {
			if len(note) > len(other) {
				f.Notes[i] = note
			}
			return
		}
	}
	f.Notes = append(f.Notes, note)
}

// addInterval adds the interval of a curve that follows from the intervals of the
// parameters, if there are some. It is the one of `whatif uncertainty` with the
// same number of samples: the seed is fixed, so that the band does not flicker.
func addInterval(f *table.Figure, name string, kind curves.Kind, sizes []quantity.Bytes,
	d platforms.Design, samples int) error {
	all, err := whatif.Of(d).Predict(kind.Row().Name, sizes,
		whatif.Sampling{Samples: samples, Seed: 1})
	if errors.Is(err, whatif.ErrExact) {
		return nil
	}
	if err != nil {
		return err
	}
	s := table.Series{Name: name, Kind: table.Band}
	for k, n := range sizes {
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, all[k].Value)
		s.Low, s.High = append(s.Low, all[k].Low), append(s.High, all[k].High)
	}
	f.Series = append(f.Series, s)
	addNote(f, "Shaded: 95 % by the intervals of the parameters.")
	return nil
}

// predictRows answers with the rows of `halfpeak predict`.
func (x *Explorer) predictRows(r predictRequest) (table.Rows, error) {
	designs, err := x.all(r.Designs)
	if err != nil {
		return table.Rows{}, err
	}
	sizes, err := sizes(r.Sizes)
	if err != nil {
		return table.Rows{}, err
	}
	// Every row becomes text of the answer and of the page.
	if len(sizes)*len(designs) > 4*maxSizes {
		return table.Rows{}, errors.New("too many sizes for this number of designs")
	}
	on := list.Map(designs, resolved.message)
	costs, err := message.CostQuestion{On: on, Sizes: sizes}.Ask(context.Background())
	if err != nil {
		return table.Rows{}, err
	}
	return costs.Rows(), nil
}

// maxShared bounds the sizes of a breakdown: each costs as much as a curve, since
// every parameter is changed in turn.
const maxShared = 512

// sized reads the request of a breakdown.
func (x *Explorer) sized(r sizedRequest) (d platforms.Design, all []quantity.Bytes, err error) {
	if d, err = x.messages(r.design); err != nil {
		return d, nil, err
	}
	if all, err = sizes(r.Sizes); err == nil && len(all) > maxShared {
		err = fmt.Errorf("%d sizes; at most %d here", len(all), maxShared)
	}
	return d, all, err
}

// ownersRows lists the shares by stage or parameter at all sizes, for the saved file.
func (x *Explorer) ownersRows(r sizedRequest) (table.Rows, error) {
	d, sizes, err := x.sized(r)
	if err != nil {
		return table.Rows{}, err
	}
	q := whatif.BreakdownQuestion{Case: whatif.Case{After: whatif.Of(d), Sizes: sizes}}
	found, err := q.Ask(context.Background())
	if err != nil {
		return table.Rows{}, err
	}
	return found.Rows(), nil
}

// shares answers with the shares at one size, the one under the pointer.
func (x *Explorer) shares(r sizedRequest) (shares, error) {
	d, sizes, err := x.sized(r)
	if err != nil {
		return shares{}, err
	}
	n, m := sizes[0], d.Layer.Model
	all, err := whatif.Of(d).Shares(n)
	if err != nil {
		return shares{}, err
	}
	parts, err := shareRows(all, m.OneWay(n), model.HasGap(m)).JSON()
	// The unit and the decimals are those of the terms that add up to it.
	sum := quantity.Value{Num: float64(m.OneWay(n)), Dim: quantity.DimTime}.Fixed()
	return shares{Formula: formula(m, n), Text: sum, Parts: parts}, err
}

// shareRows lists the shares of parameters in a message that takes oneWay, and in its
// gap if that is known.
func shareRows(all []study.Share, oneWay quantity.Micros, gap bool) table.Rows {
	type share = study.Share
	percent := func(s share) float64 { return 100 * float64(s.OneWay) / float64(oneWay) }
	return table.TableOf(all,
		table.Col("path", "", func(s share) any { return s.Path }),
		table.Col("one_way_us", "", func(s share) any { return s.OneWay }),
		table.Col("one_way_percent", "", func(s share) any { return percent(s) }),
		table.Col("gap_us", "", func(s share) any { return table.OrAbsent(s.Gap, gap) }),
		table.Col("text", "", func(s share) any { return table.PercentShare(percent(s)) }),
	)
}

// formula returns the one-way time in symbols. A pipeline's formula has a maximum
// over stages, which says less than a sentence.
func formula(m model.Layer, n quantity.Bytes) string {
	kind := model.KindOf(model.At(m, n))
	if kind.Name == "pipeline" {
		return "β + mτ in each stage for each packet of m bytes; the stages work at the same time"
	}
	return kind.Cost
}
