package main

import (
	"fmt"
	"io"
	"math"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
)

// alone writes the errors of fits to the least number of ranks of a node alone, on twice and four
// times as many, beside those of the measured time as it is.
func alone(w io.Writer, all []series) {
	fmt.Fprintln(w, "\n| machine | from | to | times | median error, signed "+
		"| of the measured time as it is |\n|---|---|---|---|---|---|")
	type row struct {
		machine  string
		from, to int
	}
	fits, copies := map[row]*tally{}, map[row]*tally{}
	var order []row
	for _, s := range all {
		counts := s.counts()
		if len(counts) < 2 || s.points[0].PerNode < s.points[0].Ranks {
			continue // not in one node
		}
		first := s.sub(func(p fitted.Point) bool { return nodes(p) == counts[0] })
		predict, err := fit(first)
		if err != nil {
			continue
		}
		as := map[fitted.Point]fitted.Point{}
		for _, p := range first.points {
			as[fitted.Point{Size: p.Size}] = p
		}
		for _, p := range s.points {
			q := row{s.machine, counts[0], p.Ranks}
			// The measured time of the same size on fewer ranks is the simplest prediction; a fit
			// that is no better than this copy has learnt nothing of ranks.
			near, has := as[fitted.Point{Size: p.Size}]
			if factor := p.Ranks / counts[0]; !has || p.Ranks%counts[0] != 0 ||
				factor != 2 && factor != 4 {
				continue
			}
			if fits[q] == nil {
				fits[q], copies[q], order = &tally{}, &tally{}, append(order, q)
			}
			fits[q].add(predict, p)
			copies[q].add(func(fitted.Point) (t, low, high float64) {
				return float64(near.Time), math.NaN(), math.NaN()
			}, p)
		}
	}
	for _, q := range order {
		f := fits[q]
		fmt.Fprintf(w, "| %s | %d | %d | %d | %.0f, %+.0f %% | %.0f %% |\n", q.machine, q.from,
			q.to, len(f.errors), 100*f.median(), 100*f.signed(), 100*copies[q].median())
	}
}
