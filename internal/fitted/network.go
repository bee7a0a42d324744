package fitted

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A network is a change of the links between nodes: the factors of the time of a step between nodes
// and of that of a byte.
type network struct{ step, byte float64 }

// parts are what the time of a call consists of, in µs. Bytes inside nodes are those of all bytes
// that would remain if the network took none of them.
type parts struct{ all, steps, bytes, inside float64 }

// change returns the factors by which the parts change if bytes inside nodes pass while others are
// on the network, and if one follows the other.
func (p parts) change(by network) [2]float64 {
	inside := min(p.inside, p.bytes)
	stays := p.all - p.steps - p.bytes + p.steps*by.step
	return [2]float64{
		(stays + max(inside, p.bytes*by.byte)) / p.all,
		(stays + inside + (p.bytes-inside)*by.byte) / p.all,
	}
}

// Changed returns the time of a call on a changed network, from its time as the network is: steps
// between nodes and bytes take step and byte times as long, both above 0. What is
// between nodes is scaled, and what is inside stays. The interval is that of the time, widened by
// what measurements leave open. Bytes pass inside nodes while others are on the network, or one
// follows the other. Bytes are those of the forms at the size, or all that the call takes above the
// smallest size, since the bandwidth of small messages may be that of the links or of a protocol.
// What one node takes for the smallest size are its steps, of which more nodes may have more, or a
// launch. The value is the geometric mean of the ends of this range. The interval then holds for
// 95 to 100 % of times of known laws (internal/evidence/collectives -only laws). The error says
// what to measure if the call was not measured on one node.
func (r *Result) Changed(now quantity.Interval, at Placement, n quantity.Bytes,
	step, byte float64) (quantity.Interval, error) {
	b, p, by := r.blend, r.placeOf(at), network{step, byte}
	one := place{p.perNode(), 1}
	switch {
	case p.nodes == 1 || by == network{1, 1}:
		return now, nil
	case r.perNode() == 0:
		return now, fmt.Errorf("the ranks on each node are not known: add them to the measurements")
	case p.perNode() > 1 && b.octaves(one) > 0:
		return now, fmt.Errorf("how much of the time is inside nodes is not known: measure %s on "+
			"one node of %.0f ranks", r.Of.Collective, p.perNode())
	}
	low, high := math.Inf(1), 0.0
	for _, reading := range b.readings(p, one, float64(n)) {
		for _, ratio := range reading.change(by) {
			low, high = min(low, ratio), max(high, ratio)
		}
	}
	if !(low > 0) || math.IsInf(high, 0) {
		return now, fmt.Errorf("no algorithm describes %s of %s on %d ranks: measure it",
			r.Of.Collective, n, at.Ranks)
	}
	return quantity.Interval{Value: now.Value * math.Sqrt(low*high), Low: now.Low * low,
		High: now.High * high}, nil
}

// readings returns what the parts of a call may be: bytes by the forms at its size, or all that it
// takes above the smallest size; and of the rest, which the smallest size has alone, all beyond one
// node between nodes, or steps inside that take all that one node takes.
func (b *blend) readings(p, one place, n float64) (all []parts) {
	time := func(p place, n float64) float64 {
		log, _, _ := b.combine(p, n)
		return math.Exp(log)
	}
	least := b.sizes[0]
	small, alone, steps := time(p, least), 0.0, 1.0
	whole := parts{all: time(p, n), bytes: max(0, time(p, n)-small)}
	if one.ranks > 1 {
		alone = time(one, least)
		whole.inside = max(0, time(one, n)-alone)
		for _, f := range b.forms { // any may be the algorithm: their weights are from all times
			steps = max(steps, f.at(p).inside/f.at(one).inside)
		}
	}
	var local parts
	for i, w := range b.formsAlone(p, n) {
		local.add(w*whole.all, b.forms[i].parts(p, one, n))
	}
	for _, reading := range []parts{whole, local} {
		for _, inside := range []float64{alone, alone * steps} {
			reading.steps = (reading.all - reading.bytes) * max(0, 1-inside/small)
			all = append(all, reading)
		}
	}
	return all
}

// formsAlone returns the weights of the forms of a call, without the trend, which has no parts.
func (b *blend) formsAlone(p place, n float64) []float64 {
	_, _, weights := b.combine(p, n)
	known := 1 - weights[len(b.forms)]
	for i := range weights {
		weights[i] /= known
	}
	return weights[:len(b.forms)]
}

// add adds parts that are scaled to a time.
func (p *parts) add(weight float64, q parts) {
	if weight > 0 {
		p.all += weight
		p.bytes += weight * q.bytes / q.all
		p.inside += weight * min(q.inside, q.bytes) / q.all
	}
}

// parts returns the parts of a call on several nodes, whose ranks on one node are those of one.
func (l *localForm) parts(p, one place, n float64) (all parts) {
	c, terms := l.coordinate(p, n), l.callTerms(p, n)
	x, v := l.row(&terms, false), l.parameters(&c)
	for i := range v {
		all.all += v[i] * x[i]
	}
	all.bytes = v[ofBytes] * x[ofBytes]
	if one.ranks > 1 {
		c := l.coordinate(one, n)
		all.inside = l.parameters(&c)[ofBytes] * x[ofBytes]
	}
	return all
}
