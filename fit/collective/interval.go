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
//	the deviation of another job, see [jobs.width],
//	unseenGrowth · √(octaves beyond the places) / (measured numbers of nodes − 1)^growthPower,
//	perFillOctave · octaves from the measured ranks on a node / √(octaves between these),
//	perSizeOctave · √(octaves beyond the sizes),
//	partHeldOut · the root mean square error of similar calls that were held out,
//	and partSpread · the spread of the forms.
//
// A few numbers of nodes show little of the growth that begins beyond them: two show none. The
// lower half width has the part growthBelow of its square, since steps seldom become faster on more
// nodes. On fewer nodes than were measured both have all of unseenGrowth: libraries have other
// protocols there.
// If the algorithm is known, both are oneAlgorithm times as wide.
//
// The constants are frozen. A search for the least mean interval score (Gneiting and Raftery 2007,
// §6.2) on calls of LUMI, Lassen, ABCI and ORFEO and on simulated clusters gave their size. They
// were then rounded, to narrower intervals than the search's, with the results of all machines in
// sight, so that no machine is a test of them in the strict sense. docs/validation/fits.md has the
// coverage by machine and distance, and internal/evidence/collectives computes it.
const (
	floor         = 0.1
	unseenGrowth  = 0.42
	growthPower   = 0.75
	growthBelow   = 0.3
	perFillOctave = 1.2 // of one machine: no other was measured with nodes that are filled in part
	perSizeOctave = 0.45
	partHeldOut   = 0.9
	partSpread    = 1.3
	// On one node times grow evenly with the ranks. Chosen for ORFEO, with A100 and H100 in sight.
	perOctaveOneNode = 0.25
	oneAlgorithm     = 0.85

	// maxBeyond is the largest factor beyond the measured nodes and ranks on a node at which a call
	// has an interval; maxWidth is the largest high end over the low end.
	maxBeyond = 8
	maxWidth  = 100
)

// beyondWidth returns the lower and upper half width of the interval of a call, by the frozen
// calibration.
func (b *blend) beyondWidth(p place, n, spread float64) (down, up float64) {
	total, octaves := b.totalLg(p, n), b.octaves(p)
	similar := func(i int) float64 { return math.Exp(-math.Abs(total-b.beyond.total[i]) / 2) }
	fill := perFillOctave * b.octavesPerNode(p) / math.Sqrt(b.spanned(place.perNode))
	widths := []float64{
		floor, b.jobs.width(octaves / b.spanned(place.ofNodes)), fill,
		perSizeOctave * math.Sqrt(b.sizeOctaves(p, n)),
		partHeldOut * b.beyond.rootMeanSquare(similar), partSpread * spread,
	}
	if b.oneNode {
		widths = append(widths, perOctaveOneNode*octaves)
	}
	squares := 0.0
	for _, w := range widths {
		squares += w * w
	}
	down, up = squares, squares
	if !b.oneNode && !b.inside(p) {
		growth := unseenGrowth * unseenGrowth * octaves
		if p.nodes < b.places[0].nodes {
			down, up = down+growth, up+growth
		} else {
			growth /= math.Pow(float64(max(1, len(b.places)-1)), 2*growthPower)
			down, up = down+growthBelow*growth, up+growth
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
		return &b.sizesBetween
	}
	return &heldOut{}
}

// perInnerOctave is the part by which an interval is wider for each octave from a size to the
// nearest measured size, and by which held-out sizes count less for each octave that they were
// away.
const perInnerOctave = 0.6

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
	away := 0.0
	if len(h.gaps) > 0 {
		away = stats.Mean(h.gaps)
	}
	half *= (1 + perInnerOctave*b.gap(p, n)) / (1 + perInnerOctave*away)
	return min(half, math.Log(maxWidth)/2)
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
	case b.undescribed && b.octaves(p) > 0:
		why = fmt.Sprintf("no algorithm describes both %.0f and %.0f %s: "+
			"measure more numbers of them", first.nodes, last.nodes, unit)
	}
	return down, up, why
}
