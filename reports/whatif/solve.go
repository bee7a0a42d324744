//go:build !js

package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Solutions are the changes of parameters that reach a target, the smallest change
// first: it likely is the cheapest.
type Solutions struct {
	Target Target
	Found  []Solution
	Idle   int     // parameters that change nothing, which are not among them
	Now    float64 // the quantity as it is
	Met    bool    // by the design as it is
	// Next has the interval of the next measurement of the quantity as it is, where that is known.
	Next quantity.Interval
	Sure bool // Met, and by all of Next
}

// Solve finds what each of the parameters can do for the target. Without any it tries all that the
// layer uses and that nothing else decides, unless the design meets the target as it is: then
// nothing needs to change, and nothing is searched. Parameters without any effect are only counted,
// since a list of them hides the others; a parameter that was named gets its row in any case. If
// watch is not nil, it is called when the search of a parameter begins, found being nil, and when
// it ends, by one goroutine at a time; done of total parameters have been searched.
//
// Quantities need not be monotonic (a larger packet first helps and then hurts), so the search
// walks away from the parameter in both directions instead of bisecting at once: to a millionth and
// a million times it, and to zero, or within the range if it has From < To. The steps are 2^(1/16),
// or 2 and more for a [Call], whose values are simulations; the step in which the target is first
// met is searched. A target that is met only within a step is missed. Of whole parameters, as
// packets, each value up to 65,536 away is tried.
func Solve(ctx context.Context, d Design, t Target,
	watch func(p platforms.Param, found *Solution, done, total int), by ...Range) (
	*Solutions, error) {
	now, err := d.ValueOf(t.Quantity)
	if err != nil {
		return nil, err
	}
	s := &Solutions{Target: t, Now: now, Met: t.met(now), Next: d.next(t.Quantity, now)}
	worst := s.Next.High
	if t.Least {
		worst = s.Next.Low
	}
	s.Sure = s.Met && (!s.Next.Known() || t.met(worst))
	all := len(by) == 0
	if all && s.Met {
		return s, nil
	}
	if all {
		for _, p := range d.Uses() {
			// A threshold would be moved to where its branches were never measured.
			if !d.Platform.Computed(p.Path) && p.Value.Num > 0 && !p.Bound {
				by = append(by, Range{Param: p})
			}
		}
	}
	// Each value may be a simulation, so all processors try parameters.
	each := make([]Solution, len(by))
	var mutex sync.Mutex
	done := 0
	seen := func(i int, found *Solution) {
		mutex.Lock()
		defer mutex.Unlock()
		if found != nil {
			done++
		}
		if watch != nil {
			watch(by[i].Param, found, done, len(by))
		}
	}
	err = parallel.Each(ctx, len(by), 0, func(_ context.Context, i int) (err error) {
		seen(i, nil)
		if each[i], err = d.solve(t, now, by[i]); err == nil {
			seen(i, &each[i])
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, found := range each {
		if all && !found.Reached && found.At == found.Now {
			s.Idle++
			continue
		}
		s.Found = append(s.Found, found)
	}
	// Stable: equal efforts stay in the order of the file or of the flags.
	slices.SortStableFunc(s.Found, func(a, b Solution) int {
		return cmp.Compare(effort(a), effort(b))
	})
	return s, nil
}

// effort returns the factor of change of a parameter, as a logarithm: half and double
// are equal. Parameters that do not reach the target come last.
func effort(s Solution) float64 {
	if !s.Reached {
		return math.Inf(1)
	}
	if s.Param.Value.Num == 0 {
		return 0
	}
	return math.Abs(math.Log(s.Value / s.Param.Value.Num))
}
