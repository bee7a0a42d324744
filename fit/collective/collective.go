// Package collective fits measured times of collectives jointly over message sizes and rank counts:
//
//	T(p, n) = base + steps(p)·α + n·volume(p)·β + n·combined(p)·γ
//
// where steps, volume and combined are an algorithm's, taken from its schedule ([ShapeOf]). The
// algorithm is known, or searched: [Fit] tries all that the registry has for the collective, and
// takes the one that best predicts numbers of ranks left out. Parameters are those of a range of
// sizes ([Regime]); the ranges are those of [fit.Piecewise].
//
// The form assumes ranks that are equally far from each other and share nothing. It is wrong for
// machines with levels or shared memory bandwidth; [Result.Verdict] gives its error and whether it
// is still acceptable. A prediction ([Result.Predict]) therefore adds the residuals of measurements
// nearby. Its interval comes from held-out numbers of ranks, so it holds even if the form is wrong.
package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Point is a measured call, or one repeat of it.
type Point struct {
	Ranks   int             // at least 2
	PerNode int             // ranks on each node; 0 if not known
	Size    quantity.Bytes  // in bytes, from 0, as in the call's argument: see [engine.Call]
	Time    quantity.Micros // above 0
	// Count is the number of repeats behind the time, from 1; Deviation is their standard deviation
	// over the time, 0 with one.
	Count     int64
	Deviation float64
}

// Data is one collective as measured, by one algorithm or by the library's choice.
type Data struct {
	Collective string // as in the registry: allreduce, bcast, …
	Statistic  Statistic
	Points     []Point
}

// Options restrict the search. The zero value tries all algorithms.
type Options struct {
	Algorithm string // of the registry; empty: searched
	Fanout    int    // of algorithms that take one; 0: their default
}

// maxRanks bounds the numbers of ranks: schedules are simulated for each.
const maxRanks = 512

// ErrNoFit is wrapped by the errors of [Fit] about data that cannot be fitted.
var ErrNoFit = errors.New("cannot be fitted")

// A Result is a joint fit.
type Result struct {
	Data    // one point for each call, by ranks and size
	Ranks   []int
	Regimes []Regime // from small to large sizes
	// Errors summarizes |form − measured|/measured over the points.
	Errors
	// HeldOut is the mean of |log(form/measured)| of numbers of ranks left out, in the form fitted
	// to the others: 0.1 is about 10 %. It is NaN with fewer than 3 numbers of ranks.
	HeldOut float64
	// Noise is the median standard deviation of repeats, relative; 0 without repeats.
	Noise float64

	forms            []form // that can be the algorithm
	oneNode, several *blend // of the calls on one node or of unknown placement, and on several nodes
}

// Errors sum up relative errors.
type Errors struct {
	Median, P95, Worst float64
	WorstRanks         int
	WorstSize          quantity.Bytes
}

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
	entry   engine.Entry
	fanout  int
	heldOut []float64 // mean |log(form/measured)| of each number of ranks left out, or of each point
	left    bool      // some were left out
	points  []Point
	rows    []row // of the points
}

// Fit fits a collective. The errors wrap [ErrNoFit], or are those of an unknown collective or
// algorithm.
func Fit(d Data, o Options) (*Result, error) {
	r, err := fitForm(d, o)
	if err != nil {
		return nil, err
	}
	r.learn()
	return r, nil
}

// FitToPredict is Fit without the regimes, whose schedules take time: the result predicts alone. It
// takes one number of ranks without an algorithm, too.
func FitToPredict(d Data, o Options) (*Result, error) {
	r, _, err := prepare(d, o)
	if err != nil {
		return nil, err
	}
	r.learn()
	return r, nil
}

// prepare returns a result with the points and the forms of the algorithms that can be theirs.
func prepare(d Data, o Options) (*Result, []engine.Entry, error) {
	candidates, err := candidatesOf(d.Collective, o.Algorithm)
	if err != nil {
		return nil, nil, err
	}
	r := &Result{Data: d, forms: formsOf(d.Collective)}
	if o.Algorithm != "" {
		r.forms = []form{formOf(candidates[0], o.Fanout, d.Statistic)}
	}
	points := slices.SortedStableFunc(slices.Values(d.Points), byCall)
	r.Points = nil
	for len(points) > 0 {
		p := points[0]
		end := slices.IndexFunc(points, func(o Point) bool { return byCall(p, o) != 0 })
		if end < 0 {
			end = len(points)
		}
		r.Points, points = append(r.Points, Repeated(points[:end])), points[end:]
	}
	for _, p := range r.Points {
		if p.Ranks < 2 || !(p.Time > 0) || !(p.Size >= 0) || math.IsInf(float64(p.Time)+float64(p.Size), 0) {
			return nil, nil, fmt.Errorf("%w: %s of %v on %d ranks takes %v µs", ErrNoFit, d.Collective, p.Size, p.Ranks, float64(p.Time))
		}
		r.Ranks = append(r.Ranks, p.Ranks)
	}
	r.Ranks = slices.Compact(r.Ranks)
	switch {
	case len(r.Points) < 2:
		return nil, nil, fmt.Errorf("%w: %s: one time only; a fit takes several sizes and numbers of ranks", ErrNoFit, d.Collective)
	case len(r.Ranks) > maxRanks:
		return nil, nil, fmt.Errorf("%w: %s on %d numbers of ranks; %d are enough, leave some out", ErrNoFit, d.Collective, len(r.Ranks), maxRanks)
	}
	r.noise()
	return r, candidates, nil
}

