package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A line is β + nτ with 95 % intervals.
type line struct {
	beta, tau         quantity.Interval
	freeBeta, freeTau float64       // without the bounds
	moments           stats.Moments // of sizes and times under the line's weights
	// The variances of β and τ and their covariance; +Inf and 0 if unknown.
	varBeta, varTau, covariance float64
}

// level is the probability of intervals.
const level = 0.95

func (l *line) at(n float64) float64 { return l.beta.Value + l.tau.Value*n }

// sd returns the standard deviation of the line's value at n.
func (l *line) sd(n float64) float64 {
	return math.Sqrt(max(0, l.varBeta+2*n*l.covariance+n*n*l.varTau))
}

// fitRelative solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0, without intervals. The weight wᵢ is
// the number of rows over the squared fitted time, which assumes errors in proportion to the time.
// With the measured time instead, points that are low by chance would weigh more, and β and τ
// would be too low by twice the variance: by 2 % at 10 % of scatter.
func fitRelative(points []Point) line {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count) / (float64(p.Time) * float64(p.Time))
	}
	solved := func(w []float64) line { return solve(points, w) }
	return stats.Reweighted(w, solved, func(l line, w []float64) { copy(w, l.weights(points)) })
}

// weights returns the weights of relative errors about the line.
func (l *line) weights(points []Point) []float64 {
	return list.Map(points, func(p Point) float64 {
		fitted := l.at(float64(p.Size))
		return float64(p.Count) / (fitted * fitted)
	})
}

// residuals returns the weighted errors of the line.
func (l *line) residuals(points []Point, w []float64) []float64 {
	e := make([]float64, len(points))
	for i, p := range points {
		e[i] = math.Sqrt(w[i]) * (float64(p.Time) - l.at(float64(p.Size)))
	}
	return e
}

// fitOrdinary is like fitRelative, but the weight is the number of rows alone.
func fitOrdinary(points []Point) line {
	return solve(points, list.Map(points, func(p Point) float64 { return float64(p.Count) }))
}

// rounding is the relative error of computed differences.
const rounding = 1e-9

// sameTime is the relative error below which times are equal: below the resolution of clocks, above
// rounding errors.
const sameTime = 1e-7

// likelihood returns 2 ln L, but for a constant, of the errors without the two parameters of the
// line (Patterson and Thompson 1971):
//
//	2 ln L = Σ ln wᵢ − ln det XᵀWX − (n−2) ln Σwᵢeᵢ²
func likelihood(points []Point, l line, w []float64) float64 {
	sum, squares := 0.0, 0.0
	for i, e := range l.residuals(points, w) {
		sum += math.Log(w[i])
		squares += e*e + w[i]*math.Pow(sameTime*float64(points[i].Time), 2)
	}
	m := &l.moments
	return sum - math.Log(m.W*m.XX) - float64(len(points)-2)*math.Log(squares)
}

// solve returns the weighted least-squares line under β, τ ≥ 0.
func solve(points []Point, w []float64) line {
	var m stats.Moments
	for i, p := range points {
		m.Add(float64(p.Size), float64(p.Time), w[i])
	}
	l := line{moments: m}
	l.freeBeta, l.freeTau = m.Line()
	l.beta.Value, l.tau.Value = m.NonNegative()
	return l
}

// many is the minimum number of points for testing errors for correlation, and for leaving outliers
// out of the intervals. Of fewer points, noise that by chance is small at most of them would make
// the others outliers.
const many = 12

// correlation returns the correlation of neighbouring errors, 0 without evidence of one, and the
// sum of their squares.
func correlation(e []float64) (rho, squares float64) {
	n := float64(len(e))
	var neighbours float64
	for i := range e {
		squares += e[i] * e[i]
		if i > 0 {
			neighbours += e[i] * e[i-1]
		}
	}
	if len(e) >= many && squares > 0 {
		rho = (neighbours/squares + 2/n) / (1 - 4/n)
		// At ρ = 1 the errors would carry no information. Without correlation, the estimate of ρ
		// has a standard deviation of 1/√n: up to 1.5 of these are no evidence.
		if rho = min(rho, level); rho <= 1.5/math.Sqrt(n) {
			rho = 0
		}
	}
	return rho, squares
}

// columns returns the line's columns under weights, orthonormal.
func columns(points []Point, w []float64, m *stats.Moments) (level, slope []float64) {
	level, slope = make([]float64, len(points)), make([]float64, len(points))
	for i, p := range points {
		r := math.Sqrt(w[i])
		level[i], slope[i] = r/math.Sqrt(m.W), r*(float64(p.Size)-m.X)/math.Sqrt(m.XX)
	}
	return level, slope
}

// setVariances sets the variances if the weights w are those of the noise and errors i and j are
// correlated by Rᵢⱼ = ρ^|i−j|: the variance of Σaᵢeᵢ is σ²aᵀRa, and the expected sum of squares
// about the line is tr(R−HR)σ², which is (n−2)σ² without correlation (Cochrane and Orcutt 1949).
// The errors carry the information of n(1−ρ)/(1+ρ) independent ones.
func (l *line) setVariances(rho, squares float64, points []Point, w []float64) {
	m := &l.moments
	level, slope := columns(points, w, m)
	ll, ss := correlated(level, level, rho), correlated(slope, slope, rho)
	ls := correlated(level, slope, rho)
	// Means of scattered rows can lie on a line by chance. They do not show less scatter than rows.
	sigma2 := max(squares/max(1, float64(len(points))-ll-ss), rowVariance(points, w))
	both := sigma2 * ls / math.Sqrt(m.W*m.XX)
	l.varTau = sigma2 * ss / m.XX
	l.covariance = both - m.X*l.varTau
	l.varBeta = sigma2*ll/m.W - 2*m.X*both + m.X*m.X*l.varTau
}

// rowVariance returns the variance of rows of one size about their mean, pooled over the sizes and
// in the units of the weighted residuals; 0 without repeated sizes.
func rowVariance(points []Point, w []float64) float64 {
	var sum, free float64
	for i, p := range points {
		d := p.Deviation * float64(p.Time)
		// w is Count times the weight of a row.
		sum += float64(p.Count-1) * w[i] / float64(p.Count) * d * d
		free += float64(p.Count - 1)
	}
	return sum / max(1, free)
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

// rss returns the sum of squares about the line under β, τ ≥ 0.
func rss(m *stats.Moments) float64 {
	beta, tau := m.NonNegative()
	d := m.Y - beta - tau*m.X
	return max(0, m.YY-2*tau*m.XY+tau*tau*m.XX+m.W*d*d)
}

// A piece is a line over the next points points; it serves sizes up to until, in bytes.
type piece struct {
	line
	points int
	until  float64
}

// minPoints is the minimum number of sizes per piece: a line through two points always fits.
const minPoints = 3

func valueAt(pieces []piece, n float64) float64 {
	for i := range pieces[:len(pieces)-1] {
		if n <= pieces[i].until {
			return pieces[i].at(n)
		}
	}
	return pieces[len(pieces)-1].at(n)
}
