package fit

import (
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
	// Relative minimises the squares of the relative errors: a size of 8 bytes counts as much as
	// one of 1 MiB. It is the default.
	Relative Method = "relative"
	// Ordinary minimises the squares of the errors in µs: large sizes decide.
	Ordinary Method = "ordinary"
	// Huber is like Relative, but the influence of a point is limited to that at 1.345 standard
	// deviations.
	Huber Method = "huber"
)

// Methods lists all methods, the default first.
var Methods = []Method{Relative, Ordinary, Huber}

var fitLine = map[Method]func(points []Point) line{
	Relative: holdingInliers(fitRelative), Ordinary: holdingInliers(fitOrdinary), Huber: fitHuber,
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
// in a row, the system behaves differently.
func outlying(e []float64, bound float64) []bool {
	over := make([]bool, len(e))
	out := func(i int) bool { return i >= 0 && i < len(e) && math.Abs(e[i]) > bound }
	for i := range e {
		over[i] = out(i) && !(out(i-1) && out(i-2) || out(i-1) && out(i+1) || out(i+1) && out(i+2))
	}
	return over
}

// inliers returns the points that are not outliers, given their errors e and the standard deviation
// of these; nil if all points are inliers, or at most half. Deviations from a line of two
// parameters are too small by √(1 − 2/n), and if there are few points, Student's t replaces the
// normal distribution.
func inliers(points []Point, e []float64, scale float64) []Point {
	n := float64(len(points))
	free := max(1, n-2)
	// 1.959964 is the 97.5 % point of the normal distribution, which T95 approaches for many
	// points.
	out := outlying(e, outlier*math.Sqrt(n/free)*stats.T95(free)/1.959964*scale)
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

// fitHuber iterates weights min(1, k/|e|) of the relative errors e, in units of their median
// absolute deviation. It omits outliers, since these mostly have one sign, so that even bounded
// weights would shift the line. The intervals are those of Huber 1981, §7.6.
func fitHuber(points []Point) line {
	l, e, scale := huberLine(points)
	if rest := inliers(points, e, scale); rest != nil {
		points = rest
		l, e, scale = huberLine(points)
	}
	// Of the points within k, Σψ² stands for the squares, and their share m for ψ': the
	// variance is (K/m)² that of least squares, K = 1 + 2/n·(1−m)/m (Huber 1981, eq. 7.6.8).
	// Only those points count as degrees of freedom, less the two of the line and one of the scale.
	n := len(points)
	var inside float64
	local := make([]float64, n)
	for i, p := range points {
		if math.Abs(e[i]) <= huberK*scale {
			inside++
		}
		rows := math.Sqrt(float64(p.Count))
		local[i] = rows * min(max(e[i], -localBound*scale), localBound*scale)
		e[i] = rows * min(max(e[i], -huberK*scale), huberK*scale)
	}
	w := l.weights(points)
	l.moments = solve(points, w).moments
	noise := noiseForm{weights: w, errors: e, local: local, moments: l.moments}
	if other := noiseOf(points); other.constant {
		l.boundedIntervals(points, other, huberK*scale)
		return l
	}
	share := inside / float64(n)
	correction := 1 + 2/float64(n)*(1-share)/share // K
	fewer := stats.T95(float64(n-2)) / stats.T95(inside-3)
	efficiency := share / correction * fewer
	l.intervals(points, w, noise, efficiency*efficiency)
	return l
}

// boundedIntervals sets the intervals of Huber's line under noise of one deviation at all sizes,
// with the influence ψ of a relative error bounded by bound: the variances are A⁻¹BA⁻¹ with A of
// the expectations of ψ' and B of those of ψ² (Huber 1981, §7.6), for normal noise.
func (l *line) boundedIntervals(points []Point, noise noiseForm, bound float64) {
	n := float64(len(points))
	rho, squares := correlation(noise.errors)
	variance := squares / (n - 2) * (1 + rho) / (1 - rho)
	var a, b stats.Moments
	for _, p := range points {
		size, count := float64(p.Size), float64(p.Count)
		fitted := l.at(size)
		sd := math.Sqrt(variance/count) / fitted
		z := bound / max(sd, sameTime)
		inside := math.Erf(z / math.Sqrt2) // E[ψ']
		density := math.Exp(-z*z/2) / math.Sqrt(2*math.Pi)
		square := sd*sd*(inside-2*z*density) + bound*bound*(1-inside) // E[ψ²]
		a.Add(size, 0, count/(fitted*fitted)*inside)
		b.Add(size, 0, count*count/(fitted*fitted)*square)
	}
	// About a's mean size, A is diagonal.
	d := b.X - a.X
	ww, wx, xx := b.W/a.W/a.W, b.W*d/a.W/a.XX, (b.XX+b.W*d*d)/a.XX/a.XX
	l.varTau, l.covariance = xx, wx-a.X*xx
	l.varBeta = ww - 2*a.X*wx + a.X*a.X*xx
	l.t = stats.T95(max(1, math.Round(n*(1-rho)/(1+rho)-2)))
	l.setEnds()
}

// localBound limits errors, in standard deviations, in [localVariance] of Huber's line. With the
// bound huberK, intervals of β hold 91 % under noise of one deviation at 8 sizes.
const localBound = 2

// minOutlying is the minimum number of points whose outliers are left out of the intervals. Of 5
// points, intervals would hold 89 to 93 %, and of 8 under noise of one deviation 91 to 92 %.
const minOutlying = 12

// holdingInliers replaces the intervals of lines of least squares by those of Huber's line,
// extended to their values, if some points are outliers. These are of one sign as a rule, and shift
// a line of least squares. Of few points they are a guess, and the intervals hold both. Under noise
// of one deviation, small sizes have large relative errors without being outliers.
func holdingInliers(fit func(points []Point) line) func(points []Point) line {
	return func(points []Point) line {
		l := fit(points)
		_, e, scale := huberLine(points)
		rest := inliers(points, e, scale)
		if rest == nil || noiseOf(rest).constant {
			return l
		}
		h := fitHuber(points)
		if len(points) < minOutlying {
			l.betaLow, l.betaHigh = min(l.betaLow, h.betaLow), max(l.betaHigh, h.betaHigh)
			l.tauLow, l.tauHigh = min(l.tauLow, h.tauLow), max(l.tauHigh, h.tauHigh)
			return l
		}
		one := stats.StudentQuantile(0.05, max(1, float64(len(rest)-2))) / h.t
		l.betaLow, l.betaHigh = holding(l.beta, h.beta, h.betaLow, h.betaHigh, one)
		l.tauLow, l.tauHigh = holding(l.tau, h.tau, h.tauLow, h.tauHigh, one)
		return l
	}
}

// holding extends the interval of h from low to high to v. If v is outside, the truth is missed on
// the other side alone, whose distance shrinks by the factor one.
func holding(v, h, low, high, one float64) (float64, float64) {
	switch {
	case v > high:
		return h - one*(h-low), v
	case v < low:
		return v, h + one*(high-h)
	}
	return low, high
}

// Line returns Huber's line through the points of a table, β ≥ 0 in µs and τ ≥ 0 in µs/B,
// as [Linear] finds it before it omits outliers. It computes only the parameters, for thousands of
// tables. A table with fewer than three sizes above 0 is an error.
func Line(t *benchfile.Table) (beta quantity.Micros, tau quantity.MicrosPerByte, err error) {
	points, _, _, err := prepare(t)
	if err == nil && len(points) < 3 {
		err = fmt.Errorf("%s: %w: two sizes only", t.Name(), ErrNoData)
	}
	if err != nil {
		return 0, 0, err
	}
	l, _, _ := huberLine(points)
	return quantity.Micros(l.beta), quantity.MicrosPerByte(l.tau), nil
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
	l, w := relativeLine(points)
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
