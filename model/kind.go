package model

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Kinds lists the kinds of model. A kind's row defines a layer's keys in a platform file, its
// parameters that can be changed, and their descriptions.
var Kinds = []*Kind{
	linearKind, logPKind, logGPKind, pipelineKind, switchKind, envelopeKind, fragmentedKind, seriesKind, tableKind, sharedKind,
}

// FindKind returns the kind with this name in a platform file, or with this name in an older
// version.
func FindKind(name string) (kind *Kind, found bool) {
	for _, k := range Kinds {
		if k.Name == name || slices.Contains(k.Formerly, name) {
			return k, true
		}
	}
	return nil, false
}

// A Kind is a kind of model.
type Kind struct {
	Name     string   // in a platform file: model = "linear"
	Formerly []string // names in older versions
	Cost     string   // of n bytes, one way, in a line

	Fields   []Field                                             // its parameters
	Parts    []Part                                              // the layers that it contains
	Branches func(l Layer) *[]Branch                             // key "branches"
	Stages   func(l Layer) *[]Stage                              // key "stages"
	Bounds   bool                                                // branches have maximum sizes
	Aliases  map[string][]string                                 // keys that stand for several fields
	Given    func(has func(key string) bool) (key, wrong string) // checks the keys
	// Check returns the key of an invalid parameter, and the reason. It allocates nothing for a
	// valid layer. nil: every layer is valid.
	Check func(l Layer) (key string, err error)
	// Asks is the maximum number of predictions of a part or branch in one prediction of the layer.
	Asks int
	// Steps returns the number of arithmetic steps of a prediction beyond its parts; nil: one.
	Steps func(l Layer) float64

	new  func() Layer
	copy func(Layer) Layer
}

// A Part describes a layer inside another.
type Part struct {
	Key      string // in a platform file; its value names a layer
	Optional bool
	At       func(l Layer) *Layer
}

// A Field is a parameter of a kind of model: a row for each key that a file may give.
type Field struct {
	Key      string
	Measure  Measure
	Optional bool
	List     bool     // the key has a list of values
	Symbol   string   // "β"
	Phrase   string   // "fixed cost of a message"
	Words    []string // that can replace a number
	// At returns a pointer to the parameter: a *quantity.Micros, *quantity.MicrosPerByte,
	// *quantity.Bytes, *int or *Cut; for a list a pointer to a slice of those.
	At func(l Layer) any
}

// layerOf is a pointer to T that is a layer.
type layerOf[T any] interface {
	*T
	Layer
}

// kindOf returns the row k of the layer *T with the functions that make and copy one.
func kindOf[T any, P layerOf[T]](k Kind) *Kind {
	k.new = func() Layer { return P(new(T)) }
	k.copy = func(l Layer) Layer {
		c := *l.(P)
		return P(&c)
	}
	return &k
}

// New returns a layer of the kind without parts, all of its parameters zero.
func (k *Kind) New() Layer { return k.new() }

// Keys returns the keys of the kind in a platform file.
func (k *Kind) Keys() []string {
	var keys []string
	for _, p := range k.Parts {
		keys = append(keys, p.Key)
	}
	if k.Branches != nil {
		keys = append(keys, "branches")
	}
	if k.Stages != nil {
		keys = append(keys, "stages")
	}
	for _, f := range k.Fields {
		keys = append(keys, f.Key)
	}
	return keys
}

// A Measure is the quantity that a parameter measures.
type Measure int

// The measures of parameters.
const (
	Plain   Measure = iota // any number: a constant of a platform
	Time                   // in µs, not negative
	PerByte                // an inverse bandwidth in µs per byte, not negative
	Size                   // a whole number of bytes, ≥ 1
	Count                  // a whole number, ≥ 1
)

// maxCount is the largest value of a field that counts something.
const maxCount = 1 << 30

// Whole reports whether only whole numbers are possible.
func (m Measure) Whole() bool { return m == Size || m == Count }

// Cost reports whether costs grow with the parameter: it is a time or an inverse bandwidth.
func (m Measure) Cost() bool { return m == Time || m == PerByte }

// Check returns the reason why v is not a valid value of a parameter, or nil.
func (m Measure) Check(v quantity.Value) (err error) {
	switch m {
	case Plain:
		if math.IsNaN(v.Num) || math.IsInf(v.Num, 0) {
			err = fmt.Errorf("%s must be finite", v.Dim)
		}
	case Time:
		_, err = v.Micros()
	case PerByte:
		_, err = v.MicrosPerByte()
	case Size:
		if n, bad := v.Bytes(); bad != nil {
			err = bad
		} else if n < 1 {
			err = fmt.Errorf("must be at least 1 byte")
		}
	case Count:
		if n, bad := v.Number(); bad != nil {
			err = bad
		} else if n > maxCount {
			err = fmt.Errorf("must be a whole number, at most %d", maxCount)
		} else if n < 1 || n != math.Trunc(n) {
			err = fmt.Errorf("must be a whole number, at least 1")
		}
	}
	return err
}

