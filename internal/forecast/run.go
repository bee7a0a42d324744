package forecast

import (
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// run returns the half of the interval of another run at n bytes, and whether it comes from the
// curve's own runs.
func (c *Curve) run(n float64) (half float64, repeated bool) {
	x := min(max(math.Log2(n), c.x[0]), c.x[len(c.x)-1])
	grain := c.resolution / 2 / math.Exp(c.y[c.nearest(x)])
	k := c.calibration
	if len(c.runs.up) == 0 {
		return k.Run[0] + k.Run[1]*c.noise + grain, false
	}
	// The variance has fewest − 1 degrees of freedom from the curve, and one from published
	// machines: a slow run is slow at all sizes. A new run's distance from the mean of the runs has
	// 1 + 1/fewest times of it.
	pooled, _ := c.runs.at(c.x, x)
	variance := ((c.fewest-1)*pooled + runScale*runScale) / c.fewest
	return stats.T95(c.fewest)*math.Sqrt(variance*(1+1/c.fewest)) + grain, true
}

// runScale is the scale of the differences between runs of published machines, the median over
// machines: over √2, those at one size follow Student's t of about one degree of freedom.
const runScale = 0.0027

// RunTerms returns the terms of the difference between two runs, if the curve has one.
func (c *Curve) RunTerms() Terms { return Terms{usual: 1, local: c.noise} }

// compareRuns pools the variances between runs of neighbouring sizes, which are similar.
func (c *Curve) compareRuns(points []Point) {
	v, w := make([]float64, len(points)), make([]float64, len(points))
	c.fewest = math.Inf(1)
	known := false
	for i, p := range points {
		c.fewest = min(c.fewest, float64(max(1, p.Runs)))
		if p.Runs > 1 {
			v[i], w[i] = p.Deviation*p.Deviation, float64(p.Runs-1)
			known = true
		}
	}
	if known {
		c.runs = decay(c.x, v, w)
	}
}
