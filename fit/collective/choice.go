package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Choice is one of several algorithms, to be used for a call.
type Choice struct {
	Index int // in the results that it was chosen from
	// Loss is the predicted loss against the algorithm that is predicted to be the fastest, as a
	// fraction of its time. LossHigh is the upper end of its 95 % interval, whose lower end is 0;
	// NaN if the times have no interval.
	Loss, LossHigh float64
	// Copied says that it was the fastest at the nearest measured call, and is not predicted to be
	// here.
	Copied bool
}

// The algorithm that was the fastest at the nearest call that was measured is kept unless another
// is predicted to be faster by more than a part of its interval: a prediction between measurements
// is better than a copy of the nearest, and one beyond them is not, unless it is sure. On simulated
// clusters the choices lose at most two points more than the better of predictions and copies.
const (
	trustBetween = 0.2
	trustBeyond  = 2
	trustOfTwo   = 0.5 // beyond two numbers of nodes, chosen on simulated clusters of another seed
	// trustSchedule is the part by which the schedules of two known algorithms have to differ if
	// the one that is predicted to be faster was not measured at the nearest call.
	trustSchedule = 0.12
)

// A Chooser chooses among results of several algorithms of one collective.
type Chooser struct {
	all []*Result
	// trusted has the mean losses of the algorithm that is predicted to be the fastest and of a
	// copy, at calls on the most nodes that were predicted from fewer; NaN if there are none.
	predicted, copied float64
	// ofOne says that these predictions were made from one number of nodes. They are worse than
	// those from two, so their losses say nothing of these.
	ofOne bool
}

// minTrials is the number of held-out calls that show whether predictions or copies lose less.
const minTrials = 4

// minTrust is the difference of mean losses above which the smaller one decides; below, the
// intervals do.
const minTrust = 0.02

// NewChooser judges the predictions of the results by the calls that they held out.
func NewChooser(all []*Result) *Chooser {
	c := &Chooser{all: all, predicted: math.NaN(), copied: math.NaN()}
	// The calls that all results predicted from fewer nodes.
	type trial struct{ measured, predicted []float64 }
	trials := map[Point]*trial{}
	var order []Point
	limit := math.Inf(1)
	for i, r := range all {
		for _, b := range []*blend{r.oneNode, r.several} {
			if b == nil {
				continue
			}
			limit = min(limit, b.most)
			c.ofOne = c.ofOne || b.aheadOfOne
			for k, p := range b.ahead.calls {
				key := Point{Ranks: p.Ranks, PerNode: p.PerNode, Size: p.Size}
				if trials[key] == nil {
					trials[key], order = &trial{}, append(order, key)
				}
				if t := trials[key]; len(t.measured) == i { // else another result has no such call
					t.measured = append(t.measured, float64(p.Time))
					t.predicted = append(t.predicted, b.ahead.own[k])
				}
			}
		}
	}
	count, byPrediction, byCopy := 0, 0.0, 0.0
	for _, key := range order {
		t := trials[key]
		_, copied := nearest(all, key.placement(), key.Size, limit)
		if len(t.measured) < len(all) || copied < 0 {
			continue
		}
		fastest := slices.Index(t.predicted, slices.Min(t.predicted))
		best := slices.Min(t.measured)
		byPrediction += t.measured[fastest]/best - 1
		byCopy += t.measured[copied]/best - 1
		count++
	}
	if count >= minTrials {
		c.predicted, c.copied = byPrediction/float64(count), byCopy/float64(count)
	}
	return c
}

