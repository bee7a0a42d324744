package simulate

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

type cost struct {
	send, stream, receive, gap, intake uint64
	latency                            int64 // at least -send
	rendezvous                         bool
	joint                              bool // the times include the rendezvous
	fair                               bool // its bytes have fair shares: see flows
}

func inTicks(c Cost) cost {
	t := func(x quantity.Micros) uint64 { return uint64(math.Round(float64(x) * picos)) }
	send := t(c.Send)
	latency := max(int64(math.Round(float64(c.Latency)*picos)), -int64(send))
	return cost{send, t(c.Serialization), t(c.Receive), t(c.Gap), t(c.ReceiveGap), latency, c.Rendezvous, false, false}
}

// arrival returns the time at which the first byte arrives of a message whose sender's processor is
// done at end.
func (c *cost) arrival(end uint64) uint64 { return uint64(int64(end) + c.latency) }

type costs struct {
	machine Machine
	near    [256]struct {
		known bool
		key
		cost
	}
	all map[key]cost
}

type key struct {
	size  uint64
	level int32
}

// handshake replaces the size of a request or a grant, which are messages of one byte.
const handshake = 1 << 63

// messageCost returns the cost of a message in ticks. If check finds an error, the run fails.
func (r *run) messageCost(from, to uint32, size uint64) *cost {
	c := &r.costs
	k := key{size, int32(c.machine.Level(int(from), int(to)))}
	h := (size ^ size>>8 ^ size>>16 ^ uint64(k.level)*37) & 255
	near := &c.near[h]
	if near.known && near.key == k {
		return &near.cost
	}
	found, ok := c.all[k]
	if !ok {
		l, leveled := c.machine.(*levels)
		level := int(k.level)
		var f Cost // zero for a handshake that the times of its message include
		switch {
		case size != handshake:
			f = c.machine.Cost(level, size)
		case !leveled || !(l.levelAt(level).Eager > 0):
			f = c.machine.Cost(level, 1)
		}
		if err := check(f); err != nil {
			r.fail("a message of %d bytes from rank %d to rank %d: %w", size, from, to, err)
			return &cost{}
		}
		found = inTicks(f)
		if leveled && size != handshake {
			found.joint, found.fair = l.joint(level, size), found.stream > 0 && l.fair(level, size)
		}
		if c.all == nil {
			c.all = map[key]cost{}
		}
		if len(c.all) < 1<<16 {
			c.all[k] = found
		}
	}
	near.known, near.key, near.cost = true, k, found
	return &near.cost
}
