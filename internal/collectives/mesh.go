// The page runs no programs: with Starlark it would be an eighth larger.

//go:build !js

package collectives

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calls"
	"github.com/halfpeak/halfpeak/internal/list"
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

// maxWholeOps is the number of operations up to which the schedule of all ranks is simulated: it
// takes a tenth of a second.
const maxWholeOps = 1 << 16

// simulate returns the time of the call by all groups at once. Of a large one whose ranks do the
// same on each unit of the machine, a few units stand for all.
func (m *Mesh) simulate(ctx context.Context, c program.Collective, groups [][]uint32) (uint64,
	error) {
	call, err := m.callOf(c, groups)
	if err != nil {
		return 0, err
	}
	s, units, err := call.few()
	if errors.Is(err, schedule.ErrFold) || err == nil && len(s.Ops())*units <= maxWholeOps {
		call.groups = groups
		s, err = call.schedule(schedule.NewBuilder(m.Ranks), m.Ranks)
	}
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

// A meshCall is a collective that several groups call at once.
type meshCall struct {
	*Mesh
	program.Collective
	groups [][]uint32
	chosen []chosenCall // by group
}

// A chosenCall is a call with its algorithm.
type chosenCall struct {
	collective.Entry
	collective.Call
}

// callOf chooses the algorithms.
func (m *Mesh) callOf(c program.Collective, groups [][]uint32) (*meshCall, error) {
	of := &meshCall{Mesh: m, Collective: c, groups: groups}
	for _, ranks := range groups {
		e, call, err := m.Choices.Choose(c.Name, c.Algorithm,
			collective.Group{Size: len(ranks), Members: ranks},
			collective.Call{Bytes: c.Bytes, Gamma: m.Choices.Combine})
		if err != nil {
			return nil, err
		}
		if len(groups) > 1 { // each group has rails of its own
			call.Channels = 0
		}
		call.Context = 1
		of.chosen = append(of.chosen, chosenCall{e, call})
	}
	return of, nil
}

// few returns the schedule of a few units of ranks, each of which stands for so many; ErrFold if
// none can.
func (c *meshCall) few() (s *schedule.Schedule, of int, err error) {
	unit := simulate.EqualUnits(c.Machine)
	if unit == 0 || c.PerNode > 0 && unit%c.PerNode != 0 {
		return nil, 0, schedule.ErrFold
	}
	units := c.pack(uint32(unit))
	if !c.turns(uint32(unit), uint32(units*unit)) {
		return nil, 0, schedule.ErrFold
	}
	for _, few := range program.FewUnits(units) {
		b := schedule.NewBuilder(few * unit)
		b.Fold(units*unit, unit)
		if s, err := c.schedule(b, few*unit); !errors.Is(err, schedule.ErrFold) {
			return s, units / few, err
		}
	}
	return nil, 0, schedule.ErrFold
}

// pack numbers the units of the groups from 0 on, since units are equal, and returns how many there
// are.
func (c *meshCall) pack(unit uint32) int {
	var units []uint32
	for _, ranks := range c.groups {
		for _, rank := range ranks {
			units = append(units, rank/unit)
		}
	}
	slices.Sort(units)
	units = slices.Compact(units)
	packed := list.Map(c.groups, slices.Clone[[]uint32])
	for _, ranks := range packed {
		for i, rank := range ranks {
			number, _ := slices.BinarySearch(units, rank/unit)
			ranks[i] = uint32(number)*unit + rank%unit
		}
	}
	c.groups = packed
	return len(units)
}

// turns reports whether each rank does what the one a unit before it does, with its peers as far
// away.
func (c *meshCall) turns(unit, all uint32) bool {
	for g, ranks := range c.groups {
		to, places := program.Turning(c.groups, ranks, func(rank uint32) uint32 {
			return (rank + unit) % all
		})
		if to < 0 {
			return false
		}
		a, b := c.chosen[g], c.chosen[to]
		if a.Name != b.Name || a.Call != b.Call || !a.Turns(len(ranks), places, a.Call) {
			return false
		}
	}
	return true
}

// schedule returns the schedule of the first ranks.
func (c *meshCall) schedule(b *schedule.Builder, ranks int) (*schedule.Schedule, error) {
	type place struct{ group, at int }
	of := map[int]place{}
	for g, ranks := range c.groups {
		for at, rank := range ranks {
			of[int(rank)] = place{g, at}
		}
	}
	b.Calls()
	for rank := range ranks {
		b.NextRank()
		at, calling := of[rank]
		if !calling {
			continue
		}
		members, call := c.groups[at.group], c.chosen[at.group]
		group := collective.Group{Size: len(members), Place: at.at, Members: members}
		to := calls.Rank{Builder: b}
		to.Copy(0, c.Choices, c.Name, group, call.Bytes)
		to.Collective(call.Entry, group, call.Call)
	}
	return b.Build()
}
