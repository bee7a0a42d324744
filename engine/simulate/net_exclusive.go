package simulate

import "github.com/halfpeak/halfpeak/internal/memory"

// exclusive is the network of messages that share nothing but the NICs of their ranks, as in LogGP.
type exclusive struct {
	*kernel
	costs  *costs
	record *record
	order  *order // nil if all messages have one latency, so that none can overtake another
}

func (e exclusive) leave(send uint32, request, _ bool, t uint64) uint64 {
	if e.order == nil {
		return t
	}
	latest := e.order.after(send, t)
	if request {
		e.record.delay(send, delay{request: latest - t})
	} else {
		e.record.delay(send, delay{order: latest - t})
	}
	return latest
}

func (e exclusive) arrive(uint32, uint64) bool                  { return true }
func (e exclusive) take(_ uint32, _, end uint64) (uint64, bool) { return end, true }
func (e exclusive) advance(uint64)                              {}
func (e exclusive) prefetch(uint32)                             {}
func (e exclusive) skew(uint32) uint64                          { return 0 }
func (e exclusive) quiet() uint64                               { return 0 }
func (e exclusive) costOf(send uint32) *cost {
	op := &e.ops[send]
	return e.costs.of(e.nodes[send].rank, op.Peer, op.Size)
}

// An order lets messages arrive in the order sent, as MPI promises: those of a channel, and all
// from one rank to a rank with wildcards. A short message behind a long one may have a shorter
// latency.
type order struct {
	*kernel
	channels []uint64             // by channel: the latest arrival
	wild     map[[2]uint32]uint64 // the same of a rank to a rank with wildcards
}

// on makes the order ready for a run, in the memory of the one before.
func (o *order) on(k *kernel) {
	*o = order{k, memory.Again(o.channels, k.names), map[[2]uint32]uint64{}}
}

// after returns when a message, or its request, arrives: at t, or later if one before it does.
func (o *order) after(send uint32, t uint64) uint64 {
	switch n := &o.nodes[send]; n.channel {
	case noChannel:
	case wildChannel:
		pair := [2]uint32{n.rank, o.ops[send].Peer}
		t = max(t, o.wild[pair])
		o.wild[pair] = t
	default:
		t = max(t, o.channels[n.channel])
		o.channels[n.channel] = t
	}
	return t
}
