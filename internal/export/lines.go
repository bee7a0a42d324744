package export

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A line is a time of at + per·n µs for n bytes.
type line struct{ at, per float64 }

func (l line) time(n quantity.Bytes) float64 { return l.at + l.per*float64(n) }

// lineThrough returns the line with the time first at a, and last at b ≥ a.
func lineThrough(a, b quantity.Bytes, first, last float64) line {
	if a == b {
		return line{at: first}
	}
	per := (last - first) / float64(b-a)
	return line{first - per*float64(a), per}
}

// positiveLine is like lineThrough but without negative parts, which programs do not accept: if at
// or per would be negative, it is 0, and the line has only the time last at b.
func positiveLine(a, b quantity.Bytes, first, last float64) line {
	l := lineThrough(a, b, first, last)
	last = max(last, 0)
	switch {
	case l.per < 0 || last == 0:
		return line{at: last}
	case l.at < 0:
		return line{per: last / float64(b)}
	}
	return l
}

// A piece holds the one-way time of a range of sizes as a straight line.
type piece struct {
	from, to quantity.Bytes
	way      line
}

// tolerance is the maximum relative error of the one-way time of a piece. It is below
// the repeatability of any benchmark.
const tolerance = 0.001

// pieces approximates the layer by the fewest straight pieces within tolerance. If these are more
// than most, all may have a larger error, the least that needs no more pieces.
func pieces(l model.Layer, s Sizes, most int) []piece {
	// A protocol switch is a jump, which no line on both sides of it can follow.
	ends := append(model.Boundaries(l, s.From, s.To), s.To)
	slices.Sort(ends)
	var ranges [][]node
	from := s.From
	for _, end := range ends {
		if end >= from {
			ranges = append(ranges, nodes(l, Sizes{from, end}))
			from = end + 1
		}
	}
	within := func(bound float64) (all []piece) {
		for _, r := range ranges {
			all = append(all, longest(l, r, bound)...)
		}
		return all
	}
	all := within(tolerance)
	if len(all) <= most || most < len(ranges) {
		return all
	}
	low, high := tolerance, 1.0
	for range 16 { // leaves 2⁻¹⁶, a part of the tolerance
		if bound := (low + high) / 2; len(within(bound)) > most {
			low = bound
		} else {
			high = bound
		}
	}
	return within(high)
}

// A node is a size with its one-way time in µs.
type node struct {
	size quantity.Bytes
	time float64
}

// nodes returns the first and the last of the sizes, and 16 per doubling between them.
func nodes(l model.Layer, s Sizes) (all []node) {
	at := func(n quantity.Bytes) node { return node{n, float64(l.OneWay(n))} }
	all = append(all, at(s.From))
	// Powers of two are among them: layers cut messages there.
	for k := 0; ; k++ {
		n := quantity.Bytes(math.Round(math.Exp2(float64(k) / 16)))
		switch {
		case n >= s.To && s.To > s.From:
			return append(all, at(s.To))
		case n >= s.To:
			return all
		case n > all[len(all)-1].size:
			all = append(all, at(n))
		}
	}
}

// longest returns pieces from the first node to the last, each the longest whose relative error at
// its nodes is at most a bound.
func longest(l model.Layer, rest []node, bound float64) (all []piece) {
	from := rest[0]
	for {
		last := 0
		var way line
		for last = len(rest) - 1; ; last-- {
			way = lineThrough(from.size, rest[last].size, from.time, rest[last].time)
			off := func(n node) bool { return math.Abs(way.time(n.size)/n.time-1) > bound }
			if last == 0 || !slices.ContainsFunc(rest[:last], off) {
				break
			}
		}
		all = append(all, piece{from.size, rest[last].size, way})
		if last == len(rest)-1 {
			return all
		}
		next := rest[last].size + 1
		from, rest = node{next, float64(l.OneWay(next))}, rest[last+1:]
	}
}

// newPiece returns the line through both ends of a range.
func newPiece(l model.Layer, from, to quantity.Bytes) piece {
	way := lineThrough(from, to, float64(l.OneWay(from)), float64(l.OneWay(to)))
	return piece{from, to, way}
}

// gap returns the line through the gaps at both ends of the piece.
func (p piece) gap(l model.Layer) line {
	return lineThrough(p.from, p.to, float64(l.Gap(p.from)), float64(l.Gap(p.to)))
}

// error returns the maximum relative error of the line as a one-way time over the sizes.
func (l line) error(of model.Layer, s Sizes) (worst float64) {
	for _, n := range s.dense() {
		worst = max(worst, math.Abs(l.time(n)/float64(of.OneWay(n))-1))
	}
	return worst
}

// oneLine returns the line, with at, per ≥ 0, that minimises the maximum relative error of the
// one-way time over a grid, and that error over all sizes.
func oneLine(l model.Layer, s Sizes) (best line, worst float64) {
	sizes := s.grid()
	fixed, each := make([]float64, len(sizes)), make([]float64, len(sizes)) // per 1 µs and 1 µs/B
	slowest, steepest := 0.0, 0.0
	for i, n := range sizes {
		t := float64(l.OneWay(n))
		// Divided by the time, so that a residual is a relative error: the smallest message counts
		// as much as the largest.
		fixed[i], each[i] = 1/t, float64(n)/t
		slowest, steepest = max(slowest, t), max(steepest, t/float64(n))
	}
	off := func(c line) float64 {
		worst := 0.0
		for i, f := range fixed {
			if e := math.Abs(c.at*f + c.per*each[i] - 1); e > worst {
				worst = e
			}
		}
		return worst
	}
	// The error is convex in both parts: a search in one of them, in each step of that in the
	// other.
	at := func(per float64) line {
		return line{lowest(0, 2*slowest, func(at float64) float64 {
			return off(line{at, per})
		}), per}
	}
	// Twice the steepest and the slowest point: above it, some error is 100 % or more, which the
	// line 0 has already.
	best = at(lowest(0, 2*steepest, func(per float64) float64 { return off(at(per)) }))
	return best, best.error(l, s)
}

// lowest returns where the convex function f has its minimum between lo and hi, by golden-section
// search. Times and rates span many powers of ten, so it makes 80 steps, which leave 2e-17 of the
// interval. It returns 0 if f is not lower at the result.
func lowest(lo, hi float64, f func(float64) float64) float64 {
	// (√5 - 1)/2: each step keeps one of its two points, so it costs one evaluation.
	const golden = 0.6180339887498949
	a, b := hi-golden*(hi-lo), lo+golden*(hi-lo)
	fa, fb := f(a), f(b)
	for range 80 {
		if fa <= fb {
			hi, b, fb = b, a, fa
			a = hi - golden*(hi-lo)
			fa = f(a)
		} else {
			lo, a, fa = a, b, fb
			b = lo + golden*(hi-lo)
			fb = f(b)
		}
	}
	if x := (lo + hi) / 2; f(x) < f(0) {
		return x
	}
	return 0
}
