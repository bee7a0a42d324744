package platforms

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A builder makes a platform of a file, kind of table by kind of table: formulas of layers name
// constants and stages, and levels name layers, so these come first.
type builder struct {
	*composition
	p *Platform
	// By name; the empty name has the protocol of layers that name none.
	protocols map[string]Protocol
	measured  map[string]*Measured
	// All are made before one is computed, so that they can name each other in any order.
	constants map[string]*section
	written   map[string]*section // layers
	shown     []int               // the parameters of [Platform.Params]
	building  stack               // the layers under way, to find a circle
	computing stack               // the parameters under way, to find a circle
}

// A stack holds what is under way. It finds a name at once: chains of formulas may be as long as a
// file.
type stack struct {
	names []string
	depth map[string]int // by name
}

// push puts a name under way. The map is made on first use: most platforms have no formulas.
func (s *stack) push(name string) {
	if s.depth == nil {
		s.depth = map[string]int{}
	}
	s.depth[name] = len(s.names)
	s.names = append(s.names, name)
}

func (s *stack) pop() {
	last := len(s.names) - 1
	delete(s.depth, s.names[last])
	s.names = s.names[:last]
}

// circle returns the names from the given one to itself; nil if it is not under way.
func (s *stack) circle(name string) []string {
	at, found := s.depth[name]
	if !found {
		return nil
	}
	return append(slices.Clone(s.names[at:]), name)
}

// A section is a table of the file that is being read. Its formulas may name the constants, the
// other parameters among its keys, and those of stages above: stage("wire", "beta").
type section struct {
	*builder
	table
	kind   *tableKind
	path   string           // in the file: "layer.eager"
	fields map[string]Param // what its keys are that have numbers
}

// section returns the section of a table.
func (b *builder) section(kind *tableKind, t table) *section {
	return &section{b, t, kind, join(kind.name, t.Name), kind.numbers()}
}

// has reports whether the file gives the key, even with an empty text. Keys of a layer from another
// file, or of a file without a text, have no place in it; an empty text then is no key.
func (s *section) has(key string) bool {
	_, written := s.keys[join(s.path, key)]
	return written || len(s.Keys[key]) > 1 || s.Text(key) != ""
}

// fail ends the reading with an error at a key, or at the table if key is empty.
func (s *section) fail(key, format string, args ...any) {
	s.builder.fail(join(s.path, key), format, args...)
}

// named checks the name of the table.
func (s *section) named() { s.must(s.path, checkName(s.Name)) }

// byUser is the source of numbers without one, as those of a textbook's example.
const byUser = "given by the user"

// origin returns the source of the table's numbers.
func (s *section) origin() string { return cmp.Or(strings.TrimSpace(s.Text("source")), byUser) }

// requireLayer refuses a name that no [layer.NAME] of the file has.
func (s *section) requireLayer(key, name string) {
	if _, known := s.written[name]; !known {
		s.fail(key, "no layer %q%s", name, usage.Hint(name, s.names("layer")))
	}
}

// checkName refuses names that would need quotes in TOML, in a path, or as "platform/layer" in a
// shell.
func checkName(name string) error {
	if !nameRule.MatchString(name) {
		return fmt.Errorf("invalid name %q; use small letters, digits, - and _", name)
	}
	return nil
}

// nameRule matches names of tables, which stand in paths and references.
var nameRule = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

// choose returns the value that the word of a key stands for; the zero value without the key.
func choose[T any](s *section, key string, of map[string]T) T {
	word := s.Text(key)
	v, known := of[word]
	if word != "" && !known {
		s.fail(key, "%q%s", word, usage.Hint(word, slices.Sorted(maps.Keys(of))))
	}
	return v
}

// named returns the entry that the key of a layer names, and the zero value without the key.
func named[T any](s *section, key string, all map[string]T) (v T) {
	name := s.Text(key)
	v, known := all[name]
	if name != "" && !known {
		s.fail(key, "no [%s.%s]%s", key, name, usage.Hint(name, s.names(key)))
	}
	return v
}

// each parses the texts of a key, and ends the reading at the first that is wrong.
func each[V any](s *section, key string, texts []string, parse func(string) (V, error)) []V {
	return list.Map(texts, func(text string) V {
		v, err := parse(text)
		s.must(s.path+"."+key, err)
		return v
	})
}

// count reads a whole number of at least 1; 0 without the key.
func (s *section) count(key string) int {
	if s.Text(key) == "" {
		return 0
	}
	// 2^30 is the limit of a machine's cores as well (FORMAT.md, Limits).
	return each(s, key, []string{s.Text(key)}, whole(key, 1, 1<<30))[0]
}

