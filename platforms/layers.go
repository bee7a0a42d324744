package platforms

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// layerTables reads the layers. Each is read after those that it is made of, wherever these stand
// in the file. A layer that several are made of has one model.
func (b *builder) layerTables() {
	// Measured collectives are fitted as they are, and need no model of a message.
	if len(b.file["layer"]) == 0 && len(b.p.Collectives) > 0 {
		return
	}
	if len(b.file["layer"]) == 0 {
		b.fail("layer", "no [layer.NAME]; a platform has at least one")
	}
	for _, t := range b.file["layer"] {
		b.written[t.Name] = b.section(layerKind, t)
	}
	for _, t := range b.file["layer"] {
		b.spec(t.Name)
	}
	for _, t := range b.file["measured"] {
		if name := t.Text("layer"); name != "" {
			b.section(measuredKind, t).requireLayer("layer", name)
		}
	}
	// One model for each layer: an envelope of layers that share a part evaluates the same one.
	shared := map[string]model.Layer{}
	for _, t := range b.file["layer"] {
		b.p.Layers = append(b.p.Layers, b.written[t.Name].layer(b.open(t.Name, nil, shared)))
		b.shown = append(b.shown, b.layers[t.Name].params...)
	}
	// The checks before are of the lines; the measured curves stand before them from here on.
	for i := range b.p.Layers {
		l := &b.p.Layers[i]
		fitted := *l
		if l.Measured != nil && l.Measured.Layer != "" {
			fitted = b.p.Layers[slices.IndexFunc(b.p.Layers, func(of Layer) bool {
				return of.Name == l.Measured.Layer
			})]
		}
		if l.Measured != nil {
			l.measure(fitted, fastest(fitted, b.params))
		}
	}
	b.sameTimes(b.p.Layers)
	b.p.Default = cmp.Or(b.top().Text("default"), b.file["layer"][0].Name)
	if _, known := b.written[b.p.Default]; !known {
		b.fail("default", "no layer %q%s", b.p.Default,
			usage.Hint(b.p.Default, b.names("layer")))
	}
}

// spec reads the named layer, after those that it is made of.
func (b *builder) spec(name string) {
	if b.layers[name] != nil {
		return
	}
	t := b.written[name]
	b.must(t.path, checkName(name))
	if circle := b.building.circle(name); circle != nil {
		t.fail("", "is made of itself: %s", strings.Join(circle, " → "))
	}
	b.building.push(name)
	k := t.modelKind()
	s := &layerSpec{kind: k, table: t.table}
	for _, p := range k.Parts {
		if part := t.Text(p.Key); part != "" || !p.Optional {
			t.part(p.Key, part)
		}
	}
	if k.Given != nil {
		if key, wrong := k.Given(t.has); wrong != "" {
			t.fail(key, "%s", wrong)
		}
	}
	if k.Branches != nil {
		s.params = t.thresholds(k)
	}
	if k.Stages != nil {
		t.checkStages()
	}
	s.params = append(s.params, t.parameters(k)...)
	t.checkGap(k)
	b.layers[name] = s
	b.building.pop()
}

// kindNamed returns the kind of model with this name in a file.
func kindNamed(name string) (*model.Kind, bool) {
	for _, k := range model.Kinds {
		if k.Name == name {
			return k, true
		}
	}
	return nil, false
}

// modelKind returns the kind of the layer's model, which takes all parameters of the table.
func (s *section) modelKind() *model.Kind {
	called := s.Text("model")
	k, known := kindNamed(called)
	if !known {
		all := list.Map(model.Kinds, func(k *model.Kind) string { return k.Name })
		slices.Sort(all)
		if called == "" {
			s.fail("", "no model; write model = %q or another of %s",
				"linear", strings.Join(all, ", "))
		}
		s.fail("model", "no model %q%s", called, usage.Hint(called, all))
	}
	// The file was read with the keys of all kinds together; here they are of one kind.
	keys := slices.Sorted(maps.Keys(s.Keys))
	keys = slices.DeleteFunc(keys, func(key string) bool { return !isModelKey(key) })
	if len(s.Branches) > 0 {
		keys = append(keys, "branches")
	}
	for _, key := range keys {
		if !slices.Contains(k.Keys(), key) {
			s.fail(key, "not a key of the model %s; it takes %s",
				k.Name, strings.Join(k.Keys(), ", "))
		}
	}
	return k
}

// part reads the layer that a key names, which is a part of this one.
func (s *section) part(key, name string) {
	if name == "" {
		s.fail(key, "the name of a layer is missing")
	}
	s.requireLayer(key, name)
	s.spec(name)
}

