package platforms

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// peakKnown reports whether the intervals of the parameters bound r∞: whether the interval of the
// time per byte of long messages, τ∞ = 1/r∞, excludes 0. Its half width is
//
//	h = √Σ_i (τ∞(p_i + h_i) − τ∞(p_i))²
//
// Where: h_i = half of the 95 % interval of parameter p_i, independent of the others.
// It is true if no parameter has an interval.
func (d Design) peakKnown() bool {
	perByte := func(l model.Layer) float64 { return 1 / float64(model.Asymptote(l)) }
	// A computed parameter moves with its inputs, whose intervals count here; its own would count
	// twice.
	uses := slices.DeleteFunc(d.Uses(), func(p Param) bool {
		return !(p.PlusMinus > 0) || d.Platform.Computed(p.Path)
	})
	if len(uses) == 0 {
		return true
	}
	prog, values := d.Compile(uses...)
	now, squares := perByte(d.Layer.Model), 0.0
	for i, p := range uses {
		values[i] = p.Value.Num + p.PlusMinus
		if prog.Set(values...) {
			by := perByte(prog.Layer()) - now
			squares += by * by
		}
		values[i] = p.Value.Num
	}
	// squares is 0 if no uncertain parameter costs anything per byte, as L and o do not.
	return squares == 0 || now > math.Sqrt(squares)
}

// A Peak is where a layer's bandwidth levels off.
type Peak struct {
	Layer     string // "clip/pio"
	Timed     Timed
	Asymptote quantity.MBps
	Half      quantity.Bytes
	Known     bool // false: the intervals of the parameters leave r∞ and n½ without a bound
	Exists    bool // false: no cost is per byte
}

// Peak returns the peak of the layer. It is not known if the intervals of the parameters leave it
// open.
func (l Layer) Peak() Peak {
	p := Peak{Layer: l.Ref(), Timed: l.Timed, Asymptote: model.Asymptote(l.Model)}
	// A layer of no file has no parameters with intervals.
	p.Known = l.scope == nil || len(l.scope.Layers) == 0 ||
		Design{Platform: *l.scope, Layer: l}.peakKnown()
	p.Half, p.Exists = model.HalfPeak(l.Model)
	p.Exists = p.Exists && !math.IsInf(float64(p.Asymptote), 0)
	return p
}

// Text returns the peak in words.
func (p Peak) Text(units quantity.UnitChoice) string {
	switch {
	case p.Timed.Of == Operation || p.Timed.Of == Collective:
		return "times of: " + p.Timed.String()
	case !p.Exists:
		return "no cost is per byte, so bandwidth has no peak"
	case !p.Known:
		return "r∞ = –, n½ = –: the interval of the time per byte holds 0"
	}
	// The rate follows the user's choice of units; a size reads the same in all of them.
	rate := quantity.Value{Num: float64(p.Asymptote), Dim: quantity.DimRate}
	return fmt.Sprintf("r∞ = %s, n½ = %s", units.Print(rate), p.halfText())
}

// halfText returns n½ for people: of five digits or more, three are enough.
func (p Peak) halfText() string {
	half := p.Half
	if half.String() == fmt.Sprintf("%.0f B", float64(half)) && half > 10*quantity.KiB {
		half = quantity.Bytes(math.Nextafter(float64(half), 0))
	}
	return half.String()
}
