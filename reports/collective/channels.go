package collective

import (
	"errors"
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// nodes returns the ranks on each node, and the rails of a node, if ranks are placed on one node
// after the other; 0 ranks if they take turns. on has the places of the ranks.
func (q question) nodes(on simulate.Machine, ranks int) (perNode, rails int) {
	levels := q.machine.Levels
	if len(levels) < 2 {
		return 0, 0
	}
	level := placed.Node(q.machine)
	return collective.PerNodeOf(ranks, func(a, b int) bool {
		return on.Level(a, b)%len(levels) <= level
	}), levels[level].Rails()
}

// serves reports whether an algorithm is for so many ranks and for the nodes of a call, so that it
// is tried among others. One in two levels is another algorithm elsewhere.
func serves(e collective.Entry, ranks int, c collective.Call) bool {
	return (e.Ranks == 0 || e.Ranks == ranks) && (e.Most == 0 || ranks <= e.Most) &&
		(e.Params&collective.PerNode == 0 || e.Runs(ranks, c).Name == e.Name)
}

// onNodes returns a call of an algorithm on the nodes of the machine.
func (q question) onNodes(e collective.Entry, c collective.Call, perNode, rails int) (
	collective.Call, error) {
	if c.Channels > 1 && rails == 0 {
		return c, usage.Fields(errors.New("channels leave a node by its rails, "+
			"and the machine has no level with port or ports"), "channels")
	}
	return q.library.OnNodes(e, c, perNode, rails), nil
}

// channelNotes says how many channels the calls have that have several.
func channelNotes(cells []Timing) (notes []string) {
	for _, c := range cells {
		if c.Call.Channels > 1 {
			note := fmt.Sprintf("%s in %d channels, each by its rail.", c.Name, c.Call.Channels)
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
