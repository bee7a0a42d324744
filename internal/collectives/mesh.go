// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calls"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/machine"
)

// A Mesh times the collectives of a program's mesh as operations of a whole group, from its last
// arrival to a common end, as NCCL's kernels run: by the schedules of all groups of the axis that
// share nodes, simulated at once and alone on the machine.
type Mesh struct {
	Machine simulate.Machine // with the places of all ranks
	Levels  machine.Machine
	Ranks   int
	PerNode int // of ranks; 0: not known
	Choices collective.Choices

	known map[meshKey]uint64 // ns
}

// A meshKey is a call by groups that lie alike: on the units of each level that they use together.
type meshKey struct {
	name, algorithm       string
	bytes                 uint64
	size, groups, perNode int
	units                 [4]int
}

// Time returns the time of a collective in ns.
func (m *Mesh) Time(ctx context.Context, c program.Collective) (ns uint64, err error) {
	switch {
	case len(c.Ranks) < 2 || c.Bytes == 0 && c.Name != "barrier":
		return 0, nil
	case c.Unequal:
		return 0, fmt.Errorf("%s along an axis of a mesh has blocks of one size", c.Name)
	}
	groups := m.together(c)
	key := m.keyOf(c, groups)
	if ns, known := m.known[key]; known {
		return ns, nil
	}
	if ns, err = m.simulate(ctx, c, groups); err != nil {
		return 0, err
	}
	if m.known == nil {
		m.known = map[meshKey]uint64{}
	}
	m.known[key] = ns
	return ns, nil
}

// node returns the node of a rank.
func (m *Mesh) node(rank uint32) int { return int(rank) / max(1, m.PerNode) }

// together returns the groups of the axis that share nodes with the one that calls, and with each
// other.
func (m *Mesh) together(c program.Collective) [][]uint32 {
	if m.PerNode == 0 {
		return c.Groups
	}
	of, groups := map[int]bool{}, [][]uint32(nil)
	taken := make([]bool, len(c.Groups))
	add := func(ranks []uint32) {
		groups = append(groups, ranks)
		for _, rank := range ranks {
			of[m.node(rank)] = true
		}
	}
	for more := true; more; {
		more = false
		for i, ranks := range c.Groups {
			shares := func(rank uint32) bool { return of[m.node(rank)] }
			if !taken[i] && (len(groups) == 0 && slices.Equal(ranks, c.Ranks) ||
				slices.ContainsFunc(ranks, shares)) {
				taken[i], more = true, true
				add(ranks)
			}
		}
	}
	return groups
}

func (m *Mesh) keyOf(c program.Collective, groups [][]uint32) meshKey {
	key := meshKey{name: c.Name, algorithm: c.Algorithm, bytes: c.Bytes, size: len(c.Ranks),
		groups: len(groups)}
	for _, rank := range c.Ranks {
		if m.node(rank) == m.node(c.Ranks[0]) {
			key.perNode++
		}
	}
	unit := 1
	for i, n := range m.Levels.Sizes()[:min(len(key.units), len(m.Levels.Levels))] {
		unit = n
		seen := map[int]bool{}
		for _, ranks := range groups {
			for _, rank := range ranks {
				seen[int(rank)/unit] = true
			}
		}
		key.units[i] = len(seen)
	}
	return key
}

// simulate returns the time of the call by all groups at once.
func (m *Mesh) simulate(ctx context.Context, c program.Collective, groups [][]uint32) (uint64,
	error) {
	type place struct{ group, at int }
	of := map[int]place{}
	for g, ranks := range groups {
		for at, rank := range ranks {
			of[int(rank)] = place{g, at}
		}
	}
	b := schedule.NewBuilder(m.Ranks)
	b.Calls()
	for rank := range m.Ranks {
		b.NextRank()
		at, calling := of[rank]
		if !calling {
			continue
		}
		ranks := groups[at.group]
		group := collective.Group{Size: len(ranks), Place: at.at, Members: ranks}
		e, call, err := m.Choices.Choose(c.Name, c.Algorithm, group,
			collective.Call{Bytes: c.Bytes, Gamma: m.Choices.Combine})
		if err != nil {
			return 0, err
		}
		if len(groups) > 1 { // each group has rails of its own
			call.Channels = 0
		}
		call.Context = 1
		to := calls.Rank{Builder: b}
		to.Copy(0, m.Choices, c.Name, group, call.Bytes)
		to.Collective(e.Algorithm, group, call)
	}
	s, err := b.Build()
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	r, err := p.Run(ctx, simulate.Setup{Machine: m.Machine})
	if err != nil {
		return 0, err
	}
	t, _ := r.Finish()
	return uint64(math.Round(1e3 * float64(t))), nil
}
