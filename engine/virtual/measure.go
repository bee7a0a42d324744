package virtual

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
)

// Measure runs a benchmark program on a system, on the program's own number of nodes if it has one.
// The result is that of node 0.
func Measure(s *System, c Config, p programs.Program, a programs.Args) (result programs.Result, report Report, err error) {
	if p.On&programs.Simulated == 0 {
		return result, report, fmt.Errorf("%s: %s needs a real transport", s.Name, p.Name)
	}
	if p.Nodes > 0 {
		c.Nodes = p.Nodes
	}
	report, err = Run(s, c, func(ep *engine.Endpoint) error {
		r, err := p.Run(ep, a)
		if ep.Node() == 0 {
			result = r
		}
		return err
	})
	return result, report, err
}
