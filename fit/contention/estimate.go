package contention

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Level holds the measurements between ranks whose innermost common level is this one.
type Level struct {
	Name  string
	Holds int // units of the next inner level (at the innermost level, cores) in one unit; ≥ 1
	// OneWay holds the one-way times of a single pair of ranks, in µs, for the ascending Sizes.
	// There are at least two sizes, or none if the level was not measured.
	Sizes  []quantity.Bytes
	OneWay []quantity.Micros
	Fans   []Fan // if empty, New assumes the overheads and gaps
}

// A Fan holds the benchmark's times of a linear broadcast: a root sends to all Receivers one after
// another, without waiting. All receivers have the same innermost common level with the root.
type Fan struct {
	Receivers int
	Size      quantity.Bytes
	Times
}

// Factors scale the contention costs of an [Estimate]. A factor of 1 keeps the cost estimated from
// point-to-point data. Contention has no effect at levels without measured fans.
type Factors struct {
	Contention    float64 // scales [machine.Level.Crowd]
	EagerPerByte  float64 // scales the time per byte of eager messages inside a node
	MemoryPerByte float64 // scales the time per byte in a node's memory
	NICPerMessage float64 // scales the time per message at a node's NIC
	NICPerByte    float64 // scales the time per byte of eager messages at a node's NIC
}

// Plain returns factors of 1, which leave the estimate unchanged.
func Plain() Factors { return Factors{1, 1, 1, 1, 1} }

// pointers returns a pointer to each factor, in the order of the fields.
func (f *Factors) pointers() []*float64 {
	return []*float64{&f.Contention, &f.EagerPerByte, &f.MemoryPerByte, &f.NICPerMessage, &f.NICPerByte}
}

// An Estimate holds costs estimated from point-to-point data; Machine turns it into a machine.
type Estimate struct {
	levels []estimate
	node   int     // index of the level whose unit has a memory and a NIC
	memory float64 // time per byte in the node's memory, in µs/B
	line   float64 // time per byte at the NIC, in µs/B
	hand   float64 // time per message at the NIC, in µs
}

// An estimate holds the costs of one level, in µs, by index of Sizes.
type estimate struct {
	Level
	way, send, gap []float64
	crowd          float64 // see [machine.Level.Crowd]
	eager          int     // the number of sizes that are sent eagerly
	unmeasured     bool
	data           []float64 // one-way times of rendezvous messages, including the handshake
}

// waitShare is the fraction of the slowest receiver's time above which the root is taken to block
// on its receiver. On the machine of the tests, roots that do not block take at most 0.57 of that
// time, and roots that block at least 0.78.
const waitShare = 0.7

// manyReceivers is the minimum number of receivers for estimating the gap under contention.
const manyReceivers = 8

// What the ranks of a node are taken to share if nothing shows it. A message through shared memory
// is copied in and out, and each copy reads, fetches and writes its bytes, so a few pairs take all
// that a memory carries. Large messages in opposite directions take up to twice as long as one if
// each rank copies in and out, and as long as one if the receiver copies alone. The values are from
// broadcasts by the chain on a node of 128 cores (docs/accuracy.md) and exchanges of three
// libraries. Fans of 128 cores had a Crowd of 26 % of the one-way time in a socket, and 28 %
// between sockets. NICs of 100 Gbit/s take 5 to 20 million messages a second from many ranks.
const (
	AssumedPairs                   = 3    // pairs of ranks whose messages a node's memory carries at full speed
	AssumedReverse                 = 0.5  // see [machine.Level.Reverse]
	AssumedPacket  quantity.Bytes  = 8192 // see [machine.Level.Packet]
	AssumedCrowd                   = 0.25 // [machine.Level.Crowd] as a part of the one-way time of a byte
	AssumedHand    quantity.Micros = 0.1  // time of a message at the NIC
)

