package fits

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// TOML returns a platform file of the results: a layer for each curve that can be one, a pipeline
// of stages, or a layer of parameters.
func (f *Fitted) TOML() (string, error) {
	switch {
	case f.calibrated != nil:
		return f.machineText()
	case f.model == "pipeline":
		return Encoded(f.pipelineDocument(), "fit.")
	case f.saved != nil:
		return Encoded(f.parametersDocument(), "fit.")
	case f.Collectives != nil:
		return Encoded(f.collectivesDocument(), "fit.")
	}
	d, remarks := curvesDocument(f.Curves)
	if len(d.Tables) == 0 {
		return "", fmt.Errorf("nothing to save: none of the curves can be a layer%s", strings.ReplaceAll(remarks, "\n", "; "))
	}
	return Encoded(d, "fit."+remarks)
}

// curvesDocument returns a platform with a layer for each curve that can be one, and a line about
// each that cannot.
func curvesDocument(curves []Curve) (d platforms.Document, remarks string) {
	d = platforms.NewDocument("fit of " + sourceNames(sourcesOf(curves)))
	for i, c := range curves {
		name := "fit"
		if len(curves) > 1 {
			name = fmt.Sprintf("fit-%d", i+1)
		}
		tables, err := curveTables(name, c)
		if err != nil {
			remarks += fmt.Sprintf("\n%s is not a layer: %v", name, err)
			continue
		}
		d.Tables = append(d.Tables, tables...)
	}
	return d, remarks
}

func (f *Fitted) pipelineDocument() platforms.Document {
	d := platforms.NewDocument("fit of " + sourceNames([]fitSource{f.Curves[0].fitSource}))
	var stages []string
	for i, c := range f.Curves {
		s := c.Segments[0]
		name := fmt.Sprintf("stage-%d", i+1)
		stages = append(stages, name)
		d.Tables = append(d.Tables, platforms.NewTable("stage", name, "beta", betaText(s), "tau", tauText(s),
			"source", fmt.Sprintf("%s%s, stage %s: %s least squares over %d sizes", c.name(), c.dateSuffix(), c.Name, c.Method, len(c.Points))))
	}
	d.Tables = append(d.Tables, PipelineTable("fit", stages, "the stages above; best packets"))
	return d
}

func (f *Fitted) parametersDocument() platforms.Document {
	t := platforms.NewTable("layer", "fit", "model", f.model)
	t.Keys = append(t.Keys, f.saved...)
	from := list.Map(f.sources, func(s fitSource) string { return s.name() + s.dateSuffix() })
	t.Set("source", strings.Join(from, ", "))
	if len(f.warned) > 0 {
		t.Set("note", strings.Join(f.warned, ". "))
	}
	d := platforms.NewDocument("fit of " + sourceNames(f.sources))
	d.Tables = []platforms.Table{t}
	return d
}

// collectivesDocument returns the measurements of each collective. Reading the file fits them
// again.
func (f *Fitted) collectivesDocument() platforms.Document {
	var files []string
	for _, s := range f.sources {
		if text := s.file.Name + s.dateSuffix(); s.table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	d := platforms.NewDocument("")
	names := map[string]int{}
	for _, c := range f.Collectives {
		name := strings.Join(slices.DeleteFunc([]string{c.Collective, c.series.Algorithm, plainName(c.series.Name), string(c.Statistic)}, func(s string) bool { return s == "" }), "-")
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		t := platforms.NewTable("collective", name, "collective", c.Collective)
		if c.series.Algorithm != "" {
			t.Set("algorithm", c.series.Algorithm)
		}
		t.Set("statistic", string(c.Statistic))
		var ranks, perNode, times, runs, deviations []string
		repeated := false
		all := stats.Ascending(list.Map(c.Points, func(p fitted.Point) quantity.Bytes { return p.Size }))
		for _, p := range c.Placements() {
			line := slices.Repeat([]string{"-"}, len(all))
			count, deviation := slices.Clone(line), slices.Clone(line)
			for _, o := range c.Points {
				if i, found := slices.BinarySearch(all, o.Size); found && o.Ranks == p.Ranks && o.PerNode == p.PerNode {
					line[i] = platforms.ExactMicros(o.Time)
					if o.Count > 1 && o.Deviation > 0 {
						repeated = true
						count[i], deviation[i] = strconv.FormatInt(o.Count, 10), platforms.ExactMicros(quantity.Micros(o.Deviation)*o.Time)
					}
				}
			}
			perNode = append(perNode, strconv.Itoa(p.PerNode))
			ranks, times = append(ranks, strconv.Itoa(p.Ranks)), append(times, strings.Join(line, " "))
			runs, deviations = append(runs, strings.Join(count, " ")), append(deviations, strings.Join(deviation, " "))
		}
		t.Set("ranks", ranks)
		if c.PerNode() > 0 {
			t.Set("ranks_per_node", perNode)
		}
		t.Set("sizes", list.Map(all, sizeText))
		t.Set("times", times)
		if repeated {
			t.Set("runs", runs)
			t.Set("deviations", deviations)
		}
		t.Set("source", cmp.Or(strings.Join(files, ", "), "measured"))
		d.Tables = append(d.Tables, t)
	}
	d.Keys[0].Value = "collectives of " + strings.Join(files, ", ")
	return d
}

// plainName returns a text as a part of a table's name.
func plainName(text string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, text), "-")
}
