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
)

// WrittenBy begins the first line of a file that a command writes, without its "# ". The command's
// name follows. Files with this line may be replaced.
const WrittenBy = "Written by halfpeak "

// Encode writes the platform as a file, below a comment, which may be empty. [Parse] reads the
// same platform back.
//
// Changed parameters have their new values. Layers that a change left out are missing. A layer
// whose measured curve was changed keeps the curve, and the lines that were fitted to it as another
// layer: its times are then those of the design, without the interval of the next measurement,
// which was never made of it.
func (p Platform) Encode(comment string) []byte {
	f := p.file(false)
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
	for _, k := range tableKinds {
		for _, t := range f[k.name] {
			if b.Len() > 0 && !bytes.HasSuffix(b.Bytes(), []byte("\n\n")) {
				b.WriteByte('\n')
			}
			switch {
			case k.one && k != topKind:
				fmt.Fprintf(&b, "[%s]\n", k.name)
			case !k.one:
				fmt.Fprintf(&b, "[%s.%s]\n", k.name, tomlKey(t.Name))
			}
			k.encode(t, write)
		}
	}
	return b.Bytes()
}

// encode writes the keys of a table in the order of the schema.
func (k *tableKind) encode(t table, write func(name, value string)) {
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

func branchText(b branch) string {
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
