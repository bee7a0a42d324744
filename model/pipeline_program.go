package model

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A row is a constraint x_to − x_from − coef·p ≥ least on the vector y of the linear
// program; to or from is none if that term is missing.
type row struct {
	to, from, p int
	coef, least float64
}

const none = -1

func (r row) value(y []float64) float64 {
	v := -r.coef * y[r.p]
	if r.to != none {
		v += y[r.to]
	}
	if r.from != none {
		v -= y[r.from]
	}
	return v
}

func (r row) addTo(y []float64, v float64) {
	y[r.p] -= r.coef * v
	if r.to != none {
		y[r.to] += v
	}
	if r.from != none {
		y[r.from] -= v
	}
}

// program returns the linear program for the runs of a plan with given counts. Its unknowns are,
// for each run, the packet size p in bytes and the times x_0…x_{S−1} in µs at which the run
// leaves the stages free. It minimises the last of them, subject to
//
//	x'_i − x_j − (Σ_{j≤k≤i} τ_k + (m−1)τ_b)·p ≥ Σ_{j≤k≤i} β_k + (m−1)β_b
//		for all j ≤ b ≤ i
//	p ≥ 1    Σ m·p = n
//
// which is the recurrence of [Pipeline.OneWayAs] with each max replaced by "not less than".
//
// For a run of one packet, the rows with j = i and those from the previous stage in the same run
// suffice.
func (l *Pipeline) program(plan Plan) []row {
	stages := len(l.Stages)
	var rows []row
	for r, run := range plan {
		p := r * (stages + 1)
		free := func(stage int) int { return p + 1 + stage }
		before := func(stage int) int { // free of the previous run
			if r == 0 {
				return none
			}
			return free(stage) - (stages + 1)
		}
		rows = append(rows, row{to: none, from: none, p: p, coef: -1, least: 1})
		for i, s := range l.Stages {
			if run.Count == 1 {
				rows = append(rows, row{free(i), before(i), p, float64(s.Tau), float64(s.Beta)})
				if i > 0 {
					previous := free(i - 1)
					rows = append(rows, row{free(i), previous, p, float64(s.Tau), float64(s.Beta)})
				}
				continue
			}
			var beta, tau float64
			again := float64(run.Count - 1)
			for j := i; j >= 0; j-- {
				beta += float64(l.Stages[j].Beta)
				tau += float64(l.Stages[j].Tau)
				for _, b := range l.Stages[j : i+1] {
					rows = append(rows, row{free(i), before(j), p,
						tau + again*float64(b.Tau), beta + again*float64(b.Beta)})
				}
			}
		}
	}
	return rows
}

// A solver is an iterate of the linear program of a plan: the unknowns y, and for each row its
// slack s > 0 and its price z > 0.
type solver struct {
	rows     []row
	y, s, z  []float64
	nu, want float64   // the price of a byte, and the number of bytes in mean packets
	e        []float64 // Σ m·p = e·y

	dual, rhs, dy, solved, ds, dz, center []float64

	band *mat.SymBandDense
	chol mat.BandCholesky
}

// solve sets the sizes of the plan's runs, not rounded, to those that minimise the time of n bytes.
// It is Mehrotra's predictor-corrector method for the linear program. The normal equations of each
// step are banded, because a run depends only on the previous one, so a step costs
// O(runs·stages³).
//
// The simplex method of gonum ([gonum.org/v1/gonum/optimize/convex/lp]) finds the same optimum but
// cannot replace this one. It works with dense matrices: CLIP's five stages and 48 packets take it
// seconds instead of milliseconds, and [Pipeline.IdealPlan] solves many such programs. Where stages
// differ by orders of magnitude, it often stops because a matrix is singular.
func (l *Pipeline) solve(n quantity.Bytes, plan Plan) {
	// Sizes in units of the mean packet, times in units of the mean packet's slowest stage.
	unitP := float64(n) / float64(plan.Packets())
	unitT := float64(l.Stages[l.Bottleneck(quantity.Bytes(unitP))].Time(quantity.Bytes(unitP)))
	if unitT == 0 { // nothing costs anything
		unitT = 1
	}
	v := l.solver(plan, unitP, unitT)
	for range 60 {
		if !v.step() {
			break
		}
	}
	for r := range plan {
		plan[r].Size = quantity.Bytes(v.y[r*(len(l.Stages)+1)] * unitP)
	}
}

// solver returns a start inside the bounds: equal packets, and every time a little later than
// necessary.
func (l *Pipeline) solver(plan Plan, unitP, unitT float64) *solver {
	stages := len(l.Stages)
	size := len(plan) * (stages + 1)
	v := &solver{
		rows: l.program(plan),
		want: float64(plan.Packets()),
		band: mat.NewSymBandDense(size, min(2*stages, size-1), nil),
	}
	for _, at := range []*[]float64{&v.y, &v.e, &v.dual, &v.rhs, &v.dy, &v.solved} {
		*at = make([]float64, size)
	}
	for _, at := range []*[]float64{&v.s, &v.z, &v.ds, &v.dz, &v.center} {
		*at = make([]float64, len(v.rows))
	}
	for k := range v.rows {
		r := &v.rows[k]
		if r.to == none {
			r.least /= unitP
		} else {
			r.coef *= unitP / unitT
			r.least /= unitT
		}
	}
	for r, run := range plan {
		v.e[r*(stages+1)], v.y[r*(stages+1)] = float64(run.Count), 1
	}
	for _, r := range v.rows { // in the order of the recurrence
		if late := r.least - r.value(v.y) + 0.1; r.to != none && late > 0 {
			v.y[r.to] += late
		}
	}
	for k, r := range v.rows {
		v.s[k] = max(r.value(v.y)-r.least, 1e-3)
		v.z[k] = 1 / v.s[k]
	}
	return v
}

