package platforms

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// modelKeys are the kinds of model, each with the keys that its layers take beside
// the common ones.
var modelKeys = map[string][]string{
	"linear":     {"beta", "tau"},
	"logp":       {"L", "o_s", "o_r", "g"},
	"loggp":      {"L", "o_s", "o_r", "g", "G"},
	"pipeline":   {"stages", "packets"},
	"switch":     {"branches"},
	"envelope":   {"branches"},
	"fragmented": {"below", "mtu", "window"},
	"series":     {"below", "added", "beta", "tau"},
}

// build makes the model of a layer, and fills in what l has besides.
func (b *builder) build(path string, t layerTable, l *Layer) (model.Layer, error) {
	switch t.Model {
	case "linear":
		return buildLinear(b, path, t, l)
	case "logp":
		return buildLogP(b, path, t, l)
	case "loggp":
		return buildLogGP(b, path, t, l)
	case "pipeline":
		return buildPipeline(b, path, t, l)
	case "switch":
		return buildSwitch(b, path, t, l)
	case "envelope":
		return buildEnvelope(b, path, t, l)
	case "fragmented":
		return buildFragmented(b, path, t, l)
	case "series":
		return buildSeries(b, path, t, l)
	}
	panic("platforms: modelKeys has a model that build has not: " + t.Model)
}

// commonKeys are those that every layer may have.
var commonKeys = []string{"model", "title", "note", "source", "sources", "roofs", "protocol"}

func modelNames() []string { return slices.Sorted(maps.Keys(modelKeys)) }

