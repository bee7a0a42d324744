package fleet

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// maxBlockP is the probability, at most, of such an excess by chance. It is lower than the usual
// one, since a link blames all nodes of two racks.
const maxBlockP = 1e-3

// blocks divide the nodes so that all pairs between two blocks may be slower by the same factor:
// then a link is slow, and not a node.
type blocks struct {
	of    []int // by node: its block, from 1; 0: none
	names []string
	cross map[[2]int]*crossing
}

// A crossing is the pairs between two blocks: y is their excess over pairs within
// blocks, over their excess over the usual pairs between blocks. Pairs between racks
// are slower than pairs within them in any fleet, so only over is a fault.
type crossing struct{ y, over, se, p float64 }

// between returns the blocks of a pair, the lower first; zeros for a pair of one block.
func (b *blocks) between(l link) [2]int {
	x, y := b.of[l.a], b.of[l.b]
	if x == 0 || y == 0 || x == y {
		return [2]int{}
	}
	return [2]int{min(x, y), max(x, y)}
}

// subtract returns the links, less the effects of their crossings, for fits of what
// remains.
func (b *blocks) subtract(links []link) []link {
	reduced := slices.Clone(links)
	for i, l := range links {
		if c := b.cross[b.between(l)]; c != nil {
			reduced[i].y -= c.y
		}
	}
	return reduced
}

// fit fits the effects of crossings and of nodes by turns. The excess of pairs between two blocks
// is relative to the pairs within blocks or, without such pairs, to all.
func (b *blocks) fit(n int, links []link) *twoWay {
	rest := list.Map(links, func(l link) float64 { return l.y })
	var fit *twoWay
	// By turns, since nodes with many partners across a crossing first take part of its
	// excess for their own.
	for range 4 {
		values := map[[2]int][]float64{}
		for i, l := range links {
			values[b.between(l)] = append(values[b.between(l)], rest[i])
		}
		near := values[[2]int{}]
		if near == nil {
			near = rest
		}
		base := stats.Median(near)
		for key, c := range b.cross {
			// The residuals are those beyond the previous estimate, so each turn adds what the
			// nodes' effects have released.
			c.y += stats.Median(values[key]) - base
			// The variance of a median of n normal values is π/2/n of theirs, and c.y is a
			// difference of two. The factor σ follows when the fit is known.
			c.se = math.Sqrt(math.Pi / 2 * (1/float64(len(values[key])) + 1/float64(len(near))))
		}
		fit = fitTwoWay(n, b.subtract(links))
		rest = fit.e
	}
	for _, c := range b.cross {
		c.se *= fit.scale
	}
	return fit
}

// fitBlocks fits the blocks of places, by the names of nodes. A crossing is slow if
// it is slower than the median crossing or, if there are fewer than three, than pairs
// within blocks: of two crossings the median lies between both, and cannot say which
// is the usual one. It returns nil for nodes of fewer than two blocks.
func fitBlocks(names []string, links []link, places map[string]string) (*blocks, *twoWay) {
	b := &blocks{of: make([]int, len(names)), cross: map[[2]int]*crossing{}}
	for _, name := range names {
		if place := places[name]; place != "" && !slices.Contains(b.names, place) {
			b.names = append(b.names, place)
		}
	}
	slices.Sort(b.names)
	for a, name := range names {
		b.of[a] = slices.Index(b.names, places[name]) + 1
	}
	for _, l := range links {
		if key := b.between(l); key != [2]int{} && b.cross[key] == nil {
			b.cross[key] = &crossing{}
		}
	}
	if len(b.cross) == 0 {
		return nil, nil
	}
	fit := b.fit(len(names), links)
	var all []float64
	for _, c := range b.cross {
		all = append(all, c.y)
	}
	base := 0.0
	if len(all) > 2 {
		base = stats.Median(all)
	}
	for _, c := range b.cross {
		c.over = c.y - base
		tail := stats.StudentTail(ratio(c.over, c.se), degreesOf(len(links)))
		c.p = min(1, float64(len(all))*tail) // Bonferroni: each crossing is a test
	}
	return b, fit
}
