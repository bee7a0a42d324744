package simulate

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A network takes messages from the NIC of their sender to that of their receiver. Messages are
// named by their sends.
type network interface {
	// leave returns when the first byte of a message arrives, which could at time t. It is the
	// request of a rendezvous if request is set; flows is set if its bytes leave with it.
	leave(send uint32, request, flows bool, t uint64) uint64
	// arrive reports whether the receiver learns of a message whose first byte is there at time t;
	// if not, the entry of the message comes again.
	arrive(send uint32, t uint64) bool
	// costOf returns the cost of a message whose first byte is there.
	costOf(send uint32) *cost
	// take lets a NIC take in the bytes from a time on. It returns when the last one is in, which
	// is at end if nothing delays them; false if the network will call delivered.
	take(send uint32, from, end uint64) (last uint64, known bool)
	// advance does what is due at time t.
	advance(t uint64)
	// prefetch brings what arrive needs into the cache.
	prefetch(send uint32)
	// skew returns how much later than others a rank begins.
	skew(rank uint32) uint64
	// quiet returns the time from which no message waits for one before it.
	quiet() uint64
}

// costs are those of messages, in ticks.
type costs struct {
	machine Machine
	levels  *levels // the machine, if it has levels: that of the setup among the ranks
	whole   *levels // that of the setup
	ranks   int
	shared  bool // messages share more than the NICs of their ranks, or need an order
	refuse  func(format string, args ...any)
	near    [256]struct {
		key
		*cost
	}
	all map[key]*cost
}

// on returns the costs on the machine of a setup among some ranks: c, if it has these.
func (c *costs) on(o Setup, ranks int) (*costs, error) {
	switch m := o.Machine.(type) {
	case nil:
		return &costs{machine: o.LogGOPS}, o.LogGOPS.check()
	case *levels:
		if c != nil && c.whole == m && c.ranks == ranks {
			return c, nil
		}
		if ranks > m.ranks() {
			return nil, fmt.Errorf(
				"the schedule has %d ranks, but only %d have a place on the machine",
				ranks, m.ranks())
		}
		some := m.firstRanks(ranks)
		shared := some.Shares() || some.interleaves() || some.asksAtOnce()
		return &costs{machine: some, levels: some, whole: m, ranks: ranks, shared: shared}, nil
	default:
		return &costs{machine: m}, nil
	}
}

// of returns the cost of a message. If check finds an error, the run fails.
func (c *costs) of(from, to uint32, size uint64) *cost {
	k := key{size, int32(c.machine.Level(int(from), int(to)))}
	h := (size ^ size>>8 ^ size>>16 ^ uint64(k.level)*37) & 255
	near := &c.near[h]
	if near.cost != nil && near.key == k {
		return near.cost
	}
	found, ok := c.all[k]
	if !ok {
		if found = c.find(from, to, k); found == nil {
			return &cost{}
		}
		if c.all == nil {
			c.all = map[key]*cost{}
		}
		if len(c.all) < 1<<16 {
			c.all[k] = found
		}
	}
	near.key, near.cost = k, found
	return found
}

// find returns the cost of a message that was not met before; nil if it is none.
func (c *costs) find(from, to uint32, k key) *cost {
	l, level, size := c.levels, int(k.level), k.size
	var f machine.Cost // zero for a handshake that the times of its message include
	switch {
	case size != handshake:
		f = c.machine.Cost(level, size)
	case l == nil || !(l.levelAt(level).Eager > 0):
		f = c.machine.Cost(level, 1)
	}
	err := check(f)
	if err != nil {
		c.refuse("a message of %d bytes from rank %d to rank %d: %w", size, from, to, err)
		return nil
	}
	if size == handshake {
		f.Relay, f.Fresh = 0, 0 // no memory of the program's
	}
	found := inTicks(f)
	if l == nil || size == handshake {
		return &found
	}
	at := l.levelAt(level)
	found.handshake, found.data = at.Handshake, at.Data
	found.joint = l.joint(level, size)
	found.nic = l.ownGap(level, size, found.gap, 0)
	found.railNIC = l.ownGap(level, size, found.gap, 1)
	found.deferred = !found.rendezvous && at.Defers(quantity.Bytes(size))
	found.interleaved = found.stream > 0 && l.interleaved(level, size)
	found.overlaps = l.overlaps(level, size)
	if c.shared {
		if found.occupied, err = l.occupies(level%len(l.Levels), size, &found); err != nil {
			c.refuse("%w", err)
			return nil
		}
		found.flows = found.interleaved || l.isShared(level, &found)
	}
	return &found
}
