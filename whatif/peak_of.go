package whatif

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Peak is where a layer's bandwidth levels off.
type Peak struct {
	Layer     string // "clip/pio"
	Timed     platforms.Timed
	Asymptote quantity.MBps
	Half      quantity.Bytes
	Known     bool // false: the intervals of the parameters leave r∞ and n½ without a bound
	Exists    bool // false: no cost is per byte
}

// PeakOf is the peak of a design.
func PeakOf(d Design) (Peak, error) {
	p := Peak{Layer: d.Layer.Ref(), Timed: d.Layer.Timed, Asymptote: model.Asymptote(d.Layer.Model)}
	p.Half, p.Exists = model.HalfPeak(d.Layer.Model)
	p.Exists = p.Exists && !math.IsInf(float64(p.Asymptote), 0)
	var err error
	p.Known, err = d.PeakKnown()
	return p, err
}

// Text tells the peak in words.
func (p Peak) Text(units quantity.UnitChoice) string {
	switch {
	case p.Timed.Of == platforms.Operation || p.Timed.Of == platforms.Collective:
		return "times of: " + p.Timed.String()
	case !p.Exists:
		return "no cost is per byte, so bandwidth has no peak"
	case !p.Known:
		return "r∞ = –, n½ = –: the interval of the time per byte holds 0"
	}
	return fmt.Sprintf("r∞ = %s, n½ = %s", units.Print(rate(p.Asymptote)), p.Half)
}

func rate(r quantity.MBps) quantity.Value {
	return quantity.Value{Num: float64(r), Dim: quantity.DimRate}
}
