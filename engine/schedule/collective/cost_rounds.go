package collective

import "slices"

// Closed forms of algorithms in rounds, in each of which a member sends one message and waits for
// one. Members that begin late, or that send more, let others be late: the longest chain of
// messages decides.

// halves is the time of the messages of recursive halving among 2^k members, w(n/2) + w(n/4) + …,
// and of their combination. Of halves that differ by an element, one member has all the larger.
func halves(m Model, p int, c Call) (ways, sums float64) {
	n, size, _ := elements(c)
	for d := 2; d <= highest(p); d *= 2 {
		part := (n + uint64(d) - 1) / uint64(d) * size
		ways, sums = ways+m.way(part), sums+m.sum(part)
	}
	return ways, sums
}

// rabenseifnerCost is 2 lg p·α + 2n(p − 1)/p·β + n(p − 1)/p·γ for p = 2^k, [trg] 4.4 and 4.5. For
// other p, those too many take two messages of n/2 and one combination before, here.
func rabenseifnerCost(m Model, p int, c Call) (float64, bool) {
	n, size, ok := elements(c)
	if p < 2 || n < uint64(highest(p)) {
		return linearReduceCost(m, p, c)
	}
	ways, sums := halves(m, p, c)
	t := 2*ways + sums
	if half := (n + 1) / 2 * size; !isPower(p) {
		t += 2*m.way(half) + m.sum(half)
	}
	return t, ok
}

// rabenseifnerAnyCost is rabenseifnerCost, and a message of n for p that are no power of two.
func rabenseifnerAnyCost(m Model, p int, c Call) (float64, bool) {
	if n, _, _ := elements(c); p < 2 || n < uint64(highest(p)) {
		return linearAllreduceCost(m, p, c)
	}
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
	n, _, ok := elements(c)
	if p < 2 || n < uint64(highest(p)) {
		return doublingCost(m, p, c)
	}
	ways, sums := halves(m, p, c)
	t := 2*ways + sums
	if !isPower(p) {
		t += 2*m.way(c.Bytes) + m.sum(c.Bytes)
	}
	return t, ok
}

// doublingCost is lg p·(α + nβ + nγ) for p = 2^k, [trg] 4.5. For other p, here: with k = ⌊lg p⌋, those
// that stand in for r = p − 2^k others begin a message and a combination later, and let all be as
// late; or they answer in the end, with ⌈lg r⌉ rounds of waiting for each other, and the other
// rounds with messages that are there. In Hockney's model that is (k + 2)(α + nβ) without γ.
func doublingCost(m Model, p int, c Call) (float64, bool) {
	k, one, sum := floorLg(p), m.message(c.Bytes), m.sum(c.Bytes)
	if isPower(p) {
		return k * (one.oneWay() + sum), true
	}
	waits := ceilLg(p - highest(p))
	answered := (waits+1)*(one.oneWay()+sum) + (k-waits)*max(one.turn(one), sum) + one.oneWay()
	return max((k+1)*(one.oneWay()+sum), answered), sum == 0 || m.blocks(c.Bytes)
}

// ringAllreduceCost is 2(p − 1)α + 2n(p − 1)/p·β + n(p − 1)/p·γ, [pg], with ⌈n/p⌉ for n/p: a share of
// that size goes all the way.
func ringAllreduceCost(m Model, p int, c Call) (float64, bool) {
	n, size, ok := elements(c)
	if p < 2 || n < uint64(p) {
		return doublingCost(m, p, c)
	}
	share := (n + uint64(p) - 1) / uint64(p) * size
	return float64(p-1) * (2*m.way(share) + m.sum(share)), ok
}

// segmentedRingCost is ringAllreduceCost for a message that has no segments.
func segmentedRingCost(m Model, p int, c Call) (float64, bool) {
	t, ok := ringAllreduceCost(m, p, c)
	return t, ok && c.Segment == 0
}

// scatterDoublingCost is 2 lg p·α + 2n(p − 1)/p·β for p = 2^k and equal portions, [trg] 4.1. For
// others it follows the rounds of each member, here.
func scatterDoublingCost(m Model, p int, c Call) (float64, bool) {
	n, _, ok := elements(c)
	if n < uint64(p) {
		return linearCost(m, p, c)
	}
	s := newPortions(p, c)
	has, free, in := s.scatter(m)
	for mask := 1; mask < p; mask *= 2 {
		begin := slices.Clone(free)
		// A short block at the end gives its pair's members less of them than they are: the members
		// of a whole block pass on what came.
		for v := range p {
			peer := v ^ mask
			if peer >= p {
				continue
			}
			mine, theirs := v&^(mask-1), peer&^(mask-1)
			sent, got := m.message(s.of(mine, mine+mask)), m.message(s.of(theirs, theirs+mask))
			start := max(begin[peer]+got.Send+got.Latency, in[v])
			has[v], in[v] = max(start+got.Stream, begin[v]+sent.Send)+got.Receive, start+got.Intake
			free[v] = begin[v] + sent.out()
		}
		short := p &^ (mask - 1) // where a block begins that is not whole
		if have := p - short; have > 0 && short&mask != 0 {
			first, passed := short-mask, m.message(s.of(short, short+mask))
			for d := mask / 2; d > 0; d /= 2 {
				for v := first; v < short; v++ {
					block := v &^ (2*d - 1)
					if from := block + have; v >= from || v^d < from {
						continue
					}
					at := max(has[v], free[v])
					start := max(at+passed.Send+passed.Latency, in[v^d])
					has[v^d], in[v^d] = max(start+passed.Stream, free[v^d])+passed.Receive, start+passed.Intake
					free[v] = at + passed.out()
				}
			}
		}
		for v := range p {
			free[v] = max(free[v], has[v])
		}
	}
	return slices.Max(has), ok
}