// whole returns a parser of whole numbers in decimal digits from low to high.
func whole[N int | int64](what string, low, high N) func(text string) (N, error) {
	return func(text string) (N, error) {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || N(n) < low || N(n) > high {
			return 0, notWhole(text, what, low, high)
		}
		return N(n), nil
	}
}

func notWhole[N int | int64](text, what string, low, high N) error {
	return fmt.Errorf("%q: %s must be a whole number from %d to %d", text, what, low, high)
}

// optional returns the value of a key in base units (µs, bytes); 0 without the key.
func (s *section) optional(key string) float64 {
	if s.Text(key) == "" {
		return 0
	}
	return s.values[s.param(key)]
}

// param returns the parameter of the key, computed once.
func (s *section) param(key string) int { return s.compute(key, key, s.Text(key)) }

// compute returns a parameter, and makes it first if no formula has asked for it yet.
// Formulas may name keys that stand further down, so parameters are computed on demand; computing
// holds those under way, to find a formula that needs its own value. given is the text, and name
// the key with its index in a list.
func (s *section) compute(key, name, given string) int {
	b := s.builder
	of := s.fields[key]
	of.at = s.path + "." + name
	of.Path = cmp.Or(of.Path, of.at)
	// A formula that stands further up may have asked for it already.
	if i, done := b.byPath[of.Path]; done {
		return i
	}
	of.Table, of.Owner, of.Text = s.kind.name, s.Name, given
	// The path of a constant is that of its table, which leaves it an empty key.
	of.Key = strings.TrimPrefix(strings.TrimPrefix(of.Path, of.Table+"."+of.Owner), ".")
	// The source closest to the number counts: its own, then its table's.
	of.Source = cmp.Or(s.Sources[name], s.origin())
	if slices.Contains(of.words, strings.TrimSpace(given)) {
		// A word stands for a size, so that a change may give a number of bytes in its place.
		of.Word, of.Value.Dim = strings.TrimSpace(given), quantity.DimSize
		return b.add(of)
	}
	text, within, hasInterval := cutInterval(given)
	switch {
	case strings.TrimSpace(text) == "" && s.has(key):
		s.fail(name, "is empty; write its value, or omit it")
	case strings.TrimSpace(text) == "":
		s.fail("", "no %s; it is needed, as text with a unit", key)
	// A text without a digit at its beginning is a misspelt word; as a formula, the error would be
	// about a missing constant, and not list the words.
	case len(of.words) > 0 && (text[0] < '0' || text[0] > '9'):
		s.fail(name, `%q: %s are a size, as in "4096B", or "%s"`, given, key, orWords(of.words))
	}
	b.computing.push(of.Path)
	// Compile computes each parameter that the formula names, so these come before this one.
	e, err := formula.Compile(text, s.resolve)
	b.computing.pop()
	b.must(of.at, err)
	of.formula, of.Value.Dim = e, e.Dim
	if hasInterval {
		of.within = &within
	}
	if err = of.compute(b.values); err == nil {
		err = of.check()
	}
	if err != nil {
		s.fail(name, "%q: %w", given, err)
	}
	return b.add(of)
}

// orWords joins words for people: `whole", "eq10" or "best`, in quotes except at the ends.
func orWords(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], `", "`) + `" or "` + words[last]
}

// resolve returns the variable that a name in a formula stands for. A constant wins over a key of
// the table with its name.
func (s *section) resolve(name string, args []any) (v formula.Variable, err error) {
	b := s.builder
	if name == "stage" && len(args) == 2 {
		i, err := b.stageParam(args)
		if err != nil {
			return v, err
		}
		return b.variable(i), nil
	}
	of, key, path := b.constants[name], "value", "constant."+name
	if of == nil && s.Text(name) != "" {
		if _, isKey := s.fields[name]; isKey {
			of, key, path = s, name, s.path+"."+name
		}
	}
	if args == nil && of != nil {
		if circle := b.computing.circle(path); circle != nil {
			// The error has names as the file has them: without the table's path, and constants
			// alone.
			circle = list.Map(circle, func(p string) string {
				return strings.TrimPrefix(strings.TrimPrefix(p, s.path+"."), "constant.")
			})
			return v, fmt.Errorf("%s is computed from itself: %s",
				name, strings.Join(circle, " → "))
		}
		i := of.param(key)
		// "best" and "eq10" differ from message to message, so a formula has no one size to take.
		if word := b.params[i].Word; word != "" {
			return v, fmt.Errorf("%s is %q, not a number", name, word)
		}
		return b.variable(i), nil
	}
	// The hint names only what would have been found: keys that the table leaves out have no value.
	known := slices.Collect(maps.Keys(b.constants))
	for k := range s.fields {
		if s.Text(k) != "" {
			known = append(known, k)
		}
	}
	slices.Sort(known)
	return v, fmt.Errorf("no constant or parameter %q here%s", name, usage.Hint(name, known))
}
