package fit

import (
	"math"

	"github.com/halfpeak/halfpeak/fit/trace"
)

// judge adds the doubts that a statistician would have. They are about the table
// (too few sizes, no spread) and about the model (errors that are not noise).
func (r *Result) judge(t *trace.Table) {
	n := len(r.Points)
	first, last := r.Points[0].Size, r.Points[n-1].Size
	if n < 5 {
		r.warn("%d sizes are few: 10 over a factor of 100 make intervals worth reading", n)
	}
	if last < 8*first {
		r.warn("no spread in the sizes (%v to %v): β and τ can hardly be told apart", first, last)
	}
	wrong := r.P95 > 0.10
	runs, z := signRuns(r.Points)
	bent := z < -2.6 && r.P95 > 0.01 // 0.5 % by chance
	switch {
	case len(r.Segments) == 1 && wrong:
		r.warn("one line is wrong for this file: 1 size in 20 is off by more than %.0f %% (worst %.0f %% at %v); the protocol changes with size, fit segments", 100*r.P95, 100*r.Worst, r.WorstAt)
	case len(r.Segments) == 1 && bent:
		r.warn("one line does not follow these points: they lie above and below it in only %d runs, so the intervals are too narrow; fit segments", runs)
	case wrong:
		r.warn("1 size in 20 is off by more than %.0f %% (worst %.0f %% at %v)", 100*r.P95, 100*r.Worst, r.WorstAt)
	}
}

// signRuns counts the runs of one sign among the residuals by size, and compares
// with chance: z standard deviations (Wald and Wolfowitz 1940).
func signRuns(points []Point) (runs int, z float64) {
	var above, below float64
	var last bool
	for i, p := range points {
		up := p.Time > p.Fitted
		if i == 0 || up != last {
			runs++
		}
		last = up
		if up {
			above++
		} else {
			below++
		}
	}
	n := above + below
	mean := 2*above*below/n + 1
	variance := (mean - 1) * (mean - 2) / (n - 1)
	if n < 8 || variance <= 0 {
		return runs, 0
	}
	return runs, (float64(runs) - mean) / math.Sqrt(variance)
}
