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

// TOML returns a platform file of the results: a machine, a pipeline of stages, a
// layer of parameters, measured collectives, or a layer for each curve that can be
// one. Curves that cannot, such as overheads, become remarks in the file's first
// lines. It is an error if nothing remains to be saved.
func (f *Fitted) TOML() (string, error) {
	switch {
	case f.calibrated != nil:
		return f.machineText()
	case f.pipelines != nil:
		return f.pipelines.text()
	case f.model == "pipeline":
		return Encoded(f.pipelineFile(), "fit."), nil
	case f.saved != nil:
		return Encoded(f.parametersFile(), "fit."), nil
	case f.Collectives != nil:
		return Encoded(f.collectivesFile(), "fit."), nil
	}
	d, remarks := curvesFile(f.Curves)
	if len(d.Layers) == 0 {
		return "", fmt.Errorf("nothing to save: none of the curves can be a layer%s",
			strings.ReplaceAll(remarks, "\n", "; "))
	}
	return Encoded(d, "fit."+remarks), nil
}

// curvesFile returns a platform with a layer for each curve that can be one, and a
// line about each that cannot. A single layer is "fit", so that scripts need not
// know the table's name; several are numbered in the printed order.
func curvesFile(curves []Curve) (d platforms.File, remarks string) {
	d.Title = "fit of " + sourceNames(sourcesOf(curves))
	for i, c := range curves {
		name := "fit"
		if len(curves) > 1 {
			name = fmt.Sprintf("fit-%d", i+1)
		}
		if err := addCurve(&d, name, c); err != nil {
			remarks += fmt.Sprintf("\n%s is not a layer: %v", name, err)
		}
	}
	return d, remarks
}

// pipelineFile writes a stage per table. A stage has one line (fit.Stages), so its
// first segment is all of it.
func (f *Fitted) pipelineFile() platforms.File {
	d := platforms.File{Title: "fit of " + sourceNames([]fitSource{f.Curves[0].fitSource})}
	for i, c := range f.Curves {
		s := c.Segments[0]
		source := fmt.Sprintf("%s%s, stage %s: %s least squares over %d sizes",
			c.name(), c.dateSuffix(), c.Name, c.Method, len(c.Points))
		d.Stages = append(d.Stages, platforms.StageTable{
			Name: fmt.Sprintf("stage-%d", i+1), Beta: betaText(s), Tau: tauText(s), Source: source,
		})
	}
	d.Layers = append(d.Layers, PipelineLayer("fit", d.Stages, "the stages above; best packets"))
	return d
}

// parametersFile writes a layer of LogP or LogGP. The model's name is that of the
// layer.
func (f *Fitted) parametersFile() platforms.File {
	from := list.Map(f.sources, func(s fitSource) string { return s.name() + s.dateSuffix() })
	t := platforms.LayerTable{
		Name: "fit", Model: f.model, Parameters: f.saved,
		Source: strings.Join(from, ", "), Note: strings.Join(f.warned, ". "),
	}
	title := "fit of " + sourceNames(f.sources)
	return platforms.File{Title: title, Layers: []platforms.LayerTable{t}}
}

// collectivesFile returns the measurements of each collective, not the parameters:
// predictions use parameters that change with the size, and several algorithms with
// weights. Reading the file fits them again.
func (f *Fitted) collectivesFile() platforms.File {
	var files []string
	for _, s := range f.sources {
		text := s.file.Name + s.dateSuffix()
		if s.table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	from := strings.Join(files, ", ")
	d := platforms.File{Title: "collectives of " + from}
	names := map[string]int{}
	for _, c := range f.Collectives {
		parts := []string{c.Collective, c.Algorithm, plainName(c.Name), string(c.Statistic)}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		name := strings.Join(parts, "-")
		// Two series may differ only in letters that a TOML key has not; a number keeps
		// them apart.
		if names[name]++; names[name] > 1 {
			name += "-" + strconv.Itoa(names[name])
		}
		d.Collectives = append(d.Collectives, c.Table(name, cmp.Or(from, "measured")))
	}
	return d
}

// plainName turns a text into a part of a table's name. Lower case letters, digits
// and hyphens need no quotes in a TOML key, and none in a shell when a command names
// the table.
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
