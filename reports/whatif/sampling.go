package whatif

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Sampling makes intervals of predictions from those of parameters, by Monte Carlo. A
// parameter v ± h has a normal distribution about v with the standard deviation h/1.96, so that h
// is half of its 95 % interval, cut off where it would have no place (a negative time). Parameters
// are independent of each other, but for the β and τ of a layer that gives their correlation.
// Samples come in pairs, the second as far from the values as the first, on the other side
// (antithetic variates; Hammersley and Morton 1956), so that the median of a linear quantity is
// exact.
type Sampling struct {
	Samples int    // ≥ 1
	Seed    uint64 // the same seed gives the same samples
	// Assumed is the relative half-width of a time or rate that has no interval; 0: it is exact.
	// Sizes, plain numbers and computed parameters stay without one.
	Assumed float64
	// Context ends the sampling, if it is not nil.
	Context context.Context
	// Watch is called after each sample with the number of samples of the question, if it is not
	// nil.
	Watch func(total int)
	total int // 0: Samples
}

// maxSimulatedSamples is the largest number of samples of a quantity that takes a simulation for
// each. Quantiles of 2.5 % then rest on 25 samples, which give the ends of a normal interval to 2 %
// of its width.
const maxSimulatedSamples = 1000

// in returns the sampling that ends with the context, if it has none of its own.
func (s Sampling) in(ctx context.Context) Sampling {
	if s.Context == nil {
		s.Context = ctx
	}
	return s
}

// interrupted returns the error of the context, if there is one. Loops ask it now and
// then, not for each sample.
func (s Sampling) interrupted() error {
	if s.Context == nil {
		return nil
	}
	return s.Context.Err()
}

// ErrExact says that no parameter has an interval. It comes with valid values, so a
// caller for whom intervals are optional goes on.
var ErrExact = errors.New("no parameter has an interval; write it in the platform's file as " +
	"beta = \"3.0us ± 0.1us\", or assume one")

// Predict returns the quantity, without regard to its size, for each of the sizes,
// with intervals. All sizes share each draw, so that a band is smooth. If no
// parameter has an interval, it returns the values together with [ErrExact].
func (d Design) Predict(name string, sizes []quantity.Bytes, s Sampling) ([]quantity.Interval,
	error) {
	q, err := d.quantityOf(name, 1)
	if err != nil {
		return nil, err
	}
	quantities := list.Map(sizes, q.At)
	now := make([]float64, len(sizes))
	for i, q := range quantities {
		if now[i], err = d.ValueOf(q); err != nil {
			return nil, err
		}
	}
	found := make([][]float64, len(sizes))
	err = s.run([]Design{d}, func(of []platforms.Costs) {
		for i, q := range quantities {
			found[i] = append(found[i], q.In(of[0]))
		}
	})
	if err != nil && !errors.Is(err, ErrExact) {
		return nil, err
	}
	intervals := make([]quantity.Interval, len(sizes))
	for i := range quantities {
		intervals[i] = interval(now[i], found[i])
	}
	return intervals, err
}

// interval takes 2.5 % of the samples off at each end. The value is the median of the
// samples, since the value at the parameters' middles may lie outside of a skewed
// interval. Without samples it is the value alone.
func interval(value float64, samples []float64) quantity.Interval {
	if len(samples) == 0 {
		return quantity.Interval{Value: value, Low: value, High: value}
	}
	slices.Sort(samples)
	return quantity.Interval{Value: stats.Quantile(samples, 0.5),
		Low: stats.Quantile(samples, 0.025), High: stats.Quantile(samples, 0.975)}
}

// faster returns, for each of the times of a and b, the probability that that of a is less. A
// parameter that both have, of the same platform, path and value, is the same number in both: drawn
// twice, it would make equal designs look different.
func faster(a, b Design, times func(Design) ([]Quantity, error), s Sampling) ([]float64, error) {
	ofA, err := times(a)
	if err != nil {
		return nil, err
	}
	ofB, err := times(b)
	if err != nil {
		return nil, err
	}
	count := make([]float64, len(ofA))
	err = s.run([]Design{a, b}, func(of []platforms.Costs) {
		for i := range ofA {
			switch x, y := ofA[i].In(of[0]), ofB[i].In(of[1]); {
			case x < y:
				count[i]++
			case x == y:
				count[i] += 0.5
			}
		}
	})
	for i := range count {
		count[i] /= float64(s.Samples)
	}
	return count, err
}

// sizes returns the interval of a size that some samples have, and the share of those
// samples: with other parameters, two curves may not cross at all.
func (s Sampling) sizes(now float64, designs []Design,
	sizeOf func([]platforms.Costs) (quantity.Bytes, bool)) (quantity.Interval, float64, error) {
	s.Samples = min(s.Samples, 1000) // each visits all sizes
	var sizes []float64
	err := s.run(designs, func(of []platforms.Costs) {
		if n, ok := sizeOf(of); ok {
			sizes = append(sizes, float64(n))
		}
	})
	return interval(now, sizes), float64(len(sizes)) / float64(s.Samples), err
}

