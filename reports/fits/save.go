package fits

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
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
		return "", fmt.Errorf("nothing to save: none of the curves can be a layer%s",
			strings.ReplaceAll(remarks, "\n", "; "))
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
		source := fmt.Sprintf("%s%s, stage %s: %s least squares over %d sizes",
			c.name(), c.dateSuffix(), c.Name, c.Method, len(c.Points))
		d.Tables = append(d.Tables, platforms.NewTable("stage", name,
			"beta", betaText(s), "tau", tauText(s), "source", source))
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
		text := s.file.Name + s.dateSuffix()
		if s.table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	from := strings.Join(files, ", ")
	d := platforms.NewDocument("collectives of " + from)
	names := map[string]int{}
	for _, c := range f.Collectives {
		parts := []string{c.Collective, c.Algorithm, plainName(c.Name), string(c.Statistic)}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		name := strings.Join(parts, "-")
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		d.Tables = append(d.Tables, c.Table(name, cmp.Or(from, "measured")))
	}
	return d
}

// plainName returns a text as a part of a table's name.
// Lower case letters, digits and hyphens need no quotes in a TOML key.
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
