package platforms

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Param is a parameter of a platform, with its value.
type Param struct {
	Path    string // "stage.copy-in.beta": tables and key, as in the file
	Table   string // "constant", "stage", "layer"
	Owner   string // the name in that table: "copy-in"
	Key     string // within it: "beta", "branches.0.up_to"; "" of a constant
	Kind    string // of the layer's model; "" outside of layers
	Measure model.Measure
	Symbol  string // "β"; "" if it has none
	Phrase  string // what it is, for people
	Bound   bool   // it is the threshold of a switch

	Text   string // as in the file: "5.9us/KB" or a formula
	Word   string // in place of a number, as [model.CutWords]; the Value then is 0 bytes
	Value  quantity.Value
	Source string // section or table of the paper, or how it was derived

	// PlusMinus is half the width of the 95 % interval about Value, in its
	// unit (µs and bytes); 0 where the file gives none.
	PlusMinus float64

	words []string // that it may have in place of a number
}

// TakesWord reports whether the word can stand in place of a number.
func (p Param) TakesWord(word string) bool { return slices.Contains(p.words, word) }

// Constant reports whether it is a constant of the platform, which stands in a model by formulas
// alone.
func (p Param) Constant() bool { return p.Table == "constant" }

// Whole reports whether only whole numbers can be its value: a size, a window.
func (p Param) Whole() bool { return p.Measure.Whole() }

// Short is the path without the table: "copy-in.beta".
func (p Param) Short() string {
	_, short, _ := strings.Cut(p.Path, ".")
	return short
}

// A slot is a parameter as a formula reads it.
type slot struct {
	Param
	at      string         // the key in the file that errors name
	formula *quantity.Expr // of slots; nil if the parameter has been changed
	within  *string        // text behind ±, if given
	changed bool           // it has another value than in the file
}

func (s slot) reads() []int {
	if s.formula == nil {
		return nil
	}
	return s.formula.Reads()
}

// check returns an error if the slot cannot have its value.
func (s *slot) check() error {
	if s.Word != "" {
		return nil
	}
	return s.Measure.Check(s.Value)
}

// compute computes the value and its interval from the slots that it reads.
func (s *slot) compute(values []float64) error {
	s.Value.Num = s.formula.Compute(values)
	if s.PlusMinus = 0; s.within == nil {
		return nil
	}
	var err error
	s.PlusMinus, err = halfWidth(*s.within, s.Value)
	return err
}

// A scope is a table whose keys are parameters. Its formulas may name the constants, the other keys
// of the table, and the parameters of stages above: stage("wire", "beta").
type scope struct {
	section
	source string // if it is not that of the table
	fields map[string]Param
}

// slot returns the parameter of the key, computed once.
func (s *scope) slot(key string) int { return s.compute(key, key, s.text(key)) }

