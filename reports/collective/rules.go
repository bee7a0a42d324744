package collective

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/schedule/collective/rules"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// Unverified is the comment of rules from a question without measured collectives.
const Unverified = "Unverified: these rules are computed from times of single messages, " +
	"and no collective was measured. Where a library does more than its algorithm says, " +
	"its own choice can be several times as fast: measure both before use."

// WriteRules writes rules with the best choices in the form of the calls, or with the one
// algorithm that was asked for. Boundaries between sizes are exact to the byte, see
// [Times.Crossovers]; path is the file's name for a comment that says how to use it.
func (t *Times) WriteRules(ctx context.Context, w io.Writer, path string) error {
	l := t.asked.Form
	refined, err := t.refined(ctx)
	if err != nil {
		return err
	}
	// Nothing is written before all rules are known to be valid: half a file would still be read.
	var text bytes.Buffer
	if l.Use != "" {
		if !t.Fitted {
			fmt.Fprintf(&text, "# %s\n", Unverified)
		}
		fmt.Fprintf(&text, "# "+l.Use+"\n", cmp.Or(path, "FILE"))
	}
	if err := l.Write(&text, refined.Rules()); err != nil {
		return err
	}
	_, err = w.Write(text.Bytes())
	return err
}

// refined returns the times with those at every size where the best changes: a
// library takes a rule from its size on, so a coarse grid would keep a choice for up
// to the next size of the grid.
func (t *Times) refined(ctx context.Context) (*Times, error) {
	all := *t
	if !t.asked.several() {
		return &all, nil
	}
	all.Times = slices.Clone(t.Times)
	if t.Fitted {
		keepNeighbours(all.Times)
	}
	// Between two numbers of ranks the rules of the smaller one hold, so only sizes are searched.
	changes, err := all.crossovers(ctx, false)
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
	return &all, nil
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
		if n := len(here); n > 0 && times[here[n-1][0]].sameAs(c) {
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
			if next.sameAs(other) && !next.sameAs(times[run[0]]) {
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
			return c.Place() == times[i].Place() && c.sameAs(choice)
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
	x, y := a.Within, b.Within
	if !x.Known() || !y.Known() {
		x, y = a.AverageWithin, b.AverageWithin
	}
	return x.Low <= y.High && y.Low <= x.High // false without intervals
}

// Rules returns the best choices. A choice holds from its number of ranks, and from its size, to
// just below the next. The last ranks and sizes hold for themselves alone, so that the library's
// own choice stays beyond them. Neighbours with the same choice are one rule.
func (t *Times) Rules() []rules.Rule {
	slower := func(c Timing) bool { return c.Compared && !c.Best }
	best := slices.DeleteFunc(slices.Clone(t.Times), slower)
	ranks := steps(best, func(c Timing) uint64 { return uint64(c.Ranks) })
	var all []rules.Rule
	last := 0 // where those of the ranks before begin
	for len(best) > 0 {
		var here []Timing
		here, best = cut(best, func(a, b Timing) bool { return a.Ranks == b.Ranks })
		sizes := steps(here, func(c Timing) uint64 { return c.Call.Bytes })
		var now []rules.Rule
		for _, c := range here {
			r := rules.Rule{Of: c.Entry,
				Ranks: ranks(c), Bytes: sizes(c), Segment: c.Call.Segment}
			if c.Params&collective.Fanout != 0 {
				r.Fanout = c.Call.Fanout
			}
			// The library runs the algorithm for this number of ranks alone.
			if c.Entry.Ranks != 0 {
				r.Ranks.To = r.Ranks.From
			}
			if n := len(now); n > 0 && continues(now[n-1], r) {
				now[n-1].Bytes.To = r.Bytes.To
			} else {
				now = append(now, r)
			}
		}
		if slices.EqualFunc(all[last:], now, func(a, b rules.Rule) bool {
			return a.Ranks.To+1 == b.Ranks.From && a.Bytes == b.Bytes && sameChoice(a, b)
		}) {
			for i := range now {
				all[last+i].Ranks.To = now[i].Ranks.To
			}
			continue
		}
		last = len(all)
		all = append(all, now...)
	}
	return all
}

// continues reports whether b is a's choice for the sizes just above those of a, so
// that one rule has both.
func continues(a, b rules.Rule) bool {
	return a.Bytes.To+1 == b.Bytes.From && sameChoice(a, b)
}

func sameChoice(a, b rules.Rule) bool {
	return a.Of.Name == b.Of.Name && a.Segment == b.Segment && a.Fanout == b.Fanout
}

// steps returns the range of each value: up to just below the next; the last holds
// for itself alone.
func steps(all []Timing, of func(Timing) uint64) func(Timing) rules.Range {
	values := stats.Ascending(list.Map(all, of))
	return func(c Timing) rules.Range {
		r := rules.Range{From: of(c), To: of(c)}
		if i, _ := slices.BinarySearch(values, r.From); i+1 < len(values) {
			r.To = values[i+1] - 1
		}
		return r
	}
}
