package tuner

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Prior holds what is assumed before any measurement: standard deviations of logarithmic times, and
// the distances over which they change.
type Prior struct {
	Network float64 // of the factor of each part of the nominal network
	Shared  float64 // of what a name that candidates share says of their times
	Noise   float64 // of a measurement, and of what is a candidate's own
	// Size and Ranks are the octaves over which a term falls to 1/e.
	Size, Ranks float64
	Weight      float64 // of the prior in the scale of deviations, in measurements or calls
	// Real is the part of the losses of draws that is expected.
	Real float64
	// Verify is the number of selections of which one verifies a choice.
	Verify int
	// Near is the largest number of measurements by which a call's times are predicted.
	Near int
}

// Default returns a prior of round numbers. docs/tables/tune.csv has the losses with halved and
// doubled ones.
func Default() Prior {
	return Prior{
		// A machine's latency, overheads and rates are mostly within a factor of e² of the nominal
		// ones.
		Network: 2,
		// With a smaller one, the first measurements decide too much.
		Shared: 0.5,
		// Runs of one call differ by as much.
		Noise: 0.05,
		// Algorithms change places sooner with the ranks than with the size.
		Size: 8, Ranks: 3,
		Weight: 2, // a few measurements outweigh it
		// Algorithms are much slower than their schedules more often than much faster, so that
		// fewer of those that were not measured are the fastest than log-normal times have it.
		// With 0.6, choices of the half that is chosen on lose the same but for 0.5 % more from
		// 10 % of the points.
		Real: 0.5,
		// The model may be wrong about what all candidates of a call have in common.
		Verify: 4,
		// With fewer, choices lose more; with more, they lose the same.
		Near: 128,
	}
}

// A Tuner predicts the times of candidates from measurements of some of them.
type Tuner struct {
	given Prior
	all   []Candidate
	calls map[int][]int
	order []int // the calls, in the order of the candidates

	base  []float64    // logarithms of the schedules' times
	share []Parts      // parts of a schedule's time over its sum
	place [][2]float64 // sizes and ranks, in octaves
	seen  []Measurement
	times []float64 // logarithms, of seen
	// mean has the expected logarithms of the candidates' times. The covariance of two is the prior
	// one less the sum of the products of their columns of reduced, a row a measurement: the rows
	// of L⁻¹K, with L from the Cholesky decomposition, [rasmussen] (2.25), (2.26), algorithm 2.1.
	mean    []float64
	reduced [][]float64
	scale   float64 // of the covariances; 0: to be computed
}

// New returns a Tuner for candidates without measurements.
func New(all []Candidate, prior Prior) *Tuner {
	t := &Tuner{given: prior, all: all, calls: map[int][]int{}, scale: 1}
	for i, c := range all {
		if t.calls[c.Call] == nil {
			t.order = append(t.order, c.Call)
		}
		t.calls[c.Call] = append(t.calls[c.Call], i)
		share := c.Parts
		for k := range share {
			// The derivative of the logarithmic time by the logarithm of the part's factor.
			share[k] /= c.Parts.Sum()
		}
		t.base, t.share = append(t.base, math.Log(c.Parts.Sum())), append(t.share, share)
		t.place = append(t.place, [2]float64{math.Log2(c.Size), math.Log2(c.Ranks)})
	}
	t.mean = append(t.mean, t.base...)
	return t
}

// Add adds measurements.
func (t *Tuner) Add(more []Measurement) {
	for _, m := range more {
		log := math.Log(m.Time)
		row, deviation := t.reduction(m.Candidate)
		z := (log - t.mean[m.Candidate]) / deviation
		for i, v := range row {
			t.mean[i] += v * z
		}
		t.seen, t.times = append(t.seen, m), append(t.times, log)
		t.reduced = append(t.reduced, row)
		t.scale = 0
	}
}

