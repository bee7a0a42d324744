package benchfile

import "math"

// A sketch counts times in classes of nearly equal width on a logarithmic scale. Times in a class
// agree in the exponent and in sketchBits bits of the mantissa; the middle of a class is within 0.4
// % of its times. Since a sketch only counts, it does not depend on the order of the times.
type sketch struct {
	first  int // class of counts[0]
	counts []uint64
}

const (
	sketchBits  = 7
	sketchBlock = 32 // classes are kept for whole blocks: a quarter of an octave
)

func classOf(t float64) int { return int(math.Float64bits(t) >> (mantissa - sketchBits)) }

// add counts a time above 0.
func (s *sketch) add(t float64) {
	i := classOf(t) - s.first
	if uint(i) >= uint(len(s.counts)) {
		i += s.first
		s.cover(i, i)
		i -= s.first
	}
	s.counts[i]++
}

// extentWith returns the first class and the number of classes that s would keep if it also covered
// the classes from to to.
func (s *sketch) extentWith(from, to int) (first, classes int) {
	from, to = from&^(sketchBlock-1), to|(sketchBlock-1)
	if len(s.counts) > 0 {
		from, to = min(from, s.first), max(to, s.first+len(s.counts)-1)
	}
	return from, to - from + 1
}

// cover makes room for the classes from to to.
func (s *sketch) cover(from, to int) {
	first, classes := s.extentWith(from, to)
	if classes == len(s.counts) {
		return
	}
	counts := make([]uint64, classes)
	copy(counts[max(0, s.first-first):], s.counts)
	s.first, s.counts = first, counts
}

// join adds the times of another sketch.
func (s *sketch) join(o *sketch) {
	if len(o.counts) == 0 {
		return
	}
	s.cover(o.first, o.first+len(o.counts)-1)
	to := s.counts[o.first-s.first:]
	for i, n := range o.counts {
		to[i] += n
	}
}

// trimmed returns the sketch without unused classes at its ends.
func (s *sketch) trimmed() sketch {
	from, to := 0, len(s.counts)
	empty := func(at int) bool {
		for _, n := range s.counts[at : at+sketchBlock] {
			if n > 0 {
				return false
			}
		}
		return true
	}
	for from < to && empty(from) {
		from += sketchBlock
	}
	for from < to && empty(to-sketchBlock) {
		to -= sketchBlock
	}
	return sketch{s.first + from, s.counts[from:to]}
}

// median returns the middle of the class that contains the median of the n times, in µs; for even
// n, the lower of the two middle times.
func (s *sketch) median(n int64) float64 {
	left := (uint64(n) + 1) / 2
	for i, c := range s.counts {
		if c >= left {
			low := math.Float64frombits(uint64(s.first+i) << (mantissa - sketchBits))
			high := math.Float64frombits(uint64(s.first+i+1) << (mantissa - sketchBits))
			return (low + high) / 2
		}
		left -= c
	}
	return 0
}
