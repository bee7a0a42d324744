package platforms

import (
	"errors"
	"fmt"
	"math"
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

	words []string // that it may have in place of a number
}

// TakesWord reports whether the word can stand in place of a number.
func (p Param) TakesWord(word string) bool { return slices.Contains(p.words, word) }

// Whole reports whether only whole numbers can be its value: a size, a window.
func (p Param) Whole() bool { return p.Measure.Whole() }

// Short returns the path without the table: "copy-in.beta".
func (p Param) Short() string {
	_, short, _ := strings.Cut(p.Path, ".")
	return short
}

// A slot is a parameter as a formula reads it.
type slot struct {
	Param
	at      string        // the key in the file that errors name
	formula *formula.Expr // of slots; nil if the parameter has been changed
	within  *string       // text behind ±, if given
	changed bool          // it has another value than in the file
	written float64       // the value in the file
	derived bool          // the file computes it from others
}

// reads returns the slots that the formula names; none for a number, or once a change replaced it.
func (s slot) reads() []int {
	if s.formula == nil {
		return nil
	}
	return s.formula.Reads()
}

// check returns an error if the slot cannot have its value.
// A word was checked when it was read or assigned.
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

// askedFor returns which of the parameters changes a quantity that is not a parameter itself, and
// how; "" if none does.
func askedFor(quantity string, params []string) string {
	for _, row := range []struct{ quantity, param, text string }{
		{"bandwidth", "G", "twice the bandwidth"}, {"bandwidth", "tau", "twice the bandwidth"},
		{"latency", "L", "half the latency"}, {"latency", "beta", "half the latency"}} {
		if row.quantity == quantity && slices.Contains(params, row.param) {
			return fmt.Sprintf("; %s is %s*=0.5", row.text, row.param)
		}
	}
	return ""
}
