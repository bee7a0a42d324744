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
	groups := map[bool][]sample{}
	for i := 0; i < len(r.Points); {
		p := r.Points[i]
		t, count := 0.0, 0.0
		for ; i < len(r.Points) && byCall(p, r.Points[i]) == 0; i++ {
			k := r.Points[i].knownRepeats()
			t, count = t+k*float64(r.Points[i].Time), count+k
		}
		at := Placement{p.Ranks, p.PerNode}
		several := at.Nodes() > 1
		groups[several] = append(groups[several], sample{at.place(), float64(p.Size), t / count})
	}
	for several, samples := range groups {
		slices.SortStableFunc(samples, func(a, b sample) int { return comparePlaces(a.place, b.place) })
		// Up to maxRanksOfNode ranks of unknown placement are taken to be on one node.
		oneNode := !several && (r.PerNode() > 0 || samples[len(samples)-1].ranks <= maxRanksOfNode)
		b := newBlend(r.Collective, oneNode, r.forms, samples)
		b.unplaced = !several && !oneNode
		b.learn()
		if several {
			r.several = b
		} else {
			r.oneNode = b
		}
	}
}

const maxRanksOfNode = 8

// minRepeats is the minimum number of repeats for using their standard deviation.
const minRepeats = 3

// knownRepeats returns the number of repeats whose deviation is known, or 1 if the file gives only
// a mean.
func (p Point) knownRepeats() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// measured returns the mean of the measurements of a call, and the half width of the 95 % interval
// of one more measurement by its repeats; infinite with fewer than minRepeats of them.
func (r *Result) measured(at Placement, n quantity.Bytes) (t, half float64, has bool) {
	call := Point{Ranks: at.Ranks, PerNode: at.PerNode, Size: n}
	from, _ := slices.BinarySearchFunc(r.Points, call, byCall)
	var count, sum, squares float64
	for _, p := range r.Points[from:] {
		if byCall(p, call) != 0 {
			break
		}
		k, v := p.knownRepeats(), float64(p.Time)
		count, sum = count+k, sum+k*v
		squares += k*v*v + (k-1)*(p.Deviation*v)*(p.Deviation*v)
	}
	if count == 0 {
		return 0, 0, false
	}
	t, half = sum/count, math.Inf(1)
	if count >= minRepeats {
		variance := max(0, squares-count*t*t) / (count - 1)
		half = stats.T95(count-1) * max(math.Sqrt(variance)/t, r.Noise) * math.Sqrt(1+1/count)
	}
	return t, half, true
}

// PerNode returns the largest number of ranks on a node that was measured, 0 if no placement is
// known.
func (r *Result) PerNode() (most int) {
	for _, p := range r.Points {
		most = max(most, p.PerNode)
	}
	return most
}

// Accuracy returns, as a phrase, the median error of predictions at places that were held out:
// between other places and beyond all others. It is empty if too few places were measured.
func (r *Result) Accuracy() string {
	var between, beyond []float64
	for _, b := range []*blend{r.oneNode, r.several} {
		if b != nil {
			between = append(between, b.between.own...)
		}
		if b != nil && !b.sizesOnly {
			beyond = append(beyond, b.beyond.own...)
		}
	}
	var parts []string
	for i, logs := range [][]float64{between, beyond} {
		for k, e := range logs {
			logs[k] = math.Abs(math.Expm1(e))
		}
		if len(logs) > 0 {
			parts = append(parts, percent(stats.Median(logs))+[]string{" between the others", " beyond them"}[i])
		}
	}
	if parts == nil {
		return ""
	}
	return "predictions of numbers of ranks left out are off by " + strings.Join(parts, ", ") + " in the median"
}

// Placements returns the placements that were measured, by ranks and then by ranks on a node.
func (r *Result) Placements() (all []Placement) {
	for _, p := range r.Points {
		all = append(all, Placement{p.Ranks, p.PerNode})
	}
	return slices.Compact(all)
}

// Predict returns the time of the next call of n bytes on ranks that are placed as they were
// measured, by [Result.PlacementOf]. The error is that of [Result.PredictAt].
func (r *Result) Predict(ranks int, n quantity.Bytes) (Prediction, error) {
	return r.PredictAt(r.PlacementOf(ranks), n)
}

// PlacementOf returns the placement of ranks that are placed as they were measured: on one node if
// every measured call filled one, else as many on a node as [Result.PerNode].
func (r *Result) PlacementOf(ranks int) Placement {
	p := Placement{Ranks: ranks, PerNode: r.PerNode()}
	if !slices.ContainsFunc(r.Points, func(p Point) bool { return p.PerNode != p.Ranks }) {
		p.PerNode = ranks
	}
	return p
}

// PredictAt returns the time of the next call of n bytes. A call that was measured takes the mean
// of its measurements, in an interval made from its repeats; with too few repeats, by the errors of
// calls nearby. The error wraps [ErrNoFit] if the fit has no time for the call.
func (r *Result) PredictAt(at Placement, n quantity.Bytes) (Prediction, error) {
	if at.Ranks < 2 {
		return Prediction{}, fmt.Errorf("%w: %s on %d ranks: at least 2 are needed", ErrNoFit, r.Collective, at.Ranks)
	}
	b, newLevel := r.oneNode, ""
	if at.Nodes() > 1 {
		b = r.several
	}
	switch {
	case b != nil:
	case r.several == nil && r.PerNode() > 0:
		b, newLevel = r.oneNode, "only one node was measured: measure 2 and 4 nodes"
	case r.several == nil:
		b = r.oneNode
	default:
		b, newLevel = r.several, "no single node was measured: measure one"
	}
	p := place{float64(at.Ranks), max(1, float64(at.Nodes()))}
	if b == r.oneNode { // as it was measured: by ranks alone
		p = Placement{Ranks: at.Ranks}.place()
	}
	log, spread, weights := b.predict(p, float64(n))
	t := math.Exp(log)
	if !(t > 0) || math.IsInf(t, 0) {
		return Prediction{}, fmt.Errorf("%w: %s of %s on %d ranks: the fitted forms have no time there", ErrNoFit, r.Collective, n, at.Ranks)
	}
	down, up, why := b.width(p, float64(n), spread)
	if newLevel != "" {
		why = newLevel
	}
	q := Prediction{Forms: b.named(weights), Beyond: newLevel != "" || !b.inside(p) || b.octavesPerNode(p) > 0 || b.sizeOctaves(p, float64(n)) > 0}
	low, high := t, t
	if v, repeats, has := r.measured(at, n); has {
		similar := b.similar(p, float64(n)) // of too few repeats: it may have been disturbed
		low, high = min(similar, v), max(similar, v)
		t, why, q.Beyond = v, "", false
		down, up = min(down, maxHeldOutError), min(up, maxHeldOutError)
		if !math.IsInf(repeats, 1) {
			low, high, down, up = v, v, repeats, repeats
		}
	}
	q.Time, q.NoInterval = quantity.Micros(t), why
	q.Low, q.High = quantity.Micros(low*math.Exp(-down)), quantity.Micros(high*math.Exp(up))
	if why != "" {
		q.Low, q.High = quantity.Micros(math.NaN()), quantity.Micros(math.NaN())
	}
	return q, nil
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
