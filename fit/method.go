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
	for i, p := range points {
		if math.Abs(e[i]) <= huberK*scale {
			inside++
		}
		e[i] = math.Sqrt(float64(p.Count)) * min(max(e[i], -huberK*scale), huberK*scale)
	}
	w := l.weights(points)
	l.moments = solve(points, w).moments
	noise := noiseForm{w, e, l.moments, false}
	if other := noiseOf(points); other.constant {
		noise = other
	}
	share := inside / float64(n)
	correction := 1 + 2/float64(n)*(1-share)/share // K
	fewer := stats.T95(float64(n-2)) / stats.T95(inside-3)
	efficiency := share / correction * fewer
	l.intervals(points, w, noise, efficiency*efficiency)
	return l
}

// holdingInliers extends the intervals of lines of least squares to those of Huber's line if some
// points are outliers. These are of one sign as a rule, and shift a line of least squares. Under
// noise of one deviation, small sizes have large relative errors without being outliers.
func holdingInliers(fit func(points []Point) line) func(points []Point) line {
	return func(points []Point) line {
		l := fit(points)
		_, e, scale := huberLine(points)
		if rest := inliers(points, e, scale); rest == nil || noiseOf(rest).constant {
			return l
		}
		h := fitHuber(points)
		l.betaLow, l.betaHigh = min(l.betaLow, h.betaLow), max(l.betaHigh, h.betaHigh)
		l.tauLow, l.tauHigh = min(l.tauLow, h.tauLow), max(l.tauHigh, h.tauHigh)
		return l
	}
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
