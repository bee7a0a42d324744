package fleet

import (
	"cmp"
	"context"
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
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Ask reads the files of a question and compares their curves. If some files could not be read, or
// ctx ended the reading, it answers for the rest and sets Broken. It is an error if nothing could
// be compared.
func (q Question) Ask(ctx context.Context) (*Answer, error) {
	in, err := load(ctx, q)
	if err != nil {
		return nil, err
	}
	a, err := analyse(in, q.Options)
	if err != nil && ctx.Err() != nil { // before the first file was read
		return nil, usage.ErrInterrupted
	}
	return a, err
}

// analyse compares the curves of a reading.
func analyse(in reading, o Options) (*Answer, error) {
	f, err := report(in.now, in.before, o)
	// Files that could not be read may hold the slow nodes, so the answer says that it is
	// incomplete, and the command fails after printing it.
	now, before := faults(in.now), faults(in.before)
	switch {
	case in.interrupted != "":
		f.Broken = errors.New(in.interrupted)
	case before > 0:
		const format = "%s of now and %d of before could not be read to the end"
		f.Broken = fmt.Errorf(format, quantity.Plural(now, "file"), before)
	case now > 0:
		f.Broken = fmt.Errorf("%s could not be read to the end", quantity.Plural(now, "file"))
	}
	if err != nil {
		// Nothing could be compared, and the first file that was skipped often shows why.
		if len(f.skipped) > 0 {
			err = fmt.Errorf("%w; %s", err, f.skipped[0].reason)
		}
		if f.Broken != nil {
			err = fmt.Errorf("%w (%w)", err, f.Broken)
		}
		return nil, err
	}
	f.note()
	return f, nil
}

// faults counts the files that could not be read to the end.
func faults(entries []fileSummary) (n int) {
	for _, e := range entries {
		if slices.ContainsFunc(e.skipped, func(l skippedFile) bool { return l.fault }) {
			n++
		}
	}
	return n
}

// report compares the curves of entries or, if before is not empty, their changes. The answer does
// not depend on the order of the entries. It fails if there is nothing to compare.
func report(now, before []fileSummary, o Options) (*Answer, error) {
	// At 0.05, one of twenty reported nodes and pairs is a false alarm, on average and at most.
	o.FDR = cmp.Or(o.FDR, 0.05)
	now, before = sortEntries(now), sortEntries(before)
	a := &Answer{Options: o, Files: len(now), Compared: len(before) > 0}
	for _, e := range slices.Concat(now, before) {
		a.skipped = append(a.skipped, e.skipped...)
	}
	var paths []string
	for _, e := range now {
		if len(e.curves) > 0 {
			paths = append(paths, e.path)
		}
	}
	a.pattern = suggestPattern(paths)
	if o.Name == "" && o.Columns == nil && a.pattern != "" && !namesNodes(now) {
		now, before = nameNodes(now, a.pattern), nameNodes(before, a.pattern)
		a.guessed = true
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
	a.groups = make([]groupSummary, len(order))
	fitted := make([][]*model, len(order))
	// Groups share nothing until their p-values are compared, so they are fitted side by side.
	parallel.For(len(order), func(i int) {
		g := order[i]
		a.groups[i], fitted[i] = summariseGroup(g, all[g], earlier[g], o, a.Compared)
	})
	models := slices.Concat(fitted...)
	a.Nodes = len(names)
	if a.Curves == 0 {
		return a, fmt.Errorf("no file has a table of sizes and times; files read: %d", a.Files)
	}
	if o.Places != nil && !anyNamed(o.Places, names) {
		err := errors.New("the list of places names no node of the fleet")
		return a, usage.Fields(err, "places")
	}
	if a.Compared {
		a.OnlyNow, a.OnlyBefore = partners(all, earlier), partners(earlier, all)
		if len(models) == 0 {
			return a, fmt.Errorf("no curve is in both: curves of the same benchmark, nodes and "+
				"sizes are compared; %d now, %d before", a.Curves, a.OnlyBefore)
		}
	}
	a.test(models)
	return a, nil
}

// namesNodes reports whether a curve has nodes.
func namesNodes(entries []fileSummary) bool {
	return slices.ContainsFunc(entries, func(e fileSummary) bool {
		return slices.ContainsFunc(e.curves, func(c curveSummary) bool { return c.Nodes != nil })
	})
}

// nameNodes returns the entries with the nodes that a pattern of file names gives. Without them no
// node would be tested, and a fleet with slow nodes would look healthy.
func nameNodes(entries []fileSummary, pattern string) []fileSummary {
	p, err := parsePattern(pattern)
	if err != nil {
		return entries
	}
	named := slices.Clone(entries)
	for i := range named {
		nodes, _, ok := p.match(named[i].path)
		if !ok {
			continue
		}
		named[i].curves = slices.Clone(named[i].curves)
		for k := range named[i].curves {
			c := &named[i].curves[k]
			c.Nodes, c.Group.Nodes = nodes, len(nodes)
		}
	}
	return named
}

// anyNamed reports whether the fleet has one of the nodes that places lists. A list
// may have more nodes than were measured, but a list of none of them is that of
// another cluster.
func anyNamed(places map[string]string, names map[string]bool) bool {
	for name := range places {
		if names[name] {
			return true
		}
	}
	return false
}

// sortEntries puts entries into the order of their paths, and of what they hold: two
// roots may have files of the same path below them, which the source tells apart.
func sortEntries(entries []fileSummary) []fileSummary {
	sorted := slices.Clone(entries)
	slices.SortStableFunc(sorted, func(a, b fileSummary) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.source, b.source))
	})
	return sorted
}

