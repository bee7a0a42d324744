// Package whatif predicts how message costs change when a platform's parameters change.
//
// A [Design] is a layer of a platform. [Design.Set] changes parameters and returns another design;
// [Design.At] returns the costs and the bottleneck of a message. [Sweep] evaluates ranges of
// parameters. [Design.Sensitivities] and [Design.Shares] rank parameters, and [Design.Solve] finds
// the value that reaches a target. [Design.Predict] propagates the intervals of parameters to
// predictions. [Crossings] finds the sizes at which one design overtakes another.
//
// Parameters are named by their paths in the platform's file, or by as much of a path as is unique
// (see [platforms.Platform.Find]). Inside, values are in µs and bytes, as everywhere in halfpeak.
package whatif

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Design is a layer of a platform, as it is or with parameters changed.
type Design struct {
	Platform platforms.Platform
	Layer    platforms.Layer // one of the platform's
	Whole    bool            // no layer was named, and the platform has levels: ranks run on all of them
	Changes  []Assignment    // from the platform's file to here, in order
	measures []*Measure
}

// Find returns the design that a platform's file describes; see [platforms.Find]. It is an error if
// its times are not those of messages.
func Find(ref string) (Design, error) {
	d, err := FindAny(ref)
	if err == nil {
		err = d.Layer.Messages()
	}
	return d, err
}

// FindAny is like [Find], and also accepts a layer with the times of a stream, an operation or a
// collective.
func FindAny(ref string) (Design, error) {
	p, l, err := platforms.Find(ref)
	return Design{Platform: p, Layer: l, Whole: len(p.Levels) > 0 && !platforms.NamesLayer(ref)}, err
}

// Machine returns the machine of the platform's levels, or one without levels if ranks run on the
// layer alone.
func (d Design) Machine() machine.Machine {
	if !d.Whole {
		return machine.Machine{}
	}
	m, _ := d.Platform.Machine()
	return m
}

// Name returns the name of the platform, or of the layer, that the design's ranks run on.
func (d Design) Name() string {
	if d.Whole {
		return d.Platform.Name
	}
	return d.Layer.Ref()
}

// A Measure is a quantity that package model does not have, such as the finish of a program on a
// layer. It takes no size, and may take long to compute. Its Of may be called by several goroutines
// at once, each with its own layer.
type Measure struct {
	model.Quantity
	// Limits returns the parts of the quantity: owners with their one-way times.
	Limits func(l model.Layer) ([]Share, error)
}

// Measured returns the design with one more quantity.
func (d Design) Measured(m Measure) Design {
	m.Sizes = 0
	d.measures = append(d.measures[:len(d.measures):len(d.measures)], &m)
	return d
}

// A Share is the part of a message's cost that is due to a parameter of the model; see
// [Design.Shares].
type Share struct {
	Path   string // "stage.copy-out.beta"
	Owner  string // for people: a stage with both its parameters ("copy-out"), or a parameter ("o_r")
	OneWay quantity.Micros
	Gap    quantity.Micros
}

// Uses returns the parameters that the layer's costs depend on; see [platforms.Platform.Uses].
func (d Design) Uses() []platforms.Param {
	all, _ := d.Platform.Uses(d.Layer.Name) // the layer is there
	return all
}

// compile returns the layer as a program of some of its parameters, and their values.
func (d Design) compile(params ...platforms.Param) (*platforms.Program, []float64) {
	paths, values := make([]string, len(params)), make([]float64, len(params))
	for i, p := range params {
		paths[i], values[i] = p.Path, p.Value.Num
	}
	prog, err := d.Platform.Compile(d.Layer.Name, paths...)
	if err != nil {
		panic(err) // the layer and its parameters are there
	}
	return prog, values
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

func (d Design) set(text string) (Design, error) {
	name, right, ok := strings.Cut(text, "=")
	if !ok {
		return d, fmt.Errorf(`nothing is set; write NAME=VALUE, as in "o_r=2us" or "o_r*=0.5"`)
	}
	operator := byte('=')
	if name = strings.TrimSpace(name); name != "" && strings.IndexByte("*/+-", name[len(name)-1]) >= 0 {
		operator, name = name[len(name)-1], strings.TrimSpace(name[:len(name)-1])
	}
	p, err := d.Platform.Find(d.Layer.Name, name)
	if err != nil {
		return d, err
	}
	change := platforms.Change{Path: p.Path, Text: strings.TrimSpace(right)}
	if operator != '=' || !p.TakesWord(change.Text) {
		if change.Value, change.PlusMinus, err = d.value(p, operator, change.Text); err != nil {
			return d, err
		}
		change.Text = Format(change.Value)
		if change.PlusMinus > 0 {
			change.Text += " ± " + Format(quantity.Value{Num: change.PlusMinus, Dim: change.Value.Dim})
		}
	}
	next, err := d.rebuild(change)
	if err != nil {
		return d, err
	}
	next.Changes = append(d.Changes[:len(d.Changes):len(d.Changes)], Assignment{text, p.Path, TextOf(p), change.Text})
	return next, nil
}

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

func (d Design) rebuild(changes ...platforms.Change) (Design, error) {
	p, err := d.Platform.With(d.Layer.Name, changes...)
	if err != nil {
		return d, err
	}
	l, err := p.Layer(d.Layer.Name)
	d.Platform, d.Layer, d.Whole = p, l, false
	return d, err
}

// value computes the new value that an assignment gives the parameter, and half of its interval.
func (d Design) value(p platforms.Param, operator byte, right string) (quantity.Value, float64, error) {
	v, within, err := platforms.EvalInterval(right, func(formula string) (quantity.Value, error) { return d.Layer.Eval(formula, 0) })
	if err != nil {
		return v, 0, err
	}
	want := p.Value.Dim
	if operator == '*' || operator == '/' {
		want = quantity.DimNone
	}
	if v.Dim == quantity.DimNone && want == quantity.DimSize { // a number of bytes
		v.Dim = want
	}
	if v.Dim != want {
		return v, 0, fmt.Errorf("%q is %s; %s takes %s here", right, v.Dim, p.Path, want)
	}
	if operator == '=' {
		return v, within, nil
	}
	if within > 0 {
		return v, 0, fmt.Errorf("an interval belongs to a new value; write %s=VALUE ± HALF", p.Path)
	}
	if p.Word != "" {
		return v, 0, fmt.Errorf("%s is the word %q, which cannot be scaled; write %s=4KiB", p.Key, p.Word, p.Key)
	}
	now, within := p.Value, p.PlusMinus
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

// TextOf prints the parameter's value; packets may be a word.
func TextOf(p platforms.Param) string {
	if p.Word != "" {
		return p.Word
	}
	return Format(p.Value)
}

// Format prints a value for people, in the unit of its dimension.
func Format(v quantity.Value) string { return quantity.UnitChoice(nil).Print(v) }

// Encode returns the design as a platform file, below the comment: the layer and its parts, or the
// whole platform if nothing was changed. A changed layer has no measured points: they would stand
// for the next measurement of a design that was never measured.
func (d Design) Encode(comment string) ([]byte, error) {
	doc := d.Platform.Document()
	if len(d.Changes) > 0 {
		doc.Tables = slices.DeleteFunc(doc.Tables, func(t platforms.Table) bool { return t.Kind == "measured" })
		for i, t := range doc.Tables {
			if t.Kind == "layer" {
				doc.Tables[i].Keys = slices.DeleteFunc(slices.Clone(t.Keys), func(k platforms.Key) bool { return k.Name == "measured" })
			}
		}
	}
	return doc.Encode(comment)
}
