package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
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

// Linear fits T(n) = β + nτ to a table, with β ≥ 0 and τ ≥ 0 (Hockney; CLIP
// §4.2.2.2 eq. 1). Every size is a point, weighted by the number of its rows. The
// intervals come from the scatter of the points about the line, with Student's t: they
// hold if that scatter is noise, and warnings report where it is not.
func Linear(t *benchfile.Table, m Method) (*Result, error) {
	m = cmp.Or(m, Relative)
	if !slices.Contains(Methods, m) {
		return nil, fmt.Errorf("unknown method %q; choose from %s", m, join(Methods))
	}
	return form{name: "linear", method: m}.result(t)
}

// A line is β + nτ with 95 % intervals.
type line struct {
	beta, betaLow, betaHigh float64
	tau, tauLow, tauHigh    float64
	freeBeta, freeTau       float64 // without the bounds
	// Σw, and the weighted mean and scatter of the sizes.
	sw, mx, sxx float64
	// The variances of β and τ and their covariance; +Inf and 0 if unknown.
	varBeta, varTau, covariance float64
	rho                         float64 // correlation of neighbours' errors
	t                           float64 // Student's, for 95 %
}

func (l *line) at(n float64) float64 { return l.beta + l.tau*n }

// sd returns the standard deviation of the line's value at n.
func (l *line) sd(n float64) float64 {
	return math.Sqrt(max(0, l.varBeta+2*n*l.covariance+n*n*l.varTau))
}

// reweightings is the maximum number of iterations of the weights. With noise of 10 % they converge
// in fewer than 10.
const reweightings = 100

// fitLine solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0. The weight wᵢ is the number of rows for
// Ordinary, and the number of rows over the squared fitted time for Relative, which assumes errors
// in proportion to the time. (With the measured time instead, points that are low by chance would
// weigh more, and β and τ would be too low by twice the variance: by 2 % at 10 % of scatter.) The
// weights are iterated until they agree with the line (McCullagh and Nelder 1989, ch. 8–9).
func fitLine(points []Point, m Method) line {
	switch m {
	case Huber:
		return fitHuber(points)
	case TheilSen:
		return fitTheilSen(points)
	}
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count)
		if m == Relative {
			w[i] /= float64(p.Time) * float64(p.Time)
		}
	}
	l := solve(points, w)
	for range reweightings {
		if m != Relative {
			break
		}
		change := 0.0
		for i, p := range points {
			fitted := l.at(float64(p.Size))
			next := float64(p.Count) / (fitted * fitted)
			change = max(change, math.Abs(next/w[i]-1))
			w[i] = next
		}
		if l = solve(points, w); change < 1e-12 {
			break
		}
	}
	e := make([]float64, len(points))
	for i, p := range points {
		e[i] = math.Sqrt(w[i]) * (float64(p.Time) - l.at(float64(p.Size)))
	}
	l.intervals(points, w, e, 1, 1)
	return l
}

// solve returns the weighted least-squares line under β, τ ≥ 0.
func solve(points []Point, w []float64) line {
	var m moments
	for i, p := range points {
		m.Add(float64(p.Size), float64(p.Time), w[i])
	}
	l := line{sw: m.W, mx: m.X, sxx: m.XX, freeTau: m.XY / m.XX}
	l.freeBeta = m.Y - l.freeTau*m.X
	l.beta, l.tau = m.line()
	return l
}

// minCorrelated is the minimum number of points for testing their errors for correlation.
const minCorrelated = 12

// intervals sets the 95 % intervals from the weighted residuals e, by Student's t. Variances are
// divided by the efficiency of the method for a level and for a slope. At a bound, the interval is
// that of the unbounded line, truncated there.
//
// Errors that are correlated along the sizes carry less information; see setVariances. Their
// correlation is that of neighbours, ρ, corrected for the bias of two fitted parameters (Kendall
// 1954), if there is evidence of it.
func (l *line) intervals(points []Point, w, e []float64, ofLevel, ofSlope float64) {
	n := len(points)
	l.betaHigh, l.tauHigh = math.Inf(1), math.Inf(1)
	l.varBeta, l.varTau, l.covariance = math.Inf(1), math.Inf(1), 0
	if n < 3 {
		return
	}
	var squares, neighbours float64
	for i := range e {
		squares += e[i] * e[i]
		if i > 0 {
			neighbours += e[i] * e[i-1]
		}
	}
	if n >= minCorrelated && squares > 0 {
		rho := (neighbours/squares + 2/float64(n)) / (1 - 4/float64(n))
		if rho > 1.5/math.Sqrt(float64(n)) {
			l.rho = min(rho, 0.95)
		}
	}
	l.setVariances(l.rho, squares, points, w, ofLevel, ofSlope)
	b, s := l.t*math.Sqrt(max(0, l.varBeta)), l.t*math.Sqrt(l.varTau)
	l.betaLow, l.betaHigh = min(l.beta, max(0, l.freeBeta-b)), max(l.beta, l.freeBeta+b)
	l.tauLow, l.tauHigh = min(l.tau, max(0, l.freeTau-s)), max(l.tau, l.freeTau+s)
}

// setVariances sets the variances if errors i and j are correlated by Rᵢⱼ = ρ^|i−j|: the variance
// of Σaᵢeᵢ is σ²aᵀRa, and the expected sum of squares about the line is tr(R−HR)σ², which is
// (n−2)σ² without correlation (Cochrane and Orcutt 1949). The errors carry the information of
// n(1−ρ)/(1+ρ) independent ones.
func (l *line) setVariances(rho, squares float64, points []Point, w []float64, ofLevel, ofSlope float64) {
	n := len(points)
	level, slope := make([]float64, n), make([]float64, n) // the line's columns, orthonormal
	for i, p := range points {
		r := math.Sqrt(w[i])
		level[i], slope[i] = r/math.Sqrt(l.sw), r*(float64(p.Size)-l.mx)/math.Sqrt(l.sxx)
	}
	ll, ls, ss := correlated(level, level, rho), correlated(level, slope, rho), correlated(slope, slope, rho)
	sigma2 := squares / max(1, float64(n)-ll-ss)
	l.t = stats.T95(max(1, math.Round(float64(n)*(1-rho)/(1+rho)-2)))
	both := sigma2 * ls / math.Sqrt(l.sw*l.sxx*ofLevel*ofSlope)
	l.varTau = sigma2 * ss / l.sxx / ofSlope
	l.covariance = both - l.mx*l.varTau
	l.varBeta = sigma2*ll/l.sw/ofLevel - 2*l.mx*both + l.mx*l.mx*l.varTau
}

// correlated returns aᵀRb with Rᵢⱼ = ρ^|i−j|.
func correlated(a, b []float64, rho float64) (sum float64) {
	var before, mirrored float64 // Σ of a, and of b, so far, with weights that fall by ρ
	for i := range a {
		sum += a[i]*b[i] + rho*(before*b[i]+mirrored*a[i])
		before, mirrored = rho*before+a[i], rho*mirrored+b[i]
	}
	return sum
}
