package fleet

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A test is one comparison.
type test struct {
	p     float64
	model int32
	index int32 // of the unit, or the node
	node  bool
}

// test makes all tests, and chooses what is reported.
func (a *Answer) test(models []*model) {
	noise := map[Quantity]*tails{}
	for _, q := range Quantities {
		noise[q] = tailsOf(models, q, a.Odd)
		if d := noise[q].typical(); len(noise[q].sizes) > 0 && (a.Degrees == 0 || d < a.Degrees) {
			a.Degrees = d
		}
	}
	each := make([][]test, len(models))
	parallel.For(len(models), func(i int) { each[i] = models[i].tests(int32(i), a, noise[models[i].quantity]) })
	tests := slices.Concat(each...)
	slices.SortFunc(tests, func(x, y test) int {
		return cmp.Or(cmp.Compare(x.p, y.p), cmp.Compare(x.model, y.model), cmp.Compare(x.index, y.index))
	})
	p := make([]float64, len(tests))
	for i, t := range tests {
		p[i] = t.p
	}
	q := qValues(p)
	a.Tests = len(tests)
	slow := map[[2]int32]bool{} // nodes that stand out, by model
	reported := 0
	for i, t := range tests {
		if q[i] > a.Rate {
			break
		}
		reported++
		if t.node {
			slow[[2]int32{t.model, t.index}] = true
		}
	}
	miss := a.Rate * max(1, float64(reported)) / max(1, float64(len(tests))) // of each end
	if a.Odd {
		miss /= 2
	}
	for i, t := range tests {
		out := i < reported
		if !out && !a.All && i > reported {
			break
		}
		m := models[t.model]
		f := m.finding(t, miss, noise[m.quantity], out)
		f.Q = q[i]
		if i == reported {
			a.Next = &f
		}
		if t.node && out {
			f.Apart = m.alsoOut(t.index, func(node int) bool { return slow[[2]int32{t.model, int32(node)}] })
		}
		if f.Pair && f.Effect < 0 && m.fit != nil {
			l := m.fit.links[t.index]
			if slow[[2]int32{t.model, int32(l.a)}] && slow[[2]int32{t.model, int32(l.b)}] {
				out = false // two slow nodes are as slow as the slower one, not as their product
			}
		}
		if f.Out = out && math.Abs(f.Effect) >= a.Least; out && !f.Out {
			a.Small++
		}
		if f.Out || a.All {
			a.Findings = append(a.Findings, f)
		}
	}
	for _, m := range models {
		if m.blocks == nil {
			continue
		}
		if f := m.link(miss); math.Abs(f.Effect) >= a.Least {
			a.Findings = append(a.Findings, f)
		} else {
			a.Small++
		}
	}
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		if x.Out != y.Out {
			if x.Out {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(math.Abs(y.Effect), math.Abs(x.Effect)), strings.Compare(x.Who(), y.Who()))
	})
}

// alsoOut returns the other nodes that stand out with which the node shares less than half of its
// effect.
func (m *model) alsoOut(node int32, out func(node int) bool) (names []string) {
	for _, i := range m.fit.of[node] {
		l := m.fit.links[i]
		other := l.a + l.b - int(node)
		if out(other) && math.Abs(l.y-m.fit.mu) < math.Abs(m.fit.u[node])/2 && !slices.Contains(names, m.names[other]) {
			names = append(names, m.names[other])
		}
	}
	slices.Sort(names)
	return names
}

// link is the finding of the links between the model's blocks.
func (m *model) link(miss float64) Finding {
	b := m.blocks
	f := Finding{Group: m.group, Quantity: m.quantity, Fleet: m.centre, P: b.p, Q: b.p, Out: true, Across: []string{}}
	for i, name := range m.names {
		if b.across[i] {
			f.Nodes = append(f.Nodes, name)
		} else {
			f.Across = append(f.Across, name)
		}
	}
	for i, l := range m.fit.links {
		if b.crosses(l) {
			f.Values += len(m.units[i].values)
		}
	}
	half := stats.StudentQuantile(miss, degreesOf(len(m.units))) * b.se
	f.Effect, f.Low, f.High = m.effect(b.y), m.effect(b.y-half), m.effect(b.y+half)
	return f
}

