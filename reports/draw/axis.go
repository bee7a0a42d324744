package draw

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// An axis is one direction of a drawing: with the unit of its numbers.
type axis struct {
	table.Axis
	unit  string // if it is not that of columns
	apart bool   // each tick has a unit of its own, since one unit for all would need long numbers
}

// timeAxis is the axis of a timeline.
var timeAxis = axis{Axis: table.Axis{Label: "time", Dim: quantity.DimTime}}

// axisUnits are the units that an axis takes by itself, each if its largest value is above from and
// below another bound: there its numbers are shorter than those of µs and MB/s.
var axisUnits = map[quantity.Dimension][]struct {
	name        string
	from, below float64
}{
	quantity.DimTime: {{"s", 1e6, math.Inf(1)}, {"ms", 1e3, math.Inf(1)}, {"ns", 0, 0.1}},
	quantity.DimRate: {{"GB/s", 1e4, math.Inf(1)}},
}

// in returns the axis in the unit of the choice, or in one whose numbers are short, and the size of
// this unit in µs and bytes. A figure has one unit an axis, so that heights compare.
func (a axis) in(units quantity.UnitChoice, lo, hi float64) (axis, float64) {
	if u, asked := units[a.Dim]; asked && axisUnits[a.Dim] != nil {
		return a.scaled(u.Name, u.Value.Num)
	}
	for _, u := range axisUnits[a.Dim] {
		one, _ := quantity.Unit(u.name)
		// A logarithmic axis has small values too, which need at most one decimal: 10 µs are not
		// 0.01 ms.
		if hi > u.from && hi < u.below && (!a.Log || lo >= one.Num/10) {
			return a.scaled(u.name, one.Num)
		}
	}
	a.apart = a.Log && axisUnits[a.Dim] != nil && hi >= longNumber
	return a, 1
}

// longNumber is the largest value, in µs or MB/s, from which ticks of a logarithmic axis have units
// of their own: 1 MB/s to 10 GB/s in place of 1 to 10000.
const longNumber = 1e4

// scaled returns the axis in a unit. Ends that a caller chose are in µs and bytes, and follow.
func (a axis) scaled(unit string, one float64) (axis, float64) {
	a.unit, a.Min, a.Max = unit, a.Min/one, a.Max/one
	return a, one
}

// units returns the choice with the unit of the axis, for numbers in its picture.
func (a axis) units(asked quantity.UnitChoice) quantity.UnitChoice {
	if a.unit == "" {
		return asked
	}
	units, _ := quantity.ParseUnits(a.unit) // one of its units
	return units
}

// title returns the label with the unit of the numbers.
func (a axis) title() string {
	switch {
	case a.apart: // units are at the ticks
		return a.Label
	case a.unit == "" || a.Bytes:
		return a.Title()
	}
	return a.Label + " (" + a.unit + ")"
}

// over returns the values divided by a unit.
func over(values table.Numbers, one float64) table.Numbers {
	if one == 1 || values == nil {
		return values
	}
	values = slices.Clone(values)
	for i := range values {
		values[i] /= one
	}
	return values
}

// edges returns the bounds of the cells, halfway between their middles on the axis.
func edges(middles []float64, a axis) []float64 {
	to, from := func(v float64) float64 { return v }, func(v float64) float64 { return v }
	if a.Log {
		to, from = math.Log, math.Exp
	}
	n := len(middles)
	e := make([]float64, n+1)
	for i := 1; i < n; i++ {
		e[i] = from((to(middles[i-1]) + to(middles[i])) / 2)
	}
	// The outer cells have no neighbour, so they reach as far outwards as inwards; on a logarithmic
	// axis at most by a factor of 2, since two sizes far apart say nothing about others.
	first, last := (to(middles[1])-to(middles[0]))/2, (to(middles[n-1])-to(middles[n-2]))/2
	if a.Log {
		first, last = min(first, math.Ln2), min(last, math.Ln2)
	}
	e[0], e[n] = from(to(middles[0])-first), from(to(middles[n-1])+last)
	return e
}
