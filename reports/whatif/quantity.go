package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Quantity is a quantity of a layer, as in "bandwidth(4KiB)". The zero value is
// none; the methods of Design make them.
type Quantity struct {
	Name string
	Size quantity.Bytes // of the message; 0 for what needs none, such as n_half
	Kind *model.Quantity

	call *study.Call // whose time it is; nil: it is one of package model
}

// Quantities lists the names of [model.Quantities] that can be asked for here: those
// of a size or of none. Times of packets of a size need a second number.
var Quantities = list.Map(
	slices.DeleteFunc(slices.Clone(model.Quantities), func(q model.Quantity) bool {
		return q.Sizes > 1
	}),
	func(q model.Quantity) string { return q.Name })

// Quantities returns the quantities of these names, of messages of 1 byte, which stands for any
// size until a question gives one. Without names they are the times of the design's calls.
func (d Design) Quantities(names ...string) (all []Quantity, err error) {
	if names == nil {
		names = list.Map(d.Calls, func(c *study.Call) string { return c.Name })
	}
	for _, name := range names {
		q, err := d.quantityOf(name, 1)
		if err != nil {
			return nil, err
		}
		all = append(all, q)
	}
	return all, nil
}

// quantityOf returns the quantity of messages of n bytes; r_inf, n_half and the times of calls
// leave n out.
func (d Design) quantityOf(name string, n quantity.Bytes) (Quantity, error) {
	names := slices.Clone(Quantities)
	for _, c := range d.Calls {
		if c.Name == name || c.Name == study.Finish && name == study.Step {
			return Quantity{Name: c.Name, Kind: c.Kind(), call: c}, nil
		}
		names = append(names, c.Name)
	}
	of, known := model.FindQuantity(name)
	if name == "finish" {
		return Quantity{}, usage.Fields(errors.New("finish is the time of a collective or of a "+
			"program; name one"), "collective", "schedule")
	}
	if !known || of.Sizes > 1 {
		return Quantity{}, fmt.Errorf("no quantity %q%s", name, usage.Hint(name, names))
	}
	if of.Sizes == 0 {
		n = 0
	}
	return Quantity{Name: name, Size: n, Kind: of}, nil
}

// parseQuantity reads "bandwidth(4KiB)", "n_half" or "n_half()".
func (d Design) parseQuantity(text string) (Quantity, error) {
	text = strings.TrimSpace(text)
	name, rest, hasSize := strings.Cut(text, "(")
	q, err := d.quantityOf(strings.TrimSpace(name), 0)
	if err != nil {
		return q, err
	}
	size, closed := strings.CutSuffix(rest, ")")
	if hasSize && !closed {
		return q, fmt.Errorf("%q: missing )", text)
	}
	if size = strings.TrimSpace(size); q.Kind.Sizes == 0 {
		if size != "" {
			return q, fmt.Errorf("%q: %s has no message size; omit %s", text, q.Name, size)
		}
		return q, nil
	}
	// A size is never guessed: bandwidth(4KiB) and bandwidth(1MiB) are two different
	// targets.
	if size == "" {
		return q, fmt.Errorf("%q lacks the size of the messages; write %s(64KiB)", text, q.Name)
	}
	if q.Size, err = quantity.ParseBytes(size); err == nil && q.Size < 1 {
		err = fmt.Errorf("%q: a message has at least 1 byte", size)
	}
	return q, err
}

// At returns the quantity for messages of n bytes. Quantities without a size stay as
// they are.
func (q Quantity) At(n quantity.Bytes) Quantity {
	if q.isSized() {
		q.Size = n
	}
	return q
}

// In returns the quantity with these costs, in µs and bytes; NaN or infinite if it has no value.
func (q Quantity) In(c platforms.Costs) float64 {
	if q.call == nil {
		return q.Kind.Of(c.Layer, q.Size, q.Size)
	}
	v, err := q.call.Time(c)
	if err != nil {
		return math.NaN()
	}
	return v
}

// ValueOf returns the present value of a quantity, in µs and bytes. The error says why the design
// has no such quantity, such as n½ of a layer without a cost per byte. It is asked once, before
// loops that would only see NaN.
func (d Design) ValueOf(q Quantity) (float64, error) {
	if q.call != nil {
		return q.call.Time(d.Costs())
	}
	return q.In(d.Costs()), q.check(d)
}

// Value returns v, in µs and bytes, as a value of the quantity.
func (q Quantity) Value(v float64) quantity.Value { return quantity.Value{Num: v, Dim: q.Kind.Dim} }

// check returns the error of [Design.ValueOf] of a quantity that is no time of a call.
func (q Quantity) check(d Design) error {
	if q.call != nil {
		return nil
	}
	if err := q.Kind.Check(d.Layer.Model, q.Size); err != nil {
		return fmt.Errorf("%s has no %s: %w", d.Layer.Ref(), q, err)
	}
	return nil
}

// isSized reports whether the quantity is of messages of one size.
func (q Quantity) isSized() bool { return q.Kind.Sizes > 0 }

// simulated reports whether each value of the quantity is a simulation.
func (q Quantity) simulated() bool { return q.call != nil }

// String returns the quantity as targets have it, without spaces: "bandwidth(4KiB)".
func (q Quantity) String() string {
	if q.Kind.Sizes == 0 {
		return q.Name
	}
	return q.Name + "(" + strings.ReplaceAll(q.Size.String(), " ", "") + ")"
}

// Within returns the interval of a value at these costs that is predicted from a measurement.
func (q Quantity) Within(c platforms.Costs, v float64) quantity.Interval {
	if q.call == nil || q.call.Within == nil {
		return quantity.Alone(v)
	}
	return q.call.Within(c, v)
}

// Ratio returns a value at these costs over that in the design as it is, with the interval in which
// the errors that both have are left out; without ends if that is not known.
func (q Quantity) Ratio(c platforms.Costs, now, v float64) quantity.Interval {
	if q.call == nil || q.call.Ratio == nil {
		return quantity.Alone(v / now)
	}
	return q.call.Ratio(c, v)
}

// NotesOf returns the notes of the calls among the quantities, each once.
func NotesOf(quantities []Quantity) (notes []remark.Note) {
	for _, q := range quantities {
		if q.call == nil {
			continue
		}
		notes = remark.Add(notes, q.call.Notes...)
	}
	return notes
}

// Subject names what is asked about: the platform of ranks on a machine, else the layer.
func (d Design) Subject() string {
	if d.Ranks {
		return d.Name()
	}
	return d.Layer.Ref()
}

// Sized reports whether any of the quantities needs a size, and with it a column of
// sizes.
func Sized(all []Quantity) bool { return slices.ContainsFunc(all, Quantity.isSized) }
