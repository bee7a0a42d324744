package fitted

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/known"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A measurement is the time in µs of a call of a size at a place.
type measurement struct {
	place
	size, time float64
}

// A table has the measurements that a blend is made from.
type table struct {
	points    []measurement // by place and size
	places    []place       // ascending
	sizes     []float64     // ascending
	blockwise bool          // sizes are of a rank's block
}

func newTable(points []measurement, blockwise bool) table {
	t := table{points: points, blockwise: blockwise}
	for _, s := range points {
		t.places, t.sizes = append(t.places, s.place), append(t.sizes, s.size)
	}
	t.places, t.sizes = slices.Compact(t.places), stats.Ascending(t.sizes)
	return t
}

// totalLg returns lg of the bytes of the message, or of all ranks' blocks.
func (t *table) totalLg(p place, n float64) float64 {
	if t.blockwise {
		n *= p.ranks
	}
	return math.Log2(max(1, n))
}

// octaves returns the distance from a place to the nearest measured one.
func (t *table) octaves(p place) float64 {
	least := math.Inf(1)
	for _, q := range t.places {
		least = min(least, math.Abs(math.Log2(p.nodes/q.nodes))+
			math.Abs(math.Log2(p.perNode()/q.perNode())))
	}
	return least
}

// ends returns the least and the largest measured place on one node, if p is on one, or on several;
// they are zero if there is none.
func (t *table) ends(p place) (first, last place) {
	for _, q := range t.places {
		if (q.nodes == 1) == (p.nodes == 1) {
			if last = q; first.ranks == 0 {
				first = q
			}
		}
	}
	return first, last
}

// inside reports whether a place lies between measured places, or is one.
func (t *table) inside(p place) bool {
	first, last := t.ends(p)
	return first.count() <= p.count() && p.count() <= last.count()
}

// fill returns the octaves from the ranks on a node to the nearest measured number.
func (t *table) fill(p place) float64 {
	if p.nodes == 1 {
		return 0
	}
	least := math.Inf(1)
	for _, q := range t.places {
		least = min(least, math.Abs(math.Log2(p.perNode()/q.perNode())))
	}
	return least
}

// sizeOctaves returns how far a size is outside of those measured.
func (t *table) sizeOctaves(n float64) float64 {
	least, most := math.Log2(max(1, t.sizes[0])), math.Log2(max(1, t.sizes[len(t.sizes)-1]))
	lg := math.Log2(max(1, n))
	return max(0, least-lg, lg-most)
}

// factorBeyond returns the factor by which a call is outside of those measured, see
// [Prediction.Beyond].
func (t *table) factorBeyond(p place, n float64) float64 {
	octaves := max(t.fill(p), t.sizeOctaves(n))
	if !t.inside(p) {
		octaves = max(octaves, t.octaves(p))
	}
	if octaves == 0 {
		return 0
	}
	return math.Exp2(octaves)
}

// along returns the measured places on the way to a place, ascending: on one node, or with as many
// ranks a node; if there are none, those on as many nodes.
func (t *table) along(p place) (along []place) {
	var sameNodes []place
	for _, q := range t.places {
		switch {
		case (q.nodes == 1) != (p.nodes == 1):
		case q.nodes == 1 || q.perNode() == p.perNode():
			along = append(along, q)
		case q.nodes == p.nodes:
			sameNodes = append(sameNodes, q)
		}
	}
	if len(along) == 0 {
		return sameNodes
	}
	return along
}

// A trend predicts without a form: by the line through the nearest places on both sides, over the
// logs of ranks and times. It is NaN outside of the places.
func (t *table) trend(p place, n float64) float64 {
	along := t.along(p)
	high, measured := slices.BinarySearchFunc(along, p, comparePlaces)
	switch {
	case measured:
		return t.overSizes(p, n)
	case high == 0 || high == len(along):
		return math.NaN()
	}
	low := along[high-1]
	first, last := t.overSizes(low, n), t.overSizes(along[high], n)
	slope := (last - first) / math.Log(along[high].ranks/low.ranks)
	return first + slope*math.Log(p.ranks/low.ranks)
}

// grown returns the log of the time at more ranks than were measured, if it grows with each octave
// of ranks by the mean of what it grew in the last one and of what it does on known machines. No
// call gets faster on more ranks, but by chance: one that did has not grown. It is NaN elsewhere.
func (t *table) grown(p place, n float64) float64 {
	along := t.along(p)
	high := len(along) - 1
	if high < 0 || comparePlaces(along[high], p) >= 0 {
		return math.NaN()
	}
	growth := known.Machines().Collectives.Growth(t.blockwise)
	if own := t.growth(along, n); !math.IsNaN(own) {
		growth = (growth + max(0, own)) / 2
	}
	return t.overSizes(along[high], n) + growth*math.Log2(p.ranks/along[high].ranks)
}

// growth returns how much the log of the time grows in an octave of ranks up to the last of places,
// from one of at most half its ranks; NaN without one.
func (t *table) growth(along []place, n float64) float64 {
	last := along[len(along)-1]
	for _, q := range slices.Backward(along) {
		if q.ranks <= last.ranks/2 {
			return (t.overSizes(last, n) - t.overSizes(q, n)) / math.Log2(last.ranks/q.ranks)
		}
	}
	return math.NaN()
}

// overSizes returns the log of the time at a measured place, on the line over the log of the size.
// It is NaN outside of the sizes that were measured there.
func (t *table) overSizes(p place, n float64) float64 {
	at := func(s measurement, p place) int { return comparePlaces(s.place, p) }
	from, _ := slices.BinarySearchFunc(t.points, p, at)
	low, high := -1, -1
	for i := from; i < len(t.points) && t.points[i].place == p; i++ { // by size
		if t.points[i].size <= n {
			low = i
		}
		if t.points[i].size >= n && high < 0 {
			high = i
		}
	}
	if low < 0 || high < 0 {
		return math.NaN()
	}
	first, last := t.points[low], t.points[high]
	octaves := math.Log2(max(1, last.size) / max(1, first.size))
	if octaves == 0 { // one size, or 0 and 1 bytes
		return math.Log(first.time)
	}
	return math.Log(first.time) +
		math.Log2(max(1, n)/max(1, first.size))/octaves*math.Log(last.time/first.time)
}
