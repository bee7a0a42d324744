package collective

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Prediction is a time with the 95 % interval of one more measurement.
type Prediction struct {
	Time, Low, High quantity.Micros
	Form            quantity.Micros // the fitted form alone
	// Beyond says that the ranks or the size lie outside of those measured.
	Beyond bool
}

// maxField bounds the residuals of a field, whose neighbours are compared with each other.
const maxField = 3000

// residuals makes the field of a result.
func (r *Result) residuals(h hyper) (field, error) {
	f := field{hyper: h}
	stride := 1 + len(r.Points)/maxField
	for i, p := range r.Points {
		if i%stride != 0 {
			continue
		}
		e, err := r.leaves(p)
		if err != nil {
			return f, err
		}
		lp, ln := octaves(p.Ranks, p.Size)
		f.of = append(f.of, residual{lp, ln, e, p.error()})
	}
	f.calm()
	for _, o := range f.of {
		f.variance += o.e * o.e / float64(len(f.of))
	}
	f.variance = max(f.variance, 1e-8)
	return f, nil
}

// maxHeld bounds the points that are left out to learn from.
const maxHeld = 240

// A held is a point that was left out, with the field of the others.
type held struct {
	of      field
	p, n, e float64
	edge    bool // of the least or the most ranks: it was predicted from beyond
}

// learn chooses how the form's residuals are used, and calibrates the intervals, by leaving out
// numbers of ranks. With fewer than 4, the intervals are those of the residuals, by Student's t.
func (r *Result) learn() (err error) {
	h := usual
	if len(r.Ranks) >= 4 {
		all, err := r.leaveOut()
		if err != nil {
			return err
		}
		h = bestHyper(all)
		r.within, r.beyond = calibrate(all, h)
	} else {
		free := 0
		for _, g := range r.Regimes {
			free += max(0, g.free)
		}
		r.within = math.Inf(1)
		if free > 0 {
			r.within = stats.T95(float64(free)) * math.Sqrt(float64(len(r.Points))/float64(free))
		}
		r.beyond = r.within
	}
	if r.left, err = r.residuals(h); err != nil {
		return err
	}
	r.growth, err = r.learnGrowth()
	return err
}

// leaveOut leaves out the numbers of ranks in turn, fits the form again to the others, and returns
// what it leaves at the points of those left out.
func (r *Result) leaveOut() (all []held, err error) {
	folds, stride := min(len(r.Ranks), maxFolds), 1+len(r.Points)/maxHeld
	for f := range folds {
		out := func(ranks int) bool { return slices.Index(r.Ranks, ranks)%folds == f }
		sub := r.without(out)
		left, err := sub.residuals(usual)
		if err != nil {
			return nil, err
		}
		for i, p := range r.Points {
			if !out(p.Ranks) || i%stride != 0 {
				continue
			}
			o := held{of: left, edge: p.Ranks == r.Ranks[0] || p.Ranks == r.Ranks[len(r.Ranks)-1]}
			o.p, o.n = octaves(p.Ranks, p.Size)
			if o.e, err = sub.leaves(p); err != nil {
				return nil, err
			}
			all = append(all, o)
		}
	}
	return all, nil
}

// leaves is the log of the time over that of the form, which at least is a hundredth of it.
func (r *Result) leaves(p Point) (float64, error) {
	form, err := r.form(p.Ranks, p.Size)
	return math.Log(float64(p.Time) / max(form, float64(p.Time)/100)), err
}

// bestHyper predicts what was left out best.
func bestHyper(all []held) (best hyper) {
	least := math.Inf(1)
	for _, h := range hypers {
		sum := 0.0
		for _, o := range all {
			o.of.hyper = h
			e, _ := o.of.at(o.p, o.n)
			sum += min(1, math.Abs(o.e-e))
		}
		if sum < least {
			least, best = sum, h
		}
	}
	return best
}

// calibrate returns how many standard deviations of the field hold 95 % of what was left out, between
// other ranks and beyond them.
func calibrate(all []held, h hyper) (within, beyond float64) {
	var in, out []float64
	for _, o := range all {
		o.of.hyper = h
		e, v := o.of.at(o.p, o.n)
		if z := math.Abs(o.e-e) / math.Sqrt(v); o.edge {
			out = append(out, z)
		} else {
			in = append(in, z)
		}
	}
	within = upper(in)
	return within, max(within, upper(out))
}

// doubles is the log of 2: for each doubling of the ranks, the time is up to twice or half of what
// the form says. What should grow as lg p does grow as p where all share a resource.
const doubles = math.Ln2

