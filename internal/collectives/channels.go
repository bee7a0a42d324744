package collectives

import (
	"errors"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
)

// nodes returns the nodes of the first ranks of a placement; none if it has fewer ranks.
func nodes(m machine.Machine, on machine.Placement, ranks int) (n collective.Nodes) {
	if len(m.Levels) < 2 {
		return n
	}
	level := placed.Node(m)
	if places, err := m.Place(on, ranks); err == nil {
		size := m.Sizes()[level]
		n = collective.NodesOf(ranks, func(rank int) int { return places[rank] / size })
	}
	n.Rails = m.Levels[level].Rails()
	return n
}

// onNodes returns a call of an algorithm on the nodes of the machine.
func onNodes(l collective.Library, e collective.Entry, c collective.Call, n collective.Nodes) (
	collective.Call, error) {
	if c.Channels > 1 && n.Rails == 0 {
		return c, usage.Fields(errors.New("channels leave a node by its rails, "+
			"and the machine has no level with port or ports"), "channels")
	}
	return l.OnNodes(e, c, n), nil
}
