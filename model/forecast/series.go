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

// The prior of the noise of a curve is log-normal, with a median of 1.5 % and a deviation of a
// factor 4: with 1 %, noise of 10 % in curves of 8 sizes is taken for bends too often.
const (
	noiseMedian = 0.015
	noiseFactor = 4
	straight    = 0.5 // share of sizes where the curve does not bend
	jumping     = 0.1 // share of sizes at a jump
	jumpSize    = 0.5 // standard deviation of jumps, relative
	mostTriples = 64  // of a long curve: bend asks every shape for each
)

// noiseQuantile returns the 95 % quantile of errors over the noise, which is an estimate from the
// triples of neighbouring sizes: Student's, with their number as degrees of freedom.
func (c *series) noiseQuantile() float64 { return stats.T95(float64(len(c.n) - 2)) }

// estimateNoise separates noise from bends. The distance of a size from the chord of its neighbours
// has two causes: the noise of the three, and the bend of the curve, which is taken to be as large
// as in the library's shapes at these sizes. The noise is the root mean square of its posterior
// distribution.
func (c *series) estimateNoise() {
	type triple struct{ off, amplified, bend float64 }
	var all []triple
	step := max(1, (len(c.n)-2)/mostTriples)
	for i := 1; i < len(c.n)-1; i += step {
		a, b := i-1, i+1
		s := (c.n[i] - c.n[a]) / (c.n[b] - c.n[a])
		chord := c.t[a] + (c.t[b]-c.t[a])*s
		all = append(all, triple{
			off:       c.y[i] - math.Log(chord),
			amplified: amplify(c.t[a], c.t[b], chord, s),
			bend:      c.calibration.bend(c.x[a], c.x[i], c.x[b], s),
		})
	}
	var sum, squares, best float64
	const steps = 60
	logs := make([]float64, steps)
	sigmas := make([]float64, steps)
	best = math.Inf(-1)
	for k := range steps {
		sigma := 1e-4 * math.Exp(float64(k)/(steps-1)*math.Log(5e3)) // to 50 %
		z := math.Log(sigma/noiseMedian) / math.Log(noiseFactor)
		log := -z * z / 2
		for _, t := range all {
			// A mixture: the curve is straight here, or it bends, or it jumps.
			v := sigma * sigma * t.amplified * t.amplified
			p := straight * density(t.off, v)
			p += (1 - straight - jumping) * density(t.off, v+t.bend*t.bend)
			p += jumping * density(t.off, v+jumpSize*jumpSize)
			log += math.Log(p + 1e-300) // finite for a size far off
		}
		sigmas[k], logs[k] = sigma, log
		best = max(best, log)
	}
	for k, sigma := range sigmas {
		p := math.Exp(logs[k] - best)
		sum += p
		squares += p * sigma * sigma
	}
	c.noise = math.Sqrt(squares / sum)
}

// amplify returns the ratio of the error of a chord to that of one measurement: the chord has the
// errors of its two ends, and of the measurement it is compared with. Its ends have the times ta
// and tb, and the time chord is at the part s of its length.
func amplify(ta, tb, chord, s float64) float64 {
	a, b := (1-s)*ta/chord, s*tb/chord
	return math.Sqrt(1 + a*a + b*b)
}
