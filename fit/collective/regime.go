package collective

import (
	"fmt"
	"math"
	"slices"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Regime is the fit over a range of sizes.
type Regime struct {
	From, To quantity.Bytes // the first and last size measured
	// Algorithm is the one fitted. Alike have the same shape on the ranks that were measured, and
	// Rivals predict ranks left out within one standard error as well: the data do not distinguish
	// them.
	Algorithm     string
	Alike, Rivals []string
	// The parameters with their 95 % intervals. One whose interval is not finite is not known.
	Base, Alpha fit.Estimate[quantity.Micros]
	Beta, Gamma fit.Estimate[quantity.MicrosPerByte]
	// Merged has a sentence for each parameter that is not identifiable: it is 0, and another
	// parameter includes its cost.
	Merged []string
	Errors // of the form at its points

	solution
	wanted  [columns]bool
	heldOut []float64 // mean |log(form/measured)| of each number of ranks left out, or of each point
	left    bool      // some were left out
	points  []Point
	rows    []row // of the points
}

// minSizes is the minimum number of common sizes for several regimes: two lines take three each.
const minSizes = 6

// regimes cuts points where the line over sizes changes: by protocol, or by the algorithm that a
// library chooses. Every T(p, n) of a regime is linear in n, and so is the mean over ranks of the
// times, each relative to those of its ranks; its lines are found as those of any other curve.
func regimes(points []Point) [][]Point {
	bySize := map[quantity.Bytes][]Point{}
	level := map[int]float64{} // mean log of the times of a number of ranks
	for _, p := range points {
		bySize[p.Size] = append(bySize[p.Size], p)
		level[p.Ranks] = 0
	}
	var common []quantity.Bytes
	for n, here := range bySize {
		if len(here) == len(level) && n > 0 {
			common = append(common, n)
		}
	}
	slices.Sort(common)
	if len(common) < minSizes {
		return [][]Point{points}
	}
	for _, n := range common {
		for _, p := range bySize[n] {
			level[p.Ranks] += math.Log(float64(p.Time)) / float64(len(common))
		}
	}
	t := benchfile.Table{Format: "collective", Kind: benchfile.Operation}
	for _, n := range common {
		s := benchfile.Sample{Size: n, Count: 1}
		for _, p := range bySize[n] {
			s.Mean += 1000 * p.Time / quantity.Micros(math.Exp(level[p.Ranks])*float64(len(level)))
		}
		t.Samples = append(t.Samples, s)
	}
	lines, err := fit.Piecewise(&t, 0)
	if err != nil {
		return [][]Point{points}
	}
	parts := make([][]Point, len(lines.Segments))
	for _, p := range points {
		i := 0
		for i < len(parts)-1 && p.Size > lines.Segments[i].To {
			i++
		}
		parts[i] = append(parts[i], p)
	}
	return parts
}

// search fits each candidate, and returns the one that best predicts numbers of ranks left out.
func search(points []Point, candidates []engine.Entry, of Statistic) (*Regime, error) {
	var all []*Regime
	var first error
	for _, e := range candidates {
		g, err := newRegime(points, e, of)
		if err != nil {
			if first == nil {
				first = err
			}
			continue
		}
		if i := slices.IndexFunc(all, func(o *Regime) bool { return alike(g, o) }); i >= 0 {
			all[i].Alike = append(all[i].Alike, e.Name)
			continue
		}
		all = append(all, g)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%w: %w", ErrNoFit, first)
	}
	best := all[0]
	for _, g := range all {
		if stats.Mean(g.heldOut) < stats.Mean(best.heldOut) {
			best = g
		}
	}
	for _, g := range all {
		if g != best && stats.AsGood(g.heldOut, best.heldOut) {
			best.Rivals = append(append(best.Rivals, g.Algorithm), g.Alike...)
		}
	}
	return best, nil
}

// newRegime fits one algorithm to points.
func newRegime(points []Point, e engine.Entry, of Statistic) (*Regime, error) {
	g := &Regime{Algorithm: e.Name, From: points[0].Size, To: points[0].Size, points: points}
	for _, p := range points {
		s, err := shapeOf(e, p.Ranks, of)
		if err != nil {
			return nil, err
		}
		n := float64(p.Size)
		g.rows = append(g.rows, row{[columns]float64{ofBase: 1, ofAlpha: s.steps, ofBeta: n * s.volume, ofGamma: n * s.combined}, float64(p.Time)})
		g.From, g.To = min(g.From, p.Size), max(g.To, p.Size)
	}
	rows := g.rows
	if g.From == g.To { // one size shows no time per byte, whatever the shape
		for i := range rows {
			rows[i].x[ofBeta], rows[i].x[ofGamma] = 0, 0
		}
		g.Merged = append(g.Merged, fmt.Sprintf("one size only (%s): α has what the bytes cost", g.From))
	}
	g.wanted = independent(rows)
	if !g.wanted[ofBase] {
		g.Merged = append(g.Merged, "the base is not identifiable separately from α, which has both; more numbers of ranks would show it")
	}
	if !g.wanted[ofBeta] && g.To > g.From {
		g.Merged = append(g.Merged, "β is not identifiable separately from α and the base")
	}
	g.solution = leastSquares(rows, g.wanted)
	if low, _ := g.interval(ofGamma); g.wanted[ofGamma] && low == 0 { // it may be nothing
		g.wanted[ofGamma] = false
		g.solution = leastSquares(rows, g.wanted)
	}
	if e.Params&engine.Gamma != 0 && g.wanted[ofBeta] && !g.wanted[ofGamma] {
		g.Merged = append(g.Merged, "β has what combining costs: both grow nearly alike with the ranks")
	}
	g.Base, g.Alpha = estimate[quantity.Micros](&g.solution, ofBase), estimate[quantity.Micros](&g.solution, ofAlpha)
	g.Beta, g.Gamma = estimate[quantity.MicrosPerByte](&g.solution, ofBeta), estimate[quantity.MicrosPerByte](&g.solution, ofGamma)
	g.heldOut = leaveOut(points, rows, g.wanted)
	return g, nil
}

// estimate returns a parameter with its interval.
func estimate[T ~float64](s *solution, i int) fit.Estimate[T] {
	low, high := s.interval(i)
	return fit.Estimate[T]{Value: T(s.value[i]), Low: T(low), High: T(high)}
}

// Known reports whether a parameter was fitted, in the order base, α, β, γ.
func (g *Regime) Known() (known [4]bool) { return g.wanted }

// HeldOut returns the mean |log(form/measured)| of held-out numbers of ranks over the regime's
// sizes; NaN with fewer than 3 numbers of ranks.
func (g *Regime) HeldOut() float64 {
	if !g.left {
		return math.NaN()
	}
	return stats.Mean(g.heldOut)
}

// A form that is off by more than this does not describe the times: in the median as much as the
// best models of the literature are at their worst, and at 1 point in 20 by half.
const (
	maxMedian = 0.15
	maxP95    = 0.50
)

// Tested reports whether there are more points than parameters, so that the errors are meaningful.
func (g *Regime) Tested() bool { return g.free > 0 }

// Describes reports whether the form describes the times of the regime, as far as is known.
func (g *Regime) Describes() bool {
	return g.Tested() && g.Median <= maxMedian && g.P95 <= maxP95 && !(g.HeldOut() > 1.5*maxMedian)
}

// sameShape is the largest remainder, as a part of a column, with which the column counts as a sum
// of another algorithm's columns.
const sameShape = 0.01

// alike reports whether two algorithms have the same times on the ranks and sizes of their points,
// each with parameters of its own: the columns of one are sums of the other's.
func alike(a, b *Regime) bool {
	return spans(a, b) && spans(b, a)
}

// spans reports whether the columns of b are linear combinations of the columns of a.
func spans(a, b *Regime) bool {
	kept := basis(a.rows, []int{ofAlpha, ofBeta, ofBase}, [columns]float64{}, nil)
	part := [columns]float64{sameShape, sameShape, sameShape, 1}
	for c, wanted := range b.wanted {
		if wanted && len(basis(b.rows, []int{c}, part, kept)) > len(kept) {
			return false
		}
	}
	return true
}

// leaveOut returns the mean |log(form/measured)| at each number of ranks, for the form fitted to
// the other numbers. With fewer than three it returns the error of each point in the fit to all
// points.
func leaveOut(points []Point, rows []row, wanted [columns]bool) []float64 {
	var ranks []int
	of := make([]int, len(points))
	for i, p := range points {
		if !slices.Contains(ranks, p.Ranks) {
			ranks = append(ranks, p.Ranks)
		}
		of[i] = slices.Index(ranks, p.Ranks)
	}
	if len(ranks) < 3 {
		s := leastSquares(rows, wanted)
		errs := make([]float64, len(rows))
		for i, r := range rows {
			errs[i] = offBy(s.predict(r.x), r.y)
		}
		return errs
	}
	errs, counts := make([]float64, len(ranks)), make([]float64, len(ranks))
	folds := min(len(ranks), maxRankFolds)
	var rest []row
	for f := range folds {
		rest = rest[:0]
		for i := range rows {
			if of[i]%folds != f {
				rest = append(rest, rows[i])
			}
		}
		s := leastSquares(rest, intersect(wanted, independent(rest)))
		for i, r := range rows {
			if k := of[i]; k%folds == f {
				counts[k]++
				errs[k] += (offBy(s.predict(r.x), r.y) - errs[k]) / counts[k]
			}
		}
	}
	return errs
}

// intersect returns the columns that are set in both a and b.
func intersect(a, b [columns]bool) (c [columns]bool) {
	for i := range c {
		c[i] = a[i] && b[i]
	}
	return c
}

// offBy returns |log(a/b)|, capped at 1.
func offBy(a, b float64) float64 {
	if !(a > 0) {
		return 1
	}
	return min(1, math.Abs(math.Log(a/b)))
}

// maxRankFolds is the maximum number of rank counts that are left out one by one; with more, every
// maxRankFolds-th are left out together.
const maxRankFolds = 12
