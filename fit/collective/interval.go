package collective

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// The half width of a 95 % interval beyond the measured places, as a log, is the root of the sum of
// the squares of
//
//	floor,
//	perOctave · octaves beyond the places / (octaves between the places)^spanPower,
//	perFillOctave · octaves from the ranks on a node that were measured / (octaves between
//	  these)^spanPower,
//	perSizeOctave · octaves beyond the sizes,
//	partHeldOut · the root mean square error of similar calls that were held out,
//	and partSpread · the spread of the forms.
//
// Two numbers of nodes do not show growth that begins beyond them. The upper half width then also
// has the square of unseenGrowth for each octave: on all machines, the times above the intervals
// were more than those below. On fewer nodes than were measured, both have it: libraries have other
// protocols there. If the algorithm is known, both are oneAlgorithm times as wide.
//
// The constants are frozen: chosen on published measurements of eight machines. docs/accuracy.md
// has the coverage by machine and distance, and by how much the widths would change with each
// machine left out; tools/collectives computes both.
const (
	floor         = 0.16
	perOctave     = 0.12
	perFillOctave = 1.2 // of one machine: no other was measured with nodes that are filled in part
	perSizeOctave = 0.3
	spanPower     = 0.5
	partHeldOut   = 0.75
	partSpread    = 0.8
	unseenGrowth  = 0.4
	// On one node times are short and noisy, and grow evenly.
	floorOneNode     = 0.22
	perOctaveOneNode = 0.15
	oneAlgorithm     = 0.85

	maxHeldOutError = 0.7
	// maxBeyond is the largest factor beyond what was measured, in nodes, ranks on a node and size,
	// with an interval; maxWidth the largest interval, end to end.
	maxBeyond = 8
	maxWidth  = 10
)

// beyondWidth returns the lower and upper half width of the interval of a call, by the frozen
// calibration.
func (b *blend) beyondWidth(p place, n, spread float64) (down, up float64) {
	least, perOctave := floor, perOctave
	if b.oneNode {
		least, perOctave = floorOneNode, perOctaveOneNode
	}
	total, octaves := b.totalLg(p, n), b.octaves(p)
	similar := func(i int) float64 { return math.Exp(-math.Abs(total-b.beyond.total[i]) / 2) }
	heldOut := min(b.beyond.rootMeanSquare(similar), maxHeldOutError)
	places := perOctave * octaves / math.Pow(b.spanned(place.ofNodes), spanPower)
	fill, sizes := perFillOctave*b.octavesPerNode(p)/math.Pow(b.spanned(place.perNode), spanPower), perSizeOctave*b.sizeOctaves(p, n)
	heldOut, spread = partHeldOut*heldOut, partSpread*spread
	squares := least*least + places*places + fill*fill + sizes*sizes + heldOut*heldOut + spread*spread
	down, up = squares, squares
	if fewer := p.nodes < b.places[0].nodes; fewer || b.sizesOnly && !b.oneNode && !b.inside(p) {
		growth := unseenGrowth * unseenGrowth * octaves
		if up += growth; fewer {
			down += growth
		}
	}
	part := 1.0
	if len(b.forms) == 1 {
		part = oneAlgorithm
	}
	return part * math.Sqrt(down), part * math.Sqrt(up)
}

// rootMeanSquare returns that of the errors of the blend, each with a weight.
func (h *heldOut) rootMeanSquare(weight func(i int) float64) float64 {
	squares, sum := 0.0, 0.0
	for i, e := range h.own {
		w := weight(i)
		squares, sum = squares+w*min(e*e, 1), sum+w
	}
	return math.Sqrt(squares / max(sum, 1e-9))
}

// spanned returns the octaves between the least and the largest measured number, at least 1.
func (b *blend) spanned(of func(place) float64) float64 {
	least, most := math.Inf(1), 0.0
	for _, q := range b.places {
		least, most = min(least, of(q)), max(most, of(q))
	}
	return max(1, math.Log2(most/least))
}

// nearest returns the least distance to a measured place.
func (b *blend) nearest(distance func(q place) float64) float64 {
	least := math.Inf(1)
	for _, q := range b.places {
		least = min(least, distance(q))
	}
	return least
}

// octaves returns the distance to the nearest measured place.
func (b *blend) octaves(p place) float64 {
	return b.nearest(func(q place) float64 {
		return math.Abs(math.Log2(p.nodes/q.nodes)) + math.Abs(math.Log2(p.perNode()/q.perNode()))
	})
}

