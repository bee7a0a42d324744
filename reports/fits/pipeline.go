package fits

import (
	"cmp"
	"fmt"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Pipeline has a line for each stage of packets.
type Pipeline struct {
	Curves []Curve
	Best   []remark.Note // notes on the best packets
}

func tablesOf(sources []benchmarks.Source) []*benchfile.Table {
	return list.Map(sources, func(s benchmarks.Source) *benchfile.Table { return s.Table })
}

// pipeline fits a line to each stage and asks the pipeline model for the best
// packets. The three sizes of the notes show how the best packet grows: as the root
// of the size, by CLIP's equation 10.
func pipeline(sources []benchmarks.Source, method fit.Method) (*Pipeline, error) {
	results, pipe, err := fit.Stages(tablesOf(sources), method)
	if err != nil {
		return nil, err
	}
	f := &Pipeline{}
	for i, r := range results {
		f.Curves = append(f.Curves, Curve{Source: sources[i], Result: r})
	}
	for _, n := range []quantity.Bytes{4 * quantity.KiB, 64 * quantity.KiB, 1024 * quantity.KiB} {
		size, t := pipe.BestPacket(n)
		f.Best = append(f.Best, remark.BestPackets(n, t, size))
	}
	return f, nil
}

// Made has a stage per table. A stage has one line (fit.Stages), so its
// first segment is all of it.
func (f *Pipeline) Made() (p platforms.Platform, remarks string, err error) {
	p = platforms.Platform{Title: "fit of " + benchmarks.Names(sourcesOf(f.Curves[:1]))}
	names := list.Numbered(list.Map(f.Curves, func(c Curve) string {
		return cmp.Or(plainName(c.Name), "stage")
	}), "-")
	var stages []model.Stage
	for i, c := range f.Curves {
		s := &c.Segments[0]
		source := fmt.Sprintf("%s%s, stage %s: %s least squares over %d sizes",
			c.Place(), c.Dated(), c.Name, c.Method, len(c.Points))
		line := s.Line()
		stages = append(stages, model.Stage{Name: names[i], Beta: line.Beta, Tau: line.Tau})
		p.Params = append(p.Params, s.Params("stage."+names[i], source)...)
	}
	p.Layers = []platforms.Layer{pipelineLayer("fit", stages, "the stages above; best packets")}
	return p, "", nil
}

// pipelineLayer returns a layer whose message crosses the stages in their order. The
// packets are the best ones for each size: measured stages say nothing about the
// packets that the real system cuts.
func pipelineLayer(name string, stages []model.Stage, source string) platforms.Layer {
	return platforms.Layer{Name: name, Source: source,
		Model: &model.Pipeline{Stages: stages, Cut: model.Cut{Rule: model.CutBest}}}
}
