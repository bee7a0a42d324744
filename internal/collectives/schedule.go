package collectives

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/placed"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/platforms"
)

// Schedule returns the schedule of one collective. An algorithm that does not take the call is a
// [usage.Error]. Too many operations are an error too.
// Unlike [Calls.On], it checks before it builds: the user named one algorithm and
// wants to know why it cannot be.
//
// An algorithm whose shape depends on the costs of messages, such as logp-optimal, has
// that of the design, with one rank on each core. It is an error if such an algorithm
// has no design, whose Layer.Model is nil then, or if another algorithm has one.
func Schedule(e collective.Entry, ranks int, c collective.Call, d platforms.Design) (
	*schedule.Schedule, error) {
	err := (Algorithms{e}).checkParameters(c)
	shaped := e.Params&collective.Shape != 0
	switch given := d.Layer.Model != nil; {
	case err != nil:
	case shaped && !given:
		err = usage.Fields(fmt.Errorf("%s %s requires a machine, whose L, o and g shape its tree",
			e.Collective, e.Name), "machine")
	case given && !shaped:
		err = usage.Fields(fmt.Errorf("%s %s is the same on all machines", e.Collective, e.Name),
			"machine")
	case given:
		m, failed := placed.Machine(d.Machine(), d.Layer, machine.Placement{}, ranks,
			simulate.NoLimit)
		if failed != nil {
			return nil, failed
		}
		c.LogP = logPOf(m, ranks, c)
	}
	// A barrier moves no data, so a size that was given for several collectives means
	// nothing for it.
	if e.Collective == "barrier" {
		c.Bytes = 0
	}
	if err == nil {
		err = e.Check(ranks, c)
	}
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return e.Schedule(ranks, c)
}
