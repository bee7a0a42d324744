package forecast

import "math"

// An end is the continuation of a curve below its first size: the line of the two octaves of sizes
// next to the end, and other possible ones, through the first two sizes and constant.
type end struct {
	ray
	alternatives [2]ray
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

// first returns the end of the curve at its smallest size.
func (c *series) first() end {
	return end{c.ray(0, c.span(0, 2, 1, 2)), [2]ray{c.ray(0, 1), {beta: c.t[0]}}}
}

// below predicts the time of n bytes, below the first size.
func (e *end) below(c *series, n float64) (middle float64, t [2]Terms) {
	middle = e.at(n)
	share := 1 - n/c.n[0] // the maximum relative decrease of a line
	a, b := e.alternatives[0].at(n), e.alternatives[1].at(n)
	t[up] = Terms{usual: share, other: max(0, a-middle, b-middle)}
	t[down] = Terms{usual: share, other: max(0, middle-a, middle-b)}
	return middle, t
}
