package calibrate

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Machine estimates the machine from messages between two ranks and from pairs at once. Fans and
// collectives are not used: see [Calibration.Check].
//
// At each level the one-way time is half of the round trip, the gap is that of a burst of one pair,
// and up to the eager threshold the overheads are the times in the calls, of a receive that was
// posted before, and at most the gap. If they add up to more than the one-way time, as calls that
// are timed alone do, both are scaled to fit into it. Above the threshold the overheads are those
// of one byte.
//
// What k pairs share follows from their gap g_k per message of n bytes, where it exceeds the gap of
// one pair, and that which the inner units' ports allow, by a fifth at some size: each message
// occupies it for g_k/k, from the largest such k. Between the sizes it is the line through the
// least and the largest or, if that misses one of them by a tenth, follows the gap of one pair.
// Pairs that meet at a level share the inside of its unit; pairs that leave a unit of the level
// share its port.
//
// A level without round trips is like the nearest one that has them; unmeasured names it.
func (c *Calibration) Machine() (m machine.Machine, unmeasured []string, err error) {
	hasRoundTrips := func(level int) bool { return len(c.curve(PingPong, level).Sizes) > 1 }
	for i := range c.Levels {
		near := nearestMeasured(len(c.Levels), i, hasRoundTrips)
		if near < 0 {
			return m, nil, fmt.Errorf("round trips of at least two sizes were measured at no level")
		}
		if near != i {
			unmeasured = append(unmeasured, c.Levels[i].Name)
		}
		l := c.messages(near)
		l.Name, l.Arity = c.Levels[i].Name, c.Levels[i].Arity
		m.Levels = append(m.Levels, l)
	}
	var all []machine.Level
	for i := range m.Levels {
		switch outermost := i == len(m.Levels)-1; {
		case c.networked() && outermost:
			outer, network := m.Levels[i], c.network
			outer.Topology, outer.Hop, outer.Hops = network.Topology, network.Hop, network.Hops
			outer.Link, outer.Local, outer.Global = network.Link, network.Local, network.Global
			all = append(all, outer)
			continue
		case !outermost && !(c.networked() && i == len(m.Levels)-2): // links are a network's ports
			m.Levels[i].Port = onePort(c.occupancy(m, i, true))
			m.Levels[i].Routes = c.routes(m.Levels[i].Port, i, i+1)
			if c.direct(m.Levels[i].Port, i) {
				m.Levels[i].Routes, m.Levels[i].Direct = 0, m.Levels[i+1].Arity
			}
		}
		if blocks, shared, ok := c.blocks(m, i); ok {
			all = append(all, blocks...)
			m.Levels[i].Shared = shared
			m.Levels[i].Reverse = c.reverse(i, shared)
			outer := m.Levels[i]
			for _, b := range blocks {
				outer.Arity /= b.Arity
			}
			all = append(all, outer)
			continue
		}
		m.Levels[i].Shared = c.occupancy(m, i, false)
		m.Levels[i].Reverse = c.reverse(i, m.Levels[i].Shared)
		all = append(all, m.Levels[i])
	}
	m.Levels = all
	for i := range len(all) - 1 { // blocks of units have no links to each other
		if all[i].Direct > 1 && all[i].Direct != all[i+1].Arity {
			all[i].Direct = 0
		}
	}
	return m, unmeasured, nil
}

// nearestMeasured returns the index of level i of n if it was measured, otherwise of
// the next outer or else inner level that was; −1 if none was. Outer first: ranks
// farther apart are slower, so the machine errs on the side of long times.
func nearestMeasured(n, i int, measured func(level int) bool) int {
	for k := i; k < n; k++ {
		if measured(k) {
			return k
		}
	}
	for k := i - 1; k >= 0; k-- {
		if measured(k) {
			return k
		}
	}
	return -1
}

