package collectives

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Times      []Timing
	Within     calibrate.Interval
	TooLarge   []string // the calls without a time, and why
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
}

// LeftOut returns the note of calls that are too large.
func LeftOut(tooLarge []string) string {
	return fmt.Sprintf("%d left out, the first: %s.", len(tooLarge), tooLarge[0])
}

// FiniteEnds returns the ends, with NaN for an infinite high, which prints as absent.
func FiniteEnds(low, high quantity.Micros) (l, h quantity.Micros) {
	if math.IsInf(float64(high), 0) {
		high = quantity.Unknown
	}
	return low, high
}
