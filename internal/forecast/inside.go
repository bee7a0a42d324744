package forecast

import "math"

// A gap is the interval between two measured sizes, with the slopes of the curve on both sides.
type gap struct {
	a, b int // the sizes next to it
	// The time per byte of the sizes below a and above b; see [series.outside].
	before, after float64
}

// gap returns the gap between the sizes a and b; sizes between them are left out.
func (c *series) gap(a, b int) gap {
	wide := c.x[b] - c.x[a]
	return gap{a: a, b: b, before: c.outside(a, wide, -1), after: c.outside(b, wide, 1)}
}

// outside returns the time per byte of the sizes from i on, in the direction of a step, within the
// octaves or at least of one further size; NaN without one. It ends where a protocol begins: the
// time of its first size says nothing of the slope of either.
func (c *series) outside(i int, octaves float64, step int) float64 {
	last := c.span(i, octaves, step, 1)
	j := i
	for j != last && !c.begins(max(j, j+step)) {
		j += step
	}
	if j == i {
		return math.NaN()
	}
	return c.slope(min(i, j), max(i, j), i)
}

// begins reports whether a protocol begins at the size i, or a cache is outgrown: a byte takes more
// of the time than at the size before. On a line β + nτ it takes less.
func (c *series) begins(i int) bool {
	return c.t[i]/c.n[i] > steeper*c.t[i-1]/c.n[i-1]
}

// steeper is the factor by which the time over the size rises at least where a protocol begins:
// more than noise. The scores of intervals are the same from 1.02 to 1.1.
const steeper = 1.05

// slope returns the time per byte of the sizes from i to j, not below 0, and no steeper than in
// proportion to the size k.
func (c *series) slope(i, j, k int) float64 {
	m := c.moments(i, j)
	_, tau := m.Line()
	return min(max(tau, 0), c.t[k]/c.n[k])
}

// jumps is the logarithm of the factor between the two sides of a gap above which it is called a
// jump. Smaller factors are mostly bends.
const jumps = 0.3

// guess predicts the logarithm of the time at n between the sizes of a gap, with the terms of its
// error but the local one.
func (g *gap) guess(c *series, n float64) (middle float64, t [2]Terms, from Way) {
	na, nb, ta, tb := c.n[g.a], c.n[g.b], c.t[g.a], c.t[g.b]
	chord := ta + (tb-ta)*(n-na)/(nb-na)
	middle = math.Log(chord)
	before, after := middle, middle
	if !math.IsNaN(g.before) {
		before = math.Log(ta + g.before*(n-na))
	}
	if !math.IsNaN(g.after) {
		after = math.Log(tb - g.after*(nb-n))
	}
	from = Between
	if after-before > jumps {
		from = Jump
	}
	t[up] = Terms{usual: 1, other: max(0, before-middle, after-middle)}
	t[down] = Terms{usual: 1, other: max(0, middle-before, middle-after)}
	return middle, t, from
}

// leaveOut predicts every size but the first and last from all remaining sizes. It returns the
// errors, and their squares by size.
func (c *series) leaveOut() (errors []float64, squares decaying) {
	e, w := make([]float64, len(c.n)), make([]float64, len(c.n))
	for i := 1; i < len(c.n)-1; i++ {
		g := c.gap(i-1, i+1)
		middle, _, _ := g.guess(c, c.n[i])
		e[i], w[i] = math.Abs(c.y[i]-middle), 1
	}
	narrowed := c.narrowed(e)
	c.noise = estimateNoise(narrowed)
	c.bends = bendShare(narrowed, c.noise)
	square := make([]float64, len(e))
	for i := range e {
		square[i] = e[i] * e[i]
	}
	return e, decay(c.x, square, w)
}
