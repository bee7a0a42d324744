package platforms

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/forecast"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Design is a layer of a platform, as it is or with parameters changed.
type Design struct {
	Platform Platform
	Layer    Layer // one of the platform's
	Whole    bool  // no layer was named: ranks run on all levels of the platform
	// Ranks says that the design is asked about programs of ranks, not about single messages: its
	// parameters are then those of all levels, if it is whole, and of the local work of ranks.
	Ranks   bool
	Changes []Assignment // from the platform's file to here, in order
	file    string       // the path by which a user named the platform; empty: by its name
	named   bool         // a layer was named
}

// Machine returns the machine of the platform's levels, or one without levels if ranks run on the
// layer alone.
func (d Design) Machine() machine.Machine {
	if !d.Whole {
		return machine.Machine{}
	}
	// It is there: With sets Whole to false if it leaves out layers of levels.
	m, _ := d.Platform.Machine()
	return m
}

// Name returns the name of the platform, or of the layer, that the design's ranks run on.
func (d Design) Name() string {
	if d.Whole || d.Layer.Name == "" { // of levels, or of measured collectives alone
		return d.Platform.Name
	}
	return d.Layer.Ref()
}

// Uses returns the parameters that the design's costs depend on.
func (d Design) Uses() []Param {
	all, _ := d.Platform.uses(d.domain()) // its layers are there
	return all
}

// domain returns the domain of the design's questions.
func (d Design) domain() domain { return domain{d.Layer.Name, d.Ranks && d.Whole, d.Ranks} }

// Find returns the parameter of the design that name stands for: its path, or an end of its path
// ("host-dma.tau", "o_r", "node.lanes"), or the kind of its layer's model and its key ("logp.o_r";
// loggp counts as logp). The window of a fragmented layer answers to credits too. It is an error if
// name fits none, or several.
func (d Design) Find(name string) (Param, error) {
	if _, err := d.Platform.Layer(d.Platform.Default); len(d.Platform.Layers) == 0 {
		return Param{}, err
	}
	uses := d.Uses()
	found, of := d.Platform.named(uses, name)
	if len(found) == 1 && of == "" {
		return found[0], nil
	}
	if of != "" {
		return Param{}, branchesError(name, of, found)
	}
	if len(found) > 1 {
		return Param{}, fmt.Errorf("%q matches several parameters: %s; write one of them",
			name, strings.Join(paths(found), ", "))
	}
	what := d.Asked() + "/" + d.Layer.Name
	if d.domain().levels {
		what = d.Asked()
	}
	if err := d.elsewhere(what, name, uses); err != nil {
		return Param{}, err
	}
	if of := model.KindOf(model.LinesOf(d.Layer.Model)).Aliases[name]; of != nil {
		// In a file o stands for o_s and o_r, which have two slots from then on.
		return Param{}, fmt.Errorf("%q stands for %s; change each of them",
			name, strings.Join(of, " and "))
	}
	key := name[strings.LastIndexByte(name, '.')+1:]
	if row := levelKind.find(key); row != nil && row.number != nil &&
		d.domain().levels {
		return Param{}, fmt.Errorf("%s has no parameter %q; write %s into the table of a level, "+
			"where it can then be changed", what, name, key)
	}
	var ends []string
	for _, q := range uses {
		for rest, more := q.Path, true; more; _, rest, more = strings.Cut(rest, ".") {
			ends = append(ends, rest)
		}
	}
	hint := usage.Hint(name, ends)
	if !strings.Contains(hint, "did you mean") {
		hint = "; choose from " + strings.Join(paths(uses), ", ")
	}
	return Param{}, fmt.Errorf("%s has no parameter %q%s", what, name, hint)
}

// Collectives returns the measurements of a collective that answer for the design: those of its
// platform's file, unless a layer was named, or the design was changed. They are of the whole
// machine as it was.
func (d Design) Collectives(name string) (all []MeasuredCollective) {
	if d.named || len(d.Changes) > 0 {
		return nil
	}
	for _, c := range d.Platform.Collectives {
		if c.Of.Collective == name {
			all = append(all, c)
		}
	}
	return all
}

// Asked returns the platform's name or path as commands take it.
func (d Design) Asked() string { return cmp.Or(d.file, d.Platform.Name) }

// branchesError returns the error of a name for a parameter of each branch of a layer, where one
// parameter is wanted.
func branchesError(name, of string, found []Param) error {
	return fmt.Errorf("%q is a parameter of each branch of %s, which serve different sizes: %s; "+
		"write one of them, or change all by a factor, as in %s*=0.5",
		name, of, strings.Join(paths(found), ", "), name)
}

