package collective

import "math/bits"

// Model is what a message and a combination cost in the closed forms: α + nβ for a message
// of n bytes, during which its sender's way out and its receiver's way in are taken, and γ for
// each byte combined. A member can send, receive and combine at once, one of each kind at a
// time (Hockney's model, full duplex, one port).
type Model struct {
	Alpha float64 // of a message, in any unit of time, at least 0
	Beta  float64 // per byte, in the same unit
	Gamma float64 // per byte combined, in the same unit; Call.Gamma is not read
}

// A Cost is the time from the common begin until the last member is done, in the unit of
// the model, and false where the closed form does not hold: the schedule has to be simulated
// then. Members are p ≥ 1.
//
// Sources, as cited at each:
//
//	[trg]  Thakur, Rabenseifner, Gropp, Optimization of collective communication operations
//	       in MPICH, 2005, sections 4.1 to 4.5; repeated in the header comments of
//	       MPICH's src/mpi/coll.
//	[pg]   Pjesivac-Grbovic and others, Performance analysis of MPI collective operations,
//	       2007, tables of Hockney's model.
//	here   derived from the schedule, as the literature states no exact form
//
// The literature writes n for the total: p·Bytes where Bytes is a block, also below.
type Cost func(m Model, p int, c Call) (float64, bool)

// message is α + nβ.
func (m Model) message(n float64) float64 { return m.Alpha + n*m.Beta }

// floorLg is ⌊lg p⌋, ceilLg ⌈lg p⌉.
func floorLg(p int) float64 { return float64(bits.Len(uint(p)) - 1) }
func ceilLg(p int) float64  { return float64(bits.Len(uint(p - 1))) }

func isPower(p int) bool { return p&(p-1) == 0 }

// whole says that the message travels in one piece.
func whole(c Call) bool { return c.Segment == 0 || c.Segment >= c.Bytes }

// splits says that the message can be cut into k equal parts of whole elements.
func splits(c Call, k int) bool {
	return c.Bytes > 0 && c.Bytes%(uint64(k)*max(c.Element, 1)) == 0
}

// rest is (p − 1)/p.
func rest(p int) float64 { return float64(p-1) / float64(p) }

// linearCost is (p − 1)(α + nβ), [pg]. Linear sends whole messages; the trees below have closed
// forms for these alone.
func linearCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.message(float64(c.Bytes)), true
}

// chainCost, here: with q, r the quotient and rest of p − 1 by the number of chains f, the
// last of the r longer ones ends r + q, the last of all f + q − 1 messages after the begin.
func chainCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, whole(c)
	}
	f := 4
	if c.Fanout > 0 {
		f = c.Fanout
	}
	f = min(f, p-1)
	q, r := (p-1)/f, (p-1)%f
	steps := f + q - 1
	if r > 0 {
		steps = max(steps, r+q)
	}
	return float64(steps) * m.message(float64(c.Bytes)), whole(c)
}

// pipelineCost is (p − 2 + S)(α + n/S·β) with S segments of equal size, [pg].
func pipelineCost(m Model, p int, c Call) (float64, bool) {
	s, ok := segmentsOf(c)
	if p < 2 {
		return 0, ok
	}
	return float64(uint64(p)-2+s) * m.message(float64(c.Bytes)/float64(s)), ok
}

// segmentsOf is the number of segments, and whether they are equal.
func segmentsOf(c Call) (uint64, bool) {
	if whole(c) {
		return 1, true
	}
	return c.Bytes / c.Segment, c.Bytes%c.Segment == 0 && c.Segment%max(c.Element, 1) == 0
}

// binomialCost is ⌈lg p⌉(α + nβ), [trg] 4.1.
func binomialCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.message(float64(c.Bytes)), whole(c)
}

// knomialCost is (r − 1)·log_r p·(α + nβ) for p a power of the radix r, here.
func knomialCost(m Model, p int, c Call) (float64, bool) {
	radix, levels := max(c.Fanout, 2), 0
	if c.Fanout == 0 {
		radix = 4
	}
	for ; p > 1 && p%radix == 0; p /= radix {
		levels++
	}
	return float64((radix-1)*levels) * m.message(float64(c.Bytes)), p == 1 && whole(c)
}

// scatterDoublingCost is 2 lg p·α + 2n(p − 1)/p·β for p = 2^k, [trg] 4.1.
func scatterDoublingCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return 2*ceilLg(p)*m.Alpha + 2*n*rest(p)*m.Beta, isPower(p) && splits(c, p)
}

