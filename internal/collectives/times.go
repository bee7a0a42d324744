package collectives

import (
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Best returns the best of the times of one place, or the only one.
func (t *Times) Best() Timing {
	at := slices.IndexFunc(t.Times, func(t Timing) bool { return t.Best })
	return t.Times[max(0, at)]
}

// Undecided returns an error if no algorithm of a place is known to be the best.
func (t *Times) Undecided() error {
	if slices.ContainsFunc(t.Times, func(t Timing) bool { return t.Undecided }) {
		return undecidedBy(t.plan.Collective, t.TooLarge)
	}
	return nil
}

// undecidedBy returns the error of a best algorithm, if calls that were left out may be faster.
func undecidedBy(name string, tooLarge []string) error {
	return fmt.Errorf("%s: the fastest is not known: %s; name an algorithm", name, tooLarge[0])
}

// LeftOut returns the note of calls that are too large, if there are any.
func (t *Times) LeftOut() (notes []remark.Note) {
	if n := len(t.TooLarge); n > 0 {
		notes = append(notes, remark.TooLarge(n, t.TooLarge[0]))
	}
	return notes
}

// At returns the times of the same calls on another number of ranks, or of another size.
func (t *Times) At(ctx context.Context, at Place) ([]Timing, error) {
	found, err := t.plan.TimesOf(ctx, t.plan.at(at))
	if err != nil {
		return nil, err
	}
	return found.Times, nil
}

// Several reports whether algorithms, or segments, are compared.
func (t *Times) Several() bool { return t.plan.Several() }

// Rough reports whether real times differ from these by a tenth or more: those of fits, and on a
// machine on which no collective was measured.
func (t *Times) Rough() bool {
	return t.Fitted || t.Off != "" || t.Within.Ranks > 0
}

// AddSchedule times a schedule of one's own, of the call that all times are of, and compares it
// with the algorithms. It is an error if the times are measured, or of several calls.
func (t *Times) AddSchedule(ctx context.Context, name string, s *schedule.Schedule) error {
	ranks := s.Ranks()
	for _, c := range t.Times {
		if t.Fitted || c.Place() != t.Times[0].Place() || c.Ranks != ranks {
			return fmt.Errorf("%s has %s: compare it with simulated calls on as many, of one size",
				name, quantity.Plural(ranks, "rank"))
		}
	}
	p, err := simulate.New(s)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	source := t.plan.source.(described)
	run, err := p.Run(ctx, simulate.Setup{Machine: source.on})
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	first := t.Times[0]
	e := collective.Entry{Collective: first.Collective, Name: name}
	own := Timing{Cell: newCell(e, ranks, first.Call), Estimate: unknown()}
	own.Call.Segment = 0
	finish, _ := run.Finish()
	copying := source.copies(own.Size())
	own.Time, own.Average, own.From = finish+copying, average(run)+copying, Simulated
	source.interval(&own.Estimate, ranks)
	own.LatencyBound, own.BandwidthBound = first.LatencyBound, first.BandwidthBound
	own.expected = own.Time
	t.Times = append(t.Times, own)
	for i := range t.Times {
		c := &t.Times[i]
		c.Best, c.Next, c.Slower, c.NextSlower = false, nil, 0, 0
	}
	compare(t.Times)
	t.Own++
	return nil
}

// Axes returns the numbers of ranks and the sizes of the times, ascending.
func (t *Times) Axes() (ranks []int, sizes []quantity.Bytes) {
	for _, c := range t.Times {
		ranks, sizes = append(ranks, c.Ranks), append(sizes, c.Size())
	}
	return stats.Ascending(ranks), stats.Ascending(sizes)
}
