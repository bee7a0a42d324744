package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	measured "github.com/halfpeak/halfpeak/internal/published"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A call is a question for the best algorithm.
type call struct {
	fitted.Placement
	size quantity.Bytes
}

// callOf drops the time and all else of a point: calls of different algorithms are compared by it.
func callOf(p fitted.Point) call {
	return call{fitted.Placement{Ranks: p.Ranks, PerNode: p.PerNode}, p.Size}
}

// losses collects, over calls, the loss against the fastest of the choice, of the algorithm that is
// predicted to be the fastest, and of the one that was the fastest at the nearest call in the fits;
// and whether the choice's loss is at most its upper end.
type losses struct{ chosen, fastest, copied, bounded []float64 }

// choose fits each algorithm's points that are in, and chooses at the points that are asked for.
func (l *losses) choose(algorithms []series, in, asked func(p fitted.Point) bool) {
	// results and the columns of asks have one index: the algorithms that could be fitted.
	var results []*fitted.Result
	asks := map[call][]float64{} // times by algorithm; NaN where it was not measured
	for _, s := range algorithms {
		r, err := fitted.Fit(s.sub(in).data())
		if err != nil {
			continue // none or one time
		}
		for _, p := range s.points {
			if c := callOf(p); asked(p) {
				for len(asks[c]) < len(results) {
					// The algorithms before this one were not measured at the call.
					asks[c] = append(asks[c], math.NaN())
				}
				asks[c] = append(asks[c], float64(p.Time))
			}
		}
		results = append(results, r)
	}
	// Maps have no order, and none is needed: only means and maxima of the losses are printed.
	for c, times := range asks {
		l.add(results, c, times)
	}
}

// add chooses at a call, among the algorithms that have a measured and a predicted time there. The
// loss is of measured times alone: a prediction decides the choice and nothing else.
func (l *losses) add(results []*fitted.Result, c call, times []float64) {
	var among []*fitted.Result
	var predictions []fitted.Prediction
	var known []float64
	for i, t := range times {
		if q, err := results[i].PredictAt(c.Placement, c.size); err == nil && !math.IsNaN(t) {
			among, predictions = append(among, results[i]), append(predictions, q)
			known = append(known, t)
		}
	}
	// One algorithm alone is no choice.
	if len(among) < 2 {
		return
	}
	choice := fitted.Choose(predictions)
	// What a user without a model would do. If it loses no more, the model is of no use for
	// choices.
	fastest := slices.IndexFunc(predictions, func(p fitted.Prediction) bool {
		return !slices.ContainsFunc(predictions, func(o fitted.Prediction) bool {
			return o.Value < p.Value
		})
	})
	copied := nearestFastest(nearestTimes(among, c))
	if copied < 0 {
		copied = fastest
	}
	best := slices.Min(known)
	loss := known[choice.Index]/best - 1
	l.chosen = append(l.chosen, loss)
	l.fastest = append(l.fastest, known[fastest]/best-1)
	l.copied = append(l.copied, known[copied]/best-1)
	// NaN is a choice without a bound, which is no promise to check.
	if !math.IsNaN(choice.LossHigh) {
		inside := 0.0
		if loss <= choice.LossHigh {
			inside = 1
		}
		l.bounded = append(l.bounded, inside)
	}
}

// nearestTimes returns the times of the results at the nearest call that was measured, by the
// octaves of ranks and of total bytes; NaN if a result has no time there.
func nearestTimes(all []*fitted.Result, c call) []float64 {
	total := func(ranks int, size quantity.Bytes) float64 {
		n := float64(size)
		if measured.InBlocks(all[0].Collective) {
			n *= float64(ranks)
		}
		return math.Log2(max(1, n))
	}
	distance := func(p fitted.Point) float64 {
		d := math.Abs(total(p.Ranks, p.Size)-total(c.Ranks, c.size)) +
			math.Abs(math.Log2(float64(p.Ranks)/float64(c.Ranks)))
		return math.Round(1e6 * d) // rounding must not divide times of one call
	}
	least := math.Inf(1)
	for _, r := range all {
		for _, p := range r.Points {
			least = min(least, distance(p))
		}
	}
	times := slices.Repeat([]float64{math.NaN()}, len(all))
	for i, r := range all {
		for _, p := range r.Points {
			if t := float64(p.Time); distance(p) == least && !(times[i] <= t) {
				times[i] = t
			}
		}
	}
	return times
}

