package collective

// LogP is the model of Culler and others (LogP: towards a realistic model of parallel
// computation, 1993), for messages of one word. All times are in the same unit.
type LogP struct {
	L       float64 // latency: from the end of the send overhead to the begin of the receive's
	Send    float64 // o_s, overhead of a processor for each send
	Receive float64 // o_r, for each receive
	G       float64 // gap: least time between the begins of two sends of a processor, or two receives
}

func (m LogP) gap() float64 { return max(m.G, m.Send) }

// OptimalBroadcast is the earliest time at which one word can be with p processors (Karp,
// Sahay, Santos, Schauser, Optimal broadcast and summation in the LogP model, 1993, theorem
// 2.1): whoever has it sends it on every max(g, o_s). A receiver has it o_s + L + o_r after the
// send began, and receives once, so that o_r delays itself alone: of all sends that are possible
// the next to arrive is always part of a best tree. With p = 8, L = 6, o = 2, g = 4 that is 24.
func (m LogP) OptimalBroadcast(p int) float64 {
	_, last := m.broadcastTree(p)
	return last
}

// broadcastTree is the parents of the places in the order in which they get the word, and when the
// last does. The next arrivals that places can bring about are two queues, each in the order of
// time: those after an arrival of the same place, a gap later, and the first ones.
func (m LogP) broadcastTree(p int) (parent []int, last float64) {
	parent = make([]int, 1, p)
	parent[0] = -1
	way, gap := m.Send+m.L+m.Receive, m.gap()
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
