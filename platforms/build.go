package platforms

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// nameRule is what names of tables look like: they stand in paths and references.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// constantRule is what names of constants look like: they stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// maxAsks is how many costs of single layers a prediction may take.
const maxAsks = 10000

// maxDepth is how many layers may stand one below the other, and constants be computed through each
// other.
const maxDepth = 200

// A builder makes a platform of a document.
type builder struct {
	*source
	p         Platform
	stages    map[string]stageSpec
	protocols map[string]Protocol
	measured  map[string]*Measured
	layers    map[string]Table      // as written
	specs     map[string]*layerSpec // of those built
	building  []string              // the layers under way, to find a circle
	pending   map[string]bool       // the same

	slots     []slot // every parameter computed, behind those that it reads
	values    []float64
	slotAt    map[string]int
	constants map[string]*scope
	computing []string // the parameters under way, to find a circle
	inner     error    // of a parameter that another one reads
}

// A stageSpec is a stage with its parameters by slot.
type stageSpec struct {
	beta, tau int
	host      model.Host
}

// A layerSpec is what a layer is made of: names of layers and stages, and parameters by slot.
type layerSpec struct {
	kind     *model.Kind
	parts    []string // by the kind's Parts; "": left out
	branches []branchSpec
	stages   []string
	fields   []fieldSpec
	asks     float64 // how many costs of single layers a prediction takes, at most
}

type branchSpec struct {
	layer string
	upTo  int // slot; -1: none
}

type fieldSpec struct {
	field *model.Field
	slots []int // one, or as many as a list has
}

func (s *source) platform() (Platform, error) {
	b := &builder{
		source:    s,
		p:         Platform{Name: strings.TrimSuffix(filepath.Base(s.file), ".toml"), Places: map[string]Place{}},
		stages:    map[string]stageSpec{},
		protocols: map[string]Protocol{},
		measured:  map[string]*Measured{},
		layers:    map[string]Table{},
		specs:     map[string]*layerSpec{},
		pending:   map[string]bool{},
		slotAt:    map[string]int{},
		constants: map[string]*scope{},
	}
	b.p.built = b
	b.p.Title, b.p.Paper, b.p.Note, b.p.Notes = text(s.Keys, "title"), text(s.Keys, "paper"), text(s.Keys, "note"), s.notes
	for _, step := range []func() error{b.clock, b.constantTables, b.roofTables, b.stageTables, b.protocolTables, b.measuredTables, b.layerTables} {
		if err := step(); err != nil {
			return Platform{}, err
		}
	}
	return b.p, nil
}

func (b *builder) clock() error {
	given := text(b.Keys, "clock")
	if given == "" {
		return nil
	}
	v, err := quantity.Eval(given, nil)
	if err == nil && (v.Dim != quantity.DimClock || !(v.Num > 0)) {
		err = fmt.Errorf("%q: a clock rate is above zero, in kHz, MHz or GHz", given)
	}
	if err != nil {
		return b.errorf("clock", "%w", err)
	}
	b.p.Clock = v.Num
	return nil
}

func (b *builder) constantTables() error {
	tables := b.tables("constant")
	for _, t := range tables {
		path := "constant." + t.Name
		if !constantRule.MatchString(t.Name) {
			return b.errorf(path, "formulas cannot name %q; use letters, digits and _", t.Name)
		}
		b.constants[t.Name] = &scope{b: b, table: t, path: path, fields: map[string]Param{"value": {Path: path}}}
	}
	for _, t := range tables {
		i, err := b.constants[t.Name].slot("value")
		if err != nil {
			return err
		}
		b.p.Constants = append(b.p.Constants, b.slots[i].Param)
	}
	return nil
}

func (b *builder) roofTables() error {
	for _, t := range b.tables("roof") {
		path := "roof." + t.Name
		s := scope{b: b, table: t, path: path, fields: map[string]Param{"rate": {}}}
		i, err := s.slot("rate")
		if err != nil {
			return err
		}
		given := text(t.Keys, "rate")
		rate, err := b.slots[i].Value.MBps()
		if err != nil {
			return b.errorf(path+".rate", "%q: %w", given, err)
		}
		if rate == 0 {
			return b.errorf(path+".rate", "%q: a roof is above zero", given)
		}
		b.p.Roofs = append(b.p.Roofs, Roof{t.Name, rate, given, text(t.Keys, "source")})
	}
	return nil
}

// named checks the name at path.
func (b *builder) named(path, name string) error {
	if !nameRule.MatchString(name) {
		return b.errorf(path, "%q is no name; use small letters, digits, - and _", name)
	}
	return nil
}

