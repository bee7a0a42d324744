package calibrate

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Distances that levels explain to 3 % need no topology. One must halve the misfit of levels, and
// may not be off by more than a fifth: routes need not be the shortest.
const (
	levelMisfit   = 0.03
	networkMisfit = 0.2
)

// findNetwork sets the topology that explains the distances of hosts best, if one
// explains them and levels do not. One level then stands for those outside the hosts.
// It tries all topologies of that many hosts, since nothing in the output of a job
// says how its hosts are wired.
func (c *Calibration) findNetwork() {
	outer := c.outside()
	if outer < 0 {
		return
	}
	inner := c.cores(outer) // of a host
	hosts := c.hosts(inner)
	n := len(hosts)
	// The distances may be missing: calibrate.c measures those of at most 64 hosts.
	if n < 4 || len(c.Distances) != n*(n-1)/2 {
		return
	}
	byLevel := func(i, j int) float64 { return float64(c.common(hosts[i]*inner, hosts[j]*inner)) }
	_, misfit := c.explain(byLevel, n, true)
	if misfit <= levelMisfit {
		return
	}
	least := min(misfit/2, networkMisfit)
	for _, t := range topologies(n) {
		byLinks := func(i, j int) float64 { // the mean of both ways, as a round trip has it
			return float64(len(t.Route(i, j))+len(t.Route(j, i))) / 2
		}
		// Of topologies that explain the distances equally well, the first one stays: it has the
		// fewest dimensions.
		if hop, misfit := c.explain(byLinks, n, false); misfit < least && hop > 0 {
			least, c.network = misfit, machine.Level{Topology: t, Hop: quantity.Micros(hop)}
		}
	}
	if c.networked() {
		c.mergeHostLevels(outer, inner, hosts)
	}
}

// mergeHostLevels replaces the levels from outer on by one whose units are the hosts, numbered by
// their first ranks, and takes from streams what links carry.
func (c *Calibration) mergeHostLevels(outer, inner int, hosts []int) {
	index := map[int]int{}
	for i, h := range hosts {
		index[h] = i
	}
	c.near = c.network.Hop * quantity.Micros(c.network.Topology.Extra(index[0], index[1]))
	c.measureHops(outer, inner, index)
	c.measureLinks(outer, inner, index)
	whole := outer == len(c.Levels)-1
	for i := range c.Rows {
		if c.Rows[i].Measure == Mixed {
			c.Rows[i].Level = outer
		}
	}
	// The merged level has the cost between the closest hosts. Rows of levels outside it, and of
	// farther hosts, would be taken for that cost.
	c.Rows = slices.DeleteFunc(c.Rows, func(r Measurement) bool {
		if r.Level != outer {
			return r.Level > outer
		}
		farther := r.Measure == PingPong && r.Variant > 0
		several := r.Pairs > 1 || r.Out || r.distant() // of a part of the hosts, unless whole
		return farther || !whole && several
	})
	for rank, core := range c.Places {
		c.Places[rank] = index[core/inner]*inner + core%inner
	}
	merged := machine.Level{Name: "cluster", Arity: len(hosts), Eager: c.Levels[outer].Eager}
	c.Levels = append(c.Levels[:outer], merged)
}

// measureHops sets the latency of links beyond the shortest route by size, from the round trips of
// the first host with the next and with a far one. It stays that of a byte if no link is between
// them, or if it is within a tenth at all sizes.
func (c *Calibration) measureHops(outer, inner int, index map[int]int) {
	last := len(c.Levels) - 1
	far, known := index[(c.cores(last+1)-c.cores(last))/inner]
	next, too := index[1]
	topology := c.network.Topology
	if !known || !too {
		return
	}
	between := topology.Extra(index[0], far) - topology.Extra(index[0], next)
	if between <= 0 {
		return
	}
	times := map[quantity.Bytes]quantity.Micros{}
	for _, r := range c.Rows {
		if r.Measure == PingPong && r.Level == last && r.Variant == 1 {
			times[r.Size] = r.Time
		}
	}
	measured := map[quantity.Bytes]quantity.Micros{}
	changes := false
	for _, r := range c.Rows {
		t, known := times[r.Size]
		if r.Measure != PingPong || r.Level != outer || r.Variant != 0 || !known {
			continue
		}
		hop := max((t-r.Time)/quantity.Micros(between), minTime)
		changes = changes || math.Abs(float64(hop/c.network.Hop)-1) > straight
		measured[r.Size] = hop
	}
	if !changes || len(measured) < 2 {
		return
	}
	hops := &model.Table{GapUnknown: true}
	for i, n := range slices.Sorted(maps.Keys(measured)) {
		hop := measured[n]
		if i > 0 {
			last := len(hops.Sizes) - 1
			before := hops.Times[last]
			if below := n - 1; hop > step*before && below > hops.Sizes[last] {
				hops.Sizes, hops.Times = append(hops.Sizes, below), append(hops.Times, before)
			}
		}
		hops.Sizes, hops.Times = append(hops.Sizes, n), append(hops.Times, hop)
	}
	c.network.Hops = hops
}

