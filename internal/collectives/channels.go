package collectives

import (
	"errors"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
)

// nodes returns the ranks on each node, and the rails of a node, if ranks are placed on one node
// after the other; 0 ranks if they take turns. on has the places of the ranks.
func nodes(m machine.Machine, on simulate.Machine, ranks int) (perNode, rails int) {
	levels := m.Levels
	if len(levels) < 2 {
		return 0, 0
	}
	level := placed.Node(m)
	return collective.PerNodeOf(ranks, func(a, b int) bool {
		return on.Level(a, b)%len(levels) <= level
	}), levels[level].Rails()
}

// onNodes returns a call of an algorithm on the nodes of the machine.
func onNodes(l collective.Library, e collective.Entry, c collective.Call, perNode, rails int) (
	collective.Call, error) {
	if c.Channels > 1 && rails == 0 {
		return c, usage.Fields(errors.New("channels leave a node by its rails, "+
			"and the machine has no level with port or ports"), "channels")
	}
	return l.OnNodes(e, c, perNode, rails), nil
}
