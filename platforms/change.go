package platforms

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A slot is a parameter as a formula reads it.
type slot struct {
	path    string
	formula *quantity.Expr // of slots; nil if the parameter has been changed
	value   quantity.Value
}

func (s slot) reads() []int {
	if s.formula == nil {
		return nil
	}
	return s.formula.Reads()
}

// param computes the parameter at path, once; at is the key in the file that
// errors name. A changed parameter has its new value and reads nothing.
func (b *builder) param(path, at, text string, names resolver) (Param, error) {
	formula, within, hasInterval := cutInterval(text)
	i, done := b.slotAt[path]
	if !done {
		s := slot{path: path}
		if c, changed := b.changes[path]; changed {
			s.value = c.Value
		} else if strings.TrimSpace(formula) == "" {
			table, key, _ := cutLast(at)
			return Param{}, b.errorf(table, "no %s; it is needed, as text with a unit", key)
		} else {
			b.computing = append(b.computing, path)
			e, err := quantity.Compile(formula, names)
			b.computing = b.computing[:len(b.computing)-1]
			if err != nil {
				return Param{}, b.errorf(at, "%w", err)
			}
			s.formula, s.value = e, quantity.Value{Num: e.Compute(b.values), Dim: e.Dim}
		}
		i = len(b.slots)
		b.slots, b.values, b.slotAt[path] = append(b.slots, s), append(b.values, s.value.Num), i
	}
	p := Param{Path: path, Text: text, Value: b.slots[i].value}
	if c, changed := b.changes[path]; changed {
		p.Text, p.PlusMinus = c.Text, c.PlusMinus
	} else if hasInterval {
		half, err := halfWidth(within, p.Value)
		if err != nil {
			return Param{}, b.errorf(at, "%q: %w", text, err)
		}
		p.PlusMinus = half
	}
	return p, nil
}

// EvalInterval computes a formula that may carry an interval, "3.0us ± 0.1us", as the values
// of a file do: its value, and half the width of the interval in the unit of the value, 0 if there is none.
func EvalInterval(text string, eval func(formula string) (quantity.Value, error)) (v quantity.Value, plusMinus float64, err error) {
	formula, within, found := cutInterval(text)
	if v, err = eval(formula); err != nil || !found {
		return v, 0, err
	}
	plusMinus, err = halfWidth(within, v)
	return v, plusMinus, err
}

// A resolver says which slot a name in a formula stands for.
type resolver = func(name string, args []any) (quantity.Variable, error)

// variable is the slot of a parameter that has been computed.
func (b *builder) variable(path string) (quantity.Variable, bool) {
	i, known := b.slotAt[path]
	if !known {
		return quantity.Variable{}, false
	}
	return quantity.Variable{Index: i, Dim: b.slots[i].value.Dim}, true
}

// cutInterval splits "3.0us ± 0.1us".
func cutInterval(text string) (formula, within string, found bool) {
	if formula, within, found = strings.Cut(text, "±"); found {
		return formula, within, true
	}
	return strings.Cut(text, "+/-")
}

// halfWidth reads what stands behind ±: a number in the unit of v, or a
// percentage of it.
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
		return 0, errors.New("what stands behind ± is not negative, and finite")
	}
	return w.Num, nil
}

// A Change is a new value for a parameter.
type Change struct {
	Path  string
	Text  string         // what stands for it in [Param].Text; for packets it may be one of [CutNames]
	Value quantity.Value // in the dimension of the parameter

	PlusMinus float64 // half the width of its 95 % interval, see [Param]; 0: none
}

// With returns the part of the platform that the layer is made of, with some
// parameters changed; what is computed from them follows. The rest stays out: a value may be
// possible here and not there. A later change of a parameter replaces an
// earlier one. The error is a value that the parameter, or one computed from it,
// cannot have, or a path that is none of [Platform.Uses].
func (p Platform) With(layer string, changes ...Change) (Platform, error) {
	uses, err := p.Uses(layer)
	if err != nil {
		return Platform{}, err
	}
	all := maps.Clone(p.built.changes)
	if all == nil {
		all = map[string]Change{}
	}
	for _, c := range changes {
		i := slices.IndexFunc(uses, func(q Param) bool { return q.Path == c.Path })
		if i < 0 {
			return Platform{}, fmt.Errorf("%s/%s has no parameter %q", p.Name, layer, c.Path)
		}
		if _, word := cuts[c.Text]; uses[i].Value.Dim != c.Value.Dim && !(word && strings.HasSuffix(c.Path, ".packets")) {
			return Platform{}, fmt.Errorf("%s is %s, not %s", c.Path, uses[i].Value.Dim, c.Value.Dim)
		}
		all[c.Path] = c
	}
	d := *p.built.document
	d.Default, d.Layer, d.Stage = layer, map[string]layerTable{}, map[string]stageTable{}
	for _, q := range uses {
		if table, _, _ := cutLast(q.Path); strings.HasPrefix(table, "stage.") {
			name := strings.TrimPrefix(table, "stage.")
			d.Stage[name] = p.built.Stage[name]
		}
	}
	var keep func(name string)
	keep = func(name string) {
		d.Layer[name] = p.built.Layer[name]
		for _, part := range p.built.built[name].Parts {
			keep(part)
		}
	}
	keep(layer)
	return d.platform(p.Name, all)
}

