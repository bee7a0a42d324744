package tuner

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Tuner predicts the times of candidates from measurements of some of them.
type Tuner struct {
	prior  Prior
	all    []Candidate
	places [][3]float64 // of the candidates
	factor []factor
	names  [][]int // factors of each candidate
	group  []int   // group of each candidate
	at     []int   // its index in the group
	calls  map[int][]int

	groups []group
	// Updates wait for the next prediction: a file adds hundreds of measurements one by one.
	stale bool // measurements were added after the last update of the factors
}

// A factor holds logarithms of factors that candidates share. A step of the fit starts from log and
// is pulled back to before, so both are kept.
type factor struct {
	name        string
	log, before Parts // before: prior mean
	deviation   float64
}

// A group holds candidates that are predicted together.
type group struct {
	members  []int
	calls    [][]int       // indices of the members of each call
	measured []Measurement // Time is a logarithm
	mean     []float64     // of logarithmic times; nil until [Tuner.posterior] computes it
	cov      *mat.SymDense
	trial    *Trial // nil until [Tuner.trial] makes it
}

// New returns a Tuner for candidates without measurements.
func New(all []Candidate, prior Prior) *Tuner {
	t := &Tuner{prior: prior, all: all, calls: map[int][]int{}}
	of, row := map[string]int{}, map[int]int{} // indices of groups, and of calls in their groups
	for i, c := range all {
		t.places = append(t.places, c.place())
		t.names = append(t.names, t.factorsOf(&c))
		if _, known := of[c.Group]; !known {
			of[c.Group] = len(t.groups)
			t.groups = append(t.groups, group{})
		}
		g := &t.groups[of[c.Group]]
		if len(t.calls[c.Call]) == 0 {
			row[c.Call] = len(g.calls)
			g.calls = append(g.calls, nil)
		}
		g.calls[row[c.Call]] = append(g.calls[row[c.Call]], len(g.members))
		t.calls[c.Call] = append(t.calls[c.Call], i)
		t.at, t.group = append(t.at, len(g.members)), append(t.group, of[c.Group])
		g.members = append(g.members, i)
	}
	return t
}

// factorsOf returns the indices of a candidate's factors, and adds those that are new.
func (t *Tuner) factorsOf(c *Candidate) (all []int) {
	for k, name := range c.Shared {
		if name == "" {
			continue
		}
		i := slices.IndexFunc(t.factor, func(f factor) bool { return f.name == name })
		if i < 0 {
			i = len(t.factor)
			known := t.prior.Known[name]
			t.factor = append(t.factor, factor{name, known, known, t.prior.Shared[k]})
		}
		all = append(all, i)
	}
	return all
}

// Factors returns the logarithms of the shared factors by name.
func (t *Tuner) Factors() map[string]Parts {
	t.update()
	all := map[string]Parts{}
	for _, f := range t.factor {
		all[f.name] = f.log
	}
	return all
}

// Add adds measurements.
func (t *Tuner) Add(more []Measurement) {
	for _, m := range more {
		g := &t.groups[t.group[m.Candidate]]
		g.measured = append(g.measured, Measurement{m.Candidate, math.Log(m.Time)})
	}
	t.stale = true
}

// update fits the factors to the measurements.
func (t *Tuner) update() {
	if !t.stale {
		return
	}
	t.stale = false
	for range 5 { // Newton's steps, each at most a factor of e; later ones change nothing
		t.rescale()
	}
	for g := range t.groups {
		t.groups[g].mean, t.groups[g].trial = nil, nil
	}
}

// base returns the logarithm of the schedule's time on the machine, and the shares of its parts.
func (t *Tuner) base(i int) (whole float64, share Parts) {
	var log Parts
	for _, n := range t.names[i] {
		for k, v := range t.factor[n].log {
			log[k] += v
		}
	}
	for k, v := range t.all[i].Parts {
		share[k] = v * math.Exp(log[k])
	}
	sum := share.Sum()
	for k := range share {
		// The share of a part is the derivative of the logarithmic time by the logarithm of that
		// part's factor.
		share[k] /= sum
	}
	return math.Log(sum), share
}

// kernel returns the prior covariance of two candidates of a group with these shares of parts.
// The terms over sizes, ranks and bytes are Ornstein–Uhlenbeck processes: they have bends, as
// times have where a library changes its protocol.
func (t *Tuner) kernel(i, j int, si, sj *Parts) float64 {
	p, a, b := &t.prior, &t.places[i], &t.places[j]
	alike := 0.0
	for k := range si {
		alike += si[k] * sj[k] // factors of a part count as far as both times have that part
	}
	near := math.Exp(-math.Abs(a[0]-b[0])/p.Octaves[0] - math.Abs(a[1]-b[1])/p.Octaves[1])
	message := si[2] * sj[2] * math.Exp(-math.Abs(a[2]-b[2])/p.Octaves[2])
	k := p.Factor[0]*p.Factor[0]*alike +
		p.Smooth[0]*p.Smooth[0]*near +
		p.Message[0]*p.Message[0]*message
	for l := range labels {
		if t.all[i].Labels[l] == t.all[j].Labels[l] {
			k += p.Factor[l+1]*p.Factor[l+1]*alike + p.Smooth[l+1]*p.Smooth[l+1]*near
			if l == 0 {
				k += p.Message[1] * p.Message[1] * message
			}
		}
	}
	if t.all[i].Call == t.all[j].Call {
		k += p.Call * p.Call
	}
	if i == j {
		k += p.Own * p.Own
		if t.all[i].Library {
			// Its algorithm may change from call to call, so its other calls say less.
			k += p.Library * p.Library
		}
	}
	return k
}

