package forecast

import "math"

// An end is the continuation of a curve beyond its first or last size.
type end struct {
	ray // of the two octaves of sizes next to the end
	// Other possible lines: through the two sizes next to the end, and through four octaves.
	alternatives [2]ray
	// slope is d ln T / d ln n of the two octaves, from 0 to 1.
	slope float64
	// scatter is the deviation of the sizes of the two octaves from their line.
	scatter float64
	// residual is the error per octave of predicting the curve's own end from the sizes before it.
	residual float64
}

// span returns the last size within the given octaves of i, upwards or downwards, but at least the
// second next.
func (c *series) span(i int, octaves float64, step int) int {
	j := i
	for k := j + step; k >= 0 && k < len(c.x); k += step {
		outside := math.Abs(c.x[k]-c.x[i]) > octaves+1e-9 // sizes are often exact octaves apart
		if outside && math.Abs(float64(k-i)) > 2 {
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

// endAt returns the end that the curve would have at size l without larger sizes.
func (c *series) endAt(l int) end {
	i := c.span(l, 2, -1)
	return end{
		ray:          c.ray(i, l),
		alternatives: [2]ray{c.ray(l-1, l), c.ray(c.span(l, 4, -1), l)},
		slope:        min(max((c.y[l]-c.y[i])/(c.x[l]-c.x[i])/math.Ln2, 0), 1),
	}
}

// tested is the number of octaves at a curve's end that are predicted from the sizes before them.
const tested = 8

// last returns the end of the curve at its largest size.
func (c *series) last() end {
	l := len(c.x) - 1
	e := c.endAt(l)
	e.scatter = e.off(c, c.span(l, 2, -1), l)
	var sum, weight float64
	for back := 1.0; back <= tested; back++ {
		m := c.nearest(c.x[l] - back)
		if m < 2 || m == l {
			continue
		}
		before := c.endAt(m)
		// One and two octaves ahead, at most to the end.
		for ahead := 1.0; ahead <= min(2, back); ahead++ {
			to := c.nearest(c.x[m] + ahead)
			if to <= m {
				continue
			}
			off := (c.y[to] - before.at(c.n[to])) / max(c.x[to]-c.x[m], 0.5)
			sum += off * off
			weight++
		}
	}
	if weight > 0 {
		e.residual = math.Sqrt(sum / weight)
	}
	return e
}

// above predicts the time of n bytes, above the last size.
func (e *end) above(c *series, n float64) Guess {
	l := len(c.n) - 1
	middle := e.at(n)
	octaves := math.Log2(n) - c.x[l]
	proportional := c.y[l] + octaves*math.Ln2
	a, b := e.alternatives[0].at(n), e.alternatives[1].at(n)
	both := Terms{
		floor: octaves, residual: octaves * e.residual, noisy: c.noise, wide: e.scatter,
	}
	up, down := both, both
	up[side] = max(0, max(proportional, a, b)-middle)
	up[jump] = octaves * (1 - e.slope) // a jump upwards only: down[jump] stays 0
	down[side] = max(0, middle-min(proportional, a, b))
	return Guess{middle, up, down}
}

// first returns the end of the curve at its smallest size, where its sizes are predicted with an
// error of residual.
func (c *series) first(residual float64) end {
	j := c.span(0, 2, 1)
	e := end{
		ray:          c.ray(0, j),
		alternatives: [2]ray{c.ray(0, 1), {beta: c.t[0]}}, // the first two sizes; constant
		residual:     residual,
	}
	e.scatter = e.off(c, 0, j)
	return e
}

// below predicts the time of n bytes, below the first size.
func (e *end) below(c *series, n float64) Guess {
	middle := e.at(n)
	share := 1 - n/c.n[0] // the maximum relative decrease of a line
	a, b := e.alternatives[0].at(n), e.alternatives[1].at(n)
	breaks := c.calibration.breaks(n, c.n[0])
	both := Terms{
		floor: share, residual: share * e.residual, noisy: c.noise, jump: breaks, wide: e.scatter,
	}
	up, down := both, both
	up[side], down[side] = max(0, a-middle, b-middle), max(0, middle-a, middle-b)
	return Guess{middle, up, down}
}
