package placed

import (
	"slices"

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
// rails of a node; 0 if they are not known.
func Nodes(m machine.Machine, on machine.Placement) (perNode, rails int) {
	if len(m.Levels) < 2 {
		return 0, 0
	}
	level := Node(m)
	if len(on.Nodes) == 0 && (on.By == "" || on.By == machine.ByCore) {
		perNode = m.Sizes()[level]
	}
	return perNode, m.Levels[level].Rails()
}