// nearestFastest returns the index of the least time; -1 if fewer than two are known.
func nearestFastest(times []float64) int {
	best, known := -1, 0
	for i, t := range times {
		if math.IsNaN(t) {
			continue
		}
		if known++; best < 0 || t < times[best] {
			best = i
		}
	}
	if known < 2 {
		return -1
	}
	return best
}

// write writes the losses as a row of a table.
func (l *losses) write(w io.Writer, machine, collective, name string) {
	if len(l.chosen) == 0 {
		return
	}
	bounded := "–"
	if len(l.bounded) > 0 {
		bounded = fmt.Sprintf("%.0f %%", 100*stats.Mean(l.bounded))
	}
	fmt.Fprintf(w, "| %s | %s | %s | %d | %.1f, %.0f %% | %.1f %% | %.1f %% | %s |\n", machine,
		collective, name, len(l.chosen), 100*stats.Mean(l.chosen), 100*slices.Max(l.chosen),
		100*stats.Mean(l.fastest), 100*stats.Mean(l.copied), bounded)
}

const choiceHeading = "| machine | collective | fitted | calls " +
	"| loss of the choice: mean, worst | of the fastest predicted | of a copy " +
	"| within its bound |\n|---|---|---|---|---|---|---|---|"

// choices writes the losses by machine and collective: the lower half of the numbers of nodes is
// fitted, or every second.
func choices(w io.Writer, all []series) {
	fmt.Fprintln(w, "\n"+choiceHeading)
	for _, group := range forcedGroups(all) {
		choicesOf(w, group)
	}
}

// forcedGroups returns the series with an algorithm that was forced, by machine, library and
// collective. The library's own choice is no alternative to choose.
func forcedGroups(all []series) (groups [][]series) {
	byGroup := func(a, b series) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.name, b.name),
			cmp.Compare(a.collective, b.collective))
	}
	forced := slices.DeleteFunc(slices.Clone(all), func(s series) bool { return s.forced == "" })
	slices.SortStableFunc(forced, byGroup)
	for len(forced) > 0 {
		end := 1
		for end < len(forced) && byGroup(forced[0], forced[end]) == 0 {
			end++
		}
		groups = append(groups, forced[:end])
		forced = forced[end:]
	}
	return groups
}

// countsOf returns the numbers of nodes of the series together, ascending.
func countsOf(group []series) (counts []int) {
	for _, s := range group {
		counts = append(counts, s.counts()...)
	}
	slices.Sort(counts)
	return slices.Compact(counts)
}

// choicesOf writes the losses of the algorithms of one collective on one machine.
func choicesOf(w io.Writer, group []series) {
	counts := countsOf(group)
	at := func(p fitted.Point) int { return slices.Index(counts, nodes(p)) }
	row := func(name string, in, asked func(p fitted.Point) bool) {
		l := &losses{}
		l.choose(group, in, asked)
		l.write(w, group[0].machine, group[0].name+", "+group[0].collective, name)
	}
	half := (len(counts) + 1) / 2
	below := func(p fitted.Point) bool { return at(p) < half }
	row("lower half", below, func(p fitted.Point) bool { return !below(p) })
	if len(counts) >= 3 {
		even := func(p fitted.Point) bool { return at(p)%2 == 0 }
		row("every second", even, func(p fitted.Point) bool { return !even(p) })
	}
}
