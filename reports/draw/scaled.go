package draw

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// in scales both axes. A figure that cannot be drawn stays as it is; [Figure.painter] says why.
func (f figure) in(units quantity.UnitChoice) drawing {
	if f.check() != nil {
		return f
	}
	x, y, _, err := f.limits()
	if err != nil {
		return f
	}
	var byX, byY float64
	f.X, byX = f.X.in(units, x.min, x.max)
	f.Y, byY = f.Y.in(units, y.min, y.max)
	f.Marks = slices.Clone(f.Marks)
	for i, m := range f.Marks {
		f.Marks[i].Label, f.Marks[i].Valued = f.MarkLabel(m, f.Y.units(units).Print), false
	}
	f.Series = slices.Clone(f.Series)
	for i := range f.Series {
		s := &f.Series[i]
		s.X, s.Y = over(s.X, byX), over(s.Y, byY)
		s.Low, s.High = over(s.Low, byY), over(s.High, byY)
	}
	for i := range f.Marks {
		f.Marks[i].X /= byX
		f.Marks[i].Y /= byY
	}
	return f
}

func (s stack) in(units quantity.UnitChoice) drawing {
	s = slices.Clone(s)
	for i, f := range s {
		s[i] = f.in(units).(figure)
	}
	return s
}

// in scales x: parts of a whole are percentages.
func (a areas) in(units quantity.UnitChoice) drawing {
	if len(a.XS) == 0 {
		return a
	}
	var by float64
	a.X, by = a.X.in(units, a.XS[0], a.XS[len(a.XS)-1])
	a.XS = over(a.XS, by)
	a.Marks = slices.Clone(a.Marks)
	for i := range a.Marks {
		a.Marks[i].X /= by
	}
	return a
}

func (t tornado) in(units quantity.UnitChoice) drawing {
	lo, hi := t.ends()
	var by float64
	t.X, by = t.X.in(units, lo, hi)
	t.Base /= by
	t.Bars = slices.Clone(t.Bars)
	for i := range t.Bars {
		t.Bars[i].Less /= by
		t.Bars[i].More /= by
	}
	return t
}

// in scales the values. Axes of parameters keep the units in which parameters are set.
func (h heatMap) in(units quantity.UnitChoice) drawing {
	lo, hi, err := h.check()
	if err != nil {
		return h
	}
	var by float64
	h.Value, by = h.Value.in(units, lo, hi)
	h.Z = slices.Clone(h.Z)
	for j := range h.Z {
		h.Z[j] = over(h.Z[j], by)
	}
	return h
}

// in scales the time.
func (t timeline) in(units quantity.UnitChoice) drawing {
	end, err := t.check()
	if err != nil {
		return t
	}
	var by float64
	t.time, by = timeAxis.in(units, 0, end)
	t.total = t.time.units(units).Print(quantity.Value{Num: end, Dim: quantity.DimTime})
	t.Boxes = slices.Clone(t.Boxes)
	for i := range t.Boxes {
		t.Boxes[i].Start /= by
		t.Boxes[i].End /= by
	}
	legs := func(all []table.TimelineLeg) []table.TimelineLeg {
		all = slices.Clone(all)
		for i := range all {
			all[i].Start /= by
			all[i].End /= by
		}
		return all
	}
	t.Messages, t.Path = legs(t.Messages), legs(t.Path)
	return t
}

// in returns the map: its values are percentages.
func (m regionMap) in(quantity.UnitChoice) drawing { return m }
