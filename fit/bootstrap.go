package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Bootstrap holds intervals of a result's parameters from fits to resampled data.
type Bootstrap struct {
	// Samples is the number of fits.
	Samples int
	// Beta and Tau have the values of the result, with the 2.5 % and 97.5 %
	// points of the fits, by segment.
	Beta []Estimate[quantity.Micros]
	Tau  []Estimate[quantity.MicrosPerByte]
	// Breaks has those of the last size of each segment but the last.
	Breaks []Estimate[quantity.Bytes]
}

// MaxBootstrap is the maximum number of fits in a bootstrap.
const MaxBootstrap = 100_000

// Bootstrap fits the model again to samples of resampled data: fitted times with errors drawn from
// those of the same segment, enlarged by as much as the fit reduced them (Davison and Hinkley 1997,
// §6.3). The number of segments is fixed, their breaks are not. Unlike the intervals of the
// regression, it assumes neither normal errors nor, for segments, known breaks. The same seed gives
// the same result.
func (r *Result) Bootstrap(samples int, seed uint64) (*Bootstrap, error) {
	if samples < 100 || samples > MaxBootstrap {
		return nil, fmt.Errorf("%d bootstrap samples; wanted are 100 to %d, 1000 for two digits", samples, MaxBootstrap)
	}
	if r.Model == "table" {
		return nil, fmt.Errorf("%s: a per-size table meets every point: there are no errors to resample", r.Name)
	}
	m, k := r.form, len(r.Segments)
	m.k = k
	random := rand.New(rand.NewPCG(seed, 0))
	residuals := r.relativeResiduals()
	points := slices.Clone(r.Points)
	betas, taus, ends := make([][]float64, k), make([][]float64, k), make([][]float64, k)
	for range samples {
		for i, p := range r.Points {
			own := residuals[p.Segment]
			points[i].Time = p.Fitted * quantity.Micros(max(1+own[random.IntN(len(own))], 0.01)) // above zero
		}
		again, _ := m.fit(points, r.quantum)
		if len(again) != k {
			continue // a switch that is one line this time
		}
		at := 0
		for i, p := range again {
			at += p.points
			betas[i], taus[i] = append(betas[i], p.beta), append(taus[i], p.tau)
			ends[i] = append(ends[i], float64(points[at-1].Size))
		}
	}
	b := &Bootstrap{Samples: len(betas[0])}
	if b.Samples < samples/2 {
		return nil, fmt.Errorf("%s: only %d of %d resamplings have %d segments: the model is not in the data", r.Name, b.Samples, samples, k)
	}
	for i, s := range r.Segments {
		low, high := percentiles(betas[i], float64(s.Beta.Value), s.Points)
		b.Beta = append(b.Beta, Estimate[quantity.Micros]{s.Beta.Value, quantity.Micros(max(0, low)), quantity.Micros(high)})
		low, high = percentiles(taus[i], float64(s.Tau.Value), s.Points)
		b.Tau = append(b.Tau, Estimate[quantity.MicrosPerByte]{s.Tau.Value, quantity.MicrosPerByte(max(0, low)), quantity.MicrosPerByte(high)})
		if i+1 < k {
			slices.Sort(ends[i])
			low, high = stats.Quantile(ends[i], 0.025), stats.Quantile(ends[i], 0.975)
			b.Breaks = append(b.Breaks, Estimate[quantity.Bytes]{s.To, min(s.To, quantity.Bytes(low)), max(s.To, quantity.Bytes(high))})
		}
	}
	return b, nil
}

// relativeResiduals returns the relative errors of each segment about their mean, times √(n/(n−2))
// for the two parameters.
func (r *Result) relativeResiduals() [][]float64 {
	all := make([][]float64, len(r.Segments))
	for _, p := range r.Points {
		all[p.Segment] = append(all[p.Segment], float64(p.Time)/float64(p.Fitted)-1)
	}
	for _, e := range all {
		n, mean := float64(len(e)), stats.Mean(e)
		for j := range e {
			e[j] = (e[j] - mean) * math.Sqrt(n/math.Max(1, n-2))
		}
	}
	return all
}

// percentiles returns the 2.5 % and 97.5 % points about a value of a line through points points.
// They are widened by the ratio of Student's t to the normal distribution, since resampled
// residuals have only the scatter of the points of the fit.
func percentiles(v []float64, value float64, points int) (low, high float64) {
	if points < 3 { // the line goes through them, so no scatter is left to resample
		return 0, math.Inf(1)
	}
	slices.Sort(v)
	wider := stats.T95(math.Max(1, float64(points-2))) / 1.959964
	return value - max(0, value-stats.Quantile(v, 0.025))*wider, value + max(0, stats.Quantile(v, 0.975)-value)*wider
}