// learnGrowth returns by how much the form can miss the growth with the ranks, as a 95 % bound of the
// |log| for each octave: seen where the form is fitted to the ranks up to a quarter of the largest,
// and taken from the largest of them to those above. Fewer than three numbers of ranks up to there
// say nothing.
func (r *Result) learnGrowth() (float64, error) {
	edge, below := 0, 0
	for _, p := range r.Ranks {
		if 4*p <= r.Ranks[len(r.Ranks)-1] {
			edge, below = p, below+1
		}
	}
	if below < 3 {
		return doubles, nil
	}
	sub := r.without(func(ranks int) bool { return ranks > edge })
	at := map[quantity.Bytes]float64{} // log of what the form leaves at the edge
	var misses []float64
	for _, p := range r.Points { // by ranks
		if p.Ranks < edge {
			continue
		}
		left, err := sub.leaves(p)
		if err != nil {
			return 0, err
		}
		if p.Ranks == edge {
			at[p.Size] = left
		} else if from, has := at[p.Size]; has {
			misses = append(misses, math.Abs(left-from)/max(1, math.Log2(float64(p.Ranks)/float64(edge))))
		}
	}
	if len(misses) == 0 {
		return doubles, nil
	}
	return stats.QuantileOf(misses, 0.95), nil
}

// upper is the 95 % point of so many values, from above: of few, the largest, and more.
func upper(z []float64) float64 {
	if len(z) == 0 {
		return math.Inf(1)
	}
	slices.Sort(z)
	at := math.Ceil(0.95 * float64(len(z)+1))
	if int(at) > len(z) {
		return z[len(z)-1] * at / float64(len(z))
	}
	return max(z[int(at)-1], 1)
}

// without is the result fitted again without some rank counts, with the same regimes and
// algorithms.
func (r *Result) without(out func(ranks int) bool) *Result {
	s := &Result{Data: r.Data}
	s.Points = slices.DeleteFunc(slices.Clone(r.Points), func(p Point) bool { return out(p.Ranks) })
	for _, g := range r.Regimes {
		var rows []row
		for _, p := range s.Points {
			if g.From <= p.Size && p.Size <= g.To {
				x, _ := g.columns(p.Ranks, p.Size, r.Statistic) // it was there before
				rows = append(rows, row{x, float64(p.Time)})
			}
		}
		if len(rows) > 0 {
			g.solution = least(rows, both(g.wanted, independent(rows)))
		}
		s.Regimes = append(s.Regimes, g)
	}
	return s
}

// fewest is the number of repeats from which their deviation says something.
const fewest = 3

// known is the number of repeats whose deviation is known: files may give a mean alone.
func (p Point) known() float64 {
	if p.Deviation == 0 {
		return 1
	}
	return float64(max(1, p.Count))
}

// error is the standard deviation of the mean of the repeats, relative; infinite of too few.
func (p Point) error() float64 {
	if p.known() < fewest {
		return math.Inf(1)
	}
	return p.Deviation / math.Sqrt(p.known())
}

// measured is what was measured of the call, if it was, with the half width of the 95 % interval of
// one more measurement by its repeats (Student's t); infinite of too few.
func (r *Result) measured(ranks int, n quantity.Bytes) (t, half float64, has bool) {
	from, _ := slices.BinarySearchFunc(r.Points, Point{Ranks: ranks, Size: n}, byCall)
	var count, sum, squares float64
	for _, p := range r.Points[from:] {
		if p.Ranks != ranks || p.Size != n {
			break
		}
		k, v := p.known(), float64(p.Time)
		count, sum = count+k, sum+k*v
		squares += k*v*v + (k-1)*(p.Deviation*v)*(p.Deviation*v)
	}
	if count == 0 {
		return 0, 0, false
	}
	t, half = sum/count, math.Inf(1)
	if count >= fewest {
		variance := max(0, squares-count*t*t) / (count - 1)
		deviation := max(math.Sqrt(variance)/t, r.Noise)
		half = stats.T95(count-1) * deviation * math.Sqrt(1+1/count)
	}
	return t, half, true
}

// Predict returns the time of the next call of n bytes on so many ranks. A call that was measured
// takes what it took, in an interval made from its repeats; of too few, it is the local noise of the
// field, and holds what the calls beside it predict. Between two regimes the interval holds those of
// both, as the size where one ends was not measured.
func (r *Result) Predict(ranks int, n quantity.Bytes) (Prediction, error) {
	at := r.regime(n)
	p, err := r.predict(ranks, n, &r.Regimes[at])
	if err != nil {
		return p, err
	}
	if t, half, has := r.measured(ranks, n); has {
		low, high := p.Low, p.High
		if math.IsInf(half, 1) {
			half = math.Log(float64(p.High / p.Time))
			low, high = min(low, quantity.Micros(t*math.Exp(-half))), max(high, quantity.Micros(t*math.Exp(half)))
		} else {
			low, high = quantity.Micros(t*math.Exp(-half)), quantity.Micros(t*math.Exp(half))
		}
		p.Time, p.Low, p.High = quantity.Micros(t), low, high
		return p, nil
	}
	for i := range r.Regimes {
		beside := i == at-1 && n < r.Regimes[at].From || i == at+1 && n > r.Regimes[at].To
		if !beside {
			continue
		}
		q, err := r.predict(ranks, n, &r.Regimes[i])
		if err != nil {
			return p, err
		}
		p.Low, p.High = min(p.Low, q.Low), max(p.High, q.High)
	}
	return p, nil
}

