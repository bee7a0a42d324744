package forecast

import (
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/known"
)

// A Calibration holds the statistics of many curves that predictions of any other curve use.
type Calibration struct {
	// Between, Above and Below are the weights of the terms of errors for sizes between, above and
	// below the measured ones, upwards and downwards; Run those for another run at a measured size.
	Between, Above, Below [2]Terms
	Run                   Terms
	// Begins has, by whole octaves of the last size from [FirstLast], the error that a protocol
	// adds which begins above it: as a logarithm, added in squares. It is that of 95 % of the sizes
	// an octave above; 0 beyond the list.
	Begins []float64 `json:",omitempty"`
	// RunScale is the scale of the differences between runs of published machines: over √2, those
	// at one size follow Student's t of about one degree of freedom.
	RunScale float64
	// Saving is log₂ of the factor by which a further byte gets cheaper with each octave above the
	// last size, if the curve is still flat there; at least 0.
	Saving float64
	// Settled is log₂ of the size up to which protocols change. Collectives also change their
	// algorithms, at all sizes.
	Settled float64
	// Fade is the factor by which the rise of a stream's rate falls with each octave above the last
	// size, from 0 to 1; 0 for times that are not of a stream.
	Fade float64
	// Peaks holds the highest rates of published streams: weights, which add up to 1, and
	// logarithms of B/µs.
	Peaks [][2]float64 `json:",omitempty"`
}

// FirstLast is log₂ of the smallest last size whose next protocol is known, 4 KiB.
const FirstLast = 12

// begins returns the error that a protocol adds above a last size of 2^x bytes.
func (k *Calibration) begins(x float64) float64 {
	i := int(math.Round(x)) - FirstLast
	if i < 0 || i >= len(k.Begins) {
		return 0
	}
	return k.Begins[i]
}

// weights returns the weights of a way.
func (k *Calibration) weights(from Way) *[2]Terms {
	switch from {
	case Above:
		return &k.Above
	case Below:
		return &k.Below
	}
	return &k.Between
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

// learned reads a calibration from published curves.
func learned(text json.RawMessage) *Calibration {
	c := &Calibration{}
	if err := json.Unmarshal(text, c); err != nil {
		panic("known.json: " + err.Error())
	}
	return c
}

// Latencies returns the calibration for times of messages.
func Latencies() *Calibration { return latencies() }

// Streams returns the calibration for the gaps of streams.
func Streams() *Calibration { return streams() }

// Operations returns the calibration for times of operations and collectives.
func Operations() *Calibration { return operations() }

// Each is read once.
var (
	latencies = sync.OnceValue(func() *Calibration {
		return learned(known.Machines().Latencies)
	})
	streams    = sync.OnceValue(func() *Calibration { return learned(known.Machines().Streams) })
	operations = sync.OnceValue(func() *Calibration {
		return learned(known.Machines().Operations)
	})
)

// density returns the density at x of a normal variable with the given variance, without the
// constant factor.
func density(x, variance float64) float64 {
	return math.Exp(-x*x/2/variance) / math.Sqrt(variance)
}
