package collective

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A row is a point of the regression.
type row struct {
	x [columns]float64
	y float64 // the time
}

// A solution holds the parameters found by least squares. Unused columns have the value 0.
type solution struct {
	value    [columns]float64
	unbound  [columns]float64 // without the bounds at 0, whose intervals these are
	variance [columns][columns]float64
	free     int // points less parameters
}

// predict returns the fitted time in µs of a row x.
func (s *solution) predict(x [columns]float64) (t float64) {
	for i, v := range s.value {
		t += v * x[i]
	}
	return t
}

// interval returns the 95 % interval of parameter i. Without degrees of freedom it is 0 to +Inf. If
// the parameter is at its bound, the interval covers the bounded and the unbounded value.
func (s *solution) interval(i int) (low, high float64) {
	if s.free < 1 {
		return 0, math.Inf(1)
	}
	d := stats.T95(float64(s.free)) * math.Sqrt(s.variance[i][i])
	return max(0, min(s.value[i], s.unbound[i])-d), max(s.value[i], s.unbound[i]) + d
}

// leastSquares minimises the squared relative errors over parameters ≥ 0 of the wanted columns.
// The weights 1/T² come from the fitted times, because measured times would favour points that are
// low by chance.
func leastSquares(rows []row, wanted [columns]bool) solution {
	weights := make([]float64, len(rows))
	for i, r := range rows {
		weights[i] = 1 / (r.y * r.y)
	}
	solve := func(weights []float64) solution { return bounded(rows, weights, wanted) }
	return stats.Reweighted(weights, solve, func(s solution, weights []float64) {
		for i, r := range rows {
			fitted := s.predict(r.x)
			if !(fitted > r.y/20) { // a fit this bad keeps the weight in bounds
				fitted = r.y / 20
			}
			weights[i] = 1 / (fitted * fitted)
		}
	})
}

// minIndependent is the part of a column that has to be independent of the columns before it.
const minIndependent = 1e-9

// bounded returns the least squares under the bounds, with the intervals of those without.
func bounded(rows []row, weights []float64, wanted [columns]bool) solution {
	var g stats.Gram
	for i := range rows {
		g.Add(&rows[i].x, rows[i].y, weights[i])
	}
	all, n := 0, 0
	for i, w := range wanted {
		if w {
			all |= 1 << i
			n++
		}
	}
	best := g.NonNegative(all, minIndependent, math.Inf(1))
	unbound, inverse, ok := g.Solve(all, minIndependent)
	if !ok {
		unbound, inverse, _ = g.Solve(best.Columns, minIndependent)
	}
	s := solution{value: best.Value, unbound: unbound.Value, free: len(rows) - n}
	if s.free > 0 {
		sigma2 := best.Squares / float64(s.free)
		for i := range inverse {
			for j := range inverse {
				s.variance[i][j] = sigma2 * inverse[i][j]
			}
		}
	}
	return s
}

// apart is the minimum part of a column that is not a sum of the columns before it, over points
// weighted by their times, for the column to be fitted.
const apart = 1e-3

// independent reports which columns are identifiable. If not all are, the steps inside nodes are
// dropped first, then the base: a base is the smaller part of most times.
func independent(rows []row) (wanted [columns]bool) {
	var basis [][]float64 // orthonormal (Gram and Schmidt), over points weighted by their times
	for _, c := range []int{ofBetween, ofBytes, ofBase, ofInside} {
		v := make([]float64, len(rows))
		for i, r := range rows {
			v[i] = r.x[c] / r.y
		}
		norm := floats.Dot(v, v)
		for _, k := range basis {
			floats.AddScaled(v, -floats.Dot(v, k), k)
		}
		rest := floats.Dot(v, v)
		if norm == 0 || rest <= apart*apart*norm {
			continue
		}
		floats.Scale(1/math.Sqrt(rest), v)
		basis, wanted[c] = append(basis, v), true
	}
	return wanted
}