// step is the ratio of the latencies of a link at two sizes from which the larger size is taken to
// begin another protocol, whose sizes begin at powers of two and at the eager threshold.
const step = 1.5

// measureLinks sets how long messages occupy the links of each class, from streams of pairs at once
// that share a link. A link carries a stream of one pair, so it is occupied for at most the gap of
// one; that counts for links that no two streams shared.
func (c *Calibration) measureLinks(outer, inner int, index map[int]int) {
	one := c.curve(Stream, outer)
	if len(one.Sizes) < 2 {
		return
	}
	sizes := map[quantity.Bytes][]crowd{}
	for _, r := range c.Rows {
		several := r.Measure == Mixed || r.Measure == Stream && r.Pairs > 1
		leaving := r.Level == outer-1 && r.Out
		if !several || !leaving && r.Level < outer {
			continue
		}
		k := crowd{c.crowds(r, inner, index), float64(r.Time / one.At(r.Size))}
		if slices.Max(k.streams[:]) > 1 {
			sizes[r.Size] = append(sizes[r.Size], k)
		}
	}
	var least [machine.GlobalLinks + 1]map[quantity.Bytes]float64
	for class := range least {
		least[class] = map[quantity.Bytes]float64{}
	}
	for size, crowds := range sizes {
		for class, each := range linksOf(crowds) {
			if slices.ContainsFunc(crowds, func(k crowd) bool { return k.streams[class] > 1 }) {
				least[class][size] = each * float64(one.At(size))
			}
		}
	}
	layers := [...]*model.Layer{&c.network.Link, &c.network.Local, &c.network.Global}
	for class, of := range layers {
		if machine.LinkClass(class) > machine.UnitLinks && !c.network.Topology.HasRouters() {
			break
		}
		var points []point
		for n, each := range least[class] {
			points = append(points, point{float64(n), each, 1})
		}
		if len(points) == 0 {
			c.Notes = append(c.Notes, remark.NoSharedStreams(linkNames[class]))
			for i, n := range one.Sizes {
				points = append(points, point{float64(n), float64(one.Costs[i]), 1})
			}
		}
		*of = occupied(points, one)
	}
}

// A crowd has the largest number of streams that share a link of each class, and the gap of the
// slowest stream in gaps of one pair.
type crowd struct {
	streams [machine.GlobalLinks + 1]int
	gap     float64
}

// linksOf returns how long a message occupies a link of each class, in gaps of one pair: at most
// one of them. No stream ends before the link has carried all of them, so a link that limits is
// occupied for the gap over the number of its streams. One such time of each class explains all
// gaps best, by their logarithms. Of equally good ones it is the largest. It is not the least of
// all: where routes are not those of the topology, a link has fewer streams than counted.
func linksOf(crowds []crowd) (each [machine.GlobalLinks + 1]float64) {
	for class := range each {
		each[class] = 1
	}
	misfit := func() (sum float64) {
		for _, k := range crowds {
			gap := 1.
			for class, n := range k.streams {
				gap = max(gap, float64(n)*each[class])
			}
			sum += math.Abs(math.Log(gap / k.gap))
		}
		return sum
	}
	const alike = 0.01                  // of a gap, for each crowd: noise
	for range machine.GlobalLinks + 1 { // each class may hide another one
		for class := range each {
			times := []float64{1}
			for _, k := range crowds {
				if n := k.streams[class]; n > 1 {
					times = append(times, min(k.gap/float64(n), 1))
				}
			}
			slices.Sort(times)
			best, least := 1., math.Inf(1)
			for _, t := range slices.Backward(times) {
				each[class] = t
				if m := misfit(); m < least-alike*float64(len(crowds)) {
					best, least = t, m
				}
			}
			each[class] = best
		}
	}
	return each
}

