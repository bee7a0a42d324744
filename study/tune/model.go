package tune

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// parts is the number of parts of a time, labels the number of labels of a candidate.
const parts, labels = 4, 4

// Parts holds the parts of a schedule's time in µs: latency, overheads of messages, bytes, sums.
type Parts [parts]float64

func (p Parts) sum() float64 { return p[0] + p[1] + p[2] + p[3] }

// A Candidate is an algorithm in a call: it can be measured, and chosen.
type Candidate struct {
	Group string // the collective: candidates of different groups share only the machine's factors
	Call  int    // one of the candidates with the same Call is chosen
	// Labels say what candidates have in common: the schedule, the implementation of the schedule,
	// the algorithm, the variant of the algorithm.
	Labels [labels]string
	Ranks  float64
	Size   float64 // bytes, at least 1
	Parts  Parts   // of the schedule's time on a nominal machine
}

// A Measurement is the time of a candidate in µs.
type Measurement struct {
	Candidate int
	Time      float64
}

// Prior holds the standard deviations of the terms of a logarithmic time before any measurement,
// and the distances over which the smooth terms change. Index 0 is for a group, and index l+1 for
// candidates with the same label l.
type Prior struct {
	Machine float64             // factor of each part, for all groups
	Factor  [labels + 1]float64 // factor of each part
	Smooth  [labels + 1]float64 // smooth term
	Own     float64             // of a candidate alone
	Noise   float64             // of a measurement
	Octaves [2]float64          // distances in sizes and in ranks
}

// Default is a prior of great likelihood for the measurements of one machine, MareNostrum 5 in PICO's
// collection. docs/tune.md compares it with others. Machine and Noise were not fitted.
var Default = Prior{
	Machine: 1.5,
	Factor:  [labels + 1]float64{0.63, 0.55, 0.05, 0.11, 0.25},
	Smooth:  [labels + 1]float64{0.56, 0.34, 0.026, 0.135, 0.21},
	Own:     0.14, Noise: 0.05,
	Octaves: [2]float64{3.34, 2.5},
}

// A Tuner predicts the times of candidates from measurements of some of them.
type Tuner struct {
	prior Prior
	all   []Candidate
	scale Parts // logarithms of the machine's factors
	group []int // group of each candidate
	at    []int // its index in the group
	calls map[int][]int

	groups []group
}

// A group holds candidates that are predicted together.
type group struct {
	members  []int
	measured []Measurement // Time is a logarithm
	mean     []float64     // of logarithmic times; nil until it is asked for
	cov      *mat.SymDense
}

// New returns a Tuner that knows the schedules of the candidates and no measurement.
func New(all []Candidate, prior Prior) *Tuner {
	t := &Tuner{prior: prior, all: all, calls: map[int][]int{}}
	of := map[string]int{}
	for i, c := range all {
		g, known := of[c.Group]
		if !known {
			g = len(t.groups)
			of[c.Group] = g
			t.groups = append(t.groups, group{})
		}
		t.at, t.group = append(t.at, len(t.groups[g].members)), append(t.group, g)
		t.groups[g].members = append(t.groups[g].members, i)
		t.calls[c.Call] = append(t.calls[c.Call], i)
	}
	return t
}

// Add adds measurements.
func (t *Tuner) Add(more []Measurement) {
	for _, m := range more {
		g := &t.groups[t.group[m.Candidate]]
		g.measured = append(g.measured, Measurement{m.Candidate, math.Log(m.Time)})
	}
	for range 5 { // Newton's steps, each at most a factor of e; later ones change nothing
		t.rescale()
	}
	for g := range t.groups {
		t.groups[g].mean = nil
	}
}

// base returns the logarithm of the schedule's time on the machine, and the shares of its parts.
func (t *Tuner) base(i int) (log float64, share Parts) {
	for k, v := range t.all[i].Parts {
		share[k] = v * math.Exp(t.scale[k])
	}
	sum := share.sum()
	for k := range share {
		share[k] /= sum
	}
	return math.Log(sum), share
}

// kernel returns the prior covariance of two candidates of a group with these shares of parts.
func (t *Tuner) kernel(i, j int, si, sj *Parts) float64 {
	p, a, b := &t.prior, &t.all[i], &t.all[j]
	alike := 0.0
	for k := range si {
		alike += si[k] * sj[k]
	}
	x, y := math.Log2(a.Size/b.Size)/p.Octaves[0], math.Log2(a.Ranks/b.Ranks)/p.Octaves[1]
	near := math.Exp(-(x*x + y*y) / 2)
	k := p.Factor[0]*p.Factor[0]*alike + p.Smooth[0]*p.Smooth[0]*near
	for l := range labels {
		if a.Labels[l] == b.Labels[l] {
			k += p.Factor[l+1]*p.Factor[l+1]*alike + p.Smooth[l+1]*p.Smooth[l+1]*near
		}
	}
	if i == j {
		k += p.Own * p.Own
	}
	return k
}

