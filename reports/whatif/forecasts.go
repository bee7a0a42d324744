package whatif

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// followerOf returns the quantity that follows from the one-way time and equals the
// one asked for at these sizes: if messages do not overlap, the gap is the one-way
// time. Only such quantities have a next measurement, since one-way times were
// measured.
func followerOf(d Design, name string, sizes []quantity.Bytes) (_ *model.Quantity, follows bool) {
	apart := !slices.ContainsFunc(sizes, func(n quantity.Bytes) bool {
		return d.Layer.Model.Gap(n) != d.Layer.Model.OneWay(n)
	})
	switch {
	case name == "gap" && apart:
		name = "one_way"
	case name == "throughput" && apart:
		name = "bandwidth"
	}
	q, known := model.FindQuantity(name)
	return q, known && q.FromOneWay != nil
}

// forecasts returns the next measurements of a quantity that follows from the one-way time.
func (d Design) forecasts(q *model.Quantity, sizes []quantity.Bytes) []quantity.Interval {
	return list.Map(sizes, func(n quantity.Bytes) quantity.Interval {
		f := d.Forecast(n)
		in := q.Interval(n, f.Interval)
		if f.Unknown != "" {
			in.Low, in.High = math.NaN(), math.NaN()
		}
		return in
	})
}

// tooFew says that a design was fitted to sizes that do not show how far off it is: too few for the
// curve, and for an interval of a parameter. It is empty of other designs.
func tooFew(d Design) string {
	exact := func(p platforms.Param) bool {
		return p.PlusMinus == 0 && p.Value.Dim != quantity.DimSize
	}
	if d.Layer.Measured == nil || len(d.Changes) > 0 || d.Forecastable() ||
		!slices.ContainsFunc(d.Uses(), exact) {
		return ""
	}
	return fmt.Sprintf("%s was fitted to %d sizes, which show no interval",
		d.Layer.Ref(), len(d.Layer.Measured.Sizes))
}

// nextFaster returns the probability, for each size, that the next measurement of a
// takes less time than that of b. Each is taken as log-normal on both sides of its
// middle, so that its interval holds 95 %; the two are taken as independent.
func nextFaster(a, b Design, sizes []quantity.Bytes, s Sampling) ([]float64, error) {
	x, err := nextTimes(a, sizes, s)
	if err != nil {
		return nil, err
	}
	y, err := nextTimes(b, sizes, s)
	if err != nil {
		return nil, err
	}
	all := make([]float64, len(sizes))
	for i, p := range x {
		all[i] = firstOf(p, y[i])
	}
	return all, nil
}

// firstOf returns the probability that a time is less than another, from the intervals of both.
func firstOf(x, y quantity.Interval) float64 { return (1 + earlier(x, y) - earlier(y, x)) / 2 }

// earlier returns the probability that a time x is less than y, each log-normal on both
// sides of its middle:
//
//	P = ∫ φ(z) · (1 − F_y(ln m_x + z·s_x(z))) dz    F_y(t) = Φ((t − ln m_y) / s_y)
//
// Where: m = a middle; s = 1/1.96 of the logarithm of the interval's end on the side of
// z, or of t, over m. Beyond the measured sizes the sides differ several times, so that
// one s for both would be wrong by tenths. 0.5 if both are exact and equal.
func earlier(x, y quantity.Interval) float64 {
	side := func(v quantity.Interval, above bool) float64 {
		if above {
			return math.Log(v.High/v.Value) / normal95
		}
		return math.Log(v.Value/v.Low) / normal95
	}
	// Quantiles of equal probability: 1,000 of them are right to 10⁻³.
	const steps = 1000
	sum := 0.0
	for k := range steps {
		z := math.Sqrt2 * math.Erfinv(2*(float64(k)+0.5)/steps-1)
		t := math.Log(x.Value/y.Value) + z*side(x, z > 0)
		from := t / side(y, t > 0)
		if math.IsNaN(from) { // both exact, or both without an end
			from = 0
		}
		sum += 0.5 * math.Erfc(from/math.Sqrt2)
	}
	return sum / steps
}

// nextTimes returns the one-way times of a design with the intervals of the next measurements or,
// if it was not fitted, of its parameters.
func nextTimes(d Design, sizes []quantity.Bytes, s Sampling) ([]quantity.Interval, error) {
	if d.Forecastable() {
		oneWay, _ := model.FindQuantity("one_way")
		return d.forecasts(oneWay, sizes), nil
	}
	all, err := d.Predict("one_way", sizes, s)
	if errors.Is(err, ErrExact) {
		err = nil
	}
	return all, err
}

// beyond says of each size that it is beyond those of the layer that were measured, if any were.
func (d Design) beyond(of string, sizes []quantity.Bytes) (doubts []remark.Note) {
	first, last, measured := d.Layer.MeasuredRange()
	for _, n := range sizes {
		if measured && (n < first || n > last) {
			doubts = append(doubts, remark.BeyondSizes(of, n, first, last))
		}
	}
	return doubts
}
