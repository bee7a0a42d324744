package collective

import (
	"cmp"
	"slices"
)

// Closed forms of stars, chains, trees and scatters.

// linearCost is w(n) plus p − 2 gaps: (p − 1)(α + nβ), [pg].
func linearCost(m Model, p int, c Call) (float64, bool) { return m.fanOut(p-1, c.Bytes), true }

// pipelineCost is (p − 2 + S)(α + n/S·β) with S segments of equal size, [pg]; in one segment
// (p − 1)w(n).
func pipelineCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	s, ok := segmentsOf(c)
	return float64(uint64(p)-2+s) * m.way(c.Bytes/s), ok && (s == 1 || m.blocks(c.Bytes/s))
}

// segmentsOf returns the number of segments, and whether they are equal.
func segmentsOf(c Call) (uint64, bool) {
	if c.unsegmented() {
		return 1, true
	}
	return c.Bytes / c.Segment, c.Bytes%c.Segment == 0 && c.Segment%max(c.Element, 1) == 0
}

// broadcastCost follows the message down the tree, here: the k'th child of a member, from 0, has it
// k gaps and w(n) after the member. It holds for whole messages, on trees whose parents come before
// their children. In Hockney's model it is ⌈lg p⌉(α + nβ) for binomial trees, [trg] 4.1, and (r −
// 1)·log_r p·(α + nβ) for k-nomial trees of p = r^k.
func (t tree) broadcastCost(m Model, p int, c Call) (float64, bool) {
	has, one, last := make([]float64, p), m.message(c.Bytes), 0.0
	for v := range p {
		last = max(last, has[v])
		_, children := t(p, c.Fanout, v)
		for k, child := range children {
			has[child] = has[v] + float64(k)*one.sendInterval() + one.oneWay()
		}
	}
	return last, c.unsegmented()
}

// reduceCost follows whole messages up the tree, here, if combinations take no time: a member
// receives its children's messages in the order of their arrival.
func (t tree) reduceCost(m Model, p int, c Call) (float64, bool) {
	done, one := make([]float64, p), m.message(c.Bytes)
	for v := p - 1; v >= 0; v-- {
		_, children := t(p, c.Fanout, v)
		done[v] = one.fanInFinish(children, done)
	}
	return done[0], c.unsegmented() && m.Gamma == 0
}

// fanInFinish returns the time when a member has received one such message from each of its
// children, which send it at the times in done.
func (t Message) fanInFinish(children []int, done []float64) float64 {
	slices.SortFunc(children, func(a, b int) int { return cmp.Compare(done[a], done[b]) })
	end := 0.0
	for k, child := range children {
		if end += t.receiveInterval(); k == 0 {
			end = 0
		}
		end = max(end, done[child]+t.oneWay())
	}
	return end
}

// optimalCost is broadcastCost along the tree for the call's LogP.
func optimalCost(m Model, p int, c Call) (float64, bool) {
	return c.shape().optimalTree(p).broadcastCost(m, p, c)
}

// portions are the parts of ⌈n/p⌉ elements into which a scatter cuts a message. A member gets its
// own portion and those of its subtree in contiguousTree.
type portions struct {
	p           int
	each, bytes uint64
}

func newPortions(p int, c Call) portions {
	return portions{p, (c.elements() + uint64(p) - 1) / uint64(p) * c.element(), c.Bytes}
}

func (s portions) size(lo, hi int) uint64 {
	lo, hi = min(lo, s.p), min(hi, s.p)
	return min(uint64(hi)*s.each, s.bytes) - min(uint64(lo)*s.each, s.bytes)
}

// scatter returns, for each member, the times when it has its portions, when it has forwarded them,
// and when it can receive again.
func (s portions) scatter(m Model) (has, free, in []float64) {
	has, free, in = make([]float64, s.p), make([]float64, s.p), make([]float64, s.p)
	for v := range s.p {
		free[v] = has[v]
		d := 1
		for v+d < s.p && v&d == 0 {
			d *= 2
		}
		for d /= 2; d > 0; d /= 2 { // the farthest first
			n := s.size(v+d, v+d+subtreeSize(v+d, s.p))
			if n == 0 {
				continue
			}
			one := m.message(n)
			has[v+d], in[v+d] = free[v]+one.oneWay(), free[v]+one.Send+one.Latency+one.ReceiveGap
			free[v] += one.sendInterval()
		}
	}
	return has, free, in
}