// thresholds reads the branches of a switch, each with the largest size that goes by it except the
// last, or of a kind that finds its thresholds itself.
func (s *section) thresholds(k *model.Kind) (all []int) {
	if n := len(s.Branches); n > maxBranches {
		s.fail("branches", "a switch must have at most %d branches (got %d)", maxBranches, n)
	}
	for i, branch := range s.Branches {
		// A branch has no source of its own; its threshold has the layer's.
		of := section{s.builder,
			table{Name: s.Name, Keys: map[string][]string{
				"up_to": {branch.UpTo}, "source": {s.origin()}}},
			s.kind, fmt.Sprintf("%s.branches.%d", s.path, i), nil}
		name, bounded, last := branch.Layer, of.has("up_to"), i == len(s.Branches)-1
		switch {
		case bounded && !k.Bounds:
			of.fail("up_to", "an %s finds its thresholds itself; "+
				"leave up_to out, or make it a switch", k.Name)
		case name == "":
			of.fail("", `no layer; a branch is { layer = "NAME", up_to = "256B" }`)
		}
		of.part("layer", name)
		switch {
		case !k.Bounds:
		case last && bounded:
			of.fail("up_to", "the last branch takes all larger sizes; leave its up_to out")
		case !last && !bounded:
			of.fail("", "no up_to; only the last branch may omit it")
		case !last:
			of.fields = map[string]Param{"up_to": {
				Kind: k.Name, Measure: model.Size, Phrase: "largest size that goes by " + name,
				Bound: true,
				in:    func(l model.Layer) any { return &(*k.Branches(l))[i].UpTo },
			}}
			all = append(all, of.param("up_to"))
		}
	}
	return all
}

// maxBranches is the maximum number of branches of a switch: the time of a report grows with their
// square.
const maxBranches = 4096

// parameters reads the numbers of the layer's model: the fields that the registry gives its kind.
func (s *section) parameters(k *model.Kind) (all []int) {
	s.fields = map[string]Param{}
	for _, f := range k.Fields {
		s.fields[f.Key] = Param{
			Kind: k.Name, Measure: f.Measure, Symbol: f.Symbol, Phrase: f.Phrase, words: f.Words,
			in: f.At,
		}
	}
	lists := map[string][]int{}
	for _, f := range k.Fields {
		switch has := s.has(f.Key); {
		case f.Ends && !has:
			all = append(all, s.end(f.Key, lists["sizes"], lists["times"])...)
		case f.Optional && !has:
		case f.List:
			lists[f.Key] = s.list(f)
			all = append(all, lists[f.Key]...)
		default:
			all = append(all, s.param(f.Key))
		}
	}
	// A misspelt key would leave its number with the source of the table, unnoticed.
	for _, key := range slices.Sorted(maps.Keys(s.Sources)) {
		if s.find(s.path+"."+key) == nil {
			s.fail("sources."+key, "no parameter %q in this layer", key)
		}
	}
	return all
}

// list reads the numbers of a list.
func (s *section) list(f model.Field) (all []int) {
	row := s.fields[f.Key]
	for i, text := range s.Keys[f.Key] {
		row.in = func(l model.Layer) any { return element(f.At(l), i) }
		s.fields[f.Key] = row
		all = append(all, s.compute(f.Key, f.Key+"."+strconv.Itoa(i), text))
	}
	return all
}

// end returns a number of the line through the ends of a table's times, which follows
// these until it is changed. It returns none without such a line: if the times fall, or if the
// table is wrong, which its check reports.
func (s *section) end(key string, sizes, times []int) []int {
	if len(sizes) < 2 || len(times) != len(sizes) {
		return nil
	}
	ends := map[string]int{"first": times[0], "last": times[len(times)-1],
		"smallest": sizes[0], "largest": sizes[len(sizes)-1]}
	text := "first"
	if key == "tau" {
		text = "(last - first)/(largest - smallest)"
	}
	e, err := formula.Compile(text, func(name string, _ []any) (formula.Variable, error) {
		return s.variable(ends[name]), nil
	})
	of := s.fields[key]
	of.at, of.formula, of.ofEnds = s.path+"."+key, e, true
	if err == nil {
		of.Value.Dim = e.Dim
		err = of.compute(s.values)
	}
	if err != nil || !(of.Value.Num > 0) || of.check() != nil {
		return nil
	}
	of.Path, of.Table, of.Owner, of.Key = of.at, s.kind.name, s.Name, key
	of.Text, of.Source = of.Value.String(), s.origin()
	return []int{s.add(of)}
}

