package fleet

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/parallel"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Options are everything besides the files that an answer depends on.
type Options struct {
	// Name is a [Pattern] of file names; empty: none.
	Name string
	// Columns of tables that name the nodes; nil: those of [benchfile.NodeColumns].
	Columns []string
	// X, Y, Group and Pool are those of [benchfile.Options].
	X, Y        string
	Group, Pool []string
	// Places has the blocks of nodes, such as racks, by the names of the nodes; nil if unknown.
	Places map[string]string `json:",omitempty"`
	// TwoSided also reports nodes and pairs that are faster.
	TwoSided bool
	// FDR is the false discovery rate: the expected share of false alarms among the findings. 0 is
	// 0.05.
	FDR float64
	// MinEffect is the smallest effect that is reported: 0.01 is 1 %.
	MinEffect float64
	// All keeps all tests in the answer, not only the findings.
	All bool
}

// A Finding is a node, a pair or a curve held against the fleet.
type Finding struct {
	// Nodes is one for a node, and two for a pair. A curve that nothing names has its path in Name.
	Nodes []string
	Name  string
	Group Group
	Quantity
	// Pair is set for a pair, beyond what its nodes explain.
	Pair bool
	// Role is "sender" or "receiver" for a node that is slow in that direction alone.
	Role string
	// Across are nodes such that all pairs of one of them and one of Nodes are slower, and those
	// among either are not: a link is slow, and no node. Nil otherwise. Blocks are the names of
	// both, if they were given.
	Across []string
	Blocks []string
	// Values is the number of curves behind it.
	Values int
	// Effect is the relative difference from the fleet's value: 0.1 is 10 % slower. Of a change it
	// is that of the quantity, less the fleet's. Low and High are its interval: of the reported
	// effects at most FDR lie beyond either end, on average (Benjamini and Yekutieli 2005); if
	// TwoSided, beyond both.
	Effect, Low, High float64
	// First and Last are the effects at the smallest and the largest size; NaN if unknown. Wrong
	// says that they describe the finding and Effect does not, since the line through all sizes
	// misses one of them by half.
	First, Last float64
	Wrong       bool
	// P is the p-value, Q the q-value (Benjamini and Hochberg 1995).
	P, Q float64
	// Apart are other nodes that stand out, with which the node is as fast as usual: together they
	// may be in another part of the network rather than slow.
	Apart []string
	// Reported says that Q is at most the rate, and the effect is not too small.
	Reported bool
}

// Who returns the node, the pair "a b", or the path.
func (f *Finding) Who() string {
	switch {
	case len(f.Nodes) == 0:
		return f.Name
	case f.Blocks != nil:
		return strings.Join(f.Blocks, " to ")
	case f.Across != nil:
		return some(f.Nodes) + " to " + some(f.Across)
	}
	return strings.Join(f.Nodes, " ")
}

