package fitted

import (
	"math"
	"math/bits"
	"slices"

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
	// Weight is the part of the form among the forms in predictions on more ranks than were
	// measured, from 0 to 1.
	Weight                float64
	Base, Inside, Between quantity.Interval // µs
	Beta                  quantity.Interval // µs per byte
	Ranks                 []int             // of the calls, ascending
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
			p.Nodes, p.Weight = nodes, weights[i]
			p.HeldOut = medianError(func(c heldOut) float64 { return c.errors[i] },
				b.between(), b.beyond())
			all = append(all, p)
		}
	}
	return all
}

// formWeights returns the weight of each form beyond a place, in the mean over sizes.
func (b *blend) formWeights(last place) []float64 {
	mean, logs := make([]float64, len(b.forms)), make([]float64, len(b.forms)+1)
	logs[len(b.forms)] = math.NaN() // no line goes beyond the places
	twice := place{2 * last.ranks, 2 * last.nodes}
	if last.nodes == 1 {
		twice.nodes = 1
	}
	for _, n := range b.sizes {
		w := b.weights(b.evidence(twice), logs, b.totalLg(last, n), -1)
		for i := range mean {
			mean[i] += w[i] / float64(len(b.sizes))
		}
	}
	return mean
}

// parameters fits a form to calls.
func parameters(f *form, points []measurement) Parameters {
	p := Parameters{Algorithm: f.Name}
	l := regression{points: points}
	first, last := math.Inf(1), 0.0
	for _, s := range points {
		at := f.at(s.place)
		if s.nodes == 1 {
			at.inside, at.between = 0, at.inside
		}
		l.rows = append(l.rows, [columns]float64{1, at.inside, at.between, s.size * at.volume})
		p.Ranks = append(p.Ranks, int(s.ranks))
		first, last = min(first, s.size), max(last, s.size)
	}
	slices.Sort(p.Ranks)
	p.Ranks = slices.Compact(p.Ranks)
	p.From, p.To = quantity.Bytes(first), quantity.Bytes(last)
	if first == last { // one size shows no time per byte, whatever the volume
		for i := range l.rows {
			l.rows[i][ofBytes] = 0
		}
	}
	of := l.solve()
	var errors []float64
	for i := range points {
		errors = append(errors, math.Abs(l.fitted(i)/points[i].time-1))
	}
	p.Median, p.P95 = stats.QuantileOf(errors, 0.5), stats.QuantileOf(errors, 0.95)
	p.Base, p.Inside, p.Between, p.Beta = of[ofBase], of[ofInside], of[ofBetween], of[ofBytes]
	return p
}

// A regression has a row of columns for each point, and the solution of the least squares.
type regression struct {
	points []measurement
	rows   [][columns]float64
	stats.Solution
}

// fitted returns the fitted time of a point in µs.
func (l *regression) fitted(i int) (t float64) {
	for k, v := range l.Value {
		t += v * l.rows[i][k]
	}
	return t
}

// gram returns the sums of the weighted points.
func (l *regression) gram(weights []float64) (g stats.Gram) {
	for i := range l.rows {
		g.Add(&l.rows[i], l.points[i].time, weights[i])
	}
	return g
}

// solve minimises the squared relative errors over parameters ≥ 0, and returns these with their
// 95 % intervals. The weights 1/T² come from the fitted times, because measured times would favour
// points that are low by chance. A parameter at its bound has an interval that covers the bounded
// and the unbounded value. Those that are not identifiable are NaN.
func (l *regression) solve() (of [columns]quantity.Interval) {
	weights := make([]float64, len(l.points))
	for i, s := range l.points {
		weights[i] = 1 / (s.time * s.time)
	}
	wanted := identifiable(l.gram(weights))
	solve := func(weights []float64) stats.Solution {
		g := l.gram(weights)
		return g.NonNegative(wanted, apart)
	}
	l.Solution = stats.Reweighted(weights, solve, func(s stats.Solution, weights []float64) {
		l.Solution = s
		for i, p := range l.points {
			// A fit as bad as a tenth of the time keeps the weight in bounds.
			fitted := max(l.fitted(i), p.time/10)
			weights[i] = 1 / (fitted * fitted)
		}
	})
	g := l.gram(weights)
	unbound, inverse, ok := g.Solve(wanted, apart)
	if !ok { // by the last weights, less is identifiable
		unbound, inverse, _ = g.Solve(l.Columns, apart)
	}
	free := float64(len(l.points) - bits.OnesCount(uint(wanted)))
	for k := range of {
		switch v := l.Value[k]; {
		case wanted>>k&1 == 0:
			of[k] = quantity.Interval{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
		case free < 1:
			of[k] = quantity.Interval{Value: v, Low: 0, High: math.Inf(1)}
		default:
			d := stats.T95(free) * math.Sqrt(l.Squares/free*inverse[k][k])
			of[k] = quantity.Interval{Value: v, Low: max(0, min(v, unbound.Value[k])-d),
				High: max(v, unbound.Value[k]) + d}
		}
	}
	return of
}

// apart is the minimum part of the squares of a column that is not a sum of the columns before it,
// for the column to be fitted: a thousandth of its length.
const apart = 1e-6

// identifiable returns the set of columns that are. If not all are, the steps inside nodes are
// dropped first, then the base: a base is the smaller part of most times.
func identifiable(g stats.Gram) (set int) {
	for _, c := range []int{ofBetween, ofBytes, ofBase, ofInside} {
		if _, _, ok := g.Solve(set|1<<c, apart); ok {
			set |= 1 << c
		}
	}
	return set
}