// partners counts the curves of a that have no partner in b. They are not tested, and
// a note says how many they are: a node that was down on one of two nights must not
// vanish without a word.
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

// summariseGroup returns the distributions of a group's quantities, and the models of
// those that are tested. Before has the curves of the same group in a comparison. A
// quantity may have a distribution without a test, but no test without a
// distribution.
func summariseGroup(
	g Group, now, before []keyed, o Options, compared bool,
) (p groupSummary, models []*model) {
	p = groupSummary{Group: g, Curves: len(now)}
	for _, q := range quantities {
		// The time of a large smallest message is mostly τ times its bytes, and τ has a test of
		// its own.
		if q == Latency && g.Sizes > 1 && !latencyIdentifiable(g, now) {
			continue
		}
		us := units(now, q)
		p.Units = max(p.Units, len(us))
		if len(us) == 0 {
			continue
		}
		s := newSpread(q, us)
		s.units = us
		var earlier []unit
		if compared {
			if earlier = units(before, q); len(earlier) == 0 {
				continue
			}
		}
		// Where β is above 0 for most curves, a test of the latency would test the same start-up
		// cost a second time, from one size instead of all.
		if q == Latency && 4*zeros(units(now, Beta)) <= len(us) && g.lineIdentifiable() {
			p.Spreads = append(p.Spreads, s)
			continue
		}
		// In a comparison the times at single sizes are of one night, so a change has
		// none to show.
		if m := newModel(g, q, us, earlier, o); m != nil {
			if !compared {
				m.curves = now
			}
			models, s.model, p.Names = append(models, m), m, m.names
			s.Residual = scaleOf(m.y())
			if compared {
				s.setShift(m)
			}
		}
		p.Spreads = append(p.Spreads, s)
	}
	p.Doubt = p.doubt(models)
	return p, models
}

// setShift sets the change of the whole fleet, with its 95 % interval. The shift is a
// median of n values, whose standard error is √(π/2n) times their standard deviation.
// The scale is of all n, while degreesOf counts a value under test that the scale
// leaves out: hence n+1.
func (s *spread) setShift(m *model) {
	n := len(m.units)
	standardError := math.Sqrt(math.Pi/2/float64(n)) * s.Residual
	half := stats.StudentQuantile(0.025, degreesOf(n+1)) * standardError
	s.Compared = true
	s.Shift = m.within(m.shift, half)
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

// newSpread returns the quantiles of a quantity over units. A unit counts once,
// however often it was measured.
func newSpread(q Quantity, us []unit) spread {
	values := list.Map(us, unit.median)
	slices.Sort(values)
	s := spread{Quantity: q, Units: len(us)}
	for i, p := range []float64{0, 0.05, 0.25, 0.5, 0.75, 0.95, 1} {
		s.Quantiles[i] = stats.Quantile(values, p)
	}
	// Quantiles[3] is the median.
	s.Scatter = scaleOf(values) / s.Quantiles[3]
	return s
}

// doubt returns the reason why the group is too small for some tests; empty if it is
// not. Without it, "nothing stands out" would also be the answer for three curves.
func (p *groupSummary) doubt(models []*model) string {
	switch {
	case p.Units < minUnits:
		return fmt.Sprintf("to find a curve or pair that stands out, %d are needed (got %d)",
			minUnits, p.Units)
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
		return fmt.Sprintf("no node has %d partners: slow nodes are not identifiable beside "+
			"slow pairs", minPartners)
	case known < minNodes:
		return fmt.Sprintf("%d nodes are too few to find which is slow; %d are needed",
			known, minNodes)
	case known < n:
		return fmt.Sprintf("%d of %d nodes have fewer than %d partners: they are not "+
			"identifiable beside their pairs", n-known, n, minPartners)
	}
	return ""
}
