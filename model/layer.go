// Package model predicts the cost of a message.
//
// A [Layer] is a cost model of one level of a message-passing system; the layers of this package
// nest. All other quantities follow from the interface: [RTT], [Bandwidth], [Throughput],
// [Asymptote] (r∞) and [HalfPeak] (n½). All functions are pure: they compute a time from parameters
// and a message size. Parameters must be finite and not negative, sizes at least one byte; package
// platforms checks both for files.
//
// # References
//
//	[hockney]  Hockney. The communication challenge for MPP: Intel Paragon and Meiko CS-2.
//	           Parallel Computing 20, 1994.
//	[logp]     Culler, Karp, Patterson and others. LogP: Towards a Realistic
//	           Model of Parallel Computation. PPoPP 1993.
//	[loggp]    Alexandrov, Ionescu, Schauser, Scheiman. LogGP: Incorporating Long Messages into the
//	           LogP Model. SPAA 1995.
//	[clip]     Pokam Tiencheu. CLIP, a communication library on a Myrinet SMP cluster.
//	           Diploma thesis, TU Berlin, 1999.
//	[wang]     Wang, Krishnamurthy, Martin, Anderson, Culler. Modeling Communication Pipeline
//	           Latency. SIGMETRICS 1998.
package model

import (
	"errors"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Layer predicts the costs of a message of n bytes, n ≥ 1.
type Layer interface {
	// OneWay returns the time in µs from the start of the send to the arrival of the whole message
	// at the receiver.
	OneWay(n quantity.Bytes) quantity.Micros
	// Gap returns the minimum time in µs between messages of a steady stream.
	Gap(n quantity.Bytes) quantity.Micros
	// Overheads returns the times in µs for which the message occupies the sending and the
	// receiving processor: o_s and o_r.
	Overheads(n quantity.Bytes) (send, receive quantity.Micros)
	// Resources describes the resources that a message occupies, by the layer's parameters alone.
	Resources() Resources
	// Kind returns the layer's row in the registry.
	Kind() *Kind
}

// RTT returns the round-trip time of n bytes in each direction, in a ping-pong of many rounds:
// max(2·T(n), Gap(n)), since the next ping cannot leave before the gap of the previous one has
// ended.
func RTT(l Layer, n quantity.Bytes) quantity.Micros { return max(2*l.OneWay(n), l.Gap(n)) }

// Bandwidth returns n over the one-way time.
func Bandwidth(l Layer, n quantity.Bytes) quantity.MBps { return n.Over(l.OneWay(n)) }

// Throughput returns n over the gap, the rate of a steady stream of messages of n bytes; +Inf if
// the gap is zero.
func Throughput(l Layer, n quantity.Bytes) quantity.MBps { return n.Over(l.Gap(n)) }

// far is a size at which fixed costs are negligible beside those per byte: terms in √n are 2⁻⁵⁰ of
// those in n. It is a power of two, so that packets of the usual sizes divide it.
const far = quantity.Bytes(1 << 62 * 1 << 38)

// Asymptote returns r∞, the bandwidth of long messages: the inverse of the slope of OneWay at large
// n. +Inf if no cost is per byte.
func Asymptote(l Layer) quantity.MBps {
	l = LinesOf(l)
	return far.Over(l.OneWay(2*far) - l.OneWay(far))
}

// HalfPeak returns n½, the smallest whole size in bytes with at least half of the bandwidth r∞; for
// a linear cost it is β/τ [hockney], rounded up. The second result is false if r∞ is infinite.
//
// Bandwidth need not be monotone, since a protocol switch may reduce it. So the search first tries
// sizes in steps of 2^(1/8) and then bisects a step; a narrower peak can be missed.
func HalfPeak(l Layer) (quantity.Bytes, bool) {
	l = LinesOf(l)
	half := Asymptote(l) / 2 * (1 - 1e-12) // rounding must not cost a byte where β/τ is whole
	if math.IsInf(float64(half), 0) || math.IsNaN(float64(half)) {
		return 0, false
	}
	lo := quantity.Bytes(0)
	for k := 0; ; k++ {
		hi := quantity.Bytes(math.Ceil(math.Exp2(float64(k) / 8)))
		if hi > far {
			return 0, false
		}
		if Bandwidth(l, hi) < half {
			lo = hi
			continue
		}
		_, hi = bisect(lo, hi, func(n quantity.Bytes) bool { return Bandwidth(l, n) >= half })
		return hi, true
	}
}

// bisect narrows the range lo to hi, with above(lo) false and above(hi) true, to adjacent sizes.
func bisect(lo, hi quantity.Bytes, above func(quantity.Bytes) bool) (below, least quantity.Bytes) {
	for hi-lo > 1 && lo+(hi-lo)/2 != lo {
		if mid := quantity.Bytes(math.Floor(float64(lo+hi) / 2)); above(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return lo, hi
}

// A Packetizer is a layer that cuts a message of n bytes into packets.
type Packetizer interface {
	PacketSize(n quantity.Bytes) quantity.Bytes
}

// A Selector is a layer that selects one of several branches for a message of n bytes: a protocol
// switch.
type Selector interface {
	// Select returns the name of the branch and its layer.
	Select(n quantity.Bytes) (string, Layer)
}

// Regime returns the names of the branches that a message of n bytes takes, from the outermost,
// joined by "/"; empty without a switch.
func Regime(l Layer, n quantity.Bytes) string {
	s, ok := l.(Selector)
	if !ok {
		return ""
	}
	name, inner := s.Select(n)
	if rest := Regime(inner, n); rest != "" {
		return name + "/" + rest
	}
	return name
}

// At returns the layer that serves n bytes, inside all switches.
func At(l Layer, n quantity.Bytes) Layer {
	for {
		s, ok := l.(Selector)
		if !ok {
			return l
		}
		_, l = s.Select(n)
	}
}

// PacketSize returns the packet size of a message of n bytes: n for a layer that does not cut
// messages.
func PacketSize(l Layer, n quantity.Bytes) quantity.Bytes {
	if p, ok := At(l, n).(Packetizer); ok {
		return p.PacketSize(n)
	}
	return n
}

// Boundaries returns the sizes from lo to hi at which the regime changes: the largest that each
// branch serves. It can miss a branch that serves less than an eighth of a doubling of sizes.
func Boundaries(l Layer, lo, hi quantity.Bytes) []quantity.Bytes {
	var found []quantity.Bytes
	for at := lo; at < hi; {
		next := min(hi, quantity.Bytes(math.Ceil(float64(at)*math.Exp2(1./8))))
		if from := Regime(l, at); from != Regime(l, next) {
			var last quantity.Bytes
			last, next = bisect(at, next, func(n quantity.Bytes) bool { return Regime(l, n) != from })
			found = append(found, last)
		}
		at = next
	}
	return found
}

// Recut returns the layer with the cut c in all its pipelines. It returns an error if there is no
// pipeline, or one with too few stages for c.
func Recut(l Layer, c Cut) (Layer, error) {
	l = Clone(l)
	err := errors.New("it has no pipeline, so no packet size to choose")
	found := false
	walk(l, func(l Layer) {
		if p, ok := l.(*Pipeline); ok && (!found || err == nil) {
			found = true
			p.Cut = c
			_, err = p.check()
		}
	})
	return l, err
}
