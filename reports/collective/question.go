package collective

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/lex"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A question is calls on a design. They are answered by fits, if there are any, else by simulations
// on a machine of levels. Without levels, the layer connects every two ranks: there are no
// distances, and messages share nothing but the ways in and out of a rank.
type question struct {
	Calls
	of Algorithms // of the collective
	// fits are the collectives that were measured on the machine. They hold for the placement and
	// the calls that were measured, so that the calls have no segments, root, fan-out or placement.
	fits []fitOf

	layer    platforms.Layer
	machine  machine.Machine     // without levels: the layer
	within   calibrate.Deviation // of the times
	local    platforms.Costs     // whose times to copy and to combine are those of the ranks
	library  collective.Library  // whose choices algorithms are where none is named
	ofLevels bool                // the platform of the layer has levels
	ranAs    string              // how the library runs the collective, as far as was measured
	alone    int                 // the ranks of a measurement that no fit joins; 0: there is none
}

// maxRanks and maxSize bound the ranks and bytes of a call: machines have fewer ranks, and of more
// bytes no float64 is exact.
const (
	maxRanks = 1 << 20
	maxSize  = quantity.Bytes(1 << 53)
)

// on returns the question with all that a design's file says: the measurements of the collective,
// the local work of the ranks, the machine, and how far its times can be trusted. The errors are
// an unknown collective, ranks and sizes that no call has, and those of the measurements.
func (c Calls) on(d platforms.Design) (q question, err error) {
	q = question{Calls: c, layer: d.Layer, machine: d.Machine(), library: d.Platform.Library,
		ofLevels: len(d.Platform.Levels) > 0, within: calibrate.DeviationOf(d.Platform)}
	if q.of, err = c.entries(); err != nil {
		return q, err
	}
	if err = c.checkOptions(); err != nil {
		return q, err
	}
	for _, n := range c.Ranks {
		if n < 1 || n > maxRanks {
			return q, fmt.Errorf("%d ranks: a collective has 1 to %d", n, maxRanks)
		}
	}
	for _, n := range c.Sizes {
		if !(n >= 0 && n <= maxSize) || n != quantity.Bytes(math.Trunc(float64(n))) {
			return q, fmt.Errorf("%g bytes: a collective has 0 to 2⁵³ whole ones", float64(n))
		}
	}
	q.Collective = q.of[0].Collective
	if !c.Simulated {
		q.fits = c.fitsOf(d, q.Collective)
		q.takeMeasured()
	}
	q.ranAs = calibrate.MeasuredAs(d.Platform, q.Collective)
	for _, l := range d.Platform.Layers {
		if l.Timed.Of == platforms.Collective && l.Timed.Collective == timedName(q.Collective) {
			q.alone = cmp.Or(q.alone, l.Timed.Ranks)
		}
	}
	switch {
	case len(q.fits) == 0 && (q.Total || q.Groups > 1):
		return q, fmt.Errorf("sizes of all ranks' blocks and groups of ranks are those of "+
			"measured collectives, and %s has none of %s", d.Asked(), q.Collective)
	case d.Layer.Model == nil && len(q.fits) == 0:
		return q, fmt.Errorf("%s has no layer, and no measurements of %s; it has those of %s",
			d.Asked(), q.Collective, strings.Join(stats.Ascending(list.Map(d.Platform.Collectives,
				func(m platforms.MeasuredCollective) string { return m.Of.Collective })), ", "))
	case d.Layer.Model == nil: // a file of measured collectives
	default:
		if err := d.Layer.Messages(); err != nil && len(q.fits) == 0 {
			return q, err
		}
		q.local = d.Costs()
	}
	return q.onWholeNodes()
}

// takeMeasured asks for the measured ranks and sizes where none are given.
func (q *question) takeMeasured() {
	ranks, sizes := q.Ranks, q.Sizes
	for _, f := range q.fits {
		for _, p := range f.Data.Points {
			if len(q.Ranks) == 0 && len(q.Nodes) == 0 && !slices.Contains(ranks, p.Ranks) {
				ranks = append(ranks, p.Ranks)
			}
			if len(q.Sizes) == 0 && !slices.Contains(sizes, p.Size) {
				sizes = append(sizes, p.Size)
			}
		}
	}
	q.Ranks, q.Sizes = ranks, sizes
}

