package contention

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// defaultPacket is the size up to which messages are taken to be carried first come, first served
// if it was not measured: the MTU of most networks. Larger ones have fair shares.
const defaultPacket quantity.Bytes = 2048

// packet returns the largest size at which the second of two messages of a root delays the first by
// less than a quarter of its gap; a sixteenth of the smallest size if there is none. Sizes count
// whose gap is at least 3 % of the time of one message, and that by which the way to the second
// receiver is longer, and whose second message is delayed by half of it: in a torus the two may
// leave by different links. It returns defaultPacket if none counts.
func (c *Calibration) packet(level int) quantity.Bytes {
	one, two, first := c.curve(FanOut, level, false, 1), c.curve(FanOut, level, false, 2), c.curve(FanFirst, level, false, 2)
	gap := c.curve(Stream, level, false, 1)
	if len(one.Sizes) < 2 || len(two.Sizes) < 2 || len(first.Sizes) == 0 || len(gap.Sizes) < 2 {
		return defaultPacket
	}
	least := first.Sizes[0]
	longer := two.At(least) - one.At(least) - gap.At(least)
	size, counted := least/16, false
	for _, n := range first.Sizes {
		if g := gap.At(n); g > max(0.03*one.At(n), longer) && two.At(n)-one.At(n)-max(longer, 0) > g/2 {
			counted = true
			if first.At(n)-one.At(n) < g/4 {
				size = n
			}
		}
	}
	if !counted {
		return defaultPacket
	}
	return size
}

// minTime is a time in µs for costs that were measured as 0, since tables have logarithms.
const minTime = 1e-6

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
// one pair, and that which the inner units' ports allow, by a fifth: each message occupies it for
// g_k/k, from the largest such k. Its times per byte and per message are those of the line through
// the least and the largest such size. Pairs that meet at a level share the inside of its unit;
// pairs that leave a unit of the level share its port.
//
// A level without round trips is like the nearest one that has them; unmeasured names it.
func (c *Calibration) Machine() (m machine.Machine, unmeasured []string, err error) {
	for i := range c.Levels {
		near := c.nearestMeasured(i)
		if near < 0 {
			return m, nil, fmt.Errorf("round trips of at least two sizes were measured at no level")
		}
		if near != i {
			unmeasured = append(unmeasured, c.Levels[i].Name)
		}
		l := c.messages(near)
		l.Name, l.Arity = c.Levels[i].Name, c.Levels[i].Holds
		m.Levels = append(m.Levels, l)
	}
	var all []machine.Level
	for i := range m.Levels {
		switch outermost := i == len(m.Levels)-1; {
		case c.networked() && outermost:
			m.Levels[i].Topology, m.Levels[i].Hop, m.Levels[i].Link = c.Topology, c.Hop, c.Link
			all = append(all, m.Levels[i])
			continue
		case !outermost && !(c.networked() && i == len(m.Levels)-2): // links are a network's ports
			m.Levels[i].Port = c.occupancy(m, i, true)
			m.Levels[i].Routes = c.routes(m.Levels[i].Port, i, i+1)
		}
		if blocks, shared, ok := c.blocks(m, i); ok {
			all = append(all, blocks...)
			m.Levels[i].Shared = shared
			outer := m.Levels[i]
			for _, b := range blocks {
				outer.Arity /= b.Arity
			}
			all = append(all, outer)
			continue
		}
		m.Levels[i].Shared = c.occupancy(m, i, false)
		all = append(all, m.Levels[i])
	}
	m.Levels = all
	return m, unmeasured, nil
}

// nearestMeasured returns the index of the level itself if it has round trips, otherwise of the
// next outer or else inner level that has; −1 if none has.
func (c *Calibration) nearestMeasured(level int) int {
	measured := func(i int) bool { return len(c.curve(PingPong, i, false, 1).Sizes) > 1 }
	for i := level; i < len(c.Levels); i++ {
		if measured(i) {
			return i
		}
	}
	for i := level - 1; i >= 0; i-- {
		if measured(i) {
			return i
		}
	}
	return -1
}

// curve returns the times of a measure by size: the medians over pairs of the same kind.
func (c *Calibration) curve(measure string, level int, out bool, pairs int) (curve model.Curve) {
	times := map[quantity.Bytes][]float64{}
	for _, r := range c.Rows {
		if r.Measure == measure && r.Level == level && r.Out == out && r.Pairs == pairs && !r.distant() {
			times[r.Size] = append(times[r.Size], float64(r.Time))
			if measure == Stream && pairs > 1 { // the mean over pairs, which share alike
				times[r.Size] = []float64{float64(r.Average)}
			}
		}
	}
	for n := range times {
		curve.Sizes = append(curve.Sizes, n)
	}
	slices.Sort(curve.Sizes)
	for _, n := range curve.Sizes {
		curve.Costs = append(curve.Costs, quantity.Micros(max(stats.QuantileOf(times[n], 0.5), minTime)))
	}
	for i := len(curve.Costs) - 2; i >= 0; i-- {
		curve.Costs[i] = min(curve.Costs[i], disturbed*curve.Costs[i+1])
	}
	return curve
}

