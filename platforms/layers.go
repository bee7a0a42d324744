package platforms

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
)

func (b *builder) layerTables() error {
	tables := b.tables("layer")
	if len(tables) == 0 && len(b.p.Collectives) > 0 {
		return nil
	}
	if len(tables) == 0 {
		return b.errorf("layer", "no [layer.NAME]; a platform has at least one")
	}
	for _, t := range tables {
		b.layers[t.Name] = t
	}
	for _, t := range tables {
		if _, err := b.spec(t.Name); err != nil {
			return err
		}
	}
	shared, known := map[string]model.Layer{}, map[model.Layer]float64{}
	for _, t := range tables {
		l, err := b.layer(t, b.open(t.Name, nil, shared))
		if err != nil {
			return err
		}
		if work := model.Work(l.Model, known); work > maxWork {
			return b.errorf("layer."+t.Name, "a prediction must take at most %d steps (got %.3g, layers used twice counted twice)", maxWork, work)
		}
		b.p.Layers = append(b.p.Layers, l)
	}
	if err := b.sameTimes(b.p.Layers); err != nil {
		return err
	}
	b.p.Default = cmp.Or(text(b.Keys, "default"), tables[0].Name)
	if _, known := b.layers[b.p.Default]; !known {
		return b.errorf("default", "no layer %q%s", b.p.Default, nearest.Hint(b.p.Default, b.tableNames("layer")))
	}
	return nil
}

// layer reads what a table says of its layer besides its model.
func (b *builder) layer(t Table, m model.Layer) (l Layer, err error) {
	path := "layer." + t.Name
	spec := b.specs[t.Name]
	l = Layer{Platform: b.p.Name, Name: t.Name, Title: text(t.Keys, "title"), Note: text(t.Keys, "note"), Kind: spec.kind.Name,
		Model: m, Params: b.own(spec), Stages: spec.stages}
	for _, part := range spec.parts {
		if part != "" {
			l.Parts = append(l.Parts, part)
		}
	}
	for _, branch := range spec.branches {
		l.Parts = append(l.Parts, branch.layer)
	}
	for i, roof := range list(t.Keys, "roofs") {
		at := slices.IndexFunc(b.p.Roofs, func(r Roof) bool { return r.Name == roof })
		if at < 0 {
			return l, b.errorf(fmt.Sprintf("%s.roofs.%d", path, i), "no roof %q%s", roof, nearest.Hint(roof, b.tableNames("roof")))
		}
		l.Roofs = append(l.Roofs, b.p.Roofs[at])
	}
	slices.SortStableFunc(l.Roofs, func(a, b Roof) int { return cmp.Compare(a.Rate, b.Rate) })
	if l.Protocol, err = b.protocol(path, text(t.Keys, "protocol")); err != nil {
		return l, err
	}
	if l.Correlation, err = b.correlation(path, text(t.Keys, "correlation")); err != nil {
		return l, err
	}
	if l.Timed, err = b.timed(path, t); err != nil {
		return l, err
	}
	if l.Measured, err = b.measurement(path, text(t.Keys, "measured")); err != nil {
		return l, err
	}
	if key, err := check(spec.kind, m); err != nil {
		if given := b.given(join(path, key)); given != "" {
			err = fmt.Errorf("%q %w", given, err)
		}
		return l, b.errorf(join(path, key), "%w", err)
	}
	l.scope = b.layerScope(l)
	return l, nil
}

// check is the check of the layer's kind.
func check(k *model.Kind, l model.Layer) (key string, err error) {
	if k.Check == nil {
		return "", nil
	}
	return k.Check(l)
}

// given returns the text of the parameter at path; "" if there is no number at path.
func (b *builder) given(path string) string {
	if i, known := b.slotAt[path]; known && b.slots[i].Word == "" {
		return b.slots[i].Text
	}
	return ""
}

// own are the parameters of a layer itself, but for those that are a word.
func (b *builder) own(spec *layerSpec) []Param {
	var params []Param
	for _, i := range spec.slots() {
		if b.slots[i].Word == "" {
			params = append(params, b.slots[i].Param)
		}
	}
	return params
}