// checkGap checks the mark of an unknown gap.
func (s *section) checkGap(k *model.Kind) {
	gap := s.Text("gap")
	if gap != "" && k.GapUnknown == nil {
		s.fail("gap", "a layer of the model %s has the gap of its parameters or parts; "+
			"leave it out here", k.Name)
	}
	if gap != "" && gap != "unknown" {
		s.fail("gap", `%q: "unknown", or leave it out: then messages do not overlap`, gap)
	}
}

// layer reads the rest of a layer's table, whose model is m.
func (s *section) layer(m model.Layer) Layer {
	spec := s.layers[s.Name]
	l := Layer{
		Platform: s.p.Name, Name: s.Name, Kind: spec.kind.Name, Model: m,
		Parts: spec.parts(), Stages: spec.stages(), Source: s.origin(), scope: s.p,
	}
	s.read(&l)
	for i, roof := range s.Keys["roofs"] {
		at := slices.IndexFunc(s.p.Roofs, func(r Roof) bool { return r.Name == roof })
		if at < 0 {
			s.fail(fmt.Sprintf("roofs.%d", i), "no roof %q%s", roof,
				usage.Hint(roof, s.names("roof")))
		}
		l.Roofs = append(l.Roofs, s.p.Roofs[at])
	}
	// [Layer.LowestRoof] takes the first.
	slices.SortStableFunc(l.Roofs, func(a, b Roof) int { return cmp.Compare(a.Rate, b.Rate) })
	l.Protocol = named(s, "protocol", s.protocols)
	l.Correlation = s.correlation()
	l.Timed.Of = s.timesOf()
	l.Measured = named(s, "measured", s.measured)
	l.measured = s.Text("measured")
	if key, err := check(spec.kind, m); err != nil {
		if given := s.given(join(s.path, key)); given != "" {
			s.fail(key, "%q %w", given, err)
		}
		s.fail(key, "%w", err)
	}
	return l
}

// fastest returns the upper end of the interval of a layer's r∞, if that is 1/τ of the layer or of
// one of its parts; 0 if the interval has no upper end.
func fastest(l Layer, params []Param) quantity.MBps {
	perByte := 1 / float64(model.Asymptote(model.LinesOf(l.Model)))
	for _, s := range params {
		own := s.Table == "layer" && (s.Owner == l.Name || slices.Contains(l.Parts, s.Owner))
		// Asymptote has rounding errors.
		same := math.Abs(s.Value.Num-perByte) <= 1e-9*perByte
		if own && s.Key == "tau" && same && s.Value.Num > s.PlusMinus {
			return quantity.MicrosPerByte(s.Value.Num - s.PlusMinus).Rate()
		}
	}
	return 0
}

// check returns the key and the reason if a model cannot have its parameters together.
func check(k *model.Kind, l model.Layer) (key string, err error) {
	if k.Check == nil {
		return "", nil
	}
	return k.Check(l)
}

// sameTimes checks that no layer contains a layer with times of another subject: the gap of a
// stream is not part of the time of a message.
func (b *builder) sameTimes(all []Layer) {
	times := map[string]Timed{}
	for _, l := range all {
		times[l.Name] = l.Timed
	}
	for _, l := range all {
		for _, part := range l.Parts {
			if times[part] != l.Timed {
				b.fail("layer."+l.Name, "its times are of: %s; the times of its part %q are of: "+
					"%s; give both the same times_of", l.Timed, part, times[part])
			}
		}
	}
}

// timesOf reads the subject of the layer's times. Without a key it is one message.
func (s *section) timesOf() Subject {
	subject := cmp.Or(s.Text("times_of"), string(Message))
	if !slices.Contains(subjects, subject) {
		known, hint := strings.Join(subjects, ", "), usage.Hint(subject, subjects)
		s.fail("times_of", "%q: one of %s%s", subject, known, hint)
	}
	for _, key := range []string{"collective", "ranks", "per_rank"} {
		if Subject(subject) != Collective && s.has(key) {
			s.fail(key, `is for the times of a collective; add times_of = "collective"`)
		}
	}
	return Subject(subject)
}

// correlation reads the correlation of the errors of a fitted line. It is negative as a rule, since
// a line that starts higher rises less. Without the uncertainties of both numbers it means nothing.
func (s *section) correlation() float64 {
	given := s.Text("correlation")
	if given == "" {
		return 0
	}
	for _, key := range []string{"beta", "tau"} {
		if p := s.find(s.path + "." + key); p == nil || p.PlusMinus == 0 {
			s.fail("correlation", "correlates the errors of beta and tau; give both with their ±")
		}
	}
	v, err := strconv.ParseFloat(given, 64)
	// Negated, so that NaN fails as well: it compares as false.
	if err != nil || !(v >= -1 && v <= 1) {
		s.fail("correlation", "%q: a correlation is a number from -1 to 1", given)
	}
	return v
}