// scatterRingCost is (⌈lg p⌉ + p − 1)α + 2n(p − 1)/p·β, [trg] 4.1.
func scatterRingCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return (ceilLg(p)+float64(p-1))*m.Alpha + 2*n*rest(p)*m.Beta, splits(c, p)
}

// linearReduceCost is (p − 1)(α + nβ + nγ), [pg]: the root combines before it receives on.
func linearReduceCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return float64(p-1) * (m.message(n) + n*m.Gamma), true
}

// pipelineReduceCost, here: with c = α + n/S·β and g = n/S·γ, the first of S equal segments
// takes (p − 1)(c + g), and each other one max(c, g) more.
func pipelineReduceCost(m Model, p int, c Call) (float64, bool) {
	s, ok := segmentsOf(c)
	if p < 2 {
		return 0, ok
	}
	n := float64(c.Bytes) / float64(s)
	message, sum := m.message(n), n*m.Gamma
	return float64(p-1)*(message+sum) + float64(s-1)*max(message, sum), ok
}

// binomialReduceCost is ⌈lg p⌉(α + nβ + nγ), [trg] 4.4, for p = 2^k or γ = 0: for other p some
// combinations overlap with messages.
func binomialReduceCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return ceilLg(p) * (m.message(n) + n*m.Gamma), whole(c) && (isPower(p) || m.Gamma == 0)
}

// schedgenReduceCost is ⌈lg p⌉(α + nβ) for γ = 0, here: a child near the root that is done late
// lets the others' combinations wait.
func schedgenReduceCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.message(float64(c.Bytes)), whole(c) && m.Gamma == 0
}

// rabenseifnerCost is 2 lg p·α + 2n(p − 1)/p·β + n(p − 1)/p·γ for p = 2^k, [trg] 4.4 and 4.5.
func rabenseifnerCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return 2*ceilLg(p)*m.Alpha + n*rest(p)*(2*m.Beta+m.Gamma), p == 1 || isPower(p) && splits(c, p)
}

// rabenseifnerAnyCost is rabenseifnerCost, and for other p, with p′ = 2^⌊lg p⌋, three messages
// more, of n/2, n/2 and n bytes, and n/2 combined, here.
func rabenseifnerAnyCost(m Model, p int, c Call) (float64, bool) {
	if isPower(p) {
		return rabenseifnerCost(m, p, c)
	}
	n, power := float64(c.Bytes), highest(p)
	t, ok := rabenseifnerCost(m, power, c)
	return t + 2*m.message(n/2) + m.message(n) + n/2*m.Gamma, ok
}

// mpichRabenseifnerCost is rabenseifnerCost, and for other p (2⌊lg p⌋ + 2)α +
// (2(p′ − 1)/p′ + 2)nβ + (1 + (p′ − 1)/p′)nγ, [trg] 4.5. The source writes p for p′ = 2^⌊lg p⌋,
// which alone is exact.
func mpichRabenseifnerCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	t, ok := rabenseifnerCost(m, highest(p), c)
	if !isPower(p) {
		t += 2*m.message(n) + n*m.Gamma
	}
	return t, ok
}

// doublingCost is lg p·(α + nβ + nγ) for p = 2^k, [trg] 4.5; for other p two messages and one
// combination more than for ⌊lg p⌋, here.
func doublingCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	t := floorLg(p) * (m.message(n) + n*m.Gamma)
	if !isPower(p) {
		t += 2*m.message(n) + n*m.Gamma
	}
	return t, true
}

// linearAllreduceCost is 2(p − 1)(α + nβ) + (p − 1)nγ: linearReduceCost and linearCost.
func linearAllreduceCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return float64(p-1) * (2*m.message(n) + n*m.Gamma), true
}

// reduceBroadcastCost is ⌈lg p⌉(2α + 2nβ + nγ), the sum of binomialReduceCost and
// binomialCost, where the former holds.
func reduceBroadcastCost(m Model, p int, c Call) (float64, bool) {
	t, ok := binomialReduceCost(m, p, c)
	return t + ceilLg(p)*m.message(float64(c.Bytes)), ok
}

// ringAllreduceCost is 2(p − 1)α + 2n(p − 1)/p·β + n(p − 1)/p·γ, [pg].
func ringAllreduceCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return 2*float64(p-1)*m.Alpha + n*rest(p)*(2*m.Beta+m.Gamma), p == 1 || splits(c, p)
}

// ringReduceScatterCost is (p − 1)α + n(p − 1)/p·(β + γ), [trg] 4.3 (there for the pairwise
// exchange, whose steps include the combination as well); n is the total.
func ringReduceScatterCost(m Model, p int, c Call) (float64, bool) {
	b := float64(c.Bytes)
	return float64(p-1) * (m.message(b) + b*m.Gamma), true
}

