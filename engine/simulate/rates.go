package simulate

import (
	"math"
	"slices"
)

// flows holds the messages in transit that share capacity fairly. It is nil on machines without
// fair shares.
//
// The bytes of a message that is larger than a level's [machine.Level.Packet] flow at a rate of at
// most size/Serialization. No shared resource exceeds its capacity: for each unit that several
// messages use, and for the NICs of both ranks, the sum of rate · occupancy/size over those
// messages is at most 1, where a NIC is occupied for the gap. A message also takes the part
// [machine.Level.Reverse] of this from the opposite direction of each. The rates are max-min fair
// (Bertsekas, Gallager, Data Networks, §6.5.2): all rates rise together; a rate that can rise no
// further stays, while the remaining rates rise on. They are recomputed, once for each moment, when
// a flow begins or ends. Flows from one rank to another begin at least a gap after each other.
// They, and the messages behind them, are received in the order sent.
type flows struct {
	pairs   map[[2]uint32]*inOrder // by sender and receiver
	active  []flow
	states  []flowState     // by send
	sent    map[uint32]link // by recorded send: the step that sent the data
	now     uint64          // time at which the rates were computed
	next    uint64          // time at which the first flow ends
	pending bool            // the rates must be computed at the end of this moment
	free    []float64       // by resource: the remaining capacity
	// by resource: its use by flows with rising rates, for each byte per tick
	load   []float64
	rising []int  // by resource: number of flows with rising rates
	users  []int  // by resource: number of flows that use it
	seed   uint32 // of the ranks' first moments
}

// A flow is one message. Its rate is in messages per tick.
type flow struct {
	op         uint32
	start      uint64
	left, rate float64 // remaining fraction of the message, and fraction per tick
	most       float64 // rate of the message without competing flows
	size       float64
	uses       []use
	by         link // the step that sent it
}

// A flowState is how far a send's bytes are.
type flowState uint8

const (
	unsent   flowState = iota
	admitted           // the begin of the flow is set
	arrived            // the last byte has arrived
	behind             // the message does not flow, and waits for the flows before it
	released           // those flows have ended
)

// inOrder holds the flows from one rank to another that are not received yet, and the messages
// behind them.
type inOrder struct {
	ready uint64 // earliest time at which the next one may begin
	sends []uint32
}

// A use is the number of ticks for which a message occupies a resource.
type use struct {
	resource int
	ticks    float64
}

func newFlows(m Machine, operations int, seed uint64) *flows {
	l, ok := m.(*levels)
	if !ok || !l.flows() {
		return nil
	}
	n := 2*l.ranks() + l.resources()
	return &flows{
		pairs:  map[[2]uint32]*inOrder{},
		states: make([]flowState, operations),
		sent:   map[uint32]link{},
		next:   math.MaxUint64,
		free:   make([]float64, n),
		load:   make([]float64, n),
		rising: make([]int, n),
		users:  make([]int, n),
		seed:   uint32(seed),
	}
}

// share computes the rates of all flows.
func (f *flows) share() {
	var used []int
	open := make([]*flow, len(f.active))
	single := func(resource int) bool { return f.users[resource] < 2 }
	for i := range f.active {
		w := &f.active[i]
		open[i] = w
		for _, u := range w.uses {
			if f.rising[u.resource] == 0 {
				used = append(used, u.resource)
				f.free[u.resource], f.load[u.resource], f.users[u.resource] = 1, 0, 0
			}
			f.rising[u.resource]++
			f.users[u.resource]++
			f.load[u.resource] += u.ticks / w.size
		}
	}
	for len(open) > 0 {
		rate := math.Inf(1) // bytes per tick: the lowest limit of a flow
		for _, u := range used {
			if f.rising[u] > 0 && !single(u) {
				rate = min(rate, f.free[u]/f.load[u])
			}
		}
		for _, w := range open {
			rate = min(rate, w.most*w.size)
		}
		limit := rate * (1 + 1e-9)
		var stopped []*flow
		open = slices.DeleteFunc(open, func(w *flow) bool {
			exhausted := func(u use) bool {
				return !single(u.resource) && f.free[u.resource] <= limit*f.load[u.resource]
			}
			stops := w.most*w.size <= limit || slices.ContainsFunc(w.uses, exhausted)
			if stops {
				stopped = append(stopped, w)
			}
			return stops
		})
		for _, w := range stopped {
			w.rate = rate / w.size
			for _, u := range w.uses {
				f.rising[u.resource]--
				f.free[u.resource] = max(f.free[u.resource]-w.rate*u.ticks, 0)
				f.load[u.resource] -= u.ticks / w.size
			}
		}
	}
}
