package platforms

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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
		return d, noAssignment(text)
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
		// A value that no branch can have is the first thing to mend.
		if of != "" {
			one := params[0]
			one.Path = name
			if _, err := d.changed(one, operator, right); err != nil {
				return d, err
			}
		}
		p, err := d.Find(name)
		if err != nil && of != "" {
			err = fmt.Errorf("%w, or change all by a factor, as in %s*=0.5", err, name)
		}
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
	if d.from == nil {
		next.from = &d.Platform
	}
	return next, nil
}

// changed returns the change that an assignment makes to a parameter.
func (d Design) changed(p Param, operator byte, right string) (change Change, err error) {
	change = Change{Path: p.Path, Text: strings.TrimSpace(right)}
	if strings.Contains(right, "..") {
		return change, fmt.Errorf("%s is a range; give one value, or ask whatif sweep",
			change.Text)
	}
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
		return v, 0, p.takes(want, v.Dim, operator, right)
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
func (p Param) takes(want, got quantity.Dimension, operator byte, operand string) error {
	hint := ""
	if factor, ok := PercentFactor(string(operator) + operand); ok {
		return fmt.Errorf("%q is a part of the value; write %s*=%.6g", operand, p.Path, factor)
	}
	if _, unit, has := strings.Cut(p.Shown(), " "); has && got == quantity.DimNone &&
		!strings.Contains(operand, "%") {
		hint = fmt.Sprintf(", as in %s%s (now %s)", strings.TrimSpace(operand),
			strings.ReplaceAll(unit, "µ", "u"),
			strings.NewReplacer(" ", "", "µ", "u").Replace(p.Shown()))
	}
	if want == quantity.DimInverse && got == quantity.DimRate {
		hint = fmt.Sprintf("; write 1/(%s)", operand)
	}
	return fmt.Errorf("%q is %s; %s takes %s here%s", operand, got, p.Path, want, hint)
}

// noAssignment returns the error of a change without "=", with the one that was meant.
func noAssignment(text string) error {
	meant := `NAME=VALUE, as in "o_r=2us" or "o_r*=0.5"`
	if words := strings.Fields(text); len(words) == 2 {
		meant = strings.Join(words, "=")
		if factor, ok := PercentFactor(words[1]); ok {
			meant = fmt.Sprintf("%s*=%.6g", words[0], factor)
		}
	}
	return fmt.Errorf("nothing is set; write %s", meant)
}

// percent matches a change by a percentage, such as "-50%", behind its operator, "=" or none.
var percent = regexp.MustCompile(`^=?\s*([+-]?)\s*([0-9]+(?:\.[0-9]*)?)\s*%$`)

// PercentFactor returns the factor of a change that is written as a percentage: 0.5 of "-50%" or
// "=-50%", 1.1 of "+10%", and 0.9 of "=90%"; false for other texts, and for a change that leaves
// nothing.
func PercentFactor(change string) (factor float64, ok bool) {
	m := percent.FindStringSubmatch(change)
	if m == nil {
		return 0, false
	}
	part, err := strconv.ParseFloat(m[2], 64)
	factor = part / 100
	switch m[1] {
	case "+":
		factor++
	case "-":
		factor = 1 - factor
	}
	return factor, err == nil && factor > 0
}

// Shown returns the parameter's value as people read it; packets may be a word.
func (p Param) Shown() string {
	if p.Word != "" {
		return p.Word
	}
	return p.Value.String()
}

// Recut returns the design with the packets of all its pipelines set to a size or to a word of
// [model.CutWords]; an empty text changes nothing.
func (d Design) Recut(packet string) (Design, error) {
	if packet == "" {
		return d, nil
	}
	cut, err := model.ParseCut(packet)
	if err != nil {
		return d, usage.Error{Err: err}
	}
	if _, err = model.Recut(d.Layer.Model, cut); err != nil {
		return d, fmt.Errorf("%.40s: %s: %w", packet, d.Layer.Ref(), err)
	}
	var changes []Change
	var made []Assignment
	for _, p := range d.Uses() {
		if p.Key != "packets" {
			continue
		}
		c := Change{Path: p.Path, Text: packet}
		if cut.Rule == model.CutFixed {
			c.Value = quantity.Value{Num: float64(cut.Size), Dim: quantity.DimSize}
			c.Text = c.Value.String()
		}
		changes = append(changes, c)
		made = append(made, Assignment{p.Path + "=" + packet, p.Path, p.Shown(), c.Text})
	}
	next, err := d.With(changes...)
	next.Changes = append(slices.Clip(d.Changes), made...)
	return next, err
}
