package platforms

import (
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
	Layer    Layer        // one of the platform's
	Whole    bool         // no layer was named: ranks run on all levels of the platform
	Changes  []Assignment // from the platform's file to here, in order
}

// FindDesign returns the design that a platform's file describes; see [Find]. It is an error if
// its times are not those of messages.
func FindDesign(ref string) (Design, error) {
	d, err := FindAnyDesign(ref)
	if err == nil {
		err = d.Layer.Messages()
	}
	return d, err
}

// FindAnyDesign is like [FindDesign], and also accepts a layer with the times of a stream, an
// operation or a collective.
func FindAnyDesign(ref string) (Design, error) {
	p, l, err := Find(ref)
	return Design{Platform: p, Layer: l, Whole: len(p.Levels) > 0 && !NamesLayer(ref)}, err
}

// Machine returns the machine of the platform's levels, or one without levels if ranks run on the
// layer alone.
func (d Design) Machine() machine.Machine {
	if !d.Whole {
		return machine.Machine{}
	}
	// It is there: only With leaves out layers of levels, and it sets Whole to false.
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

// Uses returns the parameters that the layer's costs depend on.
func (d Design) Uses() []Param {
	all, _ := d.Platform.uses(d.Layer.Name) // the layer is there
	return all
}

// Compile returns the layer as a program of some of its parameters, and their values.
func (d Design) Compile(params ...Param) (*Program, []float64) {
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
	p, err := d.Platform.Find(d.Layer.Name, name)
	if err != nil {
		return d, err
	}
	change := Change{Path: p.Path, Text: strings.TrimSpace(right)}
	// A word can be assigned, but neither scaled nor added to.
	if operator != '=' || !p.TakesWord(change.Text) {
		if change.Value, change.PlusMinus, err = d.NewValue(p, operator, change.Text); err != nil {
			return d, err
		}
		// Costs multiply it by sizes, and people read it in larger units: both would overflow.
		if !(math.Abs(change.Value.Num) < maxValue) {
			return d, fmt.Errorf("the new value is not finite; %s is %s", p.Path, p.Shown())
		}
		change.Text = change.Value.String()
		if change.PlusMinus > 0 {
			half := quantity.Value{Num: change.PlusMinus, Dim: change.Value.Dim}
			change.Text += " ± " + half.String()
		}
	}
	next, err := d.With(change)
	if err != nil {
		return d, err
	}
	made := Assignment{text, p.Path, p.Shown(), change.Text}
	// Clipped, since two designs made from this one must not share the end of the list.
	next.Changes = append(slices.Clip(d.Changes), made)
	return next, nil
}

// maxValue is the value, in µs and bytes, from which a parameter counts as infinite.
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

// With returns the design with some parameters changed; see [Design.With]. Its ranks run on the
// layer alone, since the layers of a machine's other levels are left out.
func (d Design) With(changes ...Change) (Design, error) {
	p, err := d.Platform.with(d.Layer.Name, changes...)
	if err != nil {
		return d, err
	}
	l, err := p.Layer(d.Layer.Name)
	d.Platform, d.Layer, d.Whole = p, l, false
	return d, err
}

// NewValue computes the new value that an assignment gives the parameter, and half of its interval.
func (d Design) NewValue(p Param, operator byte, right string) (quantity.Value, float64, error) {
	v, within, err := evalInterval(right, func(formula string) (quantity.Value, error) {
		return d.Layer.Eval(formula, 0)
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
		return v, 0, fmt.Errorf("%q is %s; %s takes %s here", right, v.Dim, p.Path, want)
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

// Shown returns the parameter's value as people read it; packets may be a word.
func (p Param) Shown() string {
	if p.Word != "" {
		return p.Word
	}
	return p.Value.String()
}

// Encode returns the design as a platform file, below the comment: the layer and its parts, or the
// whole platform if nothing was changed. See [Platform.File].
func (d Design) Encode(comment string) []byte { return d.Platform.File().Encode(comment) }

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
