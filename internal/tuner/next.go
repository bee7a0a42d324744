package tuner

import (
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"
)

// verify is the number of candidates of which one verifies a choice.
const verify = 4

// Next returns at most n candidates to measure, the most valuable first. The value is the
// knowledge gradient [frazier]: the expected relative reduction of the times of the choices. Every
// fourth candidate is instead a choice, since the gradient gives no value to uncertainty that all
// algorithms of a call share, and the model may be wrong about what they share. Two rules take
// turns: the choice that reduces the sum of the choices' variances most, and the least certain one.
// For candidates after the first, the means are unchanged, and the covariances are as if the
// previous candidates were measured. Candidates that were measured, or that cannot be the best, are
// left out.
func (t *Tuner) Next(n int) (chosen []int) {
	out := map[int]bool{}
	values := make([][]float64, len(t.groups))
	covs := make([]*mat.SymDense, len(t.groups))
	for g := range t.groups {
		for _, m := range t.groups[g].measured {
			out[m.Candidate] = true
		}
		covs[g] = mat.NewSymDense(len(t.groups[g].members), nil)
		covs[g].CopySym(t.posterior(g).cov)
		values[g] = t.gains(g, covs[g])
	}
	for i := range t.all {
		out[i] = out[i] || t.Excluded(i)
	}
	for len(chosen) < n {
		best := -1
		if len(chosen)%verify == verify-1 {
			best = t.verified(covs, out, len(chosen)/verify%2 == 0)
		}
		if best < 0 {
			best = t.mostValuable(values, out)
		}
		if best < 0 {
			break
		}
		chosen, out[best] = append(chosen, best), true
		g, k := t.group[best], t.at[best]
		row := mat.NewVecDense(len(t.groups[g].members), nil)
		for i := range row.Len() {
			row.SetVec(i, covs[g].At(i, k))
		}
		// Conditioning on one more measurement lowers the covariance by a matrix of rank one. It
		// does not depend on the measured time, so several candidates can be chosen before any is
		// measured.
		covs[g].SymRankOne(covs[g], -1/(covs[g].At(k, k)+t.prior.Noise*t.prior.Noise), row)
		values[g] = t.gains(g, covs[g])
	}
	return chosen
}

// mostValuable returns the candidate of the greatest value that is not left out, or -1.
func (t *Tuner) mostValuable(values [][]float64, out map[int]bool) int {
	best, most := -1, 0.0
	for i := range t.all {
		if v := values[t.group[i]][t.at[i]]; !out[i] && (best < 0 || v > most) {
			best, most = i, v
		}
	}
	return best
}

// verified returns the choice with the greatest variance that is not left out. If joint is set, it
// returns the one that reduces the sum of the choices' variances most. It returns -1 if all choices
// are left out.
func (t *Tuner) verified(covs []*mat.SymDense, out map[int]bool, joint bool) int {
	choices := make([][]int, len(t.groups))
	for _, call := range slices.Sorted(maps.Keys(t.calls)) {
		i := t.best(t.calls[call])
		choices[t.group[i]] = append(choices[t.group[i]], i)
	}
	best, most := -1, 0.0
	for g, of := range choices {
		for _, i := range of {
			v := covs[g].At(t.at[i], t.at[i])
			if joint {
				sum := 0.0
				for _, j := range of {
					// Measuring i lowers the variance of j by c²/(v + noise²).
					c := covs[g].At(t.at[i], t.at[j])
					sum += c * c
				}
				v = sum / (v + t.prior.Noise*t.prior.Noise)
			}
			if !out[i] && v > most {
				best, most = i, v
			}
		}
	}
	return best
}

// Excluded reports whether a candidate is slower than another of its call with such certainty that
// measuring it is of no use: by more than four standard deviations of both.
func (t *Tuner) Excluded(i int) bool {
	m, s := t.predict(i)
	for _, j := range t.calls[t.all[i].Call] {
		if mj, sj := t.predict(j); m-mj > 4*math.Hypot(s, sj) {
			return true
		}
	}
	return false
}

