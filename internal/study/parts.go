package study

import (
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Parts returns the parts of the critical path of a recorded run, and of the local copy before it.
func Parts(r *simulate.Result, copying quantity.Micros) ([]Share, error) {
	path, err := r.Path()
	if err != nil {
		return nil, err
	}
	parts := list.Map(path.Shares.Parts(), func(part simulate.Share) Share {
		return Share{Owner: part.Name, OneWay: r.Micros(part.Ticks)}
	})
	if copying > 0 {
		parts = append(parts, Share{Owner: "copy", OneWay: copying})
	}
	return parts, nil
}
