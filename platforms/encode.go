package platforms

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// WrittenBy begins the first line of a file that a command writes, without its "# ". The command's
// name follows. Files with this line may be replaced.
const WrittenBy = "Written by halfpeak "

// Encode writes the file, below a comment, which may be empty. [Parse] reads the same file back.
func (f File) Encode(comment string) []byte {
	var b bytes.Buffer
	if comment != "" {
		printable := func(r rune) rune { // a comment of TOML has no control characters
			if unprintable(r) {
				return ' '
			}
			return r
		}
		for _, line := range strings.Split(strings.TrimRight(comment, "\n"), "\n") {
			fmt.Fprintf(&b, "%s\n", strings.TrimRight("# "+strings.Map(printable, line), " "))
		}
		b.WriteByte('\n')
	}
	write := func(name, value string) { fmt.Fprintf(&b, "%s = %s\n", tomlKey(name), value) }
	for _, k := range topKeys {
		if text := *k.at(&f); text != "" {
			write(k.name, tomlValue(text))
		}
	}
	for _, k := range tableKinds {
		for _, t := range *k.of(&f) {
			if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
				b.WriteByte('\n')
			}
			if fmt.Fprintf(&b, "[%s", k.name); !k.one {
				fmt.Fprintf(&b, ".%s", tomlKey(t.Name))
			}
			b.WriteString("]\n")
			k.encode(t, write)
		}
	}
	return b.Bytes()
}

// encode writes the keys of a table in the order of the schema. A key that the schema does not have
// comes first, so that a reader finds it.
func (k *tableKind) encode(t Table, write func(name, value string)) {
	for _, name := range slices.Sorted(maps.Keys(t.Keys)) {
		if k.find(name) == nil {
			write(name, tomlValue(t.Keys[name]))
		}
	}
	for _, row := range k.keys {
		given, has := t.Keys[row.name]
		switch {
		case row.form == asBranches && len(t.Branches) > 0:
			write(row.name, "["+strings.Join(list.Map(t.Branches, branchText), ", ")+"]")
		case row.form == asTable && len(t.Sources) > 0:
			byPlace := func(a, b string) int {
				return cmp.Or(cmp.Compare(k.place(a), k.place(b)), cmp.Compare(a, b))
			}
			write(row.name, inline(slices.SortedFunc(maps.Keys(t.Sources), byPlace), t.Sources))
		case !has:
		case row.form == asFlag:
			write(row.name, "true")
		case row.form == asList || len(given) != 1:
			write(row.name, tomlValue(given))
		case given[0] != "":
			write(row.name, tomlValue(given[0]))
		}
	}
}

func branchText(b Branch) string {
	keys := []string{"layer"}
	if b.UpTo != "" {
		keys = append(keys, "up_to")
	}
	return inline(keys, map[string]string{"layer": b.Layer, "up_to": b.UpTo})
}

// inline returns keys with their texts as a table in braces.
func inline(keys []string, texts map[string]string) string {
	return "{ " + strings.Join(list.Map(keys, func(key string) string {
		return tomlKey(key) + " = " + tomlValue(texts[key])
	}), ", ") + " }"
}

// tomlValue returns a text, a bool or a list of texts as TOML spells it.
func tomlValue(v any) string {
	switch v := v.(type) {
	case string:
		if strings.ContainsFunc(v, unprintable) {
			return quoted(v)
		}
	case []string:
		texts := list.Map(v, func(s string) string { return tomlValue(s) })
		return "[" + strings.Join(texts, ", ") + "]"
	}
	line, err := toml.Marshal(map[string]any{"k": v})
	if err != nil {
		panic(err) // nothing in these types can fail
	}
	return strings.TrimSuffix(strings.TrimPrefix(string(line), "k = "), "\n")
}

// tomlKey returns a key as TOML spells it.
func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return quoted(name)
}

func unprintable(r rune) bool { return !strconv.IsPrint(r) }

