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

// A piece holds the one-way time of a range of sizes as a straight line, and its maximum relative
// error over the range's grid. The error is kept because each round of pieces compares those of all
// pieces, of which it changes two.
type piece struct {
	from, to quantity.Bytes
	way      line
	off      float64
}

// tolerance is the maximum relative error of the one-way time of a piece. It is below
// the repeatability of any benchmark.
const tolerance = 0.001

// pieces approximates the layer by at most most straight pieces. It cuts the sizes at protocol
// switches, and where curves bend, until all errors are within tolerance.
func pieces(l model.Layer, s Sizes, most int) []piece {
	// A protocol switch is a jump, which no line on both sides of it can follow.
	ends := append(model.Boundaries(l, s.From, s.To), s.To)
	slices.Sort(ends)
	var all []piece
	from := s.From
	for _, end := range ends {
		if end < from {
			continue
		}
		all = append(all, newPiece(l, from, end, math.Inf(1)))
		from = end + 1
	}
	// Joining can undo a cut, so the number of rounds is bounded.
	for rounds := 0; len(all) < most && rounds < 16*most; rounds++ {
		worst, at := tolerance, -1
		for i, p := range all {
			// A piece of one or two sizes has no error: its line passes through both.
			if p.off > worst && p.to > p.from+1 {
				worst, at = p.off, i
			}
		}
		if at < 0 {
			break
		}
		a, b := all[at].halves(l)
		all = slices.Replace(all, at, at+1, a, b)
		// Without a spare piece, or at a step that cuts off single bytes, pieces are joined again
		// at half the present error, so that rows go where the curve bends most.
		if len(all) == most || b.to-b.from < 2 || a.to-a.from < 2 {
			all = merged(l, all, max(tolerance, worst/2))
		}
	}
	return merged(l, all, tolerance)
}

// merged joins neighbouring pieces if one line has at most the given error over both.
func merged(l model.Layer, all []piece, within float64) []piece {
	joined := all[:1]
	for _, p := range all[1:] {
		last := &joined[len(joined)-1]
		if both := newPiece(l, last.from, p.to, within); both.off <= within {
			*last = both
		} else {
			joined = append(joined, p)
		}
	}
	return joined
}

// halves cuts the piece in two such that the larger of their errors is minimal.
func (p piece) halves(l model.Layer) (a, b piece) {
	least := math.Inf(1)
	for _, cut := range (Sizes{p.from, p.to - 1}).grid() {
		x := newPiece(l, p.from, cut, least)
		if x.off >= least {
			continue
		}
		y := newPiece(l, cut+1, p.to, least)
		if e := max(x.off, y.off); e < least {
			least, a, b = e, x, y
		}
	}
	return a, b
}

// newPiece returns the line through both ends of a range. Its error is exact up to the given bound.
// Above it the caller drops the piece, so the other sizes are not evaluated: a pipeline of curves
// takes microseconds for each.
func newPiece(l model.Layer, from, to quantity.Bytes, bound float64) piece {
	first, last := float64(l.OneWay(from)), float64(l.OneWay(to))
	p := piece{from: from, to: to, way: lineThrough(from, to, first, last)}
	p.off = p.way.error(l, (Sizes{from, to}).grid(), bound)
	return p
}

// gap returns the line through the gaps at both ends of the piece.
func (p piece) gap(l model.Layer) line {
	return lineThrough(p.from, p.to, float64(l.Gap(p.from)), float64(l.Gap(p.to)))
}

// error returns the maximum relative error of the line as a one-way time over the sizes, or some
// error above the bound. It begins in the middle: at its ends the line of a piece has no error.
func (l line) error(of model.Layer, sizes []quantity.Bytes, bound float64) (worst float64) {
	for i := range sizes {
		n := sizes[(i+len(sizes)/2)%len(sizes)]
		worst = max(worst, math.Abs(l.time(n)/float64(of.OneWay(n))-1))
		if worst > bound {
			break
		}
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
	return best, best.error(l, s.dense(), math.Inf(1))
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
