package forecast

import "math"

// Terms are the terms of a weighted sum, the logarithm of an interval's factor. They are in the
// order of the names below.
type Terms [5]float64

const (
	// floor is 1 between measured sizes; beyond them the distance: in octaves above, as the
	// share of the first size below.
	floor = iota
	// residual is the error of the curve's own sizes when they are left out; beyond the measured
	// sizes it is multiplied by the distance.
	residual
	// side is the distance from the middle to the farthest other prediction on that
	// side.
	side
	// jump is the distance between the two sides of a gap; above the measured sizes, how far the
	// curve is from being proportional to the size, times the distance: a curve that is still flat
	// has its protocol changes ahead.
	jump
	// grain is half of a step of the printed times.
	grain
)

func (k Terms) dot(v Terms) (sum float64) {
	for i := range k {
		sum += k[i] * v[i]
	}
	return sum
}

// A Calibration is what many curves have taught about any one of them.
type Calibration struct {
	// Inside, Above and Below are the weights of the terms for sizes between the measured ones,
	// above and below them; Run are those for another run at a measured size.
	Inside, Above, Below, Run Terms
	// Runs is the factor on the interval that a curve's own runs give.
	Runs float64
	// Breaks tells, for each octave from 2^i on, how often curves jump there, to
	// compare with other octaves.
	Breaks [32]float64
}

func (k *Calibration) weights(w Way) *Terms {
	switch w {
	case Above:
		return &k.Above
	case Below:
		return &k.Below
	}
	return &k.Inside
}

// breaks is how often curves jump between sizes a < b.
func (k *Calibration) breaks(a, b float64) float64 { return k.upTo(b) - k.upTo(a) }

func (k *Calibration) upTo(n float64) (sum float64) {
	x := math.Log2(n)
	i := 0
	for ; i < len(k.Breaks)-1 && float64(i+1) <= x; i++ {
		sum += k.Breaks[i]
	}
	return sum + (x-float64(i))*k.Breaks[i]
}