func (s *scope) compute(key, name, given string) int {
	b := s.builder
	of := slot{Param: s.fields[key], at: s.path + "." + name}
	of.Path = cmp.Or(of.Path, of.at)
	if i, done := b.slotAt[of.Path]; done {
		return i
	}
	of.Table, of.Owner, of.Text = s.Kind, s.Name, given
	of.Key = strings.TrimPrefix(strings.TrimPrefix(of.Path, of.Table+"."+of.Owner), ".")
	of.Source = cmp.Or(text(value[[]Key](s.Keys, "sources"), name), s.source, s.text("source"))
	s.sourced(of.Source)
	if slices.Contains(of.words, strings.TrimSpace(given)) {
		of.Word, of.Value.Dim = strings.TrimSpace(given), quantity.DimSize
		return b.add(of)
	}
	formula, within, hasInterval := cutInterval(given)
	switch {
	case strings.TrimSpace(formula) == "" && s.has(key):
		s.fail(name, "is empty; write its value, or omit it")
	case strings.TrimSpace(formula) == "":
		s.fail("", "no %s; it is needed, as text with a unit", key)
	case len(of.words) > 0 && (formula[0] < '0' || formula[0] > '9'):
		s.fail(name, `%q: %s are a size, as in "4096B", or "%s"`, given, key, orWords(of.words))
	case len(b.computing) >= maxDepth:
		s.fail(name, "is computed through a chain of more than %d other parameters; define parameters before their uses", maxDepth)
	}
	b.computing = append(b.computing, of.Path)
	e, err := quantity.Compile(formula, s.resolve)
	b.computing = b.computing[:len(b.computing)-1]
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

func (b *builder) add(s slot) int {
	i := len(b.slots)
	b.slots, b.values, b.slotAt[s.Path] = append(b.slots, s), append(b.values, s.Value.Num), i
	return i
}

// resolve returns the slot of a name in a formula.
func (s *scope) resolve(name string, args []any) (v quantity.Variable, err error) {
	b := s.builder
	if name == "stage" && len(args) == 2 {
		i, err := b.stageSlot(args)
		if err != nil {
			return v, err
		}
		return b.variable(i), nil
	}
	of, key, path := b.constants[name], "value", "constant."+name
	if of == nil && s.text(name) != "" {
		if _, isKey := s.fields[name]; isKey {
			of, key, path = s, name, s.path+"."+name
		}
	}
	if args == nil && of != nil {
		if at := slices.Index(b.computing, path); at >= 0 {
			circle := list.Map(append(b.computing[at:], path), func(p string) string { return strings.TrimPrefix(strings.TrimPrefix(p, s.path+"."), "constant.") })
			return v, fmt.Errorf("%s is computed from itself: %s", name, strings.Join(circle, " → "))
		}
		i := of.slot(key)
		if word := b.slots[i].Word; word != "" {
			return v, fmt.Errorf("%s is %q, not a number", name, word)
		}
		return b.variable(i), nil
	}
	known := slices.Collect(maps.Keys(b.constants))
	for k := range s.fields {
		if s.text(k) != "" {
			known = append(known, k)
		}
	}
	slices.Sort(known)
	return v, fmt.Errorf("no constant or parameter %q here%s", name, nearest.Hint(name, known))
}

// stageSlot returns the slot of stage("wire", "beta").
func (b *builder) stageSlot(args []any) (int, error) {
	stage, _ := args[0].(string)
	key, _ := args[1].(string)
	path := "stage." + stage + "." + key
	if i, known := b.slotAt[path]; known {
		return i, nil
	}
	return 0, fmt.Errorf("no parameter %s", path)
}

func (b *builder) variable(i int) quantity.Variable {
	return quantity.Variable{Index: i, Dim: b.slots[i].Value.Dim}
}

// EvalInterval computes a formula with an optional interval, "3.0us ± 0.1us", as in files: its
// value, and half the width of the interval in the unit of the value; 0 without an interval.
func EvalInterval(text string, eval func(formula string) (quantity.Value, error)) (v quantity.Value, plusMinus float64, err error) {
	formula, within, found := cutInterval(text)
	if v, err = eval(formula); err != nil || !found {
		return v, 0, err
	}
	plusMinus, err = halfWidth(within, v)
	return v, plusMinus, err
}

func cutInterval(text string) (formula, within string, found bool) {
	if formula, within, found = strings.Cut(text, "±"); found {
		return formula, within, true
	}
	return strings.Cut(text, "+/-")
}

// halfWidth reads the text behind ±: a number in the unit of v, or a percentage of it.
func halfWidth(text string, v quantity.Value) (float64, error) {
	w, err := quantity.Eval(text, nil)
	switch {
	case err != nil:
		return 0, fmt.Errorf("behind ±: %w", err)
	case w.Dim == quantity.DimNone && v.Dim != quantity.DimNone && strings.Contains(text, "%"):
		w.Num *= math.Abs(v.Num)
	case w.Dim != v.Dim:
		return 0, fmt.Errorf("%s ± %s; both have one unit, or the second is a percentage", v.Dim, w.Dim)
	}
	if !(w.Num >= 0) || math.IsInf(w.Num, 0) {
		return 0, errors.New("the half-width behind ± must be finite and not negative")
	}
	return w.Num, nil
}
