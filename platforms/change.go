package platforms

import (
	"fmt"
	"maps"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Change is a new value for a parameter.
type Change struct {
	Path  string
	Text  string         // its text in [Param].Text; for packets it may be one of [model.CutWords]
	Value quantity.Value // in the dimension of the parameter

	PlusMinus float64 // half the width of its 95 % interval, see [Param]; 0: none
}

// A domain is the part of a platform whose parameters a question depends on: a layer with the
// layers and stages that it is made of.
type domain struct {
	layer  string
	all    bool // also the other layers
	levels bool // also all levels, with their layers
	work   bool // also the local work of ranks
}

// layersOf returns the names of the domain's layers, without those that they are made of.
func (p Platform) layersOf(of domain) []string {
	if of.all {
		return list.Map(p.Layers, func(l Layer) string { return l.Name })
	}
	names := []string{of.layer}
	if !of.levels {
		return names
	}
	for _, l := range p.Levels {
		for _, k := range machine.Keys {
			for _, name := range l.Layers[k.Name] {
				if !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// with returns the platform with some parameters changed, reduced to the domain; parameters
// computed from the changed ones follow. Other layers are left out: a value that is possible in one
// may be impossible in another. A later change of a parameter replaces an earlier one. It is an
// error if the parameter, or one computed from it, cannot have its value, or if the path is not one
// of [Design.Uses].
func (p Platform) with(of domain, changes ...Change) (Platform, error) {
	used, err := p.used(of)
	if err != nil {
		return Platform{}, err
	}
	c := *p.composition
	// The loaded platform is shared by all readers, so a change is made to a copy.
	c.params, c.values = slices.Clone(c.params), slices.Clone(c.values)
	inputs := map[int]bool{}
	for _, change := range changes {
		i, known := c.byPath[change.Path]
		if !known || !used[i] {
			return Platform{}, fmt.Errorf("%s/%s has no parameter %q", p.Name, of.layer,
				change.Path)
		}
		if err := c.params[i].replace(change); err != nil {
			return Platform{}, err
		}
		inputs[i] = true
	}
	for i := range c.params { // constants are shown with the layer even if it does not need them
		used[i] = used[i] || c.params[i].Table == "constant"
	}
	for _, i := range c.following(inputs, used) {
		q := &c.params[i]
		if !inputs[i] {
			if err := q.compute(c.values); err != nil {
				return Platform{}, c.changeError(q, err)
			}
		}
		if err := q.check(); err != nil {
			return Platform{}, c.changeError(q, err)
		}
		// The parameters behind this one read the new value from here.
		c.values[i] = q.Value.Num
	}
	return p.rebuilt(&c, of)
}

// following returns the inputs, and every used parameter that is computed from them. Each stands
// behind those that it reads, so one pass over them computes all new values.
func (c *composition) following(inputs, used map[int]bool) (order []int) {
	affected := maps.Clone(inputs)
	for i := range c.params {
		if !affected[i] && used[i] {
			changed := func(read int) bool { return affected[read] }
			affected[i] = slices.ContainsFunc(c.params[i].reads(), changed)
		}
		if affected[i] {
			order = append(order, i)
		}
	}
	return order
}

// replace gives the parameter the value of a change, in place of its formula.
func (p *Param) replace(change Change) error {
	p.Word = ""
	if slices.Contains(p.words, change.Text) {
		p.Word = change.Text
	} else if p.Value.Dim != change.Value.Dim {
		return fmt.Errorf("%s is %s, not %s", change.Path, p.Value.Dim, change.Value.Dim)
	}
	p.Text, p.Value.Num, p.PlusMinus = change.Text, change.Value.Num, change.PlusMinus
	// Without a formula it reads nothing: a later change of what it was computed from does not
	// reach it.
	p.formula, p.changed = nil, true
	return nil
}

// rebuilt returns the platform reduced to the domain, with the values of c.
func (p Platform) rebuilt(c *composition, of domain) (Platform, error) {
	kept := map[string]model.Layer{}
	for _, name := range p.layersOf(of) {
		c.open(name, nil, kept)
	}
	next := p
	next.Default, next.composition = of.layer, c
	next.Layers, next.Params = nil, nil
	stages := map[string]bool{}
	for _, l := range p.Layers {
		m, keep := kept[l.Name]
		if !keep {
			continue
		}
		spec := c.layers[l.Name]
		if key, err := check(spec.kind, m); err != nil {
			path := join("layer."+l.Name, key)
			if q := c.find(path); q != nil {
				return Platform{}, c.changeError(q, err)
			}
			return Platform{}, c.errorf(path, "%w", err)
		}
		l.Model = model.WithLines(l.Model, m)
		for _, name := range l.Stages {
			stages[name] = true
		}
		next.Layers = append(next.Layers, l)
	}
	// Layers find their stages and constants through the platform that they belong to, which is
	// this one now.
	for i := range next.Layers {
		next.Layers[i].scope = &next
	}
	next.openLevels()
	for _, q := range p.Params {
		_, ofLayer := kept[q.Owner]
		if (q.Table != "stage" || stages[q.Owner]) && (q.Table != "layer" || ofLayer) &&
			(q.Table != "level" || len(next.Levels) > 0) {
			next.Params = append(next.Params, *c.find(q.Path))
		}
	}
	if !of.levels {
		return next, nil
	}
	return next, next.checkMachine()
}

// checkMachine returns an error if the levels cannot have their numbers together.
func (p Platform) checkMachine() error {
	m, _ := p.Machine() // it has all its layers
	i, key, err := m.Check()
	if err == nil {
		return nil
	}
	path := "level." + m.Levels[i].Name + "." + key
	if q := p.composition.find(path); q != nil {
		return p.composition.changeError(q, err)
	}
	return fmt.Errorf("%s: %w", path, err)
}

// uses returns the parameters that the domain depends on: its own, those of its layers and stages,
// and the constants behind them.
func (p Platform) uses(of domain) ([]Param, error) {
	used, err := p.used(of)
	return slices.DeleteFunc(slices.Clone(p.Params), func(q Param) bool {
		return !used[p.composition.byPath[q.Path]]
	}), err
}

// used returns the parameters that the domain depends on, directly or through formulas.
func (p Platform) used(of domain) (map[int]bool, error) {
	c := p.composition
	used := map[int]bool{}
	var mark func(i int)
	mark = func(i int) {
		if !used[i] {
			used[i] = true
			for _, r := range c.params[i].reads() {
				mark(r)
			}
		}
	}
	done := map[string]bool{}
	for _, name := range p.layersOf(of) {
		if _, err := p.Layer(name); err != nil {
			return nil, err
		}
		c.reach(name, done, func(s *layerSpec) {
			for _, i := range s.params {
				mark(i)
			}
			for _, name := range s.stages() {
				mark(c.stages[name].beta)
				mark(c.stages[name].tau)
			}
		})
	}
	for _, q := range p.Params {
		if of.levels && q.Table == "level" {
			mark(c.byPath[q.Path])
		}
	}
	for _, work := range localWork {
		if i, known := c.byPath[work.path]; known && of.work {
			mark(i)
		}
	}
	return used, nil
}

// Computed reports whether the parameter at path is computed from other parameters, so that it
// changes with them.
func (p Platform) Computed(path string) bool {
	q := p.composition.find(path)
	return q != nil && len(q.reads()) > 0
}
