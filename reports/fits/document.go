package fits

import (
	"fmt"
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

// Encoded returns the text of a platform file that the command wrote.
func Encoded(d platforms.Document, command string) (string, error) {
	text, err := d.Encode("Written by halfpeak " + command)
	return string(text), err
}

// LineTables completes the table of a layer of one line or of several. Each of several lines has a
// layer of its own, with a name that begins with part and a source that begins with from. All
// tables get the keys in all. The errors are those of [fit.Result.Layer].
func LineTables(t platforms.Table, part, from string, r *fit.Result, all ...platforms.Key) (
	[]platforms.Table, error) {
	layer, err := r.Layer()
	if err != nil {
		return nil, err
	}
	t.Keys = append(t.Keys, all...)
	if _, is := layer.(*model.Table); is {
		t.Set("model", "table")
		setPoints(&t, r.Points)
		return []platforms.Table{t}, nil
	}
	lines, several := layer.(*model.Switch)
	if !several {
		return []platforms.Table{lineTable(t, r.Segments[0])}, nil
	}
	var branches [][]platforms.Key
	var parts []platforms.Table
	for k, b := range lines.Branches {
		s := r.Segments[k]
		name := fmt.Sprintf("%s-%d", part, k+1)
		branch := []platforms.Key{{Name: "layer", Value: name}}
		if k < len(lines.Branches)-1 {
			end := fmt.Sprintf("%.0fB", float64(b.UpTo))
			branch = append(branch, platforms.Key{Name: "up_to", Value: end})
		}
		branches = append(branches, branch)
		source := fmt.Sprintf("%ssizes from %s to %s", from, s.From, s.To)
		one := platforms.NewTable("layer", name, "source", source)
		one.Keys = append(one.Keys, all...)
		parts = append(parts, lineTable(one, s))
	}
	t.Set("model", "switch")
	t.Set("branches", branches)
	return append([]platforms.Table{t}, parts...), nil
}

// lineTable sets the keys of one line. The correlation says something only beside two intervals.
func lineTable(t platforms.Table, s fit.Segment) platforms.Table {
	t.Set("model", "linear")
	t.Set("beta", betaText(s))
	t.Set("tau", tauText(s))
	if s.Correlation != 0 && tauSuffix(s) != "" {
		t.Set("correlation", fmt.Sprintf("%.3f", s.Correlation))
	}
	return t
}

func setPoints(t *platforms.Table, points []fit.Point) {
	t.Set("sizes", list.Map(points, func(p fit.Point) string { return sizeText(p.Size) }))
	t.Set("times", list.Map(points, func(p fit.Point) string {
		return platforms.ExactMicros(p.Time)
	}))
}

// sizeText writes a size exactly.
func sizeText(n quantity.Bytes) string { return fmt.Sprintf("%.12gB", float64(n)) }

// betaText and tauText return β and τ of a line, with their intervals.
func betaText(s fit.Segment) string {
	suffix := intervalSuffix(float64(s.Beta.Low), float64(s.Beta.High), "us")
	return platforms.ExactMicros(s.Beta.Value) + suffix
}

func tauText(s fit.Segment) string { return platforms.ExactInverse(s.Tau.Value) + tauSuffix(s) }

func tauSuffix(s fit.Segment) string {
	return intervalSuffix(quantity.PerKiB(s.Tau.Low), quantity.PerKiB(s.Tau.High), "us/KiB")
}

// intervalSuffix returns the interval of a value as platform files write it: " ± " and half of its
// width. It is empty without an interval.
func intervalSuffix(low, high float64, unit string) string {
	half := (high - low) / 2
	if !(half > 0) || math.IsInf(half, 0) {
		return ""
	}
	return fmt.Sprintf(" ± %.3g%s", half, unit)
}

// PipelineTable is the layer of stages in their order.
func PipelineTable(name string, stages []string, source string) platforms.Table {
	t := platforms.NewTable("layer", name, "model", "pipeline")
	t.Set("stages", stages)
	t.Set("packets", "best")
	t.Set("source", source)
	return t
}

// curveTables returns the tables of a layer with its measured points. The errors are those of
// [fit.Result.Layer].
func curveTables(name string, c Curve) ([]platforms.Table, error) {
	from := fmt.Sprintf("%s%s, %s: %s fit over %d sizes, median error %.2g %%",
		c.name(), c.dateSuffix(), c.table.Format, c.Model, len(c.Points), 100*c.Median)
	t := platforms.NewTable("layer", name, "title", c.table.Name())
	if len(c.Warnings) > 0 {
		t.Set("note", strings.Join(c.Warnings, ". "))
	}
	t.Set("source", from)
	if len(c.Points) <= maxMeasured {
		t.Set("measured", name)
	}
	tables, err := LineTables(t, name+"-segment", from+", ", c.Result, timedKeys(c.table)...)
	if err == nil && len(c.Points) <= maxMeasured {
		tables = append(tables, measuredTable(name, c))
	}
	return tables, err
}

// timedKeys returns the keys that name the subject of a table's times; none for messages.
func timedKeys(t *benchfile.Table) []platforms.Key {
	of := platforms.Table{}
	switch t.Kind {
	case benchfile.Gap:
		of.Set("times_of", string(platforms.Stream))
	case benchfile.Operation:
		of.Set("times_of", string(platforms.Operation))
	case benchfile.Collective:
		of.Set("times_of", string(platforms.Collective))
		if t.Collective.Name != "" {
			of.Set("collective", t.Collective.Name)
		}
		if t.Collective.Ranks > 0 {
			of.Set("ranks", strconv.Itoa(t.Collective.Ranks))
		}
		if t.Collective.PerRank {
			of.Set("per_rank", true)
		}
	}
	return of.Keys
}

// maxMeasured is the maximum number of points that are saved beside the lines.
const maxMeasured = 4096

func measuredTable(name string, c Curve) platforms.Table {
	t := platforms.NewTable("measured", name)
	setPoints(&t, c.Points)
	runs := int64(math.MaxInt64)
	for _, p := range c.Points {
		runs = min(runs, p.Count)
	}
	if runs > 1 {
		t.Set("runs", strconv.FormatInt(runs, 10))
		t.Set("deviations", list.Map(c.Points, func(p fit.Point) string {
			return platforms.ExactMicros(p.Time * quantity.Micros(p.Deviation))
		}))
	}
	if r := c.Resolution(); r > 0 {
		t.Set("resolution", platforms.ExactMicros(r))
	}
	if c.Kind != benchfile.OneWay {
		t.Set("operation", true)
	}
	t.Set("source", c.name()+c.dateSuffix())
	return t
}
