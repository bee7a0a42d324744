package forecast

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A series is a measured curve in the order of its sizes.
type series struct {
	calibration *Calibration
	n, t        []float64 // sizes and times
	x, y        []float64 // log₂ of sizes, ln of times
	noise       float64   // of held-out sizes; see estimateNoise
	bends       float64   // how often the curve leaves its chords; see bendShare
}

// moments returns the moments of the sizes from i to j and their times, weighted for relative
// errors.
func (c *series) moments(i, j int) (m stats.Moments) {
	for ; i <= j; i++ {
		v := c.t[j] / c.t[i]
		m.Add(c.n[i], c.t[i], v*v)
	}
	return m
}

// nearest returns the index of the size nearest to 2^x bytes.
func (c *series) nearest(x float64) int {
	i, _ := slices.BinarySearch(c.x, x)
	if i > 0 && (i == len(c.x) || x-c.x[i-1] < c.x[i]-x) {
		i--
	}
	return i
}

// decaying holds sums of values at sizes with weights that decay by a factor e per octave: up to
// each size, and from each size on.
type decaying struct{ up, down []weighted }

type weighted struct{ sum, weight, squares float64 }

// decay returns the decaying sums of values v with weights w.
func decay(x, v, w []float64) decaying {
	n := len(x)
	d := decaying{make([]weighted, n), make([]weighted, n)}
	var s weighted
	for i := range x {
		if i > 0 {
			s = s.times(math.Exp(x[i-1] - x[i]))
		}
		s = s.plus(weighted{v[i] * w[i], w[i], w[i] * w[i]})
		d.up[i] = s
	}
	s = weighted{}
	for i := n - 1; i >= 0; i-- {
		if i < n-1 {
			s = s.times(math.Exp(x[i] - x[i+1]))
		}
		d.down[i] = s
		s = s.plus(weighted{v[i] * w[i], w[i], w[i] * w[i]})
	}
	return d
}

func (s weighted) times(f float64) weighted {
	return weighted{s.sum * f, s.weight * f, s.squares * f * f}
}

func (s weighted) plus(t weighted) weighted {
	return weighted{s.sum + t.sum, s.weight + t.weight, s.squares + t.squares}
}

// at returns the mean with weights that decay from x, and of how many values with the same weight
// it has the variance: (Σw)²/Σw² (Kish 1965, Survey Sampling, §11.7).
func (d *decaying) at(xs []float64, x float64) (mean, values float64) {
	i, exact := slices.BinarySearch(xs, x)
	if !exact {
		i--
	}
	i = max(i, 0)
	s := d.up[i].times(math.Exp(-math.Abs(x - xs[i])))
	s = s.plus(d.down[i].times(math.Exp(x - xs[i])))
	return s.sum / s.weight, s.weight * s.weight / s.squares
}

// narrowed returns the errors e of the inner sizes as in gaps of two octaves: the error of a bend
// grows with the square of the width, so that wider gaps show more of it beside the noise.
func (c *series) narrowed(e []float64) (all []float64) {
	for i := 1; i < len(e)-1; i++ {
		wide := max(1, (c.x[i+1]-c.x[i-1])/2-1e-9)
		all = append(all, e[i]/wide)
	}
	return all
}

// estimateNoise returns the deviation of errors of held-out sizes that is noise: where the curve
// bends or jumps they are larger, but at a quarter of the sizes it does neither, so that the lower
// quartile of the errors is that of noise alone.
func estimateNoise(errors []float64) float64 {
	return stats.QuantileOf(errors, 0.25) / quartile
}

// quartile is the lower quartile of the absolute value of a normal variable.
const quartile = 0.3186

// bendShare returns how much of the error of other machines' curves counts: the root of the share
// of the errors that are more than noise, with one more that is. A curve of many sizes that bends
// nowhere hardly bends between them either.
func bendShare(errors []float64, noise float64) float64 {
	bends := 1.0
	for _, e := range errors {
		if e > beyondNoise*max(noise, smooth) {
			bends++
		}
	}
	return math.Sqrt(bends / float64(len(errors)+1))
}

const (
	// beyondNoise is the factor of the noise's deviation beyond which an error is a bend: 1 of 80
	// errors of normal noise is.
	beyondNoise = 2.5
	// smooth is the least noise, a difference between runs of the same size.
	smooth = 0.003
)
