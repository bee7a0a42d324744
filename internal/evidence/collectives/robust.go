package main

import (
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The kinds of calls to ask for, and how far their sizes may lie beyond the sizes in the fit.
const (
	beyond   = "more nodes"
	fewer    = "fewer nodes"
	same     = "the same nodes"
	nearSize = 3 // octaves
)

// robust asks about fits to what people may have in place of the whole table: few numbers of nodes,
// gaps, disturbed calls. Calls more than 8 times beyond the fit are not asked for.
func (r *report) robust(s series) {
	if strings.Contains(s.name, "by core") && !strings.Contains(s.name, "latency, 128") {
		return // ORFEO's broadcasts once
	}
	random := rand.New(rand.NewPCG(7, uint64(len(s.points))))
	counts := s.counts()
	low := counts[:min(len(counts), max(2, (len(counts)+1)/2))]
	inside := func(p fitted.Point) bool { return nodes(p) <= low[len(low)-1] }
	size := func(p fitted.Point) float64 { return math.Log2(max(1, float64(p.Size))) }
	var sizes []float64
	for _, p := range s.points {
		sizes = append(sizes, size(p))
	}
	middle := stats.Median(sizes)
	if len(counts) == 1 {
		r.vary(s, "one number of nodes, every second size", func(p fitted.Point) bool { return int(size(p))%2 == 0 }, same)
		return
	}
	for range 4 {
		for k := 2; k <= 3 && len(counts) > k; k++ {
			chosen := random.Perm(len(counts))[:k]
			in := func(p fitted.Point) bool { return slices.Contains(chosen, slices.Index(counts, nodes(p))) }
			r.vary(s, fmt.Sprintf("%d numbers of nodes at random", k), in, beyond, fewer)
		}
	}
	r.vary(s, "two fifths of the calls missing", func(p fitted.Point) bool { return inside(p) && random.Float64() < 0.6 }, beyond, same)
	gaps := map[int]float64{}
	for _, n := range counts {
		gaps[n] = 2 + 18*random.Float64()
	}
	r.vary(s, "five octaves of sizes missing", func(p fitted.Point) bool { return inside(p) && math.Abs(size(p)-gaps[nodes(p)]) > 2.5 }, beyond, same)
	r.vary(s, "sizes above the middle missing", func(p fitted.Point) bool { return inside(p) && size(p) <= middle }, same)
	r.vary(s, "sizes below the middle missing", func(p fitted.Point) bool { return inside(p) && size(p) > middle }, same)
	disturbed, repeated := s, s
	disturbed.points, repeated.points = slices.Clone(s.points), nil
	for i, p := range s.points {
		if inside(p) && random.Float64() < 0.05 {
			disturbed.points[i].Time *= quantity.Micros(1.5 + 2.5*random.Float64())
		}
		for range 3 {
			q := p
			if inside(p) {
				q.Time *= quantity.Micros(math.Exp(0.05 * random.NormFloat64()))
				if random.Float64() < 0.03 {
					q.Time *= 3
				}
			}
			repeated.points = append(repeated.points, q)
		}
	}
	r.vary(disturbed, "a call in 20 takes 1.5 to 4 times as long", inside, beyond)
	r.vary(repeated, "three repeats ± 5 %, one in 33 takes 3 times as long", inside, beyond)
}

// vary fits the points that are in, and asks for the points of these kinds that are not.
func (r *report) vary(s series, name string, in func(p fitted.Point) bool, kinds ...string) {
	kept := map[fitted.Point]bool{} // in may be random
	least, most := math.Inf(1), 0.0
	small, large := math.Inf(1), 0.0
	for _, p := range s.points {
		if kept[p] = in(p); kept[p] {
			n := float64(nodes(p))
			least, most = min(least, n), max(most, n)
			small, large = min(small, float64(p.Size)), max(large, float64(p.Size))
		}
	}
	r.ask(s, func(p fitted.Point) bool { return !kept[p] }, func(p fitted.Point) []string {
		n, kind := float64(nodes(p)), same
		switch {
		case n > most:
			kind = beyond
		case n < least:
			kind = fewer
		}
		if far := max(n/most, least/n, float64(p.Size)/large, small/float64(p.Size)); !slices.Contains(kinds, kind) || far > math.Exp2(nearSize) {
			return nil
		}
		return []string{name + "|" + kind + "|" + s.machine}
	})
}

// printRobust prints the means over machines of each question.
func (r *report) printRobust(w io.Writer) {
	fmt.Fprintln(w, "\n| in the fit | asked for | machines | median error, 90th perc. | intervals right | width |\n|---|---|---|---|---|---|")
	type means struct{ median, ninety, right, width []float64 }
	all := map[string]*means{}
	for key, t := range r.by {
		question := key[:strings.LastIndex(key, "|")]
		m := all[question]
		if m == nil {
			m = &means{}
			all[question] = m
		}
		m.median, m.ninety = append(m.median, stats.Median(t.errors)), append(m.ninety, stats.QuantileOf(t.errors, 0.9))
		if len(t.widths) > 0 {
			m.right, m.width = append(m.right, float64(t.inside)/float64(len(t.widths))), append(m.width, stats.Median(t.widths))
		}
	}
	for _, question := range slices.Sorted(maps.Keys(all)) {
		m := all[question]
		fmt.Fprintf(w, "| %s | %d | %.1f, %.0f %% | %.0f %% | %.2f × |\n", strings.ReplaceAll(question, "|", " | "), len(m.median),
			100*stats.Mean(m.median), 100*stats.Mean(m.ninety), 100*stats.Mean(m.right), stats.Mean(m.width))
	}
}
