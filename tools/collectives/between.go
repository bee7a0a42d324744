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
