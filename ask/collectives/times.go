package collectives

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/fit/calibrate"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Machine    string     // its name
	Times      []Timing
	Within     calibrate.Deviation
	TooLarge   []string // the calls without a time, and why
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
	// Measured are the measured calls of the algorithms on the numbers of ranks, of fitted times.
	// ByBusbw says that they are of nccl-tests, which are read by their bus bandwidth.
	Measured []Timing
	ByBusbw  bool

	asked question
}

// Best returns the best of the times of one place, or the only one.
func (t *Times) Best() Timing {
	at := slices.IndexFunc(t.Times, func(t Timing) bool { return t.Best })
	return t.Times[max(0, at)]
}

// LeftOut returns the note of calls that are too large.
func LeftOut(tooLarge []string) string {
	return fmt.Sprintf("%d left out, the first: %s.", len(tooLarge), tooLarge[0])
}
