package collectives

import (
	"context"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// A Plan is what has to be timed to answer calls: a cell for each algorithm, number of ranks, size
// and segment. Cells of the same ranks and size are neighbours.
type Plan struct {
	Basis
	Algorithms Algorithms // that are compared
	Cells      []Cell
	source     source
}

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Machine    string     // its name
	Times      []Timing
	Within     calibrate.Deviation
	TooLarge   []string // the calls without a time, and why
	// Off says how far real times were from simulations of other machines, which Within then is;
	// empty if it is of this machine.
	Off      string
	BestOnly bool
	Notes    []remark.Note
	Fitted   bool // the times are fitted, and have intervals
	// Measured are the measured calls of the algorithms on the numbers of ranks, of fitted times.
	// ByBusbw says that they are of nccl-tests, which are read by their bus bandwidth.
	Measured []Timing
	ByBusbw  bool

	Own int // the number of schedules of one's own, the last of Times; see [Times.AddSchedule]

	plan *Plan
}

// A Source has the times of calls on one design: [described] by simulating their messages,
// [measured] by fits to their measurements.
type Source interface {
	Time(context.Context, Cell) (Estimate, error)
}

// A source also says how many cells are timed at once, and what their times rest on.
type source interface {
	Source
	estimates(context.Context, []Cell) ([]Estimate, error)
	remark(*Times)
}