// tests returns the tests of the nodes and units of a model.
func (m *model) tests(number int32, a *Answer, noise *tails) (tests []test) {
	if len(m.units) < leastUnits {
		return nil
	}
	add := func(p float64, i int, node bool) {
		if a.Odd {
			p *= 2
		}
		tests = append(tests, test{min(p, 1), number, int32(i), node})
	}
	side := func(z float64) float64 {
		if a.Odd {
			return math.Abs(z)
		}
		return z
	}
	if m.fit != nil {
		if values, errors, index := m.nodes(); len(values) >= leastNodes {
			nu := min(degreesOf(len(values)), max(noise.typical(), 4))
			zs, scales := standardised(values, errors)
			for k, z := range zs {
				p := stats.StudentTail(side(z), welch(scales[k], errors[k], nu))
				own := stats.StudentTail(side(ratio(values[k], errors[k])), m.nodeDegrees(index[k]))
				add(max(p, own), index[k], true) // it stands out, and from its own pairs it is slow
			}
		}
	} else if len(m.units) <= oneOut {
		z, nu := m.alone(noise)
		for i := range z {
			add(stats.StudentTail(side(z[i]), nu), i, false)
		}
		return tests
	}
	for i, z := range m.z {
		add(noise.exceeds(m.units[i].key, side(z)), i, false)
	}
	return tests
}

// heavyNodes is the degrees of freedom of what nodes scatter beyond the noise of their pairs. Ten
// nodes do not show the tails of that, so they are taken to be long: the longest with which the three
// slow nodes of docs/validation/fleet.md are found.
const heavyNodes = 2.5

// welch returns the degrees of freedom of the scatter of nodes, of which se is the noise of the pairs,
// with nu degrees (Welch 1947, Satterthwaite 1946). A variance up to three times that of se is taken
// to be chance, since the scale of nine values errs by a quarter, and of some nodes by twice that.
func welch(scale, se, nu float64) float64 {
	noise := se * se
	own := max(0, scale*scale-3*noise)
	if own == 0 {
		return nu
	}
	return min(nu, (own+noise)*(own+noise)/(own*own/heavyNodes+noise*noise/nu))
}

// nodeDegrees returns the degrees of freedom of the effect of a node.
func (m *model) nodeDegrees(node int) float64 { return max(1, float64(len(m.fit.of[node])-1)) }

// alone returns the distances of units that are not pairs from the other units, and their degrees
// of freedom.
func (m *model) alone(noise *tails) (z []float64, nu float64) {
	z, _ = standardised(m.y(), nil)
	return z, min(degreesOf(len(m.units)), noise.typical())
}

// nodes are the effects of the known nodes, their standard errors and their numbers.
func (m *model) nodes() (values, errors []float64, index []int) {
	for i, known := range m.fit.known {
		if known {
			values, errors, index = append(values, m.fit.u[i]), append(errors, m.fit.se[i]), append(index, i)
		}
	}
	return values, errors, index
}

// finding is a test in full, with an interval each end of which misses with a probability; exactly so if it
// is reported.
func (m *model) finding(t test, miss float64, noise *tails, out bool) Finding {
	f := Finding{Group: m.group, Quantity: m.quantity, Fleet: m.centre, P: t.p}
	var d, sd, half float64
	if t.node {
		f.Nodes = []string{m.names[t.index]}
		d, sd = m.fit.u[t.index], m.fit.se[t.index]
		for _, i := range m.fit.of[t.index] {
			f.Values += len(m.units[i].values)
		}
		half = stats.StudentQuantile(miss, m.nodeDegrees(int(t.index)))
	} else {
		u := m.units[t.index]
		f.Nodes, f.Values, f.Pair = u.nodes, len(u.values), m.fit != nil
		if f.Nodes == nil {
			f.Name = u.key
		}
		d, sd = m.y()[t.index], m.sd[t.index]
		if m.fit == nil {
			d -= m.shift
		}
		switch half = stats.StudentQuantile(miss, noise.typical()); {
		case m.fit == nil && len(m.units) <= oneOut: // the interval of the test
			if z, nu := m.alone(noise); z[t.index] != 0 {
				sd, half = d/z[t.index], stats.StudentQuantile(miss, nu)
			}
		case out:
			half = noise.quantile(u.key, m.z[t.index], miss)
		}
	}
	half *= sd
	f.Effect, f.Low, f.High = m.effect(d), m.effect(d-half), m.effect(d+half)
	return f
}