// scatterRingCost is (⌈lg p⌉ + p − 1)α + 2n(p − 1)/p·β for equal portions, [trg] 4.1. For others,
// here: a portion goes around from when its member is done with the scatter; or that member is late
// with the portions that come after its own, the smaller ones of which cost less.
func scatterRingCost(m Model, p int, c Call) (float64, bool) {
	n, _, ok := elements(c)
	if n < uint64(p) {
		return linearCost(m, p, c)
	}
	s := newPortions(p, c)
	// A member that gets nothing begins at once, and its messages keep other processors busy.
	ok = ok && (s.of(p-1, p) > 0 || p == 1 || m.blocks(s.each))
	_, free, _ := s.scatter(m)
	last, whole := 0.0, int(s.bytes/s.each)
	late := make([]float64, p+1) // by how much, with the smaller portions before one
	for v := range p {
		own := m.message(s.of(v, v+1))
		last = max(last, free[v]+float64(p-1)*own.oneWay())
		if v < whole {
			continue
		}
		late[v+1] = late[v] + own.turn(m.message(s.of(v-1, v)))
		for next := whole - 1; next < v && next <= whole; next++ { // all after it are empty
			last = max(last, free[v]+late[v+1]-late[next+1]+float64(p-1-(v-next))*m.way(s.of(next, next+1)))
		}
	}
	return last, ok
}

// ringReduceScatterCost is (p − 1)α + n(p − 1)/p·(β + γ), [trg] 4.3 (there for the pairwise
// exchange, whose steps include the combination as well); n is the total.
func ringReduceScatterCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * (m.way(c.Bytes) + m.sum(c.Bytes)), true
}

// halvingCost is lg p·α + n(p − 1)/p·(β + γ) for p = 2^k, [trg] 4.3.
func halvingCost(m Model, p int, c Call) (float64, bool) {
	t := 0.0
	for d := p / 2; d > 0; d /= 2 {
		t += m.way(uint64(d)*c.Bytes) + m.sum(uint64(d)*c.Bytes)
	}
	return t, isPower(p)
}

// ringAllgatherCost is (p − 1)α + n(p − 1)/p·β, [trg] 4.2 and MPICH's header. Open MPI's header
// has twice as much, 2(p − 1)(α + n/p·β): its ring sends in p − 1 steps, each with a send and a
// receive at once, so that is right only where the two cannot overlap (half duplex).
func ringAllgatherCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.way(c.Bytes), true
}

// bruckAllgatherCost is ⌈lg p⌉α + n(p − 1)/p·β, [trg] 4.2. For p that are no power of two the last
// round need not wait for all before it.
func bruckAllgatherCost(m Model, p int, c Call) (float64, bool) {
	t, ok := 0.0, true
	for d := 1; d < p; d *= 2 {
		n := uint64(min(d, p-d)) * c.Bytes
		t, ok = t+m.way(n), ok && (isPower(p) || m.blocks(n))
	}
	return t, ok
}

// neighbourCost is p/2·α + n(p − 1)/p·β for even p (Chen and others 2005), and the ring's for
// others.
func neighbourCost(m Model, p int, c Call) (float64, bool) {
	if p%2 != 0 {
		return ringAllgatherCost(m, p, c)
	}
	return m.way(c.Bytes) + float64(p/2-1)*m.way(2*c.Bytes), true
}

// pairwiseCost is (p − 1)(α + n/p·β). [trg] and MPICH's header write (p − 1)α + nβ, which counts the
// member's own block too.
func pairwiseCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.way(c.Bytes), true
}

// linearAlltoallCost is p − 1 blocks through one port, (p − 1)(α + n/p·β).
func linearAlltoallCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.way(c.Bytes), m.blocks(c.Bytes)
}

// bruckAlltoallCost is ⌈lg p⌉α and β for each block whose way to go has the bit of the round;
// for p = 2^k that is lg p·α + n/2·lg p·β, [trg] 4.2.
// Rounds overlap as in bruckAllgatherCost.
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

// doubleRingCost is 2p(α + nβ) for p ≥ 2, here: twice around.
func doubleRingCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	return 2 * float64(p) * m.way(c.Bytes), true
}

// doublingBarrierCost is lg p·(α + nβ) for p = 2^k; for others two messages more than for
// ⌊lg p⌋, here.
func doublingBarrierCost(m Model, p int, c Call) (float64, bool) {
	m.Gamma = 0
	return doublingCost(m, p, c)
}

// doublingScanCost is lg p·(α + nβ) for p = 2^k, here; only for γ = 0, as two combinations a round
// share the processor.
func doublingScanCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.way(c.Bytes), m.Gamma == 0 && isPower(p)
}
