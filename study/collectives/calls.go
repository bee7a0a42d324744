package collectives

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// Calls are the calls that a question is about: the algorithms of a collective, each on these
// numbers of ranks and with these sizes.
type Calls struct {
	Collective string
	Algorithm  string // a name; "all", or "best" for the rows of the best alone
	Ranks      []int
	Sizes      []quantity.Bytes // of the message, or of a rank's block; a barrier has none
	Segments   []quantity.Bytes // tried beside whole messages, by the algorithms that take any
	Call       collective.Call  // Root, Fanout and Gamma
	// Copy is the time for a byte of the copy with which each rank begins. It delays all alike.
	Copy    quantity.MicrosPerByte
	Map     string // how ranks are placed on the machine; see [machine.Machine.Place]
	Library string // only what rules in this form can say; empty: all
}

// several reports whether algorithms are compared.
func (q Calls) several() bool { return q.Algorithm == "all" || q.Algorithm == "best" }

// algorithms returns those that are asked for.
func (q Calls) algorithms() (all Algorithms, err error) {
	if q.several() {
		all, err = AlgorithmsOf(q.Collective)
	} else {
		var e collective.Entry
		e, err = collective.Find(q.Collective, q.Algorithm)
		all = Algorithms{e}
	}
	if err != nil {
		return nil, err
	}
	if q.Library != "" {
		l, err := libraryOf(q.Library)
		if err != nil {
			return nil, err
		}
		named := slices.DeleteFunc(slices.Clone(all), func(e collective.Entry) bool { return !l.has(e) })
		if len(named) == 0 {
			return nil, fmt.Errorf("rules of the form %s cannot say %s %s", q.Library, all[0].Collective, q.Algorithm)
		}
		if !l.segments && len(q.Segments) > 0 {
			return nil, usage.Fields(fmt.Errorf("rules of the form %s have no segments", q.Library), "segment")
		}
		all = named
		for i := range all {
			if l.pads {
				all[i] = all[i].Padded()
			}
		}
	}
	c := q.Call
	if len(q.Segments) > 0 {
		c.Segment = uint64(q.Segments[0])
	}
	return all, all.checkParameters(c)
}

// Algorithms are algorithms of collectives, with their names and numbers in libraries.
type Algorithms []collective.Entry

// AlgorithmsOf are the algorithms of a collective, or of all if it is empty. An unknown collective
// is an error.
func AlgorithmsOf(name string) (Algorithms, error) {
	if name == "" {
		return collective.Algorithms, nil
	}
	all := collective.Of(name)
	if all == nil {
		_, err := collective.Find(name, "")
		return nil, usage.Error{Err: err}
	}
	return all, nil
}

// parameters lists the parameters that algorithms can have.
var parameters = []struct {
	takes collective.ParamSet
	name  string
	given func(collective.Call) bool
}{
	{collective.Root, "root", func(c collective.Call) bool { return c.Root != 0 }},
	{collective.Segment, "segment", func(c collective.Call) bool { return c.Segment != 0 }},
	{collective.Fanout, "fan-out", func(c collective.Call) bool { return c.Fanout != 0 }},
	{collective.Gamma, "gamma", func(c collective.Call) bool { return c.Gamma != 0 }},
}

// TakeLocalWork sets the times to copy and to combine a byte to those of the platform's file, as
// far as the collective copies and its algorithms combine. A call keeps its own time to combine.
func (c *Calls) TakeLocalWork(p platforms.Platform) {
	if contention.CopiesOwn(c.Collective) {
		c.Copy = contention.LocalWork(p, contention.Copy)
	}
	combines := slices.ContainsFunc(collective.Of(c.Collective), func(e collective.Entry) bool { return e.Params&collective.Gamma != 0 })
	if c.Call.Gamma == 0 && combines {
		c.Call.Gamma = 1e3 * float64(contention.LocalWork(p, contention.Combine)) // ns/B
	}
}

// checkParameters returns an error if the call has a parameter that no algorithm takes.
func (a Algorithms) checkParameters(c collective.Call) error {
	var all collective.ParamSet
	for _, e := range a {
		all |= e.Params
	}
	for _, p := range parameters {
		switch {
		case !p.given(c) || all&p.takes != 0:
		case len(a) == 1:
			return usage.Fields(fmt.Errorf("%s %s has no parameter %s", a[0].Collective, a[0].Name, p.name), p.name)
		default:
			return usage.Fields(fmt.Errorf("no algorithm of %s has a parameter %s", a[0].Collective, p.name), p.name)
		}
	}
	return nil
}

// Schedule is the schedule of one collective among so many ranks. It is an error if the algorithm
// is unknown, or does not take the call: a [usage.Error]; and if there are too many operations.
func Schedule(name, algorithm string, ranks int, c collective.Call) (*schedule.Schedule, error) {
	e, err := collective.Find(name, algorithm)
	if err == nil {
		err = (Algorithms{e}).checkParameters(c)
	}
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

// Rows is the table of the algorithms.
func (a Algorithms) Rows() reports.Rows {
	number := func(n int) any {
		if n == 0 {
			return nil
		}
		return n
	}
	return reports.TableOf(a,
		reports.Col("collective", "collective", func(e collective.Entry) any { return e.Collective }),
		reports.Col("algorithm", "algorithm", func(e collective.Entry) any { return e.Name }),
		reports.Col("open_mpi", "Open MPI", func(e collective.Entry) any { return number(e.OpenMPI) }),
		reports.Col("mpich", "MPICH", func(e collective.Entry) any { return reports.OrNil(e.MPICH) }).Ranked(3),
		reports.Col("nccl", "NCCL", func(e collective.Entry) any { return reports.OrNil(e.NCCL) }).Ranked(1),
		reports.Col("intel", "Intel", func(e collective.Entry) any { return number(e.Intel) }).Ranked(2),
		reports.Col("takes", "takes", func(e collective.Entry) any {
			var all []string
			for _, p := range parameters {
				if e.Params&p.takes != 0 {
					all = append(all, p.name)
				}
			}
			return reports.OrNil(strings.Join(all, " "))
		}).Ranked(4),
		reports.Col("closed_form", "", func(e collective.Entry) any { return e.Cost != nil }),
		reports.Col("help", "what it does", func(e collective.Entry) any { return e.Help }),
		reports.Col("otherwise", "", func(e collective.Entry) any { return reports.OrNil(e.When) }),
	)
}
