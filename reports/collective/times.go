package collective

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Times is the answer, in the order of ranks, sizes and algorithms.
type Times struct {
	Algorithms Algorithms // that were compared
	On         string     // the platform of the times, in words
	Machine    string     // its name
	Times      []Timing
	Within     calibrate.Deviation
	TooLarge   []string // the calls without a time, and why
	Doubts     []string // what the times rest on that was not measured
	Off        string   // how far real times may be from these; empty if they have intervals
	BestOnly   bool
	Notes      []string
	Fitted     bool // the times are fitted, and have intervals
	// Measured are the measured calls of the algorithms on the numbers of ranks, of fitted times.
	// ByBusbw says that they are of nccl-tests, which are read by their bus bandwidth.
	Measured []Timing
	ByBusbw  bool

	Own int // the number of schedules of one's own, the last of Times; see [Times.Add]

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

// Add adds the run of a schedule of one's own, of the call that all times are of, and compares it
// with the algorithms. It is an error if the times are measured, or of several calls.
func (t *Times) Add(name string, run *simulate.Result) error {
	ranks := len(run.Ranks)
	for _, c := range t.Times {
		if t.Fitted || c.Place() != t.Times[0].Place() || c.Ranks != ranks {
			return fmt.Errorf("%s has %s: compare it with simulated calls on as many, of one size",
				name, lex.Plural(ranks, "rank"))
		}
	}
	if len(t.Times) == 0 {
		return fmt.Errorf("%s: no algorithm has a time to compare it with", name)
	}
	first := t.Times[0]
	own := newTiming(collective.Entry{Collective: first.Collective, Name: name}, ranks, first.Call)
	own.Call.Segment = 0
	finish, _ := run.Finish()
	copying := t.asked.copies(own.Size())
	own.Time, own.Average = finish+copying, copying
	for _, t := range run.Ranks {
		own.Average += run.Micros(t) / quantity.Micros(ranks)
	}
	own.From, own.Within = Simulated, quantity.Alone(own.Time)
	own.AverageWithin = quantity.Alone(own.Average)
	own.LatencyBound, own.BandwidthBound = first.LatencyBound, first.BandwidthBound
	t.Times = append(t.Times, own)
	for i := range t.Times {
		c := &t.Times[i]
		c.Best, c.Next, c.Slower, c.NextSlower = false, nil, 0, 0
	}
	compare(t.Times, list.Map(t.Times, func(c Timing) quantity.Micros { return c.Time }))
	t.Own++
	return nil
}
