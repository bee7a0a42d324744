package collective

import "math"

// A field interpolates log(measured/form) by a mean over the measurements, weighted by kernels of
// the distance between coordinates (Nadaraya 1964, Watson 1964). Beyond all of them it has the
// value of the nearest: what a form misses at a size, it misses by as much on more nodes.
type field struct{ of []residual }

// The ranges of the kernels, over which a weight falls by exp(-1), in octaves of the bytes of a
// step and of places; and the weight of 0, which is relative to that of the nearest measurement, as
// each has noise. Chosen on the shared data; see docs/accuracy.md.
const (
	fieldSizes  = 0.3
	fieldPlaces = 0.5
	fieldNoise  = 0.05
)

// A residual is log(measured/form) at a coordinate.
type residual struct {
	coordinate
	e float64
}

// predict returns the interpolated log(measured/form) at a coordinate.
func (f *field) predict(c coordinate) (e float64) {
	sum, weights, nearest := 0.0, 0.0, math.SmallestNonzeroFloat64
	for _, o := range f.of {
		w := math.Exp(-math.Abs(c.step-o.step)/fieldSizes - (math.Abs(c.nodes-o.nodes)+math.Abs(c.perNode-o.perNode))/fieldPlaces)
		sum, weights, nearest = sum+w*o.e, weights+w, max(nearest, w)
	}
	return sum / (weights + fieldNoise*nearest)
}
