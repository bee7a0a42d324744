package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
)

// Layer returns the result as a layer of a platform: one line as
// [model.Linear], several as a [model.Switch] between them. The time of an operation
// or a collective, and the gap of a stream, stand for the cost of a message; interpret the
// layer's costs accordingly. A per-size table and overheads cannot be layers.
func (r *Result) Layer() (model.Layer, error) {
	switch r.Kind {
	case benchfile.OneWay, benchfile.Stage, benchfile.Operation, benchfile.Collective, benchfile.Gap:
	default:
		return nil, fmt.Errorf("%s: the %v is not the time of a message, and no layer", r.Name, r.Kind)
	}
	if r.Model == "table" {
		t := new(model.Table)
		for _, p := range r.Points {
			t.Sizes, t.Times = append(t.Sizes, p.Size), append(t.Times, p.Time)
		}
		return t, nil
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
