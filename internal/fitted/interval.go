package fitted

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The variance of the log of a time around its prediction is the sum of the squares of
//
//	the deviation between repeats,
//	the error of an octave of nodes or of ranks on a node, times √octaves, since octaves are taken
//	as independent,
//	partSpread · the spread of the candidates,
//	sizeOctave · √(octaves beyond the sizes),
//	and partApart · the deviation of the continuations beyond the sizes, see [blend.predict].
//
// The error of an octave is that of the held-out calls, by Student's distribution, where the usual
// error of known machines counts as testPrior held-out places (a scaled inverse χ² prior; Gelman et
// al., Bayesian Data Analysis, 2013, §3.2). Calls count less by exp(-1) for each evidenceRange
// octaves of their total bytes. The least distance is minOctaves: a call at a measured place has
// the error of the sizes that were held out. Beyond the measured nodes, networks become slower and
// libraries change their algorithms, and times are seldom below what the steps foresee: lean moves
// that part of the deviation from below to above.
//
// internal/evidence/ablate.sh prints what each number and term is worth; docs/tables/removals.csv
// has that of terms that were taken out.
const (
	testPrior  = 4
	minOctaves = 0.3
	partSpread = 0.6
	lean       = 0.2
	sizeOctave = 0.23
	partApart  = 0.66

	// maxBeyond is the largest factor beyond the measured nodes and ranks on a node at which a call
	// has an interval; useful is the largest high end over the low end.
	maxBeyond = 16
	useful    = 16
	// plateau is the growth in an octave, as a log, below which times on two numbers of nodes are
	// equal: repeats differ by as much.
	plateau = 0.05
	// surprise is the factor by which the second place may differ from what the first foresees, in
	// the root mean square: beyond it, no steps describe both.
	surprise = 2
)

// Planable is the upper over the lower end of an interval above which nobody can plan with it.
const Planable = 4

// nearer returns the one measurement that narrows the interval of a call the most: the half of the
// way to a size, one node, or the half of the way to a number of nodes or ranks.
func (b *blend) nearer(p place, n float64) string {
	_, last := b.ends(p)
	halfway := func(far float64) float64 { return math.Exp2(math.Round(far / 2)) }
	switch octaves := b.sizeOctaves(n); {
	case octaves > b.octaves(p):
		edge := min(max(n, b.sizes[0]), b.sizes[len(b.sizes)-1])
		if n < edge {
			return fmt.Sprintf("%v", quantity.Bytes(edge/halfway(octaves)))
		}
		return fmt.Sprintf("%v", quantity.Bytes(max(1, edge)*halfway(octaves)))
	case b.mixed(p):
		return fmt.Sprintf("one node of %.0f ranks", p.perNode())
	case p.count() > last.count() && last.count() > 0:
		unit := "nodes"
		if p.nodes == 1 {
			unit = "ranks"
		}
		far := math.Log2(p.count() / last.count())
		return fmt.Sprintf("%.0f %s", last.count()*math.Exp2(far/2), unit)
	}
	return "this call"
}

// squares returns the sum over held-out places of the mean square error of an octave, and their
// number. All calls of a place have the same jobs and the same growth, so that more of them tell no
// more.
func (h *backTest) squares(total float64) (sum, places float64) {
	squares, weights := 0.0, 0.0
	for i := range h.calls {
		c := &h.calls[i]
		w := c.near(total)
		squares, weights = squares+w*c.own*c.own/max(c.octaves, minOctaves), weights+w
		if next := i + 1; next == len(h.calls) || h.calls[next].place != c.place ||
			h.calls[next].fit != c.fit {
			sum, places = sum+squares/max(weights, math.SmallestNonzeroFloat64), places+1
			squares, weights = 0, 0
		}
	}
	return sum, places
}