// checkOptions returns an error if an option has a value that no call has.
func (c Calls) checkOptions() error {
	for _, n := range c.Segments {
		if !(n >= 1 && n <= maxSize) {
			return usage.Fields(fmt.Errorf("segments of %g bytes: they have 1 to 2⁵³", float64(n)),
				"segment")
		}
	}
	switch {
	case c.PerNode < 0:
		return usage.Fields(fmt.Errorf("%d ranks on each node: give 1 or more, or 0 for as many "+
			"as were measured", c.PerNode), "ranks-per-node")
	case c.Groups < 0:
		return fmt.Errorf("%d groups: give 1 or more, or 0 for one", c.Groups)
	case c.Operations < 0:
		return fmt.Errorf("schedules of %d operations: give 1 or more, or 0 for the usual limit",
			c.Operations)
	case c.Statistic != "" && !slices.Contains(fitted.Statistics, c.Statistic):
		return fmt.Errorf("no statistic %q: give %q or %q", c.Statistic, fitted.Average,
			fitted.Slowest)
	}
	return nil
}

// fitsOf returns the design's measurements of the collective, which may be none.
func (c Calls) fitsOf(d platforms.Design, name string) []fitOf {
	if c.Fits == nil {
		return fitsOf(d, name)
	}
	c.Fits.mutex.Lock()
	defer c.Fits.mutex.Unlock()
	all, known := c.Fits.of[name]
	if known {
		return all
	}
	if c.Fits.of == nil {
		c.Fits.of = map[string][]fitOf{}
	}
	all = fitsOf(d, name)
	c.Fits.of[name] = all
	return all
}

// onWholeNodes returns the question with the ranks of its numbers of nodes.
func (q question) onWholeNodes() (question, error) {
	if len(q.Nodes) == 0 {
		return q, nil
	}
	perNode := q.PerNode
	for _, f := range q.fits {
		for _, p := range f.Data.Points {
			if q.PerNode == 0 {
				perNode = max(perNode, p.PerNode)
			}
		}
	}
	if len(q.fits) == 0 && perNode == 0 && len(q.machine.Levels) > 0 {
		perNode = q.machine.Sizes()[placed.Node(q.machine)]
	}
	if perNode == 0 {
		return q, usage.Fields(errors.New("how many ranks a node has is not known; "+
			"give their number"), "ranks-per-node")
	}
	if len(q.fits) > 0 {
		q.PerNode = perNode
	}
	q.Ranks = nil
	for _, n := range q.Nodes {
		if most := maxRanks / perNode; n < 1 || n > most {
			return q, usage.Fields(fmt.Errorf("%d nodes of %s; give 1 to %d", n,
				lex.Plural(perNode, "rank"), most), "nodes")
		}
		q.Ranks = append(q.Ranks, n*perNode)
	}
	return q, nil
}

// about returns the same question about other calls, without its progress if it is silent.
func (q question) about(c Calls, silent bool) question {
	q.Calls = c
	if silent {
		q.Progress = nil
	}
	return q
}

// copies returns the time in which each rank first copies its own data. It delays all ranks alike,
// and no schedule contains it.
func (q question) copies(size quantity.Bytes) quantity.Micros {
	if !collective.CopiesOwn(q.Collective) {
		return 0
	}
	return q.local.Copy.Times(size)
}

// takeLocalWork sets the time to combine a byte to that of the platform, if the algorithms combine
// and the call has none of its own.
func (q *question) takeLocalWork() {
	combines := func(e collective.Entry) bool { return e.Params&collective.Gamma != 0 }
	if q.Call.Gamma == 0 && slices.ContainsFunc(q.of, combines) {
		q.Call.Gamma = q.local.Combine.Nanos()
	}
}

// sizes returns the sizes of the calls; a barrier has none.
func (q question) sizes() []quantity.Bytes {
	if q.of[0].Collective == "barrier" {
		return []quantity.Bytes{0}
	}
	return stats.Ascending(q.Sizes)
}
