package tuner

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// certain is the number of standard deviations beyond which a difference is beyond doubt.
const certain = 4

// A plan is a group whose covariances are as if the candidates selected so far were measured.
type plan struct {
	members []int
	calls   [][]int // indices of the members of each call
	mean    []float64
	cov     *mat.SymDense
	value   []float64 // of the members
}

// Next returns at most n candidates to measure, the most valuable first. The value is the
// knowledge gradient [frazier]: the expected relative reduction of the times of the choices. Every
// fourth candidate is instead the choice with the least certain time, to which the gradient gives
// no value if all algorithms of its call share the uncertainty. For candidates after the first,
// the means are unchanged, and the covariances are as if the previous ones were measured.
// Candidates that were measured, or that cannot be the best, are left out. Progress, if any, is
// told of each candidate. The error is that of the context, beside the candidates selected so far.
func (t *Tuner) Next(ctx context.Context, n int, progress func(done, total int)) (
	next []int, err error) {
	out := make([]bool, len(t.all))
	for _, m := range t.seen {
		out[m.Candidate] = true
	}
	plans, of := t.plans(ctx)
	noise := t.given.Noise * t.given.Noise
	for i := range t.all {
		out[i] = out[i] || t.Excluded(i)
	}
	var choices []int
	for _, call := range t.order {
		choices = append(choices, t.fastest(call))
	}
	for _, p := range plans {
		p.gains(ctx, noise)
	}
	for len(next) < n && ctx.Err() == nil {
		best, most := -1, math.Inf(-1)
		add := func(i int, v float64) {
			if !out[i] && v > most {
				best, most = i, v
			}
		}
		if len(next)%t.given.Verify == t.given.Verify-1 {
			for _, i := range choices {
				p, k := plans[of[i][0]], of[i][1]
				add(i, p.cov.At(k, k))
			}
		}
		for _, p := range plans {
			if best >= 0 && len(next)%t.given.Verify == t.given.Verify-1 {
				break
			}
			for k, i := range p.members {
				add(i, p.value[k])
			}
		}
		if best < 0 {
			break
		}
		next, out[best] = append(next, best), true
		p := plans[of[best][0]]
		p.measure(of[best][1], noise)
		p.gains(ctx, noise)
		if progress != nil {
			progress(len(next), n)
		}
	}
	return next, ctx.Err()
}

// plans returns the groups' plans, and for each candidate the index of its group and in it.
func (t *Tuner) plans(ctx context.Context) (all []*plan, of [][2]int) {
	index, row := map[string]int{}, map[int]int{}
	for i, c := range t.all {
		g, known := index[c.Group]
		if !known {
			g = len(all)
			index[c.Group], all = g, append(all, &plan{})
		}
		p := all[g]
		of = append(of, [2]int{g, len(p.members)})
		if i == t.calls[c.Call][0] {
			row[c.Call], p.calls = len(p.calls), append(p.calls, nil)
		}
		p.calls[row[c.Call]] = append(p.calls[row[c.Call]], len(p.members))
		p.members, p.mean = append(p.members, i), append(p.mean, t.mean[i])
	}
	for _, p := range all {
		n := len(p.members)
		p.cov, p.value = mat.NewSymDense(n, nil), make([]float64, n)
		for i := 0; i < n && ctx.Err() == nil; i++ {
			for j := range i + 1 {
				p.cov.SetSym(j, i, t.scaled()*t.covariance(p.members[j], p.members[i]))
			}
		}
	}
	return all, of
}

// fastest returns the candidate of a call with the least expected time.
func (t *Tuner) fastest(call int) int {
	return slices.MinFunc(t.calls[call], func(a, b int) int {
		if t.Expected(a) < t.Expected(b) {
			return -1
		}
		return 1
	})
}

// Excluded reports whether a candidate is slower than another of its call beyond doubt, so that
// measuring it is of no use.
func (t *Tuner) Excluded(i int) bool {
	return slices.ContainsFunc(t.calls[t.all[i].Call], func(j int) bool {
		mean, deviation := t.Difference(i, j)
		return mean > certain*deviation
	})
}

// measure makes the covariances those after a measurement of a member. They do not depend on the
// measured time, so several candidates can be selected before any is measured.
func (p *plan) measure(k int, noise float64) {
	row := mat.NewVecDense(len(p.members), nil)
	for i := range p.members {
		row.SetVec(i, p.cov.At(i, k))
	}
	p.cov.SymRankOne(p.cov, -1/(p.cov.At(k, k)+noise), row)
}

// hermite has the places and weights of a quadrature for a standard normal variable: exact for
// polynomials of degree 13, in place of draws.
var hermite = func() (points [7][2]float64) {
	var x, w [len(points)]float64
	quad.Hermite{}.FixedLocations(x[:], w[:], math.Inf(-1), math.Inf(1))
	for i := range x { // of ∫ e^−x² f(x) dx
		points[i] = [2]float64{x[i] * math.Sqrt2, w[i] / math.Sqrt(math.Pi)}
	}
	return points
}()

// gains sets the knowledge gradient of each member. Noise is the variance of a measurement.
func (p *plan) gains(ctx context.Context, noise float64) {
	n := len(p.members)
	now, level, slope := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range now {
		now[i] = p.mean[i] + p.cov.At(i, i)/2 // the logarithm of the expected time
	}
	for k := range p.members {
		if ctx.Err() != nil {
			return
		}
		s := math.Sqrt(p.cov.At(k, k) + noise)
		for i := range slope {
			slope[i] = p.cov.At(i, k) / s
			// Less by the variance that the measurement removes, so that the mean over z stays the
			// present expected time.
			level[i] = now[i] - slope[i]*slope[i]/2
		}
		p.value[k] = 0
		for _, call := range p.calls {
			p.value[k] += gain(call, now, level, slope)
		}
	}
}

// gain returns the relative decrease of the expected time of a call's choice if the logarithms of
// expected times become level + slope·z, with z standard normal.
func gain(call []int, now, level, slope []float64) float64 {
	best := call[0]
	for _, i := range call {
		if now[i] < now[best] {
			best = i
		}
	}
	farthest, changes := hermite[len(hermite)-1][0], false
	for _, i := range call {
		changes = changes ||
			level[i]-level[best] < math.Abs(farthest*(slope[i]-slope[best]))
	}
	if !changes { // as for most calls, of which a candidate says nothing
		return 0
	}
	var after float64
	for _, p := range hermite {
		least := math.Inf(1)
		for _, i := range call {
			least = min(least, level[i]+slope[i]*p[0])
		}
		after += p[1] * math.Exp(least-now[best])
	}
	return 1 - after
}
