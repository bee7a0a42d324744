package platforms

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model"
)

// A Program is a layer whose parameters can be changed again and again without
// reading its file anew. It is for one goroutine at a time.
type Program struct {
	layer  model.Layer
	checks []model.Layer // that can be impossible
	slots  []slot
	values []float64 // by slot
	steps  []step
}

// A step gives one slot its value.
type step struct {
	slot, input int // input: the index into the values of Set; -1: the slot is computed
	at          []model.Knob
}

// Compile returns a program of the layer with the parameters at the given paths as inputs.
// Parameters that are computed from them follow, unless they are among them.
func (p Platform) Compile(layer string, paths ...string) (*Program, error) {
	l, err := p.Layer(layer)
	if err != nil {
		return nil, err
	}
	c := p.composition
	w := &knobs{at: map[int][]model.Knob{}}
	prog := &Program{layer: l.withLines(c.open(layer, w, nil)), slots: slices.Clone(c.slots), values: slices.Clone(c.values)}
	prog.checks = w.checks
	inputs := map[int]int{}
	for i, path := range paths {
		at, known := c.slotAt[path]
		if !known {
			return nil, fmt.Errorf("%s has no parameter %q", l.Ref(), path)
		}
		inputs[at] = i
	}
	used, err := p.used(layer)
	if err != nil {
		return nil, err
	}
	affected := map[int]bool{}
	for i, s := range prog.slots {
		input, isInput := inputs[i]
		if !isInput {
			input = -1
			if !used[i] || !slices.ContainsFunc(s.reads(), func(r int) bool { return affected[r] }) {
				continue
			}
		}
		affected[i] = true
		prog.steps = append(prog.steps, step{i, input, w.at[i]})
	}
	return prog, nil
}

// Layer returns the model with the parameters of the last Set; before it, with the platform's.
func (prog *Program) Layer() model.Layer { return prog.layer }

// Set sets the parameters, in µs and bytes, in the order of the paths given to Compile. It returns
// false if a parameter, or one computed from them, is impossible (a negative time, a size that is
// not whole); then the layer is invalid until Set is called again.
func (prog *Program) Set(values ...float64) bool {
	for i := range prog.steps {
		s := &prog.steps[i]
		of := &prog.slots[s.slot]
		v := of.Value
		if s.input >= 0 {
			v.Num = values[s.input]
		} else {
			v.Num = of.formula.Compute(prog.values)
		}
		if of.Measure.Check(v) != nil {
			return false
		}
		prog.values[s.slot] = v.Num
		for _, at := range s.at {
			at.Set(v.Num)
		}
	}
	for _, l := range prog.checks {
		if _, err := l.Kind().Check(l); err != nil {
			return false
		}
	}
	return true
}
