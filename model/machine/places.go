package machine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Places holds the core of each rank.
type Places []int

// A Placement gives each rank a core of a machine of levels. By is one of:
//
//   - "core", or empty: one core after the other;
//   - the name of a level: its units take turns, each with its next free core. Units inside a node
//     take turns until the node is full, as with Open MPI's mpirun --map-by. If no level is called
//     "node", all units take turns;
//   - a list of core numbers from 0, as in "0,4,64..71".
type Placement struct {
	By string
	// In place of By, the node of each rank and, if nodes are in groups, its group. Each rank has
	// the next free core of its node. A node is a unit of the level called "node" or, without such
	// a level, a core. Nodes of a group are in one unit of the outermost level but the whole
	// machine; without groups, nodes follow each other in the order of their first ranks.
	Nodes, Groups []string
	File          string // where Nodes are from, for errors
}

// ByCore places ranks on one core after the other.
const ByCore = "core"

// node is the name of the level whose units are filled one after the other, as Open MPI does.
// Levels with other names are not treated so.
const node = "node"

// ways returns the named ways to place ranks: [ByCore], then the name of every level but the
// outermost.
func (m Machine) ways() []string {
	ways := []string{ByCore}
	for _, l := range m.Levels[:len(m.Levels)-1] {
		ways = append(ways, l.Name)
	}
	return ways
}

// Place returns the cores of the ranks. It is an error if there are more ranks than cores or than
// the placement names, if it names a core twice or a node in two groups, or if the machine has too
// few units or cores for its nodes, or no level of groups.
func (m Machine) Place(p Placement, ranks int) (Places, error) {
	if len(p.Nodes) > 0 {
		all, err := m.placeNodes(p.Nodes, p.Groups)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", p.File, err)
		}
		if ranks > len(all) {
			return nil, fewCores(len(all), ranks)
		}
		return all[:ranks], nil
	}
	by := p.By
	cores := m.Cores()
	if by != "" && by[0] >= '0' && by[0] <= '9' {
		return parseCores(by, ranks, cores)
	}
	if ranks > cores {
		shape := ""
		if len(m.Levels) > 1 {
			shape = fmt.Sprintf(" (%s)", m)
		}
		last := m.Levels[len(m.Levels)-1]
		inner := cores / last.Arity
		way := fmt.Sprintf("set %s.arity=%d", last.Name, (ranks+inner-1)/inner)
		if last.Topology.Units() > 1 {
			way += " and a topology of as many units"
		}
		return nil, fmt.Errorf("%d ranks on %d cores%s: a rank has a core of its own; "+
			"take fewer ranks, or %s", ranks, cores, shape, way)
	}
	places := make(Places, ranks)
	unit, block := 1, cores // ranks fill blocks; within each, units take turns
	if by != "" && by != ByCore {
		level := -1
		sizes := m.Sizes()
		for i, l := range m.Levels {
			if l.Name == by {
				level, unit = i, sizes[i]
			}
			if l.Name == node && level >= 0 && level < i {
				block = sizes[i]
			}
		}
		if level < 0 {
			names := append(m.ways(), m.Levels[len(m.Levels)-1].Name)
			return nil, fmt.Errorf("ranks are placed by core, by a level or on a list of cores, "+
				"as in \"0,4,64..71\", not by %q%s", by, usage.Hint(by, names))
		}
	}
	units := block / unit
	for rank := range places {
		within := rank % block
		if unit > 1 { // rank k of a block is on core k/units of unit k mod units
			within = within%units*unit + within/units
		}
		places[rank] = rank/block*block + within
	}
	return places, nil
}