func (b *builder) stageTables() error {
	for _, t := range b.tables("stage") {
		path := "stage." + t.Name
		if err := b.named(path, t.Name); err != nil {
			return err
		}
		host, err := choose(b, path+".host", text(t.Keys, "host"), map[string]model.Host{"sender": model.Sender, "receiver": model.Receiver})
		if err != nil {
			return err
		}
		s := scope{b: b, table: t, path: path, fields: map[string]Param{
			"beta":  {Measure: model.Time, Symbol: "β", Phrase: "fixed cost of a packet"},
			"tau":   {Measure: model.PerByte, Symbol: "τ", Phrase: "time per byte"},
			"queue": {Measure: model.Count},
		}}
		spec := stageSpec{host: host}
		if spec.beta, err = s.slot("beta"); err == nil {
			spec.tau, err = s.slot("tau")
		}
		if err != nil {
			return err
		}
		b.stages[t.Name] = spec
		b.p.Stages = append(b.p.Stages, b.slots[spec.beta].Param, b.slots[spec.tau].Param)
		if b.p.Places[t.Name], err = b.place(&s, host); err != nil {
			return err
		}
	}
	return nil
}

// choose is the value that a word at path stands for; none is the zero value.
func choose[T any](b *builder, path, word string, of map[string]T) (v T, err error) {
	v, known := of[word]
	if word != "" && !known {
		words := []string{}
		for w := range of {
			words = append(words, w)
		}
		slices.Sort(words)
		err = b.errorf(path, "%q%s", word, nearest.Hint(word, words))
	}
	return v, err
}

func (b *builder) layerTables() error {
	tables := b.tables("layer")
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
	shared := map[string]model.Layer{}
	for _, t := range tables {
		l, err := b.layer(t, b.open(t.Name, nil, shared))
		if err != nil {
			return err
		}
		b.p.Layers = append(b.p.Layers, l)
	}
	b.p.Default = cmp.Or(text(b.Keys, "default"), tables[0].Name)
	if _, known := b.layers[b.p.Default]; !known {
		return b.errorf("default", "no layer %q%s", b.p.Default, nearest.Hint(b.p.Default, b.tableNames("layer")))
	}
	return nil
}

// layer is what a table says of its layer beside its model.
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
	if l.Measured, err = b.measurement(path, text(t.Keys, "measured")); err != nil {
		return l, err
	}
	if key, err := b.check(spec.kind, m); err != nil {
		if given := b.given(join(path, key)); given != "" {
			err = fmt.Errorf("%q %w", given, err)
		}
		return l, b.errorf(join(path, key), "%w", err)
	}
	l.scope = b.layerScope(l)
	return l, nil
}

// check is the kind's, of a layer.
func (b *builder) check(k *model.Kind, l model.Layer) (key string, err error) {
	if k.Check == nil {
		return "", nil
	}
	return k.Check(l)
}

// given is the text of the parameter at path, "" if it is none or a word.
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
		if !slices.Contains(k.Keys(), key.Name) && !slices.Contains(commonKeys, key.Name) {
			return nil, b.errorf(path+"."+key.Name, "not a key of the model %s; it takes %s", k.Name, strings.Join(k.Keys(), ", "))
		}
	}
	s := &layerSpec{kind: k, asks: 1}
	if err := b.sourced(path, text(t.Keys, "source")); err != nil {
		return nil, err
	}
	var err error
	for _, p := range k.Parts {
		part := text(t.Keys, p.Key)
		if part != "" || !p.Optional {
			if err := b.part(path+"."+p.Key, part, s); err != nil {
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
		s.asks += float64(len(s.stages))
	}
	if err := b.fields(path, t, s); err != nil {
		return nil, err
	}
	if s.asks > maxAsks {
		return nil, b.errorf(path, "a prediction asks the layers that it is made of %.3g times, each as often as it is used; at most %d", s.asks, maxAsks)
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
		if err := b.part(at+".layer", name, s); err != nil {
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
func (b *builder) part(path, name string, of *layerSpec) error {
	if name == "" {
		return b.errorf(path, "names no layer; it must")
	}
	if _, known := b.layers[name]; !known {
		return b.errorf(path, "no layer %q%s", name, nearest.Hint(name, b.tableNames("layer")))
	}
	s, err := b.spec(name)
	if err == nil {
		of.asks += float64(of.kind.Asks) * s.asks
	}
	return err
}

// open makes the model of a layer. It tells bind, unless that is nil, of each slot where its
// parameter stands in the model, and of each layer that can be impossible. A layer in shared is
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

// A binder is told where parameters stand in a model.
type binder interface {
	parameter(slot int, at model.Knob)
	layer(l model.Layer)
}

func (b *builder) sourced(path, source string) error {
	if strings.TrimSpace(source) == "" {
		return b.errorf(path, `no source; say where its numbers are from, as in source = "Table 4.2"`)
	}
	return nil
}