// hermite has the places and weights of a quadrature for a standard normal variable: exact for
// polynomials of degree 13, in place of draws.
var hermite = func() (points [7][2]float64) {
	var x, w [7]float64
	quad.Hermite{}.FixedLocations(x[:], w[:], math.Inf(-1), math.Inf(1))
	for i := range x { // of ∫ e^−x² f(x) dx
		points[i] = [2]float64{x[i] * math.Sqrt2, w[i] / math.Sqrt(math.Pi)}
	}
	return points
}()

// gains returns the knowledge gradient of each candidate of a group with that covariance.
func (t *Tuner) gains(index int, cov *mat.SymDense) []float64 {
	g := &t.groups[index]
	n := len(g.members)
	gains, now := make([]float64, n), make([]float64, n)
	slope, level := make([]float64, n), make([]float64, n)
	for i := range now {
		// The logarithm of the mean of a log-normal time.
		now[i] = g.mean[i] + cov.At(i, i)/2
	}
	for k := range gains {
		s := math.Sqrt(cov.At(k, k) + t.prior.Noise*t.prior.Noise)
		for i := range slope {
			slope[i] = cov.At(i, k) / s
			// Less by the variance that the measurement removes, so that the mean over z stays the
			// present expected time.
			level[i] = now[i] - slope[i]*slope[i]/2
		}
		for _, call := range g.calls {
			gains[k] += gain(call, now, level, slope)
		}
	}
	return gains
}

// gain returns the relative decrease of the expected time of a call's choice if the logarithms of
// expected times become level + slope·z, with z standard normal.
func gain(call []int, now, level, slope []float64) float64 {
	before, moved := math.Inf(1), false
	for _, i := range call {
		// Most candidates say nothing about most calls; those calls are skipped.
		before, moved = min(before, now[i]), moved || math.Abs(slope[i]) > 1e-3
	}
	if !moved {
		return 0
	}
	after := 0.0
	for _, p := range hermite {
		least := math.Inf(1)
		for _, i := range call {
			least = min(least, level[i]+slope[i]*p[0])
		}
		after += p[1] * math.Exp(least-before)
	}
	return 1 - after
}

// A Contrast is a comparison of two candidates of a call that were measured beside each other: the
// logarithm of the time of Slow over that of Fast, and its standard deviation.
type Contrast struct {
	Slow, Fast     int
	Log, Deviation float64
}

// Loss returns the expected loss of a candidate, the relative difference between its time and the
// least of its call: the mean of draws from the posterior given the contrasts of the call, times
// the part of it that was real at calls that were held out.
func (t *Tuner) Loss(chosen int, contrasts ...Contrast) float64 {
	call, g := t.calls[t.all[chosen].Call], t.posterior(t.group[chosen])
	mean, cov := make([]float64, len(call)), mat.NewSymDense(len(call), nil)
	for i, a := range call {
		mean[i] = g.mean[t.at[a]]
		for j := range i + 1 {
			cov.SetSym(j, i, g.cov.At(t.at[call[j]], t.at[a]))
		}
		cov.SetSym(i, i, cov.At(i, i)+1e-9) // rounding may have left less than 0
	}
	for _, c := range contrasts {
		c.condition(slices.Index(call, c.Slow), slices.Index(call, c.Fast), mean, cov)
	}
	return t.calibration() * expectedLoss(slices.Index(call, chosen), mean, cov)
}

// condition conditions the logarithmic times of a call's candidates, of which slow and fast are the
// indices, on the contrast: [rasmussen] (A.6), for one observation.
func (c Contrast) condition(slow, fast int, mean []float64, cov *mat.SymDense) {
	cross := mat.NewVecDense(len(mean), nil)
	for i := range mean {
		cross.SetVec(i, cov.At(i, slow)-cov.At(i, fast))
	}
	variance := cross.AtVec(slow) - cross.AtVec(fast) + c.Deviation*c.Deviation
	surprise := c.Log - (mean[slow] - mean[fast])
	for i := range mean {
		mean[i] += cross.AtVec(i) / variance * surprise
	}
	cov.SymRankOne(cov, -1/variance, cross)
	for i := range mean {
		cov.SetSym(i, i, cov.At(i, i)+1e-9) // as in Loss
	}
}
