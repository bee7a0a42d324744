package collective

import "slices"

// Closed forms of algorithms in rounds. In each round a member sends one message and waits for one.
// Members that begin late or send more delay the members after them, so the longest chain of
// messages determines the time.

// halves returns the time of the messages of recursive halving among 2^k members, w(n/2) + w(n/4) +
// …, and the time of their combinations. If two halves differ by an element, one member always has
// the larger. inTurn reports whether ports are free in time for these messages, for the same in
// reverse order, and for messages of the sizes before and after them.
func halves(m Model, p int, c Call, before, after []uint64) (ways, sums float64, inTurn bool) {
	n, size := c.elements(), c.element()
	sizes := before
	for d := 2; d <= highest(p); d *= 2 {
		part := (n + uint64(d) - 1) / uint64(d) * size
		ways, sums = ways+m.way(part), sums+m.sum(part)
		sizes = append(sizes, part)
	}
	for _, part := range slices.Backward(sizes[len(before):]) {
		sizes = append(sizes, part)
	}
	return ways, sums, m.inTurn(append(sizes, after...))
}

// rabenseifnerCost is 2 lg p·α + 2n(p − 1)/p·β + n(p − 1)/p·γ for p = 2^k, [trg] 4.4 and 4.5. For
// other p, the surplus members first take two messages of n/2 and one combination, here.
func rabenseifnerCost(m Model, p int, c Call) (float64, bool) {
	var before, after []uint64
	half := (c.elements() + 1) / 2 * c.element()
	if !isPower(p) {
		before, after = []uint64{half, half}, []uint64{c.Bytes}
	}
	ways, sums, inTurn := halves(m, p, c, before, after)
	t := 2*ways + sums
	if !isPower(p) {
		t += 2*m.way(half) + m.sum(half)
	}
	return t, inTurn && c.wholeElements()
}

// rabenseifnerAnyCost is rabenseifnerCost plus, unless p is a power of two, a message of n.
func rabenseifnerAnyCost(m Model, p int, c Call) (float64, bool) {
	t, ok := rabenseifnerCost(m, p, c)
	if !isPower(p) {
		t += m.way(c.Bytes)
	}
	return t, ok
}

// mpichRabenseifnerCost is rabenseifnerCost for p = 2^k, and for other p (2⌊lg p⌋ + 2)α +
// (2(p′ − 1)/p′ + 2)nβ + (1 + (p′ − 1)/p′)nγ, [trg] 4.5. The source writes p for p′ = 2^⌊lg p⌋,
// which alone is exact.
func mpichRabenseifnerCost(m Model, p int, c Call) (float64, bool) {
	var handed []uint64
	if !isPower(p) {
		handed = []uint64{c.Bytes}
	}
	ways, sums, inTurn := halves(m, p, c, handed, handed)
	t := 2*ways + sums
	if !isPower(p) {
		t += 2*m.way(c.Bytes) + m.sum(c.Bytes)
	}
	return t, inTurn && c.wholeElements()
}

// doublingCost is lg p·(α + nβ + nγ) for p = 2^k, [trg] 4.5. For other p, here, with k = ⌊lg p⌋:
// the members that also act for the r = p − 2^k surplus ones begin a message and a combination
// later. Either this delays all members, or they answer in the end, after ⌈lg r⌉ rounds of waiting
// for each other and other rounds whose messages have already arrived. In Hockney's model that is
// (k + 2)(α + nβ) without γ.
func doublingCost(m Model, p int, c Call) (float64, bool) {
	k, one, sum := floorLg(p), m.message(c.Bytes), m.sum(c.Bytes)
	if isPower(p) {
		return k * (one.oneWay() + sum), true
	}
	waits := ceilLg(p - highest(p))
	answered := (waits+1)*(one.oneWay()+sum) + (k-waits)*max(one.turn(one), sum) + one.oneWay()
	return max((k+1)*(one.oneWay()+sum), answered), sum == 0 || m.blocks(c.Bytes)
}

// ringAllreduceCost is 2(p − 1)α + 2n(p − 1)/p·β + n(p − 1)/p·γ, [pg], with ⌈n/p⌉ for n/p, since a
// share of that size goes all the way around.
func ringAllreduceCost(m Model, p int, c Call) (float64, bool) {
	share := (c.elements() + uint64(p) - 1) / uint64(p) * c.element()
	return float64(p-1) * (2*m.way(share) + m.sum(share)), c.wholeElements()
}

// segmentedRingCost is ringAllreduceCost for whole messages; segments have no form.
func segmentedRingCost(m Model, p int, c Call) (float64, bool) {
	t, ok := ringAllreduceCost(m, p, c)
	return t, ok && c.unsegmented()
}

