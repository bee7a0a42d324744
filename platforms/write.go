package platforms

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A writer writes a platform into the tables of its file. Numbers have the texts of their
// parameters, by path; changed ones, and those without a text, are written anew.
type writer struct {
	Platform
	to      file
	numbers bool              // values that are computed from others become numbers
	params  map[string]*Param // by path
}

// file returns the platform as a file. If numbers is set, values that it computes from others, such
// as from constants, are numbers there.
func (p Platform) file(numbers bool) file {
	w := writer{Platform: p, to: file{}, numbers: numbers, params: map[string]*Param{}}
	top := table{}
	w.values(&top, topKind, &p)
	top.Set("library", p.Library.Name)
	if p.Clock > 0 {
		top.Set("clock", exactly(p.Clock, quantity.DimClock))
	}
	if len(p.Layers) > 0 && p.Default != p.Layers[0].Name { // without the key, it is the first
		top.Set("default", p.Default)
	}
	if len(top.Keys) > 0 {
		w.to.add("", top)
	}
	if c := p.composition; c != nil {
		for i := range c.params {
			w.params[c.params[i].Path] = &c.params[i]
		}
	}
	compute := table{}
	for i := range p.Params {
		q := &p.Params[i]
		w.params[q.Path] = q
		switch kind, key, _ := strings.Cut(q.Path, "."); kind {
		case "compute":
			w.number(&compute, key, q)
		case "constant":
			t := table{Name: key}
			w.number(&t, "value", q)
			w.to.add(kind, t)
		}
	}
	if len(compute.Keys) > 0 {
		w.to.add("compute", compute)
	}
	if c := p.composition; c != nil && !numbers { // formulas may name all stages
		for _, q := range p.read.Params {
			if q.Table == "stage" {
				w.stage(c.stage(q.Owner))
			}
		}
	}
	for _, l := range p.Levels {
		w.level(l)
	}
	for _, r := range p.Roofs {
		t := table{Name: r.Name}
		w.number(&t, "rate", w.params["roof."+r.Name+".rate"])
		w.to.add("roof", t)
	}
	for _, c := range p.Collectives {
		t := table{Name: c.Name}
		w.values(&t, collectiveKind, &c)
		w.to.add("collective", t)
	}
	for _, l := range p.Layers {
		w.layer(l)
	}
	for _, l := range p.Layers {
		w.fitted(l)
	}
	return w.to
}

// ofFile reports whether the layer is of a file, which gives all its parameters.
func (w *writer) ofFile(layer string) bool {
	return w.composition != nil && w.composition.layers[layer] != nil
}

// micros returns a time with 12 digits, as programs read it, but one of a file with all that it
// has.
func (w *writer) micros(t quantity.Micros) string {
	text := Exact(t)
	if again, _ := quantity.ParseMicros(text); w.composition != nil && again != t {
		text = exactly(float64(t), quantity.DimTime)
	}
	return text
}

// number writes a number that no model has, with its source.
func (w *writer) number(t *table, key string, q *Param) {
	t.Set(key, w.text(q, nil))
	t.Set("source", given(q.Source))
}

// given returns the source of numbers; "" if it is the one of those without any.
func given(source string) string {
	if source == byUser {
		return ""
	}
	return source
}

// text returns the text of a parameter, whose number is at a pointer; without a pointer, that of
// its Value.
func (w *writer) text(q *Param, at any) string {
	switch {
	case q == nil:
		return numberText(at, 0)
	case q.Word != "":
		return q.Word
	case q.Text == "" && at != nil:
		return numberText(at, q.PlusMinus)
	case q.Text != "" && !q.changed && !(w.numbers && len(q.reads()) > 0):
		return q.Text
	}
	text := exactly(q.Value.Num, q.Value.Dim)
	if q.PlusMinus > 0 {
		text += " ± " + exactly(q.PlusMinus, q.Value.Dim)
	}
	return text
}

