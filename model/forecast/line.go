package forecast

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A singleLine is the hypothesis that a curve is one line with independent noise: it does not bend
// between its sizes. Its probability follows from how far the sizes are from their line and whether
// these errors follow each other, compared with the shapes of the library at the same sizes.
type singleLine struct {
	weight float64 // the probability of the hypothesis, from 0 to 1
	fitted
	half float64 // of the interval of a measurement about the true line, relative
}

// fitted is a line through sizes of a curve, without disturbed ones.
type fitted struct {
	ray
	moments   stats.Moments // of the sizes, under the weights of relative errors
	deviation float64       // of the sizes from the line, relative
	follow    float64       // correlation of neighbouring errors
	disturbed int           // sizes that are left out
	free      float64       // degrees of freedom of the deviation
}

const (
	// mostDisturbed is the inverse of the largest share of disturbed sizes.
	mostDisturbed = 10
	// disturbedPrior is the number of measurements before the curve's, one of them disturbed.
	disturbedPrior = 60
	// missedShare is the share of measurements outside of an interval.
	missedShare = 0.05
	// apart is the deviation of the logarithm of how far curves of another machine are from their
	// line, and followed that of the correlation of their neighbouring errors, beside a shape.
	apart, followed = 0.4, 0.25
	// leastDrift is the half of the interval of another run without noise: machines drift.
	leastDrift = 0.01
	// mostDeviation is the deviation from a line above which its weight is not worth computing.
	mostDeviation = 0.4
)

// fitLine returns the line through the times t of the sizes n. Sizes whose errors are beyond spike
// deviations are left out, up to one in mostDisturbed. Three of them in a row are a bend or another
// protocol; then no size is left out.
func fitLine(n, t []float64) fitted {
	f, out := fitInliers(n, t, len(n)/mostDisturbed)
	for i := 2; i < len(n); i++ {
		if out[i-2] && out[i-1] && out[i] {
			f, _ = fitInliers(n, t, 0)
			break
		}
	}
	return f
}

// fitInliers is fitLine without up to most sizes, which it reports.
func fitInliers(n, t []float64, most int) (f fitted, out []bool) {
	off := make([]float64, len(n))  // errors
	size := make([]float64, len(n)) // their absolute values
	out = make([]bool, len(n))
	at := slices.Clone(t)  // the times of the line, first the measured ones
	for round := range 8 { // weights converge in three
		f.moments = stats.Moments{}
		for i := range n {
			if !out[i] {
				f.moments.Add(n[i], t[i], 1/at[i]/at[i])
			}
		}
		f.beta, f.tau = f.moments.NonNegative()
		for i := range n {
			at[i] = f.beta + f.tau*n[i]
			off[i] = math.Log(t[i] / at[i])
			size[i] = math.Abs(off[i])
		}
		bound := math.Inf(1)
		if most > 0 {
			bound = max(spike*stats.NormalMAD*stats.Median(size),
				stats.Select(slices.Clone(size), len(n)-1-most))
		}
		same := true
		for i, v := range size {
			same = same && out[i] == (v > bound)
			out[i] = v > bound
		}
		if same && round > 2 {
			break
		}
	}
	var squares, neighbours, last float64
	for i, v := range off {
		if out[i] {
			f.disturbed++
			continue
		}
		squares += v * v
		neighbours += v * last
		last = v
	}
	f.free = float64(len(n) - f.disturbed - 2)
	f.deviation = math.Sqrt(squares / f.free)
	if squares > 0 {
		f.follow = neighbours / squares
	}
	return f, out
}

// singleLine returns the hypothesis for the curve.
func (c *series) singleLine() (s singleLine) {
	s.fitted = fitLine(c.n, c.t)
	if s.deviation > mostDeviation || len(c.calibration.Library) == 0 {
		return s
	}
	// Disturbed measurements are outside of the interval, and more of the others inside.
	share := (float64(s.disturbed) + 1) / (float64(len(c.n)) + disturbedPrior)
	miss := max(missedShare-share, missedShare/5)
	s.half = s.deviation * stats.StudentQuantile(miss/2, s.free)
	s.weight = c.lineWeight(&s.fitted)
	return s
}

// lineWeight returns the posterior probability that the curve is one line; a priori it is one half.
// The deviation of a line has the prior of the noise, and its errors follow each other by chance.
// Those of another curve are near those of one of the library's shapes with noise.
func (c *series) lineWeight(all *fitted) float64 {
	n, f := c.n, *all
	if step := (len(n) + mostTriples - 1) / mostTriples; step > 1 {
		var t []float64
		n = nil
		for i := 0; i < len(c.n); i += step {
			n, t = append(n, c.n[i]), append(t, c.t[i])
		}
		f = fitLine(n, t)
	}
	y := math.Log(max(f.deviation, 1e-4))
	chance := 1 / float64(len(n)) // the variance of the correlation of independent errors
	own := 0.5 / f.free           // the variance of the logarithm of an estimated deviation
	wide := math.Log(noiseFactor)
	line := density(y-math.Log(noiseMedian), wide*wide+own) * density(f.follow+chance, chance)
	var bent, shapes, noises float64
	time := make([]float64, len(n))
	for j := range c.calibration.Library {
		l := &c.calibration.Library[j]
		for i := range n {
			time[i] = math.Exp(l.at(math.Log2(n[i])))
		}
		shape := fitLine(n, time)
		noises = 0
		var sum float64
		for z := -2.0; z <= 2; z += 0.5 { // deviations of the prior of the noise
			prior := math.Exp(-z * z / 2)
			noise := noiseMedian * math.Pow(noiseFactor, z)
			v, b := noise*noise, shape.deviation*shape.deviation
			sum += prior * density(y-math.Log(v+b)/2, apart*apart+own) *
				density(f.follow-shape.follow*b/(v+b), chance+followed*followed)
			noises += prior
		}
		bent += l.Weight * sum / noises
		shapes += l.Weight
	}
	return line / (line + bent/shapes)
}

// mix combines the line's prediction of n bytes with the curve's: the logarithm of the time, and
// the halves of an interval of 95 % up and down. The line's weight is multiplied by share. Under
// each hypothesis, a measurement is outside of its interval on one side with a probability that
// falls by a factor of 20 with each further half.
func (s *singleLine) mix(n, share, middle, up, down, drift float64) (m, u, d float64) {
	w, line := share*s.weight, s.at(n)
	time := math.Exp(line)
	v := (1/s.moments.W + (n-s.moments.X)*(n-s.moments.X)/s.moments.XX) / (time * time)
	half := math.Hypot(s.half*math.Sqrt(1+v), drift)
	m = w*line + (1-w)*middle
	side := func(sign, other float64) float64 {
		tail := func(x, half float64) float64 {
			p := 0.5 * math.Exp(-math.Log(1/missedShare)*math.Abs(x)/max(half, 1e-12))
			if x < 0 {
				return 1 - p
			}
			return p
		}
		low, high := 0.0, max(half, other)+math.Abs(line-middle)
		for range 40 {
			x := (low + high) / 2
			p := w*tail(x+sign*(m-line), half) + (1-w)*tail(x+sign*(m-middle), other)
			if p > missedShare/2 {
				low = x
			} else {
				high = x
			}
		}
		return high
	}
	return m, side(1, up), side(-1, down)
}
