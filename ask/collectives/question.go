package collectives

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit/calibrate"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Question asks for the times of calls. [Question.On] asks a design. The answer comes from Fits
// if there are any, else from simulations on a machine of levels. Without levels, the layer
// connects every two ranks: there are no distances, and messages share nothing but the ways in and
// out of a rank.
type Question struct {
	Calls
	// Fits are the collectives that were measured on the machine. They hold for the placement and
	// the calls that were measured, so that the calls have no segments, root, fan-out or placement.
	Fits []Fit
	// Statistic selects measurements; empty: all.
	Statistic fitted.Statistic
	// Total says that sizes are those of all ranks' blocks.
	Total bool
	// Tune is the command that measures each algorithm, for messages.
	Tune string

	Layer    platforms.Layer
	Machine  machine.Machine     // without levels: the layer
	Loop     bool                // times are as OSU's benchmarks print them
	Within   calibrate.Deviation // of the times
	local    platforms.Costs     // whose times to copy and to combine are those of the ranks
	library  string              // whose choices algorithms are where none is named
	ofLevels bool                // the platform of the layer has levels
	// Measured says how the library runs the collective, as far as measurements show that.
	Measured string

	// Operations is the largest number of operations of a schedule that is simulated. If it is 0,
	// the limit is 2²⁰ for each schedule, and for all together 2³², or 2²² if there is a
	// faster way, which gives no average.
	Operations int
	Progress   func(done, total int) // nil: none; calls do not overlap
}

// On returns the question with all that a design's file says: the measurements of the collective,
// the local work of the ranks, the machine, and how far its times can be trusted. An error is one
// of the measurements.
func (q Question) On(d platforms.Design) (Question, error) {
	var err error
	if q.Fits, err = fitsOf(d, q.Collective); err != nil {
		return q, err
	}
	q.Layer, q.Machine = d.Layer, d.Machine()
	q.library, q.ofLevels = d.Platform.Library, len(d.Platform.Levels) > 0
	q.Within = calibrate.DeviationOf(d.Platform)
	q.Measured = calibrate.MeasuredAs(d.Platform, q.Collective)
	if d.Layer.Model != nil { // a file of measured collectives may have none
		q.local = d.Costs()
	}
	return q.onWholeNodes()
}

// onWholeNodes returns the question with the ranks of its numbers of nodes.
func (q Question) onWholeNodes() (Question, error) {
	if len(q.Nodes) == 0 {
		return q, nil
	}
	perNode := q.PerNode
	for _, f := range q.Fits {
		for _, p := range f.Data.Points {
			if q.PerNode == 0 {
				perNode = max(perNode, p.PerNode)
			}
		}
	}
	if len(q.Fits) == 0 && perNode == 0 && len(q.Machine.Levels) > 0 {
		perNode = q.Machine.Sizes()[q.node()]
	}
	if perNode == 0 {
		return q, usage.Fields(errors.New("how many ranks a node has is not known; "+
			"give their number"), "ranks-per-node")
	}
	if len(q.Fits) > 0 {
		q.PerNode = perNode
	}
	q.Ranks = nil
	for _, n := range q.Nodes {
		if n < 1 || n > math.MaxInt32/perNode {
			return q, usage.Fields(fmt.Errorf("%d nodes; give at least 1", n), "nodes")
		}
		q.Ranks = append(q.Ranks, n*perNode)
	}
	return q, nil
}

// Simulated returns the question without the measurements: it is answered by simulation.
func (q Question) Simulated() Question {
	q.Fits = nil
	return q
}

// about returns the same question about other calls, without its progress if it is silent.
func (q Question) about(c Calls, silent bool) Question {
	q.Calls = c
	if silent {
		q.Progress = nil
	}
	return q
}

// node returns the level whose units are the nodes of the machine, which has levels: the innermost
// one with a port, or the one of that name, or the outermost but one.
func (q Question) node() int {
	levels := q.Machine.Levels
	node := max(0, len(levels)-2)
	for i, l := range slices.Backward(levels) {
		if l.Name == "node" {
			node = i
		}
	}
	for i, l := range slices.Backward(levels) {
		if l.Rails() > 0 {
			node = i
		}
	}
	return node
}
