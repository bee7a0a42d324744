package halfpeak

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Estimate is an answer: a time, with how it was found and how far to trust it.
type Estimate struct {
	Time quantity.Micros
	// Low and High hold 95 % of new measurements. Both are NaN without an interval; then NoInterval
	// says why. A High alone may be +Inf.
	Low, High  quantity.Micros
	NoInterval string
	Method     Method
	// Beyond is the factor by which the size is outside of those that were measured; 0: it is not,
	// or nothing was measured.
	Beyond float64
	// Limit is the stage or the parameter that takes most of the time; empty: not known. Parts are
	// all of them, and add up to the time of the model.
	Limit string
	Parts []Part
	Notes []string // what else the time depends on
}

// A Part of a time is due to a stage or a parameter.
type Part struct {
	Name string
	Time quantity.Micros
}

// A Method is how a time was found.
type Method string

// The methods.
const (
	Model     Method = "model"               // formulas of a layer's parameters
	Curve     Method = "measured curve"      // through measured times of messages
	Simulated Method = "simulated"           // messages of all ranks
	Measured  Method = "measured collective" // fitted to measured times of it
)

// String returns the time as people read it: "2.55 ms (2.31 ms to 2.90 ms), simulated".
func (e Estimate) String() string {
	text := e.Time.String()
	switch {
	case math.IsNaN(float64(e.Low)):
	case math.IsInf(float64(e.High), 1) || math.IsNaN(float64(e.High)):
		text += fmt.Sprintf(" (%s or more)", e.Low)
	default:
		text += fmt.Sprintf(" (%s to %s)", e.Low, e.High)
	}
	return text + ", " + string(e.Method)
}