// elsewhere returns an error if name fits parameters that the platform has, but on which the design
// does not depend: a change there would have no effect, and say nothing. It names questions that
// depend on them.
func (d Design) elsewhere(what, name string, uses []Param) error {
	p := d.Platform
	all, _ := p.uses(domain{d.Layer.Name, len(p.Levels) > 0, true}) // none if layers were left out
	if found, of := p.named(all, name); len(found) > 0 {
		ways := []string{"a collective or a schedule on " + d.Asked()}
		if found[0].Table == "layer" {
			ways = append([]string{d.Asked() + "/" + cmp.Or(of, found[0].Owner)}, ways...)
		}
		return fmt.Errorf("%s has no effect on messages of %s; ask about %s",
			strings.Join(paths(found), ", "), what, strings.Join(ways, ", or about "))
	}
	if other := matching(p.Params(), name); len(other) > 0 {
		return fmt.Errorf("%s has no effect on %s; these have: %s",
			strings.Join(paths(other), ", "), what, strings.Join(paths(uses), ", "))
	}
	return nil
}

// An Assignment is a change that was made to a parameter.
type Assignment struct {
	Text     string // as asked: "host-dma.tau*=0.5"
	Path     string
	From, To string // as people read values: "7.6 µs/KiB", "3.8 µs/KiB"
}

// Set returns the design with parameters changed, one after the other: NAME, an operator of = *= /=
// += -=, and a formula, as in "stage.host-dma.tau=3.8us/KiB", "o_r*=0.5", "mtu=8KiB". A new value
// may have an interval: "L=5us ± 0.5us". Formulas may name the layer's parameters and the
// platform's constants. The packets of a pipeline may also be set to a word of [model.CutWords].
//
// A factor (*= or /=) of a parameter that each branch of a layer has, as "network.tau" or "G" of a
// fit of several protocols, changes it in all branches. A factor of "network.link", or
// "network.bandwidth", changes all that stands for the link of a layer or level: the rates of its
// layers, and of the ports that lead to it.
//
// Parameters computed from it follow. It is an error if a name fits no parameter or several, or if
// a value is not possible.
func (d Design) Set(assignments ...string) (Design, error) {
	for _, text := range assignments {
		var err error
		if d, err = d.set(text); err != nil {
			return Design{}, fmt.Errorf("%s: %w", text, err)
		}
	}
	return d, nil
}

// set makes one assignment. Operators other than = apply to the present value, so that two in a row
// compound.
func (d Design) set(text string) (Design, error) {
	name, right, ok := strings.Cut(text, "=")
	if !ok {
		return d, fmt.Errorf(`nothing is set; write NAME=VALUE, as in "o_r=2us" or "o_r*=0.5"`)
	}
	operator := byte('=')
	name = strings.TrimSpace(name)
	// The cut was at "=", so that of "*=" the first character is at the end of the name.
	if last := len(name) - 1; last >= 0 && strings.IndexByte("*/+-", name[last]) >= 0 {
		operator, name = name[last], strings.TrimSpace(name[:last])
	}
	params, of := d.Platform.named(d.Uses(), name)
	link := []Param(nil)
	if len(params) == 0 {
		link = d.Platform.linkOf(d.domain(), name)
	}
	switch {
	case len(link) > 0 && operator != '*' && operator != '/':
		return d, fmt.Errorf("%q stands for %s; change it by a factor, as in %s*=2, or one of them",
			name, strings.Join(paths(link), ", "), name)
	case len(link) > 0:
		params, of = link, name
	case of == "" || operator != '*' && operator != '/':
		p, err := d.Find(name)
		if err != nil {
			return d, err
		}
		params = []Param{p}
	}
	changes, made := make([]Change, len(params)), make([]Assignment, len(params))
	for i, p := range params {
		var err error
		operator := operator
		if link != nil && p.Value.Dim == quantity.DimInverse {
			operator = inverse(operator)
		}
		if changes[i], err = d.changed(p, operator, right); err != nil {
			return d, err
		}
		made[i] = Assignment{text, p.Path, p.Shown(), changes[i].Text}
		if of != "" {
			made[i].Text = fmt.Sprintf("%s%c=%s", p.Path, operator, right)
		}
	}
	next, err := d.With(changes...)
	if err != nil {
		return d, err
	}
	// Clipped, since two designs made from this one must not share the end of the list.
	next.Changes = append(slices.Clip(d.Changes), made...)
	return next, nil
}

// changed returns the change that an assignment makes to a parameter.
func (d Design) changed(p Param, operator byte, right string) (change Change, err error) {
	change = Change{Path: p.Path, Text: strings.TrimSpace(right)}
	// A word can be assigned, but neither scaled nor added to.
	if operator != '=' || !p.TakesWord(change.Text) {
		if change.Value, change.PlusMinus, err = d.NewValue(p, operator, change.Text); err != nil {
			return change, err
		}
		// Costs multiply it by sizes, and people read it in larger units: both would overflow.
		if !(math.Abs(change.Value.Num) < maxValue) {
			return change, fmt.Errorf("%s must be within ±%g in µs and bytes (got %.3g); "+
				"give a value nearer to the present %s",
				p.Path, maxValue, change.Value.Num, p.Shown())
		}
		change.Text = change.Value.String()
		if change.PlusMinus > 0 {
			half := quantity.Value{Num: change.PlusMinus, Dim: change.Value.Dim}
			change.Text += " ± " + half.String()
		}
	}
	return change, nil
}

// maxValue is the limit of a parameter, in µs and bytes.
const maxValue = 1e280