// quoted returns a basic string of TOML. Its characters that are not printable are escapes, also
// those that TOML allows and a terminal obeys, such as a change of the direction of writing.
func quoted(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r == '\n':
			b.WriteString(`\n`)
		case !unprintable(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return `"` + b.String() + `"`
}

// bareKey matches the keys that TOML 1.0 takes without quotes: ASCII letters, digits, _ and -.
var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// File returns the platform as a file, without the layers that With left out. Changed parameters
// have their new values. A layer whose measured curve these scale keeps the curve, and the lines
// that were fitted to it as another layer: its times then are those of the design, without the
// interval of the next measurement, which was never made of it.
func (p Platform) File() File {
	c := p.composition
	if c == nil { // a program made it
		return p.made()
	}
	f := c.File
	// A loaded platform is shared by all readers, so that the tables are copied before a change.
	for _, k := range tableKinds {
		*k.of(&f) = slices.Clone(*k.of(&f))
	}
	p.keepLayers(&f)
	// Without the key, the first layer is the default.
	isOther := f.Default != "" && f.Default != p.Default
	isLater := len(p.Layers) > 0 && p.Default != p.Layers[0].Name
	if isOther || isLater {
		f.Default = p.Default
	}
	tables := f.byPath()
	for i := range c.params {
		if q := &c.params[i]; q.changed {
			q.write(tables)
		}
	}
	for i := range f.Layers {
		f.Layers[i].uncorrelated()
	}
	for i := range f.Stages {
		f.Stages[i].scale(c)
	}
	for _, l := range p.Layers {
		hasCurve := model.LinesOf(l.Model) != l.Model
		if hasCurve && l.Measured.Layer == "" && p.changed(l.Name) {
			f.addFitted(p, l.Name)
		}
	}
	return f
}

// keepLayers removes from f, a copy of the platform's own file, the layers that With left out, and
// curves and levels that only they have.
func (p Platform) keepLayers(f *File) {
	kept, points := map[string]bool{}, map[string]bool{}
	for _, l := range p.Layers {
		kept[l.Name] = true
		if l.Measured != nil && l.Measured.Layer != "" {
			p.composition.reach(l.Measured.Layer, kept, func(*layerSpec) {})
		}
	}
	f.Layers = slices.DeleteFunc(f.Layers, func(t Table) bool { return !kept[t.Name] })
	for i := range f.Layers {
		t := &f.Layers[i]
		// Points that make no curve have no part in a changed layer.
		l, err := p.Layer(t.Name)
		if err == nil && p.changed(t.Name) && model.LinesOf(l.Model) == l.Model {
			t.Keys = maps.Clone(t.Keys) // which the loaded platform shares
			t.Set("measured")
		}
		points[t.Text("measured")] = true
	}
	f.Measured = slices.DeleteFunc(f.Measured, func(t Table) bool {
		return !points[t.Name]
	})
	// Levels go with the first layer of theirs that is missing: a machine with a level less has
	// other distances, and could not be read back as the same.
	if _, machine := p.Machine(); !machine {
		f.Levels = nil
	}
}

// scale gives a stage with measured times those that its changed β and τ make of them: a reader of
// the file takes the line for the one that explains the times.
func (t *Table) scale(c *composition) {
	spec := c.stages[t.Name]
	if spec.Measured == nil {
		return
	}
	stage := spec.Stage
	stage.Beta = quantity.Micros(c.values[spec.beta])
	stage.Tau = quantity.MicrosPerByte(c.values[spec.tau])
	if stage.Beta == stage.Measured.Beta && stage.Tau == stage.Measured.Tau {
		return
	}
	times := func(curve model.Curve) (all []string) {
		for _, cost := range curve.Costs {
			all = append(all, exactly(float64(cost), quantity.DimTime))
		}
		return all
	}
	scaled := stage.Scaled()
	t.Keys = maps.Clone(t.Keys) // which the loaded platform shares
	t.Set("times", times(scaled.Alone)...)
	t.Set("overlapped", times(scaled.Overlapped)...)
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

// uncorrelated removes the correlation of β and τ if one of them has no interval any more.
func (t *Table) uncorrelated() {
	for _, key := range []string{"beta", "tau"} {
		for _, text := range t.Keys[key] {
			if _, _, known := cutInterval(text); !known && t.Text("correlation") != "" {
				t.Keys = maps.Clone(t.Keys)
				t.Set("correlation")
			}
		}
	}
}

// addFitted adds the layer as the file has it, with its parts and stages, under names that end with
// "-measured", and makes it the layer that its points were fitted by. Values that the file computes
// become numbers, since what they are computed from may have changed.
func (f *File) addFitted(p Platform, layer string) {
	c := p.composition
	of, stages := map[string]bool{}, map[string]bool{}
	c.reach(layer, of, func(s *layerSpec) {
		for _, name := range s.stages() {
			stages[name] = true
		}
	})
	var was File
	for _, t := range c.Layers {
		if of[t.Name] {
			was.Layers = append(was.Layers, t)
		}
	}
	for _, t := range c.Stages {
		if stages[t.Name] {
			was.Stages = append(was.Stages, t)
		}
	}
	tables := was.byPath()
	for _, q := range c.params {
		if q.derived {
			q.Value.Num, q.PlusMinus = q.written, 0
			q.write(tables)
		}
	}
	const suffix = "-measured"
	rename := func(kind, name string) string {
		if kind == "layer" || kind == "stage" {
			return name + suffix
		}
		return name
	}
	for i := range was.Layers {
		was.Layers[i].rename(rename)
		was.Layers[i].uncorrelated()
	}
	for i := range was.Stages {
		was.Stages[i].Name += suffix
	}
	f.Layers, f.Stages = append(f.Layers, was.Layers...), append(f.Stages, was.Stages...)
	at := slices.IndexFunc(c.Layers, func(t Table) bool { return t.Name == layer })
	for i := range f.Measured {
		if t := &f.Measured[i]; t.Name == c.Layers[at].Text("measured") {
			t.Keys = maps.Clone(t.Keys)
			t.Set("layer", layer+suffix)
		}
	}
}

// write puts the value of a parameter into its table, in place of its formula. Lists of a table are
// shared with the file that was read, so these are cloned first.
func (p *Param) write(tables map[string]*Table) {
	value := p.Word
	if value == "" {
		if value = exactly(p.Value.Num, p.Value.Dim); p.PlusMinus > 0 {
			value += " ± " + exactly(p.PlusMinus, p.Value.Dim)
		}
	}
	path := join(p.Table, p.Owner)
	table, known := tables[path]
	// The table was left out together with its layer.
	if !known {
		return
	}
	// p.at is layer.NAME.KEY, or has an index behind the key: KEY.0 in a list, KEY.0.up_to in a
	// branch.
	key, rest, _ := strings.Cut(strings.TrimPrefix(p.at, path+"."), ".")
	index, _, ofBranch := strings.Cut(rest, ".")
	i, _ := strconv.Atoi(index)
	if ofBranch {
		table.Branches = slices.Clone(table.Branches)
		table.Branches[i].UpTo = value
		return
	}
	texts := slices.Clone(table.Keys[key])
	if len(texts) == 0 { // the file leaves it to the times of a table
		texts = make([]string, 1)
	}
	texts[i] = value
	if table.Keys = maps.Clone(table.Keys); table.Keys == nil {
		table.Keys = Keys{}
	}
	table.Keys[key] = texts
}