// slots are the parameters of the layer itself.
func (s *layerSpec) slots() []int {
	var all []int
	for _, branch := range s.branches {
		if branch.upTo >= 0 {
			all = append(all, branch.upTo)
		}
	}
	for _, f := range s.fields {
		all = append(all, f.slots...)
	}
	return all
}

// spec reads the named layer, and first those that it is made of.
func (b *builder) spec(name string) (*layerSpec, error) {
	if s, done := b.specs[name]; done {
		return s, nil
	}
	path := "layer." + name
	t := b.layers[name]
	if err := b.named(path, name); err != nil {
		return nil, err
	}
	if b.pending[name] {
		at := slices.Index(b.building, name)
		return nil, b.errorf(path, "is made of itself: %s", strings.Join(append(b.building[at:], name), " → "))
	}
	if len(b.building) >= maxDepth {
		return nil, b.errorf(path, "is %d layers below another; at most %d", len(b.building), maxDepth)
	}
	b.building, b.pending[name] = append(b.building, name), true
	defer func() { b.building, b.pending[name] = b.building[:len(b.building)-1], false }()

	called := text(t.Keys, "model")
	k, known := model.FindKind(called)
	if !known {
		var all []string
		for _, k := range model.Kinds {
			all = append(all, k.Name)
		}
		slices.Sort(all)
		if called == "" {
			return nil, b.errorf(path, "no model; write model = %q or another of %s", "linear", strings.Join(all, ", "))
		}
		return nil, b.errorf(path+".model", "no model %q%s", called, nearest.Hint(called, all))
	}
	for _, key := range t.Keys {
		if _, common := commonKeys[key.Name]; !common && !slices.Contains(k.Keys(), key.Name) {
			return nil, b.errorf(path+"."+key.Name, "not a key of the model %s; it takes %s", k.Name, strings.Join(k.Keys(), ", "))
		}
	}
	s := &layerSpec{kind: k}
	if err := b.sourced(path, text(t.Keys, "source")); err != nil {
		return nil, err
	}
	var err error
	for _, p := range k.Parts {
		part := text(t.Keys, p.Key)
		if part != "" || !p.Optional {
			if err := b.part(path+"."+p.Key, part); err != nil {
				return nil, err
			}
		}
		s.parts = append(s.parts, part)
	}
	if k.Given != nil {
		if key, wrong := k.Given(func(key string) bool { _, has := find(t.Keys, key); return has }); wrong != "" {
			return nil, b.errorf(join(path, key), "%s", wrong)
		}
	}
	if k.Branches != nil {
		if s.branches, err = b.branches(path, t, s); err != nil {
			return nil, err
		}
	}
	if k.Stages != nil {
		if s.stages = list(t.Keys, "stages"); len(s.stages) == 0 {
			return nil, b.errorf(path, `no stages; write stages = ["NAME", …], each with a table [stage.NAME]`)
		}
		for i, stage := range s.stages {
			if _, known := b.stages[stage]; !known {
				return nil, b.errorf(fmt.Sprintf("%s.stages.%d", path, i), "no stage %q%s", stage, nearest.Hint(stage, b.tableNames("stage")))
			}
		}
	}
	if err := b.fields(path, t, s); err != nil {
		return nil, err
	}
	b.specs[name] = s
	return s, nil
}

// fields reads the parameters of a layer.
func (b *builder) fields(path string, t Table, s *layerSpec) error {
	given := scope{b: b, table: t, path: path, fields: map[string]Param{}}
	for i := range s.kind.Fields {
		f := &s.kind.Fields[i]
		given.fields[f.Key] = Param{Kind: s.kind.Name, Measure: f.Measure, Symbol: f.Symbol, Phrase: f.Phrase, words: f.Words}
	}
	for i := range s.kind.Fields {
		f := &s.kind.Fields[i]
		if _, has := find(t.Keys, f.Key); !has && f.Optional {
			continue
		}
		spec := fieldSpec{field: f}
		if f.List {
			for i := range list(t.Keys, f.Key) {
				at, err := given.element(f.Key, i)
				if err != nil {
					return err
				}
				spec.slots = append(spec.slots, at)
			}
		} else {
			at, err := given.slot(f.Key)
			if err != nil {
				return err
			}
			spec.slots = []int{at}
		}
		s.fields = append(s.fields, spec)
	}
	v, _ := find(t.Keys, "sources")
	own, _ := v.([]Key)
	for _, key := range own {
		if _, known := b.slotAt[path+"."+key.Name]; !known {
			return b.errorf(path+".sources."+key.Name, "no parameter %q in this layer", key.Name)
		}
	}
	return nil
}

