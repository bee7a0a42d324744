package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

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

// estimate returns the line's value at n, at least zero.
func (l *line) estimate(n float64) Estimate[quantity.Micros] {
	v, d := l.at(n), math.Inf(1)
	if !math.IsInf(l.varTau, 1) {
		d = l.t * l.sd(n)
	}
	return around[quantity.Micros](v, d)
}

// reweightings is the maximum number of iterations of the weights. With noise of 10 % they converge
// in fewer than 10.
const reweightings = 100

// fitRelative solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0. The weight wᵢ is the number of rows
// over the squared fitted time, which assumes errors in proportion to the time. (With the measured
// time instead, points that are low by chance would weigh more, and β and τ would be too low by
// twice the variance: by 2 % at 10 % of scatter.) The weights are iterated until they agree with
// the line (McCullagh and Nelder 1989, ch. 8–9).
func fitRelative(points []Point) line {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count) / (float64(p.Time) * float64(p.Time))
	}
	l := solve(points, w)
	for range reweightings {
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
	l.leastSquaresIntervals(points, w)
	return l
}

// fitOrdinary is like fitRelative, but the weight is the number of rows alone.
func fitOrdinary(points []Point) line {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count)
	}
	l := solve(points, w)
	l.leastSquaresIntervals(points, w)
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

// leastSquaresIntervals sets the 95 % intervals of a line with these weights.
func (l *line) leastSquaresIntervals(points []Point, w []float64) {
	e := make([]float64, len(points))
	for i, p := range points {
		e[i] = math.Sqrt(w[i]) * (float64(p.Time) - l.at(float64(p.Size)))
	}
	l.intervals(points, w, e, 1, 1)
}

// minCorrelated is the minimum number of points for testing their errors for correlation.
const minCorrelated = 12

// intervals sets the 95 % intervals from the weighted residuals e, by Student's t. Variances are
// divided by the efficiency of the method for a level and for a slope. At a bound, the interval is
// that of the unbounded line, truncated there.
//
// Errors that are correlated along the sizes carry less information; see setVariances. Their
// correlation ρ is estimated from neighbours, and corrected for the bias of two fitted parameters
// (Kendall 1954), if there is evidence of it.
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

// moments are the weighted sums of points about their means, updated point by point without loss of
// digits (West 1979).
type moments struct{ stats.Moments }

func (m *moments) line() (beta, tau float64) {
	if m.XX > 0 {
		tau = m.XY / m.XX
	}
	beta = m.Y - tau*m.X
	switch {
	case tau < 0: // then β = Σwy/Σw is the least with τ = 0
		return m.Y, 0
	case beta < 0: // then τ = Σwxy/Σwx² is the least with β = 0
		return 0, (m.XY + m.W*m.X*m.Y) / (m.XX + m.W*m.X*m.X)
	}
	return beta, tau
}

func (m *moments) rss() float64 {
	beta, tau := m.line()
	d := m.Y - beta - tau*m.X
	return max(0, m.YY-2*tau*m.XY+tau*tau*m.XX+m.W*d*d)
}

// A piece is a line over the next points points; it serves sizes up to until, in bytes.
type piece struct {
	line
	points int
	until  float64
}

func valueAt(pieces []piece, n float64) float64 {
	for i := range pieces[:len(pieces)-1] {
		if n <= pieces[i].until {
			return pieces[i].at(n)
		}
	}
	return pieces[len(pieces)-1].at(n)
}
