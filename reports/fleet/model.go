package fleet

import (
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A unit is a pair, a node or a curve, with all its measurements of a quantity. It is
// what is tested: a pair that was measured ten times is one unit, and not ten chances
// of an alarm.
type unit struct {
	key    string   // sorts units, and pairs them with earlier ones
	nodes  []string // nil for a curve that nothing names
	values []float64
	y      float64
	part   float64 // y's share of the variance of one measurement: 1/n of n; of a change the sum
}

// between separates names in keys; no name has it.
const between = "\x00"

// A model is the fit of one quantity of a group. Without names of nodes, or with one
// node a curve, it has no links and no effects, and its residuals are the units'
// distances from their median.
type model struct {
	group    Group
	quantity Quantity
	units    []unit // sorted by key
	centre   float64
	names    []string // of the nodes of pairs, sorted
	links    []link   // of pairs, by unit
	fit      *twoWay  // of pairs, without the excess of crossings; of directed ones of 2n nodes
	effects  []effect // of the nodes of pairs
	blocks   *blocks  // nil without blocks
	z        []float64
	sd       []float64 // of the residuals, by unit
	part     float64   // of the units, the median
	shift    float64   // against before; else 0
	curves   []keyed   // nil in a comparison
	ends     *ends     // of all curves; nil until it is asked for
}

// ends are the median times of curves at the smallest and the largest size, and by their lines.
type ends struct{ first, last, lineFirst, lineLast float64 }

// endsOf returns medians, since one curve of a pair may have been disturbed.
func endsOf(curves []keyed) *ends {
	median := func(of func(c *curveSummary, by line) float64) float64 {
		return stats.MedianInPlace(list.Map(curves, func(k keyed) float64 {
			return of(k.curve, line{float64(k.curve.Beta), float64(k.curve.Tau)})
		}))
	}
	return &ends{
		first:     median(func(c *curveSummary, _ line) float64 { return float64(c.Latency) }),
		last:      median(func(c *curveSummary, _ line) float64 { return float64(c.Longest) }),
		lineFirst: median(func(c *curveSummary, by line) float64 { return by.time(c.Group.First) }),
		lineLast:  median(func(c *curveSummary, by line) float64 { return by.time(c.Group.Last) }),
	}
}

// units groups the values of a quantity by pair, node or curve, from curves in the order of their
// keys.
func units(curves []keyed, q Quantity) []unit {
	all := make([]unit, 0, len(curves))
	values := make([]float64, 0, len(curves)) // of all units, one after the other
	for _, k := range curves {
		v := q.value(k.curve)
		if math.IsNaN(v) {
			continue
		}
		if len(all) == 0 || all[len(all)-1].key != k.key {
			all = append(all, unit{key: k.key, nodes: k.curve.Nodes})
		}
		values = append(values, v)
		u := &all[len(all)-1]
		// A unit's values are the end of the common slice, so a fleet of a million curves needs one
		// allocation.
		u.values = values[len(values)-len(u.values)-1:]
	}
	for i, u := range all {
		// Without the clip, appending to one unit's values would overwrite the next unit's.
		all[i].values = slices.Clip(u.values)
		slices.Sort(all[i].values)
	}
	return all
}

// level sets y of all units, and its part of the variance: the logarithm of the median value over
// the fleet's; for β, which may be 0, the relative difference. A logarithm makes ×2 and ÷2
// equally far from typical, and the factors of two slow nodes add up.
func level(q Quantity, all []unit, of float64) {
	for i := range all {
		v := all[i].median()
		all[i].part = 1 / float64(len(all[i].values))
		if q == Beta {
			all[i].y = v/of - 1
		} else {
			all[i].y = math.Log(v / of)
		}
	}
}

// centreOf returns the fleet's value: the median over units of their medians, so that a pair that
// was measured often counts once.
func centreOf(all []unit) float64 { return stats.MedianInPlace(list.Map(all, unit.median)) }

func (u unit) compareKey(key string) int { return strings.Compare(u.key, key) }

func (u unit) median() float64 { return stats.Quantile(u.values, 0.5) }

// newModel fits a quantity of a group or, if before is not nil, its change. It
// returns nil if the quantity is not identifiable. At most a quarter of the units may
// have a β of 0: the line of more meets the axis at 0 because the start-up cost does
// not show beside the bytes.
func newModel(g Group, q Quantity, now, before []unit, o Options) *model {
	m := &model{group: g, quantity: q, units: now, centre: centreOf(now)}
	if before != nil {
		// Values of both nights are relative to the fleet of before: then the
		// differences of their logarithms are those of the values.
		m.centre = centreOf(before)
	}
	// With a β of 0 for many units, relative differences say nothing.
	if !(m.centre > 0) || q == Beta && zeros(now) > len(now)/4 {
		return nil
	}
	level(q, m.units, m.centre)
	if before != nil {
		level(q, before, m.centre)
		m.units = changes(m.units, before)
	}
	if len(m.units) == 0 {
		return nil
	}
	parts := list.Map(m.units, func(u unit) float64 { return u.part })
	m.part = stats.Median(parts)
	if g.Nodes == 2 {
		m.fitPairs(o)
	}
	m.standardise()
	return m
}

// zeros counts the units whose median is 0: for β, those whose fitted line meets the axis at 0.
func zeros(all []unit) (n int) {
	for _, u := range all {
		if u.values[len(u.values)/2] <= 0 {
			n++
		}
	}
	return n
}

// changes returns the units that are in both, with the difference as y. Each unit is compared with
// itself, so what makes a node slow for ever cancels.
func changes(now, before []unit) []unit {
	var both []unit
	for _, u := range now {
		i, ok := slices.BinarySearchFunc(before, u.key, unit.compareKey)
		if !ok {
			continue
		}
		u.y -= before[i].y
		u.part += before[i].part // variances of independent measurements add up
		both = append(both, u)
	}
	return both
}

// fitPairs fits the effects of nodes, together with those of blocks or directions, if the user
// named these.
func (m *model) fitPairs(o Options) {
	number := map[string]int{}
	for _, u := range m.units {
		number[u.nodes[0]], number[u.nodes[1]] = 0, 0
	}
	m.names = slices.Sorted(maps.Keys(number))
	for i, name := range m.names {
		number[name] = i
	}
	m.links = make([]link, len(m.units))
	for i, u := range m.units {
		m.links[i] = link{number[u.nodes[0]], number[u.nodes[1]], u.y}
	}
	n := len(m.names)
	links := m.links
	if m.blocks, m.fit = fitBlocks(m.names, links, o.Places); m.blocks != nil {
		links = m.blocks.subtract(links)
	} else {
		m.fit = fitTwoWay(n, links)
	}
	m.effects = m.fit.effects()
	if fit, effects := fitDirections(n, links); o.directed() && fit != nil {
		m.fit, m.effects = fit, effects
	}
}

// standardise sets the residuals in standard deviations: z for the tests, sd for the
// intervals.
func (m *model) standardise() {
	e := m.y()
	var scale float64
	degree := math.Inf(1)
	if m.fit != nil {
		scale, m.shift = m.fit.scale, m.fit.mu
		// The mean number of pairs of a node: each pair has two nodes.
		if len(m.effects) > 0 {
			degree = 2 * float64(len(m.links)) / float64(len(m.names))
		}
	} else {
		e = slices.Clone(e)
		m.shift = stats.Median(e)
		for i := range e {
			e[i] -= m.shift
		}
		scale = scaleOf(e)
	}
	m.z, m.sd = make([]float64, len(e)), make([]float64, len(e))
	// The prediction is the sum of two effects, each the mean of a node's degree−1 other pairs,
	// so each adds 1/(degree−1) of a pair's variance.
	spread := math.Sqrt(1 + 2/max(1, degree-1)) // of a value about its prediction
	for i, v := range e {
		// Fewer measurements than most scatter more; more of them may not scatter less.
		m.sd[i] = scale * spread * math.Sqrt(max(1, m.units[i].part/m.part))
		m.z[i] = ratio(v, m.sd[i])
	}
}

// y returns the residuals of the model or, if nothing was fitted, the values.
func (m *model) y() []float64 {
	if m.fit != nil {
		return m.fit.e
	}
	return list.Map(m.units, func(u unit) float64 { return u.y })
}

// effect turns a difference of y into a relative one: 0.1 is 10 % more.
func (m *model) effect(y float64) float64 {
	if m.quantity == Beta {
		return y
	}
	return math.Expm1(y)
}

// within returns the effect of y with that of both ends of y ± half.
func (m *model) within(y, half float64) quantity.Interval {
	return quantity.Interval{Value: m.effect(y), Low: m.effect(y - half), High: m.effect(y + half)}
}

// A keyed curve has the key of its unit: its nodes, or its file.
type keyed struct {
	curve *curveSummary
	key   string
}

func (k keyed) compareKey(key string) int { return strings.Compare(k.key, key) }

// groups sorts the curves of entries into groups, and within a group by key, so that
// the curves of a unit are neighbours and are found by bisection.
func groups(entries []fileSummary) map[Group][]keyed {
	all := map[Group][]keyed{}
	for i := range entries {
		for j := range entries[i].curves {
			c := &entries[i].curves[j]
			key := strings.Join(c.Nodes, between)
			if len(c.Nodes) == 0 {
				// A file without names of nodes is a unit of its own; its partner before has the
				// same path.
				key = entries[i].path
			}
			all[c.Group] = append(all[c.Group], keyed{c, key})
		}
	}
	for _, curves := range all {
		slices.SortStableFunc(curves, func(a, b keyed) int { return strings.Compare(a.key, b.key) })
	}
	return all
}

// fitDirections fits each node as a sender and as a receiver. It returns nil unless most pairs were
// measured in both directions: otherwise a slow sender could as well be a slow pair.
func fitDirections(n int, links []link) (*twoWay, []effect) {
	there := map[[2]int]bool{}
	for _, l := range links {
		there[[2]int{l.a, l.b}] = true
	}
	both := 0
	apart := make([]link, len(links)) // node a as a sender is a, as a receiver n+a
	for i, l := range links {
		if apart[i] = (link{l.a, n + l.b, l.y}); there[[2]int{l.b, l.a}] {
			both++
		}
	}
	if 2*both < len(links) {
		return nil, nil
	}
	f := fitTwoWay(2*n, apart)
	all := f.effects()
	for i, x := range all {
		if all[i].role = "sender"; x.node >= n {
			all[i].node, all[i].role = x.node-n, "receiver"
		}
	}
	return f, all
}