// layer writes a layer, with its stages, its protocol and the measurements that it was fitted to.
func (w *writer) layer(l Layer) {
	lines := model.LinesOf(l.Model)
	k := model.KindOf(lines)
	t := table{Name: l.Name}
	w.values(&t, layerKind, &l)
	t.Set("model", k.Name)
	t.Set("source", given(l.Source))
	for i, name := range l.Parts[:min(len(l.Parts), len(k.Parts))] { // the optional one is the last
		t.Set(k.Parts[i].Key, name)
	}
	path := "layer." + l.Name + "."
	if k.Branches != nil {
		all := *k.Branches(lines)
		for i, b := range all {
			of := branch{Layer: b.Name}
			if k.Bounds && i < len(all)-1 {
				of.UpTo = w.text(w.params[fmt.Sprintf("%sbranches.%d.up_to", path, i)], &b.UpTo)
			}
			t.Branches = append(t.Branches, of)
		}
	}
	if k.Stages != nil {
		var names []string
		for _, s := range *k.Stages(lines) {
			names = append(names, s.Name)
			w.stage(s)
		}
		t.Set("stages", names...)
	}
	for _, f := range k.Fields {
		at, q := f.At(lines), w.params[path+f.Key]
		switch {
		case f.List:
			t.Set(f.Key, w.list(path+f.Key, at)...)
		case f.Ends && (q == nil || q.ofEnds && !q.changed): // of the lists
		case q == nil && w.ofFile(l.Name): // the file leaves it out
		case q != nil:
			t.Set(f.Key, w.text(q, at))
		case f.Optional && f.Measure.Whole(): // 0: none
			t.Set(f.Key, w.texts(at)...)
		case f.Optional && len(l.Parts) == len(k.Parts): // of the part that would be left out
		default:
			t.Set(f.Key, numberText(at, 0))
		}
	}
	if k.GapUnknown != nil && *k.GapUnknown(lines) {
		t.Set("gap", "unknown")
	}
	digits := 3
	if w.ofFile(l.Name) {
		digits = -1 // all
	}
	hasInterval := func(key string) bool {
		_, _, has := cutInterval(t.Text(key))
		return has
	}
	if l.Correlation != 0 && hasInterval("beta") && hasInterval("tau") {
		t.Set("correlation", strconv.FormatFloat(l.Correlation, 'f', digits, 64))
	}
	if l.Timed.Of != Message {
		t.Set("times_of", string(l.Timed.Of))
	}
	t.Set("roofs", list.Map(l.Roofs, func(r Roof) string { return r.Name })...)
	t.Set("measured", w.measured(l))
	for _, q := range w.Params {
		key, is := strings.CutPrefix(q.Path, path)
		if own := given(q.Source); is && own != "" && q.Source != l.Source {
			t.source(key, own)
		}
	}
	w.to.add("layer", t)
	w.protocol(l)
}

// list returns the texts of a list of numbers at a pointer; path is that of its key.
func (w *writer) list(path string, at any) (texts []string) {
	for i := range length(at) {
		texts = append(texts, w.text(w.params[path+"."+strconv.Itoa(i)], element(at, i)))
	}
	return texts
}

// level writes a level.
func (w *writer) level(l Level) {
	t := table{Name: l.Name}
	for _, k := range machine.Keys {
		at, q := k.At(&l.Level), w.params["level."+l.Name+"."+k.Name]
		if word, is := at.(machine.Word); is {
			t.Set(k.Name, word.String())
		} else if number := w.texts(at); q != nil && number != nil {
			t.Set(k.Name, w.text(q, at))
		} else {
			t.Set(k.Name, slices.Concat(number, l.Layers[k.Name])...)
		}
	}
	t.Set("source", given(l.Source))
	w.to.add("level", t)
}

// stage writes a stage, once. A stage with measured times has those that its changed β and τ make
// of them: a reader of the file takes the line for the one that explains the times.
func (w *writer) stage(s model.Stage) {
	if slices.Contains(w.to.names("stage"), s.Name) {
		return
	}
	t := table{Name: s.Name}
	path := "stage." + s.Name + "."
	beta, tau, place := w.params[path+"beta"], w.params[path+"tau"], w.Places[s.Name]
	t.Set("beta", w.text(beta, &s.Beta))
	t.Set("tau", w.text(tau, &s.Tau))
	if beta != nil {
		t.Set("source", given(beta.Source))
	}
	if m := s.Measured; m != nil {
		explained := m.Beta != 0 || m.Tau != 0
		if explained && (m.Beta != s.Beta || m.Tau != s.Tau) {
			m = s.Scaled()
		}
		t.Set("sizes", list.Map(m.Alone.Sizes, Exact)...)
		t.Set("times", list.Map(m.Alone.Costs, w.micros)...)
		t.Set("overlapped", list.Map(m.Overlapped.Costs, w.micros)...)
	}
	for word, host := range hosts {
		if host == s.Host {
			t.Set("host", word)
		}
	}
	if place.Resource != s.Name {
		t.Set("resource", place.Resource)
	}
	if s.Host == model.NoHost && place.Side() != model.AtSender {
		t.Set("at", place.At)
	}
	if q := w.params[path+"queue"]; q != nil {
		t.Set("queue", w.text(q, nil))
	}
	if place.Drop {
		t.Set("full", "drop")
	}
	w.to.add("stage", t)
}

