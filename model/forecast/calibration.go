package forecast

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/stats"
)

// A Calibration holds the statistics of many curves that predictions of any other curve use.
type Calibration struct {
	// Inside, Above and Below are the weights of the terms for sizes between, above and below the
	// measured ones; Run holds those for another run at a measured size.
	Inside, Wide, Above, Below Weights
	Run                        Terms
	// Saving is log₂ of the factor by which a further byte gets cheaper with each octave above the
	// last size, if the curve is still flat there; at least 0.
	Saving float64
	// Fade is the factor by which the rise of a stream's rate falls with each octave above the last
	// size, from 0 to 1; 0 for times that are not of a stream.
	Fade float64
	// Peaks holds the highest rates of published streams: weights, which add up to 1, and
	// logarithms of B/µs.
	Peaks [][2]float64 `json:",omitempty"`
	// Changes holds the mean errors of predicting the time of the next octave from the sizes up to
	// 2^i: of logarithms of times that are longer than predicted, and of shorter ones.
	Changes [2][32]float64
	// Reach holds the factors of the ends of an interval above the last size, upwards and
	// downwards, at one octave and at each further one up to four.
	Reach [4][2]float64
	// Breaks is the relative frequency of jumps in each octave from 2^i.
	Breaks [32]float64
	// Library holds the shapes of published curves.
	Library []Shape `json:",omitempty"`
}

// combine combines the terms of a prediction to the first term of the result; see
// [Weights.Combine].
func (k *Calibration) combine(p Parts) Guess {
	g := k.weights(&p).Combine(p)
	if p.From == Above {
		up, down := k.reachAt(p.Width)
		g.Up[0], g.Down[0] = up*g.Up[0], down*g.Down[0]
	}
	return g
}

// reachAt returns the factors of the ends of an interval so many octaves above the last size.
func (k *Calibration) reachAt(octaves float64) (up, down float64) {
	last := len(k.Reach) - 1
	x := min(max(octaves-1, 0), float64(last))
	i := min(int(x), last-1)
	a, b, share := k.Reach[i], k.Reach[i+1], x-float64(i)
	return a[0] + share*(b[0]-a[0]), a[1] + share*(b[1]-a[1])
}

// far is the width of a gap in octaves above which the weights for few sizes apply.
const far = 2.5

func (k *Calibration) weights(p *Parts) *Weights {
	switch {
	case p.From == Above:
		return &k.Above
	case p.From == Below:
		return &k.Below
	case p.Width > far:
		return &k.Wide
	}
	return &k.Inside
}

// breaks returns the frequency of jumps between sizes a < b.
func (k *Calibration) breaks(a, b float64) float64 {
	return upTo(&k.Breaks, b) - upTo(&k.Breaks, a)
}

// change returns the sum of the changes between sizes a < b; up 0, down 1.
func (k *Calibration) change(side int, a, b float64) float64 {
	return upTo(&k.Changes[side], b) - upTo(&k.Changes[side], a)
}

// upTo returns the sum of the octaves' values up to n bytes.
func upTo(octaves *[32]float64, n float64) (sum float64) {
	x := math.Log2(n)
	i := 0
	for ; i < len(octaves)-1 && float64(i+1) <= x; i++ {
		sum += octaves[i]
	}
	return sum + (x-float64(i))*octaves[i]
}

const (
	// peakWidth is the deviation of the logarithm of a link's rate between machines: about 8 %.
	peakWidth = 0.08
	// otherRates is the density of rates, per unit of the logarithm, that no peak explains: one in
	// ten streams, within four units.
	otherRates = 0.1 / 4
	// riseError is the deviation of the rise that is left over the one that fades.
	riseError = 0.5
	// leastRise is the rise from which on a peak may lie between a rate and the end of its rise.
	leastRise = 0.02
)

// rise returns the rise that is left of a stream's rate, whose logarithm is rate and rose by growth
// in the last octave: the median of its posterior distribution. The rise that fades is a
// measurement of it, and the prior is that a stream ends at one of the peaks. Each hypothesis is at
// its mean.
func (k *Calibration) rise(rate, growth float64) float64 {
	faded := growth * k.Fade / (1 - k.Fade)
	if len(k.Peaks) == 0 || faded < leastRise {
		return faded
	}
	type hypothesis struct{ rise, weight float64 }
	all := []hypothesis{{faded, otherRates}}
	variance := math.Pow(leastRise+riseError*faded, 2)
	sum := otherRates
	for _, p := range k.Peaks {
		r, own := p[1]-rate, variance+peakWidth*peakWidth
		if r <= 0 {
			continue
		}
		h := hypothesis{
			rise:   (r*variance + faded*peakWidth*peakWidth) / own,
			weight: 0.9 * p[0] * density(r-faded, own) / math.Sqrt(2*math.Pi),
		}
		all = append(all, h)
		sum += h.weight
	}
	slices.SortFunc(all, func(a, b hypothesis) int { return cmp.Compare(a.rise, b.rise) })
	i := 0
	for half := sum / 2; all[i].weight < half; i++ {
		half -= all[i].weight
	}
	return all[i].rise
}

