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
	// Relative minimises the squares of the relative errors: a size of 8 bytes counts as much as
	// one of 1 MiB. It is the default.
	Relative Method = "relative"
	// Ordinary minimises the squares of the errors in µs: large sizes decide.
	Ordinary Method = "ordinary"
	// Huber is like Relative, but the influence of a point is limited to that at 1.345 standard
	// deviations.
	Huber Method = "huber"
	// TheilSen is the median slope of all pairs of points; it tolerates arbitrary errors in nearly
	// a third of the points.
	TheilSen Method = "theil-sen"
)

// Methods lists all methods, the default first.
var Methods = []Method{Relative, Ordinary, Huber, TheilSen}

var fitLine = map[Method]func(points []Point) line{
	Relative: fitRelative, Ordinary: fitOrdinary, Huber: fitHuber, TheilSen: fitTheilSen,
}

func (m Method) check() error {
	if slices.Contains(Methods, m) {
		return nil
	}
	names := list.Map(Methods, func(n Method) string { return string(n) })
	last := len(names) - 1
	return fmt.Errorf("unknown method %q; choose from %s and %s", m, strings.Join(names[:last], ", "), names[last])
}

const (
	// outlier limits errors, in standard deviations, when models and segments are chosen.
	outlier = 4
	// sameTime is the relative error below which times are equal: below the resolution of clocks,
	// above rounding errors.
	sameTime = 1e-7
)

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
	// Of the points within k, Σψ² stands for the squares, and their share m for ψ': the variance is
	// (K/m)² that of least squares, K = 1 + 2/n·(1−m)/m (Huber 1981, eq. 7.6.8). Only those points
	// count as degrees of freedom, less the two of the line and one of the scale.
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
	share := inside / float64(n)
	efficiency := share / (1 + 2/float64(n)*(1-share)/share) * stats.T95(float64(n-2)) / stats.T95(inside-3)
	l.intervals(points, w, e, efficiency*efficiency)
	return l
}

// Line returns Huber's line through the points of a table, β ≥ 0 in µs and τ ≥ 0 in µs/B, as
// [Linear] finds it before it omits outliers. It computes only the parameters, for thousands of
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
	l = reweight(points, make([]float64, len(points)), fitRelative(points), func(l line) []float64 {
		e = relativeErrors(points, l)
		scale = max(stats.MAD(e, 0), sameTime)
		return list.Map(e, func(e float64) float64 {
			return min(1, huberK*scale/math.Max(math.Abs(e), math.SmallestNonzeroFloat64))
		})
	})
	return l, relativeErrors(points, l), scale
}

// relativeErrors returns measured over fitted times, minus 1.
func relativeErrors(points []Point, l line) []float64 {
	return list.Map(points, func(p Point) float64 { return float64(p.Time)/l.at(float64(p.Size)) - 1 })
}

// maxPairs is the approximate maximum number of pairs in Theil and Sen's slope.
const maxPairs = 6_000

// efficiency is the ratio of the variance of least squares to that of Theil and Sen's line if
// errors are normal: 2/π for the median of points, which β is, and, with weights from measured
// times, about the same for that of pairs, which is 3/π without weights. TestTrust verifies it.
const efficiency = 0.68

// fitTheilSen computes Theil and Sen's line without outliers, as [fitHuber] does. Its intervals are
// those of least squares, widened for the lower efficiency of medians.
func fitTheilSen(points []Point) line {
	l := theilSenLine(points)
	e := relativeErrors(points, l)
	if rest := inliers(points, e, max(stats.MAD(e, 0), sameTime)); rest != nil {
		points = rest
		l = theilSenLine(points)
	}
	w := l.weights(points)
	l.moments = solve(points, w).moments
	l.intervals(points, w, l.residuals(points, w), efficiency)
	return l
}

// theilSenLine returns the weighted median of the slopes of pairs, and of T − nτ. A slope has the
// weight |nᵢ−nⱼ|/√(Tᵢ²+Tⱼ²), the inverse of its deviation if errors are in proportion to the time:
// Theil 1950 and Sen 1968 with the weights of Jaeckel 1972.
func theilSenLine(points []Point) line {
	n := len(points)
	type weighted struct{ v, w float64 }
	median := func(s []weighted) float64 {
		slices.SortFunc(s, func(a, b weighted) int { return cmp.Compare(a.v, b.v) })
		total, sum := 0.0, 0.0
		for _, x := range s {
			total += x.w
		}
		for i, x := range s {
			if sum += x.w; sum > total/2 || i == len(s)-1 {
				return x.v
			} else if sum == total/2 {
				return (x.v + s[i+1].v) / 2
			}
		}
		return 0
	}
	step := 1 + n*(n-1)/2/maxPairs // every step-th pair
	var slopes []weighted
	pair := 0
	for i, p := range points {
		for _, q := range points[i+1:] {
			if pair++; pair%step == 0 || step == 1 {
				dn := float64(q.Size - p.Size)
				w := dn / math.Hypot(float64(p.Time), float64(q.Time)) * math.Sqrt(float64(p.Count)*float64(q.Count))
				slopes = append(slopes, weighted{float64(q.Time-p.Time) / dn, w})
			}
		}
	}
	l := line{freeTau: median(slopes)}
	l.tau = max(0, l.freeTau)
	rest := make([]weighted, n)
	for i, p := range points {
		rest[i] = weighted{float64(p.Time) - l.tau*float64(p.Size), float64(p.Count) / float64(p.Time)}
	}
	l.freeBeta = median(rest)
	if l.beta = l.freeBeta; l.beta < 0 {
		l.beta = 0
		for i, p := range points { // through the origin: the median of T/n
			rest[i] = weighted{float64(p.Time) / float64(p.Size), float64(p.Count)}
		}
		l.tau = median(rest)
	}
	return l
}
