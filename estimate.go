package halfpeak

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/internal/collectives"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// An Estimate is an answer: a time, with how it was found and how far to trust it.
type Estimate struct {
	// Interval is the time in µs, and the ends between which 95 % of new measurements are. Both are
	// NaN without an interval; then NoInterval says why. High alone may be +Inf.
	quantity.Interval
	NoInterval string
	Method     Method
	// Beyond is the factor by which the size, or the ranks of a collective, are outside of those
	// that were measured; 0: they are not, or nothing was measured.
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

// The methods. Those of collectives are as the command has them.
const (
	Model      Method = "model"                     // formulas of a layer's parameters
	Curve      Method = "measured curve"            // through measured times of messages
	Simulated  Method = collectives.Simulated       // messages of all ranks
	FirstSteps Method = collectives.FirstSteps      // of a ring, whose later steps take as long
	Looped     Method = collectives.Looped          // calls and barriers in turn, as benchmarks do
	Fitted     Method = collectives.FromFit         // by a fit to measured times of the collective
	Measured   Method = collectives.FromMeasurement // a measured time of this very call
)

// Time returns the value of the estimate.
func (e Estimate) Time() quantity.Micros { return quantity.Micros(e.Value) }

// String returns the time as people read it: "2.55 ms (2.31 ms to 2.90 ms), simulated".
func (e Estimate) String() string {
	if e.Method == "" {
		return "no estimate" // that of an error
	}
	text := e.Time().String()
	switch low, high := quantity.Micros(e.Low), quantity.Micros(e.High); {
	case !e.Known():
	case math.IsInf(e.High, 1):
		text += fmt.Sprintf(" (%s or more)", low)
	default:
		text += fmt.Sprintf(" (%s to %s)", low, high)
	}
	return text + ", " + string(e.Method)
}
