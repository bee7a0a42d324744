package sums

import "math"

// A Sketch counts times in classes of nearly equal width on a logarithmic scale. Times in a class
// agree in the exponent and in sketchBits bits of the mantissa; the middle of a class is within 0.4
// % of its times. Since a sketch only counts, it does not depend on the order of the times.
type Sketch struct {
	First  int // class of counts[0]
	Counts []uint64
}

const (
	sketchBits  = 7
	sketchBlock = 32 // classes are kept for whole blocks: a quarter of an octave
)

func ClassOf(t float64) int { return int(math.Float64bits(t) >> (mantissa - sketchBits)) }

// Add counts a time above 0.
func (s *Sketch) Add(t float64) {
	i := ClassOf(t) - s.First
	if uint(i) >= uint(len(s.Counts)) {
		i += s.First
		s.Cover(i, i)
		i -= s.First
	}
	s.Counts[i]++
}

// ExtentWith returns the first class and the number of classes that s would keep if it also covered
// the classes from to to.
func (s *Sketch) ExtentWith(from, to int) (first, classes int) {
	from, to = from&^(sketchBlock-1), to|(sketchBlock-1)
	if len(s.Counts) > 0 {
		from, to = min(from, s.First), max(to, s.First+len(s.Counts)-1)
	}
	return from, to - from + 1
}

// Cover makes room for the classes from to to.
func (s *Sketch) Cover(from, to int) {
	first, classes := s.ExtentWith(from, to)
	if classes == len(s.Counts) {
		return
	}
	counts := make([]uint64, classes)
	copy(counts[max(0, s.First-first):], s.Counts)
	s.First, s.Counts = first, counts
}

// Join adds the times of another sketch.
func (s *Sketch) Join(o *Sketch) {
	if len(o.Counts) == 0 {
		return
	}
	s.Cover(o.First, o.First+len(o.Counts)-1)
	to := s.Counts[o.First-s.First:]
	for i, n := range o.Counts {
		to[i] += n
	}
}

// Trimmed returns the sketch without unused classes at its ends.
func (s *Sketch) Trimmed() Sketch {
	from, to := 0, len(s.Counts)
	empty := func(at int) bool {
		for _, n := range s.Counts[at : at+sketchBlock] {
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
	return Sketch{s.First + from, s.Counts[from:to]}
}

// Median returns the middle of the class that contains the median of the n times, in µs; for even
// n, the lower of the two middle times.
func (s *Sketch) Median(n int64) float64 {
	left := (uint64(n) + 1) / 2
	for i, c := range s.Counts {
		if c >= left {
			low := math.Float64frombits(uint64(s.First+i) << (mantissa - sketchBits))
			high := math.Float64frombits(uint64(s.First+i+1) << (mantissa - sketchBits))
			return (low + high) / 2
		}
		left -= c
	}
	return 0
}
