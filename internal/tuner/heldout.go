package tuner

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// Trial returns the trial of the candidates of a group, or if too few of its calls were measured,
// of all groups.
func (t *Tuner) Trial(group string) Trial {
	all := Trial{}
	for g := range t.groups {
		own := t.trial(g)
		if t.all[t.groups[g].members[0]].Group == group && own.Owned >= minOwned {
			return own
		}
		all.join(own)
	}
	return all
}

// trial returns the trial of a group, which is made once for the present measurements.
func (t *Tuner) trial(index int) Trial {
	t.posterior(index)
	g := &t.groups[index]
	if g.trial == nil {
		made := t.heldOut(index)
		g.trial = &made
	}
	return *g.trial
}

// usualPart is the part of the expected loss that is real on the machines of
// docs/validation/tune.md, and usualCalls the number of held-out calls that these machines count
// for. Held-out choices are among measured candidates, of which most were expected to be fast:
// choices among all candidates lose unmeasuredPart times as much of what is expected.
const (
	usualPart      = 0.4
	usualCalls     = 6
	unmeasuredPart = 1.2
)

// calibration returns the factor of the expected losses: the real loss over the expected one at the
// held-out calls of all groups.
func (t *Tuner) calibration() float64 {
	all := Trial{}
	for g := range t.groups {
		all.join(t.trial(g))
	}
	part, n := 0.0, float64(all.Calls)
	if all.expected > 0 {
		part = all.Real / all.expected
	}
	return unmeasuredPart * (usualCalls*usualPart + n*part) / (usualCalls + n)
}

// heldOut returns the trial of a group. The factors of parts come from all measurements. The
// posterior of a call without its own measurements is that of [rasmussen] (5.12), for blocks.
func (t *Tuner) heldOut(index int) (all Trial) {
	g := &t.groups[index]
	if len(g.measured) < 2 {
		return all
	}
	chol, residual, _ := t.observed(g.measured)
	var inverse mat.SymDense
	if chol.InverseTo(&inverse) != nil {
		return all
	}
	var solved mat.VecDense
	solved.MulVec(&inverse, residual)
	scale := t.scale(residual, &solved)
	of := map[int][]int{} // by call
	var calls []int
	for k, m := range g.measured {
		call := t.all[m.Candidate].Call
		if of[call] == nil {
			calls = append(calls, call)
		}
		of[call] = append(of[call], k)
	}
	for _, call := range calls {
		block := of[call]
		n := len(block)
		// One candidate is no choice, and without other calls nothing predicts.
		if n < 2 || n == len(g.measured) {
			continue
		}
		precision, right := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
		for i, a := range block {
			right.SetVec(i, solved.AtVec(a))
			for j, b := range block[:i+1] {
				precision.SetSym(j, i, inverse.At(a, b))
			}
		}
		var c mat.Cholesky
		var cov mat.SymDense
		var shift mat.VecDense
		if !c.Factorize(precision) || c.InverseTo(&cov) != nil ||
			c.SolveVecTo(&shift, right) != nil {
			continue
		}
		mean, times := make([]float64, n), make([]float64, n)
		cov.ScaleSym(scale, &cov)
		pick, own := 0, -1
		for i, a := range block {
			times[i] = g.measured[a].Time
			mean[i] = times[i] - shift.AtVec(i)
			// The least expected time, and not the least expected logarithm: a log-normal time has
			// the mean exp(μ + σ²/2).
			if mean[i]+cov.At(i, i)/2 < mean[pick]+cov.At(pick, pick)/2 {
				pick = i
			}
			if t.all[g.measured[a].Candidate].Library {
				own = i
			}
		}
		least := slices.Min(times)
		real := math.Expm1(times[pick] - least)
		call := Trial{Calls: 1, Real: real, expected: expectedLoss(pick, mean, &cov)}
		if own >= 0 {
			call.Owned, call.Library, call.Beside = 1, math.Expm1(times[own]-least), real
			call.longer = times[pick] - times[own]
			call.squares = call.longer * call.longer
		}
		all.join(call)
	}
	return all
}

// draws is the number of draws from a posterior that an expected loss is the mean of.
const draws = 1000

// expectedLoss returns the expected loss of one of several candidates against the fastest, by the
// means and covariances of the logarithms of their times.
func expectedLoss(own int, mean []float64, cov *mat.SymDense) (loss float64) {
	// A fixed seed: the same measurements give the same losses in each run.
	normal, ok := distmv.NewNormal(mean, cov, rand.NewPCG(1, 2))
	if !ok {
		return math.NaN()
	}
	times := make([]float64, len(mean))
	for range draws {
		normal.Rand(times)
		loss += math.Expm1(times[own]-slices.Min(times)) / draws
	}
	return loss
}