// prior returns the covariance of two candidates before any measurement. Terms over size and ranks
// are Ornstein–Uhlenbeck processes: they have bends, as times have where a library changes its
// protocol. Half of the variance of a name is for what candidates with the same parts have in
// common at any size.
func (t *Tuner) prior(i, j int) float64 {
	var alike, names float64
	a, b := &t.all[i], &t.all[j]
	for k, s := range t.share[i] {
		alike += s * t.share[j][k]
	}
	sizes, ranks := t.place[i][0]-t.place[j][0], t.place[i][1]-t.place[j][1]
	p := &t.given
	near := math.Exp(-math.Abs(sizes)/p.Size - math.Abs(ranks)/p.Ranks)
	if a.Author == b.Author {
		names++
	}
	if a.Group == b.Group {
		names++
		if a.Schedule == b.Schedule {
			names++
		}
		if a.Variant == b.Variant {
			names++
		}
	}
	v := p.Network*p.Network*alike + p.Shared*p.Shared*names*(alike+near)/2
	if i == j {
		v += p.Noise * p.Noise
	}
	return v
}

// covariance returns that of two candidates given the measurements, without the scale.
func (t *Tuner) covariance(i, j int) float64 {
	v := t.prior(i, j)
	for _, row := range t.reduced {
		v -= row[i] * row[j]
	}
	return v
}

// reduction returns the row that a measurement of a candidate adds to reduced, and the standard
// deviation of that measurement.
func (t *Tuner) reduction(k int) (row []float64, deviation float64) {
	row = make([]float64, len(t.all))
	for i := range row {
		row[i] = t.prior(i, k)
	}
	for _, before := range t.reduced {
		for i, v := range before {
			row[i] -= before[k] * v
		}
	}
	deviation = math.Sqrt(row[k] + t.given.Noise*t.given.Noise)
	for i := range row {
		row[i] /= deviation
	}
	return row, deviation
}

// scaled returns the factor of the covariances. A machine whose times differ more from the
// schedules than the prior expects gets wider predictions: by the mean square of what each
// measurement differs by from its prediction by all others, over the variance of that, [rasmussen]
// (5.12).
func (t *Tuner) scaled() float64 {
	if t.scale > 0 {
		return t.scale
	}
	n := len(t.seen)
	k, residual := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, m := range t.seen {
		residual.SetVec(i, t.times[i]-t.base[m.Candidate])
		for j := range i + 1 {
			k.SetSym(j, i, t.prior(t.seen[j].Candidate, m.Candidate))
		}
		k.SetSym(i, i, k.At(i, i)+t.given.Noise*t.given.Noise)
	}
	var chol mat.Cholesky
	var inverse mat.SymDense
	var solved mat.VecDense
	t.scale = 1
	if !chol.Factorize(k) || chol.InverseTo(&inverse) != nil ||
		chol.SolveVecTo(&solved, residual) != nil {
		return t.scale // not reached: Noise makes k positive definite
	}
	var sum float64
	for i := range n {
		sum += solved.AtVec(i) * solved.AtVec(i) / inverse.At(i, i)
	}
	t.scale = (t.given.Weight + sum) / (t.given.Weight + float64(n))
	return t.scale
}

// predict returns the mean and the variance of the logarithm of a candidate's time.
func (t *Tuner) predict(i int) (mean, variance float64) {
	return t.mean[i], t.scaled() * max(0, t.covariance(i, i))
}

// Expected returns the expected time of a candidate in µs: the mean of a log-normal distribution.
func (t *Tuner) Expected(i int) float64 {
	mean, variance := t.predict(i)
	return math.Exp(mean + variance/2)
}

// Difference returns the mean and the standard deviation of the difference of the logarithmic times
// of two candidates. Errors that they share cancel.
func (t *Tuner) Difference(i, j int) (mean, deviation float64) {
	v := t.covariance(i, i) + t.covariance(j, j) - 2*t.covariance(i, j)
	return t.mean[i] - t.mean[j], math.Sqrt(t.scaled() * max(0, v))
}

// Calls returns the candidates of each call.
func (t *Tuner) Calls() map[int][]int { return t.calls }