// New estimates a machine from the measurements at its levels, innermost first. Node is the index
// of the level whose unit has a memory, and a NIC if there is a level outside it. Usually it is the
// outermost level but one.
//
// A fan with one receiver is a loop of two ranks, and the receiver is the slower one. So the root's
// time is twice the average minus the maximum. While it is below 0.7 of the maximum, messages are
// eager, and the root's time is the sender's overhead. For larger messages the two ranks wait for
// each other, and the maximum is the one-way time including the rendezvous handshake (OneWay may
// come from blocking sends, for which libraries use another protocol).
//
// Between nodes a root also waits for a NIC to report that an eager message has arrived. There a
// message is eager if the bytes of half of it take less than a handshake, two one-way times of a
// byte: copying costs less than asking.
//
// With at least 8 receivers, the slope of the maximum over the number of receivers is the sender's
// gap. Inside a node it is also the sender's overhead among many ranks. It exceeds the overhead
// between two ranks because of cache misses. The difference is the level's Crowd, and that of inner
// levels with too few receivers. A message above the eager threshold of a level inside the node is
// sent in pieces and has fair shares. The bandwidths of a node's memory and NIC come from the
// greatest rates k·n/maximum of k messages above the eager threshold. One root does not show how
// many messages per second a NIC takes from several senders. Each is assumed to occupy it for the
// geometric mean of the sender's overhead and gap.
//
// Without fans, the overhead and the gap are half of the one-way time of one byte, all messages are
// eager, and the assumptions above are made. An unmeasured level gets the costs of the next
// measured level outside it or, if all of those are unmeasured, inside it; see
// [Estimate.DefaultInterval].
func New(levels []Level, node int) (*Estimate, error) {
	if len(levels) == 0 || node < 0 || node >= len(levels) {
		return nil, fmt.Errorf("the node's level must be one of %d levels, counted from 0 (got %d)", len(levels), node)
	}
	e := &Estimate{node: node}
	for i, l := range levels {
		near := nearestMeasured(len(levels), i, func(k int) bool { return len(levels[k].Sizes) > 0 })
		if near < 0 {
			return nil, fmt.Errorf("nothing was measured at any level")
		}
		like := levels[near]
		rise := slices.IsSorted(like.Sizes) && len(slices.Compact(slices.Clone(like.Sizes))) == len(like.Sizes)
		if len(like.Sizes) < 2 || len(like.Sizes) != len(like.OneWay) || !rise || like.Sizes[0] < 1 {
			return nil, fmt.Errorf("level %s: %d rising sizes from 1 B with %d one-way times; at least two of each", like.Name, len(like.Sizes), len(like.OneWay))
		}
		like.Name, like.Holds = l.Name, l.Holds
		of := newEstimate(like, i > node)
		of.unmeasured = near != i
		e.levels = append(e.levels, of)
	}
	cores := 1
	for _, l := range levels[:node+1] {
		cores *= l.Holds
	}
	for i := node; i >= 0; i-- { // levels with few cores are as those outside them
		switch l := &e.levels[i]; {
		case l.crowded(), l.unmeasured:
		case i == node || cores > machine.FewRanks:
			l.crowd = AssumedCrowd * l.way[0]
		default:
			l.crowd = e.levels[i+1].crowd
		}
		cores /= levels[i].Holds
	}
	var memory, line []float64
	for i, l := range e.levels {
		rates := l.peakRates()
		if i <= node {
			memory = append(memory, rates...)
		} else if i == node+1 {
			if line, e.hand = rates, float64(AssumedHand); len(l.Fans) > 0 {
				e.hand = math.Sqrt(l.send[0] * l.gap[0])
			}
		}
	}
	e.memory, e.line = 1/stats.QuantileOf(memory, 0.5), 1/stats.QuantileOf(line, 0.5)
	if !(e.memory > 0) {
		e.memory = e.levels[node].leastPerByte() / AssumedPairs
	}
	if !(e.line > 0) && node+1 < len(e.levels) {
		e.line = e.levels[node+1].leastPerByte()
	}
	return e, nil
}

// leastPerByte returns the least time per byte of messages of at least 4 KiB, for a level without
// other measurements; otherwise 0.
func (e *estimate) leastPerByte() (least float64) {
	for i, n := range e.Sizes {
		if t := e.way[i] / float64(n); len(e.Fans) == 0 && !e.unmeasured && n >= 4<<10 && (least == 0 || t < least) {
			least = t
		}
	}
	return least
}

// newEstimate estimates the costs of a level from its one-way times and fans.
func newEstimate(l Level, outside bool) estimate {
	e := estimate{Level: l, eager: len(l.Sizes)}
	n := len(l.Sizes)
	e.way, e.send, e.gap, e.data = make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	slowest, root := make([]float64, n), make([]float64, n)
	for i, t := range l.OneWay {
		e.way[i] = float64(t)
		slowest[i], root[i] = math.NaN(), math.NaN()
		for _, f := range l.Fans {
			if f.Receivers == 1 && f.Size == l.Sizes[i] {
				slowest[i], root[i] = float64(f.Max), max(2*float64(f.Average)-float64(f.Max), 0)
			}
		}
	}
	fewest := math.MaxInt
	for limit := 0; limit <= n; limit++ { // the limit that explains most of the roots
		wrong := 0
		for i := range root {
			if r := root[i] / slowest[i]; r >= waitShare && i < limit || r < waitShare && i >= limit {
				wrong++
			}
		}
		if wrong < fewest || wrong == fewest && math.IsNaN(slowest[n-1]) && limit == n {
			fewest, e.eager = wrong, limit
		}
	}
	waits := e.eager // the root waits from here on
	for outside && e.eager > 0 && e.eager < n && e.way[e.eager-1]-e.way[0] < 2*e.way[0] {
		e.eager++
	}
	half := e.way[0] / 2
	for i := range e.way {
		if i >= waits && waits > 0 {
			root[i] = root[waits-1]
		}
		e.send[i] = min(half, e.way[i])
		if root[i] >= 0 {
			e.send[i] = min(root[i], 0.6*e.way[i])
		}
		e.gap[i] = max(half, e.send[i])
		if slope := l.slope(l.Sizes[i]); slope > 0 {
			e.gap[i] = slope
		} else if root[i] >= 0 {
			e.gap[i] = e.send[i]
		}
	}
	if e.eager > 0 && l.crowded() {
		e.crowd = max(0, e.gap[0]-root[0])
	}
	for i := e.eager; i < n; i++ {
		full := e.way[i]
		if slowest[i] > 0 {
			full = slowest[i]
		}
		e.data[i] = full
		e.send[i] = e.send[0]
		e.gap[i] = e.send[0]
	}
	return e
}

