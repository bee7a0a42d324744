package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/trace"
	costs "github.com/halfpeak/halfpeak/model"
)

// Layer returns the result as a layer of a platform: one line as
// [costs.Linear], several as a [costs.Switch] between them. The time of an operation
// or collective stands for that of a message. A per-size table, the gaps of a stream, and overheads
// are no layer.
func (r *Result) Layer() (costs.Layer, error) {
	switch r.Kind {
	case trace.OneWay, trace.Stage, trace.Operation, trace.Collective:
	default:
		return nil, fmt.Errorf("%s: a %v is not the time of a message; together with latencies it gives LogGP", r.Name, r.Kind)
	}
	if r.Model == "table" {
		return nil, fmt.Errorf("%s: a per-size table is no layer; fit lines, or segments", r.Name)
	}
	lines := make([]costs.Branch, len(r.Segments))
	for i, s := range r.Segments {
		lines[i] = costs.Branch{
			Name:  fmt.Sprintf("segment %d", i+1),
			UpTo:  s.upTo,
			Layer: costs.Linear{Beta: s.Beta.Value, Tau: s.Tau.Value},
		}
	}
	if len(lines) == 1 {
		return lines[0].Layer, nil
	}
	return costs.Switch{Branches: lines}, nil
}
