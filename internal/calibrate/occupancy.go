package calibrate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// saturated is the minimum ratio of the gap of several pairs to the gap of one pair at which a
// resource is taken to be shared.
const saturated = 1.2

// negligible is the ratio of the gap of several pairs to the time of a message below
// which they share nothing. Short messages have tiny gaps, whose ratios are noise.
const negligible = 0.01

// occupancy returns how long a message occupies the inside of a unit of the level or,
// if port is set, one of its ports; nil if no number of pairs saturated it. A
// resource that was not saturated may exist, but no measured number of pairs waits
// for it.
func (c *Calibration) occupancy(m machine.Machine, level int, port bool) model.Layer {
	meet := level
	if port {
		meet++
	}
	one, way := c.curve(Stream, meet), c.curve(PingPong, meet)
	comparable := len(one.Sizes) > 1 && len(way.Sizes) > 1
	var points []point
	waits := false
	for _, r := range c.Rows {
		several := r.Measure == Stream && r.Pairs > 1 && !r.distant() && !r.severalUnits()
		if !comparable || !several || r.Level != level || r.Out != port {
			continue
		}
		alone := float64(one.At(r.Size))
		if level > 0 && port {
			// Pairs spread over the inner units.
			if inner := m.Levels[level-1].Port; len(inner) > 0 {
				each := (r.Pairs + m.Levels[level].Arity - 1) / m.Levels[level].Arity
				alone = max(alone, float64(each)*float64(inner.OneWay(r.Size)))
			}
		}
		g := float64(r.Average)
		waits = waits || g > max(saturated*alone, negligible*float64(way.At(r.Size)))
		points = append(points, point{float64(r.Size), g / float64(r.Pairs), r.Pairs})
	}
	switch {
	// A size that does not saturate the resource occupies it for less than its gap over the number
	// of pairs: no pairs that were measured wait for it.
	case waits:
		return occupied(points, one)
	case c.pair(level) && !port:
		return c.bothWays(m.Levels[0])
	}
	return nil
}

// A point is how long one message of n bytes occupies a resource that pairs share.
type point struct {
	n, each float64 // bytes, µs
	pairs   int
}

// straight is the largest relative distance of a line from the times that it replaces.
const straight = 0.1

// occupied returns how long a message occupies a resource, which is known at some sizes. It is line
// if that is near these times. Otherwise it is the gap of one pair times the ratio that the known
// times have to it, since the steps of protocols in the gap are steps of what others wait for.
func occupied(points []point, one model.Curve) model.Layer {
	simple := line(points) // sorts the points
	var ratio model.Curve
	near := true
	for i, p := range points {
		if i+1 < len(points) && points[i+1].n == p.n {
			continue // fewer pairs
		}
		n, each := quantity.Bytes(p.n), max(quantity.Micros(p.each), minTime)
		ratio.Sizes = append(ratio.Sizes, n)
		ratio.Costs = append(ratio.Costs, each/one.At(n))
		near = near && math.Abs(float64(simple.OneWay(n)/each)-1) <= straight
	}
	if near {
		return simple
	}
	table := &model.Table{Sizes: slices.Concat(one.Sizes, ratio.Sizes)}
	slices.Sort(table.Sizes)
	table.Sizes = slices.Compact(table.Sizes)
	for _, n := range table.Sizes {
		at := min(max(n, ratio.Sizes[0]), ratio.Sizes[len(ratio.Sizes)-1])
		table.Times = append(table.Times, max(ratio.At(at)*one.At(n), minTime))
	}
	return table
}

// line returns the line through the least and the largest size of points, of each
// size with the largest number of pairs: that one surely saturates the resource. Two
// sizes give a time per message and one per byte; those between would let noise in
// the middle bend both.
func line(points []point) model.Layer {
	slices.SortFunc(points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.n, b.n), cmp.Compare(a.pairs, b.pairs))
	})
	first, last := points[0], points[len(points)-1]
	for _, p := range points { // of each size the largest number of pairs
		if p.n == first.n {
			first = p
		}
	}
	switch {
	// One size cannot separate fixed costs from costs per byte. Small messages are limited by their
	// number, large ones by their bytes.
	case first.n == last.n && last.n < 4096: // a rate of messages
		return &model.Linear{Beta: quantity.Micros(last.each)}
	case first.n == last.n: // a bandwidth
		return &model.Linear{Tau: quantity.MicrosPerByte(last.each / last.n)}
	}
	tau := max(last.each-first.each, 0) / (last.n - first.n)
	beta := max(first.each-tau*first.n, 0)
	return &model.Linear{Beta: quantity.Micros(beta), Tau: quantity.MicrosPerByte(tau)}
}

