// Package forecast predicts the next measurement of a curve: the time that the same benchmark would
// print for a message of some size on the same machine, with a 95 % interval.
//
// A fit's lines describe a machine (β, τ, protocol changes), and their intervals the uncertainty
// of these parameters. Measurements scatter more: real curves bend and jump between the measured
// sizes, runs differ, and printed times are rounded. How much more is learned from published curves
// of other machines ([Calibration]).
//
// Between two measured sizes the prediction is the straight line between them or, if the curve
// jumps, a mixture of both sides' extrapolations. Above the measured sizes it continues the last
// octaves (see [tail]), below them it is the line of the first two. The interval is proportional to
// the errors of predicting the curve's own sizes, by a factor learned on other machines: a
// normalised, split conformal interval (Lei and others, Distribution-free predictive inference for
// regression, JASA 113, 2018, §5.2), in logarithms of times.
package forecast

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Point is a measurement at one size.
type Point struct {
	// Size is above 0: empty messages take another path.
	Size quantity.Bytes
	// Time is above 0; the mean, if there are several runs.
	Time quantity.Micros
	// Runs is the number of measurements of the size; 0 stands for 1.
	Runs int
	// Deviation is the standard deviation of the runs over their mean; it is used if there are at
	// least 2 runs.
	Deviation float64
}

// valid reports whether the numbers are in their ranges; NaN is in none.
func (p Point) valid() bool {
	size := p.Size > 0 && p.Size <= quantity.MaxBytes
	time := p.Time >= 1/maxTime && p.Time <= maxTime
	runs := p.Runs >= 0 && p.Deviation >= 0 && p.Deviation <= maxTime
	return size && time && runs
}

// A Forecast is a prediction of one measurement.
type Forecast struct {
	// Low ≤ Middle ≤ High, all above 0. A new measurement lies between Low and High in 95 of
	// 100 cases.
	Middle, Low, High quantity.Micros
	// Beyond reports that the size is outside the measured sizes.
	Beyond bool
	From   Way
}

// A Curve is a measured curve, prepared for predictions. It is immutable. [Calibration.New]
// makes one.
type Curve struct {
	series
	gaps       []gap    // between sizes i and i+1
	residuals  decaying // squared errors of held-out sizes
	anchors    anchors
	runs       decaying // variance between runs, relative; empty with one run
	fewest     float64  // minimum number of runs of a size
	resolution float64
	low        end
	high       tail
	line       singleLine
	roof       float64 // maximum rate above the last size, in B/µs; 0 if unknown
}

// ErrNoCurve is returned, wrapped with the reason, if points do not form a curve.
var ErrNoCurve = errors.New("no curve to predict from")

// MinSizes is the minimum number of sizes in a curve. With fewer, its own prediction error cannot
// be estimated.
const MinSizes = 5

// maxTime is the maximum time in µs, 30 years. Its inverse is the minimum.
const maxTime = 1e15

// New returns the curve through points, in any order, each size once. Resolution is the step of the
// printed times, 0 if unknown: 0.01 µs for times with two decimals.
func (k *Calibration) New(points []Point, resolution quantity.Micros) (Curve, error) {
	if len(points) < MinSizes {
		return Curve{}, fmt.Errorf("%w: it needs %d sizes (got %d)",
			ErrNoCurve, MinSizes, len(points))
	}
	if !(resolution >= 0 && resolution <= maxTime) {
		return Curve{}, fmt.Errorf("%w: the times have a resolution of %v", ErrNoCurve, resolution)
	}
	points = slices.Clone(points)
	slices.SortFunc(points, func(a, b Point) int { return cmp.Compare(a.Size, b.Size) })
	c := Curve{series: series{calibration: k}, resolution: float64(resolution)}
	for i, p := range points {
		n, t := float64(p.Size), float64(p.Time)
		if !p.valid() {
			return Curve{}, fmt.Errorf("%w: size %v takes %v, ± %v in %d runs",
				ErrNoCurve, p.Size, p.Time, p.Deviation, p.Runs)
		}
		if i > 0 && n == c.n[i-1] {
			return Curve{}, fmt.Errorf("%w: size %v comes twice; "+
				"give the mean and the deviation of its runs", ErrNoCurve, p.Size)
		}
		c.n, c.t = append(c.n, n), append(c.t, t)
		c.x, c.y = append(c.x, math.Log2(n)), append(c.y, math.Log(t))
	}
	last := len(points) - 1
	if c.x[last]-c.x[0] < 1 {
		return Curve{}, fmt.Errorf("%w: the sizes span less than a factor of 2, from %v to %v",
			ErrNoCurve, points[0].Size, points[last].Size)
	}
	c.gaps = make([]gap, last)
	for i := range c.gaps {
		c.gaps[i] = c.gap(i, i+1)
	}
	c.residuals = c.leaveOut()
	c.estimateNoise()
	c.anchors = c.align()
	c.compareRuns(points)
	c.low, c.high = c.first(math.Sqrt(c.residuals.at(c.x, c.x[0]))), c.tail()
	c.line = c.singleLine()
	if !c.narrower() {
		c.line.weight = 0
	}
	return c, nil
}

