package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/fit/trace"
	"gonum.org/v1/gonum/stat/distuv"
)

// A Method is how a line is put through points.
type Method string

const (
	// Relative makes the squares of the relative errors least: a size of 8 bytes
	// counts as much as one of 1 MiB. It is the default.
	Relative Method = "relative"
	// Ordinary makes the squares of the errors in µs least: large sizes decide.
	Ordinary Method = "ordinary"
	// Huber is Relative, but points far off the line pull no harder than points at
	// 1.345 standard deviations.
	Huber Method = "huber"
	// TheilSen takes the median slope of all pairs of points: nearly a third of them
	// may be anything.
	TheilSen Method = "theil-sen"
)

// Methods are all there are, the default first.
var Methods = []Method{Relative, Ordinary, Huber, TheilSen}

// Linear fits T(n) = β + nτ to a table, with β ≥ 0 and τ ≥ 0 (Hockney; CLIP
// §4.2.2.2 eq. 1). Every size is a point, weighted by the number of its rows. The
// intervals come from the scatter of the points about the line, with Student's t: they
// hold if that scatter is noise, and the warnings say where it is not.
func Linear(t *trace.Table, m Method) (*Result, error) {
	m = cmp.Or(m, Relative)
	if !slices.Contains(Methods, m) {
		return nil, fmt.Errorf("no method %q; there are %s", m, join(Methods))
	}
	return form{name: "linear", method: m}.result(t)
}

// A line is β + nτ with 95 % intervals.
type line struct {
	beta, betaLow, betaHigh float64
	tau, tauLow, tauHigh    float64
	freeBeta, freeTau       float64 // without the bounds
	// For the deviation of a point of the line: σ², Σw, and the weighted mean and
	// scatter of the sizes.
	sigma2, sw, mx, sxx float64
	t                   float64 // Student's, for 95 %
}

// at is β + nτ.
func (l *line) at(n float64) float64 { return l.beta + l.tau*n }

// sd is the standard deviation of the line's value at n.
func (l *line) sd(n float64) float64 {
	return math.Sqrt(l.sigma2 * (1/l.sw + (n-l.mx)*(n-l.mx)/l.sxx))
}

// reweightings bounds how often weights follow the fitted times. They settle in
// fewer than 10 where the errors are noise of 10 %.
const reweightings = 100

// fitLine solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0, where wᵢ is the number
// of rows for Ordinary, and that over the fitted time squared for Relative:
// errors in proportion to the time, of a constant coefficient of variation. (Over
// the measured time squared, points that are low by chance would weigh more, and β
// and τ come out low by twice the variance: by 2 % at 10 % of scatter.) The weights
// are iterated until they agree with the line (McCullagh and Nelder 1989, ch. 8–9).
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
	var ss float64
	for i, p := range points {
		d := float64(p.Time) - l.at(float64(p.Size))
		ss += w[i] * d * d
	}
	l.intervals(ss, len(points)-2)
	return l
}

// solve is weighted least squares under β, τ ≥ 0.
func solve(points []Point, w []float64) line {
	var m moments
	for i, p := range points {
		m.add(float64(p.Size), float64(p.Time), w[i])
	}
	l := line{sw: m.w, mx: m.x, sxx: m.xx, freeTau: m.xy / m.xx}
	l.freeBeta = m.y - l.freeTau*m.x
	l.beta, l.tau = m.line()
	return l
}

// intervals sets the 95 % intervals from the weighted sum of squares that the
// line leaves with so many degrees of freedom, by Student's t. At a bound the
// interval is what is left of the free line's.
func (l *line) intervals(ss float64, dof int) {
	l.betaHigh, l.tauHigh = math.Inf(1), math.Inf(1)
	l.sigma2 = math.Inf(1)
	if dof < 1 {
		return
	}
	l.sigma2, l.t = ss/float64(dof), student(float64(dof))
	b, s := l.t*l.sd(0), l.t*math.Sqrt(l.sigma2/l.sxx)
	l.betaLow, l.betaHigh = min(l.beta, max(0, l.freeBeta-b)), max(l.beta, l.freeBeta+b)
	l.tauLow, l.tauHigh = min(l.tau, max(0, l.freeTau-s)), max(l.tau, l.freeTau+s)
}

// student is the 97.5 % quantile of Student's t. It takes longer than the fit that
// it is for, so values are kept; there are as many as numbers of points.
func student(dof float64) float64 {
	if t, ok := students.Load(dof); ok {
		return t.(float64)
	}
	t := distuv.StudentsT{Mu: 0, Sigma: 1, Nu: dof}.Quantile(0.975)
	students.Store(dof, t)
	return t
}

var students sync.Map // of float64
