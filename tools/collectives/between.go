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

// interpolation is a model that draws lines between the nearest numbers of nodes, over the logs of
// nodes and times.
func interpolation(s series) model {
	counts := s.counts()
	return func(p fitted.Point) (t, low, high float64) {
		at := func(n int) float64 {
			for _, q := range s.points {
				if nodes(q) == n && q.PerNode == p.PerNode && q.Size == p.Size {
					return math.Log(float64(q.Time))
				}
			}
			return math.NaN()
		}
		i, _ := slices.BinarySearch(counts, nodes(p))
		if i == 0 || i == len(counts) {
			return math.NaN(), math.NaN(), math.NaN()
		}
		part := math.Log(float64(nodes(p))/float64(counts[i-1])) / math.Log(float64(counts[i])/float64(counts[i-1]))
		return math.Exp((1-part)*at(counts[i-1]) + part*at(counts[i])), math.NaN(), math.NaN()
	}
}

// between prints, for every second number of nodes, the errors of predictions beside those of
// interpolation, by series.
func between(w io.Writer, all []series) {
	fmt.Fprintln(w, "\n| machine | measured | times | median error | interpolation's | mean error | interpolation's | intervals right | width |\n|---|---|---|---|---|---|---|---|---|")
	for _, s := range all {
		counts := s.counts()
		if len(counts) < 5 {
			continue
		}
		out := func(p fitted.Point) bool {
			i := slices.Index(counts, nodes(p))
			return i%2 == 1 && i < len(counts)-1
		}
		kept := s.sub(func(p fitted.Point) bool { return !out(p) })
		predict, err := fit(kept)
		if err != nil {
			continue
		}
		line := interpolation(kept)
		var ours, theirs tally
		for _, p := range s.points {
			if t, _, _ := line(p); out(p) && !math.IsNaN(t) {
				ours.add(predict, p)
				theirs.add(line, p)
			}
		}
		c := ours.cells()
		fmt.Fprintf(w, "| %s | %s | %s | %.2f %% | %.2f %% | %.1f %% | %.1f %% | %s %% | %s × |\n", s.machine, strings.TrimSuffix(s.name+", "+s.collective+", "+s.forced, ", "), c[0],
			100*stats.Median(ours.errors), 100*stats.Median(theirs.errors), 100*stats.Mean(ours.errors), 100*stats.Mean(theirs.errors), c[3], c[4])
	}
}