// Choose chooses for a call of n bytes at a placement, which the results predict to take the times
// of predictions.
func (h *Chooser) Choose(predictions []Prediction, at Placement, n quantity.Bytes) (c Choice) {
	all := h.all
	fastest := 0
	for i, p := range predictions {
		if p.Time < predictions[fastest].Time {
			fastest = i
		}
	}
	c.Index = fastest
	times, copied := nearest(all, at, n, math.Inf(1))
	alone := copied >= 0 && min(len(all[copied].Ranks), len(all[fastest].Ranks)) == 1 &&
		math.IsNaN(doubt(predictions[copied], predictions[fastest]))
	switch {
	case alone && !math.IsNaN(times[fastest]):
		c.Index = h.fromOne(predictions, times, copied)
		c.Copied = c.Index != fastest && math.Log(times[c.Index]/times[copied]) < tie
	case copied >= 0 && copied != fastest:
		gain := math.Log(float64(predictions[copied].Time / predictions[fastest].Time))
		least := doubt(predictions[copied], predictions[fastest])
		if alone && all[copied].known() && all[fastest].known() {
			least = trustSchedule
		}
		beyond := predictions[copied].Beyond || predictions[fastest].Beyond
		switch trust := h.predicted - h.copied; {
		case !beyond || math.IsNaN(trust):
		case h.ofOne && !math.IsNaN(least):
			least *= trustOfTwo / trustBeyond
		case trust < -minTrust:
			least = 0
		case trust > minTrust:
			least = math.Inf(1)
		}
		if !(gain > least) {
			c.Index, c.Copied = copied, true
		}
	}
	chosen := predictions[c.Index]
	c.Loss = float64(chosen.Time/predictions[fastest].Time) - 1
	for i, p := range predictions {
		if i != c.Index {
			log := math.Log(float64(chosen.Time / p.Time))
			width := math.Hypot(chosen.halfWidth(), p.halfWidth()) // errors are independent
			c.LossHigh = max(c.LossHigh, math.Expm1(log+width))
		}
	}
	return c
}

// halfWidth returns the half width of the interval, as a log; NaN if there is none.
func (p Prediction) halfWidth() float64 { return math.Log(float64(p.High/p.Low)) / 2 }

// doubt returns the log of the ratio of two times above which they count as different; NaN if one
// has no interval.
func doubt(a, b Prediction) float64 {
	trust := trustBetween
	if a.Beyond || b.Beyond {
		trust = trustBeyond
	}
	return trust * max(a.halfWidth(), b.halfWidth())
}

// Beyond one number of nodes, times have no interval, and nothing of the machine is held out. The
// ratio of two times is then taken to be between the measured and the predicted one. The parts say
// how far on this way, on a logarithmic scale: if both schedules are known, and if one is not.
// Hold-outs from one number of nodes gave them, on published machines and simulated clusters, with
// the names of all, half and none of the algorithms. They are nearly the same without any one
// machine; see docs/validation/fits.md.
const (
	partKnown   = 0.6
	partUnknown = 0.4
)

// tie is the difference of logarithmic times below which the library's own choice is kept: it is of
// the size of noise. A library's choice may change with the nodes; a forced algorithm does not.
const tie = 0.03

// fromOne chooses from one number of nodes by the predictions, and the times at the nearest call,
// where copied was the fastest.
func (h *Chooser) fromOne(predictions []Prediction, times []float64, copied int) (chosen int) {
	chosen = copied
	least := 0.0 // of the logarithm of the expected time over that of copied
	for i, t := range times {
		measured := math.Log(t / times[copied])
		if measured < tie && h.all[i].librarys() {
			return i
		}
		part, known := partUnknown, h.all[i].known() && h.all[copied].known()
		if known {
			part = partKnown
		}
		if math.IsNaN(measured) && known {
			measured = 0 // not measured there, and nothing says that it is slower
		}
		predicted := math.Log(float64(predictions[i].Time / predictions[copied].Time))
		if log := part*predicted + (1-part)*measured; log < least {
			chosen, least = i, log
		}
	}
	return chosen
}

// nearest returns the times of the results at the nearest call that was measured on at most so many
// ranks, over the logs of ranks and total bytes, and the index of the fastest. A result without the
// call has NaN. The index is -1 if the call has one time only.
func nearest(all []*Result, at Placement, n quantity.Bytes, most float64) (
	times []float64, fastest int) {
	total := func(ranks int, n quantity.Bytes) float64 {
		if blockwise(all[0].Collective) {
			n *= quantity.Bytes(ranks)
		}
		return math.Log2(max(1, float64(n)))
	}
	distance, count := math.Inf(1), 0
	for i, r := range all {
		times = append(times, math.NaN())
		for _, p := range r.Points {
			if float64(p.Ranks) > most {
				continue
			}
			d := math.Abs(total(p.Ranks, p.Size)-total(at.Ranks, n)) +
				math.Abs(math.Log2(float64(p.Ranks)/float64(at.Ranks)))
			switch { // rounding must not divide times of one call
			case d > distance+1e-9:
				continue
			case d < distance-1e-9:
				distance, count, fastest = d, 0, i
				for j := range times {
					times[j] = math.NaN()
				}
			}
			count++
			if t := float64(p.Time); !(times[i] <= t) {
				times[i] = t
			}
			if times[i] < times[fastest] {
				fastest = i
			}
		}
	}
	if count < 2 {
		return times, -1
	}
	return times, fastest
}
