package forecast

import (
	"math"
	"slices"
)

// A tail is the continuation of a curve above its last size L:
//
//	T(n) = A + (n − L)·τ·2^(−s·d·(1 − τL/A)),   d = log₂(n/L)
//
// A is the time at L. τ is the time of a further byte: two thirds of the slope of the last octave
// and one third of that of the last four, since the last octave is nearest, but noisier. If the
// last octave rises by more than in proportion to the size, it is a step, and the slope of the
// octave before it counts: a step says nothing about the time of further bytes.
//
// The exponent is for curves that are still flat at their end: their larger messages use protocols
// that copy less, and each octave up to 256 KiB makes a byte cheaper, by the [Calibration.Saving]
// s; d counts these octaves there. A curve in proportion to the size, τL = A, remains so: A/L is
// the bandwidth of all larger messages.
//
// Streams follow their rate n/T instead, which rises less with each octave. The last octave's rise
// of the logarithm of the rate is g. After d octaves it has risen by
//
//	r·(1 − q^d),   r = g·q/(1 − q)
//
// with the [Calibration.Fade] q. On a line β + nτ the rise of the rate halves once it is small, and
// hardly falls as long as β is most of the time; streams are between the two. Links have few
// different rates, so r is corrected for the rates that others reach, see [Calibration.rise]. A
// rate below an earlier one recovers it, since a new protocol costs time at its first sizes.
type tail struct {
	size, last float64 // L, and the logarithm of its time
	level      float64 // logarithm of the time at L by the line of the last octave
	tau        float64
	// rise is r, and lost the logarithm of the highest rate of the curve over that at L; ≥ 0.
	rise, lost float64
	// step is the logarithm of the last size's time over that of the line before a step; else 0.
	step float64
	// excess is the logarithm by which the last octave rises more than in proportion; at least 0.
	excess float64
	// residual is the error per octave of predicting the curve's own end from the sizes before it.
	residual float64
	// least is the logarithm of the least time that a larger message is expected to take: that of
	// the last size if the times of the last two octaves rise to it without a step, else their
	// minimum, since a larger message may then again take the faster path.
	least float64
	// within reports times so short that the messages remain within a node.
	within bool
}

const (
	// nearestWeight is the weight of the last octave's slope. From ½ to ¾ the errors of published
	// streams, latencies and collectives are about the same.
	nearestWeight = 2.0 / 3
	// steep is the factor by which the last octave exceeds proportionality if it is a step: more
	// than the noise of most benchmarks. If a step counts as slope, errors four octaves above it
	// are more than twice as large on published curves.
	steep = 1.15
	// protocols is log₂ of 256 KiB. Up to about that size libraries change their protocols; above,
	// times mostly rise, as messages outgrow caches.
	protocols = 18
	// nodeTime is the time in µs of the smallest message below which both processes share memory:
	// the fastest networks take 0.9 µs. Such messages may take 2 to 5 times as long as before when
	// they outgrow a cache.
	nodeTime = 0.8
	// once is the number of octaves over which messages outgrow a cache; that happens once.
	once = 3
	// tested is the number of octaves at a curve's end that are predicted from the sizes before
	// them, and fading the octaves over which the weight of these errors decays by a factor e.
	tested, fading = 8, 2.5
	// usual is the error per octave that counts as one more test: a curve of five sizes has no own.
	usual = 0.1
)

// slopeTo returns the line of the octaves up to the size l: its slope, at least 0 and at most
// that in proportion to the size, and its time at l.
func (c *series) slopeTo(l int, octaves float64) (tau, level float64) {
	m := c.moments(c.span(l, octaves, -1, 1), l)
	_, tau = m.Line()
	tau = min(max(tau, 0), c.t[l]/c.n[l])
	return tau, m.Y + tau*(c.n[l]-m.X)
}