// protocol writes the protocol of a layer, once.
func (w *writer) protocol(l Layer) {
	if l.protocol == "" || slices.Contains(w.to.names("protocol"), l.protocol) {
		return
	}
	t := table{Name: l.protocol}
	for _, row := range protocolKind.keys {
		if q := w.params["protocol."+t.Name+"."+row.name]; q != nil {
			w.number(&t, row.name, q)
		}
	}
	t.Set("rounds", w.texts(&l.Protocol.Rounds)...)
	if l.Protocol.Drop {
		t.Set("full", "drop")
	}
	w.to.add("protocol", t)
}

// measured writes the measurements that a layer was fitted to, and returns the name of their table;
// "" if it has none. The lines of a layer that was changed since become a layer beside it.
func (w *writer) measured(l Layer) string {
	m := l.Measured
	if m == nil {
		return ""
	}
	of := m.Layer // whose lines were fitted
	if w.ofFile(l.Name) && w.changed(l.Name) {
		if lines := model.LinesOf(l.Model); lines == l.Model { // points that make no curve
			return ""
		}
		if of == "" {
			of = l.Name + "-measured"
		}
	}
	name := cmp.Or(l.measured, l.Name)
	if slices.Contains(w.to.names("measured"), name) {
		return name
	}
	t := table{Name: name}
	points := *m
	if points.Layer = of; points.Runs <= 1 {
		points.Runs, points.Deviations = 0, nil
	}
	w.values(&t, measuredKind, &points)
	w.to.add("measured", t)
	return name
}

// changed reports whether a parameter of the layer's costs has another value than in the file.
func (p Platform) changed(layer string) bool {
	used, _ := p.used(domain{layer: layer}) // the layer is there
	for i, q := range p.composition.params {
		if used[i] && (q.Value.Num != q.written || q.changed && q.Word != "") {
			return true
		}
	}
	return false
}

// fitted adds the layer whose lines were fitted to the measurements of a layer, if the platform
// does not have it. Of a layer that was changed since, it is the layer as the file has it, under
// names that end with "-measured". Values that the file computes become numbers, since what they
// are computed from may have changed.
func (w *writer) fitted(l Layer) {
	if l.Measured == nil || !w.ofFile(l.Name) {
		return
	}
	at := slices.IndexFunc(w.to["measured"], func(t table) bool { return t.Name == l.measured })
	if at < 0 {
		return
	}
	name := w.to["measured"][at].Text("layer")
	if name == "" || slices.Contains(w.to.names("layer"), name) {
		return
	}
	from, suffix := l.Measured.Layer, ""
	if from == "" {
		from, suffix = l.Name, strings.TrimPrefix(name, l.Name)
	}
	was, err := w.Platform.read.with(domain{layer: from})
	if err != nil {
		panic(err) // it is what was read
	}
	lines := was.file(true)
	for _, t := range lines["layer"] {
		t.rename(func(kind, name string) string {
			if kind == "layer" || kind == "stage" {
				return name + suffix
			}
			return name
		})
		w.to.add("layer", t)
	}
	for _, t := range lines["stage"] {
		if t.Name += suffix; !slices.Contains(w.to.names("stage"), t.Name) {
			w.to.add("stage", t)
		}
	}
}

// taking returns the tables of the default layer and of all that it is made of, for a file where
// the layer has another name. The names of the other tables begin with that name, so that two
// layers taken from one file do not collide. Values that are computed from others become numbers,
// so that no constants are needed.
func (p Platform) taking(name string) file {
	f := p.file(true)
	used := map[string]bool{} // by path with the former name
	rename := func(kind, old string) string {
		used[kind+"."+old] = true
		if kind == "layer" && old == p.Default {
			return name
		}
		return name + "-" + old
	}
	for i := range f["layer"] {
		f["layer"][i].rename(rename)
	}
	// The layer itself comes first, in the place of the one that names it.
	i := slices.IndexFunc(f["layer"], func(t table) bool { return t.Name == name })
	taken := file{"layer": slices.Concat(f["layer"][i:i+1], f["layer"][:i], f["layer"][i+1:])}
	for i := range f["measured"] {
		if t := &f["measured"][i]; t.Text("layer") != "" {
			t.Set("layer", rename("layer", t.Text("layer")))
		}
	}
	for _, k := range tableKinds {
		for _, t := range f[k.name] {
			if k != layerKind && used[k.name+"."+t.Name] {
				t.Name = rename(k.name, t.Name)
				taken.add(k.name, t)
			}
		}
	}
	return taken
}

