package collective

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/collectives"
)

// Unverified is the comment of rules from a question without measured collectives.
const Unverified = "Unverified: these rules are computed from times of single messages, " +
	"and no collective was measured. Where a library does more than its algorithm says, " +
	"its own choice can be several times as fast: measure both before use."

// rulesOf returns the text of rules with the best choices, or with the one algorithm that was asked
// for. Boundaries between sizes are exact to the byte, see [crossovers]. Nothing is written before
// all rules are known to be valid: half a file would still be read.
func rulesOf(ctx context.Context, t *Times, l rules.Form, path string) ([]byte, error) {
	refined, err := refined(ctx, t)
	if err != nil {
		return nil, err
	}
	var text bytes.Buffer
	if l.Use != "" {
		if !t.Fitted {
			fmt.Fprintf(&text, "# %s\n", Unverified)
		}
		fmt.Fprintf(&text, "# "+l.Use+"\n", cmp.Or(path, "FILE"))
	}
	err = l.Write(&text, collectives.Rules(refined))
	return text.Bytes(), err
}

// refined returns the times with those at every size where the best changes: a
// library takes a rule from its size on, so a coarse grid would keep a choice for up
// to the next size of the grid.
func refined(ctx context.Context, t *Times) ([]Timing, error) {
	if !t.Several() {
		return t.Times, nil
	}
	all := *t
	all.Times = slices.Clone(t.Times)
	if t.Fitted {
		keepNeighbours(all.Times)
	}
	// Between two numbers of ranks the rules of the smaller one hold, so only sizes are searched.
	changes, err := crossovers(ctx, &all, false)
	if err != nil {
		return nil, err
	}
	for _, c := range changes {
		asked := func(o Timing) bool { return o.Best && o.Place() == c.Best.Place() }
		if !slices.ContainsFunc(t.Times, asked) {
			all.Times = append(all.Times, c.Best)
		}
	}
	slices.SortStableFunc(all.Times, func(a, b Timing) int {
		return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.Call.Bytes, b.Call.Bytes))
	})
	return all.Times, nil
}

// keepNeighbours makes the choice of the sizes around also that of sizes within a factor of two, if
// the times there do not tell the two apart: such a change is of a measurement that stands out
// rather than of the algorithms. The times of a number of ranks have ascending sizes.
func keepNeighbours(times []Timing) {
	runs := map[int][][]int{} // of indices of the same choice, by ranks
	for i, c := range times {
		if !c.Best {
			continue
		}
		here := runs[c.Ranks]
		if n := len(here); n > 0 && times[here[n-1][0]].SameAs(c.Cell) {
			here[n-1] = append(here[n-1], i)
		} else {
			runs[c.Ranks] = append(here, []int{i})
		}
	}
	isShort := func(run []int) bool {
		return times[run[len(run)-1]].Size() < 2*times[run[0]].Size()
	}
	for _, here := range runs {
		for k, run := range here {
			var around [][]int
			if k > 0 {
				around = append(around, here[k-1])
			}
			if k+1 < len(here) {
				around = append(around, here[k+1])
			}
			if !isShort(run) || len(around) == 0 || len(around) == 1 && isShort(around[0]) {
				continue
			}
			next, other := times[around[0][0]], times[around[len(around)-1][0]]
			if next.SameAs(other.Cell) && !next.SameAs(times[run[0]].Cell) {
				prefer(times, run, next)
			}
		}
	}
}

// prefer makes the choice of a timing that of the sizes of a run, if the intervals of both overlap
// at each.
func prefer(times []Timing, run []int, choice Timing) {
	var instead []int
	for _, i := range run {
		j := slices.IndexFunc(times, func(c Timing) bool {
			return c.Place() == times[i].Place() && c.SameAs(choice.Cell)
		})
		if j < 0 || !overlap(times[i], times[j]) {
			return
		}
		instead = append(instead, j)
	}
	for k, i := range run {
		times[i].Best, times[instead[k]].Best = false, true
		run[k] = instead[k]
	}
}

// overlap reports whether the intervals of the times that two calls are compared by overlap.
func overlap(a, b Timing) bool {
	x, y := a.Answer(), b.Answer()
	return x.Low <= y.High && y.Low <= x.High // false without intervals
}
