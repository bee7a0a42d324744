package fleet

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A test compares a node or a unit with the others. Its q-value follows from all
// tests. All pairs of 2,000 nodes have 4 million for each quantity, so a test holds
// indices and not names.
type test struct {
	p, q  float64
	model int32
	index int32 // of the unit, or the effect of a node
	node  bool
}

// test makes all tests and selects the findings. The order matters: the tails need
// the residuals of all groups, the q-values need all tests, and the intervals need
// the number of findings.
func (a *Answer) test(models []*model) {
	noise := map[Quantity]*tails{}
	for _, q := range quantities {
		noise[q] = tailsOf(models, q, a.TwoSided)
		if d := noise[q].typical(); len(noise[q].sizes) > 0 && (a.Degrees == 0 || d < a.Degrees) {
			a.Degrees = d
		}
	}
	each := make([][]test, len(models))
	parallel.For(len(models), func(i int) {
		m := models[i]
		each[i] = m.tests(int32(i), a, noise[m.quantity])
	})
	tests := slices.Concat(each...)
	// p-values may be equal, as all that would exceed 1 are 1. The order by model and index makes
	// the answer the same in each run.
	slices.SortFunc(tests, func(x, y test) int {
		return cmp.Or(
			cmp.Compare(x.p, y.p), cmp.Compare(x.model, y.model), cmp.Compare(x.index, y.index))
	})
	for i, q := range qValues(list.Map(tests, func(t test) float64 { return t.p })) {
		tests[i].q = q
	}
	a.Tests = len(tests)
	reported := 0
	// q-values never fall along sorted p-values, so the selected tests are the first ones.
	for reported < len(tests) && tests[reported].q <= a.FDR {
		reported++
	}
	// Of the intervals of selected effects, a share of FDR misses if each is computed at this
	// level instead of FDR itself (Benjamini and Yekutieli 2005).
	miss := a.FDR * max(1, float64(reported)) / max(1, float64(len(tests)))
	if a.TwoSided {
		miss /= 2
	}
	a.find(models, tests, reported, miss, noise)
	for _, m := range models {
		for _, f := range m.slowLinks(miss) {
			if math.Abs(f.Effect.Value) >= a.MinEffect {
				a.Findings = append(a.Findings, f)
			} else {
				a.Small++
			}
		}
	}
	slices.SortStableFunc(a.Findings, func(x, y Finding) int {
		return cmp.Or(
			trueFirst(x.Reported, y.Reported),
			cmp.Compare(math.Abs(y.Effect.Value), math.Abs(x.Effect.Value)),
			strings.Compare(x.subject(), y.subject()),
		)
	})
}

// trueFirst orders booleans, true before false, which package cmp does not.
func trueFirst(x, y bool) int {
	switch {
	case x == y:
		return 0
	case x:
		return -1
	}
	return 1
}

// find adds the findings of tests. The first tests, as many as reported, stand out.
func (a *Answer) find(
	models []*model, tests []test, reported int, miss float64, noise map[Quantity]*tails,
) {
	slow := map[[2]int]bool{} // by model and node: it stands out
	for _, t := range tests[:reported] {
		if t.node {
			slow[[2]int{int(t.model), models[t.model].effects[t.index].node}] = true
		}
	}
	for i, t := range tests {
		out := i < reported
		// The first test that is not selected is still needed, for Next.
		if !out && !a.All && i > reported {
			break
		}
		m := models[t.model]
		f := m.finding(t, miss, noise[m.quantity], out)
		if i == reported {
			a.Next = &f
		}
		isSlow := func(node int) bool { return slow[[2]int{int(t.model), node}] }
		if t.node && out {
			f.Apart = m.alsoOut(m.effects[t.index], isSlow)
		}
		both := f.Pair && isSlow(m.links[t.index].a) && isSlow(m.links[t.index].b)
		if both && f.Effect.Value < 0 {
			out = false // two slow nodes are as slow as the slower one, not as their product
		}
		if f.Reported = out && math.Abs(f.Effect.Value) >= a.MinEffect; out && !f.Reported {
			a.Small++
		}
		if f.Reported || a.All {
			a.Findings = append(a.Findings, f)
		}
	}
}

