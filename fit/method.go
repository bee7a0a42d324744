package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Method is a way to fit a line to points.
type Method string

const (
	// Likeliest minimises the squares of the errors over the deviations of the noise, whose form is
	// the likeliest one, without outliers. It is the default.
	Likeliest Method = "likeliest"
	// Relative minimises the squares of the relative errors: a size of 8 bytes counts as much as
	// one of 1 MiB.
	Relative Method = "relative"
	// Ordinary minimises the squares of the errors in µs: large sizes decide.
	Ordinary Method = "ordinary"
	// Huber is like Relative, but the influence of a point is limited to that at 1.345 standard
	// deviations.
	Huber Method = "huber"
)

// Methods lists all methods, the default first.
var Methods = []Method{Likeliest, Relative, Ordinary, Huber}

var fitLine = map[Method]func(points []Point) line{
	Likeliest: fitLikeliest, Relative: fitRelative, Ordinary: fitOrdinary, Huber: fitHuber,
}

func (m Method) check() error {
	if slices.Contains(Methods, m) {
		return nil
	}
	names := list.Map(Methods, func(n Method) string { return string(n) })
	last := len(names) - 1
	return fmt.Errorf("unknown method %q; choose from %s and %s",
		m, strings.Join(names[:last], ", "), names[last])
}

// outlier limits errors, in standard deviations, when models and segments are chosen.
const outlier = 4

// huberK is the error, in standard deviations, where Huber's function changes from square to
// linear: 95 % of the efficiency of least squares if the errors are normal (Huber, Robust
// Statistics, 1981).
const huberK = 1.345

// outlying reports which errors are outliers: beyond a bound, alone or two in a row. At three sizes
// in a row, the system behaves differently, and so it does at the two smallest or largest ones: a
// line for them alone explains them.
func outlying(e []float64, bound float64) []bool {
	over := make([]bool, len(e))
	out := func(i int) bool { return i >= 0 && i < len(e) && math.Abs(e[i]) > bound }
	for i := range e {
		over[i] = out(i) && !(out(i-1) && out(i-2) || out(i-1) && out(i+1) || out(i+1) && out(i+2))
	}
	last := len(e) - 1
	if last > 2 && over[0] && over[1] {
		over[0], over[1] = false, false
	}
	if last > 2 && over[last] && over[last-1] {
		over[last], over[last-1] = false, false
	}
	return over
}

// inliers returns the points that are not outliers, given their errors e and the standard deviation
// of these; nil if all points are inliers, or at most half.
func inliers(points []Point, e []float64, scale float64) []Point {
	out := outlying(e, farOff(len(points))*scale)
	var rest []Point
	for i, p := range points {
		if !out[i] {
			rest = append(rest, p)
		}
	}
	if len(rest) == len(points) || len(rest) <= len(points)/2 {
		return nil
	}
	return rest
}

// farOff returns the error, in standard deviations of the errors of n points about a line, beyond
// which a point is an outlier. Deviations from a line of two parameters are too small by
// √(1 − 2/n), and if there are few points, Student's t replaces the normal distribution.
func farOff(n int) float64 {
	free := max(1, float64(n-2))
	// T95 approaches the normal distribution for many points.
	return outlier * math.Sqrt(float64(n)/free) * stats.T95(free) / stats.T95(1/rounding)
}

// fitHuber iterates weights min(1, k/|e|) of the relative errors e, in units of their median
// absolute deviation. It omits outliers, since these mostly have one sign, so that even bounded
// weights would shift the line.
func fitHuber(points []Point) line {
	l, e, scale := huberLine(points)
	if rest := inliers(points, e, scale); rest != nil {
		l, _, _ = huberLine(rest)
	}
	return l
}

// fitLikeliest returns the line of least squares under the likeliest form of the noise, through the
// points that are not disturbed. Two points have one line.
func fitLikeliest(points []Point) line {
	if len(points) < minPoints {
		return fitRelative(points)
	}
	l := likeliest(points).line
	l.beta.Value, l.tau.Value = l.moments.NonNegative()
	return l
}

// likeliest returns the hypothesis with the maximum probability.
func likeliest(points []Point) hypothesis {
	points, about := undisturbed(points)
	return slices.MaxFunc(hypothesesOf(points, &about), func(a, b hypothesis) int {
		return cmp.Compare(a.probability, b.probability)
	})
}

