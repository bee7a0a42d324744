// Package whatif predicts how message costs change when a platform's parameters change.
//
// Each question of this package has a method Ask, which answers it. It is an error if the design
// lacks a quantity, a parameter or a gap that is asked for.
//
//	[ChangeQuestion]       what a change brings
//	[SweepQuestion]        the costs at all values of ranges
//	[TargetQuestion]       the value of a parameter that reaches a target
//	[TradeQuestion]        where two parameters together reach it
//	[SensitivityQuestion]  how much each parameter matters
//	[BreakdownQuestion]    which stage or parameter takes how much of a time
//	[UncertaintyQuestion]  the costs with intervals
//	[ThresholdQuestion]    n½, and where protocols should switch
//	[CrossoverQuestion]    the sizes at which one layer overtakes another
//
// Each is about a [Design], a layer of a platform; [Design.Set] changes parameters and returns
// another design. Parameters are named by their paths in the platform's file, or by as much of a
// path as is unique (see [platforms.Platform.Find]). Inside, values are in µs and bytes, as
// everywhere in halfpeak.
//
// All questions that try many values compile the platform once ([platforms.Design.Compile]): a
// program sets parameters in one copy of the layer, with the formulas behind them, in a fraction of
// a microsecond. A program is for one goroutine. Impossible values (a negative time, crossing
// thresholds) are reported by its Set, and every loop here must look at that report: sweeps have
// empty cells there, searches end, and samples are drawn again.
//
// A quantity is a row of [model.Quantities] or a [study.Call], whose every value is a simulation.
// The latter are some 10⁴ times as slow, and so searches take larger steps, blocks are smaller and
// samples fewer for them.
//
// Files for sweeps and targets are left out of the page's WebAssembly, which does not ask for them
// (go:build !js).
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
