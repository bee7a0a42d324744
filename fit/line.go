package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A line is β + nτ with 95 % intervals.
type line struct {
	beta, betaLow, betaHigh float64
	tau, tauLow, tauHigh    float64
	freeBeta, freeTau       float64       // without the bounds
	moments                 stats.Moments // of sizes and times under the weights of the intervals
	// The variances of β and τ and their covariance; +Inf and 0 if unknown.
	varBeta, varTau, covariance float64
	t                           float64 // Student's, for 95 %
}

func (l *line) at(n float64) float64 { return l.beta + l.tau*n }

// sd returns the standard deviation of the line's value at n.
func (l *line) sd(n float64) float64 {
	return math.Sqrt(max(0, l.varBeta+2*n*l.covariance+n*n*l.varTau))
}

// fitRelative solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0. The weight wᵢ is
// the number of rows over the squared fitted time, which assumes errors in proportion to the time.
// With the measured time instead, points that are low by chance would weigh more, and β and τ
// would be too low by twice the variance: by 2 % at 10 % of scatter.
func fitRelative(points []Point) line {
	l, w := relativeLine(points)
	l.intervals(points, w, noiseOf(points), 1)
	return l
}

// relativeLine returns the line of fitRelative without its intervals, and its weights.
func relativeLine(points []Point) (line, []float64) {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count) / (float64(p.Time) * float64(p.Time))
	}
	solved := func(w []float64) line { return solve(points, w) }
	return stats.Reweighted(w, solved, func(l line, w []float64) { copy(w, l.weights(points)) }), w
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
	w := counts(points)
	l := solve(points, w)
	l.intervals(points, w, noiseOf(points), 1)
	return l
}

// counts returns the weights of errors that do not depend on the size.
func counts(points []Point) []float64 {
	return list.Map(points, func(p Point) float64 { return float64(p.Count) })
}

// noiseOf returns the more likely form of the noise: errors in proportion to the time, or of one
// deviation at all sizes. The likelihood is that of the errors without the two parameters of the
// line (Patterson and Thompson 1971):
//
//	2 ln L = Σ ln wᵢ − ln det XᵀWX − (n−2) ln Σwᵢeᵢ²
func noiseOf(points []Point) noiseForm {
	proportional, w := relativeLine(points)
	constant, c := solve(points, counts(points)), counts(points)
	gain := likelihood(points, constant, c) - likelihood(points, proportional, w)
	if len(points) < 4 || gain < constantEvidence {
		return noiseForm{weights: w, errors: proportional.residuals(points, w),
			moments: proportional.moments}
	}
	return noiseForm{weights: c, errors: constant.residuals(points, c), moments: constant.moments,
		constant: true}
}

// constantEvidence is the gain of twice the logarithm of the likelihood above which the noise is
// taken as one of all sizes. With 2, errors of 3 % at 8 sizes are taken so too often: intervals of
// τ hold 82 to 88 % by the method ordinary. With 6 they hold 95 to 98 %.
const constantEvidence = 6

// sameTime is the relative error below which times are equal: below the resolution of clocks, above
// rounding errors.
const sameTime = 1e-7

// likelihood returns 2 ln L but for a constant.

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
	l.beta, l.tau = m.NonNegative()
	return l
}

// minCorrelated is the minimum number of points for testing their errors for correlation.
const minCorrelated = 12

// intervals sets the 95 % intervals, by Student's t, of a method with the weights w. Variances are
// divided by the efficiency of the method. At a bound, the interval is that of the unbounded line,
// truncated there.
//
// The weights of a method need not be those of the noise: the method ordinary gives a line also
// where errors are in proportion to the time. So noise has weights of its own, and the errors.
//
// Errors that are correlated along the sizes carry less information; see setVariances. Their
// correlation ρ is estimated from neighbours, and corrected for the bias of two fitted parameters
// (Kendall 1954), if there is evidence of it.
func (l *line) intervals(points []Point, w []float64, noise noiseForm, efficiency float64) {
	n := len(points)
	l.betaHigh, l.tauHigh = math.Inf(1), math.Inf(1)
	l.varBeta, l.varTau, l.covariance = math.Inf(1), math.Inf(1), 0
	if n < 3 {
		return
	}
	rho, squares := correlation(noise.errors)
	l.setVariances(rho, squares, points, w, noise, efficiency)
	// Of few sizes the form of the noise is a guess. The noise of the sizes where β is most of the
	// time is not, if these are at least half.
	flat := l.beta > l.tau*float64(points[n/2].Size)
	ratio := w[0] * noise.weights[n-1] / (w[n-1] * noise.weights[0])
	same := 0.5 < ratio && ratio < 2 // the method's weights are those of the noise
	if n < minLocal && flat && !noise.constant {
		variance, free := localVariance(points, w, noise, &l.moments)
		t := stats.T95(free)
		variance *= t * t / l.t / l.t / efficiency
		// If the method's weights are not those of the noise, the sizes that decide β also decide
		// the errors, and either variance is large where β is far off.
		if same {
			l.varBeta = max(variance, l.varBeta)
		} else {
			l.varBeta = min(variance, l.varBeta)
		}
	}
	l.setEnds()
}

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
	if len(e) >= minCorrelated && squares > 0 {
		rho = (neighbours/squares + 2/n) / (1 - 4/n)
		// At ρ = 1 the errors would carry no information. Without correlation, the estimate of ρ
		// has a standard deviation of 1/√n: up to 1.5 of these are no evidence.
		if rho = min(rho, 0.95); rho <= 1.5/math.Sqrt(n) {
			rho = 0
		}
	}
	return rho, squares
}

