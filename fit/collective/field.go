package collective

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A field is what the form leaves, as a function of ranks and size: log(measured/form) with a
// covariance that falls exponentially with the distance in octaves (simple kriging; Cressie 1993,
// §3.2). Far from all measurements it is 0, with its full variance.
type field struct {
	of       []residual
	variance float64
	hyper
}

// hyper are the ranges of the covariance, in octaves of ranks and size, and the part of the
// variance that is noise of a single measurement.
type hyper struct{ ranks, sizes, noise float64 }

// A residual is at lg p, lg n. Its error is the standard deviation of its mean, as its repeats have
// it; infinite where it has too few to say.
type residual struct{ p, n, e, error float64 }

// neighbours is how many residuals a prediction is made from.
const neighbours = 24

func octaves(ranks int, n quantity.Bytes) (p, lg float64) {
	return math.Log2(float64(ranks)), math.Log2(max(1, float64(n)))
}

func (f *field) distance(a, b residual) float64 {
	return math.Abs(a.p-b.p)/f.ranks + math.Abs(a.n-b.n)/f.sizes
}

// at is the value there, and its variance for one more measurement.
func (f *field) at(p, n float64) (e, variance float64) {
	type near struct {
		residual
		d float64
	}
	var best []near
	for _, o := range f.of {
		d := f.distance(residual{p: p, n: n}, o)
		if len(best) == neighbours && d >= best[neighbours-1].d {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, d, func(b near, d float64) int { return cmp.Compare(b.d, d) })
		best = slices.Insert(best, i, near{o, d})
		best = best[:min(len(best), neighbours)]
	}
	if len(best) == 0 {
		return 0, f.variance
	}
	// Cholesky of the covariances among the neighbours.
	k := len(best)
	var l [neighbours][neighbours]float64
	var y, z [neighbours]float64
	for i := range k {
		c := (1 - f.noise) * math.Exp(-best[i].d)
		y[i], z[i] = best[i].e, c
		for j := range i + 1 {
			v := (1 - f.noise) * math.Exp(-f.distance(best[i].residual, best[j].residual))
			if i == j {
				v = 1
			}
			for m := range j {
				v -= l[i][m] * l[j][m]
			}
			if i == j {
				l[i][i] = math.Sqrt(max(v, 1e-9))
			} else {
				l[i][j] = v / l[j][j]
			}
		}
		for m := range i {
			y[i] -= l[i][m] * y[m]
			z[i] -= l[i][m] * z[m]
		}
		y[i] /= l[i][i]
		z[i] /= l[i][i]
	}
	explained := 0.0
	for i := range k {
		e += y[i] * z[i]
		explained += z[i] * z[i]
	}
	return e, f.variance * max(f.noise/2, 1-explained)
}

// outlier is the number of standard deviations beyond which a residual is not taken for what it is.
const outlier = 4

// calm replaces residuals that are far from their neighbours', by the neighbours' median: a call that
// was disturbed says nothing about those beside it. Deviations are the median ones, over all points.
// What repeats agree upon was no disturbance, and stays.
func (f *field) calm() {
	const around = 8
	middle := make([]float64, len(f.of))
	var off []float64
	for i, o := range f.of {
		type near struct{ d, e float64 }
		var best []near
		for j, b := range f.of {
			if d := f.distance(o, b); i != j && (len(best) < around || d < best[around-1].d) {
				at, _ := slices.BinarySearchFunc(best, d, func(b near, d float64) int { return cmp.Compare(b.d, d) })
				best = slices.Insert(best, at, near{d, b.e})
				best = best[:min(len(best), around)]
			}
		}
		if len(best) < around {
			return
		}
		var e [around]float64
		for k, b := range best {
			e[k] = b.e
		}
		slices.Sort(e[:])
		middle[i] = (e[around/2-1] + e[around/2]) / 2
		off = append(off, math.Abs(o.e-middle[i]))
	}
	if len(off) == 0 {
		return
	}
	slices.Sort(off)
	limit := outlier * stats.NormalMAD * off[len(off)/2]
	for i := range f.of {
		if o := &f.of[i]; math.Abs(o.e-middle[i]) > limit && math.Abs(o.e-middle[i]) < outlier*o.error {
			o.e = middle[i]
		}
	}
}

var (
	usual  = hyper{ranks: 1, sizes: 3, noise: 0.1}
	hypers = func() (all []hyper) {
		for _, ranks := range []float64{0.3, 1, 3} {
			for _, sizes := range []float64{1, 3, 9} {
				for _, noise := range []float64{0.02, 0.1, 0.4} {
					all = append(all, hyper{ranks, sizes, noise})
				}
			}
		}
		return all
	}()
)
