package model

import (
	"cmp"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Measured stages have times that are neither convex in the packet nor lines, so that no program
// gives the best packets. They are searched for, from many starts, in times alone.

// settled returns the pipeline with the present times as the measured ones, so that a search does
// not scale them again for each packet.
func (l *Pipeline) settled() *Pipeline {
	settled := &Pipeline{Stages: slices.Clone(l.Stages), Cut: l.Cut}
	for i := range settled.Stages {
		if s := &settled.Stages[i]; s.Measured != nil {
			s.Measured = s.Scaled()
		}
	}
	return settled
}

// corners returns the measured sizes up to n: between two of them a time is smooth, so that the
// best packet often is one of them.
func (l *Pipeline) corners(n quantity.Bytes) (sizes []quantity.Bytes) {
	for _, s := range l.Stages {
		if s.Measured == nil {
			continue
		}
		for _, c := range []Curve{s.Measured.Alone, s.Measured.Overlapped} {
			for _, size := range c.Sizes {
				if size = quantity.Bytes(math.Floor(float64(size))); size >= 1 && size <= n {
					sizes = append(sizes, size)
				}
			}
		}
	}
	slices.Sort(sizes)
	return slices.Compact(sizes)
}

// equalStarts is the number of equal packets from which bestMeasured descends.
const equalStarts = 8

// bestMeasured is BestPacket with measured stages. It tries 32 sizes per octave, the measured
// sizes, powers of two and one and a half of them, and up to 1,024 equal parts. From the best of
// them it moves in steps that halve. Packets above the largest measured one follow its curve.
func (l *Pipeline) bestMeasured(n quantity.Bytes) (quantity.Bytes, quantity.Micros) {
	l = l.settled()
	type packet struct {
		size quantity.Bytes
		time quantity.Micros
	}
	var tried []packet
	try := func(size quantity.Bytes) {
		if size >= 1 && size <= n {
			tried = append(tried, packet{size, l.OneWayIn(n, size)})
		}
	}
	for x := float64(n); x >= 1; x *= math.Exp2(-1.0 / 32) {
		try(quantity.Bytes(math.Floor(x)))
	}
	for _, size := range l.corners(n) {
		try(size)
	}
	for size := quantity.Bytes(1); size <= n; size *= 2 {
		try(size)
		try(size + quantity.Bytes(math.Floor(float64(size)/2)))
	}
	for count := quantity.Bytes(2); count <= min(n, 1024); count++ {
		try(quantity.Bytes(math.Ceil(float64(n / count))))
	}
	slices.SortFunc(tried, func(a, b packet) int {
		return cmp.Or(cmp.Compare(a.time, b.time), cmp.Compare(b.size, a.size))
	})
	best := tried[0]
	for _, at := range tried[:min(equalStarts, len(tried))] {
		for step := max(1, math.Floor(float64(at.size)/64)); ; step = math.Floor(step / 2) {
			for moved := true; moved; {
				moved = false
				move := quantity.Bytes(step)
				for _, size := range []quantity.Bytes{at.size + move, at.size - move} {
					if size < 1 || size > n {
						continue
					}
					if t := l.OneWayIn(n, size); t < at.time {
						at, moved = packet{size, t}, true
					}
				}
			}
			if step <= 1 {
				break
			}
		}
		if at.time < best.time {
			best = at
		}
	}
	return best.size, best.time
}
