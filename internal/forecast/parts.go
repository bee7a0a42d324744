package forecast

import (
	"math"
)

// Parts holds the components of a prediction. Times are logarithms, and distances of logarithms.
type Parts struct {
	From   Way
	Middle float64
	// Terms are those of the upper and of the lower side.
	Terms [2]Terms
	// Octaves is the distance from the measured sizes; 0 between them.
	Octaves float64
	// Share is the share of the scale that applies: 0 at a measured size.
	Share float64
	// Run is the half of the interval of another run.
	Run float64
	// Repeated reports that Run comes from the curve's own runs.
	Repeated bool
	// Beside are the distances from the middle to the longer and to the shorter time of the sizes
	// next to it, at least 0, and Gap the octaves between these.
	Beside [2]float64
	Gap    float64
	// Noise is the half of an interval that holds the curve's noise between its sizes.
	Noise float64
	// Begins is the half of an interval that a protocol adds which begins above the last size.
	Begins float64
	// Most is the largest distance to the lower end.
	Most float64
}

// line makes the parts those of n bytes of a curve that is one line with noise. Chords, and other
// lines beside the gap, have more of the noise than the line has. Next to a measured size the chord
// counts, so that predictions are continuous.
func (p *Parts) line(s *straight, n float64) {
	p.From, p.Noise = Between, s.half
	p.Middle += p.Share * (s.at(n) - p.Middle)
	p.Terms[up][other], p.Terms[down][other] = 0, 0
}

// Fixed returns the parts of a half that no scale changes: one that is added, and the square of one
// that is added in squares. The weights were learned from held-out sizes of one run, so the
// difference between a curve's own runs is added.
func (p *Parts) Fixed() (added, square float64) {
	if p.Repeated || p.Octaves > 0 {
		return 0, p.Run*p.Run + p.Begins*p.Begins
	}
	return (1 - math.Sqrt(p.Share)) * p.Run, p.Share * p.Noise * p.Noise
}

// Half returns the distance from the middle to an end, for a scale that holds 95 % of the errors.
func (p *Parts) Half(side int, scale float64) float64 {
	added, square := p.Fixed()
	scale *= p.Share
	half := added + math.Sqrt(scale*scale+square)
	if side == up {
		return half
	}
	return min(half, p.Most)
}

// Scale returns the scale of which [Parts.Half] is off. It is 0 if the end is off at least.
func (p *Parts) Scale(off float64) float64 {
	added, square := p.Fixed()
	off = max(0, off-added)
	return math.Sqrt(max(0, off*off-square)) / p.Share
}

// jump returns the half of a side between two protocols, from the half that the terms have. The
// size may be one byte away from a measured one, so the interval holds the lines of both protocols.
// The protocols may bend there, so it also holds half of the way from the lines to the times next
// to the gap. In a gap of more than two octaves it holds less of that way: the lines are already
// far apart there.
func (p *Parts) jump(side int, half float64) float64 {
	half = max(half, min(p.Terms[side][other]+p.Run, p.Most))
	part := bends * min(1, 4/(p.Gap*p.Gap))
	return half + part*max(0, p.Beside[side]+p.Run-half)
}

// bends is the part of the way from the lines beside a jump to the times next to it that intervals
// hold.
const bends = 0.5