func (b *builder) branches(path string, t Table, s *layerSpec) ([]branchSpec, error) {
	v, _ := find(t.Keys, "branches")
	entries, _ := v.([][]Key)
	var all []branchSpec
	for i, entry := range entries {
		at := fmt.Sprintf("%s.branches.%d", path, i)
		last := i == len(entries)-1
		name := text(entry, "layer")
		_, bounded := find(entry, "up_to")
		switch {
		case bounded && !s.kind.Bounds:
			return nil, b.errorf(at+".up_to", "an %s finds its thresholds itself; leave up_to out, or make it a switch", s.kind.Name)
		case name == "":
			return nil, b.errorf(at, `no layer; a branch is { layer = "NAME", up_to = "256B" }`)
		}
		if err := b.part(at+".layer", name); err != nil {
			return nil, err
		}
		next := branchSpec{name, -1}
		switch {
		case !s.kind.Bounds:
		case last && bounded:
			return nil, b.errorf(at+".up_to", "the last branch takes all larger sizes; leave its up_to out")
		case !last && !bounded:
			return nil, b.errorf(at, "no up_to; only the last branch goes without")
		case !last:
			of := scope{b: b, table: Table{t.Kind, t.Name, entry}, path: at, source: text(t.Keys, "source"), fields: map[string]Param{
				"up_to": {Kind: s.kind.Name, Measure: model.Size, Phrase: "largest size that goes by " + name, Bound: true},
			}}
			var err error
			if next.upTo, err = of.slot("up_to"); err != nil {
				return nil, err
			}
		}
		all = append(all, next)
	}
	return all, nil
}

// part reads the layer that a layer names as a part of itself.
func (b *builder) part(path, name string) error {
	if name == "" {
		return b.errorf(path, "names no layer; it must")
	}
	if _, known := b.layers[name]; !known {
		return b.errorf(path, "no layer %q%s", name, nearest.Hint(name, b.tableNames("layer")))
	}
	_, err := b.spec(name)
	return err
}

// open makes the model of a layer. It calls bind, unless that is nil, with each slot and the place
// of its parameter in the model, and with each layer that may be impossible. A layer in shared is
// made once; if shared is nil, as often as it is used.
func (b *builder) open(name string, bind binder, shared map[string]model.Layer) model.Layer {
	if l, done := shared[name]; done {
		return l
	}
	s := b.specs[name]
	k := s.kind
	l := k.New()
	set := func(slot int, at model.Knob) {
		if b.slots[slot].Word != "" {
			at.SetWord(b.slots[slot].Word)
		} else {
			at.Set(b.values[slot])
		}
		if bind != nil {
			bind.parameter(slot, at)
		}
	}
	for i, part := range s.parts {
		if part != "" {
			*k.Parts[i].At(l) = b.open(part, bind, shared)
		}
	}
	if k.Branches != nil {
		branches := make([]model.Branch, len(s.branches))
		*k.Branches(l) = branches
		for i, of := range s.branches {
			branches[i] = model.Branch{Name: of.layer, Layer: b.open(of.layer, bind, shared)}
			if of.upTo >= 0 {
				set(of.upTo, branches[i].Knob())
			}
		}
	}
	if k.Stages != nil {
		stages := make([]model.Stage, len(s.stages))
		*k.Stages(l) = stages
		for i, name := range s.stages {
			of := b.stages[name]
			stages[i] = model.Stage{Name: name, Host: of.host}
			beta, tau := stages[i].Knobs()
			set(of.beta, beta)
			set(of.tau, tau)
		}
	}
	for _, f := range s.fields {
		if f.field.List {
			f.field.Grow(l, len(f.slots))
		}
		for i, slot := range f.slots {
			set(slot, f.field.Knob(l, i))
		}
	}
	if bind != nil && k.Check != nil {
		bind.layer(l)
	}
	if shared != nil {
		shared[name] = l
	}
	return l
}

// A binder records the position of parameters in a model.
type binder interface {
	parameter(slot int, at model.Knob)
	layer(l model.Layer)
}