// predict is Predict by one regime.
func (r *Result) predict(ranks int, n quantity.Bytes, g *Regime) (Prediction, error) {
	x, err := g.columns(ranks, n, r.Statistic)
	if err != nil {
		return Prediction{}, err
	}
	form := g.solution.at(x)
	if !(form > 0) {
		return Prediction{}, fmt.Errorf("%w: %s of %s on %d ranks: the fitted form is 0 there", ErrNoFit, r.Collective, n, ranks)
	}
	lp, ln := octaves(ranks, n)
	edge := min(max(ranks, r.Ranks[0]), r.Ranks[len(r.Ranks)-1])
	p := Prediction{Form: quantity.Micros(form)}
	p.Beyond = ranks != edge || n < r.Regimes[0].From || n > r.Regimes[len(r.Regimes)-1].To
	e, v := r.left.at(lp, ln)
	t := form * math.Exp(e)
	half := r.within * math.Sqrt(v)
	if len(r.Ranks) < 4 { // between ranks the growth is as unknown as beyond, but held on both sides
		half = math.Hypot(half*r.worse(g), r.growth/2*r.nearest(ranks))
	}
	if p.Beyond { // what is not known of the parameters matters here
		half = r.beyond * math.Sqrt(v)
		d := math.Inf(1)
		if g.free > 0 {
			d = stats.T95(float64(g.free)) * g.deviation(x) / form
		}
		half = math.Hypot(half, d)
	}
	least, most := t, t
	if ranks != edge {
		half = math.Hypot(half, r.growth*math.Abs(math.Log2(float64(ranks)/float64(edge))))
		if least, most, err = r.others(g, ranks, edge, n, t); err != nil {
			return Prediction{}, err
		}
	}
	p.Time, p.Low, p.High = quantity.Micros(t), quantity.Micros(least*math.Exp(-half)), quantity.Micros(most*math.Exp(half))
	return p, nil
}

// worse is by how much the form leaves more in a regime than it does in all, at least 1: where it
// describes the one and not the other, the field's variance is too small there.
func (r *Result) worse(g *Regime) float64 {
	squares, count := 0.0, 0.0
	for _, o := range r.left.of {
		if n := math.Exp2(o.n); n >= float64(g.From)*(1-1e-9) && n <= float64(g.To)*(1+1e-9) {
			squares, count = squares+o.e*o.e, count+1
		}
	}
	return math.Sqrt(max(1, squares/max(1, count)/r.left.variance))
}

// nearest is the distance to the nearest ranks measured, in octaves.
func (r *Result) nearest(ranks int) float64 {
	d := math.Inf(1)
	for _, p := range r.Ranks {
		d = min(d, math.Abs(math.Log2(float64(ranks)/float64(p))))
	}
	return d
}

// others are the least and the most that the time t can be, on ranks beyond those measured, by what
// the data do not tell: another algorithm that is as good, or all of a merged α a base. Each is
// taken from the edge of what was measured.
func (r *Result) others(g *Regime, ranks, edge int, n quantity.Bytes, t float64) (least, most float64, err error) {
	x, err := g.columns(ranks, n, r.Statistic)
	if err != nil {
		return 0, 0, err
	}
	here, err := g.columns(edge, n, r.Statistic)
	if err != nil {
		return 0, 0, err
	}
	from := t * g.solution.at(here) / g.solution.at(x) // the time at the edge
	least, most = t, t
	hull := func(s *solution, there, here [columns]float64) {
		if a, b := s.at(there), s.at(here); a > 0 && b > 0 {
			least, most = min(least, from*a/b), max(most, from*a/b)
		}
	}
	if !g.wanted[ofBase] && len(r.Ranks) == 1 {
		constant := x
		constant[ofAlpha] = here[ofAlpha]
		hull(&g.solution, constant, here)
	}
	for _, o := range g.rivals {
		there, err := o.columns(ranks, n, r.Statistic)
		if err != nil {
			return 0, 0, err
		}
		at, err := o.columns(edge, n, r.Statistic)
		if err != nil {
			return 0, 0, err
		}
		hull(&o.solution, there, at)
	}
	return least, most, nil
}
