package fit

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model/quantity"
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
)

// Linear fits T(n) = β + nτ to a table, with β ≥ 0 and τ ≥ 0 (Hockney; CLIP
// §4.2.2.2 eq. 1). Every size is a point, weighted by the number of its rows. The
// intervals come from the scatter of the points about the line, with Student's t: they
// hold if that scatter is noise, and the warnings say where it is not.
func Linear(t *trace.Table, m Method) (*Result, error) {
	if m == "" {
		m = Relative
	}
	if m != Relative && m != Ordinary {
		return nil, fmt.Errorf("no method %q; there are relative and ordinary", m)
	}
	points, kind, warnings, err := prepare(t)
	if err != nil {
		return nil, err
	}
	s, doubts := fitSegment(points, m)
	return newResult(t, kind, "linear", string(m), points, []Segment{s}, append(warnings, doubts...)), nil
}

// fitSegment fits one line to points, which are sorted by size.
func fitSegment(points []Point, m Method) (s Segment, warnings []string) {
	s.From, s.To, s.Points = points[0].Size, points[len(points)-1].Size, len(points)
	l := fitLine(points, m)
	s.Beta = Estimate[quantity.Micros]{quantity.Micros(l.beta), quantity.Micros(l.betaLow), quantity.Micros(l.betaHigh)}
	s.Tau = Estimate[quantity.MicrosPerByte]{quantity.MicrosPerByte(l.tau), quantity.MicrosPerByte(l.tauLow), quantity.MicrosPerByte(l.tauHigh)}
	switch {
	case l.beta == 0 && l.freeBeta < 0:
		warnings = append(warnings, fmt.Sprintf("the line would cut the axis below zero, at %v: held at 0; the times grow faster than a line", quantity.Micros(l.freeBeta)))
	case l.tau == 0 && l.freeTau < 0:
		warnings = append(warnings, "the times fall with size: τ is held at 0")
	}
	return s, warnings
}

// A line is β + nτ with 95 % intervals.
type line struct {
	beta, betaLow, betaHigh float64
	tau, tauLow, tauHigh    float64
	freeBeta, freeTau       float64 // without the bounds
}

// reweightings is how often weights follow the fitted times. They settle in
// fewer than 10, two lines apart by 10 % of scatter.
const reweightings = 100

// fitLine solves min Σ wᵢ(Tᵢ − β − nᵢτ)² under β, τ ≥ 0, where wᵢ is the number
// of rows for Ordinary, and that over the fitted time squared for Relative:
// errors in proportion to the time, of a constant coefficient of variation. (Over
// the measured time squared, points that are low by chance would weigh more, and β
// and τ come out low by twice the variance: by 2 % at 10 % of scatter.) The weights
// are iterated until they agree with the line (McCullagh and Nelder 1989, ch. 8–9).
func fitLine(points []Point, m Method) line {
	w := make([]float64, len(points))
	for i, p := range points {
		w[i] = float64(p.Count)
		if m == Relative {
			w[i] /= float64(p.Time) * float64(p.Time)
		}
	}
	l, cov := solve(points, w)
	for range reweightings {
		if m != Relative {
			break
		}
		change := 0.0
		for i, p := range points {
			fitted := l.beta + l.tau*float64(p.Size)
			next := float64(p.Count) / (fitted * fitted)
			change = max(change, math.Abs(next/w[i]-1))
			w[i] = next
		}
		if l, cov = solve(points, w); change < 1e-14 {
			break
		}
	}
	l.intervals(points, w, cov)
	return l
}

// A covariance is that of β and τ, but for the factor σ². A parameter that is held at its
// bound has 0.
type covariance struct{ beta, tau float64 }

// solve is weighted least squares under β, τ ≥ 0. Sums are about the weighted
// mean of the sizes, which keeps the digits that sizes of six decades would cost.
func solve(points []Point, w []float64) (line, covariance) {
	var sw, mx, my float64
	for i, p := range points {
		sw += w[i]
		mx += (float64(p.Size) - mx) * w[i] / sw
		my += (float64(p.Time) - my) * w[i] / sw
	}
	var sxx, sxy float64
	for i, p := range points {
		dx := float64(p.Size) - mx
		sxx += w[i] * dx * dx
		sxy += w[i] * dx * (float64(p.Time) - my)
	}
	var l line
	l.freeTau = sxy / sxx
	l.freeBeta = my - l.freeTau*mx
	l.beta, l.tau = l.freeBeta, l.freeTau
	switch {
	case l.tau < 0: // then β = Σwy/Σw is the least with τ = 0
		l.tau, l.beta = 0, my
	case l.beta < 0: // then τ = Σwxy/Σwx² is the least with β = 0
		l.beta, l.tau = 0, (sxy+sw*mx*my)/(sxx+sw*mx*mx)
	}
	return l, covariance{beta: 1/sw + mx*mx/sxx, tau: 1 / sxx}
}

// intervals sets the 95 % intervals: σ² from the residuals of the free line, with
// two degrees of freedom less than points, and Student's t.
func (l *line) intervals(points []Point, w []float64, cov covariance) {
	l.betaLow, l.tauLow = 0, 0
	l.betaHigh, l.tauHigh = math.Inf(1), math.Inf(1)
	dof := float64(len(points) - 2)
	if dof < 1 {
		return
	}
	var ss float64
	for i, p := range points {
		d := float64(p.Time) - l.beta - l.tau*float64(p.Size)
		ss += w[i] * d * d
	}
	t := student(dof) * math.Sqrt(ss/dof)
	b, s := t*math.Sqrt(cov.beta), t*math.Sqrt(cov.tau)
	// At a bound the interval is what is left of the free line's.
	l.betaLow, l.betaHigh = max(0, l.freeBeta-b), max(l.beta, l.freeBeta+b)
	l.tauLow, l.tauHigh = max(0, l.freeTau-s), max(l.tau, l.freeTau+s)
	l.betaLow, l.tauLow = min(l.betaLow, l.beta), min(l.tauLow, l.tau)
}

// student is the 97.5 % quantile of Student's t.
func student(dof float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: dof}.Quantile(0.975)
}