// Recut returns the design with its messages cut otherwise, in packets of a size or by a word of
// [model.CutWords]; an empty text changes nothing.
func (d Design) Recut(packet string) (Design, error) {
	if packet == "" {
		return d, nil
	}
	cut, err := model.ParseCut(packet)
	if err != nil {
		return d, usage.Error{Err: err}
	}
	if d.Layer.Model, err = model.Recut(d.Layer.Model, cut); err != nil {
		err = fmt.Errorf("%.40s: %s: %w", packet, d.Layer.Ref(), err)
	}
	return d, err
}

// With returns the design with some parameters changed. Layers on which it does not depend are left
// out. If it is asked about messages, these include the layers of a machine's other levels, and its
// ranks run on the layer alone.
func (d Design) With(changes ...Change) (Design, error) {
	p, err := d.Platform.with(d.domain(), changes...)
	if err != nil {
		return d, err
	}
	l, err := p.Layer(d.Layer.Name)
	d.Platform, d.Layer, d.Whole = p, l, d.Whole && d.Ranks
	return d, err
}

// NewValue computes the new value that an assignment gives the parameter, and half of its interval.
func (d Design) NewValue(p Param, operator byte, right string) (quantity.Value, float64, error) {
	// Layers of a machine have parameters of the same names, so those of the changed one count.
	layer := d.Layer
	if own, err := d.Platform.Layer(p.Owner); err == nil && d.Ranks && p.Table == "layer" {
		layer = own
	}
	v, within, err := evalInterval(right, func(formula string) (quantity.Value, error) {
		return layer.Eval(formula, 0)
	})
	if err != nil {
		return v, 0, err
	}
	want := p.Value.Dim
	// A factor is a plain number; a summand has the parameter's unit.
	if operator == '*' || operator == '/' {
		want = quantity.DimNone
	}
	if v.Dim == quantity.DimNone && want == quantity.DimSize { // a number of bytes
		v.Dim = want
	}
	if v.Dim != want {
		return v, 0, p.takes(want, v.Dim, right)
	}
	if operator == '=' {
		return v, within, nil
	}
	// A parameter has one interval, and there would be two: its own, and that of the operand.
	if within > 0 {
		return v, 0, fmt.Errorf("an interval belongs to a new value; write %s=VALUE ± HALF",
			p.Path)
	}
	if p.Word != "" {
		return v, 0, fmt.Errorf("%s is the word %q, which cannot be scaled; write %s=4KiB",
			p.Key, p.Word, p.Key)
	}
	now, within := p.Value, p.PlusMinus
	// A factor scales the interval with the value; a summand moves it as it is.
	switch operator {
	case '*':
		return now.Mul(v), within * v.Num, nil
	case '/':
		return now.Div(v), within / v.Num, nil
	case '+':
		now.Num += v.Num
	case '-':
		now.Num -= v.Num
	}
	return now, within, nil
}

// takes returns the error of an operand with another dimension than is wanted.
func (p Param) takes(want, got quantity.Dimension, operand string) error {
	hint := ""
	if _, unit, has := strings.Cut(p.Shown(), " "); has && got == quantity.DimNone {
		hint = fmt.Sprintf(", as in %s%s (now %s)", strings.TrimSpace(operand),
			strings.ReplaceAll(unit, "µ", "u"),
			strings.NewReplacer(" ", "", "µ", "u").Replace(p.Shown()))
	}
	if want == quantity.DimInverse && got == quantity.DimRate {
		hint = fmt.Sprintf("; write 1/(%s)", operand)
	}
	return fmt.Errorf("%q is %s; %s takes %s here%s", operand, got, p.Path, want, hint)
}

// Shown returns the parameter's value as people read it; packets may be a word.
func (p Param) Shown() string {
	if p.Word != "" {
		return p.Word
	}
	return p.Value.String()
}

// Encode returns the design as a platform file, below the comment: all that it depends on, or the
// whole platform if nothing was changed; see [Platform.File]. A changed design has no measured
// collectives, which are of the machine as it was.
func (d Design) Encode(comment string) []byte {
	f := d.Platform.File()
	if len(d.Changes) > 0 {
		f.Collectives = nil
	}
	return f.Encode(comment)
}

// Forecast returns the next measurement of n bytes in a design; nil if the design was not fitted,
// was changed since, or was fitted to points that make no curve.
func (d Design) Forecast(n quantity.Bytes) *forecast.Forecast {
	f, _ := d.Next(n)
	return f
}

// Forecastable reports whether the next measurement of a design can be predicted.
// Points make a curve for all sizes or for none, so that 1 byte stands for all.
func (d Design) Forecastable() bool { return d.Forecast(1) != nil }

// Next returns the next measurement of n bytes in a design; nil if the design was changed, or does
// not contain the points that it was fitted to. The error wraps [forecast.ErrNoCurve] if its points
// make no curve.
func (d Design) Next(n quantity.Bytes) (*forecast.Forecast, error) {
	if len(d.Changes) > 0 {
		return nil, nil
	}
	return d.Layer.Next(n)
}
