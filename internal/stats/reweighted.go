package stats

import "math"

// reweightings is the maximum number of iterations of weights. With noise of 10 % they converge in
// fewer than 10.
const reweightings = 100

// Reweighted repeats weighted least squares until the weights agree with the fit: solve fits by
// the weights w, and weigh sets the weights that follow from a fit. The weights of relative errors
// are an example: they are the inverse squares of the fitted times, not of the measured ones, since
// values that are low by chance would then count more (McCullagh and Nelder 1989, ch. 8–9). On
// return, w has the weights of the last fit.
func Reweighted[F any](w []float64, solve func(w []float64) F, weigh func(fit F, w []float64)) F {
	fit := solve(w)
	next := make([]float64, len(w))
	for range reweightings {
		weigh(fit, next)
		change := 0.0
		for i := range w {
			change = max(change, math.Abs(next[i]/w[i]-1))
			w[i] = next[i]
		}
		if fit = solve(w); change < 1e-12 {
			break
		}
	}
	return fit
}
