package fit

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// candidates are the models that Auto tries, the simplest first.
var candidates = []form{
	{name: "linear", method: Likeliest},
	{name: "linear", method: Huber}, // of fewer than 12 sizes, it alone bears outliers
	{name: "piecewise", method: Relative},
	{name: "table"},
}

const (
	// maxFolds is the maximum number of fits without some sizes. With more sizes, every maxFolds-th
	// size is left out together.
	maxFolds = 120
	// maxTried is the maximum number of sizes for trying models. With more, neighbours are merged.
	maxTried = 300
)

// Auto tries every model and returns the one that best predicts held-out sizes: each size but the
// first and last is held out, and predicted from the rest. If the difference is within one standard
// error, the simpler model wins (Breiman and others 1984, §3.4.3), unless it is off by more than
// 10 % at 1 size in 20 and another is not half as far off. A per-size table is for comparison only,
// since it has no parameters: if it is best, a warning reports it.
func Auto(t *benchfile.Table) (*Result, error) {
	points, _, _, err := prepare(t)
	if err != nil {
		return nil, err
	}
	points = thin(points, maxTried)
	var tried []*candidate
	for _, m := range candidates {
		// One more than a fit takes, to leave out.
		fewest := map[string]int{"piecewise": minPoints + 2, "table": minPoints}[m.name]
		if len(points) < fewest {
			continue
		}
		tried = append(tried, &candidate{
			Trial: Trial{Model: m.name, Method: string(m.method)}, form: m,
			errors: leaveOut(points, m, resolution(t)),
		})
	}
	hold(tried)
	best := tried[0]
	for _, c := range tried {
		if c.Error = stats.Mean(c.errors); c.Error < best.Error {
			best = c
		}
	}
	r, chosen, err := choose(t, tried, best)
	if err != nil {
		return nil, err
	}
	chosen.Chosen = true
	for _, c := range tried {
		r.Tried = append(r.Tried, c.Trial)
	}
	if best.Model == "table" && !stats.AsGood(chosen.errors, best.errors) {
		better := fmt.Sprintf("%.1f", percent(best.Error))
		off := fmt.Sprintf("%.1f", percent(chosen.Error))
		if better != off { // "0.2 % against 0.2 %" says nothing
			r.warn("a per-size table predicts sizes left out better: %s %% against %s %% off; "+
				"these lines do not follow the curve", better, off)
		}
	}
	return r, nil
}

// A candidate is a form that was tried.
type candidate struct {
	Trial
	form   form
	errors []float64 // relative, of the held-out points
}

// choose returns the result of the simplest candidate but the table that predicts as well as the
// best. If only the table predicts that well, it is the other candidate with the minimum error. A
// candidate that is wrong is passed over if another one that predicts as well is at most half as
// wrong: jumps between protocols make the errors of all models so uneven that one line can be as
// good.
func choose(t *benchfile.Table, tried []*candidate, best *candidate) (
	r *Result, chosen *candidate, err error) {
	eligible := slices.DeleteFunc(slices.Clone(tried), func(c *candidate) bool {
		return c.Model == "table"
	})
	asGood := func(as *candidate) []*candidate {
		return slices.DeleteFunc(slices.Clone(eligible), func(c *candidate) bool {
			return !stats.AsGood(c.errors, as.errors)
		})
	}
	from := asGood(best)
	if len(from) == 0 {
		slices.SortStableFunc(eligible, func(a, b *candidate) int {
			return cmp.Compare(a.Error, b.Error)
		})
		from = asGood(eligible[0])
	}
	for _, c := range from {
		next, err := c.form.result(t)
		if err != nil {
			return nil, nil, err
		}
		if r == nil || next.P95 < r.P95/2 {
			r, chosen = next, c
		}
		if !r.wrong() {
			break
		}
	}
	return r, chosen, nil
}

// thin merges neighbours, at their mean size and time, until at most n points are left.
func thin(points []Point, n int) []Point {
	if len(points) <= n {
		return points
	}
	var few []Point
	for i := range n {
		group := points[i*len(points)/n : (i+1)*len(points)/n]
		p := Point{}
		for _, q := range group {
			p.Count += q.Count
			share := float64(q.Count) / float64(p.Count)
			p.Size += (q.Size - p.Size) * quantity.Bytes(share)
			p.Time += (q.Time - p.Time) * quantity.Micros(share)
		}
		few = append(few, p)
	}
	return few
}

// leaveOut returns the relative errors of held-out points, at most 1 each. The first and the last
// are never held out, since predicting them is extrapolation.
func leaveOut(points []Point, m form, quantum float64) []float64 {
	n := len(points)
	if n <= minPoints { // too few to leave one out: what the fit leaves
		pieces, _ := m.fit(points, quantum)
		return list.Map(points, func(p Point) float64 { return relativeError(pieces, p) })
	}
	folds := min(n-2, maxFolds)
	e := make([]float64, n-2)
	rest := make([]Point, 0, n)
	for f := range folds {
		rest = rest[:0]
		for i, p := range points {
			if i == 0 || i == n-1 || (i-1)%folds != f {
				rest = append(rest, p)
			}
		}
		pieces, _ := m.fit(rest, quantum)
		for i := f + 1; i < n-1; i += folds {
			e[i-1] = relativeError(pieces, points[i])
		}
	}
	return e
}

// relativeError returns |fitted/measured − 1|, at most 1: one absurd prediction must not decide
// the mean over all sizes.
func relativeError(pieces []piece, p Point) float64 {
	return min(1, math.Abs(valueAt(pieces, float64(p.Size))/float64(p.Time)-1))
}

// hold limits the errors of outliers to outlier deviations of the model with the minimum median
// error.
func hold(tried []*candidate) {
	least := math.Inf(1)
	for _, c := range tried {
		least = min(least, stats.Median(c.errors))
	}
	bound := outlier * max(stats.NormalMAD*least, sameTime)
	for _, c := range tried {
		// Of the first and the last held-out size, the neighbour outside is not held out: they may
		// be two of another protocol.
		for i, out := range outlying(c.errors, bound) {
			if out && i > 0 && i < len(c.errors)-1 {
				c.errors[i] = bound
			}
		}
	}
}