// At predicts the next measurement of n bytes, n ≥ 0.
func (c Curve) At(n quantity.Bytes) Forecast {
	p := c.Parts(n)
	g := c.calibration.combine(p)
	up, down := p.Sides(g.Middle)
	u, d := p.Half(g.Up[0], up), p.Half(g.Down[0], down)
	if (p.From == Between || p.From == Jump) && c.line.weight > 0 {
		drift := leastDrift
		if p.Repeated {
			drift = p.Run
		}
		drift = math.Hypot(drift, p.Own.Up[grain])
		g.Middle, u, d = c.line.mix(float64(n), c.inGap(n), g.Middle, u, d, drift)
	}
	if p.From == Above {
		d = min(d, max(0, g.Middle-p.Low))
		if c.roof > 0 {
			// A rate above the roof that was measured is no error of the prediction.
			roof := max(c.roof, c.high.size/math.Exp(c.high.last))
			shift := max(0, math.Log(float64(n)/roof)-g.Middle)
			g.Middle, d, u = g.Middle+shift, d+shift, max(0, u-shift)
		}
	}
	at := func(y float64) quantity.Micros { return quantity.Micros(math.Exp(y)) }
	return Forecast{
		Middle: at(g.Middle),
		Low:    at(g.Middle - min(d, widest)),
		High:   at(g.Middle + min(u, widest)),
		Beyond: p.From == Above || p.From == Below,
		From:   p.From,
	}
}

// inGap returns the weight of the line between two sizes: 0 at these, which are predicted as they
// were measured, and 1 from a tenth of the gap on.
func (c *Curve) inGap(n quantity.Bytes) float64 {
	x := math.Log2(float64(n))
	i, _ := slices.BinarySearch(c.x, x)
	i = min(max(i, 1), len(c.x)-1)
	s := (x - c.x[i-1]) / (c.x[i] - c.x[i-1])
	return min(1, 10*max(0, min(s, 1-s)))
}

// narrower reports whether the line makes intervals between the sizes narrower, by the mean of the
// logarithms over up to mostGaps gaps. If not, the curve predicts its sizes better than a line with
// its noise would.
func (c *Curve) narrower() bool {
	if c.line.weight < leastWeight {
		return false
	}
	sum, without := 0.0, *c
	without.line.weight = 0
	step := (len(c.gaps) + mostGaps - 1) / mostGaps
	for i := 0; i < len(c.gaps); i += step {
		n := quantity.Bytes(math.Exp2((c.x[i] + c.x[i+1]) / 2))
		a, b := c.At(n), without.At(n)
		sum += math.Log(float64(a.High/a.Low)) - math.Log(float64(b.High/b.Low))
	}
	return sum < 0
}

const (
	// leastWeight is the weight of a line below which it is left out.
	leastWeight = 0.01
	// mostGaps limits the gaps whose intervals decide about the line.
	mostGaps = 16
)

// Bounded returns the curve with a roof: above its sizes, no rate is predicted above it, nor above
// the measured rate of its last size if that is higher. A roof of 0 bounds nothing.
func (c Curve) Bounded(roof quantity.MBps) Curve {
	c.roof = float64(roof)
	return c
}

// widest is the maximum logarithm of the factor between the middle and an end of an interval. A
// factor above a million carries no information.
const widest = 13.8

