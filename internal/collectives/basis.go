package collectives

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Basis is what calls are answered from: a design, and its measurements of the collective. Its
// calls have the ranks of their nodes; a [Plan] of calls that have no ranks, or no sizes, is of
// those that were measured.
type Basis struct {
	Calls
	design platforms.Design
	fits   []fitOf // none: the calls are simulated
}

// Basis returns what the calls are answered from on a design: its measurements if it has some of
// the collective, else its messages. The errors are an unknown collective, ranks and sizes that no
// call has, and a design that cannot answer.
func (c Calls) Basis(d platforms.Design) (b Basis, err error) {
	of, err := collective.Find(c.Collective, "")
	if err != nil {
		return b, usage.Error{Err: err}
	}
	if err := c.check(); err != nil {
		return b, err
	}
	var all []fitOf
	if c.Collective = of.Collective; !c.Simulated {
		all = c.Fits.measured(d, c.Collective)
	}
	switch {
	case len(all) > 0:
	case c.Total || c.Groups > 1 || c.PerNode > 0 && len(c.Nodes) == 0:
		err := fmt.Errorf("ranks on each node, groups of them and sizes of all blocks are of "+
			"measured collectives, and %s has none of %s", d.Asked(), c.Collective)
		return b, usage.Fields(err, "ranks-per-node", "total")
	case d.Layer.Model == nil:
		return b, fmt.Errorf("%s has no layer, and no measurements of %s; it has those of %s",
			d.Asked(), c.Collective, strings.Join(stats.Ascending(list.Map(d.Platform.Collectives,
				func(m platforms.MeasuredCollective) string { return m.Of.Collective })), ", "))
	default:
		if err := d.Layer.Messages(); err != nil {
			return b, err
		}
	}
	c, err = c.onWholeNodes(d.Machine(), all)
	return Basis{c, d, all}, err
}

// asMeasured returns the calls with the measured ranks and sizes where none are given.
func (c Calls) asMeasured(all []fitOf) Calls {
	ranks, sizes := c.Ranks, c.Sizes
	for _, f := range all {
		for _, p := range f.Data.Points {
			if len(c.Ranks) == 0 && !slices.Contains(ranks, p.Ranks) {
				ranks = append(ranks, p.Ranks)
			}
			if len(c.Sizes) == 0 && !slices.Contains(sizes, p.Size) {
				sizes = append(sizes, p.Size)
			}
		}
	}
	c.Ranks, c.Sizes = ranks, sizes
	return c
}

// onWholeNodes returns the calls with the ranks of their numbers of nodes.
func (c Calls) onWholeNodes(m machine.Machine, all []fitOf) (Calls, error) {
	if len(c.Nodes) == 0 {
		return c, nil
	}
	perNode := c.PerNode
	for _, f := range all {
		for _, p := range f.Data.Points {
			if c.PerNode == 0 {
				perNode = max(perNode, p.PerNode)
			}
		}
	}
	if len(all) == 0 && perNode == 0 && len(m.Levels) > 0 {
		perNode = m.Sizes()[placed.Node(m)]
	}
	if perNode == 0 {
		return c, usage.Fields(errors.New("how many ranks a node has is not known; "+
			"give their number"), "ranks-per-node")
	}
	if len(all) > 0 {
		c.PerNode = perNode
	}
	c.Ranks = nil
	for _, n := range c.Nodes {
		if most := maxRanks / perNode; n < 1 || n > most {
			return c, usage.Fields(fmt.Errorf("%d nodes of %s; give 1 to %d", n,
				quantity.Plural(perNode, "rank"), most), "nodes")
		}
		c.Ranks = append(c.Ranks, n*perNode)
	}
	c.Nodes = nil
	return c, nil
}

// FittedTo reports whether the times are fitted to a point of data, perhaps in another file: the
// same call with the same time.
func (b Basis) FittedTo(d *fitted.Data, at fitted.Point) bool {
	return slices.ContainsFunc(b.fits, func(f fitOf) bool { return f.has(d, at) })
}
