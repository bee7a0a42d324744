// Package collective fits measured times of collectives jointly over message sizes, rank counts and
// placements. The time of an algorithm is a sum over the steps and bytes of its schedule, which are
// closed forms of the ranks and nodes:
//
//	T = base + steps inside nodes · α_inside + steps between nodes · α_between + bytes · β
//
// A prediction ([Result.Predict]) takes the parameters from the measurements nearby, since they
// change with the size, and adds the residuals of measurements nearby. If the algorithm is unknown,
// it averages the forms of several algorithms, each weighted by how well it predicts held-out
// measurements. Its interval comes from held-out measurements too, so it holds even if no form
// describes the times, as on machines whose ranks share memory. [Result.Parameters] has the
// parameters of each form over all measurements.
package collective

import (
	"fmt"
	"math"
	"slices"

	engine "github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// maxRanks bounds the numbers of ranks, not the ranks: a prediction weighs all measurements, and a
// fit predicts those that it holds out.
const maxRanks = 512

// Fit fits a collective, of which one number of ranks is enough. The errors wrap [ErrNoFit], or are
// those of an unknown collective or algorithm.
func Fit(d Data) (*Result, error) {
	forms, err := formsToFit(d)
	if err != nil {
		return nil, err
	}
	r := &Result{Data: d, forms: forms}
	r.Points = nil
	var noise []float64
	for _, same := range byCalls(d.Points) {
		p := repeated(same)
		finite := !math.IsInf(float64(p.Time)+float64(p.Size), 0)
		if p.Ranks < 2 || !(p.Time > 0) || !(p.Size >= 0) || !finite {
			return nil, fmt.Errorf("%w: %s of %v on %d ranks takes %v µs",
				ErrNoFit, d.Collective, p.Size, p.Ranks, float64(p.Time))
		}
		r.Points = append(r.Points, p)
		r.Ranks = append(r.Ranks, p.Ranks)
		if p.Count > 1 {
			noise = append(noise, p.Deviation)
		}
	}
	r.Ranks = slices.Compact(r.Ranks)
	switch {
	case len(r.Points) < 2:
		return nil, fmt.Errorf("%w: %s: one time only; "+
			"a fit takes several sizes and numbers of ranks", ErrNoFit, d.Collective)
	case len(r.Ranks) > maxRanks:
		return nil, fmt.Errorf("%w: %s on %d numbers of ranks; %d are enough, leave some out",
			ErrNoFit, d.Collective, len(r.Ranks), maxRanks)
	}
	if len(noise) > 0 {
		r.Noise = stats.QuantileOf(noise, 0.5)
	}
	r.learn()
	return r, nil
}

// formsToFit returns the form of the algorithm that is named, or those of all that libraries use.
// It is an error if the registry has no algorithm of the collective that runs on any number of
// ranks and machine.
func formsToFit(d Data) ([]form, error) {
	if d.Algorithm != "" {
		e, err := engine.Find(d.Collective, d.Algorithm)
		if err != nil {
			return nil, err
		}
		f, err := formOf(e, d.Statistic)
		if err != nil {
			return nil, err
		}
		return []form{f}, nil
	}
	// An algorithm for two ranks, or one whose tree depends on the machine, has no form.
	general := func(e engine.Entry) bool { return e.Ranks == 0 && e.Params&engine.Shape == 0 }
	if !slices.ContainsFunc(engine.Of(d.Collective), general) {
		_, err := engine.Find(d.Collective, "")
		return nil, fmt.Errorf("%w: %w", ErrNoFit, err)
	}
	return formsOf(d.Collective), nil
}
