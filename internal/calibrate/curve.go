package calibrate

import (
	"maps"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// curve returns the times of a measure on one pair of ranks by size: the medians over
// pairs of the same kind, so that a pair with a slow core does not stand for its
// level.
func (c *Calibration) curve(measure string, level int) model.Curve {
	return c.fanCurve(measure, level, 1)
}

// fanCurve is like curve for several pairs at once: a root and this many leaves.
func (c *Calibration) fanCurve(measure string, level, pairs int) (curve model.Curve) {
	times := map[quantity.Bytes][]float64{}
	for _, r := range c.Rows {
		if r.Measure == measure && r.Level == level && !r.Out && r.Pairs == pairs && !r.distant() {
			times[r.Size] = append(times[r.Size], float64(r.Time))
		}
	}
	curve.Sizes = slices.Sorted(maps.Keys(times))
	for _, n := range curve.Sizes {
		median := stats.QuantileOf(times[n], 0.5)
		curve.Costs = append(curve.Costs, quantity.Micros(max(median, minTime)))
	}
	// The largest size comes first, so that one clean time limits all smaller sizes below it.
	for i := len(curve.Costs) - 2; i >= 0; i-- {
		curve.Costs[i] = min(curve.Costs[i], disturbed*curve.Costs[i+1])
	}
	return curve
}

// minTime is a time in µs for costs that were measured as 0, since tables have logarithms.
const minTime = 1e-6

// disturbed is the ratio above which a message that takes longer than a larger one was disturbed in
// all passes. Protocols change with less.
const disturbed = 1.5

// atSizesOf returns the times of the curve at the sizes of one-way times, which were measured at
// more sizes: it interpolates the ratio to them. Beyond the sizes of the curve the ratio is that of
// the nearest one. If the curve has fewer than two sizes, it returns the one-way times themselves.
func atSizesOf(way, curve model.Curve) (times []quantity.Micros) {
	if len(curve.Sizes) < 2 {
		return way.Costs
	}
	ratio := model.Curve{Sizes: curve.Sizes}
	for i, n := range curve.Sizes {
		ratio.Costs = append(ratio.Costs, curve.Costs[i]/way.At(n))
	}
	for i, n := range way.Sizes {
		n = min(max(n, ratio.Sizes[0]), ratio.Sizes[len(ratio.Sizes)-1])
		times = append(times, max(ratio.At(n)*way.Costs[i], minTime))
	}
	return times
}

// timeAt returns the cost of n bytes, or otherwise if the curve has fewer than two sizes.
func timeAt(curve model.Curve, n quantity.Bytes, otherwise quantity.Micros) quantity.Micros {
	if len(curve.Sizes) < 2 {
		return otherwise
	}
	return curve.At(n)
}

// fitsExchange reports whether the machine is fitted to exchanges of a size: to every second size,
// the largest included, and to those around the eager threshold, where the ratio to one way
// changes. The remaining sizes check the machine.
func (c *Calibration) fitsExchange(level int, n quantity.Bytes) bool {
	eager := c.Levels[level].Eager
	return bits.Len64(uint64(n))%4 == 1 || eager > 0 && (n == eager || n == eager+1)
}

// exchanges returns the exchanges that the machine is fitted to. All other sizes are
// kept for [Calibration.Check], which would prove nothing at the sizes of the fit.
func (c *Calibration) exchanges(level int) (curve model.Curve) {
	all := c.curve(Exchange, level)
	for i, n := range all.Sizes {
		if c.fitsExchange(level, n) {
			curve.Sizes, curve.Costs = append(curve.Sizes, n), append(curve.Costs, all.Costs[i])
		}
	}
	return curve
}

// PerByte returns the time of local work, Combine or Copy, of a byte of the largest
// size; 0 if it was not measured. The largest size resembles the data of long messages
// most, where local work counts.
func (c *Calibration) PerByte(work string) (each quantity.MicrosPerByte) {
	largest := quantity.Bytes(0)
	for _, r := range c.Rows {
		if r.Measure == work && r.Size > largest {
			largest, each = r.Size, r.Time.Per(r.Size)
		}
	}
	return each
}

// local returns the time of local work with n bytes in µs, from the nearest measured sizes.
func (c *Calibration) local(work string, n quantity.Bytes) float64 {
	of := c.curve(work, -1)
	if len(of.Sizes) < 2 || n == 0 {
		return float64(c.PerByte(work)) * float64(n)
	}
	at := min(max(n, of.Sizes[0]), of.Sizes[len(of.Sizes)-1])
	return float64(of.At(at).Per(at)) * float64(n)
}