// messages returns the costs of messages at a level that has round trips.
func (c *Calibration) messages(level int) machine.Level {
	way, gap := c.curve(PingPong, level), c.curve(Stream, level)
	relay, fresh := c.inMemory(Relay, level), c.inMemory(Fresh, level)
	for i := range way.Costs {
		// The topology adds the hops of each pair, so those of the measured
		// neighbours come off.
		if c.networked() && level == len(c.Levels)-1 {
			way.Costs[i] = max(way.Costs[i]-c.near, minTime)
		}
	}
	send, receive := c.curve(Send, level), c.curve(Receive, level)
	eager := c.Levels[level].Eager
	var sends, receives []quantity.Micros
	gaps := atSizesOf(way, gap)
	for i, n := range way.Sizes {
		t, k := way.Costs[i], n
		if eager >= 0 && n > eager {
			// Above the threshold a call waits for its peer; only its fixed part is an overhead.
			k = 1
		}
		// A call that was not measured is taken to cost half of the shortest message.
		half := way.Costs[0] / 2
		g := gaps[i]
		s, r := min(timeAt(send, k, half), g), min(timeAt(receive, k, half), g)
		if sum := s + r; sum > t {
			s, r = s*t/sum, r*t/sum
		}
		sends, receives = append(sends, max(s, minTime)), append(receives, max(r, minTime))
	}
	l := machine.Level{
		Reverse: c.reverse(level, nil),
		Layer:   &model.Table{Sizes: way.Sizes, Times: way.Costs, Gaps: gaps},
		Send:    &model.Table{Sizes: way.Sizes, Times: sends},
		Receive: &model.Table{Sizes: way.Sizes, Times: receives},
	}
	if relay != nil {
		l.Relay = &model.Table{Sizes: way.Sizes, Times: sums(way.Costs, relay),
			GapUnknown: true}
	}
	if fresh != nil {
		l.Fresh = &model.Table{Sizes: way.Sizes, Times: sums(way.Costs, fresh),
			GapUnknown: true}
	}
	l.Packet, l.Deferred, l.Overlap = c.packet(level), c.deferred(level), c.overlap(level)
	if last := way.Sizes[len(way.Sizes)-1]; eager > 0 && eager < last {
		l.Eager = eager
	}
	if c.pair(level) { // no receivers compete
		l.Packet = l.Eager
	}
	if outside := c.outside(); outside >= 0 && level >= outside {
		l.ByLatency = c.byLatency
	}
	l.Handshake, l.Data = c.presence(level, l)
	return l
}

// sameMemory is the maximum relative difference at which the state of memory is taken to make none,
// as between hosts.
const sameMemory = 0.05

// inMemory returns for each size of the round trips how much longer a message takes whose memory is
// in a state: Relay or Fresh. It returns nil if that was not measured, or makes no difference. The
// ratio to the round trips rises and falls with the size, so it is interpolated and not fitted.
func (c *Calibration) inMemory(state string, level int) (more []quantity.Micros) {
	way, in := c.curve(PingPong, level), c.curve(state, level)
	differs := false
	for i, n := range in.Sizes {
		if state == Fresh { // the time has an answer of 0 bytes
			in.Costs[i] = max(in.Costs[i]-way.Costs[0], minTime)
		}
		ratio := float64(in.Costs[i]/way.At(n)) - 1
		differs = differs || math.Abs(ratio) > sameMemory
	}
	if len(in.Sizes) < 2 || !differs {
		return nil
	}
	for i, t := range atSizesOf(way, in) {
		more = append(more, t-way.Costs[i])
	}
	return more
}

// sums returns the sum of each time and the addition to it.
func sums(times, more []quantity.Micros) (all []quantity.Micros) {
	for i, t := range times {
		all = append(all, max(t+more[i], minTime))
	}
	return all
}

// inReceive is the minimum ratio of the time of a receive whose message was sent long before to the
// one-way time at which the message is taken to travel within the receive. A message that has come
// is only copied, which takes half of the way through shared memory, and less of any other.
const inReceive = 0.8

