package judge

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/whatif"
)

// Validate runs the programs on simulated nodes whose parts cost the times in the platforms' files,
// and compares the results with the formulas. An error names the layer and the program.
func Validate(o ValidateOptions, designs ...whatif.Design) (*Validation, error) {
	if o.Nodes == 0 {
		o.Nodes = 8
	}
	for _, n := range o.Sizes {
		if n > MaxValidated {
			return nil, usage.Fields(fmt.Errorf("%v is too large: programs move at most %v at once", n, MaxValidated), "size")
		}
	}
	v := &Validation{}
	for _, d := range designs {
		r, err := newRun(v, o, d)
		if err != nil {
			return nil, err
		}
		for _, p := range programs.List(programs.Simulated) {
			if o.Programs != nil && !slices.Contains(o.Programs, p.Name) {
				continue
			}
			for _, n := range r.sizesOf(p.Sizes) {
				if err := r.run(p, n); err != nil {
					return nil, fmt.Errorf("%s: %s: %w", d.Layer.Ref(), p.Name, err)
				}
			}
		}
		if r.lost != (virtual.FaultStats{}) {
			v.Notes = append(v.Notes, fmt.Sprintf("%s: %v; %d sent again.", d.Layer.Ref(), r.lost, r.resent))
		}
	}
	return v, nil
}

// Programs returns the names of the programs that Validate runs.
func Programs() []string { return programs.Names(programs.Simulated) }

// sizesOf returns the sizes that a program runs with, in order.
func (r *layerRun) sizesOf(which programs.Sizes) []quantity.Bytes {
	sizes := slices.Clone(r.o.Sizes)
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