// blocks returns levels of blocks of d = 2, 4, … neighbouring units inside a unit of the level,
// which share a way out. Of the pairs at distance d, d leave each block. They share the way out if
// their gap exceeds the gap at all shorter distances by more than a fifth; each message occupies it
// for gap/d. If neighbours have a longer gap than one pair, shared is the inside of the unit or, if
// it has blocks, nil: then it is the inside of the smallest ones, which messages of neighbours do
// not leave. ok is false if distances were not measured.
func (c *Calibration) blocks(m machine.Machine, level int) (
	blocks []machine.Level, shared model.Layer, ok bool) {
	one, way := c.curve(Stream, level), c.curve(PingPong, level)
	if len(one.Sizes) < 2 || len(way.Sizes) < 2 {
		return nil, nil, false
	}
	base := map[quantity.Bytes]float64{}
	var neighbours []point
	inner := 1
	for d := 1; d < c.Levels[level].Arity; d *= 2 {
		var points []point
		for _, r := range c.Rows {
			if r.Level != level || r.Variant != d || !r.distant() {
				continue
			}
			ok = true
			g, sharers := float64(r.Average), d
			if d == 1 {
				sharers = r.Pairs
			}
			// Divided by saturated, because the comparison below multiplies by it.
			alone, unshared := float64(one.At(r.Size)), negligible/saturated*float64(way.At(r.Size))
			base[r.Size] = max(base[r.Size], alone, unshared)
			if g > saturated*base[r.Size] {
				points = append(points, point{float64(r.Size), g / float64(sharers), sharers})
			}
			base[r.Size] = max(base[r.Size], g)
		}
		switch {
		case len(points) == 0:
		case d == 1:
			shared, neighbours = occupied(points, one), points
		case c.Levels[level].Arity%d == 0:
			block := m.Levels[level]
			block.Name, block.Arity = fmt.Sprintf("%s-%d", block.Name, d), d/inner
			block.Port, block.Shared = onePort(occupied(points, one)), nil
			block.Routes = c.routes(block.Port, level, level)
			inner = d
			blocks = append(blocks, block)
		}
	}
	if len(blocks) > 0 && shared != nil {
		for i, p := range neighbours {
			neighbours[i].each *= float64(p.pairs) / float64(blocks[0].Arity/2)
		}
		blocks[0].Shared, shared = occupied(neighbours, one), nil
	}
	return blocks, shared, ok
}

// routes returns the number of links of a port of hosts at a level that carries a whole number of
// streams of one pair: cables of a switch are as fast as those of hosts, and each receiver is
// reached by one of them. It is 0 if the ratio of the port's speed to a stream's is not a whole
// number of at least 2, or if the port is a host's.
func (c *Calibration) routes(port machine.Port, level, meet int) int {
	// At 1 MiB fixed costs hardly count, so the ratio is that of the bandwidths.
	const n = 1 << 20
	one := c.curve(Stream, meet)
	if len(port) == 0 || len(one.Sizes) < 2 || !slices.Contains(hostLevels, c.Levels[level].Name) {
		return 0
	}
	ratio := float64(one.At(n) / port.OneWay(n))
	if whole := math.Round(ratio); whole > 1 && math.Abs(ratio/whole-1) < 0.05 {
		return int(whole)
	}
	return 0
}

// direct reports whether a unit of the level has a link to each other one: pairs that leave a unit
// for several ones in turn, and pairs from these into it, do not wait for each other as those to a
// single unit do. The links are then as many as these units, and a stream is as fast as one pair's
// at most. If only the pairs that leave do not wait, the ports into units are the limit.
func (c *Calibration) direct(port machine.Port, level int) bool {
	one := c.curve(Stream, level+1)
	if len(port) == 0 || len(one.Sizes) < 2 {
		return false
	}
	type direction struct { // of the largest number of pairs
		size  quantity.Bytes
		pairs int
	}
	var largest direction
	average := map[int]map[direction]quantity.Micros{} // by variant
	for _, r := range c.Rows {
		if r.Measure != Stream || r.Level != level || !r.Out {
			continue
		}
		if average[r.Variant] == nil {
			average[r.Variant] = map[direction]quantity.Micros{}
		}
		d := direction{r.Size, r.Pairs}
		average[r.Variant][d] = r.Average
		if r.Variant == scattered && (d.size > largest.size ||
			d.size == largest.size && d.pairs > largest.pairs) {
			largest = d
		}
	}
	single := average[0][largest]
	links := quantity.Micros(min(c.Levels[level+1].Arity-1, maxPeers, largest.pairs))
	if single == 0 || links == 0 {
		return false
	}
	apart := saturated * max(single/links, one.At(largest.size))
	waits := func(variant int) bool {
		several, measured := average[variant][largest]
		return measured && (several >= apart || single <= saturated*several)
	}
	return !waits(scattered) && !waits(gathered)
}

// bothWays returns the occupancy of a unit of two ranks. If two messages in opposite directions
// take longer than one message, whose serialization is s, by d, it is (s + d)/2 or, if that is less
// than d, d up to the gap of a burst. Where messages have fair shares it is at most s, so that one
// alone is not delayed.
func (c *Calibration) bothWays(l machine.Level) model.Layer {
	exchange, way := c.exchanges(0), c.curve(PingPong, 0)
	if len(exchange.Sizes) < 2 {
		return nil
	}
	t := &model.Table{Sizes: way.Sizes}
	for i, both := range atSizesOf(way, exchange) {
		cost := l.Cost(way.Sizes[i])
		d, s := max(both-way.Costs[i], 0), cost.Serialization
		most := cost.Gap
		if l.Packet > 0 && way.Sizes[i] > l.Packet {
			most = s
		}
		t.Times = append(t.Times, max(min(d, most), (s+min(d, s))/2, minTime))
	}
	return t
}

// onePort returns a port of one rail; none if the layer is nil.
func onePort(l model.Layer) machine.Port {
	if l == nil {
		return nil
	}
	return machine.Port{l}
}