// scatterDoublingCost is 2 lg p·α + 2n(p − 1)/p·β for p = 2^k and equal portions, [trg] 4.1.
func scatterDoublingCost(m Model, p int, c Call) (float64, bool) {
	ways, _, inTurn := halves(m, p, c, nil, nil)
	return 2 * ways, inTurn && isPower(p) && c.equalShares(p)
}

// scatterRingCost is (⌈lg p⌉ + p − 1)α + 2n(p − 1)/p·β for equal portions, [trg] 4.1: a portion
// goes around as soon as its member has completed the scatter.
func scatterRingCost(m Model, p int, c Call) (float64, bool) {
	s := newPortions(p, c)
	// If a receive takes processor time, a send can delay it, and it can delay the next send:
	// messages around the ring may arrive before the scatter ends.
	one := m.message(s.each)
	_, begin, _ := s.scatter(m)
	return slices.Max(begin) + float64(p-1)*one.oneWay(), c.equalShares(p) && one.Receive == 0 && one.Gap >= one.ReceiveGap
}

// ringReduceScatterCost is (p − 1)α + n(p − 1)/p·(β + γ), [trg] 4.3 (there for the pairwise
// exchange, whose steps include the combination as well); n is the total.
func ringReduceScatterCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * (m.way(c.Bytes) + m.sum(c.Bytes)), true
}

// halvingCost is lg p·α + n(p − 1)/p·(β + γ) for p = 2^k, [trg] 4.3.
func halvingCost(m Model, p int, c Call) (float64, bool) {
	t, sizes := 0.0, []uint64(nil)
	for d := p / 2; d > 0; d /= 2 {
		n := uint64(d) * c.Bytes
		t += m.way(n) + m.sum(n)
		sizes = append(sizes, n)
	}
	return t, isPower(p) && m.inTurn(sizes)
}

// ringAllgatherCost is (p − 1)α + n(p − 1)/p·β, [trg] 4.2 and MPICH's header. Open MPI's header has
// twice as much, 2(p − 1)(α + n/p·β), which holds only if the send and the receive of a step cannot
// overlap (half duplex).
func ringAllgatherCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.way(c.Bytes), true
}

// bruckAllgatherCost is ⌈lg p⌉α + n(p − 1)/p·β, [trg] 4.2. If p is not a power of two, the last
// round need not wait for all earlier ones.
func bruckAllgatherCost(m Model, p int, c Call) (float64, bool) {
	t, ok := 0.0, true
	for d := 1; d < p; d *= 2 {
		n := uint64(min(d, p-d)) * c.Bytes
		t, ok = t+m.way(n), ok && (isPower(p) || m.blocks(n))
	}
	return t, ok
}

// neighbourCost is p/2·α + n(p − 1)/p·β for even p (Chen and others 2005).
func neighbourCost(m Model, p int, c Call) (float64, bool) {
	return m.way(c.Bytes) + float64(p/2-1)*m.way(2*c.Bytes), m.inTurn([]uint64{c.Bytes, 2 * c.Bytes})
}

// linearAlltoallCost is p − 1 blocks through one port, (p − 1)(α + n/p·β), in Hockney's model. In
// other models a member's processor alternates between sends and receives, and the schedule of one
// member, which represents all, gives the time.
func linearAlltoallCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.way(c.Bytes), m.Messages == nil && m.Alpha > 0
}

// bruckAlltoallCost is ⌈lg p⌉α, and β for each byte of the blocks whose remaining distance has the
// bit of the round; for p = 2^k that is lg p·α + n/2·lg p·β, [trg] 4.2. Rounds overlap as in
// bruckAllgatherCost.
func bruckAlltoallCost(m Model, p int, c Call) (float64, bool) {
	t, ok := 0.0, true
	for d := 1; d < p; d *= 2 {
		// Of each 2d numbers the upper d have the bit.
		n := uint64(p/(2*d)*d+max(0, p%(2*d)-d)) * c.Bytes
		t, ok = t+m.way(n), ok && (isPower(p) || m.blocks(n))
	}
	return t, ok
}

// disseminationCost is ⌈lg p⌉(α + nβ), Hensgen and others 1988.
func disseminationCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.way(c.Bytes), true
}

// doubleRingCost is 2p(α + nβ) for p ≥ 2, here: twice around the ring.
func doubleRingCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	return 2 * float64(p) * m.way(c.Bytes), true
}

// doublingBarrierCost is lg p·(α + nβ) for p = 2^k; for other p two messages more than for ⌊lg p⌋,
// here.
func doublingBarrierCost(m Model, p int, c Call) (float64, bool) {
	m.Gamma = 0
	return doublingCost(m, p, c)
}

// doublingScanCost is lg p·(α + nβ) for p = 2^k, here; only for γ = 0, as two combinations in a
// round share the processor.
func doublingScanCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.way(c.Bytes), m.Gamma == 0 && isPower(p)
}
