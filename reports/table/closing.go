package table

import (
	"math"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Closing is the last line of an answer: the values that were asked for if there are at most
// three, else their range and the least certain of them; then their error, and what to do if that
// is too large.
type Closing struct {
	Subject string   // what all values are of, "allreduce on 64 ranks"; may be empty
	Values  []Closed // in the order of the question
	Changes string   // how values beyond three differ, "fastest: ring up to 64 KiB, …"
	Error   string   // the error of values without intervals
	Next    string   // what to do if that is not good enough
}

// A Closed is a value of a [Closing].
type Closed struct {
	Of    any // what tells it from the others: a size, or a name; nil if nothing has to
	Value any // a quantity, an [Interval] or a [Change]
	With  any // what follows it, as a text or [Sentence]; nil for nothing
}

// maxStretches is the number of changes of a name that a closing line lists.
const maxStretches = 4

// Stretches says which name stands at which of the sizes, as "ring at 8 B, tree at 64 B to 1 MiB":
// of sizes between two of them nothing is known. It is empty if that would be a long list.
func Stretches(names []string, sizes []quantity.Bytes) string {
	var words []string
	from := 0
	for i, name := range names {
		if last := i == len(names)-1; !last && names[i+1] == name {
			continue
		}
		at := About(sizes[from])
		if from < i {
			at += " to " + About(sizes[i])
		}
		words, from = append(words, name+" at "+at), i+1
	}
	if len(words) > maxStretches {
		return ""
	}
	return strings.Join(words, ", ")
}

// MaxClosed is the number of values up to which a closing line has all.
const MaxClosed = 3

// Say returns the line. Without values it is no sentence.
func (c Closing) Say() Sentence {
	if len(c.Values) == 0 {
		return Sentence{}
	}
	line := c.ranged()
	if len(c.Values) <= MaxClosed {
		line = Listed("; ", c.Values, Closed.say)
	}
	if c.Subject != "" {
		line = Say("%s: %v", c.Subject, line)
	}
	changes := c.Changes
	if len(c.Values) <= MaxClosed {
		changes = ""
	}
	for _, more := range []string{changes, c.Error, c.Next} {
		if more != "" {
			line = Say("%v; %s", line, more)
		}
	}
	return line
}

// Groups returns the values with equal keys together, in the order of each key's first value.
func Groups[T any, K comparable](all []T, key func(T) K) (groups [][]T) {
	at := map[K]int{}
	for _, v := range all {
		k := key(v)
		i, known := at[k]
		if !known {
			i = len(groups)
			at[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], v)
	}
	return groups
}

// Listed joins the sentences of values by a separator.
func Listed[T any](separator string, all []T, say func(T) Sentence) (line Sentence) {
	for i, v := range all {
		if line = Say("%v%s%v", line, separator, say(v)); i == 0 {
			line = say(v)
		}
	}
	return line
}

// say returns the value with its name.
func (v Closed) say() Sentence {
	text := Say("%v", v.Value)
	if v.Of != nil {
		text = Say("%v: %v", v.Of, text)
	}
	if v.With != nil {
		text = Say("%v%v", text, v.With)
	}
	return text
}

// ranged returns the least and the largest of many values, and that with the widest interval; of
// changes, the largest.
func (c Closing) ranged() Sentence {
	least, most, worst := c.Values[0], c.Values[0], c.Values[0]
	for _, v := range c.Values {
		if math.IsNaN(number(least.Value)) {
			least, most, worst = v, v, v
		}
		if number(v.Value) < number(least.Value) {
			least = v
		}
		if number(v.Value) > number(most.Value) {
			most = v
		}
		if doubt(v.Value) > doubt(worst.Value) {
			worst = v
		}
	}
	text := Say("%v to %v", alone(least.Value), alone(most.Value))
	if first, last := c.Values[0].Of, c.Values[len(c.Values)-1].Of; first != last {
		text = Say("%v to %v: %v", first, last, text)
	}
	switch _, changed := worst.Value.(Change); {
	case !(doubt(worst.Value) > 0):
		return text
	case changed:
		return Say("most at %v", worst.say())
	}
	worst.With = nil
	return Say("%v; least certain at %v", text, worst.say())
}

// number returns the value of a cell, without its interval and after its change.
func number(cell any) float64 {
	switch v := cell.(type) {
	case Interval:
		return v.Value
	case Change:
		return v.To
	}
	if _, numbers, _, ok := scalable(cell); ok {
		return numbers[0]
	}
	return toFloat(cell)
}

// doubt returns the width of a cell's interval in parts of its value, or how far a change goes; 0
// for a value alone.
func doubt(cell any) float64 {
	switch v := cell.(type) {
	case Interval:
		return (v.High - v.Low) / v.Value
	case Change:
		return math.Abs(math.Log(v.To / v.From))
	}
	return 0
}

// alone returns a cell without its interval.
func alone(cell any) any {
	if i, ok := cell.(Interval); ok {
		return Shown(i.Dim, quantity.Alone(i.Value))
	}
	return cell
}
