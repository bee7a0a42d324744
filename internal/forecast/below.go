package forecast

import "math"

// An end is the continuation of a curve below its first size.
type end struct {
	ray // of the two octaves of sizes next to the end
	// Other possible lines: through the first two sizes, and constant.
	alternatives [2]ray
	// scatter is the deviation of the sizes of the two octaves from their line.
	scatter float64
}

// span returns the last size within the given octaves of i, upwards or downwards, but at least
// least sizes away.
func (c *series) span(i int, octaves float64, step, least int) int {
	j := i
	for k := j + step; k >= 0 && k < len(c.x); k += step {
		outside := math.Abs(c.x[k]-c.x[i]) > octaves+1e-9 // sizes are often exact octaves apart
		if outside && (k-i)*step > least {
			break
		}
		j = k
	}
	return j
}

// A ray is a line β + nτ.
type ray struct{ beta, tau float64 }

// at returns the logarithm of the time of n bytes.
func (r ray) at(n float64) float64 { return math.Log(r.beta + r.tau*n) }

// ray returns the line of the sizes from i to j, under β, τ ≥ 0.
func (c *series) ray(i, j int) ray {
	m := c.moments(i, j)
	beta, tau := m.NonNegative()
	return ray{beta, tau}
}

// off returns the deviation of the sizes from i to j from the line.
func (e *end) off(c *series, i, j int) float64 {
	sum := 0.0
	for k := i; k <= j; k++ {
		d := c.y[k] - e.at(c.n[k])
		sum += d * d
	}
	return math.Sqrt(sum / float64(max(1, j-i-1)))
}

// first returns the end of the curve at its smallest size.
func (c *series) first() end {
	j := c.span(0, 2, 1, 2)
	e := end{
		ray:          c.ray(0, j),
		alternatives: [2]ray{c.ray(0, 1), {beta: c.t[0]}}, // the first two sizes; constant
	}
	e.scatter = e.off(c, 0, j)
	return e
}

// below predicts the time of n bytes, below the first size.
func (e *end) below(c *series, n float64) (middle float64, t [2]Terms) {
	middle = e.at(n)
	share := 1 - n/c.n[0] // the maximum relative decrease of a line
	a, b := e.alternatives[0].at(n), e.alternatives[1].at(n)
	t[up] = Terms{usual: share, local: e.scatter, other: max(0, a-middle, b-middle)}
	t[down] = Terms{usual: share, local: e.scatter, other: max(0, middle-a, middle-b)}
	return middle, t
}
