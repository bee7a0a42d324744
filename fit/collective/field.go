package collective

import (
	"cmp"
	"math"
	"slices"
)

// A field interpolates log(measured/form) with a covariance that falls exponentially with the
// distance between coordinates (simple kriging; Cressie 1993, §3.2). Far from all measurements it
// is 0.
type field struct{ of []residual }

// The ranges of the covariance, in octaves of the bytes of a step and of places, and the part of
// the variance that is noise of a single measurement. What a form misses at a size, it misses by
// nearly as much on more nodes. Chosen on the shared data; see docs/accuracy.md.
const (
	fieldSizes  = 2
	fieldPlaces = 16
	fieldNoise  = 0.05
)

// A residual is log(measured/form) at a coordinate.
type residual struct {
	coordinate
	e float64
}

// neighbours is the maximum number of residuals that enter a prediction.
const neighbours = 24

func covariance(a, b coordinate) float64 {
	d := math.Abs(a.step-b.step)/fieldSizes + (math.Abs(a.nodes-b.nodes)+math.Abs(a.perNode-b.perNode))/fieldPlaces
	return (1 - fieldNoise) * math.Exp(-d)
}

// predict returns the interpolated log(measured/form) at a coordinate.
func (f *field) predict(c coordinate) (e float64) {
	type near struct {
		residual
		covariance float64
	}
	best := make([]near, 0, neighbours+1)
	for _, o := range f.of {
		v := covariance(c, o.coordinate)
		if len(best) == neighbours && v <= best[neighbours-1].covariance {
			continue
		}
		i, _ := slices.BinarySearchFunc(best, v, func(b near, v float64) int { return cmp.Compare(v, b.covariance) })
		best = slices.Insert(best, i, near{o, v})
		best = best[:min(len(best), neighbours)]
	}
	// Cholesky of the covariances among the neighbours.
	var l [neighbours][neighbours]float64
	var y, z [neighbours]float64
	for i := range best {
		y[i], z[i] = best[i].e, best[i].covariance
		for j := range i + 1 {
			v := covariance(best[i].coordinate, best[j].coordinate)
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
		e += y[i] * z[i]
	}
	return e
}
