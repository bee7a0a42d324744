package platforms

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Change is a new value for a parameter.
type Change struct {
	Path  string
	Text  string         // its text in [Param].Text; for packets it may be one of [model.CutWords]
	Value quantity.Value // in the dimension of the parameter

	PlusMinus float64 // half the width of its 95 % interval, see [Param]; 0: none
}

// with returns the platform with some parameters changed, reduced to the layer and its parts;
// parameters computed from the changed ones follow. Other layers are left out: a value that is
// possible in one may be impossible in another. A later change of a parameter replaces an earlier
// one. It is an error if the parameter, or one computed from it, cannot have its value, or if the
// path is not one of [Design.Uses].
func (p Platform) with(layer string, changes ...Change) (Platform, error) {
	used, err := p.used(layer)
	if err != nil {
		return Platform{}, err
	}
	c := *p.composition
	// The loaded platform is shared by all readers, so a change is made to a copy.
	c.slots, c.values = slices.Clone(c.slots), slices.Clone(c.values)
	inputs := map[int]bool{}
	for _, change := range changes {
		i, known := c.slotAt[change.Path]
		if !known || !used[i] {
			return Platform{}, fmt.Errorf("%s/%s has no parameter %q", p.Name, layer, change.Path)
		}
		if err := c.slots[i].replace(change); err != nil {
			return Platform{}, err
		}
		inputs[i] = true
	}
	for i := range c.slots { // constants are shown with the layer even if it does not need them
		used[i] = used[i] || c.slots[i].Table == "constant"
	}
	for _, i := range c.following(inputs, used) {
		s := &c.slots[i]
		if !inputs[i] {
			if err := s.compute(c.values); err != nil {
				return Platform{}, c.changeError(s, err)
			}
		}
		if err := s.check(); err != nil {
			return Platform{}, c.changeError(s, err)
		}
		// The slots behind this one read the new value from here.
		c.values[i] = s.Value.Num
	}
	return p.rebuilt(&c, layer)
}

// following returns the inputs, and every used slot that is computed from them. Each stands behind
// those that it reads, so one pass over them computes all new values.
func (c *composition) following(inputs, used map[int]bool) (order []int) {
	affected := maps.Clone(inputs)
	for i := range c.slots {
		if !affected[i] && used[i] {
			changed := func(read int) bool { return affected[read] }
			affected[i] = slices.ContainsFunc(c.slots[i].reads(), changed)
		}
		if affected[i] {
			order = append(order, i)
		}
	}
	return order
}

// replace gives the slot the value of a change, in place of its formula.
func (s *slot) replace(change Change) error {
	s.Word = ""
	if slices.Contains(s.words, change.Text) {
		s.Word = change.Text
	} else if s.Value.Dim != change.Value.Dim {
		return fmt.Errorf("%s is %s, not %s", change.Path, s.Value.Dim, change.Value.Dim)
	}
	s.Text, s.Value.Num, s.PlusMinus = change.Text, change.Value.Num, change.PlusMinus
	// Without a formula the slot reads nothing: a later change of what it was computed from does
	// not reach it.
	s.formula, s.changed = nil, true
	return nil
}

// rebuilt returns the platform reduced to the layer and its parts, with the values of c.
func (p Platform) rebuilt(c *composition, layer string) (Platform, error) {
	kept := map[string]model.Layer{}
	c.open(layer, nil, kept)
	refresh := func(params []Param) []Param {
		return list.Map(params, func(q Param) Param { return c.slots[c.slotAt[q.Path]].Param })
	}
	next := p
	// The machine of the levels goes with the layers that are left out.
	next.Default, next.composition = layer, c
	next.Constants, next.Layers = refresh(p.Constants), nil
	stages := map[string]bool{}
	for _, l := range p.Layers {
		m, keep := kept[l.Name]
		if !keep {
			continue
		}
		spec := c.layers[l.Name]
		if key, err := check(spec.kind, m); err != nil {
			path := join("layer."+l.Name, key)
			if i, known := c.slotAt[path]; known {
				return Platform{}, c.changeError(&c.slots[i], err)
			}
			return Platform{}, c.errorf(path, "%w", err)
		}
		l.Model, l.Params = l.withLines(m), c.own(spec)
		for _, name := range l.Stages {
			stages[name] = true
		}
		next.Layers = append(next.Layers, l)
	}
	next.Stages = slices.DeleteFunc(refresh(p.Stages), func(q Param) bool {
		return !stages[q.Owner]
	})
	for i := range next.Layers {
		next.Layers[i].scope = &next
	}
	return next, nil
}

// Params returns all parameters that can be changed, in the order of the file: the constants, the
// stages' and the layers'. A pipeline's packet is among them even if a word stands for its size.
func (p Platform) Params() []Param {
	all := slices.Concat(p.Constants, p.Stages)
	for _, l := range p.Layers {
		for _, i := range p.composition.layers[l.Name].slots() {
			all = append(all, p.composition.slots[i].Param)
		}
	}
	return all
}

// uses returns the parameters that the layer's costs depend on: its own, those of its layers and
// stages, and the constants behind them, in the order of [Platform.Params].
func (p Platform) uses(layer string) ([]Param, error) {
	used, err := p.used(layer)
	return slices.DeleteFunc(p.Params(), func(q Param) bool {
		return !used[p.composition.slotAt[q.Path]]
	}), err
}

