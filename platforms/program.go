package platforms

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Program is a layer whose parameters can be changed again and again without
// reading its file anew. It is for one goroutine at a time.
type Program struct {
	layer      model.Layer
	fields     map[string][]field           // where each parameter of a model stands
	pipelines  map[string][]*model.Pipeline // by the path of their packets
	thresholds [][]*quantity.Bytes          // of each switch
	slots      []slot
	values     []float64 // by slot
	steps      []step
}

// A field is a place in a model.
type field struct {
	num   *float64
	whole *int // a number of pieces, in place of num
}

// A step gives one slot its value.
type step struct {
	slot, input int // input: the index into the values of Set; -1: the slot is computed
	fields      []field
	dim         quantity.Dimension
	constant    bool
}

// Compile makes a program of the layer, in which the parameters at the given
// paths can be set. What is computed from them follows, unless it is among them.
func (p Platform) Compile(layer string, paths ...string) (*Program, error) {
	l, err := p.Layer(layer)
	if err != nil {
		return nil, err
	}
	prog := &Program{fields: map[string][]field{}, pipelines: map[string][]*model.Pipeline{}, slots: slices.Clone(p.built.slots)}
	prog.layer = prog.open(p.built, l.Name)
	slotAt := func(path string) (int, bool) {
		i := slices.IndexFunc(prog.slots, func(s slot) bool { return s.path == path })
		return i, i >= 0
	}
	inputs := map[int]int{}
	for i, path := range paths {
		at, known := slotAt(path)
		if fields := prog.fields[path]; !known && len(fields) > 0 { // packets that were a word
			at, known = len(prog.slots), true
			prog.slots = append(prog.slots, slot{path: path, value: quantity.Value{Dim: quantity.DimSize}})
		}
		if !known {
			return nil, fmt.Errorf("%s has no parameter %q", l.Ref(), path)
		}
		inputs[at] = i
	}
	affected := map[int]bool{}
	for _, path := range paths {
		for _, pipe := range prog.pipelines[path] {
			pipe.Cut.Rule = model.CutFixed
		}
	}
	for i, s := range prog.slots {
		prog.values = append(prog.values, s.value.Num)
		input, isInput := inputs[i]
		if !isInput {
			input = -1
			if !slices.ContainsFunc(s.reads(), func(r int) bool { return affected[r] }) {
				continue
			}
		}
		affected[i] = true
		fields := prog.fields[s.path]
		prog.steps = append(prog.steps, step{i, input, fields, s.value.Dim, len(fields) == 0})
	}
	return prog, nil
}

// Layer is the model, with the parameters as Set left them last; at first they
// are the platform's.
func (prog *Program) Layer() model.Layer { return prog.layer }

// Set gives the parameters new values, in µs and bytes, in the order of the paths that
// the program was compiled for. It is false if a parameter, or one computed from
// them, has no place there (a negative time, a size that is not whole);
// the layer then means nothing until Set has been called again.
func (prog *Program) Set(values ...float64) bool {
	for i := range prog.steps {
		s := &prog.steps[i]
		var v float64
		if s.input >= 0 {
			v = values[s.input]
		} else {
			v = prog.slots[s.slot].formula.Compute(prog.values)
		}
		if !s.takes(v) {
			return false
		}
		prog.values[s.slot] = v
		for _, f := range s.fields {
			if f.whole != nil {
				*f.whole = int(v)
			} else {
				*f.num = v
			}
		}
	}
	for _, rising := range prog.thresholds {
		for i := 1; i < len(rising); i++ {
			if *rising[i] <= *rising[i-1] {
				return false
			}
		}
	}
	return true
}

// takes reports whether v can be the value of the slot.
func (s *step) takes(v float64) bool {
	switch {
	case math.IsNaN(v) || math.IsInf(v, 0):
		return false
	case s.constant:
		return true
	case s.dim == quantity.DimSize || s.dim == quantity.DimNone:
		return v >= 1 && v <= float64(quantity.MaxBytes) && v == math.Trunc(v)
	}
	return v >= 0
}

// open copies the model of a layer, all that it is made of included, so that
// its fields can be set, and notes where they are.
func (prog *Program) open(b *builder, name string) model.Layer {
	t, path := b.Layer[name], "layer."+name
	note := func(key string, num *float64) {
		prog.fields[path+"."+key] = append(prog.fields[path+"."+key], field{num: num})
	}
	linear := func(m *model.Linear) {
		note("beta", (*float64)(&m.Beta))
		note("tau", (*float64)(&m.Tau))
	}
	logP := func(m *model.LogP) {
		note("L", (*float64)(&m.Latency))
		note("o_s", (*float64)(&m.SendOverhead))
		note("o_r", (*float64)(&m.ReceiveOverhead))
		note("g", (*float64)(&m.GapTime))
	}
	branches := func(closed []model.Branch) []model.Branch {
		opened := slices.Clone(closed)
		var rising []*quantity.Bytes
		for i := range opened {
			opened[i].Layer = prog.open(b, t.Branches[i].Layer)
			if t.Branches[i].UpTo != "" {
				note("branches."+strconv.Itoa(i)+".up_to", (*float64)(&opened[i].UpTo))
				rising = append(rising, &opened[i].UpTo)
			}
		}
		prog.thresholds = append(prog.thresholds, rising)
		return opened
	}
	switch m := b.built[name].Model.(type) {
	case *model.Linear:
		c := *m
		linear(&c)
		return &c
	case *model.LogP:
		c := *m
		logP(&c)
		return &c
	case *model.LogGP:
		c := *m
		logP(&c.LogP)
		note("G", (*float64)(&c.GapPerByte))
		return &c
	case *model.Pipeline:
		c := *m
		c.Stages = slices.Clone(c.Stages)
		for i, stage := range t.Stages {
			s := &c.Stages[i]
			prog.fields["stage."+stage+".beta"] = append(prog.fields["stage."+stage+".beta"], field{num: (*float64)(&s.Beta)})
			prog.fields["stage."+stage+".tau"] = append(prog.fields["stage."+stage+".tau"], field{num: (*float64)(&s.Tau)})
		}
		note("packets", (*float64)(&c.Cut.Size))
		prog.pipelines[path+".packets"] = append(prog.pipelines[path+".packets"], &c)
		return &c
	case *model.Switch:
		c := *m
		c.Branches = branches(c.Branches)
		return &c
	case *model.Envelope:
		c := *m
		c.Branches = branches(c.Branches)
		return &c
	case *model.Fragmented:
		c := *m
		c.Below = prog.open(b, t.Below)
		note("mtu", (*float64)(&c.MTU))
		if t.Window != "" {
			prog.fields[path+".window"] = append(prog.fields[path+".window"], field{whole: &c.Window})
		}
		return &c
	case *model.Series:
		c := *m
		c.Below = prog.open(b, t.Below)
		if t.Added != "" {
			c.Added = prog.open(b, t.Added)
		} else {
			added := *m.Added.(*model.Linear)
			linear(&added)
			c.Added = &added
		}
		return &c
	}
	panic(fmt.Sprintf("platforms: build makes a model that open has not: %T", b.built[name].Model))
}
