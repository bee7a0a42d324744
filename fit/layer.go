package fit

import (
	"fmt"

	costs "github.com/halfpeak/halfpeak/model"
)

// Layer returns the result as a layer of a platform: one line as
// [costs.Linear], several as a [costs.Switch] between them. A per-size table
// and times that are not those of one message are no layer.
func (r *Result) Layer() (costs.Layer, error) {
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
