package collective

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// The half width of a 95 % interval beyond the measured places, as a log, is
//
//	widthScale · √(widthFloor² + (widthPlaces·octaves beyond/octaves measured)²
//	              + (widthSizes·octaves beyond the sizes)² + (widthHeldOut·error)² + spread²)
//
// with the root mean square error at places beyond that were held out, and the spread of the forms.
// The constants are frozen: chosen on published measurements of eight machines so that, with the
// machine's own left out, 95 % lie inside in the mean over machines. docs/accuracy.md has the
// coverage by machine and distance; tools/collectives computes it.
const (
	widthScale   = 2
	widthFloor   = 0.05
	widthPlaces  = 0.2
	widthRanks   = 0.12 // instead of widthPlaces on one node
	widthSizes   = 0.17
	widthHeldOut = 0.5

	maxHeldOutError = 0.7
	// untested is the error where no place beyond could be held out, on several nodes.
	untested = 0.5
	// maxBeyond is the largest factor beyond what was measured, in nodes, ranks on a node and size,
	// with an interval; maxWidth the largest interval, end to end.
	maxBeyond = 8
	maxWidth  = 30
)

// beyondWidth returns the half width of the interval of a call, by the frozen calibration.
func (b *blend) beyondWidth(p place, n, spread float64) float64 {
	squares, count, total := 0.0, 0.0, b.totalLg(p, n)
	for i, e := range b.beyond.own {
		near := math.Exp(-math.Abs(total-b.beyond.total[i]) / 2)
		squares, count = squares+near*min(e*e, 1), count+near
	}
	heldOut := min(math.Sqrt(squares/max(count, 1e-9)), maxHeldOutError)
	perOctave := widthPlaces
	if b.oneNode {
		perOctave = widthRanks
	} else if b.sizesOnly {
		heldOut = max(heldOut, untested)
	}
	first, last := b.places[0].nodes, b.places[len(b.places)-1].nodes
	places := perOctave * b.octaves(p) / max(1, math.Log2(last/first))
	sizes := widthSizes * b.sizeOctaves(p, n)
	return widthScale * math.Sqrt(widthFloor*widthFloor+places*places+sizes*sizes+widthHeldOut*widthHeldOut*heldOut*heldOut+spread*spread)
}

// octaves returns the distance to the nearest measured place.
func (b *blend) octaves(p place) float64 {
	nearest := math.Inf(1)
	for _, q := range b.places {
		nearest = min(nearest, math.Abs(math.Log2(p.nodes/q.nodes))+math.Abs(math.Log2(p.perNode()/q.perNode())))
	}
	return nearest
}

// sizeOctaves returns how far a size is outside of those measured, counted as the size of the call
// or as the total of all ranks, whichever is nearer.
func (b *blend) sizeOctaves(p place, n float64) float64 {
	least, most := math.Inf(1), 0.0
	leastTotal, mostTotal := math.Inf(1), 0.0
	for _, s := range b.samples {
		least, most = min(least, s.n), max(most, s.n)
		t := b.totalLg(s.place, s.n)
		leastTotal, mostTotal = min(leastTotal, t), max(mostTotal, t)
	}
	lg, total := math.Log2(max(1, n)), b.totalLg(p, n)
	outside := func(v, least, most float64) float64 { return max(0, least-v, v-most) }
	return min(outside(lg, math.Log2(max(1, least)), math.Log2(max(1, most))), outside(total, leastTotal, mostTotal))
}

// Held-out calls between places count for an interval by exp(-1) for each octave of total bytes and
// half an octave of nodes.
const (
	betweenSizes  = 1
	betweenPlaces = 0.5
)

// nearEvidence returns the held-out calls that are like a call at a place inside of what was measured.
func (b *blend) nearEvidence(p place) *heldOut {
	switch {
	case len(b.between.calls) > 0:
		return &b.between
	case b.sizesOnly && b.octaves(p) == 0:
		return &b.beyond
	}
	return &heldOut{}
}

// betweenWidth returns the half width of the interval of a call between measured places: the 95 %
// point of the errors at places that were held out nearby. Fewer errors count less beside the frozen
// calibration.
func (b *blend) betweenWidth(p place, n, spread float64) float64 {
	type weighted struct{ e, weight float64 }
	var all []weighted
	h, sum, squares, total := b.nearEvidence(p), 0.0, 0.0, b.totalLg(p, n)
	for i, e := range h.own {
		w := math.Exp(-math.Abs(total-h.total[i])/betweenSizes - math.Abs(math.Log2(p.nodes/h.calls[i].nodes))/betweenPlaces)
		all = append(all, weighted{math.Abs(e), w})
		sum, squares = sum+w, squares+w*w
	}
	frozen := b.beyondWidth(p, n, spread)
	if sum == 0 {
		return frozen
	}
	slices.SortFunc(all, func(a, b weighted) int { return cmp.Compare(a.e, b.e) })
	half, below := all[len(all)-1].e, 0.0
	for _, a := range all {
		if below += a.weight; below >= 0.95*sum {
			half = a.e
			break
		}
	}
	const enough = 10
	effective := sum * sum / squares
	half *= stats.T95(effective-1) / stats.T95(stats.MaxDegrees)
	return max(half, frozen*math.Sqrt(enough/(enough+effective)))
}

// width returns the half width of the 95 % interval of a call, as a log, or infinity and the reason
// why there is none, with what to measure.
func (b *blend) width(p place, n, spread float64) (half float64, why string) {
	if b.inside(p) && len(b.nearEvidence(p).calls) > 0 && b.sizeOctaves(p, n) == 0 && b.octavesPerNode(p) == 0 {
		return b.betweenWidth(p, n, spread), ""
	}
	unit := "nodes"
	if b.oneNode {
		unit = "ranks"
	}
	far := math.Log2(maxBeyond) + 1e-9
	switch last := b.places[len(b.places)-1]; {
	case len(b.places) == 1 && b.octaves(p) > 0:
		return math.Inf(1), fmt.Sprintf("one number of %s was measured, %.0f: measure another, such as %.0f", unit, last.nodes, 2*last.nodes)
	case b.octavesPerNode(p) > far:
		return math.Inf(1), fmt.Sprintf("%.0f ranks on a node are more than %d times from those measured: measure some between", p.perNode(), maxBeyond)
	case b.octaves(p) > far:
		return math.Inf(1), fmt.Sprintf("%.0f %s are more than %d times from those measured: measure %.0f", p.nodes, unit, maxBeyond, math.Exp2(math.Round(math.Log2(p.nodes)-2)))
	case b.sizeOctaves(p, n) > far:
		return math.Inf(1), fmt.Sprintf("sizes more than %d times from those measured have no interval: measure them", maxBeyond)
	}
	if half = b.beyondWidth(p, n, spread); math.Exp(2*half) > maxWidth {
		return math.Inf(1), fmt.Sprintf("the forms differ too much on %.0f %s: measure a number nearer to it", p.nodes, unit)
	}
	return half, ""
}

// octavesPerNode returns the distance to the nearest measured number of ranks on a node.
func (b *blend) octavesPerNode(p place) float64 {
	nearest := math.Inf(1)
	for _, q := range b.places {
		nearest = min(nearest, math.Abs(math.Log2(p.perNode()/q.perNode())))
	}
	return nearest
}