// halvingCost is lg p·α + n(p − 1)/p·(β + γ) for p = 2^k, [trg] 4.3.
func halvingCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes) * float64(p)
	return ceilLg(p)*m.Alpha + n*rest(p)*(m.Beta+m.Gamma), isPower(p)
}

// ringAllgatherCost is (p − 1)α + n(p − 1)/p·β, [trg] 4.2 and MPICH's header. Open MPI's header
// has twice as much, 2(p − 1)(α + n/p·β): its ring sends in p − 1 steps, each with a send and a
// receive at once, so that is right only where the two cannot overlap (half duplex).
func ringAllgatherCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.message(float64(c.Bytes)), true
}

// bruckAllgatherCost is ⌈lg p⌉α + n(p − 1)/p·β, [trg] 4.2.
func bruckAllgatherCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p)*m.Alpha + float64(p-1)*float64(c.Bytes)*m.Beta, true
}

// neighbourCost is p/2·α + n(p − 1)/p·β for even p (Chen and others 2005), and the ring's for
// others.
func neighbourCost(m Model, p int, c Call) (float64, bool) {
	if p%2 != 0 {
		return ringAllgatherCost(m, p, c)
	}
	return float64(p/2)*m.Alpha + float64(p-1)*float64(c.Bytes)*m.Beta, true
}

// linearAllgatherCost is a gather and a broadcast of n, (p − 1)(2α + n/p·β + nβ), here.
func linearAllgatherCost(m Model, p int, c Call) (float64, bool) {
	b := float64(c.Bytes)
	return float64(p-1) * (m.message(b) + m.message(float64(p)*b)), true
}

// blocksCost is (p − 1)(α + n/p·β): p − 1 blocks through one port. For the pairwise alltoall
// [trg] and MPICH's header write (p − 1)α + nβ, which counts the member's own block too.
func blocksCost(m Model, p int, c Call) (float64, bool) {
	return float64(p-1) * m.message(float64(c.Bytes)), true
}

// bruckAlltoallCost is ⌈lg p⌉α and β for each block whose way to go has the bit of the round;
// for p = 2^k that is lg p·α + n/2·lg p·β, [trg] 4.2.
func bruckAlltoallCost(m Model, p int, c Call) (float64, bool) {
	blocks := 0
	for j := range p {
		blocks += bits.OnesCount(uint(j))
	}
	return ceilLg(p)*m.Alpha + float64(blocks)*float64(c.Bytes)*m.Beta, true
}

// binomialGatherCost is ⌈lg p⌉α + n(p − 1)/p·β, [trg] 4.1 (there of the scatter).
func binomialGatherCost(m Model, p int, c Call) (float64, bool) {
	return bruckAllgatherCost(m, p, c)
}

// disseminationCost is ⌈lg p⌉(α + nβ), Hensgen and others 1988.
func disseminationCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.message(float64(c.Bytes)), true
}

// linearBarrierCost is 2(p − 1)(α + nβ), here.
func linearBarrierCost(m Model, p int, c Call) (float64, bool) {
	return 2 * float64(p-1) * m.message(float64(c.Bytes)), true
}

// treeBarrierCost is 2⌈lg p⌉(α + nβ), here.
func treeBarrierCost(m Model, p int, c Call) (float64, bool) {
	return 2 * ceilLg(p) * m.message(float64(c.Bytes)), true
}

// doubleRingCost is 2p(α + nβ) for p ≥ 2, here: twice around.
func doubleRingCost(m Model, p int, c Call) (float64, bool) {
	if p < 2 {
		return 0, true
	}
	return 2 * float64(p) * m.message(float64(c.Bytes)), true
}

// doublingBarrierCost is lg p·(α + nβ) for p = 2^k; for others two messages more than for
// ⌊lg p⌋, here.
func doublingBarrierCost(m Model, p int, c Call) (float64, bool) {
	m.Gamma = 0
	return doublingCost(m, p, c)
}

// linearScanCost is (p − 1)(α + nβ + nγ), whole, here.
func linearScanCost(m Model, p int, c Call) (float64, bool) {
	n := float64(c.Bytes)
	return float64(p-1) * (m.message(n) + n*m.Gamma), whole(c)
}

// doublingScanCost is ⌈lg p⌉(α + nβ), here; only for γ = 0, as two combinations a round share
// the processor.
func doublingScanCost(m Model, p int, c Call) (float64, bool) {
	return ceilLg(p) * m.message(float64(c.Bytes)), m.Gamma == 0
}
