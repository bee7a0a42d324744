package table

import (
	"encoding/json"
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
}

// Title returns the label with the unit of columns.
func (a Axis) Title() string {
	unit := a.Dim.Column().Unit
	if unit == "" || a.Bytes { // units are at the ticks
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
	return a.Title()
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
	if a.Dim == quantity.DimTime || a.Dim == quantity.DimRate || a.Bytes {
		return a.Label
	}
	return a.Title()
}

// MarshalJSON prints the axis's label with its unit.
func (a Axis) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{"label": a.Title()})
}