// linearReduceCost, here: the messages queue at the root, which receives and combines one after the
// other: w and then the slower of the two for each message, or of the last combination alone. [pg]
// has (p − 1)(α + nβ + nγ), as if each message could arrive only after the previous combination.
func linearReduceCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	in, sum := m.fanIn(p-1, c.Bytes), m.sum(c.Bytes)
	return max(in+sum, m.way(c.Bytes)+float64(p-1)*sum), sum == 0 || m.blocks(c.Bytes)
}

// pipelineReduceCost, here: with c = w(n/S) and g = n/S·γ, the first of S equal segments takes (p −
// 1)(c + g), and each further segment one max(c, g) more.
func pipelineReduceCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	s, ok := segmentsOf(c)
	way, sum := m.way(c.Bytes/s), m.sum(c.Bytes/s)
	return float64(p-1)*(way+sum) + float64(s-1)*max(way, sum), ok && (s == 1 || m.blocks(c.Bytes/s))
}

// binomialReduceCost is ⌈lg p⌉(α + nβ + nγ), [trg] 4.4, for p = 2^k. For other p some combinations
// overlap with messages, and it is reduceCost.
func binomialReduceCost(m Model, p int, c Call) (float64, bool) {
	if isPower(p) && m.Gamma > 0 {
		return ceilLg(p) * (m.way(c.Bytes) + m.sum(c.Bytes)), c.unsegmented()
	}
	return tree(contiguousTree).reduceCost(m, p, c)
}

// inOrderCost is reduceCost along inOrderTree, plus a message from the last place to the root.
func inOrderCost(m Model, p int, c Call) (float64, bool) {
	done, one := make([]float64, p), m.message(c.Bytes)
	for v := range p { // children come first
		_, children := inOrderTree(0, p, v)
		done[v] = one.fanInFinish(children, done)
	}
	t := done[p-1]
	if c.Root != p-1 {
		t += one.oneWay()
	}
	return t, c.unsegmented() && m.Gamma == 0
}

// inTurns returns the cost of two collectives; the second begins when the first has ended.
func inTurns(first, second Cost) Cost {
	return func(m Model, p int, c Call) (float64, bool) {
		a, holds := first(m, p, c)
		b, both := second(m, p, c)
		return a + b, holds && both
	}
}

// linearAllgatherCost is a linear gather and a linear broadcast of n, (p − 1)(2α + n/p·β + nβ),
// here.
func linearAllgatherCost(m Model, p int, c Call) (float64, bool) {
	return m.fanIn(p-1, c.Bytes) + m.fanOut(p-1, uint64(p)*c.Bytes), true
}

// linearGatherCost is w(n/p) plus p − 2 gaps: (p − 1)(α + n/p·β), [pg].
func linearGatherCost(m Model, p int, c Call) (float64, bool) { return m.fanIn(p-1, c.Bytes), true }

// binomialGatherCost is ⌈lg p⌉α + n(p − 1)/p·β, [trg] 4.1 (there of the scatter): a member receives
// the blocks of its children's subtrees in the order of their arrival.
func binomialGatherCost(m Model, p int, c Call) (float64, bool) {
	done := make([]float64, p)
	for v := p - 1; v >= 0; v-- {
		_, children := contiguousTree(p, 0, v)
		of := func(child int) Message { return m.message(uint64(subtreeSize(child, p)) * c.Bytes) }
		came := func(child int) float64 { return done[child] + of(child).Send + of(child).Latency }
		slices.SortFunc(children, func(a, b int) int { return cmp.Compare(came(a), came(b)) })
		in := 0.0
		for _, child := range children {
			begin := max(came(child), in)
			in = begin + of(child).ReceiveGap
			done[v] = max(done[v], begin+of(child).Serialization) + of(child).Receive
		}
	}
	return done[0], true
}

// binomialScatterCost is the cost of the scatter in a broadcast (here).
func binomialScatterCost(m Model, p int, c Call) (float64, bool) {
	has, _, _ := portions{p, c.Bytes, uint64(p) * c.Bytes}.scatter(m)
	return slices.Max(has), c.Bytes > 0
}

// treeBarrierCost is up and down contiguousTree, 2⌈lg p⌉(α + nβ), here.
func treeBarrierCost(m Model, p int, c Call) (float64, bool) {
	m.Gamma, c.Segment = 0, 0
	up, _ := tree(contiguousTree).reduceCost(m, p, c)
	down, _ := tree(farthestFirst).broadcastCost(m, p, c)
	return up + down, true
}

// linearScanCost is (p − 1)(α + nβ + nγ), whole, here.
func linearScanCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * (m.way(c.Bytes) + m.sum(c.Bytes)), c.unsegmented()
}