// some is the names of a block, of a large one the first.
func some(names []string) string {
	const shown = 3
	if len(names) <= shown {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s … (%d nodes)", strings.Join(names[:shown], ", "), len(names))
}

// A Spread is the distribution of a quantity over the pairs, nodes or curves of a group, each by
// the median of its measurements.
type Spread struct {
	Quantity
	Units     int
	Quantiles [7]float64 // minimum, 5, 25, 50, 75, 95 %, maximum
	// Scatter is the robust standard deviation as a part of the median, and Residual that which is
	// left beyond the effects of nodes: the noise against which a pair is held.
	Scatter, Residual float64
	// Shift is the relative change of the fleet since before, with its 95 % interval, if Compared.
	Shift, ShiftLow, ShiftHigh float64
	Compared                   bool
	model                      *model
	units                      []unit // now
}

// A Part is a group of the fleet.
type Part struct {
	Group
	Curves, Units int
	Names         []string // of the nodes
	Spreads       []Spread
	// Doubt gives the effects that the group is too small to identify, if any.
	Doubt string
}

// An Answer is the findings in a fleet's curves. It has tables, a map and a page.
type Answer struct {
	Options
	Files, Curves int
	Nodes         int // names of them
	Parts         []Part
	// Findings stand out, the largest effect first; with Options.All all others follow.
	Findings []Finding
	// Small is the number of findings with an effect below Options.MinEffect.
	Small int
	Tests int
	// Next has the smallest p-value of those that chance explains, to be measured again. Nil if
	// every test is a finding.
	Next *Finding
	// Degrees are the degrees of freedom of the Student's t whose tails the residuals have, of the
	// quantity with the heaviest tails.
	Degrees float64
	// Skipped lists the files and outputs that were not used, or only in part. Faults and
	// FaultsBefore count the files, of now and of before, that could not be read to the end.
	Skipped              []Skipped
	Faults, FaultsBefore int
	// OnlyNow and OnlyBefore are the curves that have no partner in a comparison.
	Compared            bool
	OnlyNow, OnlyBefore int
	Notes               []string // doubts, and what was tested
	// Broken is an error if some files could not be read; the answer covers the rest.
	Broken error
}

// report compares the curves of entries, or with before not nil their changes. The answer does
// not depend on the order of the entries. An error says that there is nothing to compare.
func report(now, before []Entry, o Options) (*Answer, error) {
	o.FDR = cmp.Or(o.FDR, 0.05)
	now, before = sortEntries(now), sortEntries(before)
	a := &Answer{Options: o, Files: len(now), Compared: len(before) > 0}
	for i, entries := range [][]Entry{now, before} {
		faults := []*int{&a.Faults, &a.FaultsBefore}[i]
		for _, e := range entries {
			a.Skipped = append(a.Skipped, e.Skipped...)
			if slices.ContainsFunc(e.Skipped, func(l Skipped) bool { return l.Fault }) {
				*faults++
			}
		}
	}
	all, earlier := groups(now), groups(before)
	order := slices.SortedFunc(maps.Keys(all), Group.compare)
	names := map[string]bool{}
	for _, g := range order {
		a.Curves += len(all[g])
		for _, k := range all[g] {
			for _, n := range k.curve.Nodes {
				names[n] = true
			}
		}
	}
	a.Parts = make([]Part, len(order))
	fitted := make([][]*model, len(order))
	parallel.For(len(order), func(i int) {
		a.Parts[i], fitted[i] = part(order[i], all[order[i]], earlier[order[i]], o.Places, a.Compared)
	})
	models := slices.Concat(fitted...)
	a.Nodes = len(names)
	if a.Curves == 0 {
		return a, fmt.Errorf("no file has a table of sizes and times; files read: %d", a.Files)
	}
	if o.Places != nil && !slices.ContainsFunc(slices.Collect(maps.Keys(o.Places)), func(n string) bool { return names[n] }) {
		return a, usage.Fields(errors.New("the list of places names no node of the fleet"), "places")
	}
	if a.Compared {
		a.OnlyNow, a.OnlyBefore = partners(all, earlier), partners(earlier, all)
		if len(models) == 0 {
			return a, fmt.Errorf("no curve is in both: curves of the same benchmark, nodes and sizes are compared; %d now, %d before", a.Curves, a.OnlyBefore)
		}
	}
	a.test(models)
	return a, nil
}

// partners counts the curves of a that have no partner in b.
func partners(a, b map[Group][]keyed) (alone int) {
	for g, curves := range a {
		there := map[string]bool{}
		for _, k := range b[g] {
			there[k.key] = true
		}
		for _, k := range curves {
			if !there[k.key] {
				alone++
			}
		}
	}
	return alone
}

// part describes a group and fits its quantities.
func part(g Group, now, before []keyed, places map[string]string, compared bool) (p Part, models []*model) {
	p = Part{Group: g, Curves: len(now)}
	for _, q := range Quantities {
		if q == Latency && g.Sizes > 1 && !latencyIdentifiable(g, now) {
			continue
		}
		us := units(now, q)
		p.Units = max(p.Units, len(us))
		if len(us) == 0 {
			continue
		}
		s := spreadOf(q, us)
		s.units = us
		var earlier []unit
		if compared {
			if earlier = units(before, q); len(earlier) == 0 {
				continue
			}
		}
		if q == Latency && 4*zeros(units(now, Beta)) <= len(us) && g.lineIdentifiable() {
			p.Spreads = append(p.Spreads, s) // β says as much, from more sizes
			continue
		}
		if m := newModel(g, q, us, earlier, places); m != nil {
			if !compared {
				m.curves = now
			}
			models, s.model, p.Names = append(models, m), m, m.names
			s.Residual = scaleOf(m.y())
			if compared {
				d := stats.StudentQuantile(0.025, degreesOf(len(m.units)+1)) * math.Sqrt(math.Pi/2/float64(len(m.units))) * s.Residual
				s.Compared = true
				s.Shift, s.ShiftLow, s.ShiftHigh = m.effect(m.shift), m.effect(m.shift-d), m.effect(m.shift+d)
			}
		}
		p.Spreads = append(p.Spreads, s)
	}
	p.Doubt = p.doubt(models)
	return p, models
}

// y returns the residuals of the model or, if nothing was fitted, the values.
func (m *model) y() []float64 {
	if m.fit != nil {
		return m.fit.e
	}
	return list.Map(m.units, func(u unit) float64 { return u.y })
}

// latencyIdentifiable reports whether the smallest size is small: for most curves, less than half
// of its time is proportional to the bytes.
func latencyIdentifiable(g Group, curves []keyed) bool {
	if !g.lineIdentifiable() {
		return false
	}
	small := 0
	for _, k := range curves {
		if float64(k.curve.Tau)*float64(g.First) < float64(k.curve.Beta) {
			small++
		}
	}
	return 2*small > len(curves)
}

func spreadOf(q Quantity, us []unit) Spread {
	values := list.Map(us, unit.median)
	slices.Sort(values)
	s := Spread{Quantity: q, Units: len(us)}
	for i, p := range []float64{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1} {
		s.Quantiles[i] = stats.Quantile(values, p)
	}
	s.Scatter = scaleOf(values) / s.Quantiles[3]
	return s
}

// doubt returns the reason why the group is too small for some tests; empty if it is not.
func (p *Part) doubt(models []*model) string {
	switch {
	case p.Units < leastUnits:
		return fmt.Sprintf("%d curves or pairs are too few to find one that stands out; %d are needed", p.Units, leastUnits)
	case len(models) == 0 || models[0].fit == nil:
		return ""
	}
	nodes := map[int]bool{}
	for _, e := range models[0].effects {
		nodes[e.node] = true
	}
	known := len(nodes)
	switch n := len(models[0].names); {
	case known == 0:
		return fmt.Sprintf("no node has %d partners: slow nodes are not identifiable beside slow pairs", leastPartners)
	case known < leastNodes:
		return fmt.Sprintf("%d nodes are too few to find which is slow; %d are needed", known, leastNodes)
	case known < n:
		return fmt.Sprintf("%d of %d nodes have fewer than %d partners: they are not identifiable beside their pairs", n-known, n, leastPartners)
	}
	return ""
}
