// Package whatif predicts how message costs change when a platform's parameters
// change.
//
// A [Design] is a layer of a platform. [Design.Set] changes parameters and returns
// another design; [Design.At] returns the costs and the bottleneck of a message.
// [Sweep] evaluates ranges of parameters. [Design.Shares] ranks parameters, and [Design.Solve]
// finds the value that reaches a target. [Design.Predict] propagates the intervals of parameters to
// predictions. [FindCrossover] finds the sizes at which one layer overtakes another. A [Question]
// has what is asked of a design and of its change; package reports/whatif makes tables and pictures
// of the answers.
//
// Parameters are named by their paths in the platform's file, or by as much of a path
// as is unique (see [platforms.Platform.Find]). Inside, values are in µs and bytes,
// as everywhere in halfpeak.
//
// All questions that try many values compile the platform once
// ([platforms.Design.Compile]): a program sets parameters in one copy of the layer,
// with the formulas behind them, in a fraction of a microsecond. A program is for one
// goroutine. Impossible values (a negative time, crossing thresholds) are reported by
// its Set, and every loop here must look at that report: sweeps have empty cells
// there, searches end, and samples are drawn again.
//
// A quantity is a row of [model.Quantities] or a [Measure], whose every value is a
// simulation. The latter are some 10⁴ times as slow, and so searches take larger
// steps, blocks are smaller and samples fewer for them.
//
// Files for sweeps and targets are left out of the page's WebAssembly, which does not
// ask for them (go:build !js).
package whatif

import (
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Design is a layer of a platform, as it is or with parameters changed, with the
// quantities that can be asked of it beside those of package model. It is a value:
// changing it leaves the original for comparison.
type Design struct {
	platforms.Design
	Measures []*Measure
}

// Of returns the design of a platform's layer.
func Of(d platforms.Design) Design { return Design{Design: d} }

// Find returns the design that a platform's file describes, with the errors of
// [platforms.FindDesign].
func Find(ref string) (Design, error) {
	d, err := platforms.FindDesign(ref)
	return Of(d), err
}

// Set returns the design with parameters changed; see [platforms.Design.Set].
func (d Design) Set(assignments ...string) (Design, error) {
	next, err := d.Design.Set(assignments...)
	return Design{next, d.Measures}, err
}

// A Measure is a quantity that package model does not have, such as the finish of a program of
// ranks. It takes no size, and may take long to compute. Its functions may be called by several
// goroutines at once, each with its own costs.
type Measure struct {
	model.Quantity // without Of
	Value          func(platforms.Costs) (float64, error)
	// Limits returns the parts of the quantity: owners with their one-way times.
	Limits func(platforms.Costs) ([]Share, error)
	Notes  []string // what the values are of, and how far to trust them
	// Within returns the interval of a value at these costs that is predicted from a measurement;
	// nil: none.
	Within func(c platforms.Costs, v float64) quantity.Interval
}

// Measured returns the design with one more quantity, whose parameters are those of programs of
// ranks. The slice is cut to its length before, so that designs made from one do not share the
// place behind it.
func (d Design) Measured(m Measure) Design {
	m.Sizes = 0
	d.Ranks = true
	d.Measures = append(d.Measures[:len(d.Measures):len(d.Measures)], &m)
	return d
}

// A Share is the part of a message's cost that is due to a parameter of the model; see
// [Design.Shares].
type Share struct {
	Path string // "stage.copy-out.beta"
	// for people: a stage with both its parameters ("copy-out"), or a parameter ("o_r")
	Owner  string
	OneWay quantity.Micros
	Gap    quantity.Micros
}
