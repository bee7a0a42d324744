package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxCounts is the maximum number of packet counts that BestPacket tries on each side of its start.
// It limits the time of a search: each count needs a bisection.
const maxCounts = 1 << 16

// BestPacket returns the size in whole bytes of equal packets (the last may be shorter) that
// minimises the time of n bytes, and that time. If several sizes do, it is one of them. 1 ≤ n ≤
// quantity.MaxBytes.
//
// With the bottleneck b fixed and n/p not rounded, the optimum is
//
//	P* = √( nβ_b / (Στ − τ_b) )
//
// but b depends on p and the last packet is short, so this is only the start of the search. For a
// given number of packets K the time is a maximum of linear functions of p, and so convex; for all
// K beyond those tried, a lower bound (see bound) exceeds the best time found. Hence the result is
// exact, unless more than maxCounts numbers of packets above or below the start could still be
// better: never for n ≤ maxCounts, and for the costs of real systems not below about 2³⁷
// bytes. In that case, it is the best of those tried. Sizes above quantity.MaxBytes, where floats
// no longer distinguish single bytes, get P*. With measured stages it is the best of a search.
func (l *Pipeline) BestPacket(n quantity.Bytes) (quantity.Bytes, quantity.Micros) {
	if l.Measured() {
		return l.bestMeasured(n)
	}
	best, time := n, l.OneWayIn(n, n)
	start := 1.0
	consider := func(size quantity.Bytes) {
		if t := l.OneWayIn(n, size); t < time {
			best, time, start = size, t, packets(n, size)
		}
	}
	var sumTau quantity.MicrosPerByte
	for _, s := range l.Stages {
		sumTau += s.Tau
	}
	for _, s := range l.Stages {
		p := math.Round(math.Sqrt(float64(n) * float64(s.Beta) / float64(sumTau-s.Tau)))
		consider(min(n, max(1, quantity.Bytes(p)))) // NaN becomes NaN and loses every comparison
	}
	if n > quantity.MaxBytes {
		return best, time
	}
	try := func(count float64) {
		size, t := l.bestOf(n, count, time)
		if t < time || t == time && size > best {
			best, time = size, t
		}
	}
	try(start)
	// The bound is convex in the number of packets, so once it exceeds the best time, all further
	// numbers in that direction do.
	for _, step := range []float64{+1, -1} {
		k := nextCount(n, start, step)
		for range maxCounts {
			if k < 1 || k > float64(n) || l.bound(n, k) >= time {
				break
			}
			try(k)
			k = nextCount(n, k, step)
		}
	}
	return best, time
}

// nextCount returns the next number of packets above or below count into which n bytes can be cut
// equally: seven bytes make 4 packets of 2 or 7 of 1, not 5.
func nextCount(n quantity.Bytes, count float64, step float64) float64 {
	next := count + step
	size := math.Ceil(float64(n) / next)
	if next < 1 || packets(n, quantity.Bytes(size)) == next {
		return next
	}
	if step > 0 {
		size--
		if size < 1 {
			return math.Inf(1)
		}
	}
	return packets(n, quantity.Bytes(size))
}

// bestOf returns the best size for n bytes in exactly count packets, and its time, or a time of at
// least limit if no such size is faster. It bisects the sizes by the slope in the middle, and gives
// up if the slope cannot lead below limit.
func (l *Pipeline) bestOf(
	n quantity.Bytes, count float64, limit quantity.Micros,
) (quantity.Bytes, quantity.Micros) {
	lo, hi := math.Ceil(float64(n)/count), float64(n)
	if count > 1 {
		hi = math.Ceil(float64(n)/(count-1)) - 1
	}
	for lo < hi {
		mid := math.Floor((lo + hi) / 2)
		t := l.OneWayIn(n, quantity.Bytes(mid))
		slope := l.OneWayIn(n, quantity.Bytes(mid+1)) - t
		reach := hi - mid
		if slope >= 0 {
			reach = lo - mid
			hi = mid
		} else {
			lo = mid + 1
		}
		if least := t + slope*quantity.Micros(reach); least > limit {
			return quantity.Bytes(mid), least
		}
	}
	return quantity.Bytes(lo), l.OneWayIn(n, quantity.Bytes(lo))
}

