package forecast

import (
	"encoding/json"
	"math"
	"sync"

	"github.com/halfpeak/halfpeak/internal/known"
)

// A Calibration holds the statistics of many curves that predictions of any other curve use.
type Calibration struct {
	// Between and Above are the weights of the terms of errors for sizes between and above the
	// measured ones, upwards and downwards.
	Between, Above [2]Terms
	// Run has the half of the interval of another run at a measured size: a base, and the factor of
	// the curve's noise that is added.
	Run [2]float64
	// Begins has, by whole octaves of the last size from [FirstLast], the error that a protocol
	// adds which begins above it: as a logarithm, added in squares. It is that of 97 % of the sizes
	// an octave above it and its neighbours; 0 beyond the list.
	Begins []float64 `json:",omitempty"`
	// Saving is log₂ of the factor by which a further byte gets cheaper with each octave above the
	// last size, if the curve is still flat there; at least 0.
	Saving float64 `json:",omitempty"`
	// Settled is log₂ of the size up to which protocols change. Collectives also change their
	// algorithms, at all sizes.
	Settled float64
	// Fade is the factor by which the rise of a stream's rate falls with each octave above the last
	// size, from 0 to 1; 0 for times that are not of a stream.
	Fade float64 `json:",omitempty"`
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

// belowWeights are the weights of the terms of errors below the first size. With six that are
// learned for each kind of curve, the scores of latencies, streams and operations are 1.63, 0.85
// and 0.69 on the half of the machines that numbers are chosen on; with these, 1.22, 0.82 and 0.95.
var belowWeights = [2]Terms{{usual: 0.4, other: 2}, {usual: 0.4, other: 2}}

// weights returns the weights of a way.
func (k *Calibration) weights(from Way) *[2]Terms {
	switch from {
	case Above:
		return &k.Above
	case Below:
		return &belowWeights
	}
	return &k.Between
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