// fitForm is Fit without what predictions need.
func fitForm(d Data, o Options) (*Result, error) {
	r, candidates, err := prepare(d, o)
	if err != nil {
		return nil, err
	}
	for _, part := range regimes(r.Points) {
		g, err := search(part, candidates, o.Fanout, d.Statistic)
		if err != nil {
			return nil, err
		}
		r.Regimes = append(r.Regimes, *g)
	}
	r.judge()
	return r, nil
}

// byCall orders points by ranks, ranks on a node, and size.
func byCall(a, b Point) int {
	return cmp.Or(cmp.Compare(a.Ranks, b.Ranks), cmp.Compare(a.PerNode, b.PerNode), cmp.Compare(a.Size, b.Size))
}

// candidatesOf is the one algorithm that is named, or all that can be searched: not those for one
// number of ranks, nor whose tree depends on parameters of the machine.
func candidatesOf(name, algorithm string) ([]engine.Entry, error) {
	if algorithm != "" {
		e, err := engine.Find(name, algorithm)
		return []engine.Entry{e}, err
	}
	var all []engine.Entry
	for _, e := range engine.Of(name) {
		if e.Ranks == 0 && e.Params&engine.Shape == 0 {
			all = append(all, e)
		}
	}
	if len(all) == 0 {
		_, err := engine.Find(name, "")
		return nil, fmt.Errorf("%w: %w", ErrNoFit, err)
	}
	return all, nil
}

// setRows sets the rows of the regression, one per point.
func (g *Regime) setRows(of Statistic) error {
	for _, p := range g.points {
		s, err := ShapeOf(g.entry, p.Ranks, g.fanout, of)
		if err != nil {
			return err
		}
		n := float64(p.Size)
		g.rows = append(g.rows, row{[columns]float64{ofBase: 1, ofAlpha: s.Steps, ofBeta: n * s.Volume, ofGamma: n * s.Combined}, float64(p.Time)})
	}
	return nil
}

// HeldOut returns the mean |log(form/measured)| of held-out numbers of ranks over the regime's
// sizes; NaN with fewer than 3 numbers of ranks.
func (g *Regime) HeldOut() float64 {
	if !g.left {
		return math.NaN()
	}
	return stats.Mean(g.heldOut)
}

// noise sets the median deviation of repeats.
func (r *Result) noise() {
	var noise []float64
	for _, p := range r.Points {
		if p.Count > 1 {
			noise = append(noise, p.Deviation)
		}
	}
	if len(noise) > 0 {
		r.Noise = stats.QuantileOf(noise, 0.5)
	}
}

// judge sums up the errors.
func (r *Result) judge() {
	var all []miss
	for i := range r.Regimes {
		g := &r.Regimes[i]
		g.left = len(r.Ranks) >= 3
		var here []miss
		for k, row := range g.rows {
			here = append(here, miss{g.points[k], math.Abs(g.solution.predict(row.x)-row.y) / row.y})
		}
		g.Errors = sumUp(here)
		r.HeldOut += g.HeldOut() * float64(len(g.points)) / float64(len(r.Points))
		all = append(all, here...)
	}
	r.Errors = sumUp(all)
}

// A miss is the relative error of the form at a point.
type miss struct {
	Point
	e float64
}

func sumUp(all []miss) (sum Errors) {
	var errs []float64
	for _, m := range all {
		if errs = append(errs, m.e); m.e > sum.Worst {
			sum.Worst, sum.WorstRanks, sum.WorstSize = m.e, m.Ranks, m.Size
		}
	}
	sum.Median, sum.P95 = stats.QuantileOf(errs, 0.5), stats.QuantileOf(errs, 0.95)
	return sum
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

// Describes reports whether the form describes the times at all sizes.
func (r *Result) Describes() bool {
	return !slices.ContainsFunc(r.Regimes, func(g Regime) bool { return !g.Describes() })
}

// Verdict describes in a sentence how well the form describes the times.
func (r *Result) Verdict() string {
	text := r.Errors.text(r.HeldOut)
	if r.Noise > 0 {
		text += fmt.Sprintf("; repeats differ by %.2g %%", 100*r.Noise)
		if r.Median > 2*r.Noise {
			text += ", so the form leaves more than noise"
		}
	}
	var wrong []string
	untested := 0
	for _, g := range r.Regimes {
		if !g.Tested() {
			untested++
		} else if !g.Describes() {
			wrong = append(wrong, fmt.Sprintf("%s to %s", g.From, g.To))
		}
	}
	switch {
	case untested == len(r.Regimes):
		return "not tested: as many parameters as times, so the form goes through all"
	case len(wrong) == 0:
		return "fits: " + text
	case len(wrong) == len(r.Regimes):
		return "none fits: " + text + "; no algorithm alone describes these times (levels, sharing, noise, or a choice that changes with the ranks), and the parameters mean nothing"
	}
	return "fits in part, none from " + strings.Join(wrong, ", ") + ": " + text
}

func percent(v float64) string {
	return fmt.Sprintf("%.*f %%", max(0, 1-int(math.Log10(max(1, 100*v)))), 100*v)
}

// text lists the errors, with heldOut unless it is NaN.
func (e Errors) text(heldOut float64) string {
	text := fmt.Sprintf("median error %s, 95th percentile %s, worst %s on %d ranks at %s", percent(e.Median), percent(e.P95), percent(e.Worst), e.WorstRanks, e.WorstSize)
	if !math.IsNaN(heldOut) {
		text += "; " + percent(heldOut) + " on numbers of ranks left out"
	}
	return text
}