// deferred returns the smallest size from which all messages travel within their receives: the
// library makes no progress while its ranks compute. It is 0 if messages travel before.
func (c *Calibration) deferred(level int) (size quantity.Bytes) {
	late, way := c.curve(LateReceive, level), c.curve(PingPong, level)
	for i := len(late.Sizes) - 1; i >= 0; i-- {
		if late.Costs[i] < inReceive*way.At(late.Sizes[i]) {
			break
		}
		size = late.Sizes[i]
	}
	return size
}

// reverse returns the fraction by which the bytes of the largest exchange take longer
// than one way and than what both directions share; 0 if it was not measured or the level holds two
// ranks: see bothWays. From 64 KiB on, bytes and not fixed costs make up the difference.
func (c *Calibration) reverse(level int, shared model.Layer) float64 {
	exchange, way := c.exchanges(level), c.curve(PingPong, level)
	last := len(exchange.Sizes) - 1
	if last < 0 || exchange.Sizes[last] < 64<<10 || c.pair(level) {
		return 0
	}
	// Bytes occupy the way for a gap; what they take beyond it is latency.
	n := exchange.Sizes[last]
	bytes := way.At(n) - way.Costs[0]
	if gap := c.curve(Stream, level); len(gap.Sizes) > 1 {
		bytes = min(bytes, gap.At(n))
	}
	longer := exchange.Costs[last] - way.At(n)
	if shared != nil {
		longer -= max(2*shared.OneWay(n)-bytes, 0)
	}
	return min(max(float64(longer/bytes), 0), 1)
}

// defaultPacket is the largest size of messages that are carried first come, first served, if it
// was not measured: the MTU of most networks. Larger messages have fair shares.
const defaultPacket quantity.Bytes = 2048

// packet returns the largest size at which the second of two messages of a root delays the first by
// less than a quarter of the time in which both are under way, or a sixteenth of the smallest size.
// That is its gap, less the time by which the way to the second receiver is longer. A size counts
// if its gap is at least 3 % of the time of one message and at least the time by which the way to
// the second receiver is longer, and if the second message is delayed by half of the gap: in a
// torus the two may leave by different links. Then no NIC carries one after the other, and all are
// interleaved. If no size counts otherwise, packet returns defaultPacket.
func (c *Calibration) packet(level int) quantity.Bytes {
	one, two := c.curve(FanOut, level), c.fanCurve(FanOut, level, 2)
	first, gap := c.fanCurve(fanFirst, level, 2), c.curve(Stream, level)
	if len(one.Sizes) < 2 || len(two.Sizes) < 2 || len(first.Sizes) == 0 || len(gap.Sizes) < 2 {
		return defaultPacket
	}
	least := first.Sizes[0]
	longer := two.At(least) - one.At(least) - gap.At(least)
	size, counted, apart := least/16, false, 0
	for _, n := range first.Sizes {
		g, second := gap.At(n), two.At(n)-one.At(n)-max(longer, 0)
		if g <= max(visible*one.At(n), longer) {
			continue
		}
		if second <= g/2 {
			apart++
			continue
		}
		counted = true
		if first.At(n)-one.At(n) < (g-max(longer, 0))/4 {
			size = n
		}
	}
	if !counted && (apart == 0 || !c.networked() || level < len(c.Levels)-1) {
		return defaultPacket
	}
	return size
}

// overlap returns the smallest size from which a second message to the same rank delays the first
// by at least half of its gap: messages between two ranks then share the NICs as messages between
// different ranks do. It is 0 if none does, or if that cannot be seen.
func (c *Calibration) overlap(level int) (size quantity.Bytes) {
	one, gap := c.curve(FanOut, level), c.curve(Stream, level)
	first := c.curve(twoFirst, level)
	if len(one.Sizes) < 2 || len(gap.Sizes) < 2 {
		return 0
	}
	for i := len(first.Sizes) - 1; i >= 0; i-- {
		n := first.Sizes[i]
		g := gap.At(n)
		if g <= visible*one.At(n) || first.Costs[i]-one.At(n) < g/2 {
			break
		}
		size = n
	}
	return size
}

// visible is the minimum ratio of a gap to the time of one message at which the order of two
// messages shows.
const visible = 0.03
