package collective

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// The half width of a 95 % interval beyond the measured places, as a log, is the root of the sum of
// the squares of
//
//	the 95 % point of Student's t times the scale times the expected deviation of one time,
//	unseenFewer · √(octaves below the places),
//	perFillOctave · octaves from the measured ranks on a node / √(octaves between these),
//	perSizeOctave · √(octaves beyond the sizes),
//	and partApart · the deviation of the continuations beyond the sizes, see [blend.predict].
//
// The expected deviation is that of a machine among other machines, see [blend.variance]. The scale
// is the machine's own: the mean square of errors at places that were held out, each over its
// expected deviation, where the other machines count as priorPlaces such places. Few places show
// little, so the degrees of freedom are the number of both (a scaled inverse χ² prior; Gelman et
// al., Bayesian Data Analysis, 2013, §3.2). Of two places, the second is predicted from the first,
// and counts as onePlace places; partSizes times the error of held-out sizes adds to the expected
// deviation. Steps may take no longer on more nodes, which the lower end takes in with partGrowth.
// Where the library changes its algorithm with the nodes, the jump in the time may grow on, and
// adds to the deviation of the upper end.
//
// The constants are frozen. A search among 2,400 random settings gave them, by the coverage, the
// width and the interval score (Gneiting and Raftery 2007, §6.2) on published machines and on
// simulated clusters of another seed than those of docs/validation/fits.md. That page has the
// coverage by machine and distance, and what the search gives without a machine
// (internal/evidence/collectives).
const (
	partSizes   = 0.35
	priorPlaces = 6
	onePlace    = 2
	partGrowth  = 0.3

	unseenFewer   = 0.42
	perFillOctave = 1.2 // of one machine: no other was measured with nodes that are filled in part
	perSizeOctave = 0.45
	partApart     = 1.3

	// maxBeyond is the largest factor beyond the measured nodes and ranks on a node at which a call
	// has an interval; maxWidth is the largest high end over the low end.
	maxBeyond = 8
	maxWidth  = 100
)

// beyondWidth returns the lower and upper half width of the interval of a call, by the frozen
// calibration.
func (b *blend) beyondWidth(p place, n, spread, apart float64) (down, up float64) {
	total, octaves := b.totalLg(p, n), b.octaves(p)
	similar := func(h *heldOut) func(i int) float64 {
		return func(i int) float64 { return math.Exp(-math.Abs(total-h.total[i]) / 2) }
	}
	sizes, held, weight := 0.0, &b.beyond, 1.0
	if b.sizesOnly {
		sizes = partSizes * held.rootMeanSquare(similar(held))
		held, weight = &b.fromOne, onePlace
	}
	squares, places := held.scores(similar(held))
	free := priorPlaces + weight*places
	scale := stats.T95(free) * stats.T95(free) * (priorPlaces + weight*squares) / free
	fewer := p.nodes < b.places[0].nodes
	grown := partGrowth * b.growth(p)
	down = scale * (b.variance(p, spread, b.oneNode) + sizes*sizes + grown*grown)
	jump := 0.0
	if c := b.changed; c.size > 0 && n >= c.size && p.nodes > b.places[len(b.places)-1].nodes {
		jump = c.perOctave * octaves
	}
	up = scale * (b.variance(p, spread, true) + sizes*sizes + jump*jump)
	fill := perFillOctave * b.octavesPerNode(p) / math.Sqrt(b.spanned(place.perNode))
	rest := fill*fill + perSizeOctave*perSizeOctave*b.sizeOctaves(p, n) +
		partApart*partApart*apart*apart
	if fewer {
		rest += unseenFewer * unseenFewer * octaves
	}
	return math.Sqrt(down + rest), math.Sqrt(up + rest)
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
func (b *blend) betweenWidth(p place, n, spread, apart float64) float64 {
	frozen, _ := b.beyondWidth(p, n, spread, apart)
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
func (b *blend) width(p place, n, spread, apart float64) (down, up float64, why string) {
	measured := b.inside(p) && b.sizeOctaves(p, n) == 0 && b.octavesPerNode(p) == 0
	if measured && len(b.nearEvidence(p).calls) > 0 {
		half := b.betweenWidth(p, n, spread, apart)
		return half, half, ""
	}
	unit := "nodes"
	if b.oneNode {
		unit = "ranks"
	}
	far := math.Log2(maxBeyond) + 1e-9
	down, up = b.beyondWidth(p, n, spread, apart)
	first, last := b.places[0], b.places[len(b.places)-1]
	most := last.ranks // that are on one node, if the measured ones are
	if b.oneNode {
		most = max(most, maxRanksOfNode)
	}
	switch {
	case len(b.places) == 1 && b.octaves(p) > 0:
		why = fmt.Sprintf("one number of %s was measured, %.0f: measure another, such as %.0f",
			unit, last.nodes, 2*last.nodes)
	case b.unplaced && p.ranks > most:
		why = fmt.Sprintf("more than %.0f ranks may take another node: "+
			"add the ranks on each node to the measurements", most)
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
