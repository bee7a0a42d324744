package collective

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// LogP is the model of Culler and others (LogP: towards a realistic model of parallel
// computation, 1993), for messages of one word. All times are in the same unit.
type LogP struct {
	L float64 // latency: from the end of the send overhead to the begin of the receive's
	O float64 // overhead of a processor for each send, and for each receive
	G float64 // gap: least time between the begins of two sends of a processor, or two receives
}

func (m LogP) gap() float64 { return max(m.G, m.O) }

// OptimalBroadcast is the earliest time at which one word can be with p processors (Karp,
// Sahay, Santos, Schauser, Optimal broadcast and summation in the LogP model, 1993, theorem
// 2.1): whoever has it sends it on at every gap. A receiver has it o + L + o after the send
// began. With p = 8, L = 6, o = 2, g = 4 that is 24.
func (m LogP) OptimalBroadcast(p int) float64 {
	_, last := m.broadcastTree(p)
	return last
}

// broadcastTree is the parents of the places in the order in which they get the word, and
// when the last does. The next arrivals that places can bring about are two queues, each in the order
// of time: those after an arrival of the same place, a gap later, and the first ones.
func (m LogP) broadcastTree(p int) (parent []int, last float64) {
	parent = make([]int, 1, p)
	parent[0] = -1
	way, gap := m.O+m.L+m.O, m.gap()
	first, more := append(make([]offer, 0, p), offer{way, 0}), make([]offer, 0, p)
	for f, g := 0, 0; len(parent) < p; {
		var next offer
		if f < len(first) && (g == len(more) || first[f].before(more[g])) {
			next = first[f]
			f++
		} else {
			next = more[g]
			g++
		}
		last = next.at
		more = append(more, offer{next.at + gap, next.from})
		first = append(first, offer{next.at + way, len(parent)})
		parent = append(parent, next.from)
	}
	return parent, last
}

// An offer is the next arrival that a place can bring about.
type offer struct {
	at   float64
	from int
}

func (a offer) before(b offer) bool { return a.at < b.at || a.at == b.at && a.from < b.from }

// optimalBroadcast is the broadcast of OptimalBroadcast's tree for LogP; a longer message
// travels whole, or in segments.
func optimalBroadcast(p *Part) {
	m := p.LogP
	if m == (LogP{}) {
		m = LogP{L: 1, G: 1}
	}
	// The tree is that of all members, and takes longer than one's part: it is kept from one
	// part to the next.
	if p.logP != m || len(p.parents) != p.Size {
		p.logP = m
		p.parents, _ = m.broadcastTree(p.Size)
	}
	parent := p.parents
	tree(func(_ *Part, v int) (int, []int) {
		var children []int
		for child := v + 1; child < len(parent); child++ {
			if parent[child] == v {
				children = append(children, child)
			}
		}
		return parent[v], children
	}).broadcast(p)
}

// An adder is a processor of an optimal summation.
type adder struct {
	parent   int
	ends     int // when its part of the sum is done
	children int
}

// summation is the processors that take part, at most p, by the ends of their parts.
func summation(T, p, L, o, g int) []adder {
	gap := max(g, o+1)
	adders := []adder{{parent: -1, ends: T}}
	for len(adders) < p {
		// Of all further children that a processor can have the one with the latest end. Children
		// of one are added latest first, so its next one ends a gap before its last.
		best, end := -1, o // ending at o or before adds no more than its reception costs
		for i, a := range adders {
			if at := a.ends - (o + 1) - L - o - a.children*gap; at > end {
				best, end = i, at
			}
		}
		if best < 0 {
			break
		}
		adders[best].children++
		adders = append(adders, adder{parent: best, ends: end})
	}
	return adders
}

// OptimalSummation is how many values p processors can sum within T cycles, and a schedule
// that does it, of messages of 1 byte and calcs in which a nanosecond is a cycle (Karp and
// others 1993, section 3; Culler and others 1993, section 3.3): an addition takes a cycle,
// L, o, g are cycles. With p = 8, L = 5, o = 2, g = 4 and T = 28 these are 79 values.
//
// A sum that is to be done at T takes in the sum of a processor that was done at
// T − (2o + L + 1), of another max(g, o + 1) before, and so on, each at the cost of o + 1
// cycles, and adds values of its own all other cycles: T − k·(o + 1) + 1 of them with k
// children.
func OptimalSummation(T, p, L, o, g int) (values int, s *schedule.Schedule, err error) {
	if T < 0 || p < 1 || L < 0 || o < 0 || g < 0 || max(T, p, L, o, g) > math.MaxInt32 {
		return 0, nil, fmt.Errorf("collective: no summation of %d processors in %d cycles with L, o, g of %d, %d, %d",
			p, T, L, o, g)
	}
	adders := summation(T, p, L, o, g)
	gap := max(g, o+1)
	b := schedule.NewBuilder(len(adders))
	for i, a := range adders {
		b.NextRank()
		values += a.ends - a.children*(o+1) + 1
		last, any := uint32(0), false
		chain := func(op uint32) {
			if any {
				b.Requires(op, last)
			}
			last, any = op, true
		}
		// The child that is heard of at last was added first.
		free := 0
		for k := a.children - 1; k >= 0; k-- {
			begin := a.ends - (o + 1) - k*gap
			chain(b.Calc(uint64(begin - free)))
			child := nth(adders, i, k)
			chain(b.Recv(1, uint32(child), 0))
			free = begin + o
		}
		chain(b.Calc(uint64(a.ends - free)))
		if a.parent >= 0 {
			chain(b.Send(1, uint32(a.parent), 0))
		}
	}
	s, err = b.Build()
	return values, s, err
}

// nth is the k'th child of a processor, in the order in which they were added.
func nth(adders []adder, parent, k int) int {
	for i, a := range adders {
		if a.parent == parent {
			if k == 0 {
				return i
			}
			k--
		}
	}
	return -1
}
