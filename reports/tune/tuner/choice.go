package tuner

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"
)

// A Contrast is a comparison of two candidates of a call that were measured beside each other: the
// logarithm of the time of Slow over that of Fast, and its standard deviation.
type Contrast struct {
	Slow, Fast     int
	Log, Deviation float64
}

// Margin is the least difference of losses, or of logarithmic times, for which an algorithm
// replaces the library's own choice: launches of one program differ by as much.
const Margin = 0.03

// Choose returns the candidate of a call with the least expected loss, unless the library's own
// choice is expected to lose the same within Margin.
func (t *Tuner) Choose(call int) int {
	of, losses, best := t.calls[call], t.losses(call, nil), 0
	for i, l := range losses {
		if l < losses[best] {
			best = i
		}
	}
	for i, c := range of {
		if t.all[c].Library && losses[i] <= losses[best]+Margin {
			return c
		}
	}
	return of[best]
}

// Loss returns the expected loss of a candidate, the relative difference between its time and the
// least of its call: the mean of draws from the posterior given the contrasts of the call, times
// the prior's Real.
func (t *Tuner) Loss(chosen int, contrasts ...Contrast) float64 {
	call := t.all[chosen].Call
	return t.losses(call, contrasts)[slices.Index(t.calls[call], chosen)]
}

// draws is the number of draws from a posterior: a loss then has an error of a few percent of it.
const draws = 1000

// losses returns the expected losses of a call's candidates.
func (t *Tuner) losses(call int, contrasts []Contrast) []float64 {
	of := t.calls[call]
	mean, cov := make([]float64, len(of)), mat.NewSymDense(len(of), nil)
	for i, a := range of {
		mean[i] = t.mean[a]
		for j, b := range of[:i+1] {
			cov.SetSym(j, i, t.scaled()*t.covariance(a, b))
		}
	}
	for _, c := range contrasts {
		c.condition(slices.Index(of, c.Slow), slices.Index(of, c.Fast), mean, cov)
	}
	for i := range of {
		cov.SetSym(i, i, cov.At(i, i)+tiny)
	}
	losses := make([]float64, len(of))
	// A fixed seed: the same measurements give the same losses in each run.
	normal, ok := distmv.NewNormal(mean, cov, rand.NewPCG(1, 2))
	times := make([]float64, len(of))
	for range draws {
		if !ok { // not reached: tiny makes cov positive definite
			break
		}
		normal.Rand(times)
		least := slices.Min(times)
		for i, log := range times {
			losses[i] += t.given.Real * math.Expm1(log-least) / draws
		}
	}
	return losses
}

// tiny is added to variances, of which rounding may have left less than 0.
const tiny = 1e-9

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
}