// numberText writes the number at a pointer with half of its interval, if there is one.
func numberText(at any, half float64) string {
	within := func(half float64, unit string) string {
		if !(half > 0) || math.IsInf(half, 0) {
			return ""
		}
		return fmt.Sprintf(" ± %.3g%s", half, unit)
	}
	switch at := at.(type) {
	case *quantity.Micros:
		return Exact(*at) + within(half, "us")
	case *quantity.MicrosPerByte:
		return Exact(*at) + within(quantity.PerKiB(quantity.MicrosPerByte(half)), "us/KiB")
	case *quantity.Bytes:
		return Exact(*at)
	case *model.Cut:
		for _, word := range model.CutWords() {
			if cut, _ := model.ParseCut(word); cut == *at {
				return word
			}
		}
		return Exact(at.Size)
	}
	return strconv.Itoa(*at.(*int))
}

// values sets the keys of a table to the values that the schema's rows point to. Values that are 0
// or empty have no key.
func (w *writer) values(t *table, k *tableKind, of any) {
	for _, row := range k.keys {
		if row.at != nil {
			t.Set(row.name, w.texts(row.at(of))...)
		}
	}
}

// texts writes a value so that reading it gives the same; none for 0 or an empty list.
func (w *writer) texts(at any) []string {
	if reflect.ValueOf(at).Elem().IsZero() {
		return nil
	}
	switch at := at.(type) {
	case *string:
		return []string{*at}
	case *bool:
		return []string{"true"}
	case *float64:
		return []string{strconv.FormatFloat(*at, 'g', -1, 64)}
	case *quantity.Micros:
		return []string{w.micros(*at)}
	case *int, *quantity.Bytes:
		return []string{numberText(at, 0)}
	case *[]int:
		return list.Map(*at, strconv.Itoa)
	case *[]quantity.Bytes:
		return list.Map(*at, Exact)
	case *[]quantity.Micros:
		return list.Map(*at, w.micros)
	case *[][]quantity.Micros:
		return list.Map(*at, func(line []quantity.Micros) string { return lineOf(line, w.micros) })
	case *[][]int64:
		return list.Map(*at, func(line []int64) string {
			return lineOf(line, func(n int64) string { return strconv.FormatInt(n, 10) })
		})
	}
	return nil
}

// lineOf writes a word for each value, and [notMeasured] for 0.
func lineOf[V comparable](line []V, write func(V) string) string {
	var none V
	return strings.Join(list.Map(line, func(v V) string {
		if v == none {
			return notMeasured
		}
		return write(v)
	}), " ")
}

// exactly prints a number of a dimension so that reading it gives the same number.
func exactly(v float64, d quantity.Dimension) string {
	// -1: the shortest decimal that reads back as the same float64.
	num := strconv.FormatFloat(v, 'g', -1, 64)
	if tera := v / 1e6; d == quantity.DimFlops && tera*1e6 == v {
		return strconv.FormatFloat(tera, 'g', -1, 64) + "Tflop/s"
	}
	if unit, known := exactUnits[d]; known {
		return num + unit
	}
	// A constant may have any dimension, and no unit has a name for µs². A product has:
	// 1*1us*1us.
	unit := func(name string, power int) string {
		if power < 0 {
			return strings.Repeat("/1"+name, -power)
		}
		return strings.Repeat("*1"+name, power)
	}
	text := num + unit("us", d.Time+d.Ops) + unit("B", d.Size)
	if d.Ops != 0 { // flop has no unit of its own, flop/µs has
		return text + strings.Repeat("*1Mflop/s", max(0, d.Ops)) +
			strings.Repeat("/1Mflop/s", max(0, -d.Ops))
	}
	return text
}

// exactUnits are the units that print numbers exactly.
var exactUnits = map[quantity.Dimension]string{
	quantity.DimNone:    "",
	quantity.DimTime:    "us",
	quantity.DimSize:    "B",
	quantity.DimInverse: "us/B",
	quantity.DimRate:    "MB/s",
	quantity.DimClock:   "MHz",
	quantity.DimFlops:   "Mflop/s",
}

// Exact prints a value for a file, with 12 significant digits as everything that programs read; a
// time per byte per KiB, the unit of the papers.
func Exact[T quantity.Micros | quantity.Bytes | quantity.MicrosPerByte](v T) string {
	switch v := any(v).(type) {
	case quantity.Bytes:
		return fmt.Sprintf("%.12gB", float64(v))
	case quantity.MicrosPerByte:
		return fmt.Sprintf("%.12gus/KiB", quantity.PerKiB(v))
	}
	return fmt.Sprintf("%.12gus", float64(v))
}
