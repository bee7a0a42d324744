package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A call is a question for the best algorithm.
type call struct {
	fitted.Placement
	size quantity.Bytes
}

func callOf(p fitted.Point) call {
	return call{fitted.Placement{Ranks: p.Ranks, PerNode: p.PerNode}, p.Size}
}

// losses collects, over calls, the loss of a choice and of the algorithm that was the fastest at
// the nearest call in the fits, each against the fastest; and whether the choice's loss is at most
// its upper end.
type losses struct{ chosen, copied, bounded []float64 }

// choose fits each algorithm's points that are not out, and chooses at the points that are.
func (l *losses) choose(algorithms []series, out func(p fitted.Point) bool) {
	var results []*fitted.Result
	measured := map[call][]float64{} // by algorithm; NaN where it was not measured
	for _, s := range algorithms {
		kept := s.sub(func(p fitted.Point) bool { return !out(p) })
		r, err := fitted.Fit(kept.data())
		if err != nil {
			continue // none or one time
		}
		for _, p := range s.points {
			if c := callOf(p); out(p) {
				for len(measured[c]) < len(results) {
					// The algorithms before this one were not measured at the call.
					measured[c] = append(measured[c], math.NaN())
				}
				measured[c] = append(measured[c], float64(p.Time))
			}
		}
		results = append(results, r)
	}
	for c, times := range measured {
		l.add(results, c, times)
	}
}

// add chooses at a call, among the algorithms that have a measured and a predicted time there.
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
	choice := fitted.Choose(among, predictions, c.Placement, c.size)
	// If all predictions are alike, the choice is a copy of the nearest call's fastest algorithm.
	alike := slices.Repeat([]fitted.Prediction{predictions[0]}, len(among))
	copied := fitted.Choose(among, alike, c.Placement, c.size)
	best := slices.Min(known)
	loss := known[choice.Index]/best - 1
	l.chosen = append(l.chosen, loss)
	l.copied = append(l.copied, known[copied.Index]/best-1)
	if !math.IsNaN(choice.LossHigh) {
		inside := 0.0
		if loss <= choice.LossHigh {
			inside = 1
		}
		l.bounded = append(l.bounded, inside)
	}
}

// choices writes the losses by machine and collective: the lower half of the numbers of nodes is
// fitted, or every second.
func choices(w io.Writer, all []series) {
	fmt.Fprintln(w, "\n| machine | collective | fitted | calls | loss of the choice: mean, worst "+
		"| loss of a copy | within its bound |\n|---|---|---|---|---|---|---|")
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
		choicesOf(w, forced[:end])
		forced = forced[end:]
	}
}

// choicesOf writes the losses of the algorithms of one collective on one machine.
func choicesOf(w io.Writer, group []series) {
	var counts []int
	for _, s := range group {
		counts = append(counts, s.counts()...)
	}
	slices.Sort(counts)
	counts = slices.Compact(counts)
	at := func(p fitted.Point) int { return slices.Index(counts, nodes(p)) }
	row := func(name string, out func(p fitted.Point) bool) {
		l := &losses{}
		if l.choose(group, out); len(l.chosen) == 0 {
			return
		}
		bounded := "–"
		if len(l.bounded) > 0 {
			bounded = fmt.Sprintf("%.0f %%", 100*stats.Mean(l.bounded))
		}
		fmt.Fprintf(w, "| %s | %s, %s | %s | %d | %.1f, %.0f %% | %.1f %% | %s |\n",
			group[0].machine, group[0].name, group[0].collective, name, len(l.chosen),
			100*stats.Mean(l.chosen), 100*slices.Max(l.chosen), 100*stats.Mean(l.copied), bounded)
	}
	row("lower half", func(p fitted.Point) bool { return at(p) >= (len(counts)+1)/2 })
	if len(counts) >= 3 {
		row("every second", func(p fitted.Point) bool { return at(p)%2 == 1 })
	}
}
