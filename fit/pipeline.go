package fit

import (
	"fmt"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
)

// Stages fits a line to each table, the stages of a pipeline in order, and returns their pipeline
// (CLIP §4.2.2.2 and appendix B). Messages are cut into the best packet of each size.
func Stages(tables []*benchfile.Table, m Method) ([]*Result, model.Pipeline, error) {
	p := model.Pipeline{Cut: model.Cut{Rule: model.CutBest}}
	var results []*Result
	for _, t := range tables {
		r, err := Linear(t, m)
		if err != nil {
			return nil, model.Pipeline{}, err
		}
		r.Model = "pipeline"
		results = append(results, r)
		line := r.Segments[0].Line()
		stage := model.Stage{Name: t.Name(), Beta: line.Beta, Tau: line.Tau}
		p.Stages = append(p.Stages, stage)
	}
	if len(results) == 0 {
		return nil, model.Pipeline{}, fmt.Errorf("%w: no stages; "+
			"a pipeline takes a CSV with columns stage, size_bytes, time_us", ErrNoData)
	}
	return results, p, nil
}