// used returns the slots that the costs of the layer depend on, directly or through formulas.
func (p Platform) used(layer string) (map[int]bool, error) {
	if _, err := p.Layer(layer); err != nil {
		return nil, err
	}
	c := p.composition
	used := map[int]bool{}
	var mark func(i int)
	mark = func(i int) {
		if !used[i] {
			used[i] = true
			for _, r := range c.slots[i].reads() {
				mark(r)
			}
		}
	}
	c.reach(layer, map[string]bool{}, func(s *layerSpec) {
		for _, i := range s.slots() {
			mark(i)
		}
		for _, name := range s.stages {
			mark(c.stages[name].beta)
			mark(c.stages[name].tau)
		}
	})
	return used, nil
}

// Find returns the parameter of the layer that name stands for: its path, or an end of
// its path ("host-dma.tau", "o_r"), or the kind of its layer's model and its
// key ("logp.o_r"; loggp counts as logp). The window of a fragmented layer answers to credits too.
// It is an error if name fits none, or several.
func (p Platform) Find(layer, name string) (Param, error) {
	uses, err := p.uses(layer)
	if err != nil {
		return Param{}, err
	}
	found := matching(uses, name)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return Param{}, fmt.Errorf("%q matches several parameters: %s; write one of them",
			name, strings.Join(paths(found), ", "))
	}
	// The name fits another layer alone. A change there would have no effect, and say nothing.
	if other := matching(p.Params(), name); len(other) > 0 {
		return Param{}, fmt.Errorf("%s has no effect on %s/%s; these have: %s",
			strings.Join(paths(other), ", "), p.Name, layer, strings.Join(paths(uses), ", "))
	}
	if l, err := p.Layer(layer); err == nil {
		// In a file o stands for o_s and o_r, which have two slots from then on.
		if of := model.LinesOf(l.Model).Kind().Aliases[name]; of != nil {
			return Param{}, fmt.Errorf("%q stands for %s; change each of them",
				name, strings.Join(of, " and "))
		}
	}
	var ends []string
	for _, q := range uses {
		for rest, more := q.Path, true; more; _, rest, more = strings.Cut(rest, ".") {
			ends = append(ends, rest)
		}
	}
	hint := usage.Hint(name, ends)
	if !strings.Contains(hint, "did you mean") {
		hint = "; choose from " + strings.Join(paths(uses), ", ")
	}
	return Param{}, fmt.Errorf("%s/%s has no parameter %q%s", p.Name, layer, name, hint)
}

// kindNames and keyNames are further names of kinds and of keys, under which parameters are found.
var (
	// LogGP is LogP with a gap per byte (Alexandrov et al., 1995), so logp.o_r finds both.
	kindNames = map[string]string{"loggp": "logp"}
	// The window counts credits: a piece takes one until its receiver returns it.
	keyNames = map[string]string{"credits": "window"}
)

// matching returns the parameters that a name may stand for; one alone if the name is a whole path.
func matching(params []Param, name string) []Param {
	key := name[strings.LastIndexByte(name, '.')+1:]
	table := strings.TrimSuffix(strings.TrimSuffix(name, key), ".")
	if other, ok := keyNames[key]; ok {
		name = strings.TrimSuffix(name, key) + other
		key = other
	}
	var found []Param
	for _, q := range params {
		if q.Path == name {
			return []Param{q}
		}
		isKind := table != "" && q.Key == key && (q.Kind == table || kindNames[q.Kind] == table)
		if isKind || strings.HasSuffix(q.Path, "."+name) {
			found = append(found, q)
		}
	}
	return found
}

// paths returns the paths of parameters, for an error that lists them.
func paths(params []Param) []string {
	return list.Map(params, func(p Param) string { return p.Path })
}

// Computed reports whether the parameter at path is computed from other parameters, so that it
// changes with them.
func (p Platform) Computed(path string) bool {
	i, ok := p.composition.slotAt[path]
	return ok && len(p.composition.slots[i].reads()) > 0
}

// A Program is a layer whose parameters can be changed again and again without making its models
// anew, as [Design.With] does. Set allocates nothing, for sweeps of millions of points. It is for
// one goroutine at a time.
type Program struct {
	layer  model.Layer
	checks []model.Layer // that can be impossible
	slots  []slot
	values []float64 // by slot
	steps  []step
}

// A step of [Program.Set] gives one slot its value, and passes it on to the models.
type step struct {
	slot, input int          // input: the index into the values of Set; -1: the slot is computed
	at          []model.Knob // its places in the models, one for each use of a layer
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
	prog := &Program{
		layer:  l.withLines(c.open(layer, w, nil)),
		slots:  slices.Clone(c.slots),
		values: slices.Clone(c.values),
	}
	prog.checks = w.checks
	inputs, isInput := map[int]int{}, map[int]bool{}
	for i, path := range paths {
		at, known := c.slotAt[path]
		if !known {
			return nil, fmt.Errorf("%s has no parameter %q", l.Ref(), path)
		}
		inputs[at], isInput[at] = i, true
	}
	used, err := p.used(layer)
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
		// Inputs that are possible can still give a formula an impossible value: L - o_s below 0.
		if of.Measure.Check(v) != nil {
			return false
		}
		prog.values[s.slot] = v.Num
		for _, at := range s.at {
			// One parameter has several places if its layer is part of several others.
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
