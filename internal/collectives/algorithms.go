package collectives

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Algorithms are algorithms of collectives, with their names and numbers in libraries.
type Algorithms []collective.Entry

// AlgorithmsOf returns the algorithms of a collective, or of all collectives if the name is empty.
// An unknown collective is an error.
func AlgorithmsOf(name string) (Algorithms, error) {
	if name == "" {
		return collective.Algorithms, nil
	}
	of, err := collective.Find(name, "")
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	return collective.Of(of.Collective), nil
}

// parameters lists the parameters that algorithms can have, with whether a call sets
// them. Zero is the default of each, so a parameter of 0 is not given.
var parameters = []struct {
	takes collective.ParamSet
	name  string
	given func(collective.Call) bool
}{
	{collective.Root, "root", func(c collective.Call) bool { return c.Root != 0 }},
	{collective.Segment, "segment", func(c collective.Call) bool { return c.Segment != 0 }},
	{collective.Fanout, "fan-out", func(c collective.Call) bool { return c.Fanout != 0 }},
	{collective.Gamma, "gamma", func(c collective.Call) bool { return c.Gamma != 0 }},
	{collective.Channels, "channels", func(c collective.Call) bool { return c.Channels != 0 }},
	{collective.PerNode | collective.Channels, "ranks-per-node",
		func(c collective.Call) bool { return c.PerNode != 0 }},
}

// checkParameters returns an error if the call has a parameter that no algorithm takes.
func (a Algorithms) checkParameters(c collective.Call) error {
	var all collective.ParamSet
	for _, e := range a {
		// A parameter that one of the algorithms takes is enough: the others ignore it.
		all |= e.Params
	}
	for _, p := range parameters {
		if !p.given(c) || all&p.takes != 0 {
			continue
		}
		err := fmt.Errorf("no algorithm of %s has a parameter %s", a[0].Collective, p.name)
		if len(a) == 1 {
			err = fmt.Errorf("%s %s has no parameter %s", a[0].Collective, a[0].Name, p.name)
		}
		return usage.Fields(err, p.name)
	}
	return nil
}

// ParametersOf returns the names of the parameters that an algorithm takes.
func ParametersOf(e collective.Entry) (names []string) {
	for _, p := range parameters {
		if e.Params&p.takes != 0 {
			names = append(names, p.name)
		}
	}
	return names
}
