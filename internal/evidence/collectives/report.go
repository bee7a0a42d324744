package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A question is a row of a table: what was measured, and what the fit was asked for.
// Series of the same question share a row.
type question struct{ machine, measured, asked string }

// A report has the tallies of questions, and the questions in order.
type report struct {
	order []question
	by    map[question]*tally
}

func newReport() *report { return &report{by: map[question]*tally{}} }

// ask fits the points that are not out, and tallies the points that are out under the question
// that of returns. A point without a question counts nowhere.
func (r *report) ask(s series, out func(p fitted.Point) bool,
	of func(p fitted.Point) (q question, counts bool)) {
	predict, err := fit(s.sub(func(p fitted.Point) bool { return !out(p) }))
	if err != nil {
		return // fewer than two numbers of nodes are left
	}
	for _, p := range s.points {
		if !out(p) {
			continue
		}
		q, counts := of(p)
		if !counts {
			continue
		}
		if r.by[q] == nil {
			r.order, r.by[q] = append(r.order, q), &tally{}
		}
		r.by[q].add(predict, p)
	}
}

// question returns the question about a series. Whether the algorithm is known
// matters most: without it, a prediction averages those that the library may have
// used.
func (s series) question(asked string) question {
	kind := "the library's choice"
	if s.algorithm != "" {
		kind = "algorithm known"
	} else if s.forced != "" {
		kind = "algorithm forced, not known here"
	}
	name := s.name
	if i := strings.Index(name, ", NCCL"); i >= 0 { // several versions and types are one machine
		name = name[:i]
	}
	return question{s.machine, strings.Join([]string{name, s.collective, kind}, ", "), asked}
}

// beyond asks for 2, 4 and 8 times the largest number of nodes in a fit. The fits end
// at each number of nodes from the second: with one number, nothing shows how times
// grow. Further than 8 times, no interval is given.
func (r *report) beyond(s series) {
	counts, first := s.counts(), 1
	if s.machine == "ORFEO" { // within the first node of 128 cores, by doublings
		counts, first = []int{6, 14, 30, 62, 126}, 2
	}
	for _, last := range counts[min(first, len(counts)):] {
		// Numbers of nodes that are not among counts stay in the fit, and are never asked for.
		doublings := s.sub(func(p fitted.Point) bool {
			return nodes(p) <= last || slices.Contains(counts, nodes(p))
		})
		known := "2 or 3 in the fit" // growth with the nodes shows from four numbers of them
		if i, _ := slices.BinarySearch(s.counts(), last); i >= 3 {
			known = "4 or more in the fit"
		}
		out := func(p fitted.Point) bool { return nodes(p) > last }
		r.ask(doublings, out, func(p fitted.Point) (q question, counts bool) {
			// Numbers of nodes are no powers of two on all machines: the nearest doubling counts.
			octaves := math.Round(math.Log2(float64(nodes(p)) / float64(last)))
			asked := fmt.Sprintf("×%.0f beyond, %s", math.Exp2(octaves), known)
			return s.question(asked), octaves >= 1 && octaves <= 3
		})
	}
}

// between asks for every second number of nodes. On ORFEO, where one node has 64
// numbers of ranks, it also asks for the top quarter of them and for the second node:
// a fit of one node has never seen a message that leaves it.
func (r *report) between(s series) {
	counts := s.counts()
	at := func(p fitted.Point) int { return slices.Index(counts, nodes(p)) }
	ask := func(asked string, out func(p fitted.Point) bool) {
		r.ask(s, out, func(fitted.Point) (question, bool) { return s.question(asked), true })
	}
	if len(counts) >= 5 {
		ask("every second left out", func(p fitted.Point) bool {
			// The largest stays in: without it, the question would be one of extrapolation.
			return at(p)%2 == 1 && at(p) < len(counts)-1
		})
	}
	if s.machine == "ORFEO" {
		ask("top quarter left out", func(p fitted.Point) bool { return 4*at(p) >= 3*len(counts) })
		ask("second node left out", func(p fitted.Point) bool { return p.Ranks > 128 })
	}
}

// print writes a row for each question.
func (r *report) print(w io.Writer) {
	fmt.Fprintln(w, "| machine | measured | question | times | median error, 90th perc. "+
		"| intervals right | width |\n|---|---|---|---|---|---|---|")
	for _, q := range r.order {
		t := r.by[q]
		right, width := "–", "–"
		if len(t.widths) > 0 {
			right = fmt.Sprintf("%.3g %%", 100*t.right())
			width = fmt.Sprintf("%.3g ×", t.width())
		}
		fmt.Fprintf(w, "| %s | %s | %s | %d | %.3g, %.3g %% | %s | %s |\n", q.machine, q.measured,
			q.asked, len(t.errors), 100*t.median(), 100*t.ninety(), right, width)
	}
}

// printCalibration writes, for each machine but the switching one, by which factor the intervals
// beyond the measured nodes would have to be wider if the other machines alone decided it, and how
// many of the machine's intervals are right with it. The constants of the intervals were set with
// all machines in sight.
func (r *report) printCalibration(w io.Writer) {
	scaled := map[string][]float64{}
	var machines []string
	for _, q := range r.order {
		t := r.by[q]
		beyond := strings.Contains(q.asked, "beyond") && q.machine != switching
		if !beyond || len(t.scaled) == 0 {
			continue
		}
		if scaled[q.machine] == nil {
			machines = append(machines, q.machine)
		}
		scaled[q.machine] = append(scaled[q.machine], t.scaled...)
	}
	fmt.Fprintln(w, "\n| machine left out | width factor from the others "+
		"| its intervals right with that factor |\n|---|---|---|")
	for _, left := range machines {
		factor := factorFor(scaled, left)
		fmt.Fprintf(w, "| %s | %.2f | %.0f %% |\n", left, factor, 100*within(scaled[left], factor))
	}
	fmt.Fprintf(w, "| none | %.2f | |\n", factorFor(scaled, ""))
}

// within returns the share of the scaled errors that are at most a factor.
func within(scaled []float64, factor float64) (share float64) {
	for _, z := range scaled {
		if z <= factor {
			share += 1 / float64(len(scaled))
		}
	}
	return share
}

// factorFor returns the factor that makes 95 % of all intervals right, in the mean over all
// machines but one: a machine with many measurements counts as much as one with few.
func factorFor(scaled map[string][]float64, left string) float64 {
	// The share grows with the factor, so halving finds it. 16 is beyond any use: an interval that
	// must be 16 times wider, on a logarithmic scale, has promised nothing.
	low, high := 0.0, 16.0
	for range 40 { // bisection
		middle := (low + high) / 2
		var shares []float64
		for machine, z := range scaled {
			if machine != left {
				shares = append(shares, within(z, middle))
			}
		}
		if stats.Mean(shares) < 0.95 {
			low = middle
		} else {
			high = middle
		}
	}
	// high, since the share is at least 95 % there; at low it is not.
	return high
}
