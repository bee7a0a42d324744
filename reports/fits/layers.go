package fits

import (
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// encoded returns the text of a platform file. Its first line names the command that
// wrote it, so that a user who finds the file knows how to make it again.
func encoded(p platforms.Platform, command string) string {
	return string(p.File().Encode(platforms.WrittenBy + command))
}

// pipelineLayer returns a layer whose message crosses the stages in their order. The
// packets are the best ones for each size: measured stages say nothing about the
// packets that the real system cuts.
func pipelineLayer(name string, stages []model.Stage, source string) platforms.Layer {
	return platforms.Layer{Name: name, Source: source,
		Model: &model.Pipeline{Stages: stages, Cut: model.Cut{Rule: model.CutBest}}}
}

// addCurve adds a layer with its measured points to the platform. The points go along
// because predictions use the measured curve or, if the model was named, have intervals from the
// errors of the lines; the lines remain what --set changes. It returns the errors of
// [fit.Result.Layer].
func addCurve(p *platforms.Platform, name, title string, c Curve) error {
	from := fmt.Sprintf("%s%s, %s: %s fit over %d sizes, median error %.2g %%",
		c.Place(), c.Dated(), c.Table.Format, c.Model, len(c.Points), 100*c.Median)
	fitted, err := c.Layer()
	if err != nil {
		return err
	}
	l := platforms.Layer{Name: name, Title: title, Note: strings.Join(c.Warnings, ". "),
		Timed: subject(c.Table), Source: from}
	if fitted.Measured != nil {
		points := *fitted.Measured
		points.Source = c.Place() + c.Dated()
		l.Measured = &points
	}
	// A benchmark of latency has one message under way at a time. Without the mark, its time would
	// be offered as the gap of a stream.
	gapUnknown := l.Timed.Of == platforms.Message
	layers, err := c.Layers(l, gapUnknown, name+"-segment", from+", ")
	if err != nil {
		return err
	}
	p.Layers = append(p.Layers, layers...)
	return nil
}

// subject returns what a table's times are of. Otherwise a saved gap or a saved allreduce would be
// offered as the latency of a message by every command that reads the file.
func subject(t *benchfile.Table) platforms.Timed {
	switch t.Kind {
	case benchfile.Gap:
		return platforms.Timed{Of: platforms.Stream}
	case benchfile.Operation:
		return platforms.Timed{Of: platforms.Operation}
	case benchfile.Collective:
		return platforms.Timed{Of: platforms.Collective, Collective: t.Collective.Name,
			Ranks: max(t.Collective.Ranks, 0), PerRank: t.Collective.PerRank}
	}
	return platforms.Timed{Of: platforms.Message}
}
