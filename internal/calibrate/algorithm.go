package calibrate

import (
	"context"
	"errors"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxOperations is the limit of a collective's schedule. There are dozens of collectives in a file,
// and each is simulated by every algorithm if the library's is not known.
const maxOperations = 1 << 18

// A collectiveTime is what a machine says of a measured collective.
type collectiveTime struct {
	least   quantity.Micros // of the algorithms that the library may take; 0: none was simulated
	nearest string          // the algorithm with the nearest time, if the library's is not known
	time    quantity.Micros // of nearest
}

// collective predicts a collective among the ranks of the job by the library's default algorithm
// or, where that is not known, by all: a library that was tuned takes a fast one, and its time
// shows which.
func (c *Calibration) collective(ctx context.Context, m machine.Machine, r Measurement) (
	p collectiveTime, err error) {
	on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
	if err != nil {
		return p, err
	}
	all := collective.Of(r.Measure)
	library, _ := collective.LibraryOf(c.Library)
	e, known := library.Choice(all, r.Pairs, uint64(r.Size))
	if known {
		all = []collective.Entry{e}
	}
	// The schedules have messages and combinations, but not this copy.
	own := quantity.Micros(0)
	if collective.CopiesOwn(r.Measure) {
		own = quantity.Micros(c.local(Copy, r.Size))
	}
	gamma := 1e3 * c.local(Combine, r.Size) / float64(max(r.Size, 1)) // ns/B
	call := collective.Call{Bytes: uint64(r.Size), Gamma: gamma}
	for _, e := range all {
		if !slices.ContainsFunc(collective.Libraries, func(l collective.Library) bool {
			return l.Has(e)
		}) || e.Check(r.Pairs, call) != nil {
			continue
		}
		s, err := e.ScheduleLimit(ctx, maxOperations, r.Pairs, call)
		// Another algorithm may have a smaller schedule.
		if errors.As(err, new(collective.TooLarge)) {
			continue
		}
		if err != nil {
			return p, err
		}
		t, err := finish(ctx, s, on)
		if err != nil {
			return p, err
		}
		t += own
		if p.least == 0 || t < p.least {
			p.least = t
		}
		if known {
			continue
		}
		// Of algorithms that take the same time, the first one counts.
		if p.nearest == "" || distance(t, r.Time) < distance(p.time, r.Time) {
			p.nearest, p.time = e.Runs(r.Pairs, call).Name, t
		}
	}
	return p, nil
}

// finish returns when the last rank is done.
func finish(ctx context.Context, s *schedule.Schedule, on simulate.Machine) (
	quantity.Micros, error) {
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	res, err := p.Run(ctx, simulate.Setup{Machine: on})
	if err != nil {
		return 0, err
	}
	t, _ := res.Finish()
	return t, nil
}

// distance returns how far apart two times are, as the size of the logarithm of their ratio.
func distance(a, b quantity.Micros) float64 { return math.Abs(math.Log(float64(a / b))) }