// tailAt returns the tail that the curve would have without sizes above l, l ≥ 1, without its
// residual and least.
func (c *series) tailAt(l int) tail {
	near, level := c.slopeTo(l, 1)
	far, _ := c.slopeTo(l, 4)
	e := tail{size: c.n[l], last: c.y[l], level: math.Log(level)}
	// A line of slope τ through A has the rate n/T; at L it is so much higher than at L/2.
	growth := math.Ln2 + math.Log(max(0.5, 1-near*c.n[l]/level/2))
	e.rise = c.calibration.rise(c.x[l]*math.Ln2-c.y[l], growth)
	for i := range l {
		e.lost = max(e.lost, c.x[i]*math.Ln2-c.y[i]-(c.x[l]*math.Ln2-c.y[l]))
	}
	before := c.span(l, 1, -1, 1)
	e.excess = max(0, c.y[l]-c.y[before]-(c.x[l]-c.x[before])*math.Ln2)
	if before > 0 && c.t[l]/c.n[l] > steep*c.t[before]/c.n[before] {
		near, _ = c.slopeTo(before, 1)
		e.level = e.last
		e.step = e.last - math.Log(c.t[before]+near*(c.n[l]-c.n[before]))
	}
	e.tau = nearestWeight*near + (1-nearestWeight)*far
	return e
}

// at returns the logarithm of the time of n ≥ L bytes. It begins at the measured time of L and
// follows the line of the last octave from half an octave on: in a dense curve the line has less
// noise than its last size.
func (e *tail) at(c *series, n float64) float64 {
	octaves := math.Log2(n / e.size)
	start := e.last + min(1, 2*octaves)*(e.level-e.last)
	if q := c.calibration.Fade; q > 0 {
		grown := e.rise * (1 - math.Pow(q, octaves))
		recovered := e.lost * (1 - math.Exp2(-octaves))
		return start + octaves*math.Ln2 - max(grown, recovered)
	}
	level := math.Exp(start)
	flat := max(0, 1-e.tau*e.size/level)
	saved := min(max(protocols-math.Log2(e.size), 0), octaves)
	saving := math.Exp2(-c.calibration.Saving * saved * flat)
	return math.Log(level + e.tau*saving*(n-e.size))
}

// tail returns the tail of the curve.
func (c *series) tail() tail {
	l := len(c.x) - 1
	e := c.tailAt(l)
	e.within = c.t[0] < nodeTime
	two := c.y[c.span(l, 2, -1, 1):]
	e.least = slices.Min(two)
	if e.step == 0 && slices.Max(two) == e.last {
		e.least = e.last
	}
	sum, weight := usual*usual, 1.0
	for back := 1.0; back <= tested; back++ {
		m := c.nearest(c.x[l] - back)
		if m < 2 || m == l {
			continue
		}
		before := c.tailAt(m)
		// One and two octaves ahead, at most to the end.
		for ahead := 1.0; ahead <= min(2, back); ahead++ {
			to := c.nearest(c.x[m] + ahead)
			if to <= m {
				continue
			}
			w := math.Exp(-back / fading)
			off := (c.y[to] - before.at(c, c.n[to])) / max(c.x[to]-c.x[m], 0.5)
			sum += w * off * off
			weight += w
		}
	}
	e.residual = math.Sqrt(sum / weight)
	return e
}

// The terms of an interval above the last size. They grow with the distance in octaves and are 0
// at the last size, where the interval is that of another run.
const (
	// own is the residual of the curve's own end, times the octaves.
	own = iota
	// changes is the sum of the [Calibration.Changes] of the octaves, on each side.
	changes
	// slower is the distance to proportionality upwards. A stream's rate that still rises may also
	// rise by more.
	slower
	// faster is the distance to a constant time, downwards: the share of the octaves up to 256 KiB,
	// and of those above, where larger messages take longer.
	faster
	fasterAbove
	// outgrown is the octaves above 256 KiB within a node, upwards, at most [once].
	outgrown
	// steps is for a last octave that is no slope: upwards by how much it exceeds proportionality,
	// as the change may go on, downwards the height of the step, which may be an outlier.
	steps
)

// above predicts the time of n bytes, above the last size.
func (e *tail) above(c *series, n float64) Guess {
	octaves := math.Log2(n / e.size)
	middle := e.at(c, n)
	near := min(1, octaves)
	above := octaves - min(max(protocols-math.Log2(e.size), 0), octaves)
	rise := max(0, middle-e.last)
	up := Terms{
		own: octaves * e.residual, changes: c.calibration.change(0, e.size, n),
		slower: max(0, e.last+octaves*math.Ln2-middle), steps: near * e.excess,
	}
	if e.within {
		up[outgrown] = min(above, once)
	}
	down := Terms{
		own: octaves * e.residual, changes: c.calibration.change(1, e.size, n),
		faster: (1 - above/octaves) * rise, fasterAbove: above / octaves * rise,
		steps: near * e.step,
	}
	if c.calibration.Fade > 0 {
		down[slower] = up[slower]
	}
	return Guess{middle, up, down}
}
