package table

import (
	"encoding/json"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Axis describes the scale of one direction.
type Axis struct {
	Label string             // without a unit if Dim has one, else with it: "error (%)"
	Dim   quantity.Dimension // of values in µs and bytes; the picture chooses the unit
	Log   bool               // only positive values can be drawn; a note counts the rest
	Bytes bool               // the values are bytes: ticks are powers of two, 1 B, 64 KiB
	Twos  bool               // on a logarithmic axis: ticks are powers of two, as of ranks
	Near  bool               // a linear axis need not hold 0 if the values are all far from it

	// Min and Max are the ends of the axis, in the unit of the data. If Max is not above Min they
	// are chosen from the data, with 0 on a linear axis that holds nothing negative.
	Min, Max float64

	unit string // of the numbers, if it is not that of columns

	apart bool // each tick has a unit of its own, since one unit for all would need long numbers
}

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
func (a Axis) in(units quantity.UnitChoice, lo, hi float64) (Axis, float64) {
	if u, asked := units[a.Dim]; asked && axisUnits[a.Dim] != nil {
		return a.scaled(u.Name, u.Value.Num)
	}
	for _, u := range axisUnits[a.Dim] {
		one, _ := quantity.Unit(u.name)
		// A logarithmic axis has small values too, which need at most three decimals.
		if hi > u.from && hi < u.below && (!a.Log || lo >= one.Num/500) {
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
func (a Axis) scaled(unit string, one float64) (Axis, float64) {
	a.unit, a.Min, a.Max = unit, a.Min/one, a.Max/one
	return a, one
}

// units returns the choice with the unit of the axis, for numbers in its picture.
func (a Axis) units(asked quantity.UnitChoice) quantity.UnitChoice {
	if a.unit == "" {
		return asked
	}
	units, _ := quantity.ParseUnits(a.unit) // one of its units
	return units
}

// title returns the label with the unit of the numbers.
func (a Axis) title() string {
	unit := a.unit
	if unit == "" {
		unit = a.Dim.Column().Unit
	}
	if unit == "" || a.Bytes || a.apart { // units are at the ticks
		return a.Label
	}
	return a.Label + " (" + unit + ")"
}

// quantity returns the axis's label with its unit, for programs: ticks of bytes carry
// their units themselves, but the numbers in CSV are plain bytes.
func (a Axis) quantity() string {
	if a.Bytes && !strings.Contains(a.Label, "(") {
		return a.Label + " (B)"
	}
	return a.title()
}

// cell returns a value of the axis for a table, which prints it in the unit that a reader chooses.
func (a Axis) cell(v float64) any {
	switch {
	case a.Dim == quantity.DimTime:
		return quantity.Micros(v)
	case a.Dim == quantity.DimRate:
		return quantity.MBps(v)
	case a.Bytes:
		return quantity.Bytes(v)
	}
	return v
}

// head returns the head of a column of such cells, which have their units themselves.
func (a Axis) head() string {
	if axisUnits[a.Dim] != nil || a.Bytes {
		return a.Label
	}
	return a.title()
}

// MarshalJSON prints the axis's label with its unit.
func (a Axis) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"label": a.title()})
}

// over returns the values divided by a unit.
func over(values Numbers, one float64) Numbers {
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
func edges(middles []float64, a Axis) []float64 {
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