// disturbed is the ratio above which a message that takes longer than a larger one was disturbed in
// all passes. Protocols change with less.
const disturbed = 1.5

// beside returns a time at each size of one-way times: its ratio to these is interpolated, since
// they were measured at more sizes. Beyond the sizes of the curve the ratio is that of the nearest
// one. It returns the one-way times themselves if the curve has fewer than two sizes.
func beside(way, curve model.Curve) (times []quantity.Micros) {
	if len(curve.Sizes) < 2 {
		return way.Costs
	}
	ratio := model.Curve{Sizes: curve.Sizes}
	for i, n := range curve.Sizes {
		ratio.Costs = append(ratio.Costs, curve.Costs[i]/way.At(n))
	}
	for i, n := range way.Sizes {
		n = min(max(n, ratio.Sizes[0]), ratio.Sizes[len(ratio.Sizes)-1])
		times = append(times, max(ratio.At(n)*way.Costs[i], minTime))
	}
	return times
}

// timeAt returns the cost of n bytes, or otherwise if the curve has fewer than two sizes.
func timeAt(curve model.Curve, n quantity.Bytes, otherwise quantity.Micros) quantity.Micros {
	if len(curve.Sizes) < 2 {
		return otherwise
	}
	return curve.At(n)
}

// messages returns the costs of messages at a level that has round trips.
func (c *Calibration) messages(level int) machine.Level {
	way, gap := c.curve(PingPong, level, false, 1), c.curve(Stream, level, false, 1)
	for i := range way.Costs {
		if c.networked() && level == len(c.Levels)-1 {
			way.Costs[i] = max(way.Costs[i]-c.near, minTime)
		}
	}
	send, receive := c.curve(Send, level, false, 1), c.curve(Receive, level, false, 1)
	eager := c.Levels[level].Eager
	var sends, receives []quantity.Micros
	gaps := beside(way, gap)
	for i, n := range way.Sizes {
		t, k := way.Costs[i], n
		if eager >= 0 && n > eager {
			k = 1
		}
		half := way.Costs[0] / 2
		g := gaps[i]
		s, r := min(timeAt(send, k, half), g), min(timeAt(receive, k, half), g)
		if sum := s + r; sum > t {
			s, r = s*t/sum, r*t/sum
		}
		sends, receives = append(sends, max(s, minTime)), append(receives, max(r, minTime))
	}
	l := machine.Level{
		Reverse: c.reverse(level, way),
		Layer:   &model.Table{Sizes: way.Sizes, Times: way.Costs, Gaps: gaps},
		Send:    &model.Table{Sizes: way.Sizes, Times: sends},
		Receive: &model.Table{Sizes: way.Sizes, Times: receives},
	}
	l.Packet = c.packet(level)
	if last := way.Sizes[len(way.Sizes)-1]; eager > 0 && eager < last {
		l.Eager = eager
	}
	if c.pair(level) { // no receivers compete
		l.Packet = l.Eager
	}
	return l
}

// reverse returns by which part the bytes of the largest exchange take longer than one way; 0 if
// it was not measured or the level holds two ranks: see bothWays.
func (c *Calibration) reverse(level int, way model.Curve) float64 {
	exchange := c.exchanges(level)
	last := len(exchange.Sizes) - 1
	if last < 0 || exchange.Sizes[last] < 64<<10 || c.pair(level) {
		return 0
	}
	n := exchange.Sizes[last]
	return min(max(float64((exchange.Costs[last]-way.At(n))/(way.At(n)-way.Costs[0])), 0), 1)
}

// pair reports whether a unit of the level is two ranks.
func (c *Calibration) pair(level int) bool { return level == 0 && c.Levels[0].Holds == 2 }

// fitsExchange reports whether the machine is made of exchanges of a size: of every second one, the
// largest included, and of those around the eager threshold, where the ratio to one way changes.
// The others are its check.
func (c *Calibration) fitsExchange(level int, n quantity.Bytes) bool {
	eager := c.Levels[level].Eager
	return bits.Len64(uint64(n))%4 == 1 || eager > 0 && (n == eager || n == eager+1)
}

// exchanges returns the exchanges of which the machine is made.
func (c *Calibration) exchanges(level int) (curve model.Curve) {
	all := c.curve(Exchange, level, false, 1)
	for i, n := range all.Sizes {
		if c.fitsExchange(level, n) {
			curve.Sizes, curve.Costs = append(curve.Sizes, n), append(curve.Costs, all.Costs[i])
		}
	}
	return curve
}

// PerByte returns the time of local work, Combine or Copy, of a byte of the largest size; 0 if it
// was not measured.
func (c *Calibration) PerByte(work string) (each quantity.MicrosPerByte) {
	largest := quantity.Bytes(0)
	for _, r := range c.Rows {
		if r.Measure == work && r.Size > largest {
			largest, each = r.Size, r.Time.Per(r.Size)
		}
	}
	return each
}
