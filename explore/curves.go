package explore

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
)

// maxSamples bounds the samples of an interval.
const maxSamples = 10_000

// curves draws one quantity of some designs.
func (x *Explorer) curves(r Curves) (Figure, error) {
	designs, err := x.all(r.Designs)
	if err != nil {
		return Figure{}, err
	}
	kind := predict.CurveKind(r.Quantity)
	if !slices.Contains(predict.CurveKinds, kind) {
		return Figure{}, fmt.Errorf("no quantity %.40q; choose one of %s", r.Quantity, predict.CurveKinds)
	}
	if r.Samples < 0 || r.Samples > maxSamples {
		return Figure{}, fmt.Errorf("%d samples; at most %d", r.Samples, maxSamples)
	}
	sizes, err := sizes(r.Sizes)
	f := Figure{
		X:      Axis{Label: "message size", Log: true, Bytes: true},
		Y:      axisOf(kind.Axis()),
		Series: []Series{}, Marks: []Mark{}, Notes: []string{},
	}
	for i, d := range designs {
		if err == nil {
			err = f.addCurve(r, i, d, kind, sizes)
		}
	}
	return f, err
}

// addCurve adds the i-th design to the figure.
func (f *Figure) addCurve(r Curves, i int, d whatif.Design, kind predict.CurveKind, sizes []quantity.Bytes) error {
	if d.Layer.Timed.Of != platforms.Message && kind != predict.Latency {
		return fmt.Errorf("%s: %w", d.Layer.Ref(), d.Layer.Messages())
	}
	name := cmp.Or(r.Designs[i].Name, d.Layer.Ref())
	if r.Plain {
		line := predict.CurveLine(kind, sizes, d.Layer)
		line.Name = name
		f.Series = append(f.Series, series(line, i))
		return nil
	}
	if r.Samples > 0 {
		if err := f.addInterval(Series{Name: name, Design: i}, kind, sizes, d, r.Samples); err != nil {
			return err
		}
	}
	one, err := predict.Curves(kind, sizes, d)
	if err != nil {
		return err
	}
	for _, s := range one.Series {
		s.Name = name
		f.Series = append(f.Series, series(s, i))
	}
	for _, m := range one.Marks {
		if m.Series != "" {
			m.Series = name
		}
		// A roof of several designs is one mark to the eye.
		mark := markOf(m, i)
		same := func(o Mark) bool {
			return m.Kind == reports.AtY && o.Kind == mark.Kind && o.Label == m.Label && *o.Y == *mark.Y
		}
		if !slices.ContainsFunc(f.Marks, same) {
			f.Marks = append(f.Marks, mark)
		}
	}
	for _, note := range one.Notes {
		f.addNote(note)
	}
	return nil
}

// addNote adds a note, the same once.
func (f *Figure) addNote(note string) {
	if !slices.Contains(f.Notes, note) {
		f.Notes = append(f.Notes, note)
	}
}

// addInterval adds to s the interval of a curve that follows from the intervals of the parameters,
// if any: that of `whatif --uncertainty` with the same number of samples.
func (f *Figure) addInterval(s Series, kind predict.CurveKind, sizes []quantity.Bytes, d whatif.Design, samples int) error {
	all, err := d.Predict(kind.Quantity(), sizes, whatif.Sampling{Samples: samples, Seed: 1})
	if errors.Is(err, whatif.ErrExact) {
		return nil
	}
	if err != nil {
		return err
	}
	s.Kind = string(reports.Band)
	for k, n := range sizes {
		s.X, s.Y = append(s.X, float64(n)), append(s.Y, all[k].Value)
		s.Low, s.High = append(s.Low, all[k].Low), append(s.High, all[k].High)
	}
	f.Series = append(f.Series, s)
	f.addNote("Shaded: 95 % by the intervals of the parameters.")
	return nil
}

func series(s reports.Series, i int) Series {
	return Series{Name: s.Name, Design: i, Kind: string(s.Kind), X: s.X, Y: s.Y, Low: s.Low, High: s.High}
}

func markOf(m reports.Mark, i int) Mark {
	return Mark{
		Kind: string(m.Kind), X: optional(m.X, m.Kind != reports.AtY), Y: optional(m.Y, m.Kind != reports.AtX),
		Label: m.Label, Series: m.Series, Design: i,
	}
}

func axisOf(a reports.Axis) Axis {
	has := a.Max > a.Min
	return Axis{a.Label, a.Scale == reports.Log, a.Bytes, optional(a.Min, has), optional(a.Max, has)}
}

