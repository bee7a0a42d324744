package model

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxCounts is the largest number of packet counts that BestPacket tries on either
// side of its start. A try takes some 0.1 to 0.4 µs.
const maxCounts = 1 << 16

// BestPacket is the size in whole bytes of equal packets (the last may be
// shorter) for which n bytes take the least time, and that time. Where several
// sizes do, it is one of them. 1 ≤ n ≤ quantity.MaxBytes.
//
// With the bottleneck b fixed and n/p not rounded, the optimum is
//
//	P* = √( nβ_b / (Στ − τ_b) )
//
// but b depends on p and the last packet is short, so this is only where the search starts. For a
// given number of packets K the time is convex in p, being a maximum of linear functions; for all K
// beyond those tried a lower bound (see bound) is above the best time found. Hence the result is
// exact, unless more than maxCounts numbers of packets above or below the start could still be
// better: never for n ≤ maxCounts, and for the costs of real systems not below some 2³⁷ bytes. Then
// it is the best of those tried. Sizes above quantity.MaxBytes, where floats no longer distinguish
// single bytes, get P*.
func (l *Pipeline) BestPacket(n quantity.Bytes) (quantity.Bytes, quantity.Micros) {
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
	for _, step := range []float64{+1, -1} {
		k := nextCount(n, start, step)
		for tries := 0; tries < maxCounts && k >= 1 && k <= float64(n) && l.bound(n, k) < time; tries++ {
			try(k)
			k = nextCount(n, k, step)
		}
	}
	return best, time
}

// nextCount is the next number of packets above or below count into which n
// bytes can be cut equally: seven bytes make 4 packets of 2 or 7 of 1, not 5.
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

// bestOf is the best size for n bytes in exactly count packets, and its time, or
// a time that is not below limit if none is. It halves the range of sizes
// by the slope in the middle, and gives up where the slope cannot lead below limit.
func (l *Pipeline) bestOf(n quantity.Bytes, count float64, limit quantity.Micros) (quantity.Bytes, quantity.Micros) {
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

// bound is a time that n bytes in count packets p ≥ n/count, the last one of
// a byte or more, cannot beat. It is convex in count. For each stage b, two ways
// through the recurrence give one: all packets in b, the last one on from there;
// and all but the last in b, the last but one on from there.
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
