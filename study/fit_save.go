package study

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// TOML is a platform file of what was found: a layer for each curve that can be one, a pipeline of
// stages, or a layer of parameters. End-to-end times are none.
func (f *Fitted) TOML() (string, error) {
	switch {
	case f.stages:
		return pipelineText(f.Curves), nil
	case f.saved != nil:
		return f.parametersText(), nil
	case len(f.Curves) > 0:
		return curvesText(f.Curves), nil
	}
	return "", errors.New("end-to-end times do not tell the single stages, so there is no platform to save")
}

// us and usPerKiB print 12 significant digits, as everything that programs read.
func us(t quantity.Micros) string { return fmt.Sprintf("%.12gus", float64(t)) }

func usPerKiB(t quantity.MicrosPerByte) string { return fmt.Sprintf("%.12gus/KiB", perKiB(t)) }

// A tomlFile is a platform file being written.
type tomlFile struct{ strings.Builder }

func newToml(sources []fitSource) *tomlFile {
	t := &tomlFile{}
	t.WriteString("# " + reports.Imprint + " fit.\n\n")
	t.key("title", "fit of "+sourceNames(sources))
	return t
}

func (t *tomlFile) table(name string) { fmt.Fprintf(t, "\n[%s]\n", name) }

func (t *tomlFile) key(name, value string) { fmt.Fprintf(t, "%s = %s\n", name, quote(value)) }

// quote prints a TOML basic string: Go's quoting but for control characters, which TOML spells \uXXXX.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func (t *tomlFile) linear(l *model.Linear, s *fit.Segment) {
	t.key("model", "linear")
	t.key("beta", us(l.Beta)+within(float64(s.Beta.Low), float64(s.Beta.High), "us"))
	tau := within(perKiB(s.Tau.Low), perKiB(s.Tau.High), "us/KiB")
	t.key("tau", usPerKiB(l.Tau)+tau)
	if s.Correlation != 0 && tau != "" {
		t.key("correlation", fmt.Sprintf("%.3f", s.Correlation))
	}
}

// within is the interval of a value in a platform file, which is even about it: half of its
// width on either side. Empty where there is none.
func within(low, high float64, unit string) string {
	half := (high - low) / 2
	if !(half > 0) || math.IsInf(half, 0) {
		return ""
	}
	return fmt.Sprintf(" ± %.3g%s", half, unit)
}

// curvesText is a platform with a layer for each curve that can be one.
func curvesText(curves []FittedCurve) string {
	sources := make([]fitSource, len(curves))
	for i, c := range curves {
		sources[i] = c.fitSource
	}
	t := newToml(sources)
	for i, c := range curves {
		name := "fit"
		if len(curves) > 1 {
			name = fmt.Sprintf("fit-%d", i+1)
		}
		layer, err := c.Layer()
		if err != nil {
			fmt.Fprintf(t, "\n# %s is no layer: %v\n", name, err)
			continue
		}
		from := fmt.Sprintf("%s%s, %s: %s fit over %d sizes, median error %.2g %%", c.name(), c.when(), c.table.Format, c.Model, len(c.Points), 100*c.Median)
		t.table("layer." + name)
		t.key("title", c.table.Name())
		if len(c.Warnings) > 0 {
			t.key("note", strings.Join(c.Warnings, ". "))
		}
		t.key("source", from)
		measured := len(c.Points) <= maxMeasured
		if measured {
			t.key("measured", name)
		}
		t.lines(layer, c.Segments, name+"-segment", from+", ")
		if measured {
			t.measured(name, c)
		}
	}
	return t.String()
}

// maxMeasured is the number of sizes up to which the points go with the lines.
const maxMeasured = 4096