// bound returns a lower bound of the time of n bytes in count packets p ≥ n/count, the last one
// of at least a byte. It is convex in count. Each stage b gives a bound by two paths through the
// recurrence: all packets in b, then the last one in later stages; and all but the last in b, then
// the last but one in later stages.
func (l *Pipeline) bound(n quantity.Bytes, count float64) quantity.Micros {
	size := quantity.Bytes(float64(n) / count)
	var total quantity.Micros // Σ t_i(n/K)
	var sumTau quantity.MicrosPerByte
	for i := range l.Stages {
		total += l.Stages[i].Time(size)
		sumTau += l.Stages[i].Tau
	}
	end := l.Stages[len(l.Stages)-1].Time(1)
	var bound, head quantity.Micros
	var tail quantity.Micros // Σ_{i>b} t_i(1)
	for i := range l.Stages {
		tail += l.Stages[i].Time(1)
	}
	for i := range l.Stages {
		s := &l.Stages[i]
		tail -= s.Time(1)
		bound = max(bound, head+s.busy(n, count)+tail)
		if count > 1 && sumTau >= 2*s.Tau { // else the term in n/K is concave
			bound = max(bound, total+quantity.Micros(count-2)*s.Time(size)+end)
		}
		head += s.Time(size)
	}
	return bound
}

// PaperStages is the minimum number of stages for the formulas of the paper, [Pipeline.PaperBound]
// and [Pipeline.PaperPacket].
const PaperStages = 3

// PaperBound returns CLIP's upper bound of the time of n bytes in packets of the given size
// (§4.2.2.2, eq. 8), for comparison with the exact [Pipeline.OneWayIn]:
//
//	T(L, P) ≅ 2(2β0 + β1) + 2(τ0 + τ1)P + ⌈L/P⌉(β0 + β1 + β2 + Pτ1)
//
// It assumes five stages, the fourth and fifth as slow as the second and the first. It uses stages
// 0 to 2 of l, which must exist.
//
// It rests on inequality 3, τ1 > τ0 > τ2, which the paper's own table 4.2 contradicts, and
// counts β0 + β1 + β2 for each packet although those stages overlap: for CLIP it is 0.7 to 55 %
// above the exact time.
func (l *Pipeline) PaperBound(n, size quantity.Bytes) quantity.Micros {
	s0, s1, s2 := &l.Stages[0], &l.Stages[1], &l.Stages[2]
	return 2*(2*s0.Beta+s1.Beta) + (2 * (s0.Tau + s1.Tau)).Times(size) +
		quantity.Micros(packets(n, size))*(s0.Beta+s1.Beta+s2.Beta+s1.Tau.Times(size)) // (8)
}

// PaperPacket returns CLIP's packet size for n bytes (§4.2.2.2, eq. 10), rounded to whole bytes
// and limited to 1 to n:
//
//	P = √( L(β0 + β1 + β2) / 2(τ0 + τ1) )
//
// For 64 KiB it is 3,490 bytes. It minimises [Pipeline.PaperBound] with L/P not rounded;
// [Pipeline.BestPacket] minimises the exact time. l must have three stages.
func (l *Pipeline) PaperPacket(n quantity.Bytes) quantity.Bytes {
	return paperPacket(l.Stages, n)
}

// paperPacket is PaperPacket without a receiver: an inlined method would copy the Pipeline, which
// takes nearly half of the time of a prediction.
func paperPacket(s []Stage, n quantity.Bytes) quantity.Bytes {
	s = s[:PaperStages]
	beta := s[0].Beta + s[1].Beta + s[2].Beta
	tau := 2 * (s[0].Tau + s[1].Tau)
	p := math.Sqrt(float64(n) * float64(beta) / float64(tau)) // (10)
	if p < float64(n) {
		return max(1, quantity.Bytes(math.Floor(p+0.5)))
	}
	return n // NaN too: no cost at all
}