// deviations returns the standard deviation of the log of a time below and above its prediction.
func (b *blend) deviations(p place, n, spread, apart, noise float64) (down, up float64) {
	squares, places := b.evidence(p).squares(b.totalLg(p, n))
	free := testPrior + places
	student, usual := stats.T95(free)/quantile95, known.Machines().Collectives.UsualError
	ofOctave := student * student * (testPrior*usual*usual + squares) / free
	far := max(b.octaves(p), minOctaves)
	variance := noise*noise + ofOctave*far + sizeOctave*sizeOctave*b.sizeOctaves(n)
	jump, leaning := 0.0, 0.0
	_, last := b.ends(p)
	if p.count() > last.count() {
		leaning = lean
	}
	if p.count() > last.count() && (b.flat(p, n) || b.mixed(p)) {
		jump = known.Machines().Collectives.Growth(b.blockwise) * min(far, 1)
	}
	variance += partSpread*partSpread*spread*spread + partApart*partApart*apart*apart
	return (1 - leaning) * math.Sqrt(variance), (1 + leaning) * math.Sqrt(variance+jump*jump)
}

// surprised reports whether the second place differs from what the first one foresees by more than
// surprise. With more places the held-out ones show it. One node does not foresee the links between
// nodes.
func (b *blend) surprised() bool {
	if b.places[0].nodes == 1 && b.places[len(b.places)-1].nodes > 1 {
		return false
	}
	h, sum := b.beyond(), 0.0
	for _, c := range h.calls {
		sum += c.own * c.own / float64(len(h.calls))
	}
	return h.fromOne && math.Sqrt(sum) > math.Log(surprise)
}

// flat reports whether a small message takes the same time on the only two numbers of nodes, or any
// call took less on the last one than before. It may grow as usual from there on.
func (b *blend) flat(p place, n float64) bool {
	along := b.along(p)
	if p.nodes == 1 || len(along) < 2 {
		return false
	}
	growth := b.growth(along, n)
	return growth < -plateau || len(along) == 2 && n <= latencyBytes && growth < plateau
}

// mixed reports whether steps inside nodes are taken for steps between them: two numbers of nodes
// were measured, and no single one.
func (b *blend) mixed(p place) bool {
	return len(b.along(p)) == 2 && b.places[0].nodes > 1 && p.perNode() > 1
}

// noInterval returns why a call has no interval, and what to measure; else an empty string.
func (b *blend) noInterval(p place, n float64, unplaced bool) string {
	_, last := b.ends(p)
	unit, places := "nodes", len(b.places)
	if p.nodes == 1 {
		unit, places = "ranks", 0
		for _, q := range b.places {
			if q.nodes == 1 {
				places++
			}
		}
	}
	octaves, far := b.octaves(p), math.Log2(maxBeyond)
	placed := max(b.places[len(b.places)-1].ranks, maxRanksOfNode)
	switch {
	case last.ranks == 0 && p.nodes == 1:
		return "no single node was measured: measure one"
	case last.ranks == 0:
		return "only one node was measured: measure 2 and 4 nodes"
	case unplaced && p.ranks > placed:
		return fmt.Sprintf("more than %.0f ranks may take another node: "+
			"add the ranks on each node to the measurements", placed)
	case octaves > 0 && places == 1:
		return fmt.Sprintf("one number of %s was measured, %.0f: measure another, such as %.0f",
			unit, last.count(), 2*last.count())
	case octaves > 0 && b.surprised():
		return fmt.Sprintf("no algorithm describes both %.0f and %.0f ranks: measure more numbers "+
			"of %s", b.places[0].ranks, b.places[len(b.places)-1].ranks, unit)
	case octaves > 1 && b.flat(p, n) && len(b.along(p)) == 2 && n <= latencyBytes:
		return fmt.Sprintf("the time does not grow up to %.0f nodes: measure %.0f", last.nodes,
			2*last.nodes)
	case octaves > 1 && b.mixed(p) && p.perNode() > maxRanksOfNode:
		return fmt.Sprintf("what %.0f ranks on a node add is not known: measure one node",
			p.perNode())
	case b.fill(p) > far:
		return fmt.Sprintf("%.0f ranks on a node are more than %d times from those measured: "+
			"measure some between", p.perNode(), maxBeyond)
	case octaves > far:
		quarter := math.Exp2(math.Round(math.Log2(p.count()) - 2)) // as a power of two
		return fmt.Sprintf("%.0f %s are more than %d times from those measured: measure %.0f",
			p.count(), unit, maxBeyond, quarter)
	}
	return ""
}