// figureOf is a figure of package reports; each of its names is a design of its own.
func figureOf(f reports.Figure) *Figure {
	all := &Figure{Title: f.Title, X: axisOf(f.X), Y: axisOf(f.Y), Series: []Series{}, Marks: []Mark{}, Notes: append([]string{}, f.Notes...)}
	var names []string
	index := func(name string) int {
		if i := slices.Index(names, name); i >= 0 {
			return i
		}
		names = append(names, name)
		return len(names) - 1
	}
	for _, s := range f.Series {
		all.Series = append(all.Series, series(s, index(s.Name)))
	}
	for _, m := range f.Marks {
		all.Marks = append(all.Marks, markOf(m, max(0, slices.Index(names, m.Series))))
	}
	return all
}

// predictRows returns the costs of messages.
func (x *Explorer) predictRows(r Predict) (reports.Rows, error) {
	designs, err := x.all(r.Designs)
	if err != nil {
		return reports.Rows{}, err
	}
	sizes, err := sizes(r.Sizes)
	if err != nil {
		return reports.Rows{}, err
	}
	if len(sizes)*len(designs) > 4*maxSizes {
		return reports.Rows{}, errors.New("too many sizes for this number of designs")
	}
	return predict.Costs(sizes, designs...).Rows(nil), nil
}

// sized reads the request of a question at sizes.
func (x *Explorer) sized(r Sized, most int) (d resolved, all []quantity.Bytes, err error) {
	if d, err = x.design(r.Design); err != nil {
		return d, nil, err
	}
	if err = d.now.Layer.Messages(); err != nil {
		return d, nil, err
	}
	if all, err = sizes(r.Sizes); err == nil && len(all) > most {
		err = fmt.Errorf("%d sizes; at most %d here", len(all), most)
	}
	return d, all, err
}

// maxShared bounds the sizes of a breakdown: each costs as much as a curve.
const maxShared = 512

// ownersRows returns the breakdown of the time.
func (x *Explorer) ownersRows(r Sized) (reports.Rows, error) {
	d, sizes, err := x.sized(r, maxShared)
	if err != nil {
		return reports.Rows{}, err
	}
	return whatif.OwnerRows(d.now, sizes)
}

// shares returns the share of each parameter.
func (x *Explorer) shares(r Sized) (Shares, error) {
	d, sizes, err := x.sized(r, maxShared)
	if err != nil {
		return Shares{}, err
	}
	n, m := sizes[0], d.now.Layer.Model
	all, err := d.now.Shares(n)
	if err != nil {
		return Shares{}, err
	}
	oneWay, gap := float64(m.OneWay(n)), float64(m.Gap(n))
	a := Shares{Formula: formula(m, n), Size: Number(n), OneWay: optional(oneWay, true), Gap: optional(gap, true), Parts: []Share{}}
	for _, s := range all {
		a.Parts = append(a.Parts, Share{
			Path: s.Path, Owner: s.Owner,
			OneWay: optional(float64(s.OneWay), true), OneWayPercent: optional(100*float64(s.OneWay)/oneWay, true),
			Gap:  optional(float64(s.Gap), true),
			Text: reports.PercentShare(100 * float64(s.OneWay) / oneWay),
		})
	}
	return a, nil
}

// formula returns the formula of the one-way time of n bytes.
func formula(m model.Layer, n quantity.Bytes) string {
	if m = model.At(m, n); m.Kind().Name == "pipeline" {
		return "β + mτ in each stage for each packet of m bytes; the stages work at the same time"
	}
	return m.Kind().Cost
}

// tabled returns the question whose answer is a table of these rows.
func tabled[T any](rows func(*Explorer, T) (reports.Rows, error)) question {
	return asks(func(x *Explorer, r T) (Table, error) { return tableOf(rows(x, r)) })
}

// tableOf is a table as a command prints it.
func tableOf(rows reports.Rows, err error) (Table, error) {
	if err != nil {
		return Table{}, err
	}
	text, err := rows.JSON()
	if err != nil {
		return Table{}, err
	}
	s, err := rows.Sheet(nil)
	t := Table{Rows: text, Heads: s.Heads, Numeric: s.Numbers, Cells: s.Cells, Notes: rows.Notes}
	if t.Notes == nil {
		t.Notes = []string{}
	}
	return t, err
}

// positive is a number as a request may give it: absent, which is otherwise, or from 1 to most.
func positive(v, otherwise, most float64, what string) (float64, error) {
	switch {
	case v == 0:
		return otherwise, nil
	case v >= 1 && v <= most && !math.IsNaN(v):
		return v, nil
	}
	return 0, fmt.Errorf("%s %g; give 1 to %g", what, v, most)
}
