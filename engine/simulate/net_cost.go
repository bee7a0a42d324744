package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A cost is a machine.Cost in ticks.
type cost struct {
	send, stream, receive, gap, intake uint64
	gapBytes, intakeBytes              uint64 // the parts of gap and intake that grow with the size
	nic                                uint64 // at most gap: the part of it that is the rank's own
	railNIC                            uint64 // the same of a message of a channel
	latency                            int64  // at least -send
	relay, fresh                       int64  // more time of a processor; see machine.Cost
	rendezvous                         bool
	joint                              bool // the times include the rendezvous
	flows                              bool // its bytes use shared resources: see shared
	deferred                           bool // its bytes leave when its receive is posted
	interleaved                        bool // its bytes share the NICs of its ranks
	overlaps                           bool // also with messages between the same ranks
	handshake, data                    machine.Presence
	capacity                           int // messages in transit to one rank; 0: no limit
	credits                            *credits
	occupied                           []occupancy // by level, where ranks share something
}

// inTicks rounds the times of a cost to ticks, each alone, so that equal times of different costs
// stay equal.
func inTicks(c machine.Cost) cost {
	t := func(x quantity.Micros) uint64 { return uint64(math.Round(float64(x) * picos)) }
	send := t(c.Send)
	// An error of rounding in a latency of −Send must not let a message arrive before its send
	// began.
	latency := max(int64(math.Round(float64(c.Latency)*picos)), -int64(send))
	// The difference of two rounded times, so that the sum of time and extra is the rounded sum.
	more := func(x, to quantity.Micros) int64 { return int64(t(to+x)) - int64(t(to)) }
	return cost{
		relay:    more(c.Relay, c.Receive),
		fresh:    more(c.Fresh, c.Send),
		send:     send,
		stream:   t(c.Serialization),
		receive:  t(c.Receive),
		gap:      t(c.Gap),
		intake:   t(c.ReceiveGap),
		gapBytes: t(c.GapBytes), intakeBytes: t(c.ReceiveGapBytes),
		latency:    latency,
		rendezvous: c.Rendezvous,
		capacity:   c.Capacity,
		credits:    creditsInTicks(c.Credits),
	}
}

// inMicros returns a time in ticks as µs.
func inMicros(ticks uint64) quantity.Micros { return quantity.Micros(float64(ticks) / picos) }

// inMicros returns what an occupancy depends on.
func (c *cost) inMicros() machine.Cost {
	return machine.Cost{Gap: inMicros(c.gap), Serialization: inMicros(c.stream)}
}

// sending and receiving return how long the processor of an operation sends, or receives, its
// message. A latency of −send leaves no room for less.
func (c *cost) sending(m schedule.Memory) uint64 {
	if m == schedule.Fresh {
		return uint64(max(int64(c.send)+c.fresh, -c.latency))
	}
	return c.send
}

func (c *cost) receiving(m schedule.Memory) uint64 {
	if m == schedule.Relay {
		return uint64(int64(c.receive) + c.relay)
	}
	return c.receive
}

// arrival returns the time at which the first byte arrives of a message whose sender's processor is
// done at end.
func (c *cost) arrival(end uint64) uint64 { return uint64(int64(end) + c.latency) }

// A key is what the cost of a message depends on: ranks count only by their level.
type key struct {
	size  uint64
	level int32
}

// handshake replaces the size of a request or a grant, which are messages of one byte.
// No message has this size: sizes of GOAL files have at most 63 bits.
const handshake = 1 << 63

// An occupancy is a message's use of a shared resource in ticks. The message takes the part reverse
// of each from the opposite direction.
type occupancy struct {
	each, alone, bytes uint64
	reverse            float64
}

func occupancyInTicks(o machine.Occupancy, reverse float64) occupancy {
	ticks := func(t quantity.Micros) uint64 { return uint64(math.Round(float64(t) * picos)) }
	return occupancy{ticks(o.Each), ticks(o.Alone), ticks(max(o.Bytes, 0)), reverse}
}

// credits is a [model.Credits] in ticks.
type credits struct {
	window, pieces          uint64
	gap, round, last, start uint64
}

func creditsInTicks(c *model.Credits) *credits {
	if c == nil {
		return nil
	}
	t := func(x quantity.Micros) uint64 { return uint64(math.Round(float64(x) * picos)) }
	return &credits{uint64(c.Window), uint64(c.Pieces), t(c.Gap), t(c.Round), t(c.Last), t(c.Start)}
}

// startOf returns when piece j starts, given the starts of a first window of pieces. Behind these,
// s(j) = max(s(j−1) + g, s(j−W) + R), so that s(j) is the longest of all chains of gaps and rounds
// from a piece of the first window: with as many rounds as fit if R > W·g, and else with gaps
// alone.
func (c *credits) startOf(j uint64, first []uint64) uint64 {
	if j < c.window {
		return first[j]
	}
	rounds, i := j/c.window-1, j%c.window
	final := first[c.window-1]
	byRounds := rounds*c.round + max(first[i]+c.round, final+(i+1)*c.gap)
	return max(byRounds, final+(j-c.window+1)*c.gap)
}
