package benchfile

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/lex"
)

// operationOf returns the collective that a column of words or the lines above name.
func operationOf(all []*column, near []string) (op CollectiveOp, ok bool) {
	for _, c := range all {
		if !c.number && c.fixed {
			if op, ok = collectiveNamed(c.texts[0]); ok {
				return op, true
			}
		}
	}
	return collectiveIn(near)
}

// placeBy sets the ranks and nodes that a column gives for all rows.
func (op *CollectiveOp) placeBy(c *column) {
	if !c.number || !c.fixed {
		return
	}
	n := lex.Count(c.texts[0])
	switch parseColumn([]byte(c.name)).meaning() {
	case meansRanks:
		op.Ranks, op.PerNode, op.Nodes = n, 0, 0
	case meansNodes:
		op.Nodes = n
	case meansPerNode:
		op.PerNode = n
	}
}

// fromBus sets how a bus bandwidth becomes size over time: it is multiplied by 2(p−1)/p for an
// allreduce of p ranks, (p−1)/p for allgather, reduce_scatter and alltoall (nccl-tests,
// doc/PERFORMANCE.md).
func (s *series) fromBus(all []*column, op CollectiveOp) (why string) {
	for _, c := range all {
		if c.number && parseColumn([]byte(c.name)).meaning() == meansRanks {
			s.ranks = c
		}
	}
	whole, ok := busFactor(op.Name)
	if !ok || s.ranks == nil && op.Ranks == 0 {
		return "a bus bandwidth is no size over time until the collective and its ranks are " +
			"known (columns collective and ranks)"
	}
	s.perRank = func(ranks float64) float64 {
		if ranks = cmp.Or(ranks, float64(op.Ranks)); whole == 0 {
			return 1
		}
		return whole * (ranks - 1) / ranks
	}
	return ""
}

// busFactor returns w of busbw = w(p−1)/p × algbw; 0 for collectives whose two bandwidths are
// equal.
func busFactor(collective string) (whole float64, ok bool) {
	switch collective {
	case "allreduce":
		return 2, true
	case "allgather", "reduce_scatter", "alltoall":
		return 1, true
	case "bcast", "reduce":
		return 0, true
	}
	return 0, false
}

// A busRatio bounds busbw/algbw over the rows of a table.
type busRatio struct{ least, most float64 }

// busOf returns the bounds of busbw/algbw of one place.
func busOf(all []*column, place string) busRatio {
	find := func(word string) *column {
		i := slices.IndexFunc(all, func(c *column) bool {
			return strings.Contains(strings.ToLower(c.name), word) &&
				strings.ToLower(placeWord().FindString(c.name)) == place
		})
		if i < 0 {
			return nil
		}
		return all[i]
	}
	r := busRatio{0, math.Inf(1)}
	alg, bus := find("algbw"), find("busbw")
	if alg == nil || bus == nil {
		return r
	}
	for i := range alg.values {
		r.narrow(alg.values[i], bus.values[i], max(alg.halves[i], bus.halves[i]))
	}
	return r
}

// narrow takes a row: each bandwidth is uncertain by half of its last digit.
func (r *busRatio) narrow(alg, bus, half float64) {
	if alg > half {
		r.least = max(r.least, (bus-half)/(alg+half))
		r.most = min(r.most, (bus+half)/(alg-half))
	}
}

// contradicts reports whether the ratio is not that of a collective: of an allreduce alone, it is
// above 1.
func (r busRatio) contradicts(collective string) bool {
	whole, ok := busFactor(collective)
	return ok && whole == 1 && r.least > 1 && r.least <= r.most
}

// ranks sets the collective and the number of ranks, as far as the ratio gives them: it is 2(p−1)/p
// for allreduce alone, (p−1)/p for allgather, reduce_scatter and alltoall.
func (r busRatio) ranks(op *CollectiveOp) {
	// Rows contradict each other: they are of several collectives, or of another program.
	if r.least > r.most {
		return
	}
	// Only the ratio of allreduce exceeds 1, from 3 ranks on.
	if op.Name == "" && r.least > 1 && op.Ranks != 1 {
		op.Name = "allreduce"
	}
	whole, ok := busFactor(op.Name)
	if !ok || whole == 0 {
		return
	}
	// A ratio r = w(p−1)/p gives p = w/(w−r).
	ranks := math.Ceil(whole / (whole - r.least))
	// The bounds leave one whole number: the rounded bandwidths decide it.
	decided := r.most < whole && ranks == math.Floor(whole/(whole-r.most))
	if op.Ranks == 0 && ranks > 1 && decided {
		op.Ranks = int(min(ranks, 1<<24))
	}
}
