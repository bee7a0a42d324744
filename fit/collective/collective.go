// Package collective fits measured times of collectives jointly over message sizes and rank counts:
//
//	T(p, n) = base + steps(p)·α + n·volume(p)·β + n·combined(p)·γ
//
// where steps, volume and combined come from an algorithm's schedule ([shapeOf]). If the algorithm
// is unknown, [Fit] tries all algorithms of the collective in the registry, and takes the one that
// best predicts numbers of ranks left out. Each range of sizes has its own parameters ([Regime]);
// [fit.Piecewise] finds the ranges.
//
// The form assumes ranks that are equally far from each other and share nothing. It is wrong for
// machines with levels or shared memory bandwidth; [Result.Verdict] gives its error and whether it
// is still acceptable. A prediction ([Result.Predict]) therefore adds the residuals of measurements
// nearby. If the algorithm is unknown, it averages forms of several algorithms, each weighted by
// how well it predicts held-out measurements. Its interval comes from held-out measurements, so it
// holds even if the form is wrong.
package collective

import (
	"fmt"
	"math"
	"slices"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// Fit fits a collective. The errors wrap [ErrNoFit], or are those of an unknown collective or
// algorithm.
func Fit(d Data) (*Result, error) {
	r, err := FitToPredict(d)
	if err != nil {
		return nil, err
	}
	for _, part := range regimes(r.Points) {
		g, err := search(part, r.candidates, d.Statistic)
		if err != nil {
			return nil, err
		}
		r.Regimes = append(r.Regimes, *g)
	}
	r.judge()
	return r, nil
}

// maxRanks bounds the numbers of ranks: schedules are simulated for each.
const maxRanks = 512

// FitToPredict is Fit without the regimes, whose schedules take time: the result predicts alone. It
// takes one number of ranks without an algorithm, too.
func FitToPredict(d Data) (*Result, error) {
	candidates, err := candidatesOf(d.Collective, d.Algorithm)
	if err != nil {
		return nil, err
	}
	r := &Result{Data: d, candidates: candidates, forms: formsOf(d.Collective)}
	if d.Algorithm != "" {
		r.forms = []form{formOf(candidates[0], d.Statistic)}
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
	var noise []float64
	for _, p := range r.Points {
		if p.Ranks < 2 || !(p.Time > 0) || !(p.Size >= 0) || math.IsInf(float64(p.Time)+float64(p.Size), 0) {
			return nil, fmt.Errorf("%w: %s of %v on %d ranks takes %v µs", ErrNoFit, d.Collective, p.Size, p.Ranks, float64(p.Time))
		}
		r.Ranks = append(r.Ranks, p.Ranks)
		if p.Count > 1 {
			noise = append(noise, p.Deviation)
		}
	}
	r.Ranks = slices.Compact(r.Ranks)
	switch {
	case len(r.Points) < 2:
		return nil, fmt.Errorf("%w: %s: one time only; a fit takes several sizes and numbers of ranks", ErrNoFit, d.Collective)
	case len(r.Ranks) > maxRanks:
		return nil, fmt.Errorf("%w: %s on %d numbers of ranks; %d are enough, leave some out", ErrNoFit, d.Collective, len(r.Ranks), maxRanks)
	}
	if len(noise) > 0 {
		r.Noise = stats.QuantileOf(noise, 0.5)
	}
	r.learn()
	return r, nil
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
