// Package whatif predicts how message costs change when a platform's parameters
// change.
//
// A [Design] is a layer of a platform. [Design.Set] changes parameters and returns
// another design; [Design.At] returns the costs and the bottleneck of a message.
// [Sweep] evaluates ranges of parameters. [Design.Shares] ranks parameters, and [Solve]
// finds the value that reaches a target. [Design.Predict] propagates the intervals of parameters to
// predictions. [FindCrossover] finds the sizes at which one layer overtakes another.
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
// A quantity is a row of [model.Quantities] or a [Call], whose every value is a
// simulation. The latter are some 10⁴ times as slow, and so searches take larger
// steps, blocks are smaller and samples fewer for them.
//
// Files for sweeps and targets are left out of the page's WebAssembly, which does not
// ask for them (go:build !js).
package whatif

import (
	"github.com/halfpeak/halfpeak/internal/study"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Design is a layer of a platform, as it is or with parameters changed, with the
// quantities that can be asked of it beside those of package model. It is a value:
// changing it leaves the original for comparison.
type Design struct {
	platforms.Design
	Calls []*study.Call
}

// Of returns a design with the calls that can be asked of it. If there are any, its parameters are
// those of programs of ranks.
func Of(d platforms.Design, calls ...study.Call) Design {
	of := Design{Design: d}
	for i := range calls {
		of.Calls = append(of.Calls, &calls[i])
	}
	of.Ranks = of.Ranks || len(calls) > 0
	return of
}

// Set returns the design with parameters changed; see [platforms.Design.Set].
func (d Design) Set(assignments ...string) (Design, error) {
	next, err := d.Design.Set(assignments...)
	return Design{next, d.Calls}, err
}
