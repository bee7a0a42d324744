// Package fitted fits measured times of collectives jointly over message sizes, rank counts and
// placements. The time of an algorithm is a sum over the steps and bytes of its schedule, which are
// closed forms of the ranks and nodes:
//
//	T = base + steps inside nodes · α_inside + steps between nodes · α_between + bytes · β
//
// A prediction ([Result.PredictAt]) takes the parameters from the measurements nearby, since they
// change with the size, and adds the residuals of measurements nearby. If the algorithm is unknown,
// it averages the forms of several algorithms, each weighted by how well it predicts held-out
// measurements. Its interval comes from held-out measurements too, so it holds even if no form
// describes the times, as on machines whose ranks share memory. [Result.Parameters] has the
// parameters of each form over all measurements.
package fitted

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// maxRanks bounds the numbers of ranks, not the ranks: a prediction weighs all measurements, and a
// fit predicts those that it holds out.
const maxRanks = 512

// A Result is a joint fit.
type Result struct {
	Data  // one point for each call, by ranks and size
	Ranks []int
	// Noise is the median standard deviation of repeats, relative; 0 without repeats.
	Noise float64

	blend *blend
}

// Fit fits a collective, of which one number of ranks is enough. The errors wrap [ErrNoFit], or are
// those of an unknown collective or algorithm.
func Fit(d Data) (*Result, error) {
	r := &Result{Data: d}
	r.Points = nil
	var noise []float64
	for _, same := range byCalls(d.Points) {
		p := repeated(same)
		finite := !math.IsInf(float64(p.Time)+float64(p.Size), 0)
		if p.Ranks < 2 || !(p.Time > 0) || !(p.Size >= 0) || !finite {
			return nil, fmt.Errorf("%w: %s of %v on %d ranks takes %v µs",
				ErrNoFit, d.Of.Collective, p.Size, p.Ranks, float64(p.Time))
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
			"a fit takes several sizes and numbers of ranks", ErrNoFit, d.Of.Collective)
	case len(r.Ranks) > maxRanks:
		return nil, fmt.Errorf("%w: %s on %d numbers of ranks; %d are enough, leave some out",
			ErrNoFit, d.Of.Collective, len(r.Ranks), maxRanks)
	}
	if len(noise) > 0 {
		r.Noise = stats.Median(noise)
	}
	var points []measurement
	for _, p := range r.Points {
		at := r.placeOf(p.placement())
		points = append(points, measurement{at, float64(p.Size), float64(p.Time)})
	}
	byPlace := func(a, b measurement) int { return comparePlaces(a.place, b.place) }
	slices.SortStableFunc(points, byPlace) // by size within a place
	last := len(points) - 1
	forms, err := formsFor(d, points[last].nodes == 1)
	if err != nil {
		return nil, err
	}
	r.blend = newBlend(points, blockwise(d.Of.Collective), forms)
	for i := range forms {
		if err := forms[i].checked(r.blend.places); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// A Prediction is the time of one more measurement of a call, in µs, with its 95 % interval. Low
// and High are NaN if there is no interval.
type Prediction struct {
	quantity.Interval
	// Expected is the mean of the times in doubt, which choices compare. Low times are as likely as
	// high ones by their logs, so that it is above Value.
	Expected quantity.Micros
	// NoInterval says why there is no interval, and what to measure to get one; else empty.
	NoInterval string
	// Measure says, if the interval is wider than [Planable], which one measurement would narrow it
	// the most; else empty.
	Measure string
	// Beyond is the factor by which the nodes and the ranks on each, or if that is larger the size,
	// lie outside of those measured; 0 if they do not.
	Beyond float64
	// Measured says that the call was measured: Value is that time.
	Measured bool
	// Forms are the algorithms that the time is made from, the heaviest first.
	Forms []weight
}

// A weight is an algorithm's part in a prediction, 0 to 1.
type weight struct {
	Algorithm string // of the registry
	Weight    float64
}

// minWeight is the smallest weight that a prediction lists.
const minWeight = 0.05

// PlacementOf returns the placement of ranks that are placed as they were measured: on one node if
// every measured call filled one, else as many on a node as [Data.perNode].
func (r *Result) PlacementOf(ranks int) Placement {
	p := Placement{Ranks: ranks, PerNode: r.perNode()}
	if !slices.ContainsFunc(r.Points, func(p Point) bool { return p.PerNode != p.Ranks }) {
		p.PerNode = ranks
	}
	return p
}

// PredictAt returns the time of the next call of n bytes. A call that was measured takes the
// median of its repeats, in an interval made from them; with too few repeats, by the errors of
// calls nearby. The error wraps [ErrNoFit] if the fit has no time for the call.
func (r *Result) PredictAt(at Placement, n quantity.Bytes) (Prediction, error) {
	if at.Ranks < 2 {
		return Prediction{}, fmt.Errorf("%w: %s on %s: at least 2 are needed",
			ErrNoFit, r.Of.Collective, quantity.Plural(at.Ranks, "rank"))
	}
	b, p, size := r.blend, r.placeOf(at), float64(n)
	log, spread, apart, weights := b.predict(p, size)
	t := math.Exp(log)
	if !(t > 0) || math.IsInf(t, 0) {
		return Prediction{}, fmt.Errorf("%w: %s of %s on %d ranks: "+
			"the fitted forms have no time there", ErrNoFit, r.Of.Collective, n, at.Ranks)
	}
	down, up := b.deviations(p, size, spread, apart, r.Noise)
	q := Prediction{Forms: b.named(weights), Beyond: b.factorBeyond(p, size)}
	low, high := t, t
	call := Point{Ranks: at.Ranks, PerNode: at.PerNode, Size: n}
	if i, has := slices.BinarySearchFunc(r.Points, call, byCall); has {
		v := float64(r.Points[i].Time)
		t, q.Beyond, q.Measured = v, 0, true
		if deviation := r.Points[i].deviation(r.Noise); !math.IsInf(deviation, 1) {
			low, high, down, up = v, v, deviation, deviation
		} else {
			// The call has too few repeats, and may have been disturbed: the interval also covers
			// the time of similar calls.
			similar := b.similar(p, size)
			low, high = min(similar, v), max(similar, v)
		}
	} else {
		q.NoInterval = b.noInterval(p, size, r.perNode() == 0)
	}
	q.Value = t
	q.Expected = quantity.Micros(t * math.Exp((down*down+up*up)/4))
	q.Low, q.High = low*math.Exp(-quantile95*down), high*math.Exp(quantile95*up)
	if q.NoInterval == "" && q.Beyond > 0 && q.High/q.Low > useful {
		q.NoInterval = fmt.Sprintf("the time could be anything within a factor of %.0f: "+
			"measure %s", float64(useful), b.nearer(p, size))
	}
	if q.NoInterval != "" {
		q.Low, q.High = math.NaN(), math.NaN()
	}
	if q.High/q.Low > Planable {
		q.Measure = b.nearer(p, size)
	}
	return q, nil
}

// named lists the forms of at least minWeight, the heaviest first.
func (b *blend) named(weights []float64) (all []weight) {
	for i, w := range weights {
		name := "interpolation"
		if i < len(b.forms) {
			name = b.forms[i].Name
		}
		if w >= minWeight {
			all = append(all, weight{name, w})
		}
	}
	slices.SortStableFunc(all, func(a, b weight) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}

// A choice is one of several algorithms, to be used for a call.
type choice struct {
	Index int // in the predictions that it was chosen from
	// Loss is the predicted loss against the algorithm that is predicted to be the fastest, as a
	// fraction of its time. LossHigh is the upper end of its 95 % interval, whose lower end is 0;
	// NaN if the times have no interval.
	Loss, LossHigh float64
}

// Choose returns the prediction of the least expected time, of at least one prediction.
func Choose(all []Prediction) (c choice) {
	fastest := 0
	for i, p := range all {
		if p.Expected < all[c.Index].Expected {
			c.Index = i
		}
		if p.Value < all[fastest].Value {
			fastest = i
		}
	}
	chosen := all[c.Index]
	c.Loss = chosen.Value/all[fastest].Value - 1
	for i, p := range all {
		if i != c.Index {
			log := math.Log(chosen.Value / p.Value)
			// Errors are independent.
			width := math.Hypot(math.Log(chosen.High/chosen.Low)/2, math.Log(p.High/p.Low)/2)
			c.LossHigh = max(c.LossHigh, math.Expm1(log+width))
		}
	}
	return c
}

// Accuracy returns a phrase with the median errors of predictions at held-out places, between the
// remaining places and beyond them. It is empty if too few places were measured.
func (r *Result) Accuracy() string {
	var parts []string
	own := func(c heldOut) float64 { return c.own }
	if e := medianError(own, r.blend.between()); !math.IsNaN(e) {
		parts = append(parts, percent(e)+" between the rest")
	}
	if e := medianError(own, r.blend.beyond()); !math.IsNaN(e) {
		parts = append(parts, percent(e)+" beyond the rest")
	}
	if parts == nil {
		return ""
	}
	return "median error of ranks left out " + strings.Join(parts, ", ")
}

// medianError returns the median relative error at held-out calls, of logs of ratios; NaN without.
func medianError(of func(heldOut) float64, tests ...*backTest) float64 {
	var errors []float64
	for _, h := range tests {
		for _, c := range h.calls {
			if e := of(c); !math.IsNaN(e) {
				errors = append(errors, math.Abs(math.Expm1(e)))
			}
		}
	}
	return stats.QuantileOf(errors, 0.5)
}
