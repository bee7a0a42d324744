// Package check compares the models with two judges, the message engine and this machine. Each
// question has a method Ask, which answers it; an error names the layer and the program:
//
//	[EngineQuestion]     how the engine's results stand to the formulas
//	[SignatureQuestion]  LogP signatures that the engine runs, as a picture
//	[FigureQuestion]     a figure of a paper, drawn from the models
//	[LiveQuestion]       models fitted to a transport of this machine, and what they predict of it
//	[BenchQuestion]      the times of the engine's programs on a transport
//
// A judge never shares a formula with the accused. The engine runs a layer from its
// resources and the places of its stages; the formula computes the same time from
// parameters. Mutants of the formulas test that the judge notices (mutation_test.go).
// A difference is reported as it is: it may have a note with a
// known bound of the formula, but the bound has a direction, and a difference to the
// other side stays unexplained.
//
// Read validate.go, validate_programs.go and
// validate_run.go for the engine, live.go and live_machine.go for this machine. Files
// of live transports are built on Linux alone.
package check

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/papers"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Ask runs the programs on simulated nodes whose parts cost the times in the platforms' files, and
// compares the results with the formulas.
//
// The order of results is layer, program, size, so that output is the same in each
// run. The first error of a layer ends everything: an engine that cannot run a
// program is a bug of ours or an impossible platform, and not a difference to report.
func (o EngineQuestion) Ask(ctx context.Context) (*Validation, error) {
	// Eight nodes: enough for receivers to be contended, and still fast.
	if o.Nodes == 0 {
		o.Nodes = 8
	}
	for _, n := range o.Sizes {
		if n > MaxValidated {
			err := fmt.Errorf("%v is too large: programs move at most %v at once", n, MaxValidated)
			return nil, usage.Fields(err, "size")
		}
	}
	v := &Validation{}
	for _, d := range o.On {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := newRun(v, o, d)
		if err != nil {
			return nil, err
		}
		if err := d.Layer.GapError(); err != nil {
			v.Notes = append(v.Notes, remark.EachBlocks(err))
		}
		for _, p := range programs.List(programs.Simulated) {
			if o.Programs != nil && !slices.Contains(o.Programs, p.Name) {
				continue
			}
			for _, n := range r.sizesOf(p.Sizes) {
				if comparisons[p.Measures](r, p, n); r.err != nil {
					return nil, fmt.Errorf("%s: %s: %w", d.Layer.Ref(), p.Name, r.err)
				}
			}
		}
		// With injected faults, a reader must know how many there were: the runs then
		// differ from the formulas.
		if r.lost != (virtual.FaultStats{}) {
			v.Notes = append(v.Notes, remark.Lost(d.Layer.Ref(), r.lost, r.resent))
		}
	}
	return v, nil
}

// sizesOf returns the sizes that a program runs with, ascending, without those that
// outlast the protocol's retry. Programs of a fixed message have one size. Those that
// move much data run only the largest size asked for, up to 64 KiB, since their test is
// intact data and not a time. Programs that have a measured time also run at the
// measured sizes, if asked.
func (r *layerRun) sizesOf(which programs.Sizes) []quantity.Bytes {
	sizes := slices.DeleteFunc(slices.Clone(r.o.Sizes), r.repeats)
	switch which {
	case programs.Own:
		return []quantity.Bytes{1}
	case programs.Largest:
		sizes = slices.DeleteFunc(sizes, func(n quantity.Bytes) bool { return n > 64*quantity.KiB })
		return []quantity.Bytes{slices.Max(append(sizes, 1))}
	case programs.AskedOrKept:
		for _, p := range r.points {
			if r.o.Measured {
				sizes = append(sizes, p.Size)
			}
		}
	}
	return stats.Ascending(sizes)
}

// timeRelation returns how the paper's time stands to the measured one, "<" for "less than 10 µs";
// "" if the paper gives the time itself or none.
func (r validated) timeRelation() string {
	if r.Printed == nil || !r.Printed.Bound() {
		return ""
	}
	return r.Printed.TimeRelation
}

// class returns the class of the paper's number, or its role if it was not measured; nil without
// one.
func (r validated) class() any {
	if r.Printed == nil {
		return nil
	}
	return cmp.Or(string(r.Printed.Class), string(r.Printed.Role))
}

// reason returns the note of a paper's number that the engine does not meet, as Reproduction does
// for the model: it says whose number it is. "" if the number is met or has no note.
func (r validated) reason() string {
	if r.Printed == nil {
		return ""
	}
	var met bool
	switch r.timeRelation() {
	case "<", "<=":
		met = r.Engine <= r.Measured.High
	case ">", ">=":
		met = r.Engine >= r.Measured.Low
	default:
		met = math.Abs(r.Engine/r.Measured.Value-1) <= papers.WorthANote
	}
	if met {
		return ""
	}
	return r.Printed.Note
}

// tests reports whether the paper's number tests the model: it is a prediction.
func (r validated) tests() bool { return r.Printed != nil && r.Printed.Class == papers.Predicted }