// Params are all parameters that can be changed: the constants, the stages',
// and the layers', as they stand in the file. A pipeline's packets are among
// them even where they are a word and no size; their Value then is 0 bytes.
func (p Platform) Params() []Param {
	all := slices.Concat(p.Constants, p.Stages)
	for _, l := range p.Layers {
		all = append(all, l.Params...)
		if l.Kind == "pipeline" && len(l.Params) == 0 {
			path := "layer." + l.Name + ".packets"
			text := p.built.Layer[l.Name].Packets
			if c, changed := p.built.changes[path]; changed {
				text = c.Text
			}
			all = append(all, Param{Path: path, Text: text, Value: quantity.Value{Dim: quantity.DimSize}, Source: p.built.Layer[l.Name].Source})
		}
	}
	return all
}

// Uses are the parameters that the layer's costs depend on, those of the layers
// and stages that it is made of and the constants behind them, in the order of
// [Platform.Params].
func (p Platform) Uses(layer string) ([]Param, error) {
	prog, err := p.Compile(layer)
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	var mark func(path string)
	mark = func(path string) {
		used[path] = true
		if i, computed := p.built.slotAt[path]; computed {
			for _, r := range p.built.slots[i].reads() {
				mark(p.built.slots[r].path)
			}
		}
	}
	for path := range prog.fields {
		mark(path)
	}
	return slices.DeleteFunc(p.Params(), func(q Param) bool { return !used[q.Path] }), nil
}

// Find returns the parameter of the layer that name stands for: its path, or an end of
// its path ("host-dma.tau", "o_r"), or the kind of its layer's model and its
// key ("logp.o_r"; loggp counts as logp). The window of a fragmented layer answers to credits too. It
// is an error if name fits none, or several.
func (p Platform) Find(layer, name string) (Param, error) {
	uses, err := p.Uses(layer)
	if err != nil {
		return Param{}, err
	}
	found := p.matching(uses, name)
	if len(found) == 1 {
		return found[0], nil
	}
	if len(found) > 1 {
		return Param{}, fmt.Errorf("%q is several parameters: %s; write one of them", name, strings.Join(paths(found), ", "))
	}
	if other := p.matching(p.Params(), name); len(other) > 0 {
		return Param{}, fmt.Errorf("%s does not enter %s/%s; what does is %s", strings.Join(paths(other), ", "), p.Name, layer, strings.Join(paths(uses), ", "))
	}
	var ends []string
	for _, q := range uses {
		for rest, more := q.Path, true; more; _, rest, more = strings.Cut(rest, ".") {
			ends = append(ends, rest)
		}
	}
	hint := nearest.Hint(name, ends)
	if !strings.Contains(hint, "did you mean") {
		hint = "; there is " + strings.Join(paths(uses), ", ")
	}
	return Param{}, fmt.Errorf("%s/%s has no parameter %q%s", p.Name, layer, name, hint)
}

func (p Platform) matching(params []Param, name string) []Param {
	if table, key, ok := cutLast(name); key == "credits" {
		if name = "window"; ok {
			name = table + ".window"
		}
	}
	kind, key, _ := cutLast(name)
	var found []Param
	for _, q := range params {
		if q.Path == name {
			return []Param{q}
		}
		table, last, _ := cutLast(q.Path)
		isKind := false
		if l, err := p.Layer(strings.TrimPrefix(table, "layer.")); err == nil && strings.HasPrefix(table, "layer.") {
			isKind = last == key && (l.Kind == kind || l.Kind == "loggp" && kind == "logp")
		}
		if isKind || strings.HasSuffix(q.Path, "."+name) {
			found = append(found, q)
		}
	}
	return found
}

// cutLast splits a path before its last key; ok is false if there is one key.
func cutLast(path string) (table, key string, ok bool) {
	i := strings.LastIndexByte(path, '.')
	if i < 0 {
		return "", path, false
	}
	return path[:i], path[i+1:], true
}

func paths(params []Param) []string {
	names := make([]string, len(params))
	for i, p := range params {
		names[i] = p.Path
	}
	return names
}

// errorf is that of the document, but no place in the file is at fault for a value
// that was given in its stead.
func (b *builder) errorf(path, format string, args ...any) error {
	if _, changed := b.changes[path]; changed {
		return fmt.Errorf("%s: %w", path, fmt.Errorf(format, args...))
	}
	return b.document.errorf(path, format, args...)
}

// Computed reports whether the parameter at path is computed from others, so
// that it follows them.
func (p Platform) Computed(path string) bool {
	i, ok := p.built.slotAt[path]
	return ok && len(p.built.slots[i].reads()) > 0
}
