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
// is better than a copy of the nearest, and one beyond them is not, unless it is sure. Without an
// interval, since one was measured on one number of ranks, nothing of the machine is held out. Then
// the schedules of two known algorithms have to differ by an eighth: from ORFEO and one of Fugaku
// and MareNostrum, the choices of the other lose least with it. On simulated clusters they lose at
// most two points more than the better of predictions and copies. Differences that involve an
// algorithm without a schedule count for nothing: no bound of theirs that two machines show makes
// the choices of the third one better than copies. See docs/validation/fits.md.
const (
	trustBetween  = 0.2
	trustBeyond   = 2
	trustOfTwo    = 0.5 // beyond two numbers of nodes, chosen on simulated clusters of another seed
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
		copied := nearestWinner(all, key.placement(), key.Size, limit)
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
	if copied := nearestWinner(all, at, n, math.Inf(1)); copied >= 0 && copied != fastest {
		gain := math.Log(float64(predictions[copied].Time / predictions[fastest].Time))
		least := doubt(predictions[copied], predictions[fastest])
		a, b := all[copied], all[fastest]
		known := len(a.forms) == 1 && len(b.forms) == 1
		if math.IsNaN(least) && known && min(len(a.Ranks), len(b.Ranks)) == 1 {
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

// nearestWinner returns the index of the result with the least time at the nearest call that was
// measured on at most so many ranks, over the logs of ranks and total bytes; -1 if the nearest call
// has one time only.
func nearestWinner(all []*Result, at Placement, n quantity.Bytes, most float64) (best int) {
	total := func(ranks int, n quantity.Bytes) float64 {
		if blockwise(all[0].Collective) {
			n *= quantity.Bytes(ranks)
		}
		return math.Log2(max(1, float64(n)))
	}
	best = -1
	distance, time := math.Inf(1), quantity.Micros(0)
	times := 0
	for i, r := range all {
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
				distance, best, time, times = d, i, p.Time, 1
				continue
			}
			if times++; p.Time < time {
				best, time = i, p.Time
			}
		}
	}
	if times < 2 {
		return -1
	}
	return best
}