// linkNames are the classes of links in notes.
var linkNames = [...]string{
	machine.UnitLinks:   "links of hosts",
	machine.LocalLinks:  "links within groups",
	machine.GlobalLinks: "links between groups",
}

// crowds returns, for each class of links, the largest number of a row's pairs that use one link.
func (c *Calibration) crowds(r Measurement, inner int, index map[int]int) (
	most [machine.GlobalLinks + 1]int) {
	load := map[int]int{}
	on := c.places(r)
	for i := 0; i+1 < len(on); i += 2 {
		from, known := index[on[i]/inner]
		to, too := index[on[i+1]/inner]
		if !known || !too {
			return most // a job that does not fill its units has other pairs
		}
		for _, link := range c.network.Topology.Route(from, to) {
			load[link]++
			class := c.network.Topology.Class(link)
			most[class] = max(most[class], load[link])
		}
	}
	return most
}

// common returns the innermost level that contains two cores.
func (c *Calibration) common(a, b int) int {
	for i, l := range c.Levels {
		if a, b = a/l.Arity, b/l.Arity; a == b {
			return i
		}
	}
	return len(c.Levels)
}

// explain returns how far the distances of n hosts are from a line through x, or with
// classes set from the mean of those with the same x: the slope, and the 95 %
// quantile of relative errors. Levels are classes, since their numbers have no scale;
// hops of links are, on a line. The quantile and not the worst: one pair in twenty
// may have been disturbed.
func (c *Calibration) explain(x func(i, j int) float64, n int, classes bool) (
	slope, misfit float64) {
	var xs []float64
	for i := range n {
		for j := range i {
			xs = append(xs, x(i, j))
		}
	}
	a, slope := stat.LinearRegression(xs, c.Distances, nil, false)
	means := map[float64]float64{}
	if classes {
		counts := map[float64]float64{}
		for k, d := range c.Distances {
			counts[xs[k]]++
			means[xs[k]] += (d - means[xs[k]]) / counts[xs[k]]
		}
	}
	var errors []float64
	for k, d := range c.Distances {
		v := a + slope*xs[k]
		if classes {
			v = means[xs[k]]
		}
		errors = append(errors, math.Abs(v/d-1))
	}
	return slope, stats.QuantileOf(errors, 0.95)
}

// topologies returns those that may connect n units, those of few dimensions first.
// Sizes of a torus are tried in every order, since hosts are numbered along its
// dimensions.
func topologies(n int) (all []machine.Topology) {
	var texts []string
	var split func(sizes string, left, parts int)
	split = func(sizes string, left, parts int) {
		if left == 1 {
			texts = append(texts, "torus"+sizes)
		}
		for d := 2; d <= left && parts > 0; d++ {
			if left%d == 0 {
				split(fmt.Sprintf("%s %d", sizes, d), left/d, parts-1)
			}
		}
	}
	split("", n, 6)
	slices.SortStableFunc(texts, func(a, b string) int {
		return cmp.Compare(strings.Count(a, " "), strings.Count(b, " "))
	})
	for groups := 2; groups <= n; groups++ {
		for chassis := 1; groups*chassis <= n; chassis++ {
			// The link to each group has a router of its own in the first chassis.
			for routers := groups; groups*chassis*routers <= n; routers++ {
				hosts := n / (groups * chassis * routers)
				texts = append(texts,
					fmt.Sprintf("dragonfly %d %d %d %d", groups, chassis, routers, hosts))
			}
		}
	}
	for _, text := range texts {
		if t, err := machine.ParseTopology(text); err == nil && t.Units() == n {
			all = append(all, t)
		}
	}
	return all
}
