package main

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The kinds of calls to ask for.
const (
	beyond = "more nodes"
	fewer  = "fewer nodes"
	same   = "the same nodes"
)

// maxFactor is how far the nodes and sizes of a question may lie beyond those of its
// fit: predictions have no interval beyond 8 times the measured ranks.
const maxFactor = 8

// octave returns the logarithm of a point's size.
func octave(p fitted.Point) float64 { return math.Log2(max(1, float64(p.Size))) }

// thin asks about fits to what users have in place of the whole table: few numbers of nodes, gaps,
// disturbed calls. The draws are fixed by the series, so that the table can be repeated.
func (r *report) thin(s series) {
	if strings.Contains(s.name, "by core") && !strings.Contains(s.name, "latency, 128") {
		return // the same broadcasts of ORFEO by another column
	}
	random := rand.New(rand.NewPCG(7, uint64(len(s.points))))
	counts := s.counts()
	if len(counts) == 1 {
		r.vary(s, "one number of nodes, every second size",
			func(p fitted.Point) bool { return int(octave(p))%2 == 0 }, same)
		return
	}
	// Four draws each of two and of three numbers of nodes: a single draw may be a lucky one.
	for range 4 {
		for k := 2; k <= 3 && len(counts) > k; k++ {
			chosen := random.Perm(len(counts))[:k]
			r.vary(s, fmt.Sprintf("%d numbers of nodes at random", k), func(p fitted.Point) bool {
				return slices.Contains(chosen, slices.Index(counts, nodes(p)))
			}, beyond, fewer)
		}
	}
	// Half of the numbers of nodes, and at least two, by which growth shows at all.
	low := counts[:min(len(counts), max(2, (len(counts)+1)/2))]
	inside := func(p fitted.Point) bool { return nodes(p) <= low[len(low)-1] }
	r.vary(s, "two fifths of the calls missing", func(p fitted.Point) bool {
		return inside(p) && random.Float64() < 0.6
	}, beyond, same)
	r.sizes(s, inside, random)
	disturbed, repeated := disturb(s, inside, random)
	r.vary(disturbed, "a call in 20 takes 1.5 to 4 times as long", inside, beyond)
	r.vary(repeated, "three repeats ± 5 %, one in 33 takes 3 times as long", inside, beyond)
}

// sizes leaves out ranges of sizes: a gap at another place for each number of nodes,
// then the upper and the lower half. Between 2^2 and 2^20 bytes, the gap hides the
// change of a protocol on some.
func (r *report) sizes(s series, inside func(p fitted.Point) bool, random *rand.Rand) {
	gaps := map[int]float64{}
	for _, n := range s.counts() {
		gaps[n] = 2 + 18*random.Float64()
	}
	var octaves []float64
	for _, p := range s.points {
		octaves = append(octaves, octave(p))
	}
	middle := stats.Median(octaves)
	r.vary(s, "five octaves of sizes missing", func(p fitted.Point) bool {
		return inside(p) && math.Abs(octave(p)-gaps[nodes(p)]) > 2.5
	}, beyond, same)
	r.vary(s, "sizes above the middle missing",
		func(p fitted.Point) bool { return inside(p) && octave(p) <= middle }, same)
	r.vary(s, "sizes below the middle missing",
		func(p fitted.Point) bool { return inside(p) && octave(p) > middle }, same)
}

// disturb returns the series with slow calls among those of the fit, and with three
// noisy repeats of each of them. The points that are asked for stay as they were
// measured.
func disturb(s series, inside func(p fitted.Point) bool, random *rand.Rand) (slow, noisy series) {
	slow, noisy = s, s
	slow.points, noisy.points = slices.Clone(s.points), nil
	for i, p := range s.points {
		// One call in 20 is slow, as by another job on the network; never faster, so that a mean
		// would be pulled up.
		if inside(p) && random.Float64() < 0.05 {
			slow.points[i].Time *= quantity.Micros(1.5 + 2.5*random.Float64())
		}
		for range 3 {
			q := p
			if inside(p) {
				q.Time *= quantity.Micros(math.Exp(0.05 * random.NormFloat64()))
				if random.Float64() < 0.03 {
					q.Time *= 3
				}
			}
			noisy.points = append(noisy.points, q)
		}
	}
	return slow, noisy
}

// vary fits the points that are in, and asks for the points of these kinds that are not.
func (r *report) vary(s series, name string, in func(p fitted.Point) bool, kinds ...string) {
	kept := map[fitted.Point]bool{} // in may be random, so it is asked once
	least, most := math.Inf(1), 0.0
	small, large := math.Inf(1), 0.0
	for _, p := range s.points {
		if kept[p] = in(p); kept[p] {
			n := float64(nodes(p))
			least, most = min(least, n), max(most, n)
			small, large = min(small, float64(p.Size)), max(large, float64(p.Size))
		}
	}
	out := func(p fitted.Point) bool { return !kept[p] }
	r.ask(s, out, func(p fitted.Point) (q question, counts bool) {
		n, kind := float64(nodes(p)), same
		switch {
		case n > most:
			kind = beyond
		case n < least:
			kind = fewer
		}
		// Sizes beyond those of the fit count as nodes do: what is too far has no interval.
		far := max(n/most, least/n, float64(p.Size)/large, small/float64(p.Size))
		q = question{s.machine, name, kind}
		return q, slices.Contains(kinds, kind) && far <= maxFactor
	})
}

// printThinned writes the means over machines of each question: a machine counts
// once, whatever the number of its measurements.
func (r *report) printThinned(w io.Writer) {
	fmt.Fprintln(w, "\n| in the fit | asked for | machines | median error, 90th perc. "+
		"| intervals right | width |\n|---|---|---|---|---|---|")
	type means struct{ median, ninety, right, width []float64 }
	by := map[[2]string]*means{}
	var rows [][2]string
	for _, q := range r.order {
		t, row := r.by[q], [2]string{q.measured, q.asked}
		m := by[row]
		if m == nil {
			m = &means{}
			by[row], rows = m, append(rows, row)
		}
		m.median, m.ninety = append(m.median, t.median()), append(m.ninety, t.ninety())
		if len(t.widths) > 0 {
			m.right, m.width = append(m.right, t.right()), append(m.width, t.width())
		}
	}
	slices.SortFunc(rows, func(a, b [2]string) int { return slices.Compare(a[:], b[:]) })
	for _, row := range rows {
		m := by[row]
		fmt.Fprintf(w, "| %s | %s | %d | %.1f, %.0f %% | %.0f %% | %.2f × |\n", row[0], row[1],
			len(m.median), 100*stats.Mean(m.median), 100*stats.Mean(m.ninety),
			100*stats.Mean(m.right), stats.Mean(m.width))
	}
}