// crowded reports whether a fan has enough receivers to estimate the gap under contention.
func (l Level) crowded() bool {
	return slices.ContainsFunc(l.Fans, func(f Fan) bool { return f.Receivers >= manyReceivers })
}

// slope returns the increase of the slowest receiver's time per receiver, in µs, for messages of n
// bytes and 8 to 64 receivers. It is the median over pairs of fans that differ by at least four
// receivers (Theil and Sen), or NaN if there are no such pairs.
func (l Level) slope(n quantity.Bytes) float64 {
	var of []Fan
	for _, f := range l.Fans {
		if f.Size == n && f.Receivers >= manyReceivers && f.Receivers <= 8*manyReceivers {
			of = append(of, f)
		}
	}
	var slopes []float64
	for i, a := range of {
		for _, b := range of[:i] {
			if d := a.Receivers - b.Receivers; d >= 4 || d <= -4 {
				slopes = append(slopes, float64(a.Max-b.Max)/float64(d))
			}
		}
	}
	return stats.QuantileOf(slopes, 0.5)
}

// peakRates returns the greatest total rate of simultaneous messages, in B/µs, for each size above
// the eager threshold that has fans.
func (e *estimate) peakRates() (rates []float64) {
	for _, n := range e.Sizes[e.eager:] {
		most := 0.0
		for _, f := range e.Fans {
			if f.Size == n && f.Receivers > 1 && f.Max > 0 {
				most = max(most, float64(f.Receivers)*float64(n)/float64(f.Max))
			}
		}
		if most > 0 {
			rates = append(rates, most)
		}
	}
	return rates
}

// Machine returns the estimated machine with its contention costs scaled by f.
func (e *Estimate) Machine(f Factors) machine.Machine {
	var m machine.Machine
	for i := range e.levels {
		m.Levels = append(m.Levels, e.machineLevel(i, f))
	}
	node := &m.Levels[e.node]
	if e.memory > 0 {
		node.Shared = &model.Linear{Tau: quantity.MicrosPerByte(e.memory * f.MemoryPerByte)}
	}
	if e.node+1 < len(m.Levels) && e.hand+e.line > 0 {
		out := e.levels[e.node+1]
		var times []quantity.Micros
		for j, n := range out.Sizes {
			perByte := e.line
			if j < out.eager {
				perByte *= f.NICPerByte
			}
			times = append(times, quantity.Micros(e.hand*f.NICPerMessage+perByte*float64(n)))
		}
		node.Port = &model.Table{Sizes: out.Sizes, Times: times}
	}
	return m
}

func (e *Estimate) machineLevel(i int, f Factors) machine.Level {
	l := e.levels[i]
	inside := i <= e.node
	var sizes []quantity.Bytes
	var way, send, receive, gap []quantity.Micros
	add := func(n quantity.Bytes, w, s, g float64) {
		sizes = append(sizes, n)
		r := min(l.send[0], max(w-s, 0)/2, max(l.way[0]-l.send[0], 0)/2)
		way, send = append(way, quantity.Micros(max(w, minTime))), append(send, quantity.Micros(max(s, minTime)))
		receive, gap = append(receive, quantity.Micros(max(r, minTime))), append(gap, quantity.Micros(max(g, minTime)))
	}
	for j, n := range l.Sizes {
		if j >= l.eager {
			if j == l.eager && j > 0 && n > l.Sizes[j-1]+1 {
				add(l.Sizes[j-1]+1, l.data[j], l.send[j], l.gap[j])
			}
			add(n, l.data[j], l.send[j], l.gap[j])
			continue
		}
		bytes := 0.0
		if inside {
			bytes = (f.EagerPerByte - 1) * max(0, l.way[j]-l.way[0])
		}
		own := l.send[0] // a NIC takes the bytes itself
		if inside {
			own = l.send[j] + (f.EagerPerByte-1)*max(0, l.send[j]-l.send[0])
		}
		add(n, l.way[j]+bytes, own, max(l.gap[j], own))
	}
	level := machine.Level{Name: l.Name, Arity: l.Holds, Layer: &model.Table{Sizes: sizes, Times: way, Gaps: gap},
		Send: &model.Table{Sizes: sizes, Times: send}, Receive: &model.Table{Sizes: sizes, Times: receive}}
	if l.eager < len(l.Sizes) && l.eager > 0 {
		level.Eager = l.Sizes[l.eager-1]
	}
	if inside {
		level.Crowd = quantity.Micros(f.Contention * l.crowd)
		level.Packet, level.Reverse = cmp.Or(level.Eager, AssumedPacket), AssumedReverse
	}
	return level
}
