package collectives

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/reports"
)

// Algorithms are algorithms of collectives, with their names and numbers in libraries.
type Algorithms []collective.Entry

// AlgorithmsOf returns the algorithms of a collective, or of all collectives if the name is empty.
// An unknown collective is an error.
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

// Schedule returns the schedule of one collective. An unknown algorithm, or one that does not take
// the call, is a [usage.Error]. Too many operations are an error too.
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

// Rows tabulates the algorithms.
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
		reports.Col("help", "what it does", func(e collective.Entry) any { return e.Help }),
		reports.Col("otherwise", "", func(e collective.Entry) any { return reports.OrNil(e.When) }),
	)
}