// parseCores returns the first cores of a list such as "0,4,64..71", one for each rank.
func parseCores(list string, ranks, cores int) (Places, error) {
	var places Places
	type span struct{ first, last int }
	var spans []span
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(item), "..")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(to)
		}
		switch {
		case err != nil || first < 0 || last < first:
			return nil, fmt.Errorf("a list of cores: %q is neither a number nor a range; "+
				"write numbers from 0, as in \"0,4,64..71\"", item)
		case last >= cores:
			return nil, fmt.Errorf("a list of cores: the machine has no core %d; "+
				"its %d cores are numbered from 0", last, cores)
		}
		// A list may be longer, so that one serves all numbers of ranks.
		for core := first; core <= last && len(places) < ranks; core++ {
			places = append(places, core)
		}
		spans = append(spans, span{first, last})
	}
	slices.SortFunc(spans, func(a, b span) int { return cmp.Compare(a.first, b.first) })
	for i, s := range spans[1:] { // spans before are apart, so that the last of them ends last
		if s.first <= spans[i].last {
			return nil, fmt.Errorf("a list of cores: core %d is listed twice; it holds one rank",
				s.first)
		}
	}
	if len(places) < ranks {
		return nil, fewCores(len(places), ranks)
	}
	return places, nil
}

// fewCores returns the error of a placement that names fewer cores than there are ranks.
func fewCores(cores, ranks int) error {
	return fmt.Errorf("a list of %d cores for %d ranks: name a core for each", cores, ranks)
}

// placeNodes places each rank on the next free core of its node, see [Placement].
func (m Machine) placeNodes(nodes, groups []string) (Places, error) {
	sizes := m.Sizes()
	inside, size := -1, 1 // the level of nodes, and the cores of a node
	for i, l := range m.Levels {
		if l.Name == node {
			inside, size = i, sizes[i]
		}
	}
	space, unit := m.Cores(), "machine" // cores of a group
	if outside := len(sizes) - 2; len(groups) > 0 {
		if outside <= inside {
			return nil, fmt.Errorf("%s has no level between its nodes and the whole machine, "+
				"so groups of nodes are all alike; leave out their column, "+
				"or describe the level", m)
		}
		space, unit = sizes[outside], m.Levels[outside].Name
	}
	type place struct {
		group      string
		first, own int // core, and number of ranks
	}
	places := make(Places, len(nodes))
	of := map[string]*place{} // by node
	taken := map[string]int{} // cores of a group that its nodes have
	order := map[string]int{} // groups, as they come first
	for rank, name := range nodes {
		group := ""
		if len(groups) > 0 {
			group = groups[rank]
		}
		if _, known := order[group]; !known {
			order[group] = len(order)
		}
		if (order[group]+1)*space > m.Cores() {
			return nil, fmt.Errorf("%d groups of nodes, and the machine has %d (%s)",
				len(order), m.Cores()/space, m)
		}
		p := of[name]
		if p == nil {
			if taken[group] += size; taken[group] > space {
				return nil, fmt.Errorf("node %q is the %d. of its %s, which has %d (%s)",
					name, taken[group]/size, unit, space/size, m)
			}
			p = &place{group, order[group]*space + taken[group] - size, 0}
			of[name] = p
		}
		switch {
		case p.group != group:
			return nil, fmt.Errorf("node %q is in the groups %q and %q", name, p.group, group)
		case p.own == size:
			return nil, fmt.Errorf("node %q has more than %d ranks, one for each core (%s)",
				name, size, m)
		}
		places[rank] = p.first + p.own
		p.own++
	}
	return places, nil
}

// Among returns the machine with the part of each Crowd that applies among ranks at these places:
// none up to FewRanks in a unit of the outermost level that has a Crowd, and all from ManyRanks on.
func (m Machine) Among(on Places) Machine {
	size, cores := 0, 1
	for _, l := range m.Levels {
		if cores *= l.Arity; l.Crowd > 0 {
			size = cores
		}
	}
	if size == 0 {
		return m
	}
	ranks, most := map[int]int{}, 1
	for _, core := range on {
		ranks[core/size]++
		most = max(most, ranks[core/size])
	}
	part := math.Log2(float64(most)/FewRanks) / math.Log2(ManyRanks/FewRanks)
	m.Levels = slices.Clone(m.Levels)
	for i := range m.Levels {
		m.Levels[i].Crowd *= quantity.Micros(min(max(part, 0), 1))
	}
	return m
}

// A Level's Crowd applies in part among more than FewRanks ranks of a node, and in full among
// ManyRanks. Between them it grows with the logarithm of their number. The numbers are from
// broadcasts on nodes of 128 cores (docs/accuracy.md).
const (
	FewRanks  = 8
	ManyRanks = 64
)
