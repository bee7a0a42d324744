//go:build !js

package whatif

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/parallel"
)

// Solutions are the changes of parameters that reach a target, the smallest change
// first: it likely is the cheapest.
type Solutions struct {
	Target Target
	Found  []Solution
	Idle   int // parameters that change nothing, which are not among them
}

// Solve finds what each of the parameters can do for the target; without any it tries all that the
// layer uses and that nothing else decides. Then parameters without any effect are only counted,
// since a list of them hides the others; a parameter that was named gets its row in any case.
func Solve(d Design, t Target, by ...Range) (*Solutions, error) {
	all := len(by) == 0
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
	one := func(_ context.Context, i int) (err error) {
		each[i], err = d.Solve(t, by[i].Param, by[i].From, by[i].To)
		return err
	}
	err := parallel.Each(context.Background(), len(by), 0, one)
	if err != nil {
		return nil, err
	}
	s := &Solutions{Target: t}
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
