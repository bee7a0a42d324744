package collective

import (
	"fmt"
	"math"
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
// The constants are frozen: chosen on published measurements of eight machines.
// docs/validation/fits.md has the coverage by machine and distance, and by how much the widths
// would change with each machine left out; internal/evidence/collectives computes both.
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
	// maxBeyond is the largest factor beyond the measured nodes, ranks on a node and sizes at which
	// a call has an interval; maxWidth is the largest high end over the low end.
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
	fill := perFillOctave * b.octavesPerNode(p) / math.Pow(b.spanned(place.perNode), spanPower)
	sizes := perSizeOctave * b.sizeOctaves(p, n)
	widths := []float64{least, places, fill, sizes, partHeldOut * heldOut, partSpread * spread}
	squares := 0.0
	for _, w := range widths {
		squares += w * w
	}
	down, up = squares, squares
	fewer := p.nodes < b.places[0].nodes
	unseen := b.sizesOnly && !b.oneNode && !b.inside(p)
	if fewer || unseen {
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

// nearEvidence returns the held-out calls that are like a call at a place between measured places.
func (b *blend) nearEvidence(p place) *heldOut {
	switch {
	case len(b.between.calls) > 0:
		return &b.between
	case b.sizesOnly && b.octaves(p) == 0:
		return &b.beyond
	}
	return &heldOut{}
}

// perInnerOctave is the part by which an interval is wider for each octave from a size to the
// nearest measured size.
const perInnerOctave = 1

// betweenWidth returns the half width of the interval of a call between measured places: the 96 %
// point of the errors at places that were held out, each in units of the mean error of similar
// calls (normalized conformal prediction; Lei et al. 2018, §5.2). Few such places do not show all
// errors, so a part of the frozen calibration adds to them as an independent error.
func (b *blend) betweenWidth(p place, n, spread float64) float64 {
	frozen, _ := b.beyondWidth(p, n, spread)
	h := b.nearEvidence(p)
	if len(h.own) == 0 {
		return frozen
	}
	places := max(1, len(b.places)-2) // that were held out
	scale := h.scale(p.nodes, b.totalLg(p, n), -1)
	half := math.Hypot(h.quantile*scale, frozen/math.Sqrt(float64(places)))
	gap := math.Inf(1)
	for _, s := range b.points {
		gap = min(gap, math.Abs(math.Log2(max(1, n)/max(1, float64(s.Size)))))
	}
	return min(half*(1+perInnerOctave*gap), maxHeldOutError)
}

// width returns the lower and upper half width of the 95 % interval of a call, as logs. If the call
// has no interval, why gives the reason and says what to measure.
func (b *blend) width(p place, n, spread float64) (down, up float64, why string) {
	measured := b.inside(p) && b.sizeOctaves(p, n) == 0 && b.octavesPerNode(p) == 0
	if measured && len(b.nearEvidence(p).calls) > 0 {
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
		why = fmt.Sprintf("one number of %s was measured, %.0f: measure another, such as %.0f",
			unit, last.nodes, 2*last.nodes)
	case b.unplaced && p.ranks > last.ranks:
		why = fmt.Sprintf("more than %.0f ranks may take another node: "+
			"add the ranks on each node to the measurements", last.ranks)
	case b.octavesPerNode(p) > far:
		why = fmt.Sprintf("%.0f ranks on a node are more than %d times from those measured: "+
			"measure some between", p.perNode(), maxBeyond)
	case b.octaves(p) > far:
		quarter := math.Exp2(math.Round(math.Log2(p.nodes) - 2)) // as a power of two
		why = fmt.Sprintf("%.0f %s are more than %d times from those measured: measure %.0f",
			p.nodes, unit, maxBeyond, quarter)
	case b.sizeOctaves(p, n) > far:
		why = fmt.Sprintf("sizes more than %d times from those measured have no interval: "+
			"measure them", maxBeyond)
	case b.undescribed && b.octaves(p) > 0:
		why = fmt.Sprintf("no algorithm describes both %.0f and %.0f %s: "+
			"measure more numbers of them", first.nodes, last.nodes, unit)
	case math.Exp(down+up) > maxWidth:
		why = fmt.Sprintf("the forms differ too much on %.0f %s: measure a number nearer to it",
			p.nodes, unit)
	}
	return down, up, why
}