// A Knob points to a parameter in a layer.
type Knob struct {
	num   *float64
	count *int
	cut   *Cut
}

// knobAt returns the knob for a pointer from [Field.At].
func knobAt(at any) Knob {
	switch at := at.(type) {
	case *quantity.Micros:
		return Knob{num: (*float64)(at)}
	case *quantity.MicrosPerByte:
		return Knob{num: (*float64)(at)}
	case *quantity.Bytes:
		return Knob{num: (*float64)(at)}
	case *int:
		return Knob{count: at}
	case *Cut:
		return Knob{cut: at}
	}
	panic(fmt.Sprintf("model: a field is a %T", at))
}

// Knob returns the knob of the field in l; i is the index in a list, else ignored.
func (f *Field) Knob(l Layer, i int) Knob {
	switch at := f.At(l).(type) {
	case *[]quantity.Micros:
		return knobAt(&(*at)[i])
	case *[]quantity.Bytes:
		return knobAt(&(*at)[i])
	default:
		return knobAt(at)
	}
}

// Grow gives the list of the field n elements.
func (f *Field) Grow(l Layer, n int) {
	switch at := f.At(l).(type) {
	case *[]quantity.Micros:
		*at = make([]quantity.Micros, n)
	case *[]quantity.Bytes:
		*at = make([]quantity.Bytes, n)
	default:
		panic("model: the field " + f.Key + " is not a list")
	}
}

// Knob returns the knob of the largest size that the branch serves.
func (b *Branch) Knob() Knob { return knobAt(&b.UpTo) }

// Knobs returns the knobs of β and τ of the stage.
func (s *Stage) Knobs() (beta, tau Knob) { return knobAt(&s.Beta), knobAt(&s.Tau) }

// Set gives the parameter a value, in µs and bytes.
func (s Knob) Set(v float64) {
	switch {
	case s.num != nil:
		*s.num = v
	case s.count != nil:
		*s.count = int(v)
	default:
		*s.cut = Cut{CutFixed, quantity.Bytes(v)}
	}
}

// SetWord gives the parameter a word of its field's Words.
func (s Knob) SetWord(word string) {
	rule, found := cutRules[word]
	if s.cut == nil || !found {
		panic("model: no word for this parameter: " + word)
	}
	*s.cut = Cut{Rule: rule}
}

func children(l Layer) []*Layer {
	var all []*Layer
	k := l.Kind()
	for _, p := range k.Parts {
		if at := p.At(l); *at != nil {
			all = append(all, at)
		}
	}
	if k.Branches != nil {
		branches := *k.Branches(l)
		for i := range branches {
			all = append(all, &branches[i].Layer)
		}
	}
	return all
}

// Clone returns a deep copy of a layer; a part that is used twice is copied twice.
func Clone(l Layer) Layer {
	k := l.Kind()
	l = k.copy(l)
	if k.Branches != nil {
		at := k.Branches(l)
		*at = slices.Clone(*at)
	}
	if k.Stages != nil {
		at := k.Stages(l)
		*at = slices.Clone(*at)
	}
	for i := range k.Fields {
		switch at := k.Fields[i].At(l).(type) {
		case *[]quantity.Micros:
			*at = slices.Clone(*at)
		case *[]quantity.Bytes:
			*at = slices.Clone(*at)
		}
	}
	for _, c := range children(l) {
		*c = Clone(*c)
	}
	return l
}

func walk(l Layer, visit func(Layer)) {
	visit(l)
	for _, c := range children(l) {
		walk(*c, visit)
	}
}

// Work returns the maximum number of steps of a prediction; a layer that is used twice counts
// twice. The map, which may be nil, holds the results for layers already visited.
func Work(l Layer, known map[Layer]float64) float64 {
	if w, done := known[l]; done {
		return w
	}
	k := l.Kind()
	w := 1.0
	if k.Steps != nil {
		w = k.Steps(l)
	}
	for _, c := range children(l) {
		w += float64(k.Asks) * Work(*c, known)
	}
	if known != nil {
		known[l] = w
	}
	return w
}

// Freeze fixes the packets of a message of n bytes and the branches that it takes, so that later
// changes of costs in l and its parts do not affect them. It changes l.
func Freeze(l Layer, n quantity.Bytes) {
	if f, ok := l.(interface{ freeze(quantity.Bytes) }); ok {
		f.freeze(n)
	}
	if s, ok := l.(Selector); ok {
		_, inner := s.Select(n)
		Freeze(inner, n)
		return
	}
	if p, ok := l.(*Fragmented); ok {
		n = min(n, p.MTU)
	}
	for _, c := range children(l) {
		Freeze(*c, n)
	}
}
