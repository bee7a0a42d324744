package collective

import (
	"math"
	"slices"
)

// A table has the measured calls that a blend is made from.
type table struct {
	points    []Point   // by place and size
	places    []place   // ascending
	sizes     []float64 // ascending
	blockwise bool      // sizes are of a rank's block
}

// newTable returns the table of points that are sorted by place and size.
func newTable(points []Point, blockwise bool) table {
	t := table{points: points, blockwise: blockwise}
	for _, s := range points {
		t.places, t.sizes = append(t.places, s.place()), append(t.sizes, float64(s.Size))
	}
	t.places = slices.Compact(t.places)
	slices.Sort(t.sizes)
	t.sizes = slices.Compact(t.sizes)
	return t
}

// maxSpan is the largest factor between the ranks of the two places of a line that skips places.
const maxSpan = 2

// sizeEnds returns the smallest and the largest measured size.
func (t *table) sizeEnds() (least, most float64) { return t.sizes[0], t.sizes[len(t.sizes)-1] }

// totalLg returns lg of the bytes of the message, or of all ranks' blocks.
func (t *table) totalLg(p place, n float64) float64 {
	if t.blockwise {
		n *= p.ranks
	}
	return math.Log2(max(1, n))
}

// inside reports whether a place lies between measured places, or is one.
func (t *table) inside(p place) bool {
	return t.places[0].nodes <= p.nodes && p.nodes <= t.places[len(t.places)-1].nodes
}

// nearest returns the least distance to a measured place.
func (t *table) nearest(distance func(q place) float64) float64 {
	least := math.Inf(1)
	for _, q := range t.places {
		least = min(least, distance(q))
	}
	return least
}

// octaves returns the distance to the nearest measured place.
func (t *table) octaves(p place) float64 {
	return t.nearest(func(q place) float64 {
		return math.Abs(math.Log2(p.nodes/q.nodes)) + math.Abs(math.Log2(p.perNode()/q.perNode()))
	})
}

// octavesPerNode returns the distance to the nearest measured number of ranks on a node.
func (t *table) octavesPerNode(p place) float64 {
	return t.nearest(func(q place) float64 {
		return math.Abs(math.Log2(p.perNode() / q.perNode()))
	})
}

// spanned returns the octaves between the least and the largest measured number, at least 1.
func (t *table) spanned(of func(place) float64) float64 {
	least, most := math.Inf(1), 0.0
	for _, q := range t.places {
		least, most = min(least, of(q)), max(most, of(q))
	}
	return max(1, math.Log2(most/least))
}

// sizeOctaves returns how far a size is outside of those measured, counted as the size of the call
// or as the total of all ranks, whichever is nearer.
func (t *table) sizeOctaves(p place, n float64) float64 {
	least, most := t.sizeEnds()
	leastTotal, mostTotal := math.Inf(1), 0.0
	for _, s := range t.points {
		total := t.totalLg(s.place(), float64(s.Size))
		leastTotal, mostTotal = min(leastTotal, total), max(mostTotal, total)
	}
	lg, total := math.Log2(max(1, n)), t.totalLg(p, n)
	outside := func(v, least, most float64) float64 { return max(0, least-v, v-most) }
	bySize := outside(lg, math.Log2(max(1, least)), math.Log2(max(1, most)))
	return min(bySize, outside(total, leastTotal, mostTotal))
}

// gap returns the octaves from a size to the nearest size that was measured at a place, or if it
// was not measured, at any.
func (t *table) gap(p place, n float64) float64 {
	here, anywhere := math.Inf(1), math.Inf(1)
	for _, s := range t.points {
		d := math.Abs(math.Log2(max(1, n) / max(1, float64(s.Size))))
		if anywhere = min(anywhere, d); s.place() == p {
			here = min(here, d)
		}
	}
	if math.IsInf(here, 1) {
		return anywhere
	}
	return here
}