// alsoOut returns the other nodes that stand out and whose pairs with the node have
// less than half of its effect. If a node itself were slow, it would be slow with
// them too: nodes that are slow to all but each other share a slow switch or rack.
func (m *model) alsoOut(x effect, out func(node int) bool) (names []string) {
	for _, i := range x.links {
		l := m.links[i]
		other := l.a + l.b - x.node
		usual := math.Abs(l.y-m.fit.mu) < math.Abs(x.u)/2
		if out(other) && usual && !slices.Contains(names, m.names[other]) {
			names = append(names, m.names[other])
		}
	}
	slices.Sort(names)
	return names
}

// slowLinks returns the findings of crossings between the model's blocks. They were tested when the
// blocks were fitted, with the correction of Bonferroni, so they are no part of the false discovery
// rate.
func (m *model) slowLinks(miss float64) (all []Finding) {
	if m.blocks == nil {
		return nil
	}
	// Maps have no order, and the findings need one.
	byBlocks := func(a, b [2]int) int { return slices.Compare(a[:], b[:]) }
	for _, key := range slices.SortedFunc(maps.Keys(m.blocks.cross), byBlocks) {
		c := m.blocks.cross[key]
		// A crossing was tested before, so its interval is one more condition: a link whose excess
		// may be 0 is not reported.
		half := stats.StudentQuantile(miss, degreesOf(len(m.units))) * c.se
		if c.p > maxBlockP || c.over <= half {
			continue
		}
		f := Finding{
			Group: m.group, Quantity: m.quantity,
			P: c.p, Q: c.p,
			Reported: true,
			Blocks:   []string{m.blocks.names[key[0]-1], m.blocks.names[key[1]-1]},
		}
		var slow []int
		for i, name := range m.names {
			switch m.blocks.of[i] {
			case key[0]:
				f.Nodes = append(f.Nodes, name)
			case key[1]:
				f.Across = append(f.Across, name)
			}
		}
		for i, l := range m.links {
			if m.blocks.between(l) == key {
				f.Values += len(m.units[i].values)
				slow = append(slow, i)
			}
		}
		m.bySize(&f, slow)
		f.Effect = m.within(c.over, half)
		all = append(all, f)
	}
	return all
}

