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
// and one third of that of the last four, since the last octave is nearest, but noisier.
//
// The exponent is for curves that are still flat at their end: their larger messages use protocols
// that copy less, and each octave up to the [Calibration.Settled] size makes a byte cheaper, by the
// [Calibration.Saving] s; d counts these octaves there. A curve in proportion to the size, τL = A,
// remains so: A/L is the bandwidth of all larger messages.
//
// Streams follow their rate n/T instead, which rises less with each octave. The last octave's rise
// of the logarithm of the rate is g. After d octaves it has risen by
//
//	r·(1 − q^d),   r = g·q/(1 − q)
//
// with the [Calibration.Fade] q. On a line β + nτ the rise of the rate halves once it is small, and
// hardly falls as long as β is most of the time; streams are between the two. A rate below an
// earlier one recovers it, since a new protocol costs time at its first sizes.
type tail struct {
	size, last float64 // L, and the logarithm of its time
	tau        float64
	// rise is r, and lost the logarithm of the highest rate of the curve over that at L; ≥ 0.
	rise, lost float64
	// least is the logarithm of the least time that a larger message is expected to take: that of
	// the last size if no size of the last two octaves takes longer, else their minimum, since a
	// larger message may then again take the faster path.
	least float64
}

const (
	// nearestWeight is the weight of the last octave's slope.
	nearestWeight = 2.0 / 3
	// spread is the power with which errors grow with the octaves where protocols change: less than
	// in proportion, since an octave's error tells little of the next one's. Above, messages that
	// outgrow a cache take longer with each octave.
	spread = 0.7
)

// tail returns the tail of the curve.
func (c *series) tail() tail {
	l := len(c.x) - 1
	near, far := c.slope(c.span(l, 1, -1, 1), l, l), c.slope(c.span(l, 4, -1, 1), l, l)
	e := tail{size: c.n[l], last: c.y[l]}
	e.tau = nearestWeight*near + (1-nearestWeight)*far
	// A line of slope τ through A has the rate n/T; at L it is so much higher than at L/2.
	growth := math.Ln2 + math.Log(max(0.5, 1-near*c.n[l]/c.t[l]/2))
	e.rise = growth * c.calibration.Fade / (1 - c.calibration.Fade)
	for i := range l {
		e.lost = max(e.lost, c.x[i]*math.Ln2-c.y[i]-(c.x[l]*math.Ln2-c.y[l]))
	}
	e.least = e.last
	if two := c.y[c.span(l, 2, -1, 1):]; slices.Max(two) > e.last {
		e.least = slices.Min(two)
	}
	return e
}

// at returns the logarithm of the time of n ≥ L bytes.
func (e *tail) at(c *series, n float64) float64 {
	octaves := math.Log2(n / e.size)
	if q := c.calibration.Fade; q > 0 {
		grown := e.rise * (1 - math.Pow(q, octaves))
		recovered := e.lost * (1 - math.Exp2(-octaves))
		return e.last + octaves*math.Ln2 - max(grown, recovered)
	}
	level := math.Exp(e.last)
	flat := max(0, 1-e.tau*e.size/level)
	saved := c.calibration.Saving * c.changing(octaves)
	return math.Log(level + e.tau*math.Exp2(-saved*flat)*(n-e.size))
}

// changing returns how many of the octaves above the last size are ones in which protocols change.
func (c *series) changing(octaves float64) float64 {
	last := c.x[len(c.x)-1]
	return min(max(c.calibration.Settled-last, 0), octaves)
}

// nodeTime is the time in µs of the smallest message below which both processes share memory: the
// fastest networks take 0.9 µs.
const nodeTime = 0.8

// outgrown is the part of a further doubling by which times within a node may grow in an octave, of
// messages that outgrow a cache. Of the two largest sizes on the three machines that numbers are
// chosen on, the intervals hold 22 of 24 with 0.5, and all with 0.6.
const outgrown = 0.6

// above predicts the time of n bytes, above the last size, with the terms of its error: they grow
// with the octaves above those where protocols change, with these, and with the distance to a time
// in proportion to the size, which a curve has if its rate does not rise further. Of a stream the
// octaves above those where protocols change fade as the rise of its rate does: at the rate of the
// link errors no longer grow.
//
// Within a node the rate may fall, of messages that outgrow a cache: where protocols no longer
// change, the distance is to a time that grows faster than the size, see [outgrown], and no time
// is shorter than predicted by more than a run differs, since no faster path is left.
func (e *tail) above(c *series, n float64) (middle float64, t [2]Terms) {
	octaves := math.Log2(n / e.size)
	middle = e.at(c, n)
	changing := c.changing(octaves)
	settled, doublings := octaves-changing, octaves
	if q := c.calibration.Fade; q > 0 {
		settled = faded(q, octaves) - faded(q, changing)
	}
	within := c.calibration.Fade == 0 && c.t[0] < nodeTime
	if within {
		doublings += outgrown * settled
	}
	t[up] = Terms{usual: settled, local: math.Pow(changing, spread),
		other: max(0, e.last+doublings*math.Ln2-middle)}
	t[down] = t[up]
	if within {
		t[down][usual] = 0
	}
	return middle, t
}

// faded returns a weighted number of octaves: each octave counts q times as much as the one before.
func faded(q, octaves float64) float64 { return (1 - math.Pow(q, octaves)) / (1 - q) }
