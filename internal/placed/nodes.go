package placed

import (
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/machine"
)

// Node returns the level whose units are the nodes of a machine with levels: the innermost one with
// a port, or the one of that name, or the outermost but one.
func Node(m machine.Machine) int {
	node := max(0, len(m.Levels)-2)
	for i, l := range slices.Backward(m.Levels) {
		if l.Name == "node" {
			node = i
		}
	}
	for i, l := range slices.Backward(m.Levels) {
		if l.Rails() > 0 {
			node = i
		}
	}
	return node
}

// Nodes returns the ranks on each node, if a placement fills one node after the other, and the
// rails of a node; 0 if they are not known. Of another placement, it returns the node of each rank,
// but of a list of cores, which may have fewer ranks, nothing.
func Nodes(m machine.Machine, on machine.Placement) (perNode, rails int, of []int) {
	if len(m.Levels) < 2 {
		return 0, 0, nil
	}
	level := Node(m)
	size, ranks := m.Sizes()[level], m.Cores()
	if len(on.Nodes) > 0 {
		ranks = len(on.Nodes)
	} else if on.By == "" || on.By == machine.ByCore {
		return size, m.Levels[level].Rails(), nil
	}
	if places, err := m.Place(on, ranks); err == nil {
		of = list.Map(places, func(core int) int { return core / size })
	}
	return 0, m.Levels[level].Rails(), of
}