// normal95 is the half-width of the 95 % interval of the standard normal distribution.
const normal95 = 1.959964

// A draw is a parameter that varies. Designs of one platform share it.
type draw struct {
	param  platforms.Param
	design int // the first that has it
	within float64
	// with is the draw that this one is correlated with, −1: none.
	with        int
	correlation float64
}

// draws returns the parameters of the designs that have intervals; from are those of
// each design. An assumed interval is not given to sizes and counts, which are
// settings and not measurements, nor to computed parameters, which vary with those
// behind them.
func (s Sampling) draws(designs []Design) (draws []draw, from [][]int) {
	from = make([][]int, len(designs))
	for i, d := range designs {
		for _, p := range d.Uses() {
			within := p.PlusMinus
			// known, may be whole
			counted := p.Value.Dim == quantity.DimSize || p.Value.Dim == quantity.DimNone
			if within == 0 && s.Assumed > 0 && !counted && !d.Platform.Computed(p.Path) {
				within = s.Assumed * math.Abs(p.Value.Num)
			}
			if within == 0 {
				continue
			}
			// Equal means the same platform, path, value and interval: after --set, a
			// parameter is another one.
			at := slices.IndexFunc(draws, func(w draw) bool {
				return designs[w.design].Platform.Name == d.Platform.Name &&
					w.param.Path == p.Path && w.param.Value == p.Value && w.within == within
			})
			if at < 0 {
				at = len(draws)
				draws = append(draws, draw{param: p, design: i, within: within, with: -1})
			}
			from[i] = append(from[i], at)
		}
	}
	// Correlations are found after all draws, since τ may stand before β in the file.
	for i, d := range designs {
		for _, tau := range from[i] {
			layer, isTau := strings.CutSuffix(draws[tau].param.Path, ".tau")
			l, err := d.Platform.Layer(strings.TrimPrefix(layer, "layer."))
			beta := slices.IndexFunc(from[i], func(at int) bool {
				return draws[at].param.Path == layer+".beta"
			})
			if !isTau || err != nil || l.Correlation == 0 || beta < 0 {
				continue // of a stage, or independent
			}
			// A τ that two designs share may depend on one β already; the other β then depends
			// on that τ.
			on, of := from[i][beta], tau
			if draws[of].with >= 0 && draws[of].with != on {
				on, of = of, on
			}
			draws[of].with, draws[of].correlation = on, l.Correlation
		}
	}
	return draws, from
}

// standard returns the standard normal number of draw i: its own among those of all draws, or
// z_τ = ρ·z_β + √(1−ρ²)·z for a τ that is correlated with β by ρ, and so for a β with τ.
func standard(draws []draw, i int, normal []float64) float64 {
	w := draws[i]
	if w.with < 0 {
		return normal[i]
	}
	z := standard(draws, w.with, normal)
	return w.correlation*z + math.Sqrt(1-w.correlation*w.correlation)*normal[i]
}

// value returns the parameter for a standard normal number.
func (w *draw) value(z float64) float64 {
	v := w.param.Value.Num + z*w.within/normal95
	if w.param.Whole() {
		v = math.Round(v)
	}
	return v
}

// run draws the parameters of the designs again and again, and hands over the costs.
// Impossible draws are repeated, which cuts the normal distributions off; 100 tries
// for a sample are the limit, so that intervals wider than the parameter end in an
// error and not in an endless loop.
func (s Sampling) run(designs []Design, each func(of []platforms.Costs)) error {
	draws, from := s.draws(designs)
	if len(draws) == 0 {
		return ErrExact
	}
	programs, of := make([]*platforms.Program, len(designs)), make([]platforms.Costs, len(designs))
	for i, d := range designs {
		params := list.Map(from[i], func(at int) platforms.Param { return draws[at].param })
		programs[i], _ = d.Compile(params...)
	}
	random := rand.New(rand.NewPCG(s.Seed, 0))
	normal, values := make([]float64, len(draws)), make([]float64, len(draws))
	tries := 0
	for done := 0; done < s.Samples; {
		if tries%256 == 0 && s.interrupted() != nil {
			return s.interrupted()
		}
		if tries++; tries > 100*(s.Samples+10) {
			return fmt.Errorf("the intervals are too wide: %d of %d samples have an impossible "+
				"parameter, such as a negative time", tries-done-1, tries-1)
		}
		for i := range normal {
			// An impossible draw uses up its place in the pair, so that pairs stay
			// pairs.
			if tries%2 == 1 { // each second draw is the mirror image of the one before
				normal[i] = random.NormFloat64()
			} else {
				normal[i] = -normal[i]
			}
		}
		possible := true
		for i := range designs {
			for k, at := range from[i] {
				values[k] = draws[at].value(standard(draws, at, normal))
			}
			possible = possible && programs[i].Set(values[:len(from[i])]...)
			of[i] = programs[i].Costs()
		}
		if possible {
			each(of)
			done++
			if s.Watch != nil {
				s.Watch(cmp.Or(s.total, s.Samples))
			}
		}
	}
	return nil
}
