package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// far asks fits to two, three and four neighbouring numbers of nodes, each with all its runs, for
// every single run on two, four and eight times as many nodes.
func (r *report) far(s series) {
	counts := s.counts()
	if s.machine == "ORFEO" {
		counts = []int{6, 14, 30, 62, 126} // in the first node, by doublings
	}
	s.points = s.runs
	for k := 2; k <= 4; k++ {
		for first := 0; first+k < len(counts); first++ {
			window := counts[first : first+k]
			last := window[k-1]
			kept := s.sub(func(p fitted.Point) bool { return slices.Contains(window, nodes(p)) })
			asked := s.sub(func(p fitted.Point) bool {
				return nodes(p) > last && slices.Contains(counts, nodes(p))
			})
			r.askFar(kept, asked, k, last)
		}
	}
}

// askFar tallies the predictions of a fit by the machine, by how many numbers of nodes were
// measured, and by the distance.
func (r *report) askFar(kept, asked series, counts, last int) {
	predict, err := fit(kept)
	if err != nil {
		return
	}
	for _, p := range asked.points {
		octaves := math.Round(math.Log2(float64(nodes(p)) / float64(last)))
		if octaves < 1 || octaves > 4 {
			continue
		}
		q := question{kept.machine, fmt.Sprintf("%d numbers", counts),
			fmt.Sprintf("×%.0f", math.Exp2(octaves))}
		if r.by[q] == nil {
			r.order, r.by[q] = append(r.order, q), &tally{}
		}
		r.by[q].add(predict, p)
	}
}

// printFar writes for each machine and distance the share of right intervals, their median width,
// the width that would have to be given to all of them for 95 % to be right, and the ratio of both.
func (r *report) printFar(w io.Writer) {
	fmt.Fprintln(w, "\n| machine | distance | measured | times | median error, 90th perc. "+
		"| intervals right | width | one width for 95 % | ratio |\n"+
		"|---|---|---|---|---|---|---|---|---|")
	slices.SortStableFunc(r.order, func(a, b question) int {
		return cmp.Or(cmp.Compare(a.machine, b.machine), cmp.Compare(a.asked, b.asked),
			cmp.Compare(a.measured, b.measured))
	})
	for i, q := range r.order {
		row := func(measured string, t *tally) {
			fmt.Fprintf(w, "| %s | %s | %s | %d | %.3g, %.3g %% |", q.machine, q.asked, measured,
				len(t.errors), 100*t.median(), 100*t.ninety())
			if len(t.widths) == 0 {
				fmt.Fprintln(w, " – | – | – | – |")
				return
			}
			fmt.Fprintf(w, " %.3g %% | %.3g × | %.3g × | %.2f |\n", 100*t.right(), t.width(),
				t.oracle(), t.width()/t.oracle())
		}
		if q.measured != "" {
			row(q.measured, r.by[q])
		}
		// After the last number of counts, all of them.
		if next := i + 1; next == len(r.order) || r.order[next].machine != q.machine ||
			r.order[next].asked != q.asked {
			all := &tally{}
			for _, o := range r.order {
				if o.machine == q.machine && o.asked == q.asked {
					all.join(r.by[o])
				}
			}
			row("all", all)
		}
	}
}

func (t *tally) join(o *tally) {
	t.errors, t.widths = append(t.errors, o.errors...), append(t.widths, o.widths...)
	t.logs, t.inside = append(t.logs, o.logs...), t.inside+o.inside
}

// oracle returns the width of the interval that contains 95 % of the times if all have the same
// width.
func (t *tally) oracle() float64 { return math.Exp(2 * stats.QuantileOf(t.logs, 0.95)) }
