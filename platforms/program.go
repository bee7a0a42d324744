package platforms

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Costs holds the costs that follow from the parameters of a design.
type Costs struct {
	Layer   model.Layer
	Machine machine.Machine // that ranks run on; without levels: on the layer alone
	// Copy and Combine are the times per byte of a rank's local work: to copy its own data, and to
	// combine two operands. 0: the platform does not say.
	Copy, Combine quantity.MicrosPerByte
	// Flops are the operations that a rank computes in a µs, and Memory its bytes of memory in one.
	// 0: the platform does not say.
	Flops  float64
	Memory quantity.MBps
}

// Costs returns the costs with the present values of the design's parameters.
func (d Design) Costs() Costs {
	c := d.Platform.composition
	if c == nil { // a layer of no file
		return Costs{Layer: d.Layer.Model, Machine: d.Machine()}
	}
	return costs(d.Layer.Model, d.Machine(), c.values, c.workParams())
}

func costs(l model.Layer, m machine.Machine, values []float64, work [len(localWork)]int) Costs {
	of := func(i int) float64 {
		if work[i] < 0 {
			return 0
		}
		return max(0, values[work[i]])
	}
	return Costs{Layer: l, Machine: m, Copy: quantity.MicrosPerByte(of(0)),
		Combine: quantity.MicrosPerByte(of(1)), Flops: of(2), Memory: quantity.MBps(of(3))}
}

// A Program is a design whose parameters can be changed again and again without making its models
// anew, as [Design.With] does. Set allocates nothing, for sweeps of millions of points. It is for
// one goroutine at a time.
type Program struct {
	layer   model.Layer
	machine machine.Machine
	checks  []model.Layer // that can be impossible
	params  []Param
	values  []float64 // by parameter
	work    [len(localWork)]int
	steps   []step
}

// A step of [Program.Set] gives one parameter its value, and passes it on to the models.
type step struct {
	param, input int   // input: the index into the values of Set; -1: the parameter is computed
	at           []any // pointers to it in the models, one for each use of a layer
}

// Compile returns the design as a program of some of its parameters, and their values. Parameters
// that are computed from these follow, unless they are among them.
func (d Design) Compile(params ...Param) (*Program, []float64) {
	paths, values := make([]string, len(params)), make([]float64, len(params))
	for i, p := range params {
		paths[i], values[i] = p.Path, p.Value.Num
	}
	prog, err := d.Platform.compile(d.domain(), paths...)
	if err != nil {
		panic(err) // the layer and its parameters are there
	}
	return prog, values
}

func (p Platform) compile(of domain, paths ...string) (*Program, error) {
	l, err := p.Layer(of.layer)
	if err != nil {
		return nil, err
	}
	c := p.composition
	w := &places{at: map[int][]any{}}
	prog := &Program{
		layer:  model.WithLines(l.Model, c.open(of.layer, w, nil)),
		params: slices.Clone(c.params),
		values: slices.Clone(c.values),
		work:   c.workParams(),
	}
	if of.levels {
		p.openMachine(prog, w)
	}
	prog.checks = w.checks
	inputs, isInput := map[int]int{}, map[int]bool{}
	for i, path := range paths {
		at, known := c.byPath[path]
		if !known {
			return nil, fmt.Errorf("%s has no parameter %q", l.Ref(), path)
		}
		inputs[at], isInput[at] = i, true
	}
	used, err := p.used(of)
	if err != nil {
		return nil, err
	}
	for _, i := range c.following(isInput, used) {
		input := -1
		if isInput[i] {
			input = inputs[i]
		}
		prog.steps = append(prog.steps, step{i, input, w.at[i]})
	}
	return prog, nil
}

// openMachine gives the program a machine of its own, with the places of all parameters in it.
func (p Platform) openMachine(prog *Program, w *places) {
	c := p.composition
	prog.machine.Levels = make([]machine.Level, len(p.Levels))
	for i, of := range p.Levels {
		// It has its layers: the levels are in the domain.
		l, _ := p.level(of, func(l Layer) model.Layer {
			return model.WithLines(l.Model, c.open(l.Name, w, nil))
		})
		to := &prog.machine.Levels[i]
		*to = l.Level
		for _, k := range machine.Keys {
			if i, known := c.byPath["level."+l.Name+"."+k.Name]; known {
				w.at[i] = append(w.at[i], k.At(to))
			}
		}
	}
}

// Layer returns the model with the parameters of the last Set; before it, with the platform's.
func (prog *Program) Layer() model.Layer { return prog.layer }

// Costs returns the costs with the parameters of the last Set; the next one changes them.
func (prog *Program) Costs() Costs {
	return costs(prog.layer, prog.machine, prog.values, prog.work)
}

// Set sets the parameters, in µs and bytes, in the order of those given to Compile. It returns
// false if a parameter, or one computed from them, is impossible (a negative time, a size that is
// not whole); then the program is invalid until Set is called again.
func (prog *Program) Set(values ...float64) bool {
	for i := range prog.steps {
		s := &prog.steps[i]
		of := &prog.params[s.param]
		v := of.Value
		if s.input >= 0 {
			v.Num = values[s.input]
		} else {
			v.Num = of.formula.Compute(prog.values)
		}
		// Inputs that are possible can still give a formula an impossible value: L - o_s below 0.
		if of.Measure.Check(v) != nil {
			return false
		}
		prog.values[s.param] = v.Num
		for _, at := range s.at {
			// One parameter has several places if its layer is part of several others.
			setNumber(at, v.Num)
		}
	}
	for _, l := range prog.checks {
		if _, err := model.KindOf(l).Check(l); err != nil {
			return false
		}
	}
	_, _, err := prog.machine.Check()
	return err == nil
}