// rescale takes a Gauss-Newton step towards the most likely shared factors.
func (t *Tuner) rescale() {
	n := parts * len(t.factor)
	if n == 0 {
		return
	}
	h, r := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i, f := range t.factor {
		// The prior of each factor: it keeps the equations solvable while factors have no
		// measurement.
		v := 1 / (f.deviation * f.deviation)
		for k := range parts {
			h.SetSym(parts*i+k, parts*i+k, v)
			r.SetVec(parts*i+k, v*(f.before[k]-f.log[k]))
		}
	}
	for _, g := range t.groups {
		t.addNormal(&g, h, r)
	}
	var chol mat.Cholesky
	var step mat.VecDense
	if chol.Factorize(h) && chol.SolveVecTo(&step, r) == nil {
		for i := range t.factor {
			for k := range parts {
				// The model is not linear in these logarithms, so a whole step could overshoot.
				t.factor[i].log[k] += max(-1, min(1, step.AtVec(parts*i+k)))
			}
		}
	}
}

// addNormal adds a group's measurements to the normal equations of the logarithms of factors.
func (t *Tuner) addNormal(g *group, h *mat.SymDense, r *mat.VecDense) {
	if len(g.measured) == 0 {
		return
	}
	chol, residual, share := t.observed(g.measured)
	var column []int // of the factors in use
	for _, m := range g.measured {
		column = append(column, t.names[m.Candidate]...)
	}
	slices.Sort(column)
	column = slices.Compact(column)
	jacobian := mat.NewDense(len(share), max(1, parts*len(column)), nil)
	for i, m := range g.measured {
		for _, name := range t.names[m.Candidate] {
			at, _ := slices.BinarySearch(column, name)
			for k, v := range share[i] {
				jacobian.Set(i, parts*at+k, v)
			}
		}
	}
	var solved, hessian mat.Dense
	var gradient mat.VecDense
	if chol.SolveTo(&solved, jacobian) != nil {
		return
	}
	hessian.Mul(jacobian.T(), &solved)
	gradient.MulVec(solved.T(), residual)
	for a := range parts * len(column) {
		i := parts*column[a/parts] + a%parts
		r.SetVec(i, r.AtVec(i)+gradient.AtVec(a))
		for b := a; b < parts*len(column); b++ {
			j := parts*column[b/parts] + b%parts
			h.SetSym(i, j, h.At(i, j)+hessian.At(a, b))
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
	t.update()
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
	var shift, white mat.VecDense
	shift.MulVec(solved.T(), residual)
	less.Mul(cross.T(), &solved)
	scale := 1.0
	if chol.SolveVecTo(&white, residual) == nil {
		scale = t.scale(residual, &white)
	}
	for i := range n {
		mean[i] += shift.AtVec(i)
		for j := range i + 1 {
			cov.SetSym(j, i, scale*(cov.At(j, i)-less.At(j, i)))
		}
	}
	return g
}

// scale returns the factor of the variances, by residuals and the solution of their covariance with
// them. A machine that deviates more from its schedules than the prior expects gets wider
// predictions, in the mean of Freedom prior measurements and its own.
func (t *Tuner) scale(residual, solved *mat.VecDense) float64 {
	if t.prior.Freedom == 0 {
		return 1
	}
	seen := float64(residual.Len())
	return (t.prior.Freedom + mat.Dot(residual, solved)) / (t.prior.Freedom + seen)
}

// predict returns the mean and the standard deviation of the logarithm of a candidate's time.
func (t *Tuner) predict(i int) (mean, deviation float64) {
	g, k := t.posterior(t.group[i]), t.at[i]
	return g.mean[k], math.Sqrt(max(0, g.cov.At(k, k)))
}

// Expected returns the expected time of a candidate in µs: the mean of a log-normal distribution.
func (t *Tuner) Expected(i int) float64 {
	mean, deviation := t.predict(i)
	return math.Exp(mean + deviation*deviation/2)
}

// Difference returns the mean and the standard deviation of the difference of the logarithmic times
// of two candidates of a call. Errors that they share cancel.
func (t *Tuner) Difference(i, j int) (mean, deviation float64) {
	// Candidates of a call are of one group, so their covariance is known.
	g, a, b := t.posterior(t.group[i]), t.at[i], t.at[j]
	variance := g.cov.At(a, a) + g.cov.At(b, b) - 2*g.cov.At(a, b)
	return g.mean[a] - g.mean[b], math.Sqrt(max(0, variance))
}

// Calls returns the candidates of each call.
func (t *Tuner) Calls() map[int][]int { return t.calls }

// best returns the candidate with the least expected time.
func (t *Tuner) best(of []int) int {
	best, least := -1, math.Inf(1)
	for _, i := range of {
		m, s := t.predict(i)
		if v := m + s*s/2; v < least { // the logarithm of the mean of a log-normal time
			best, least = i, v
		}
	}
	return best
}
