package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Parameters holds an algorithm's form over all calls on one node, or over all calls on several:
//
//	T = Base + steps inside nodes · Inside + steps between nodes · Between + bytes · Beta
//
// with 95 % intervals. A prediction takes the same form, with parameters from the calls nearby,
// since protocols change with the size. A parameter is NaN if the calls do not identify it: it is
// left out, and the remaining parameters include its cost. What combining costs is in Beta.
type Parameters struct {
	Algorithm string
	// Nodes is 1 for calls on one node, 2 for calls on several, and 0 if the placement is not
	// known. Without several nodes all steps count as Between.
	Nodes int
	// Weight is the part of the form in predictions of the measured sizes on more ranks than were
	// measured, from 0 to 1; interpolation has no part in it.
	Weight                float64
	Base, Inside, Between fit.Estimate[quantity.Micros]
	Beta                  fit.Estimate[quantity.MicrosPerByte]
	Ranks                 []int // of the calls, ascending
	From, To              quantity.Bytes
	// Median and P95 are of the relative errors of T at the calls. HeldOut is the median relative
	// error of the form as it predicts, at held-out calls; NaN if none could be held out.
	Median, P95, HeldOut float64
}

// Parameters returns the parameters of the forms that have a weight of at least 5 %, the calls on
// one node first.
func (r *Result) Parameters() (all []Parameters) {
	b := r.blend
	var one, several []measurement
	for _, s := range b.points {
		if s.nodes == 1 {
			one = append(one, s)
		} else {
			several = append(several, s)
		}
	}
	for i, points := range [][]measurement{one, several} {
		if len(points) == 0 {
			continue
		}
		nodes := i + 1
		if r.perNode() == 0 {
			nodes = 0
		}
		weights := b.formWeights(points[len(points)-1].place)
		for i, f := range b.forms {
			if weights[i] < minWeight {
				continue
			}
			p := parameters(f.form, points)
			p.Nodes, p.Weight, p.HeldOut = nodes, weights[i], b.heldOutError(i)
			all = append(all, p)
		}
	}
	return all
}

// formWeights returns the weight of each form beyond a place, in the mean over sizes.
func (b *blend) formWeights(last place) []float64 {
	mean := make([]float64, len(b.forms)+1)
	twice := place{2 * last.ranks, 2 * last.nodes}
	if last.nodes == 1 {
		twice.nodes = 1
	}
	for _, n := range b.sizes {
		w := b.weights(b.evidence(twice), mean, b.totalLg(last, n), b.octaves(twice), -1)
		for i, w := range w {
			mean[i] += w / float64(len(b.sizes))
		}
	}
	return mean
}

// heldOutError returns the median relative error of a form at the held-out calls.
func (b *blend) heldOutError(form int) float64 {
	var errors []float64
	for _, h := range []*backTest{b.between(), b.beyond()} {
		for i := range h.calls {
			if e := h.errors[form][i]; !math.IsNaN(e) {
				errors = append(errors, math.Abs(math.Expm1(e)))
			}
		}
	}
	return stats.QuantileOf(errors, 0.5)
}

// parameters fits a form to calls.
func parameters(f *form, points []measurement) Parameters {
	p := Parameters{Algorithm: f.Name}
	rows := make([]row, len(points))
	first, last := math.Inf(1), 0.0
	for i, s := range points {
		at := f.at(s.place)
		if s.nodes == 1 {
			at.inside, at.between = 0, at.inside
		}
		rows[i] = row{[columns]float64{1, at.inside, at.between, s.size * at.volume}, s.time}
		p.Ranks = append(p.Ranks, int(s.ranks))
		first, last = min(first, s.size), max(last, s.size)
	}
	slices.Sort(p.Ranks)
	p.Ranks = slices.Compact(p.Ranks)
	p.From, p.To = quantity.Bytes(first), quantity.Bytes(last)
	if first == last { // one size shows no time per byte, whatever the volume
		for i := range rows {
			rows[i].x[ofBytes] = 0
		}
	}
	wanted := independent(rows)
	s := leastSquares(rows, wanted)
	var errors []float64
	for _, r := range rows {
		errors = append(errors, math.Abs(s.predict(r.x)/r.y-1))
	}
	p.Median, p.P95 = stats.QuantileOf(errors, 0.5), stats.QuantileOf(errors, 0.95)
	p.Base = estimate[quantity.Micros](&s, wanted, ofBase)
	p.Inside = estimate[quantity.Micros](&s, wanted, ofInside)
	p.Between = estimate[quantity.Micros](&s, wanted, ofBetween)
	p.Beta = estimate[quantity.MicrosPerByte](&s, wanted, ofBytes)
	return p
}

// estimate returns a parameter with its interval; NaN if it was not wanted.
func estimate[T ~float64](s *solution, wanted [columns]bool, i int) fit.Estimate[T] {
	if !wanted[i] {
		unknown := T(math.NaN())
		return fit.Estimate[T]{Value: unknown, Low: unknown, High: unknown}
	}
	low, high := s.interval(i)
	return fit.Estimate[T]{Value: T(s.value[i]), Low: T(low), High: T(high)}
}
