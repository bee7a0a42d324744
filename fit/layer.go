package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
)

// Layer returns the result as a layer of a platform: one line as [model.Linear], several as a
// [model.Switch] between them. The time of an operation stands in for that of a message. A per-size
// table, the gaps of a stream, and overheads are no layer.
func (r *Result) Layer() (model.Layer, error) {
	switch r.Kind {
	case trace.OneWay, trace.Stage, trace.Operation, trace.Collective:
	default:
		return nil, fmt.Errorf("%s: a %v is not the time of a message; together with latencies it gives LogGP", r.Name, r.Kind)
	}
	if r.Model == "table" {
		return nil, fmt.Errorf("%s: a per-size table is no layer; fit lines, or segments", r.Name)
	}
	lines := make([]model.Branch, len(r.Segments))
	for i, s := range r.Segments {
		lines[i] = model.Branch{
			Name:  fmt.Sprintf("segment %d", i+1),
			UpTo:  s.upTo,
			Layer: &model.Linear{Beta: s.Beta.Value, Tau: s.Tau.Value},
		}
	}
	if len(lines) == 1 {
		return lines[0].Layer, nil
	}
	return &model.Switch{Branches: lines}, nil
}
