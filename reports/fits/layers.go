package fits

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// encoded returns the text of a platform file. Its first line names the command that
// wrote it, so that a user who finds the file knows how to make it again.
func encoded(p platforms.Platform, command string) string {
	return string(p.File().Encode(platforms.WrittenBy + command))
}

// lineLayers completes l, a layer, by one line or several, whose gaps may be unknown. A switch of
// several lines refers to its branches by name, so each line becomes a layer of its own, whose name
// begins with part and whose source begins with from. The parts of a layer must agree
// in what their times are of ([platforms] refuses others). The errors are those of
// [fit.Result.Layer].
func lineLayers(l platforms.Layer, gapUnknown bool, part, from string, r *fit.Result) (
	[]platforms.Layer, error) {
	lines, err := r.Lines()
	if err != nil {
		return nil, err
	}
	l.Model = lines
	switch lines := lines.(type) {
	case *model.Table:
		lines.GapUnknown = gapUnknown
	case *model.Switch:
		all := []platforms.Layer{l}
		for k := range lines.Branches {
			b := &lines.Branches[k]
			s := r.Segments[k]
			b.Name = fmt.Sprintf("%s-%d", part, k+1)
			one := platforms.Layer{Name: b.Name, Timed: l.Timed,
				Source: fmt.Sprintf("%ssizes from %s to %s", from, s.From, s.To)}
			setLine(&one, gapUnknown, s)
			all = append(all, one)
		}
		return all, nil
	default:
		setLine(&l, gapUnknown, r.Segments[0])
	}
	return []platforms.Layer{l}, nil
}

// setLine makes one line the layer's model, with its intervals. The correlation of β and τ is saved
// because both are from the same points: if the line starts higher it rises less. Sampled without
// it, a prediction's interval would be too wide. It has a meaning only beside two
// intervals.
func setLine(l *platforms.Layer, gapUnknown bool, s fit.Segment) {
	line := s.Line()
	line.GapUnknown = gapUnknown
	l.Model, l.Params = &line, intervals(l.Name, s, "")
	if halfWidth(s.Tau) > 0 {
		l.Correlation = s.Correlation
	}
}

// intervals returns the intervals of the β and τ of a line, which is that of a layer or a stage.
func intervals(owner string, s fit.Segment, source string) []platforms.Param {
	return []platforms.Param{
		{Owner: owner, Key: "beta", PlusMinus: halfWidth(s.Beta), Source: source},
		{Owner: owner, Key: "tau", PlusMinus: halfWidth(s.Tau), Source: source},
	}
}

// halfWidth returns half of the interval's width. Intervals of lines
// are symmetric (Student's t). Only a coarse clock makes that of β asymmetric (fit
// widens it upwards by a step, downwards by half), and the file then has it around
// the value. Of an interval that was cut at 0, the upper half is kept: readers cut it
// again. It is 0 if two points gave no interval (NaN or infinite), or an
// exact fit a width of 0.
func halfWidth(in quantity.Interval) float64 {
	half := (in.High - in.Low) / 2
	if in.Low == 0 {
		half = in.High - in.Value
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return 0
	}
	return half
}

// digits rounds a number to significant digits.
func digits(v float64, n int) float64 {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', n, 64), 64)
	return v
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
		c.Place(), c.dateSuffix(), c.Table.Format, c.Model, len(c.Points), 100*c.Median)
	fitted, err := c.Layer()
	if err != nil {
		return err
	}
	l := platforms.Layer{Name: name, Title: title, Note: strings.Join(c.Warnings, ". "),
		Timed: subject(c.Table), Source: from}
	if fitted.Measured != nil {
		points := *fitted.Measured
		points.Source = c.Place() + c.dateSuffix()
		l.Measured = &points
	}
	// A benchmark of latency has one message under way at a time. Without the mark, its time would
	// be offered as the gap of a stream.
	gapUnknown := l.Timed.Of == platforms.Message
	layers, err := lineLayers(l, gapUnknown, name+"-segment", from+", ", c.Result)
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
