package forecast

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A straight is the line through all sizes of a curve, if the curve is one with noise.
type straight struct {
	ray
	// half is the half of the interval of another measurement about the line; 0: the curve is none.
	half float64
}

// straightLine returns the line of the curve if errors about it are noise: at most maxNoise, and at
// most twice as large as the errors e of the chords are in the median. Chords miss a bend of the
// curve by less than the line does.
func (c *series) straightLine(e []float64) straight {
	last := len(c.n) - 1
	s := straight{ray: c.ray(0, last)}
	sum := 0.0
	for i := range c.n {
		d := c.y[i] - s.at(c.n[i])
		sum += d * d
	}
	free := float64(last - 1) // two of the sizes are the line's parameters
	off := math.Sqrt(sum / free)
	// A chord has the noise of one size, and half of the variance of one from its two ends.
	noise := stats.Median(e[1:last]) / median / math.Sqrt(1.5)
	if off <= maxNoise && off < 2*noise {
		s.half = stats.T95(free) * off * math.Sqrt(1+2/float64(len(c.n)))
	}
	return s
}

// maxNoise is the largest deviation of errors about a line that is taken for noise. Measured curves
// that are farther from their line bend.
const maxNoise = 0.1

// median is that of the absolute value of a normal variable.
const median = 0.6745
