package fits

import (
	"fmt"
	"maps"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// encoded returns the text of a platform file. Its first line names the command that
// wrote it, so that a user who finds the file knows how to make it again.
func encoded(f platforms.File, command string) string {
	return string(f.Encode(platforms.WrittenBy + command))
}

// lineLayers completes t, a layer, by one line or several. A switch of several lines
// refers to its branches by name, so each line becomes a layer of its own, whose name
// begins with part and whose source begins with from. The parts of a layer must agree
// in what their times are of ([platforms] refuses others). The errors are those of
// [fit.Result.Layer].
func lineLayers(t platforms.Table, part, from string, r *fit.Result) (
	[]platforms.Table, error) {
	layer, err := r.Lines()
	if err != nil {
		return nil, err
	}
	if _, is := layer.(*model.Table); is {
		t.Set("model", "table")
		t.Set("sizes", list.Map(r.Points, sizeOf)...)
		t.Set("times", list.Map(r.Points, timeOf)...)
		return []platforms.Table{t}, nil
	}
	lines, several := layer.(*model.Switch)
	if !several {
		setLine(&t, r.Segments[0])
		return []platforms.Table{t}, nil
	}
	// The parts agree with t in what their times are of, but a switch has the gaps of its branches.
	of := maps.Clone(t.Keys)
	delete(of, "title")
	delete(of, "note")
	delete(of, "measured")
	t.Set("model", "switch")
	t.Set("gap")
	var parts []platforms.Table
	for k, b := range lines.Branches {
		s := r.Segments[k]
		one := platforms.Table{Name: fmt.Sprintf("%s-%d", part, k+1), Keys: maps.Clone(of)}
		one.Set("source", fmt.Sprintf("%ssizes from %s to %s", from, s.From, s.To))
		setLine(&one, s)
		branch := platforms.Branch{Layer: one.Name}
		if k < len(lines.Branches)-1 { // the last branch serves all larger sizes
			branch.UpTo = fmt.Sprintf("%.0fB", float64(b.UpTo))
		}
		t.Branches, parts = append(t.Branches, branch), append(parts, one)
	}
	return append([]platforms.Table{t}, parts...), nil
}

// setLine sets the keys of one line. The correlation of β and τ is saved because both
// are from the same points: if the line starts higher it rises less. Sampled without
// it, a prediction's interval would be too wide. It has a meaning only beside two
// intervals.
func setLine(t *platforms.Table, s fit.Segment) {
	t.Set("model", "linear")
	t.Set("beta", betaText(s))
	t.Set("tau", tauText(s))
	if s.Correlation != 0 && tauSuffix(s) != "" {
		t.Set("correlation", fmt.Sprintf("%.3f", s.Correlation))
	}
}

// sizeOf and timeOf write points in the exact notation: a saved file that is read again must
// predict the same times.
func sizeOf(p fit.Point) string { return platforms.Exact(p.Size) }
func timeOf(p fit.Point) string { return platforms.Exact(p.Time) }

// betaText and tauText write β and τ of a line as values with symmetric intervals,
// which platform files take: "3.1us ± 0.2us".
func betaText(s fit.Segment) string {
	suffix := intervalSuffix(s.Beta, "us")
	return platforms.Exact(s.Line().Beta) + suffix
}

func tauText(s fit.Segment) string { return platforms.Exact(s.Line().Tau) + tauSuffix(s) }

func tauSuffix(s fit.Segment) string {
	perKiB := func(tau float64) float64 { return quantity.PerKiB(quantity.MicrosPerByte(tau)) }
	return intervalSuffix(quantity.Interval{Value: perKiB(s.Tau.Value), Low: perKiB(s.Tau.Low),
		High: perKiB(s.Tau.High)}, "us/KiB")
}

// intervalSuffix returns " ± " and half of the interval's width. Intervals of lines
// are symmetric (Student's t). Only a coarse clock makes that of β asymmetric (fit
// widens it upwards by a step, downwards by half), and the file then has it around
// the value. Of an interval that was cut at 0, the upper half is kept: readers cut it
// again. The suffix is empty if two points gave no interval (NaN or infinite), or an
// exact fit a width of 0.
func intervalSuffix(in quantity.Interval, unit string) string {
	half := (in.High - in.Low) / 2
	if in.Low == 0 {
		half = in.High - in.Value
	}
	if !(half > 0) || math.IsInf(half, 0) {
		return ""
	}
	return fmt.Sprintf(" ± %.3g%s", half, unit)
}

// pipelineLayer returns a layer whose message crosses the stages in their order. The
// packets are the best ones for each size: measured stages say nothing about the
// packets that the real system cuts.
func pipelineLayer(name string, stages []platforms.Table, source string) platforms.Table {
	names := list.Map(stages, func(s platforms.Table) string { return s.Name })
	return platforms.Table{Name: name, Keys: platforms.Keys{
		"model": {"pipeline"}, "stages": names, "packets": {"best"}, "source": {source},
	}}
}

// addCurve adds a layer with its measured points to the file. The points go along
// because predictions use the measured curve or, if the model was named, have intervals from the
// errors of the lines; the lines remain what --set changes. It returns the errors of
// [fit.Result.Layer].
func addCurve(f *platforms.File, name, title string, c Curve) error {
	from := fmt.Sprintf("%s%s, %s: %s fit over %d sizes, median error %.2g %%",
		c.Place(), c.dateSuffix(), c.Table.Format, c.Model, len(c.Points), 100*c.Median)
	t := platforms.Table{Name: name, Keys: platforms.Keys{
		"title": {title}, "note": {strings.Join(c.Warnings, ". ")}, "source": {from},
	}}
	setSubject(&t, c.Table)
	layer, err := c.Layer()
	if err != nil {
		return err
	}
	measured := layer.Measured
	if measured != nil {
		t.Set("measured", name)
	}
	layers, err := lineLayers(t, name+"-segment", from+", ", c.Result)
	if err != nil {
		return err
	}
	f.Layers = append(f.Layers, layers...)
	if measured != nil {
		points := *measured
		points.Source = c.Place() + c.dateSuffix()
		f.Measured = append(f.Measured, points.Table(name))
	}
	return nil
}

// setSubject names the subject of a table's times; messages need no name, but their
// gap is unknown. Without it, a saved gap or a saved allreduce would be offered as the
// latency of a message by every command that reads the file.
func setSubject(of *platforms.Table, t *benchfile.Table) {
	switch t.Kind {
	case benchfile.Gap:
		of.Set("times_of", string(platforms.Stream))
	case benchfile.Operation:
		of.Set("times_of", string(platforms.Operation))
	case benchfile.Collective:
		of.Set("times_of", string(platforms.Collective))
		of.Set("collective", t.Collective.Name)
		if t.Collective.PerRank {
			of.Set("per_rank", "true")
		}
		if t.Collective.Ranks > 0 {
			of.Set("ranks", strconv.Itoa(t.Collective.Ranks))
		}
	default: // a benchmark of latency has one message under way at a time
		of.Set("gap", "unknown")
	}
}
