package machine

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/nearest"
)

// Places holds the core of each rank.
type Places []int

// ByCore places ranks on one core after the other.
const ByCore = "core"

// node is the name of the level whose units are filled one after the other, as Open MPI does.
// Levels with other names are not treated so.
const node = "node"

// Ways returns the named ways to place ranks: [ByCore], then the name of every level but the
// outermost.
func (m Machine) Ways() []string {
	ways := []string{ByCore}
	for _, l := range m.Levels[:len(m.Levels)-1] {
		ways = append(ways, l.Name)
	}
	return ways
}

// Place returns the cores of the ranks. By is one of:
//
//   - "core": one core after the other;
//   - the name of a level: its units take turns, each with its next free core. Units inside a node
//     take turns until the node is full, as with Open MPI's mpirun --map-by. If no level is called
//     "node", all units take turns;
//   - a list of core numbers from 0, as in "0,4,64..71".
//
// It is an error if there are more ranks than cores or than the list names, or if the list names a
// core twice.
func (m Machine) Place(by string, ranks int) (Places, error) {
	cores := m.Cores()
	if by != "" && by[0] >= '0' && by[0] <= '9' {
		return parseCores(by, ranks, cores)
	}
	if ranks > cores {
		return nil, fmt.Errorf("%d ranks on %d cores (%s): a rank has a core of its own; take fewer ranks, or describe a larger machine", ranks, cores, m)
	}
	places := make(Places, ranks)
	unit, block := 1, cores // ranks fill blocks, in each of which units take turns
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
			return nil, fmt.Errorf("ranks are placed by core, by a level or on a list of cores, as in \"0,4,64..71\", not by %q%s", by, nearest.Hint(by, append(m.Ways(), m.Levels[len(m.Levels)-1].Name)))
		}
	}
	units := block / unit
	for rank := range places {
		within := rank % block
		if unit > 1 {
			within = within%units*unit + within/units
		}
		places[rank] = rank/block*block + within
	}
	return places, nil
}

// parseCores returns the first cores of a list such as "0,4,64..71", one for each rank.
func parseCores(list string, ranks, cores int) (Places, error) {
	var places Places
	used := map[int]bool{}
	for item := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(item), "..")
		first, err := strconv.Atoi(from)
		last := first
		if err == nil && isRange {
			last, err = strconv.Atoi(to)
		}
		switch {
		case err != nil || first < 0 || last < first:
			return nil, fmt.Errorf("a list of cores: %q is no number and no range; write numbers from 0, as in \"0,4,64..71\"", item)
		case last >= cores:
			return nil, fmt.Errorf("a list of cores: the machine has no core %d; its %d cores are numbered from 0", last, cores)
		}
		for core := first; core <= last && len(places) < ranks; core++ {
			if used[core] {
				return nil, fmt.Errorf("a list of cores: core %d comes twice; it is the place of one rank", core)
			}
			used[core] = true
			places = append(places, core)
		}
	}
	if len(places) < ranks {
		return nil, fmt.Errorf("a list of %d cores for %d ranks: name a core for each", len(places), ranks)
	}
	return places, nil
}
