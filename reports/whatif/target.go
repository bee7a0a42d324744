//go:build !js

package whatif

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A TargetQuestion asks what each of some parameters can do for a target. Without any it tries all
// that the layer uses and that nothing else decides, unless the design meets the target as it is:
// then nothing needs to change, and nothing is searched. Parameters without any effect are only
// counted, since a list of them hides the others; a parameter that was named gets its row in any
// case.
//
// Quantities need not be monotonic (a larger packet first helps and then hurts), so the search
// walks away from the parameter in both directions instead of bisecting at once: to a millionth and
// a million times it, and to zero, or within the range if it has From < To. The steps are 2^(1/16),
// or 2 and more for a [study.Call], whose values are simulations; the step in which the target is
// first met is searched. A target that is met only within a step is missed. Of whole parameters, as
// packets, each value up to 65,536 away is tried.
type TargetQuestion struct {
	Case
	Target Target
	By     []Range // see [Design.Searched]; none: each parameter
	// Watch is told in a line which parameter is searched, and then what is found, by one goroutine
	// at a time; nil: nobody is.
	Watch func(line string, found bool)
}

// Solutions are the changes of parameters that reach a target, the smallest change
// first: it likely is the cheapest.
type Solutions struct {
	Case
	Target Target
	Found  []Solution
	Idle   int // parameters that change nothing, which are not among them
	// Now is the quantity as it is, with the interval of its next measurement where that is known.
	Now   quantity.Interval
	Met   bool // by the design as it is
	Sure  bool // Met, and by all of the interval
	notes []remark.Note
	// noInterval says what is known of the error of the quantity without an interval.
	noInterval string
}

func (q TargetQuestion) Ask(ctx context.Context) (*Solutions, error) {
	d, t := q.After, q.Target
	now, err := d.predicted(t.Quantity)
	if err != nil {
		return nil, err
	}
	of := []Quantity{t.Quantity}
	s := &Solutions{Case: q.Case, Target: t, Now: now, Met: t.met(now.Value), notes: NotesOf(of),
		noInterval: d.noInterval(of, now)}
	if t.Quantity.isSized() {
		s.notes = append(s.notes, d.beyond("", []quantity.Bytes{t.Quantity.Size})...)
	}
	worst := now.High
	if t.Least {
		worst = now.Low
	}
	s.Sure = s.Met && (!now.Known() || t.met(worst))
	if len(q.By) == 0 && s.Met {
		return s, nil
	}
	all, err := q.solveEach(ctx, now.Value)
	if err != nil {
		return nil, err
	}
	for _, found := range all {
		if len(q.By) == 0 && !found.Reached && found.At == found.Now {
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

// solveEach searches each of the parameters; the quantity is now as it is. Each value may be a
// simulation, so all processors try parameters.
func (q TargetQuestion) solveEach(ctx context.Context, now float64) ([]Solution, error) {
	by := q.By
	if len(by) == 0 {
		for _, p := range q.After.Uses() {
			// A threshold would be moved to where its branches were never measured.
			if !q.After.Platform.Computed(p.Path) && p.Value.Num > 0 && !p.Bound {
				by = append(by, Range{Param: p})
			}
		}
	}
	all := make([]Solution, len(by))
	var mutex sync.Mutex
	done := 0
	seen := func(i int, found *Solution) {
		mutex.Lock()
		defer mutex.Unlock()
		if found != nil {
			done++
		}
		q.watched(by[i].Param, found, done, len(by))
	}
	return all, parallel.Each(ctx, len(by), 0, func(_ context.Context, i int) (err error) {
		seen(i, nil)
		if all[i], err = q.After.solve(q.Target, now, by[i]); err == nil {
			seen(i, &all[i])
		}
		return err
	})
}

// watched describes the search of a parameter in a line; found is nil when it begins. done of total
// parameters have been searched.
func (q TargetQuestion) watched(p platforms.Param, found *Solution, done, total int) {
	if q.Watch == nil {
		return
	}
	text := fmt.Sprintf("%d of %d parameters, %s", done, total, p.Short())
	if found != nil {
		text = p.Short() + ": " + neededText(*found)
		if !found.Reached {
			text += ", " + atBest(*found, func(v float64) string {
				return q.Units.Print(q.Target.Quantity.Value(v))
			})
		}
	}
	q.Watch(text, found != nil)
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