// measured is the table of the points that lines were fitted to.
func (t *tomlFile) measured(name string, c FittedCurve) {
	t.table("measured." + name)
	list := func(key string, text func(p fit.Point) string) {
		all := make([]string, len(c.Points))
		for i, p := range c.Points {
			all[i] = quote(text(p))
		}
		fmt.Fprintf(t, "%s = [%s]\n", key, strings.Join(all, ", "))
	}
	list("sizes", func(p fit.Point) string { return fmt.Sprintf("%.12gB", float64(p.Size)) })
	list("times", func(p fit.Point) string { return us(p.Time) })
	runs := slices.MinFunc(c.Points, func(a, b fit.Point) int { return cmp.Compare(a.Count, b.Count) }).Count
	if runs > 1 {
		t.key("runs", fmt.Sprint(runs))
		list("deviations", func(p fit.Point) string { return us(p.Time * quantity.Micros(p.Deviation)) })
	}
	if r := c.Resolution(); r > 0 {
		t.key("resolution", us(r))
	}
	if c.Kind != trace.OneWay {
		t.WriteString("operation = true\n")
	}
	t.key("source", c.name()+c.when())
}

// lines ends the table of a layer that is one line, or several: then each has a layer of its own, named after part, whose source
// begins with from.
func (t *tomlFile) lines(layer model.Layer, segments []fit.Segment, part, from string) {
	s, several := layer.(*model.Switch)
	if !several {
		t.linear(layer.(*model.Linear), &segments[0])
		return
	}
	t.key("model", "switch")
	t.WriteString("branches = [\n")
	for k, b := range s.Branches {
		fmt.Fprintf(t, "  { layer = \"%s-%d\"", part, k+1)
		if k < len(s.Branches)-1 {
			fmt.Fprintf(t, ", up_to = \"%.0fB\"", float64(b.UpTo))
		}
		t.WriteString(" },\n")
	}
	t.WriteString("]\n")
	for k, b := range s.Branches {
		t.table(fmt.Sprintf("layer.%s-%d", part, k+1))
		t.key("source", fmt.Sprintf("%ssizes from %s to %s", from, segments[k].From, segments[k].To))
		t.linear(b.Layer.(*model.Linear), &segments[k])
	}
}

// pipeline is the layer of stages in their order.
func (t *tomlFile) pipeline(name string, stages []string, source string) {
	t.table("layer." + name)
	t.key("model", "pipeline")
	fmt.Fprintf(t, "stages = [%s]\n", `"`+strings.Join(stages, `", "`)+`"`)
	t.key("packets", "best")
	t.key("source", source)
}

// pipelineText is a platform with a stage for each curve.
func pipelineText(curves []FittedCurve) string {
	var sources []fitSource
	var stages []string
	for i, c := range curves {
		sources = append(sources, c.fitSource)
		stages = append(stages, fmt.Sprintf("stage-%d", i+1))
	}
	t := newToml(sources[:1])
	for i, c := range curves {
		t.table("stage." + stages[i])
		s := &c.Segments[0]
		t.key("beta", us(s.Beta.Value)+within(float64(s.Beta.Low), float64(s.Beta.High), "us"))
		t.key("tau", usPerKiB(s.Tau.Value)+within(perKiB(s.Tau.Low), perKiB(s.Tau.High), "us/KiB"))
		t.key("source", fmt.Sprintf("%s%s, stage %s: %s least squares over %d sizes", c.name(), c.when(), c.Name, c.Method, len(c.Points)))
	}
	t.pipeline("fit", stages, "the stages above; best packets")
	return t.String()
}

// parametersText is a platform with one layer of the parameters.
func (f *Fitted) parametersText() string {
	t := newToml(f.sources)
	t.table("layer.fit")
	t.key("model", f.model)
	for _, k := range f.saved {
		t.key(k[0], k[1])
	}
	from := make([]string, len(f.sources))
	for i, s := range f.sources {
		from[i] = s.name() + s.when()
	}
	t.key("source", strings.Join(from, ", "))
	if len(f.warned) > 0 {
		t.key("note", strings.Join(f.warned, ". "))
	}
	return t.String()
}
