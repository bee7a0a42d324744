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
	noise       float64   // relative; see estimateNoise
}

// line is the least-squares line of the relative errors at the sizes from i to j.
func (c *series) line(i, j int) (beta, tau float64) {
	var m stats.Moments
	for ; i <= j; i++ {
		v := c.t[j] / c.t[i]
		m.Add(c.n[i], c.t[i], v*v)
	}
	return m.Line()
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

type weighted struct{ sum, weight float64 }

// decay returns the decaying sums of values v with weights w.
func decay(x, v, w []float64) decaying {
	n := len(x)
	d := decaying{make([]weighted, n), make([]weighted, n)}
	var s weighted
	for i := range x {
		if i > 0 {
			s = s.times(math.Exp(x[i-1] - x[i]))
		}
		s.sum += v[i] * w[i]
		s.weight += w[i]
		d.up[i] = s
	}
	s = weighted{}
	for i := n - 1; i >= 0; i-- {
		if i < n-1 {
			s = s.times(math.Exp(x[i] - x[i+1]))
		}
		d.down[i] = s
		s.sum += v[i] * w[i]
		s.weight += w[i]
	}
	return d
}

func (s weighted) times(f float64) weighted { return weighted{s.sum * f, s.weight * f} }

// at returns the mean with weights that decay from x.
func (d *decaying) at(xs []float64, x float64) float64 {
	i, exact := slices.BinarySearch(xs, x)
	if !exact {
		i--
	}
	i = max(i, 0)
	s := d.up[i].times(math.Exp(-math.Abs(x - xs[i])))
	t := d.down[i].times(math.Exp(x - xs[i]))
	return (s.sum + t.sum) / (s.weight + t.weight)
}