// octavesPerNode returns the distance to the nearest measured number of ranks on a node.
func (b *blend) octavesPerNode(p place) float64 {
	return b.nearest(func(q place) float64 { return math.Abs(math.Log2(p.perNode() / q.perNode())) })
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

// Held-out calls between places count for the scale of an error by exp(-1) for each octave of total
// bytes and half an octave of nodes; the mean of all errors counts as much as so many calls.
const (
	scaleSizes  = 1
	scalePlaces = 0.5
	minScale    = 0.003
	// perInnerOctave is how much wider the interval is for each octave from a size to the nearest
	// that was measured.
	perInnerOctave = 1
)

var scalePriors = []float64{0.5, 4, 1e6}

// scale returns the mean error of held-out calls that are like a call on so many nodes. Without is
// the index of a held-out call that does not count, or -1.
func (h *heldOut) scale(nodes, total float64, without int) float64 {
	all, sum, weights := 0.0, 0.0, 0.0
	for i, e := range h.own {
		if i != without {
			near := math.Exp(-math.Abs(total-h.total[i])/scaleSizes - math.Abs(math.Log2(nodes/h.calls[i].nodes))/scalePlaces)
			all, sum, weights = all+math.Abs(e)/float64(len(h.own)), sum+near*math.Abs(e), weights+near
		}
	}
	return max(minScale, (sum+h.scalePrior*all)/(weights+h.scalePrior))
}

// normalize sets the quantile of the errors over their scales, and the prior of the scales by which
// intervals are the shortest: few errors show little of where calls differ more. The quantile is
// that of 96 %, as scales are uncertain.
func (h *heldOut) normalize() {
	shortest := math.Inf(1)
	for _, prior := range scalePriors {
		var scores []float64
		sum, before := 0.0, h.scalePrior
		h.scalePrior = prior
		for i, e := range h.own {
			s := h.scale(h.calls[i].nodes, h.total[i], i)
			scores, sum = append(scores, math.Abs(e)/s), sum+s
		}
		quantile := stats.QuantileOf(scores, min(1, 0.96*(1+1/float64(len(scores)))))
		if quantile*sum < shortest {
			shortest, h.quantile = quantile*sum, quantile
		} else {
			h.scalePrior = before
		}
	}
}

// nearEvidence returns the held-out calls that are like a call at a place inside of what was
// measured.
func (b *blend) nearEvidence(p place) *heldOut {
	switch {
	case len(b.between.calls) > 0:
		return &b.between
	case b.sizesOnly && b.octaves(p) == 0:
		return &b.beyond
	}
	return &heldOut{}
}

// betweenWidth returns the half width of the interval of a call between measured places: the 96 %
// point of the errors at places that were held out, each in units of the mean error of similar
// calls (normalized conformal prediction; Lei et al. 2018, §5.2). With few such places, it is at
// least a part of the frozen calibration.
func (b *blend) betweenWidth(p place, n, spread float64) float64 {
	frozen, _ := b.beyondWidth(p, n, spread)
	h := b.nearEvidence(p)
	if len(h.own) == 0 {
		return frozen
	}
	places := max(1, len(b.places)-2) // that were held out
	half := max(h.quantile*h.scale(p.nodes, b.totalLg(p, n), -1), frozen/math.Sqrt(float64(places)))
	gap := math.Inf(1)
	for _, s := range b.samples {
		gap = min(gap, math.Abs(math.Log2(max(1, n)/max(1, s.n))))
	}
	return min(half*(1+perInnerOctave*gap), maxHeldOutError)
}

// width returns the lower and upper half width of the 95 % interval of a call, as logs, or the
// reason why there is none, with what to measure.
func (b *blend) width(p place, n, spread float64) (down, up float64, why string) {
	if b.inside(p) && len(b.nearEvidence(p).calls) > 0 && b.sizeOctaves(p, n) == 0 && b.octavesPerNode(p) == 0 {
		half := b.betweenWidth(p, n, spread)
		return half, half, ""
	}
	unit := "nodes"
	if b.oneNode {
		unit = "ranks"
	}
	far := math.Log2(maxBeyond) + 1e-9
	down, up = b.beyondWidth(p, n, spread)
	switch first, last := b.places[0], b.places[len(b.places)-1]; {
	case len(b.places) == 1 && b.octaves(p) > 0:
		why = fmt.Sprintf("one number of %s was measured, %.0f: measure another, such as %.0f", unit, last.nodes, 2*last.nodes)
	case b.unplaced && p.ranks > last.ranks:
		why = fmt.Sprintf("more than %.0f ranks may take another node: add the ranks on each node to the measurements", last.ranks)
	case b.octavesPerNode(p) > far:
		why = fmt.Sprintf("%.0f ranks on a node are more than %d times from those measured: measure some between", p.perNode(), maxBeyond)
	case b.octaves(p) > far:
		why = fmt.Sprintf("%.0f %s are more than %d times from those measured: measure %.0f", p.nodes, unit, maxBeyond, math.Exp2(math.Round(math.Log2(p.nodes)-2)))
	case b.sizeOctaves(p, n) > far:
		why = fmt.Sprintf("sizes more than %d times from those measured have no interval: measure them", maxBeyond)
	case b.undescribed && b.octaves(p) > 0:
		why = fmt.Sprintf("no algorithm describes both %.0f and %.0f %s: measure more numbers of them", first.nodes, last.nodes, unit)
	case math.Exp(down+up) > maxWidth:
		why = fmt.Sprintf("the forms differ too much on %.0f %s: measure a number nearer to it", p.nodes, unit)
	}
	return down, up, why
}