// interpolate returns a value of the points on the line through the nearest places on both sides,
// over the logs of ranks and sizes. Places with as many ranks on each node count or, if there are
// none, places of as many nodes.
//
// Beyond the last place the line continues over the octave before it if that rises, as more ranks
// do not take less; otherwise the value is that of the last place. Below the first place there is
// no line, and the value is NaN.
//
// If skip is above 0, that many places on each side are left out. The remaining places must lie on
// both sides of p and within maxSpan of each other, or the value is NaN.
func (t *table) interpolate(p place, n float64, skip int, value func(i int) float64) float64 {
	var along, sameNodes []place
	for _, q := range t.places {
		if q.perNode() == p.perNode() {
			along = append(along, q)
		} else if q.nodes == p.nodes {
			sameNodes = append(sameNodes, q)
		}
	}
	if len(along) == 0 {
		along = sameNodes
	}
	high, exact := slices.BinarySearchFunc(along, p, comparePlaces)
	if exact && skip == 0 {
		return t.overSizes(p, n, value)
	}
	low := high - 1 - skip
	if skip > 0 {
		high += skip
		if exact || low < 0 || high >= len(along) {
			return math.NaN()
		}
		if along[high].ranks > maxSpan*along[low].ranks {
			return math.NaN()
		}
	}
	if high == len(along) { // beyond the last place: down to one of at most half its ranks
		high--
		for low == high || low > 0 && along[low].ranks > along[high].ranks/2 {
			low--
		}
	}
	if low < 0 {
		return math.NaN()
	}
	first, last := t.overSizes(along[low], n, value), t.overSizes(along[high], n, value)
	slope := (last - first) / math.Log(along[high].ranks/along[low].ranks)
	if p.ranks > along[high].ranks {
		return last + max(0, slope)*math.Log(p.ranks/along[high].ranks)
	}
	return first + slope*math.Log(p.ranks/along[low].ranks)
}

// overSizes interpolates a value of the points at a measured place, over the log of the size. It is
// NaN outside of the sizes that were measured there.
func (t *table) overSizes(p place, n float64, value func(i int) float64) float64 {
	byPlace := func(o Point, p place) int { return comparePlaces(o.place(), p) }
	from, _ := slices.BinarySearchFunc(t.points, p, byPlace)
	low, high := -1, -1
	for i := from; i < len(t.points) && t.points[i].place() == p; i++ { // by size
		if float64(t.points[i].Size) <= n {
			low = i
		}
		if float64(t.points[i].Size) >= n && high < 0 {
			high = i
		}
	}
	if low < 0 || high < 0 {
		return math.NaN()
	}
	first, last := float64(t.points[low].Size), float64(t.points[high].Size)
	if first == last {
		return value(low)
	}
	part := math.Log(max(1, n)/max(1, first)) / math.Log(max(1, last)/max(1, first))
	if math.IsNaN(part) || math.IsInf(part, 0) { // 0 and 1 bytes, whose logs are taken as equal
		part = 0
	}
	return value(low) + part*(value(high)-value(low))
}

// A libraryChange is a size from which calls take longer than in proportion to it at one place, and
// not at the place before: the library takes another algorithm there, by ranks and size.
type libraryChange struct {
	size          float64 // 0 if there is none
	before, after place
	// perOctave is the growth of the jump in the time, as a log, for each octave of nodes.
	perOctave float64
}

// A jump in the time is a change from minJump beyond the ratio of the sizes, as a log, where the
// place before has at least minJumpGrowth less. A disturbed call is no change: after a change,
// times stay higher by minJump than at the place before, and before it they did not fall below
// staysHigh. Protocols change at the same size on all nodes, and by less.
const (
	minJump       = 0.1
	minJumpGrowth = 0.2
	staysHigh     = 0.95
)

// change returns the change at the largest places that have one, with its least size.
func (t *table) change() (c libraryChange) {
	logs := map[place]map[float64]float64{}
	for _, s := range t.points {
		p := s.place()
		if logs[p] == nil {
			logs[p] = map[float64]float64{}
		}
		logs[p][float64(s.Size)] = math.Log(float64(s.Time))
	}
	for i := len(t.places) - 1; i > 0 && c.size == 0; i-- {
		before, after := t.places[i-1], t.places[i]
		if before.perNode() != after.perNode() {
			continue
		}
		var sizes []float64
		for _, n := range t.sizes {
			_, in := logs[before][n]
			if _, has := logs[after][n]; in && has && n > 0 {
				sizes = append(sizes, n)
			}
		}
		octaves := math.Log2(after.nodes / before.nodes)
		for k := 1; k+2 < len(sizes); k++ {
			growth := func(p place, from int) float64 {
				return logs[p][sizes[from+1]] - logs[p][sizes[from]]
			}
			proportion := math.Log(sizes[k+1] / sizes[k])
			jump, more := growth(after, k)-proportion, growth(after, k)-growth(before, k)
			stays := more + growth(after, k+1) - growth(before, k+1)
			rises := growth(after, k-1) > math.Log(staysHigh)
			if jump < minJump || more < minJumpGrowth || stays < minJump || !rises {
				continue
			}
			if c.size == 0 {
				c = libraryChange{size: sizes[k+1], before: before, after: after}
			}
			c.perOctave = max(c.perOctave, more/octaves)
		}
	}
	return c
}
