package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A rival is an algorithm of a call beside the one that was the fastest at the nearest call: the
// logarithms of both their measured times there and of the predicted ones, and its loss.
type rival struct {
	known               bool // both schedules
	measured, predicted float64
	loss                float64
}

// A holdout has the calls of the algorithms of a collective, measured on one number of nodes, on
// more nodes: the rivals of each and the loss of a copy.
type holdout struct {
	machine string
	rivals  [][]rival
	copied  []float64
}

// loss returns the mean loss of the choices that take the ratio of two times to be between the
// measured and the predicted one: so large a part of the way if both schedules are known, and if
// one is not.
func (h holdout) loss(known, unknown float64) float64 {
	sum := 0.0
	for k, rivals := range h.rivals {
		least, loss := 0.0, h.copied[k]
		for _, r := range rivals {
			part := unknown
			if r.known {
				part = known
			}
			if log := part*r.predicted + (1-part)*r.measured; log < least {
				least, loss = log, r.loss
			}
		}
		sum += loss / float64(len(h.rivals))
	}
	return sum
}

// holdoutsOf returns the hold-outs of a collective: on each number of nodes, with the names of the
// algorithms that are known, of every second of them, and of none. Few published algorithms that
// won are unknown, so that hidden names show more of these.
func holdoutsOf(group []series, counts []int) (all []holdout) {
	for _, last := range counts[:max(0, len(counts)-1)] {
		for hide := range 4 {
			hidden, known := slices.Clone(group), 0
			for i := range hidden {
				if hidden[i].algorithm == "" {
					continue
				}
				if known++; hide == 3 || hide > 0 && known%2 == hide-1 {
					hidden[i].algorithm = ""
				}
			}
			if h := holdoutOf(hidden, last, counts); len(h.rivals) > 0 {
				all = append(all, h)
			}
		}
	}
	return all
}

// holdoutOf fits the calls on the number of nodes, and compares on the larger ones of counts.
func holdoutOf(group []series, last int, counts []int) holdout {
	h := holdout{machine: group[0].machine}
	var results []*fitted.Result
	var fits []series
	asked := map[call]map[int]float64{} // measured times by index of the result
	var order []call
	for _, s := range group {
		in := s.sub(func(p fitted.Point) bool { return nodes(p) == last })
		r, err := fitted.Fit(in.data())
		if err != nil {
			continue
		}
		for _, p := range s.points {
			if n := nodes(p); n <= last || !slices.Contains(counts, n) {
				continue
			}
			c := callOf(p)
			if asked[c] == nil {
				asked[c], order = map[int]float64{}, append(order, c)
			}
			asked[c][len(results)] = float64(p.Time)
		}
		results, fits = append(results, r), append(fits, s)
	}
	for _, c := range order {
		var among []*fitted.Result
		var took, predicted []float64
		var known []bool
		for i, r := range results {
			p, err := r.PredictAt(c.Placement, c.size)
			if t, has := asked[c][i]; has && err == nil {
				among, known = append(among, r), append(known, fits[i].algorithm != "")
				took, predicted = append(took, t), append(predicted, float64(p.Time))
			}
		}
		if len(among) < 2 {
			continue
		}
		times := nearestTimes(among, c)
		copied := nearestFastest(times)
		if copied < 0 {
			continue
		}
		var rivals []rival
		best := slices.Min(took)
		for i, t := range times {
			if i != copied && !math.IsNaN(t) {
				rivals = append(rivals, rival{
					known:     known[i] && known[copied],
					measured:  math.Log(t / times[copied]),
					predicted: math.Log(predicted[i] / predicted[copied]),
					loss:      took[i]/best - 1,
				})
			}
		}
		h.rivals, h.copied = append(h.rivals, rivals), append(h.copied, took[copied]/best-1)
	}
	return h
}

// parts writes, for each published machine, the parts that lose least on the other machines and on
// simulated clusters, in the mean over machines, and what they lose on it.
func parts(w io.Writer, all []series) {
	var held []holdout
	for _, group := range forcedGroups(all) {
		counts := countsOf(group)
		if group[0].machine == "ORFEO" { // in the first node, by doublings
			counts = []int{6, 14, 30, 62, 126}
		}
		held = append(held, holdoutsOf(group, counts)...)
	}
	for k, kind := range kinds {
		for i := range clusters / 5 {
			// Of another seed than the clusters of the other tables.
			random := rand.New(rand.NewPCG(97, uint64(100*k+i)))
			group, counts := plantedGroup(kind, 1, random)
			for i := range group {
				group[i].machine = kind
			}
			held = append(held, holdoutsOf(group, counts)...)
		}
	}
	loss := func(known, unknown float64, counts func(machine string) bool) float64 {
		by := map[string][]float64{}
		for _, h := range held {
			if counts(h.machine) {
				by[h.machine] = append(by[h.machine], h.loss(known, unknown))
			}
		}
		var means []float64
		for _, l := range by {
			means = append(means, stats.Mean(l))
		}
		slices.Sort(means) // so that the sum does not depend on the order of a map
		return stats.Mean(means)
	}
	fmt.Fprintln(w, "\n| machine left out | parts from the others: known, unknown "+
		"| loss with them | with 0.6 and 0.4 | of predictions | of copies |\n"+
		"|---|---|---|---|---|---|")
	for _, left := range []string{"Fugaku", "LUMI", "MareNostrum", "ORFEO"} {
		least, known, unknown := math.Inf(1), 0.0, 0.0
		for a := 0.0; a <= 10; a++ {
			for b := 0.0; b <= 10; b++ {
				l := loss(a/10, b/10, func(machine string) bool { return machine != left })
				if l < least {
					least, known, unknown = l, a/10, b/10
				}
			}
		}
		here := func(known, unknown float64) float64 {
			return 100 * loss(known, unknown, func(machine string) bool { return machine == left })
		}
		fmt.Fprintf(w, "| %s | %.1f, %.1f | %.1f %% | %.1f %% | %.1f %% | %.1f %% |\n", left, known,
			unknown, here(known, unknown), here(0.6, 0.4), here(1, 1), here(0, 0))
	}
}