// nameRule is what names of tables look like: they stand in paths and references.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// constantRule is what names of constants look like: they stand in formulas.
var constantRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]*$`)

// A builder makes a platform of a document.
type builder struct {
	*document
	p         Platform
	changes   map[string]Change // by path
	constants map[string]quantity.Value
	stages    map[string]model.Stage
	protocols map[string]Protocol
	built     map[string]Layer
	building  []string // the layers under way, to find a circle

	slots     []slot // every parameter computed, behind those that it reads
	values    []float64
	slotAt    map[string]int
	computing []string // the parameters under way, to find a circle
}

func (d *document) platform(name string, changes map[string]Change) (Platform, error) {
	b := &builder{
		document:  d,
		p:         Platform{Name: name, Title: d.Title, Paper: d.Paper, Note: d.Note, Places: map[string]Place{}},
		changes:   changes,
		constants: map[string]quantity.Value{},
		stages:    map[string]model.Stage{},
		protocols: map[string]Protocol{},
		built:     map[string]Layer{},
		slotAt:    map[string]int{},
	}
	b.p.built = b
	for _, step := range []func() error{b.clock, b.constantTables, b.roofTables, b.stageTables, b.protocolTables, b.layerTables} {
		if err := step(); err != nil {
			return Platform{}, err
		}
	}
	return b.p, nil
}

func (b *builder) clock() error {
	if b.Clock == "" {
		return nil
	}
	v, err := quantity.Eval(b.Clock, nil)
	if err == nil && (v.Dim != quantity.DimClock || !(v.Num > 0)) {
		err = fmt.Errorf("%q: a clock rate is above zero, in kHz, MHz or GHz", b.Clock)
	}
	if err != nil {
		return b.errorf("clock", "%w", err)
	}
	b.p.Clock = v.Num
	return nil
}

func (b *builder) constantTables() error {
	for _, name := range inOrder(b.document, "constant", b.Constant) {
		path := "constant." + name
		t := b.Constant[name]
		if !constantRule.MatchString(name) {
			return b.errorf(path, "formulas cannot name %q; use letters, digits and _", name)
		}
		p, err := b.param(path, path+".value", t.Value, b.resolver(path, nil))
		if err != nil {
			return err
		}
		if err := b.sourced(path, t.Source); err != nil {
			return err
		}
		p.Source = t.Source
		b.constants[name] = p.Value
		b.p.Constants = append(b.p.Constants, p)
	}
	return nil
}

func (b *builder) roofTables() error {
	for _, name := range inOrder(b.document, "roof", b.Roof) {
		path := "roof." + name
		t := b.Roof[name]
		p, err := b.param(path+".rate", path+".rate", t.Rate, b.resolver(path, nil))
		if err != nil {
			return err
		}
		rate, err := p.Value.MBps()
		if err != nil {
			return b.errorf(path+".rate", "%q: %w", t.Rate, err)
		}
		if rate == 0 {
			return b.errorf(path+".rate", "%q: a roof is above zero", t.Rate)
		}
		if err := b.sourced(path, t.Source); err != nil {
			return err
		}
		b.p.Roofs = append(b.p.Roofs, Roof{name, rate, t.Rate, t.Source})
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
	for _, name := range inOrder(b.document, "stage", b.Stage) {
		path := "stage." + name
		t := b.Stage[name]
		if err := b.named(path, name); err != nil {
			return err
		}
		var host model.Host
		switch t.Host {
		case "":
		case "sender":
			host = model.Sender
		case "receiver":
			host = model.Receiver
		default:
			return b.errorf(path+".host", "%q%s", t.Host, nearest.Hint(t.Host, []string{"sender", "receiver"}))
		}
		r := reader{b: b, path: path, source: t.Source, given: map[string]string{"beta": t.Beta, "tau": t.Tau}}
		b.stages[name] = model.Stage{Name: name, Beta: r.micros("beta"), Tau: r.perByte("tau"), Host: host}
		if r.err != nil {
			return r.err
		}
		b.p.Stages = append(b.p.Stages, r.params...)
		var err error
		if b.p.Places[name], err = b.place(path, name, t, host); err != nil {
			return err
		}
	}
	return nil
}

func (b *builder) layerTables() error {
	names := inOrder(b.document, "layer", b.Layer)
	if len(names) == 0 {
		return b.errorf("layer", "no [layer.NAME]; a platform has at least one")
	}
	for _, name := range names {
		l, err := b.layer(name)
		if err != nil {
			return err
		}
		b.p.Layers = append(b.p.Layers, l)
	}
	b.p.Default = cmp.Or(b.Default, names[0])
	if _, known := b.Layer[b.p.Default]; !known {
		return b.errorf("default", "no layer %q%s", b.p.Default, nearest.Hint(b.p.Default, names))
	}
	return nil
}

// layer makes the named layer, and first those that it is made of.
func (b *builder) layer(name string) (Layer, error) {
	if l, done := b.built[name]; done {
		return l, nil
	}
	path := "layer." + name
	t := b.Layer[name]
	if err := b.named(path, name); err != nil {
		return Layer{}, err
	}
	if slices.Contains(b.building, name) {
		return Layer{}, b.errorf(path, "is made of itself: %s", strings.Join(append(b.building, name), " → "))
	}
	b.building = append(b.building, name)
	defer func() { b.building = b.building[:len(b.building)-1] }()

	keys, known := modelKeys[t.Model]
	if !known {
		if t.Model == "" {
			return Layer{}, b.errorf(path, "no model; write model = %q or another of %s", "linear", strings.Join(modelNames(), ", "))
		}
		return Layer{}, b.errorf(path+".model", "no model %q%s", t.Model, nearest.Hint(t.Model, modelNames()))
	}
	for _, key := range b.keysOf(path) {
		if !slices.Contains(keys, key) && !slices.Contains(commonKeys, key) {
			return Layer{}, b.errorf(path+"."+key, "not a key of the model %s; it takes %s", t.Model, strings.Join(keys, ", "))
		}
	}
	if err := b.sourced(path, t.Source); err != nil {
		return Layer{}, err
	}
	l := Layer{Platform: b.p.Name, Name: name, Title: t.Title, Note: t.Note, Kind: t.Model}
	for i, roof := range t.Roofs {
		at := slices.IndexFunc(b.p.Roofs, func(r Roof) bool { return r.Name == roof })
		if at < 0 {
			return Layer{}, b.errorf(fmt.Sprintf("%s.roofs.%d", path, i), "no roof %q%s", roof, nearest.Hint(roof, inOrder(b.document, "roof", b.Roof)))
		}
		l.Roofs = append(l.Roofs, b.p.Roofs[at])
	}
	slices.SortStableFunc(l.Roofs, func(a, b Roof) int { return cmp.Compare(a.Rate, b.Rate) })
	var err error
	if l.Protocol, err = b.protocol(path, t.Protocol); err != nil {
		return Layer{}, err
	}
	if l.Model, err = b.build(path, t, &l); err != nil {
		return Layer{}, err
	}
	for key := range t.Sources {
		if !slices.ContainsFunc(l.Params, func(p Param) bool { return p.Path == path+"."+key }) {
			return Layer{}, b.errorf(path+".sources."+key, "no parameter %q in this layer", key)
		}
	}
	l.scope = b.layerScope(l)
	b.built[name] = l
	return l, nil
}

// part makes the layer that a layer names as a part of itself.
func (b *builder) part(path, name string, l *Layer) (model.Layer, error) {
	if name == "" {
		return nil, b.errorf(path, "names no layer; it must")
	}
	if _, known := b.Layer[name]; !known {
		return nil, b.errorf(path, "no layer %q%s", name, nearest.Hint(name, inOrder(b.document, "layer", b.Layer)))
	}
	inner, err := b.layer(name)
	if err != nil {
		return nil, err
	}
	l.Parts = append(l.Parts, name)
	return inner.Model, nil
}

func (b *builder) sourced(path, source string) error {
	if strings.TrimSpace(source) == "" {
		return b.errorf(path, `no source; say where its numbers are from, as in source = "Table 4.2"`)
	}
	return nil
}

// resolver gives the formulas of a table the constants, the other keys of the
// table, and the parameters of the stages that stand above: stage("wire", "beta").
func (b *builder) resolver(table string, given map[string]string) resolver {
	return func(name string, args []any) (quantity.Variable, error) {
		if name == "stage" && len(args) == 2 {
			stage, _ := args[0].(string)
			key, _ := args[1].(string)
			path := "stage." + stage + "." + key
			v, known := b.variable(path)
			if !known {
				return v, fmt.Errorf("no parameter %s", path)
			}
			return v, nil
		}
		if args == nil {
			if v, known := b.variable("constant." + name); known {
				return v, nil
			}
			path := table + "." + name
			if given[name] != "" && !slices.Contains(b.computing, path) { // a circle ends here
				_, err := b.param(path, path, given[name], b.resolver(table, given))
				v, _ := b.variable(path)
				return v, err
			}
		}
		known := slices.Collect(maps.Keys(b.constants))
		for k, text := range given {
			if text != "" {
				known = append(known, k)
			}
		}
		slices.Sort(known)
		return quantity.Variable{}, fmt.Errorf("no constant or parameter %q here%s", name, nearest.Hint(name, known))
	}
}

// A reader takes the parameters of a table. The first error sticks.
type reader struct {
	b       *builder
	path    string
	source  string
	sources map[string]string
	given   map[string]string
	params  []Param
	err     error
}

// take computes the parameter and notes it, if check takes its value.
func (r *reader) take(key string, check func(quantity.Value) error) quantity.Value {
	if r.err != nil {
		return quantity.Value{}
	}
	if r.err = r.b.sourced(r.path, r.source); r.err != nil {
		return quantity.Value{}
	}
	path := r.path + "." + key
	p, err := r.b.param(path, path, r.given[key], r.b.resolver(r.path, r.given))
	if err != nil {
		r.err = err
		return quantity.Value{}
	}
	if err := check(p.Value); err != nil {
		r.err = r.b.errorf(path, "%q: %w", p.Text, err)
		return quantity.Value{}
	}
	p.Source = cmp.Or(r.sources[key], r.source)
	r.params = append(r.params, p)
	return p.Value
}

func (r *reader) micros(key string) (t quantity.Micros) {
	r.take(key, func(v quantity.Value) (err error) { t, err = v.Micros(); return err })
	return t
}

func (r *reader) perByte(key string) (tau quantity.MicrosPerByte) {
	r.take(key, func(v quantity.Value) (err error) { tau, err = v.MicrosPerByte(); return err })
	return tau
}

// size takes a size of at least a byte.
func (r *reader) size(key string) (n quantity.Bytes) {
	r.take(key, func(v quantity.Value) (err error) {
		if n, err = v.Bytes(); err == nil && n < 1 {
			err = fmt.Errorf("must be at least 1 byte")
		}
		return err
	})
	return n
}

func (b *builder) reader(path string, t layerTable, given map[string]string) reader {
	return reader{b: b, path: path, source: t.Source, sources: t.Sources, given: given}
}

func buildLinear(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	r := b.reader(path, t, map[string]string{"beta": t.Beta, "tau": t.Tau})
	m := &model.Linear{Beta: r.micros("beta"), Tau: r.perByte("tau")}
	l.Params = r.params
	return m, r.err
}

func (r *reader) logP() model.LogP {
	return model.LogP{SendOverhead: r.micros("o_s"), ReceiveOverhead: r.micros("o_r"), Latency: r.micros("L"), GapTime: r.micros("g")}
}

func logPGiven(t layerTable) map[string]string {
	return map[string]string{"o_s": t.SendOverhead, "o_r": t.ReceiveOverhead, "L": t.Latency, "g": t.GapTime, "G": t.GapPerByte}
}

func buildLogP(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	r := b.reader(path, t, logPGiven(t))
	m := r.logP()
	l.Params = r.params
	return &m, r.err
}

func buildLogGP(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	r := b.reader(path, t, logPGiven(t))
	m := &model.LogGP{LogP: r.logP(), GapPerByte: r.perByte("G")}
	l.Params = r.params
	return m, r.err
}

// cuts are the ways to cut a message, by their names in a file.
var cuts = map[string]model.CutRule{"whole": model.CutNone, "eq10": model.CutPaper, "best": model.CutBest}

func buildPipeline(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	m := &model.Pipeline{}
	for i, name := range t.Stages {
		s, known := b.stages[name]
		if !known {
			return nil, b.errorf(fmt.Sprintf("%s.stages.%d", path, i), "no stage %q%s", name, nearest.Hint(name, inOrder(b.document, "stage", b.Stage)))
		}
		m.Stages = append(m.Stages, s)
	}
	if len(m.Stages) == 0 {
		return nil, b.errorf(path, `no stages; write stages = ["NAME", …], each with a table [stage.NAME]`)
	}
	l.Stages = t.Stages
	if c, changed := b.changes[path+".packets"]; changed {
		t.Packets = c.Text
	}
	if rule, named := cuts[t.Packets]; named {
		m.Cut.Rule = rule
		if rule == model.CutPaper && len(m.Stages) < model.PaperStages {
			return nil, b.errorf(path+".packets", "eq10 speaks of the first three stages; this pipeline has %d; use %q", len(m.Stages), "best")
		}
		return m, nil
	}
	if c := t.Packets; c != "" && (c[0] < '0' || c[0] > '9') {
		return nil, b.errorf(path+".packets", `%q: packets are a size, as in "4096B", or "whole", "eq10" or "best"`, c)
	}
	r := b.reader(path, t, map[string]string{"packets": t.Packets})
	m.Cut = model.Cut{Rule: model.CutFixed, Size: r.size("packets")}
	l.Params = r.params
	return m, r.err
}

func buildSwitch(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	m := &model.Switch{}
	for i, branch := range t.Branches {
		at := fmt.Sprintf("%s.branches.%d", path, i)
		last := i == len(t.Branches)-1
		if branch.Layer == "" {
			return nil, b.errorf(at, `no layer; a branch is { layer = "NAME", up_to = "256B" }`)
		}
		inner, err := b.part(at+".layer", branch.Layer, l)
		if err != nil {
			return nil, err
		}
		next := model.Branch{Name: branch.Layer, Layer: inner}
		switch {
		case last && branch.UpTo != "":
			return nil, b.errorf(at+".up_to", "the last branch takes all larger sizes; leave its up_to out")
		case !last && branch.UpTo == "":
			return nil, b.errorf(at, "no up_to; only the last branch goes without")
		case !last:
			r := b.reader(at, t, map[string]string{"up_to": branch.UpTo})
			next.UpTo = r.size("up_to")
			if r.err != nil {
				return nil, r.err
			}
			if i > 0 && next.UpTo <= m.Branches[i-1].UpTo {
				return nil, b.errorf(at+".up_to", "%q overlaps the branch before it, which goes up to %s; thresholds must rise", branch.UpTo, m.Branches[i-1].UpTo)
			}
			l.Params = append(l.Params, r.params...)
		}
		m.Branches = append(m.Branches, next)
	}
	if len(m.Branches) < 2 {
		return nil, b.errorf(path, `a switch has at least two branches, as in branches = [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`)
	}
	return m, nil
}

func buildEnvelope(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	m := &model.Envelope{}
	for i, branch := range t.Branches {
		at := fmt.Sprintf("%s.branches.%d", path, i)
		if branch.UpTo != "" {
			return nil, b.errorf(at+".up_to", "an envelope finds its thresholds itself; leave up_to out, or make it a switch")
		}
		inner, err := b.part(at+".layer", branch.Layer, l)
		if err != nil {
			return nil, err
		}
		m.Branches = append(m.Branches, model.Branch{Name: branch.Layer, Layer: inner})
	}
	if len(m.Branches) < 2 {
		return nil, b.errorf(path, `an envelope has at least two branches, as in branches = [{ layer = "pio" }, { layer = "dma" }]`)
	}
	return m, nil
}

func buildFragmented(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	below, err := b.part(path+".below", t.Below, l)
	if err != nil {
		return nil, err
	}
	r := b.reader(path, t, map[string]string{"mtu": t.MTU, "window": t.Window})
	m := &model.Fragmented{Below: below, MTU: r.size("mtu")}
	if t.Window != "" {
		r.take("window", func(v quantity.Value) error {
			w, err := v.Number()
			if err == nil && (w < 1 || w > 1<<30 || w != math.Trunc(w)) {
				err = fmt.Errorf("a window is a whole number of pieces, at least 1")
			}
			m.Window = int(w)
			return err
		})
	}
	l.Params = r.params
	return m, r.err
}

func buildSeries(b *builder, path string, t layerTable, l *Layer) (model.Layer, error) {
	below, err := b.part(path+".below", t.Below, l)
	if err != nil {
		return nil, err
	}
	if t.Added != "" {
		if t.Beta != "" || t.Tau != "" {
			return nil, b.errorf(path+".added", "a series adds a layer or its own beta and tau; leave one out")
		}
		added, err := b.part(path+".added", t.Added, l)
		return &model.Series{Below: below, Added: added}, err
	}
	if t.Beta == "" && t.Tau == "" {
		return nil, b.errorf(path, `nothing added; write added = "NAME", or beta and tau`)
	}
	added, err := buildLinear(b, path, t, l)
	return &model.Series{Below: below, Added: added}, err
}

// CutNames are the names of the ways to cut a message.
func CutNames() []string { return slices.Sorted(maps.Keys(cuts)) }

// ParseCut reads the way to cut a message: a packet size, or one of [CutNames].
func ParseCut(text string) (model.Cut, error) {
	if rule, named := cuts[text]; named {
		return model.Cut{Rule: rule}, nil
	}
	size, err := quantity.ParseBytes(text)
	if err != nil {
		return model.Cut{}, fmt.Errorf("%w; or write %s", err, strings.Join(CutNames(), ", "))
	}
	if size < 1 {
		return model.Cut{}, fmt.Errorf("%q: a packet has at least 1 byte", text)
	}
	return model.Cut{Rule: model.CutFixed, Size: size}, nil
}
