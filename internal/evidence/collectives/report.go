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

// A report has the tallies by question, in order.
type report struct {
	order []string
	by    map[string]*tally
}

// ask fits the points that are not out, and adds the points that are out to the tallies of keys.
func (r *report) ask(s series, out func(p fitted.Point) bool, keys func(p fitted.Point) []string) {
	predict, err := fit(s.sub(func(p fitted.Point) bool { return !out(p) }))
	if err != nil {
		return // one number of nodes, or none
	}
	for _, p := range s.points {
		if out(p) {
			for _, key := range keys(p) {
				if r.by[key] == nil {
					r.order, r.by[key] = append(r.order, key), &tally{}
				}
				r.by[key].add(predict, p)
			}
		}
	}
}

// key returns the key of a question about a series.
func (s series) key(question string) string {
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
	return strings.Join([]string{s.machine, name, s.collective, kind, question}, "|")
}

// beyond asks for 2, 4 and 8 times the largest number of nodes in a fit, for fits that end at each.
func (r *report) beyond(s series) {
	counts := s.counts()
	if s.machine == "ORFEO" { // within the first node of 128 cores, by doublings
		counts = []int{6, 14, 30, 62, 126}
	}
	for i, last := range counts {
		if i == 0 || s.machine == "ORFEO" && i == 1 {
			continue
		}
		fits := s.sub(func(p fitted.Point) bool { return nodes(p) <= last || slices.Contains(counts, nodes(p)) })
		r.ask(fits, func(p fitted.Point) bool { return nodes(p) > last }, func(p fitted.Point) (all []string) {
			octaves := math.Log2(float64(nodes(p)) / float64(last))
			if factor := int(math.Exp2(math.Round(octaves))); factor >= 2 && factor <= 8 {
				all = append(all, s.key(fmt.Sprintf("×%d beyond", factor)))
				if last == 16 {
					all = append(all, s.key(fmt.Sprintf("×%d beyond 16", factor)))
				}
			}
			return all
		})
	}
}

// rest asks for every second number of nodes, for the top quarter, and for the second node.
func (r *report) rest(s series) {
	counts := s.counts()
	at := func(p fitted.Point) int { return slices.Index(counts, nodes(p)) }
	one := func(question string) func(fitted.Point) []string {
		return func(fitted.Point) []string { return []string{s.key(question)} }
	}
	if len(counts) >= 5 {
		r.ask(s, func(p fitted.Point) bool { return at(p)%2 == 1 && at(p) < len(counts)-1 }, one("every second left out"))
	}
	if s.machine == "ORFEO" {
		r.ask(s, func(p fitted.Point) bool { return 4*at(p) >= 3*len(counts) }, one("top quarter left out"))
		r.ask(s, func(p fitted.Point) bool { return p.Ranks > 128 }, one("second node left out"))
	}
}

// print writes the table, and how the frozen calibration does for each machine that it leaves out.
func (r *report) print(w io.Writer, before map[string][]string) {
	fmt.Fprintln(w, "| machine | measured | question | times | median error, 90th perc. | before | intervals right | width | before |\n|---|---|---|---|---|---|---|---|---|")
	for _, key := range r.order {
		k, c := strings.Split(key, "|"), r.by[key].cells()
		b := before[key]
		if b == nil {
			b = []string{"", "–", "–", "–", "–", ""}
		}
		fmt.Fprintf(w, "| %s | %s, %s, %s | %s | %s | %s, %s %% | %s, %s %% | %s %% | %s × | %s %%, %s × |\n", k[0], k[1], k[2], k[3], k[4], c[0], c[1], c[2], b[1], b[2], c[3], c[4], b[3], b[4])
	}
	scaled := map[string][]float64{}
	var machines []string
	for _, key := range r.order {
		if machine := strings.Split(key, "|")[0]; strings.HasSuffix(key, "beyond") && len(r.by[key].scaled) > 0 {
			if scaled[machine] == nil {
				machines = append(machines, machine)
			}
			scaled[machine] = append(scaled[machine], r.by[key].scaled...)
		}
	}
	fmt.Fprintln(w, "\n| machine left out | width factor from the others | its intervals right with that factor |\n|---|---|---|")
	for _, left := range machines {
		scale := scaleFor(scaled, left)
		fmt.Fprintf(w, "| %s | %.2f | %.0f %% |\n", left, scale, 100*holds(scaled[left], scale))
	}
	fmt.Fprintf(w, "| none | %.2f | |\n", scaleFor(scaled, ""))
}

// holds returns the share of the scaled errors that are at most a scale.
func holds(scaled []float64, scale float64) (share float64) {
	for _, z := range scaled {
		if z <= scale {
			share += 1 / float64(len(scaled))
		}
	}
	return share
}

// scaleFor returns the factor that makes 95 % of all intervals beyond hold, in the mean over all
// machines but one.
func scaleFor(scaled map[string][]float64, left string) float64 {
	low, high := 0.0, 16.0
	for range 40 {
		middle := (low + high) / 2
		var shares []float64
		for machine, z := range scaled {
			if machine != left {
				shares = append(shares, holds(z, middle))
			}
		}
		if stats.Mean(shares) < 0.95 {
			low = middle
		} else {
			high = middle
		}
	}
	return high
}
