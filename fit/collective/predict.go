package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Prediction is a time with the 95 % interval of one more measurement.
type Prediction struct {
	Time, Low, High quantity.Micros // Low and High are NaN if there is no interval
	// NoInterval says why there is no interval, and what to measure to get one; else empty.
	NoInterval string
	// Beyond says that the ranks, nodes or size lie outside of those measured.
	Beyond bool
	// Forms are the algorithms that the time is made from, the heaviest first.
	Forms []Weight
}

// A Weight is an algorithm's part in a prediction, 0 to 1.
type Weight struct {
	Algorithm string // of the registry, or "hierarchical", "switch", or "interpolation"
	Weight    float64
}

// minWeight is the smallest weight that a prediction lists.
const minWeight = 0.05

// learn makes the blends that predict: of calls on one node and of calls on several.
func (r *Result) learn() {
	groups := map[bool][]Point{}
	for _, p := range r.Points {
		several := p.placement().nodes() > 1
		groups[several] = append(groups[several], p)
	}
	for several, points := range groups {
		byPlace := func(a, b Point) int { return comparePlaces(a.place(), b.place()) }
		slices.SortStableFunc(points, byPlace) // by size within a place
		dampPeaks(points)
		// Up to maxRanksOfNode ranks of unknown placement are taken to be on one node.
		oneNode := !several && (r.perNode() > 0 || points[len(points)-1].Ranks <= maxRanksOfNode)
		b := newBlend(newTable(points, blockwise(r.Collective)), oneNode, r.forms)
		b.unplaced = !several && r.perNode() == 0
		b.learn()
		if several {
			r.several = b
		} else {
			r.oneNode = b
		}
	}
}

// maxPeak is the factor over the times of both neighbouring sizes above which a call was disturbed.
const maxPeak = 1.5

// dampPeaks gives disturbed calls the time of the slower neighbour. The points are ordered by
// place and size.
func dampPeaks(points []Point) {
	for i := 1; i < len(points)-1; i++ {
		a, s, b := points[i-1], &points[i], points[i+1]
		together := a.place() == s.place() && b.place() == s.place()
		if slower := max(a.Time, b.Time); together && s.Time > maxPeak*slower {
			s.Time = slower
		}
	}
}

const (
	// minRepeats is the minimum number of repeats for using their standard deviation.
	minRepeats = 3
	// priorRepeats is the number of repeats that the median deviation of all calls counts for: few
	// repeats show little of their own.
	priorRepeats = 4
)

// measured returns the time of a measured call, and the half width of the 95 % interval of one more
// measurement by its repeats; infinite with fewer than minRepeats of them.
func (r *Result) measured(at Placement, n quantity.Bytes) (t, half float64, has bool) {
	call := Point{Ranks: at.Ranks, PerNode: at.PerNode, Size: n}
	i, has := slices.BinarySearchFunc(r.Points, call, byCall)
	if !has {
		return 0, 0, false
	}
	p := r.Points[i]
	count := p.repeats()
	if count < minRepeats {
		return float64(p.Time), math.Inf(1), true
	}
	free := count - 1 + priorRepeats
	variance := ((count-1)*p.Deviation*p.Deviation + priorRepeats*r.Noise*r.Noise) / free
	// One more measurement has its own error, and the mean of count has 1/count of its variance.
	half = stats.T95(free) * math.Sqrt(variance*(1+1/count))
	return float64(p.Time), min(half, math.Log(maxWidth)/2), true
}

// Accuracy returns a phrase with the median errors of predictions at held-out places, between the
// remaining places and beyond them, and with a change of the library's algorithm. It is empty if
// too few places were measured.
func (r *Result) Accuracy() string {
	var between, beyond []float64
	var phrases []string
	for _, b := range []*blend{r.oneNode, r.several} {
		if b == nil {
			continue
		}
		between = append(between, b.between.own...)
		if !b.sizesOnly {
			beyond = append(beyond, b.beyond.own...)
		}
		if c := b.changed; c.size > 0 && r.Algorithm == "" {
			phrases = append(phrases, fmt.Sprintf("the library seems to change its algorithm at "+
				"%s, on %.0f ranks and not on %.0f: from there, intervals on more ranks are wider",
				quantity.Bytes(c.size), c.after.ranks, c.before.ranks))
		}
	}
	var parts []string
	if len(between) > 0 {
		parts = append(parts, percent(medianError(between))+" between the others")
	}
	if len(beyond) > 0 {
		parts = append(parts, percent(medianError(beyond))+" beyond them")
	}
	if parts != nil {
		const about = "predictions of numbers of ranks left out are off by "
		phrases = slices.Insert(phrases, 0, about+strings.Join(parts, ", ")+" in the median")
	}
	return strings.Join(phrases, "; ")
}

