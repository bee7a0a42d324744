package collective

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// The columns of the design matrix: 1, Steps, n·Volume, n·Combined.
const (
	ofBase = iota
	ofAlpha
	ofBeta
	ofGamma
	columns
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

// leastSquares minimises the squared relative errors over parameters ≥ 0 of the wanted columns. The
// weights 1/T² come from the fitted times and are iterated, because measured times would favour
// points that are low by chance (McCullagh and Nelder 1989, ch. 8). The minimum under the bounds is
// the smallest minimum among sets of columns with positive parameters (Lawson and Hanson 1974,
// ch. 23).
func leastSquares(rows []row, wanted [columns]bool) solution {
	fitted := make([]float64, len(rows))
	for i, r := range rows {
		fitted[i] = r.y
	}
	var best solution
	for range 30 {
		best = bounded(rows, fitted, wanted)
		change := 0.0
		for i, r := range rows {
			next := best.predict(r.x)
			if !(next > r.y/20) { // a fit this bad keeps the weight in bounds
				next = r.y / 20
			}
			change = max(change, math.Abs(next/fitted[i]-1))
			fitted[i] = next
		}
		if change < 1e-9 {
			break
		}
	}
	return best
}

// bounded returns the best solution over all sets of columns without a negative parameter.
func bounded(rows []row, fitted []float64, wanted [columns]bool) (best solution) {
	var m moments
	for i, r := range rows {
		m.add(&r.x, r.y, r.y*r.y/(fitted[i]*fitted[i]))
	}
	all, n := 0, 0
	for i, w := range wanted {
		if w {
			all |= 1 << i
			n++
		}
	}
	value, chosen, lowest := m.nonNegative(all, 1e-9, math.Inf(1))
	best.value = value
	var ok bool // at a bound the interval is that of the line without
	if best.unbound, best.variance, _, ok = m.solve(all, 1e-9, true); !ok {
		best.unbound, best.variance, _, _ = m.solve(chosen, 1e-9, true)
	}
	best.free = len(rows) - n
	sigma2 := 0.0
	if best.free > 0 {
		sigma2 = max(0, lowest) / float64(best.free)
	}
	for i := range columns {
		for j := range columns {
			best.variance[i][j] *= sigma2
		}
	}
	return best
}

// moments are the weighted sums of products of the columns and of the time, which comes last.
type moments [columns + 1][columns + 1]float64

// add adds a time at the columns x, each divided by the time, to the products on and above the
// diagonal.
func (m *moments) add(x *[columns]float64, t, weight float64) {
	var v [columns + 1]float64
	for i := range x {
		v[i] = x[i] / t
	}
	v[columns] = 1
	for i := range v {
		w := weight * v[i]
		for j := i; j < len(v); j++ {
			m[i][j] += w * v[j]
		}
	}
}

// nonNegative returns the least-squares parameters of a set of columns, all at least 0 and the last
// at most maxLast: the best solution over the subsets that has no negative parameter (Lawson and
// Hanson 1974, ch. 23). It also returns the subset and its sum of squares. The caller sets the
// products on and above the diagonal of m.
func (m *moments) nonNegative(of int, minPivot, maxLast float64) (best [columns]float64, chosen int, lowest float64) {
	for i := range m {
		for j := range i {
			m[i][j] = m[j][i]
		}
	}
	lowest = math.Inf(1)
	for set := 1; set <= of; set++ {
		if set&^of != 0 {
			continue
		}
		value, _, squares, ok := m.solve(set, minPivot, false)
		if ok && squares < lowest && value[columns-1] <= maxLast && slices.Min(value[:]) >= 0 {
			best, chosen, lowest = value, set, squares
		}
	}
	return best, chosen, lowest
}

// solve solves the normal equations over a set of columns, given as a bit mask, and returns the sum
// of squares. The inverse of the matrix is 0 unless it is wanted. ok is false if a column is less
// than minPivot independent of the columns before it.
func (m *moments) solve(set int, minPivot float64, wanted bool) (value [columns]float64, inverse [columns][columns]float64, squares float64, ok bool) {
	var at [columns]int
	k := 0
	for i := range columns {
		if set>>i&1 == 1 {
			if m[i][i] == 0 {
				return value, inverse, 0, false
			}
			at[k] = i
			k++
		}
	}
	// Gauss-Jordan of the scaled matrix beside the right side and the unit matrix.
	var g [columns][2*columns + 1]float64
	width := k + 1
	if wanted {
		width = 2*k + 1
	}
	for i := range k {
		for j := range k {
			g[i][j] = m[at[i]][at[j]] / math.Sqrt(m[at[i]][at[i]]*m[at[j]][at[j]])
		}
		g[i][k] = m[at[i]][columns] / math.Sqrt(m[at[i]][at[i]])
		g[i][k+1+i] = 1
	}
	for i := range k {
		pivot := g[i][i]
		if pivot < minPivot { // positive definite: its diagonal shrinks to what is independent
			return value, inverse, 0, false
		}
		for j := i; j < width; j++ {
			g[i][j] /= pivot
		}
		for r := range k {
			if f := g[r][i]; r != i && f != 0 {
				for j := i; j < width; j++ {
					g[r][j] -= f * g[i][j]
				}
			}
		}
	}
	squares = m[columns][columns]
	for i := range k {
		v := g[i][k] / math.Sqrt(m[at[i]][at[i]])
		value[at[i]] = v
		squares -= v * m[at[i]][columns]
		for j := range width - k - 1 {
			inverse[at[i]][at[j]] = g[i][k+1+j] / math.Sqrt(m[at[i]][at[i]]*m[at[j]][at[j]])
		}
	}
	return value, inverse, squares, true
}

// apart is the minimum part of a column that is not a sum of the columns before it, over points
// weighted by their times, for the column to be fitted. Combining has to differ more: it is nearly
// proportional to the bytes sent, so that noise would move cost from β to γ.
var apart = [columns]float64{ofBase: 1e-3, ofAlpha: 1e-3, ofBeta: 1e-3, ofGamma: 0.05}

// independent reports which columns are identifiable. If not all are, γ is dropped first, then the
// base.
func independent(rows []row) (wanted [columns]bool) {
	var kept [][]float64
	for _, c := range []int{ofAlpha, ofBeta, ofBase, ofGamma} {
		more := basis(rows, []int{c}, apart, kept)
		wanted[c] = len(more) > len(kept)
		kept = more
	}
	return wanted
}

// basis extends an orthonormal basis by columns of rows, over points weighted by their times (Gram
// and Schmidt). Columns with less than part[c] of independent length are left out.
func basis(rows []row, of []int, part [columns]float64, kept [][]float64) [][]float64 {
	kept = slices.Clip(kept)
	for _, c := range of {
		v := make([]float64, len(rows))
		for i, r := range rows {
			v[i] = r.x[c] / r.y
		}
		norm := floats.Dot(v, v)
		for _, k := range kept {
			floats.AddScaled(v, -floats.Dot(v, k), k)
		}
		rest := floats.Dot(v, v)
		if norm == 0 || rest <= max(part[c]*part[c], 1e-12)*norm {
			continue
		}
		floats.Scale(1/math.Sqrt(rest), v)
		kept = append(kept, v)
	}
	return kept
}
