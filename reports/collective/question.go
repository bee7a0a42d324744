package collective

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Question is calls of one collective, and what is wanted of their times.
type Question struct {
	On []Subject // several designs are compared by their best times
	// Wanted beside the times, of one design.
	Crossovers bool
	Rules      *RulesFile    // nil: none
	Schedules  []Schedule    // of one's own, beside the algorithms
	Measured   *Measurements // to compare with; nil: none
}

// A Subject is a design with the calls that are asked of it.
type Subject struct {
	Design platforms.Design
	Calls
}

// A RulesFile is a file of a library's rules, in the form of the calls.
type RulesFile struct {
	Path string // for a comment that says how to use it
}

// A Schedule is one's own, by the name of its file.
type Schedule struct {
	Name string
	*schedule.Schedule
}

// An Answer is the times of the calls, and what else was wanted. Beside measurements it
// has the comparison alone.
type Answer struct {
	Times      []*Times // of each design
	Crossovers []Crossover
	Rules      []byte
	Comparison *Comparison

	crossovers bool              // were wanted
	short      map[string]string // the names of schedules of one's own, as people read them
}

// Ask answers a question. The errors are those of [collectives.Plan.Times], and of schedules
// and measurements that cannot be compared. Those of a damaged file have an answer beside its
// error.
func (q Question) Ask(ctx context.Context) (a Answer, err error) {
	if len(q.On) == 0 {
		return a, errors.New("no platform: name at least one")
	}
	for _, s := range q.On {
		on, err := s.Design.OfRanks()
		if err != nil {
			return a, err
		}
		basis, err := s.Calls.Basis(on)
		if err != nil {
			return a, err
		}
		if q.Measured != nil { // compared with the first platform alone
			a.Comparison, err = compare(ctx, basis, *q.Measured)
			return a, err
		}
		times, err := basis.TimesOf(ctx, basis.Calls)
		if err != nil {
			return a, err
		}
		a.Times = append(a.Times, times)
	}
	times := a.Times[0]
	for _, own := range q.Schedules {
		if err := times.AddSchedule(ctx, own.Name, own.Schedule); err != nil {
			return a, err
		}
	}
	a.short = shortNames(times)
	if a.crossovers = q.Crossovers; q.Crossovers {
		if a.Crossovers, err = crossovers(ctx, times, true); err != nil {
			return a, err
		}
	}
	if q.Rules != nil {
		a.Rules, err = rulesOf(ctx, times, q.On[0].Form, q.Rules.Path)
	}
	return a, err
}

// shortNames returns the names of the algorithms and schedules by which people tell them apart:
// those of schedules are paths.
func shortNames(t *Times) map[string]string {
	names := list.Map(t.Times, func(c Timing) string { return c.Name })
	short, of := table.ShortPaths(names), map[string]string{}
	for i, name := range names {
		of[name] = short[i]
	}
	return of
}

// curveError returns an error if the times are one point of a curve.
func curveError(t *Times) error {
	ranks, sizes := t.Axes()
	if len(ranks) > 1 || len(sizes) > 1 && ranks[0] > 1 {
		return nil
	}
	return usage.Fields(fmt.Errorf("%s on %d ranks is one point of a curve; give several "+
		"sizes, or numbers of ranks above 1", title(t, " on "), ranks[0]), "plot")
}

// title returns the collective and the platform. The first sentence of On is the
// platform; what follows is its shape, which is too long for a title. Times that are fitted to
// measurements alone have no On.
func title(t *Times, between string) string {
	on, _, _ := strings.Cut(t.On, ". ")
	if on = cmp.Or(on, t.Machine); on == "" { // as of times that no platform has
		between = strings.TrimSuffix(between, " on ")
	}
	return t.Algorithms[0].Collective + between + on
}