// Weights holds the weights of the terms of the two predictions, and of their combination: its own
// error, and the distance between the two. Above the measured sizes there is one prediction, whose
// terms have the weights Up and Down.
type Weights struct{ Own, Shapes, Up, Down Terms }

// Combine combines the two predictions with their inverse squared errors as weights. The first term
// of the result is the sum of its terms.
func (w *Weights) Combine(p Parts) Guess {
	g := p.Own
	if p.From != Above {
		g = w.Blend(p)
	}
	g.Up[0], g.Down[0] = w.Up.Dot(g.Up), w.Down.Dot(g.Down)
	return g
}

// Blend is Combine without the sum of the terms: the error of the combination, the distance between
// both predictions, and that from the middle to the ends of the gap. internal/evidence/forecast
// learns the weights of these three.
func (w *Weights) Blend(p Parts) Guess {
	u1, d1 := w.Own.Dot(p.Own.Up), w.Own.Dot(p.Own.Down)
	u2, d2 := w.Shapes.Dot(p.Shapes.Up), w.Shapes.Dot(p.Shapes.Down)
	a, b := 1/(u1+d1)/(u1+d1), 1/(u2+d2)/(u2+d2)
	if !(u2+d2 > 0) || a > 1e12 { // no shapes, or the curve's own prediction is exact
		a, b = 1, 0
	}
	a, b = a/(a+b), b/(a+b)
	g := Guess{Middle: a*p.Own.Middle + b*p.Shapes.Middle}
	g.Up[0], g.Down[0] = u1, d1
	if b > 0 {
		g.Up[0] = 1 / math.Sqrt(1/(u1*u1+1e-12)+1/(u2*u2+1e-12))
		g.Down[0] = 1 / math.Sqrt(1/(d1*d1+1e-12)+1/(d2*d2+1e-12))
	}
	apart := math.Sqrt(a*b) * math.Abs(p.Own.Middle-p.Shapes.Middle)
	g.Up[1], g.Down[1] = apart, apart
	g.Up[2], g.Down[2] = max(0, p.High-g.Middle), max(0, g.Middle-p.Low)
	return g
}

// A Shape is the growth of the times of a published curve from octave to octave.
type Shape struct {
	Weight float64   // the weights of a machine's shapes add up to 1
	First  int       // log₂ of the first size of Rise
	Rise   []float64 // logarithm of the time at 2^(First+i) bytes over that at 2^First
}

// at returns the logarithm of the time of 2^x bytes over that at the first size: a straight line of
// times between octaves, level below the first one, and in proportion to the size above the last.
func (s *Shape) at(x float64) float64 {
	x -= float64(s.First)
	last := len(s.Rise) - 1
	if x <= 0 {
		return s.Rise[0]
	}
	i := int(x)
	if i >= last {
		return s.Rise[last] + (x-float64(last))*math.Ln2
	}
	if x == float64(i) {
		return s.Rise[i]
	}
	a, b := math.Exp(s.Rise[i]), math.Exp(s.Rise[i+1])
	return math.Log(a + (b-a)*(math.Exp2(x-float64(i))-1))
}

// bend returns the median deviation of the library's shapes at 2^x bytes from their chord between
// 2^a and 2^b bytes, whose part before x is s.
func (k *Calibration) bend(a, x, b, s float64) float64 {
	if len(k.Library) == 0 {
		return 0
	}
	off := make([]float64, len(k.Library))
	for j := range k.Library {
		l := &k.Library[j]
		low := l.at(a)
		chord := 1 + (math.Exp(l.at(b)-low)-1)*s
		off[j] = math.Abs(l.at(x) - low - math.Log(chord))
	}
	// The median deviation of a normal variable is 0.6745 standard deviations.
	return stats.QuantileOf(off, 0.5) / 0.6745
}

// The calibrations learned from published and planted curves, and the shapes of the published ones:
// means of the curves of a machine that are alike. internal/evidence/forecast writes the file.
//
//go:embed published.json
var publishedJSON []byte

var published = sync.OnceValue(func() (p struct {
	Latencies, Streams, Operations Calibration
	Shapes                         []Shape
}) {
	if err := json.Unmarshal(publishedJSON, &p); err != nil {
		panic("published.json: " + err.Error())
	}
	for _, c := range []*Calibration{&p.Latencies, &p.Streams, &p.Operations} {
		c.Library = p.Shapes
	}
	return p
})

// Latencies returns the calibration for times of messages.
func Latencies() *Calibration {
	c := published().Latencies
	return &c
}

// Streams returns the calibration for the gaps of streams.
func Streams() *Calibration {
	c := published().Streams
	return &c
}

// Operations returns the calibration for times of operations and collectives.
func Operations() *Calibration {
	c := published().Operations
	return &c
}
