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

// crossingInterval returns the interval of a crossing of a and b between lo and hi,
// and the share of samples that cross there in the same direction. It is [ErrExact] if a fit has
// too few sizes for an interval. If one of the two
// was fitted, both are those of the next measurements; see [nextCrossing]. Fitted
// layers have 1,000 samples at most, as [Sampling.sizes].
func crossingInterval(a, b Design, c model.Crossing, lo, hi quantity.Bytes,
	s Sampling) (quantity.Interval, float64, error) {
	if tooFew(a)+tooFew(b) != "" {
		return quantity.Interval{}, 0, ErrExact
	}
	if a.Forecastable() || b.Forecastable() {
		s.Samples = min(s.Samples, 1000)
		return nextCrossing(a, b, c, model.CrossingSizes(a.Layer.Model, b.Layer.Model, lo, hi), s)
	}
	return s.sizes(float64(c.Size), []Design{a, b},
		func(of []platforms.Costs) (quantity.Bytes, bool) {
			x, ok := nearestCrossing(model.Crossings(of[0].Layer, of[1].Layer, lo, hi), c.Beyond,
				c.Size)
			return x.Size, ok
		})
}

// nextCrossing returns the interval of a crossing of next measurements, and its probability.
// Outside the interval one of the two is faster with a probability of at least 97.5 %. The
// probability of the crossing is a product, within the neighbouring crossings: the largest
// probability that the one is faster at some size below it, times the largest that the other is
// faster at some size above.
func nextCrossing(a, b Design, c model.Crossing, sizes []quantity.Bytes,
	s Sampling) (quantity.Interval, float64, error) {
	first, err := nextFaster(a, b, sizes, s)
	if err != nil {
		return quantity.Interval{}, 0, err
	}
	if !c.Beyond { // b is the faster one up to it
		for i, p := range first {
			first[i] = 1 - p
		}
	}
	in := quantity.Interval{Value: float64(c.Size), Low: float64(sizes[0]),
		High: float64(sizes[len(sizes)-1])}
	// Sizes up to the crossing are before it, those from one byte above on beyond.
	// The ends of the interval are the first sizes on each side at which one of the
	// two is faster with 97.5 %, so that both sides together leave 5 %.
	at, _ := slices.BinarySearch(sizes, c.Size+1)
	before, beyond := 0.0, 0.0
	// The walk ends at the neighbouring crossing, where the probability passes one
	// half.
	for i := at - 1; i >= 0 && first[i] >= 0.5; i-- {
		if before = max(before, first[i]); first[i] >= 0.975 {
			in.Low = float64(sizes[i])
			break
		}
	}
	for i := at; i < len(sizes) && first[i] <= 0.5; i++ {
		if beyond = max(beyond, 1-first[i]); first[i] <= 0.025 {
			in.High = float64(sizes[i])
			break
		}
	}
	return in, before * beyond, nil
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
