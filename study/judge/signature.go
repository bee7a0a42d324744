package judge

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/bench"
	"github.com/halfpeak/halfpeak/whatif"
)

// Signature draws the LogP signatures that the engine runs, as HP-LAM's figure 4.1: a line for
// each Δ.
func Signature(designs ...whatif.Design) (reports.Figure, error) {
	f := reports.Figure{
		X:     reports.Axis{Label: "messages", Scale: reports.Log},
		Y:     reports.Axis{Label: "average interval (µs)"},
		Notes: []string{"Requests issued by a simulated node, a computation of Δ after each."},
	}
	bursting, err := programs.Find("signature", programs.Simulated)
	if err != nil {
		return f, err
	}
	for _, d := range designs {
		r, err := newRun(&Validation{}, ValidateOptions{}, d)
		if err != nil {
			return f, err
		}
		bursts, _, err := r.bursts(bursting, []quantity.Micros{0, 0.25, 0.5, 1, 1.5, 2})
		if err != nil {
			return f, fmt.Errorf("%s: %w", d.Layer.Ref(), err)
		}
		f.Series = append(f.Series, bench.SignatureSeries(bursts, reports.Line, func(delta quantity.Micros) string {
			return fmt.Sprintf("%s: Δ = %v", d.Layer.Ref(), delta)
		})...)
	}
	return f, nil
}
