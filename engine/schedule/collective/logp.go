package collective

import (
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// optimalTime returns the minimum time in which one word can reach p processors (Karp, Sahay,
// Santos, Schauser, Optimal broadcast and summation in the LogP model, 1993, theorem 2.1). Each
// processor that has the word sends it every max(g, o_s), and a receiver has it o_s + L + o_r after
// the begin of the send. Since a processor receives once, o_r delays only that processor, so the
// earliest of all possible arrivals always belongs to a best tree. For p = 8, L = 6, o = 2, g = 4
// the time is 24.
func optimalTime(m model.LogP, p int) quantity.Micros {
	_, last := broadcastTree(m, p)
	return last
}

// broadcastTree returns the parents of the places, in the order of arrival, and the time of the
// last arrival. The possible next arrivals form two queues, each ordered by time: the first message
// of each place, and the messages that follow an earlier one of the same place by a gap.
func broadcastTree(m model.LogP, p int) (parent []int, last quantity.Micros) {
	parent = make([]int, 1, p)
	parent[0] = -1
	way := m.OneWay(1)
	// A receiver needs no gap: it receives once. So this is not m.Gap, which has o_r as well.
	gap := max(m.GapTime, m.SendOverhead)
	first, more := make([]offer, 0, p), make([]offer, 0, p)
	first = append(first, offer{way, 0})
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

// An offer is the earliest time at which a place could deliver its next message.
type offer struct {
	at   quantity.Micros
	from int // place of the sender
}

// before orders offers by time. Of simultaneous ones the sender that got the word first serves, so
// that the tree is the same on every run.
func (a offer) before(b offer) bool {
	return a.at < b.at || a.at == b.at && a.from < b.from
}

// optimalTree returns the tree of optimalTime among p members.
func optimalTree(m model.LogP, p int) tree {
	parents, _ := broadcastTree(m, p)
	children := make([][]int, p)
	for v := 1; v < p; v++ {
		children[parents[v]] = append(children[parents[v]], v)
	}
	return func(_, _, v int) (int, []int) { return parents[v], children[v] }
}

// optimalBroadcast broadcasts along the tree of optimalTime for LogP, whose order of sends is that
// of the children. A longer message travels whole, or in segments.
func optimalBroadcast(p *member) {
	n := p.segments()
	b := p.optimalTree(p.shape()).at(p)
	for s := range n {
		b.pass(p, slot(s), p.sendBlocking)
	}
}

// optimalReduce sends the messages of optimalBroadcast in reverse, so that a send is a receive. It
// is the optimum for one word if combining takes no time; with it, the optimal summation of Karp,
// Sahay, Santos, Schauser 1993, section 4, has another tree.
func optimalReduce(p *member) {
	m := p.shape()
	m.SendOverhead, m.ReceiveOverhead = m.ReceiveOverhead, m.SendOverhead
	p.optimalTree(m).reduce(p)
}

// optimalTree returns the tree of optimalTime. It covers all members and is kept for the next part.
func (p *member) optimalTree(m model.LogP) tree {
	if shape := (treeShape{m, p.Size}); p.optimal == nil || p.of != shape {
		p.optimal, p.of = optimalTree(m, p.Size), shape
	}
	return p.optimal
}

// LatencyBound returns a lower bound, over all algorithms, of the time in which a byte of one
// member reaches p ≥ 1 members, or a byte of each reaches one member. It is the time of the best
// broadcast in LogP if only the less busy processor counts (Karp, Sahay, Santos, Schauser 1993). If
// a member cannot send again before its message has arrived, as in Hockney's and the postal model
// (Bar-Noy, Kipnis 1992, with λ = 1), it is the ⌈log₂ p⌉α of Chan, Heimlich, Purkayastha,
// van de Geijn, Collective communication: theory, practice, and experience, 2007, section 4.
func LatencyBound(m model.LogP, p int) quantity.Micros {
	// The less busy processor pays its overhead per message. The rest of the way is latency, which
	// overlaps with everything, so the bound holds whichever side is slower.
	less := min(m.SendOverhead, m.ReceiveOverhead)
	bound := m
	bound.Latency = m.Latency + m.SendOverhead + m.ReceiveOverhead - 2*less
	bound.SendOverhead, bound.ReceiveOverhead = less, less
	return optimalTime(bound, p)
}