// step makes one step towards the optimum. It returns false if that is reached within the precision
// of floats.
func (v *solver) step() bool {
	gap := 0.0
	for k := range v.rows {
		gap += v.s[k] * v.z[k]
	}
	// The last unknown is the time that is minimised. dual becomes the gradient of the Lagrange
	// function, which is 0 at the optimum.
	for i := range v.dual {
		v.dual[i] = -v.nu * v.e[i]
	}
	v.dual[len(v.dual)-1]++
	infeasible := 0.0
	for k, r := range v.rows {
		r.addTo(v.dual, -v.z[k])
		infeasible = max(infeasible, math.Abs(r.least-r.value(v.y)+v.s[k]))
	}
	for _, d := range v.dual {
		infeasible = max(infeasible, math.Abs(d))
	}
	optimal := gap < 1e-9*math.Abs(v.y[len(v.y)-1])
	if optimal && infeasible < 1e-9 || !v.factorize() {
		return false
	}
	for k := range v.rows {
		v.center[k] = -v.s[k] * v.z[k]
	}
	// The predictor aims at slacks and prices of product 0. The share of the gap that it leaves
	// decides how far the corrector stays from the bounds, and its ds·dz is what a linear step
	// leaves out (Mehrotra, SIAM J. Optim. 2, 1992).
	v.direction()
	alphaS, alphaZ := reach(v.s, v.ds), reach(v.z, v.dz)
	affine := 0.0
	for k := range v.rows {
		affine += (v.s[k] + alphaS*v.ds[k]) * (v.z[k] + alphaZ*v.dz[k])
	}
	sigma, mu := math.Pow(affine/gap, 3), gap/float64(len(v.rows))
	for k := range v.rows {
		v.center[k] = sigma*mu - v.s[k]*v.z[k] - v.ds[k]*v.dz[k]
	}
	dnu := v.direction()
	alphaS, alphaZ = min(1, backOff*reach(v.s, v.ds)), min(1, backOff*reach(v.z, v.dz))
	floats.AddScaled(v.y, alphaS, v.dy)
	floats.AddScaled(v.s, alphaS, v.ds)
	floats.AddScaled(v.z, alphaZ, v.dz)
	v.nu += alphaZ * dnu
	return true
}

func (v *solver) factorize() bool {
	v.band.Zero()
	for k, r := range v.rows {
		addOuter(v.band, r, v.z[k]/v.s[k])
	}
	if !v.chol.Factorize(v.band) {
		return false
	}
	solved, e := mat.NewVecDense(len(v.solved), v.solved), mat.NewVecDense(len(v.e), v.e)
	err := v.chol.SolveVecTo(solved, e)
	_, inexact := err.(mat.Condition)
	return err == nil || inexact
}

// direction computes the step that takes s·z to center, and returns the step of nu.
func (v *solver) direction() (dnu float64) {
	for i := range v.rhs {
		v.rhs[i] = -v.dual[i]
	}
	for k, r := range v.rows {
		missing := r.least - r.value(v.y) + v.s[k]
		r.addTo(v.rhs, v.center[k]/v.s[k]+v.z[k]/v.s[k]*missing)
	}
	// A bad condition shows in the length of the step.
	_ = v.chol.SolveVecTo(mat.NewVecDense(len(v.dy), v.dy), mat.NewVecDense(len(v.rhs), v.rhs))
	used, sum, unit := 0.0, 0.0, 0.0
	for i := range v.e {
		used += v.e[i] * v.y[i]
		sum += v.e[i] * v.dy[i]
		unit += v.e[i] * v.solved[i]
	}
	dnu = (v.want - used - sum) / unit
	floats.AddScaled(v.dy, dnu, v.solved)
	for k, r := range v.rows {
		v.ds[k] = r.value(v.dy) - (r.least - r.value(v.y) + v.s[k])
		v.dz[k] = (v.center[k] - v.z[k]*v.ds[k]) / v.s[k]
	}
	return dnu
}

// addOuter adds d·aaᵀ for the coefficients a of the row.
func addOuter(m *mat.SymBandDense, r row, d float64) {
	index := [3]int{r.p, r.to, r.from}
	coef := [3]float64{-r.coef, 1, -1}
	for i := range index {
		for j := range index {
			if index[i] != none && index[j] >= index[i] {
				m.SetSymBand(index[i], index[j], m.At(index[i], index[j])+d*coef[i]*coef[j])
			}
		}
	}
}

// backOff is the part of the way to the nearest bound that a step takes. At the bound itself a
// slack or a price would be 0, and the next step divides by slacks.
const backOff = 0.99

// reach returns the longest step along dv, at most 1/backOff, that keeps v positive.
func reach(v, dv []float64) float64 {
	alpha := 1 / backOff
	for i := range v {
		if dv[i] < 0 {
			alpha = min(alpha, -v[i]/dv[i])
		}
	}
	return alpha
}
