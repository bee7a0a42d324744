// Package forecast predicts the next measurement of a curve: the time that the same benchmark would
// print for a message of some size on the same machine, with a 95 % interval.
//
// A fit's lines describe a machine (β, τ, protocol changes), and their intervals the uncertainty
// of these parameters. Measurements scatter more: real curves bend and jump between the measured
// sizes, runs differ, and printed times are rounded. How much more is learned from published curves
// of other machines ([Calibration]).
//
// Between two measured sizes the prediction is the straight line between them or, if all sizes are
// on one line but for noise, that line. Above the measured sizes it continues the last octaves (see
// [tail]), below them it is the line of the first two. The interval is proportional to the errors
// of predicting the curve's own sizes, by a factor learned on other machines: a
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

// A Forecast is a prediction of one measurement.
type Forecast struct {
	// Interval holds 95 of 100 new measurements, in µs; 0 < Low ≤ Value ≤ High. Without an interval
	// Low is 0 and High +Inf.
	quantity.Interval
	From Way
	// Unknown says why there is no interval.
	Unknown string
}

// Beyond reports whether the size is outside of the measured sizes.
func (f Forecast) Beyond() bool { return f.From == Above || f.From == Below }

// ErrNoCurve is returned, wrapped with the reason, if points do not form a curve.
var ErrNoCurve = errors.New("no curve to predict from")

// MinSizes is the minimum number of sizes in a curve. With fewer, its own prediction error cannot
// be estimated.
const MinSizes = 5

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
	held, squares := c.leaveOut()
	c.residuals, c.straight = squares, c.straightLine(held)
	c.compareRuns(points)
	c.below, c.above = c.first(), c.tail()
	return c, nil
}

// Under returns the curve under another calibration, whose tail alone depends on it.
func (c Curve) Under(k *Calibration) Curve {
	c.calibration = k
	c.above = c.tail()
	return c
}

// At predicts the next measurement of n bytes, n ≥ 0.
func (c Curve) At(n quantity.Bytes) Forecast {
	p := c.Parts(n)
	w := c.calibration.weights(p.From)
	half := func(side int) float64 {
		h := p.Half(side, w[side].Dot(p.Terms[side]))
		if p.From == Jump {
			h = p.jump(side, h)
		}
		return h
	}
	up, down := half(up), half(down)
	if c.roof > 0 && p.From == Above {
		// A rate above the roof that was measured is no error of the prediction.
		roof := max(c.roof, c.above.size/math.Exp(c.above.last))
		shift := max(0, math.Log(float64(n)/roof)-p.Middle)
		p.Middle, down, up = p.Middle+shift, down+shift, max(0, up-shift)
	}
	return Forecast{From: p.From}.between(p.Middle, down, up)
}

// between sets the value and its interval; all are logarithms.
func (f Forecast) between(middle, down, up float64) Forecast {
	f.Value, f.Low, f.High = math.Exp(middle), math.Exp(middle-down), math.Exp(middle+up)
	if !(f.High-f.Low <= widest*f.Value) {
		f.Low, f.High = 0, math.Inf(1)
		f.Unknown = "no interval: it would be wider than 400 % of the value"
	}
	return f
}

// About returns the forecast by a model of the curve: value, in µs, is the model's time, and 95 of
// 100 measured times are less than off away from the model's, in logarithms.
func (f Forecast) About(value, off float64) Forecast {
	switch {
	case f.Unknown != "":
	case f.From == Jump: // the model's is one of the lines that the curve's interval holds
		down := max(off, math.Log(value/f.Low))
		f = f.between(math.Log(value), down, max(off, math.Log(f.High/value)))
	default:
		f = f.between(math.Log(value), math.Hypot(math.Log(f.Value/f.Low), off),
			math.Hypot(math.Log(f.High/f.Value), off))
	}
	f.Value = value
	return f
}

// Ramp returns the forecast of a size between the last measured size of one protocol and the first
// of the next: value is the time of the protocol that serves the size. The interval also covers the
// times of both protocols, since any size in between may be where they change.
func (f Forecast) Ramp(value, before, after float64) Forecast {
	f.From = Ramp
	if f.Unknown == "" {
		f.Low = min(f.Low, value, before, after)
		f.High = max(f.High, value, before, after)
	}
	f.Value = value
	return f
}

// widest is the width of the widest interval over its value. A wider one tells nobody more than the
// order of magnitude, which the value has.
const widest = 4

// Bounded returns the curve with a roof: above its sizes, no rate is predicted above it, nor above
// the measured rate of its last size if that is higher. A roof of 0 bounds nothing.
func (c Curve) Bounded(roof quantity.MBps) Curve {
	c.roof = float64(roof)
	return c
}

// Parts returns the components of the prediction of n bytes, n ≥ 0.
func (c Curve) Parts(n quantity.Bytes) Parts {
	v := max(float64(n), 1)
	last := len(c.n) - 1
	p := Parts{Most: math.Inf(1)}
	p.Run, p.Repeated = c.run(v)
	i, measured := slices.BinarySearch(c.n, v)
	switch {
	case v > c.n[last]:
		p.From, p.Octaves = Above, math.Log2(v)-c.x[last]
		p.Middle, p.Terms = c.above.above(&c.series, v)
		p.Share = 1
		p.Begins = c.calibration.begins(c.x[last]) * min(1, p.Octaves)
		p.Most = max(0, p.Middle-c.above.least+p.Run)
	case v < c.n[0]:
		p.From, p.Octaves = Below, c.x[0]-math.Log2(v)
		p.Middle, p.Terms = c.below.below(&c.series, v)
	case measured:
		p.From, p.Middle = Measured, c.y[i]
	default:
		p.Middle, p.Terms, p.From = c.gaps[i-1].guess(&c.series, v)
		p.Gap = c.x[i] - c.x[i-1]
		p.Beside[up] = max(0, max(c.y[i-1], c.y[i])-p.Middle)
		p.Beside[down] = max(0, p.Middle-min(c.y[i-1], c.y[i]))
		p.Noise = stats.T95(float64(last-1)) * c.noise // of as many held-out sizes
		squares, held := c.residuals.at(c.x, math.Log2(v))
		near := stats.T95(held) * math.Sqrt(squares)
		p.Terms[up][local], p.Terms[down][local] = near, near
		p.Terms[up][usual], p.Terms[down][usual] = c.bends, c.bends
		// A parabola from 0 at one end of the gap to 0 at the other, in logarithms.
		s := 2*(math.Log2(v)-c.x[i-1])/(c.x[i]-c.x[i-1]) - 1
		p.Share = max(0, 1-s*s)
		if c.straight.half > 0 {
			p.line(&c.straight, v)
		}
	}
	if p.From == Below { // and from half an octave outside on
		p.Share = min(1, math.Sqrt(2*p.Octaves))
	}
	return p
}
