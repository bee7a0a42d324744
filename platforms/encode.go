package platforms

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Encode writes the document as a platform file, below a comment, which may be empty. [Parse] reads
// the same document back.
func (d Document) Encode(comment string) ([]byte, error) {
	var b bytes.Buffer
	if comment != "" {
		printable := func(r rune) rune { // a comment of TOML has no control characters
			if r < ' ' || r == 0x7f {
				return ' '
			}
			return r
		}
		for _, line := range strings.Split(strings.TrimRight(comment, "\n"), "\n") {
			fmt.Fprintf(&b, "%s\n", strings.TrimRight("# "+strings.Map(printable, line), " "))
		}
		b.WriteByte('\n')
	}
	if err := encodeKeys(&b, d.Keys); err != nil {
		return nil, err
	}
	for _, t := range d.Tables {
		if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "[%s.%s]\n", t.Kind, tomlKey(t.Name))
		if err := encodeKeys(&b, t.Keys); err != nil {
			return nil, fmt.Errorf("%s.%s: %w", t.Kind, t.Name, err)
		}
	}
	return b.Bytes(), nil
}

// encodeKeys writes keys, a line each.
func encodeKeys(b *bytes.Buffer, keys []Key) error {
	for _, k := range keys {
		line, err := encodeKey(k)
		if err != nil {
			return err
		}
		b.WriteString(line + "\n")
	}
	return nil
}

// encodeKey returns a line with the key and its value. Inline tables keep the order of their keys,
// which go-toml would sort.
func encodeKey(k Key) (string, error) {
	switch v := k.Value.(type) {
	case []Key:
		table, err := inline(v)
		return tomlKey(k.Name) + " = " + table, err
	case [][]Key:
		all := make([]string, len(v))
		for i := range v {
			var err error
			if all[i], err = inline(v[i]); err != nil {
				return "", err
			}
		}
		return tomlKey(k.Name) + " = [" + strings.Join(all, ", ") + "]", nil
	}
	// A title may have quotes, a backslash or a newline, which Marshal escapes.
	line, err := toml.Marshal(map[string]any{k.Name: k.Value})
	return strings.TrimSuffix(string(line), "\n"), err
}

// inline returns keys as an inline table.
func inline(keys []Key) (string, error) {
	all := make([]string, len(keys))
	for i, k := range keys {
		var err error
		if all[i], err = encodeKey(k); err != nil {
			return "", err
		}
	}
	return "{ " + strings.Join(all, ", ") + " }", nil
}

// tomlKey returns a key as TOML spells it.
func tomlKey(name string) string {
	if bareKey.MatchString(name) {
		return name
	}
	return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(name) + `"`
}

// bareKey matches the keys that TOML 1.0 takes without quotes: ASCII letters, digits, _ and -.
var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// Document returns the platform as a file, without the layers that With left out. Changed
// parameters have their new values.
func (p Platform) Document() Document {
	c := p.composition
	d := Document{Keys: slices.Clone(c.Keys)}
	kept := map[string]bool{}
	for _, l := range p.Layers {
		kept["layer."+l.Name] = true
	}
	_, machine := p.Machine()
	for _, t := range c.Tables {
		// Levels go with the first layer of theirs that is missing: a machine with a level less has
		// other distances, and could not be read back as the same.
		if t.Kind == "layer" && !kept["layer."+t.Name] || t.Kind == "level" && !machine {
			continue
		}
		t.Keys = slices.Clone(t.Keys)
		d.Tables = append(d.Tables, t)
	}
	// Without the key, the first layer is the default.
	given := text(d.Keys, "default")
	isOther := given != "" && given != p.Default
	isLater := len(p.Layers) > 0 && p.Default != p.Layers[0].Name
	if isOther || isLater {
		set(&d.Keys, "default", p.Default)
	}
	for i := range c.slots {
		if s := &c.slots[i]; s.changed {
			d.change(s)
		}
	}
	return d
}

// change writes the value of a changed parameter into the document, in place of its formula. It
// stands at the key that gave it: in a table, a list of one, or a branch. The document
// shares lists with the file that was read, so these are cloned first.
func (d *Document) change(s *slot) {
	value := s.Word
	if value == "" {
		if value = exactly(s.Value.Num, s.Value.Dim); s.PlusMinus > 0 {
			value += " ± " + exactly(s.PlusMinus, s.Value.Dim)
		}
	}
	i := slices.IndexFunc(d.Tables, func(t Table) bool {
		return t.Kind == s.Table && t.Name == s.Owner
	})
	// The table was left out together with its layer.
	if i < 0 {
		return
	}
	t := &d.Tables[i]
	// s.at is layer.NAME.KEY, or has an index behind the key: KEY.0 in a list, KEY.0.up_to in a
	// branch.
	key, rest, nested := strings.Cut(strings.TrimPrefix(s.at, t.Kind+"."+t.Name+"."), ".")
	if !nested {
		t.Set(key, value)
		return
	}
	index, inside, _ := strings.Cut(rest, ".")
	k, _ := strconv.Atoi(index)
	was, _ := find(t.Keys, key)
	switch was := was.(type) {
	case []string:
		was = slices.Clone(was)
		was[k] = value
		t.Set(key, was)
	case [][]Key:
		was = slices.Clone(was)
		was[k] = slices.Clone(was[k])
		set(&was[k], inside, value)
		t.Set(key, was)
	}
}

// exactly prints a number of a dimension so that reading it gives the same number.
func exactly(v float64, d quantity.Dimension) string {
	// -1: the shortest decimal that reads back as the same float64.
	num := strconv.FormatFloat(v, 'g', -1, 64)
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
	return num + unit("us", d.Time) + unit("B", d.Size)
}

// exactUnits are the units that print numbers exactly.
var exactUnits = map[quantity.Dimension]string{
	quantity.DimNone:    "",
	quantity.DimTime:    "us",
	quantity.DimSize:    "B",
	quantity.DimInverse: "us/B",
	quantity.DimRate:    "MB/s",
	quantity.DimClock:   "MHz",
}

// ExactMicros and ExactInverse print 12 significant digits, as everything that programs read.
func ExactMicros(t quantity.Micros) string { return fmt.Sprintf("%.12gus", float64(t)) }

// ExactInverse prints a time per KiB, the unit of the papers.
func ExactInverse(t quantity.MicrosPerByte) string {
	return fmt.Sprintf("%.12gus/KiB", quantity.PerKiB(t))
}
