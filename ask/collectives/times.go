package collectives

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/calibrate"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Times      []Timing
	Within     calibrate.Deviation
	TooLarge   []string // the calls without a time, and why
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
}

// LeftOut returns the note of calls that are too large.
func LeftOut(tooLarge []string) string {
	return fmt.Sprintf("%d left out, the first: %s.", len(tooLarge), tooLarge[0])
}
