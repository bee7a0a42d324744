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

func (c Cost) inTicks() cost {
	t := func(x quantity.Micros) uint64 { return uint64(math.Round(float64(x) * picos)) }
	send := t(c.Send)
	return cost{send, t(c.Serialization), t(c.Receive), t(c.Gap), t(c.ReceiveGap), max(int64(math.Round(float64(c.Latency)*picos)), -int64(send)), c.Rendezvous, false, false}
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

// handshake replaces the size of a request or a grant.
const handshake = 1 << 63

// cost returns the machine's cost of a message. Requests and grants are messages of one byte, or
// take no time if the times of the message include them.
func (c *costs) cost(level int, size uint64) (cost Cost, joint bool) {
	l, leveled := c.machine.(*levels)
	switch {
	case size != handshake:
		return c.machine.Cost(level, size), leveled && l.joint(level, size)
	case leveled && l.levelAt(level).Eager > 0:
		return Cost{}, true
	}
	return c.machine.Cost(level, 1), false
}

// messageCost returns the cost of a message in ticks. If Cost.check finds an error, the run fails.
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
		f, joint := c.cost(int(k.level), size)
		if err := f.check(); err != nil {
			r.fail("a message of %d bytes from rank %d to rank %d: %w", size, from, to, err)
			return &cost{}
		}
		found = f.inTicks()
		found.joint = joint
		if l, ok := c.machine.(*levels); ok && size != handshake {
			found.fair = found.stream > 0 && l.fair(int(k.level), size)
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