// rescale takes a Gauss-Newton step towards the most likely factors of the machine.
func (t *Tuner) rescale() {
	v := 1 / (t.prior.Machine * t.prior.Machine)
	h, r := mat.NewSymDense(parts, nil), mat.NewVecDense(parts, nil)
	for k, s := range t.scale {
		h.SetSym(k, k, v)
		r.SetVec(k, -v*s)
	}
	for _, g := range t.groups {
		if len(g.measured) == 0 {
			continue
		}
		chol, residual, share := t.observed(g.measured)
		jacobian := mat.NewDense(len(share), parts, nil)
		for i := range share {
			jacobian.SetRow(i, share[i][:])
		}
		var solved, hessian mat.Dense
		var gradient mat.VecDense
		if chol.SolveTo(&solved, jacobian) != nil {
			continue
		}
		hessian.Mul(jacobian.T(), &solved)
		gradient.MulVec(solved.T(), residual)
		r.AddVec(r, &gradient)
		for a := range parts {
			for b := a; b < parts; b++ {
				h.SetSym(a, b, h.At(a, b)+hessian.At(a, b))
			}
		}
	}
	var chol mat.Cholesky
	var step mat.VecDense
	if chol.Factorize(h) && chol.SolveVecTo(&step, r) == nil {
		for k := range t.scale {
			t.scale[k] += max(-1, min(1, step.AtVec(k)))
		}
	}
}

// observed returns the factorised covariance of measurements, their logarithmic times less those of
// the schedules, and the shares of their parts.
func (t *Tuner) observed(seen []Measurement) (*mat.Cholesky, *mat.VecDense, []Parts) {
	n := len(seen)
	share, residual, k := make([]Parts, n), mat.NewVecDense(n, nil), mat.NewSymDense(n, nil)
	for i, m := range seen {
		var log float64
		log, share[i] = t.base(m.Candidate)
		residual.SetVec(i, m.Time-log)
		for j := range i + 1 {
			k.SetSym(j, i, t.kernel(seen[j].Candidate, m.Candidate, &share[j], &share[i]))
		}
		k.SetSym(i, i, k.At(i, i)+t.prior.Noise*t.prior.Noise)
	}
	var chol mat.Cholesky
	chol.Factorize(k) // positive definite, as Noise is above 0
	return &chol, residual, share
}

// posterior returns a group with its mean and covariance given the measurements, by [rasmussen]
// (2.25) and (2.26).
func (t *Tuner) posterior(index int) *group {
	g := &t.groups[index]
	if g.mean != nil {
		return g
	}
	n := len(g.members)
	share, mean, cov := make([]Parts, n), make([]float64, n), mat.NewSymDense(n, nil)
	for i, c := range g.members {
		mean[i], share[i] = t.base(c)
		for j := range i + 1 {
			cov.SetSym(j, i, t.kernel(g.members[j], c, &share[j], &share[i]))
		}
	}
	g.mean, g.cov = mean, cov
	if len(g.measured) == 0 {
		return g
	}
	chol, residual, _ := t.observed(g.measured)
	cross := mat.NewDense(len(g.measured), n, nil)
	for i, m := range g.measured {
		for j := range n {
			cross.Set(i, j, cov.At(t.at[m.Candidate], j))
		}
	}
	var solved, less mat.Dense
	if chol.SolveTo(&solved, cross) != nil {
		return g
	}
	var shift mat.VecDense
	shift.MulVec(solved.T(), residual)
	less.Mul(cross.T(), &solved)
	for i := range n {
		mean[i] += shift.AtVec(i)
		for j := range i + 1 {
			cov.SetSym(j, i, cov.At(j, i)-less.At(j, i))
		}
	}
	return g
}

// Predict returns the mean and the standard deviation of the logarithm of a candidate's time.
func (t *Tuner) Predict(i int) (mean, deviation float64) {
	g, k := t.posterior(t.group[i]), t.at[i]
	return g.mean[k], math.Sqrt(max(0, g.cov.At(k, k)))
}

// Best returns the candidate of a call with the least expected time.
func (t *Tuner) Best(call int) int {
	best, least := -1, math.Inf(1)
	for _, i := range t.calls[call] {
		m, s := t.Predict(i)
		if v := m + s*s/2; v < least { // the logarithm of the mean of a log-normal time
			best, least = i, v
		}
	}
	return best
}

// LogLikelihood returns the logarithm of the probability density of the measurements and of the
// machine's factors, up to a constant.
func (t *Tuner) LogLikelihood() float64 {
	sum := 0.0
	for _, g := range t.groups {
		if len(g.measured) == 0 {
			continue
		}
		chol, r, _ := t.observed(g.measured)
		var x mat.VecDense
		if chol.SolveVecTo(&x, r) != nil {
			return math.Inf(-1)
		}
		sum -= (mat.Dot(r, &x) + chol.LogDet()) / 2
	}
	for _, s := range t.scale {
		sum -= s * s / (2 * t.prior.Machine * t.prior.Machine)
	}
	return sum
}
