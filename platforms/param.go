package platforms

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/formula"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Param is a parameter of a platform, with its value.
type Param struct {
	Path    string // "stage.copy-in.beta": tables and key, as in the file
	Table   string // "stage", "layer", "level", or "constant", which a model has by formulas alone
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

	words   []string                // that it may have in place of a number
	at      string                  // the key in the file that errors name
	in      func(l model.Layer) any // a pointer to it in a layer; nil outside of layers
	formula *formula.Expr           // of other parameters; nil if it has been changed
	within  *string                 // text behind ±, if given
	changed bool                    // it has another value than in the file
	written float64                 // the value in the file
	ofEnds  bool                    // its formula is that of a table's ends
}

// HalfWidth returns half of the interval's width, for [Param.PlusMinus]. Intervals of lines
// are symmetric (Student's t). Only a coarse clock makes that of β asymmetric (fit
// widens it upwards by a step, downwards by half), and the file then has it around
// the value. Of an interval that was cut at 0, the upper half is kept: readers cut it
// again. It is 0 if two points gave no interval (NaN or infinite), or an
// exact fit a width of 0.
func HalfWidth(in quantity.Interval) float64 {
	half := (in.High - in.Low) / 2
	if in.Low == 0 {
		half = in.High - in.Value
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return 0
	}
	return half
}

// TakesWord reports whether the word can stand in place of a number.
func (p Param) TakesWord(word string) bool { return slices.Contains(p.words, word) }

// Whole reports whether only whole numbers can be its value: a size, a window.
func (p Param) Whole() bool { return p.Measure.Whole() }

// Counted reports whether only whole values of the parameter are possible machines: of sizes and
// counts, and of a whole number of ports or lanes, which no machine has in parts.
func (p Param) Counted() bool {
	return p.Whole() || p.Measure == model.Share && p.Value.Num == math.Trunc(p.Value.Num)
}

// Short returns the path without the table: "copy-in.beta".
func (p Param) Short() string {
	_, short, _ := strings.Cut(p.Path, ".")
	return short
}

// reads returns the parameters that the formula names; none for a number, or once a change replaced
// it.
func (p *Param) reads() []int {
	if p.formula == nil {
		return nil
	}
	return p.formula.Reads()
}

// check returns an error if the parameter cannot have its value.
// A word was checked when it was read or assigned.
func (p *Param) check() error {
	if p.Word != "" {
		return nil
	}
	return p.Measure.Check(p.Value)
}

// compute computes the value and its interval from the parameters that it reads.
func (p *Param) compute(values []float64) error {
	p.Value.Num = p.formula.Compute(values)
	if p.PlusMinus = 0; p.within == nil {
		return nil
	}
	var err error
	p.PlusMinus, err = halfWidth(*p.within, p.Value)
	return err
}

// setNumber gives the parameter at a pointer a value, in µs and bytes. The pointer has one of the
// types of [model.Field.At], or is a *float64.
func setNumber(at any, v float64) {
	switch at := at.(type) {
	case *float64:
		*at = v
	case *quantity.Micros:
		*at = quantity.Micros(v)
	case *quantity.MicrosPerByte:
		*at = quantity.MicrosPerByte(v)
	case *quantity.Bytes:
		*at = quantity.Bytes(v)
	case *int:
		*at = int(v)
	case *model.Cut:
		*at = model.Cut{Rule: model.CutFixed, Size: quantity.Bytes(v)}
	default:
		panic(fmt.Sprintf("platforms: a parameter is a %T", at))
	}
}

// setWord gives the packets at a pointer a word of [model.CutWords].
func setWord(at any, word string) {
	cut, err := model.ParseCut(word)
	if err != nil {
		panic("platforms: no word for this parameter: " + word)
	}
	*at.(*model.Cut) = cut
}

// makeList makes the list of a [model.Field], at a pointer, n long.
func makeList(at any, n int) {
	list := reflect.ValueOf(at).Elem()
	list.Set(reflect.MakeSlice(list.Type(), n, n))
}

// length returns the length of such a list.
func length(at any) int { return reflect.ValueOf(at).Elem().Len() }

// element returns a pointer to an element of such a list.
func element(at any, i int) any { return reflect.ValueOf(at).Elem().Index(i).Addr().Interface() }

// evalInterval computes a formula with an optional interval, "3.0us ± 0.1us", as in files: its
// value, and half the width of the interval in the unit of the value; 0 without an interval.
func evalInterval(
	text string, eval func(formula string) (quantity.Value, error),
) (v quantity.Value, plusMinus float64, err error) {
	formula, within, found := cutInterval(text)
	if v, err = eval(formula); err != nil || !found {
		return v, 0, err
	}
	plusMinus, err = halfWidth(within, v)
	return v, plusMinus, err
}

// cutInterval splits "3.0us ± 0.1us" at ±, or at +/-, which a keyboard has.
func cutInterval(text string) (formula, within string, found bool) {
	if formula, within, found = strings.Cut(text, "±"); found {
		return formula, within, true
	}
	return strings.Cut(text, "+/-")
}

// halfWidth reads the text behind ±: a number in the unit of v, or a percentage of it.
func halfWidth(text string, v quantity.Value) (float64, error) {
	w, err := formula.Eval(text, nil)
	switch {
	case err != nil:
		return 0, fmt.Errorf("behind ±: %w", err)
	// Without % a plain number is refused: "5us ± 0.1" could be 10 % or 0.1 µs.
	case w.Dim == quantity.DimNone && v.Dim != quantity.DimNone && strings.Contains(text, "%"):
		w.Num *= math.Abs(v.Num)
	case w.Dim != v.Dim:
		return 0, fmt.Errorf("%s ± %s; both have one unit, or the second is a percentage",
			v.Dim, w.Dim)
	}
	// Negated, so that NaN fails as well.
	if !(w.Num >= 0) || math.IsInf(w.Num, 0) {
		return 0, errors.New("the half-width behind ± must be finite and not negative")
	}
	return w.Num, nil
}