// Jobs returns the relative standard deviation between jobs that intervals beyond the measured
// places take in: that of repeats or, without them, one that is assumed by how calls of a job
// scatter.
func (r *Result) Jobs() (most float64) {
	for _, b := range []*blend{r.oneNode, r.several} {
		if b != nil {
			most = max(most, b.jobs.deviation)
		}
	}
	return most
}

// medianError returns the median relative error of logs of ratios, and replaces them by errors.
func medianError(logs []float64) float64 {
	for i, e := range logs {
		logs[i] = math.Abs(math.Expm1(e))
	}
	return stats.Median(logs)
}

// Predict returns the time of the next call of n bytes on ranks that are placed as they were
// measured, by [Result.PlacementOf]. The error is that of [Result.PredictAt].
func (r *Result) Predict(ranks int, n quantity.Bytes) (Prediction, error) {
	return r.PredictAt(r.PlacementOf(ranks), n)
}

// PredictAt returns the time of the next call of n bytes. A call that was measured takes the
// median of its repeats, in an interval made from them; with too few repeats, by the errors of
// calls nearby. The error wraps [ErrNoFit] if the fit has no time for the call.
func (r *Result) PredictAt(at Placement, n quantity.Bytes) (Prediction, error) {
	if at.Ranks < 2 {
		return Prediction{}, fmt.Errorf("%w: %s on %d ranks: at least 2 are needed",
			ErrNoFit, r.Collective, at.Ranks)
	}
	b, newLevel := r.blendFor(at)
	p := place{float64(at.Ranks), max(1, float64(at.nodes()))}
	if b == r.oneNode { // as it was measured: by ranks alone
		p = Placement{Ranks: at.Ranks}.place()
	}
	size := float64(n)
	log, spread, apart, weights := b.predict(p, size)
	t := math.Exp(log)
	if !(t > 0) || math.IsInf(t, 0) {
		return Prediction{}, fmt.Errorf("%w: %s of %s on %d ranks: "+
			"the fitted forms have no time there", ErrNoFit, r.Collective, n, at.Ranks)
	}
	down, up, why := b.width(p, size, spread, apart)
	if newLevel != "" {
		why = newLevel
	}
	outside := !b.inside(p) || b.octavesPerNode(p) > 0 || b.sizeOctaves(p, size) > 0
	q := Prediction{Forms: b.named(weights), Beyond: newLevel != "" || outside}
	low, high := t, t
	if v, repeats, has := r.measured(at, n); has {
		t, why, q.Beyond = v, "", false
		if !math.IsInf(repeats, 1) {
			low, high, down, up = v, v, repeats, repeats
		} else {
			// The call has too few repeats, and may have been disturbed: the interval also covers
			// the time of similar calls.
			similar := b.similar(p, size)
			low, high = min(similar, v), max(similar, v)
		}
	}
	q.Time, q.NoInterval = quantity.Micros(t), why
	q.Low = quantity.Micros(low * math.Exp(-down))
	q.High = quantity.Micros(high * math.Exp(up))
	if why != "" {
		q.Low, q.High = quantity.Micros(math.NaN()), quantity.Micros(math.NaN())
	}
	return q, nil
}

// blendFor returns the blend that predicts calls at a placement. If no call was measured on such a
// number of nodes, one or several, the prediction takes what there is, and newLevel says what to
// measure: messages between nodes cost something else than those inside.
func (r *Result) blendFor(at Placement) (b *blend, newLevel string) {
	several := at.nodes() > 1
	switch {
	case several && r.several != nil:
		return r.several, ""
	case !several && r.oneNode != nil:
		return r.oneNode, ""
	case r.oneNode == nil:
		return r.several, "no single node was measured: measure one"
	case r.oneNode.oneNode:
		return r.oneNode, "only one node was measured: measure 2 and 4 nodes"
	}
	return r.oneNode, "" // of unknown placement, so several nodes may be among those measured
}

// named lists the candidates of at least minWeight, the heaviest first.
func (b *blend) named(weights []float64) (all []Weight) {
	k := len(b.forms)
	for i, w := range append(weights[:k:k], weights[k]+weights[k+1]) {
		name := "interpolation"
		if i < k {
			name = b.forms[i].name
		}
		if w >= minWeight {
			all = append(all, Weight{name, w})
		}
	}
	slices.SortStableFunc(all, func(a, b Weight) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}