// tests returns the tests of the model's nodes and units. There are none if the units
// are too few for their scale to be known. Among few units that are not pairs, each
// is tested against the others with the degrees of freedom of their scale; among
// many, against the tails of all residuals.
func (m *model) tests(number int32, a *Answer, noise *tails) (tests []test) {
	if len(m.units) < minUnits {
		return nil
	}
	add := func(p float64, i int, node bool) {
		if a.TwoSided {
			p *= 2
		}
		tests = append(tests, test{p: min(p, 1), model: number, index: int32(i), node: node})
	}
	side := func(z float64) float64 {
		if a.TwoSided {
			return math.Abs(z)
		}
		return z
	}
	if m.fit != nil {
		if n := len(m.effects); n >= minNodes {
			values, errors := make([]float64, n), make([]float64, n)
			for i, x := range m.effects {
				values[i], errors[i] = x.u, x.se
			}
			// The effect of a node is a mean over pairs, whose tails are lighter than
			// those of one pair: at least 4 degrees, even if single pairs have 2.
			nu := min(degreesOf(n), max(noise.typical(), 4))
			zs, scales := standardised(values, errors)
			for i, x := range m.effects {
				p := stats.StudentTail(side(zs[i]), welch(scales[i], x.se, nu))
				own := stats.StudentTail(side(ratio(x.u, x.se)), x.degrees())
				add(max(p, own), i, true) // it stands out, and from its own pairs it is slow
			}
		}
	} else if len(m.units) <= maxLeaveOneOut {
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

// alone returns the distances of units that are not pairs from the other units, and
// their degrees of freedom: those of the scale of so few values, or fewer if the
// residuals have heavier tails.
func (m *model) alone(noise *tails) (z []float64, nu float64) {
	z, _ = standardised(m.y(), nil)
	return z, min(degreesOf(len(m.units)), noise.typical())
}

// finding returns the finding of a test, with an interval that misses at each end with probability
// miss. That is exact for a reported finding.
func (m *model) finding(t test, miss float64, noise *tails, out bool) Finding {
	f := Finding{Group: m.group, Quantity: m.quantity, P: t.p, Q: t.q}
	var d, sd, half float64
	of := []int{int(t.index)} // units
	if t.node {
		x := m.effects[t.index]
		f.Nodes, f.Role = []string{m.names[x.node]}, x.role
		d, sd = x.u, x.se
		for _, i := range x.links {
			f.Values += len(m.units[i].values)
		}
		half, of = stats.StudentQuantile(miss, x.degrees()), x.links
	} else {
		u := m.units[t.index]
		f.Nodes, f.Values, f.Pair = u.nodes, len(u.values), m.fit != nil
		if f.Nodes == nil {
			f.Path = u.key
		}
		d, sd = m.y()[t.index], m.sd[t.index]
		if m.fit == nil {
			d -= m.shift
		}
		switch half = stats.StudentQuantile(miss, noise.typical()); {
		case m.fit == nil && len(m.units) <= maxLeaveOneOut: // the interval of the test
			if z, nu := m.alone(noise); z[t.index] != 0 {
				sd, half = d/z[t.index], stats.StudentQuantile(miss, nu)
			}
		case out:
			half = noise.quantile(u.key, m.z[t.index], miss)
		}
	}
	m.bySize(&f, of)
	half *= sd
	f.Effect = m.within(d, half)
	return f
}

// qValues returns the q-value of each p, sorted by p: the smallest false discovery rate that
// selects its test (Benjamini and Hochberg 1995). It is the least of p·m/rank over this test and
// those after it, m being the number of tests: if a later test passes the bound of its rank, so do
// all before it.
func qValues(p []float64) []float64 {
	q := make([]float64, len(p))
	least := 1.0
	for i := len(p) - 1; i >= 0; i-- {
		least = min(least, p[i]*float64(len(p))/float64(i+1))
		q[i] = least
	}
	return q
}

// maxLineError is the factor by which a line may miss the effect at the smallest or the largest
// size. Beyond it the finding is described by the times at these sizes: β and τ of one line hide
// that a node is slow at one end alone.
const maxLineError = 1.5

// bySize sets the effects at the smallest and the largest size for units of the model, if they are
// known: the medians of their times over those of the fleet.
func (m *model) bySize(f *Finding, units []int) {
	f.First, f.Last = math.NaN(), math.NaN()
	if m.curves == nil || m.group.Sizes < 2 {
		return
	}
	if m.ends == nil {
		m.ends = endsOf(m.curves)
	}
	var curves []keyed
	for _, i := range units {
		key := m.units[i].key
		at, _ := slices.BinarySearchFunc(m.curves, key, keyed.compareKey)
		for ; at < len(m.curves) && m.curves[at].key == key; at++ {
			curves = append(curves, m.curves[at])
		}
	}
	own, all := endsOf(curves), m.ends
	first, last := own.first/all.first, own.last/all.last
	// The logarithm treats a line that is too high and one that is too low alike.
	off := func(measured, line float64) bool {
		return math.Abs(math.Log(measured/line)) > math.Log(maxLineError)
	}
	if f.First, f.Last = first-1, last-1; m.quantity != Latency {
		f.Wrong = off(first, own.lineFirst/all.lineFirst) || off(last, own.lineLast/all.lineLast)
	}
}