// Parts returns the terms of a prediction of n bytes, n ≥ 0. Their weights are in the
// calibration.
func (c Curve) Parts(n quantity.Bytes) Parts {
	v := float64(n)
	last := len(c.n) - 1
	p := Parts{Share: 1}
	i, measured := slices.BinarySearch(c.n, v)
	switch {
	case v > c.n[last]:
		p.From, p.Own = Above, c.high.above(&c.series, v)
		p.Width = math.Log2(v) - c.x[last]
		p.Share = min(1, math.Sqrt(2*p.Width))
	case !(v >= c.n[0]):
		v = max(v, 1)
		p.From, p.Own = Below, c.low.below(&c.series, v)
		p.Low, p.High = c.y[0]+math.Log(v/c.n[0]), c.y[0]
	case measured:
		p.From, p.Own.Middle, p.Share = Measured, c.y[i], 0
		p.Shapes.Middle = c.y[i]
	default:
		p.Own, p.From = c.gaps[i-1].guess(&c.series, v)
		p.Own.Up[residual] = c.near(n)
		p.Own.Down[residual] = p.Own.Up[residual]
		s := (math.Log2(v) - c.x[i-1]) / (c.x[i] - c.x[i-1])
		p.Width = c.x[i] - c.x[i-1]
		p.Low, p.High = c.y[i-1], c.y[i]
		if p.From == Jump {
			p.Top, p.Bottom = p.Own.Middle+p.Own.Up[side], p.Own.Middle-p.Own.Down[side]
		}
		// The error is zero at the ends of a gap and largest at the middle in logarithms. Most of
		// it comes close to an end, where a jump may already occur.
		p.Share = math.Sqrt(max(0, 4*s*(1-s)))
	}
	if p.From == Below || (p.From == Between || p.From == Jump) && p.Width >= dense {
		p.Shapes = c.anchors.guess(&c.series, v)
	}
	if p.From != Above { // the terms there are others, and a step of the clock is small
		p.Own.Up[grain] = c.resolution / 2 / math.Exp(p.Own.Middle)
		p.Own.Down[grain] = p.Own.Up[grain]
	}
	terms, own := c.RunTerms(n)
	if p.Run, p.Repeated = own, len(c.runs.up) > 0; !p.Repeated {
		p.Run = c.calibration.Run.Dot(terms)
	}
	p.Noise = c.noiseQuantile() * c.noise
	switch p.From {
	case Between, Jump:
		p.Noise = c.noiseQuantile() * p.Own.Up[noisy]
		if p.Width < dense {
			p.Noise = max(p.Noise, 1.8*c.near(n))
		}
	case Above:
		p.Low = c.high.least - p.Run // the lower end at the last size
	case Below:
		p.Noise = max(p.Noise, 2*c.low.scatter)
	}
	return p
}

// near returns the error of predicting the sizes next to n when they are held out.
func (c *Curve) near(n quantity.Bytes) float64 {
	return math.Sqrt(c.residuals.at(c.x, c.nearEnd(n)))
}

// nearEnd returns log₂ n, limited to the range of the curve.
func (c *Curve) nearEnd(n quantity.Bytes) float64 {
	return min(max(math.Log2(max(float64(n), 1)), c.x[0]), c.x[len(c.x)-1])
}

// RunTerms returns the terms of the difference between the measured times of two runs, and the
// logarithm of its 95 % factor if it comes from the curve's own runs; else 0.
func (c *Curve) RunTerms(n quantity.Bytes) (terms Terms, own float64) {
	x := c.nearEnd(n)
	half := c.resolution / 2 / math.Exp(c.y[c.nearest(x)])
	if len(c.runs.up) == 0 {
		return Terms{floor: 1, residual: min(c.near(n), 2*c.noise), noisy: c.noise, grain: half}, 0
	}
	// The variance has fewest − 1 degrees of freedom from the curve, and one from published
	// machines. A new run's distance from the mean of the runs has 1 + 1/fewest times of it.
	variance := ((c.fewest-1)*c.runs.at(c.x, x) + runScale*runScale) / c.fewest
	sd := math.Sqrt(variance * (1 + 1/c.fewest))
	return Terms{}, stats.T95(c.fewest)*sd + half
}

// runScale is the scale of the differences between runs of published machines: over √2, the
// differences of two runs at one size follow Student's t of 0.9 degrees of freedom with this scale,
// if each of four machines counts once. The curve's own variance has a degree of freedom for each
// run but the first, since a slow run is slow at all sizes, and one more from these machines.
const runScale = 0.002

// compareRuns pools the variances between runs of neighbouring sizes, which are similar.
func (c *Curve) compareRuns(points []Point) {
	v, w := make([]float64, len(points)), make([]float64, len(points))
	c.fewest = math.Inf(1)
	known := false
	for i, p := range points {
		c.fewest = min(c.fewest, float64(max(1, p.Runs)))
		if p.Runs > 1 {
			v[i], w[i] = p.Deviation*p.Deviation, float64(p.Runs-1)
			known = true
		}
	}
	if known {
		c.runs = decay(c.x, v, w)
	}
}