// undisturbed returns the points that intervals are found from, without outliers, and Huber's line
// through them. A point is an outlier if it is one under each form of the noise: under noise of one
// deviation, small sizes have large relative errors.
func undisturbed(points []Point) ([]Point, line) {
	l, e, _ := huberLine(points)
	if len(points) < many {
		return points, l
	}
	least := slices.Repeat([]float64{math.Inf(1)}, len(points))
	scaled := make([]float64, len(points))
	for _, form := range noiseForms {
		for i, d := range form.deviations(points, &l) {
			scaled[i] = e[i] * l.at(float64(points[i].Size)) / d
		}
		scale := max(stats.MAD(scaled, 0), math.SmallestNonzeroFloat64)
		for i, v := range scaled {
			least[i] = min(least[i], math.Abs(v)/scale)
		}
	}
	rest := inliers(points, least, 1)
	if rest == nil {
		return points, l
	}
	l, _, _ = huberLine(rest)
	return rest, l
}

// addIntervals sets the 95 % intervals of a line by any method, and its variances. At a bound, the
// interval is that of the unbounded line, truncated there.
//
// The method's weights need not be those of the noise, and the noise is unknown: the method
// ordinary gives a line also where errors are in proportion to the time. So the truth is where
// least squares under each form of the noise have it, with the probability of that form
// ([hypothesesOf]). For one known form of normal noise, this interval holds the truth in 95 % of
// cases, whatever the method's own value: its distance from the least squares is a function of the
// errors about these, which are independent of them.
//
// Errors that are correlated along the sizes carry less information; see setVariances. Their
// correlation ρ is estimated from neighbours, and corrected for the bias of two fitted parameters
// (Kendall 1954), if there is evidence of it.
func (l *line) addIntervals(points []Point) {
	l.beta.High, l.tau.High = math.Inf(1), math.Inf(1)
	l.varBeta, l.varTau, l.covariance = math.Inf(1), math.Inf(1), 0
	if len(points) < minPoints {
		return
	}
	points, about := undisturbed(points)
	all := hypothesesOf(points, &about)
	var beta, tau, both float64 // the mean squares about the method's line, and product
	for i := range all {
		h := &all[i]
		b, t := h.freeBeta-l.freeBeta, h.freeTau-l.freeTau
		beta += h.probability * (h.varBeta + b*b)
		tau += h.probability * (h.varTau + t*t)
		both += h.probability * (h.covariance + b*t)
	}
	t := 2 * stats.T95(float64(len(points)-2))
	low, high := interval(all, betaOf, l.freeBeta)
	l.beta.Low, l.beta.High = min(l.beta.Value, max(0, low)), max(l.beta.Value, high)
	l.varBeta = (high - low) * (high - low) / t / t
	low, high = interval(all, tauOf, l.freeTau)
	l.tau.Low, l.tau.High = min(l.tau.Value, max(0, low)), max(l.tau.Value, high)
	l.varTau = (high - low) * (high - low) / t / t
	if beta > 0 && tau > 0 {
		l.covariance = both * math.Sqrt(l.varBeta/beta*l.varTau/tau)
	}
}

// Line returns Huber's line through the points of a table, β ≥ 0 in µs and τ ≥ 0 in µs/B,
// as [Linear] finds it before it omits outliers. It computes only the parameters, for thousands of
// tables. A table with fewer than three sizes above 0 is an error.
func Line(t *benchfile.Table) (beta quantity.Micros, tau quantity.MicrosPerByte, err error) {
	points, _, _, err := prepare(t)
	if err == nil && len(points) < minPoints {
		err = fmt.Errorf("%s: %w: two sizes only", t.Name(), ErrNoData)
	}
	if err != nil {
		return 0, 0, err
	}
	l, _, _ := huberLine(points)
	return quantity.Micros(l.beta.Value), quantity.MicrosPerByte(l.tau.Value), nil
}

// huberLine returns Huber's line, the relative errors about it, and their deviation.
func huberLine(points []Point) (l line, e []float64, scale float64) {
	weigh := func(l line, w []float64) {
		e = relativeErrors(points, l)
		scale = max(stats.MAD(e, 0), sameTime)
		copy(w, l.weights(points))
		for i := range w {
			w[i] *= min(1, huberK*scale/math.Max(math.Abs(e[i]), math.SmallestNonzeroFloat64))
		}
	}
	l = fitRelative(points)
	w := make([]float64, len(points))
	weigh(l, w)
	l = stats.Reweighted(w, func(w []float64) line { return solve(points, w) }, weigh)
	return l, relativeErrors(points, l), scale
}

// relativeErrors returns measured over fitted times, minus 1.
func relativeErrors(points []Point, l line) []float64 {
	return list.Map(points, func(p Point) float64 {
		return float64(p.Time)/l.at(float64(p.Size)) - 1
	})
}