// setEnds sets the ends of the intervals from the variances.
func (l *line) setEnds() {
	b, s := l.t*math.Sqrt(max(0, l.varBeta)), l.t*math.Sqrt(l.varTau)
	l.betaLow, l.betaHigh = min(l.beta, max(0, l.freeBeta-b)), max(l.beta, l.freeBeta+b)
	l.tauLow, l.tauHigh = min(l.tau, max(0, l.freeTau-s)), max(l.tau, l.freeTau+s)
}

// minLocal is the minimum number of points whose form of the noise is known well enough for β.
const minLocal = 20

// localVariance returns the variance of β from the errors at the sizes that decide it, whatever the
// form of the noise, and its degrees of freedom (Bell and McCaffrey, Bias reduction in standard
// errors for linear regression with multi-stage samples, Survey Methodology 28, 2002):
// Σaᵢ²eᵢ²/(1−hᵢ) if β is ΣaᵢTᵢ, hᵢ are the leverages, and the weighted errors have one deviation.
func localVariance(points []Point, w []float64, noise noiseForm, m *stats.Moments) (
	variance, free float64) {

	n := len(points)
	level, slope := columns(points, w, m)
	g := make([]float64, n) // of the weighted error i on β, over √(1−hᵢ)
	for i := range g {
		a := level[i]/math.Sqrt(m.W) - m.X*slope[i]/math.Sqrt(m.XX)
		h := level[i]*level[i] + slope[i]*slope[i]
		g[i] = a / math.Sqrt(max(1-h, 0.1)) // a line passes through a size that alone decides τ
		e := noise.errors[i]
		if noise.local != nil {
			e = noise.local[i]
		}
		e *= math.Sqrt(w[i] / noise.weights[i])
		variance += g[i] * g[i] * e * e
	}
	// The errors of the line are I − H of those of the measurements.
	var sum, squares float64
	for i := range g {
		for j := range g {
			r := -level[i]*level[j] - slope[i]*slope[j]
			if i == j {
				r++
				sum += g[i] * g[i] * r
			}
			squares += g[i] * g[i] * g[j] * g[j] * r * r
		}
	}
	return variance, max(1, sum*sum/squares)
}

// A noiseForm is a form of the noise.
type noiseForm struct {
	weights []float64 // inverse variances, but for a factor
	errors  []float64 // of a line with these weights, weighted
	// local holds the errors for [localVariance] of a method that bounds errors; nil if they are
	// errors.
	local    []float64
	moments  stats.Moments
	constant bool // one deviation at all sizes
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

// setVariances sets the variances if errors i and j are correlated by Rᵢⱼ = ρ^|i−j|: the
// variance of Σaᵢeᵢ is σ²aᵀRa, and the expected sum of squares about the line is
// tr(R−HR)σ², which is (n−2)σ² without correlation (Cochrane and Orcutt 1949). The errors
// carry the information of n(1−ρ)/(1+ρ) independent ones. With weights w that are not those of the
// noise, v, aᵢ is multiplied by √(wᵢ/vᵢ) (White 1980, with a model of the variances).
func (l *line) setVariances(
	rho, squares float64, points []Point, w []float64, noise noiseForm, efficiency float64,
) {
	n := float64(len(points))
	level, slope := columns(points, noise.weights, &noise.moments)
	free := max(1, n-correlated(level, level, rho)-correlated(slope, slope, rho))
	// Means of scattered rows can lie on a line by chance. They do not show less scatter than rows.
	sigma2 := max(squares/free, rowVariance(points, noise.weights))
	m := &l.moments
	level, slope = columns(points, w, m)
	for i, v := range noise.weights {
		level[i] *= math.Sqrt(w[i] / v)
		slope[i] *= math.Sqrt(w[i] / v)
	}
	ll, ss := correlated(level, level, rho), correlated(slope, slope, rho)
	ls := correlated(level, slope, rho)
	l.t = stats.T95(max(1, math.Round(n*(1-rho)/(1+rho)-2)))
	both := sigma2 * ls / math.Sqrt(m.W*m.XX) / efficiency
	l.varTau = sigma2 * ss / m.XX / efficiency
	l.covariance = both - m.X*l.varTau
	l.varBeta = sigma2*ll/m.W/efficiency - 2*m.X*both + m.X*m.X*l.varTau
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

func valueAt(pieces []piece, n float64) float64 {
	for i := range pieces[:len(pieces)-1] {
		if n <= pieces[i].until {
			return pieces[i].at(n)
		}
	}
	return pieces[len(pieces)-1].at(n)
}
