package fits

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
)

// TOML returns the text of a platform file of the results. Curves that cannot be a layer, such as
// overheads, become remarks in its first lines. It is an error if nothing remains to be saved.
func (f *Fitted) TOML() (string, error) {
	p, remarks, err := f.made()
	if err == nil && f.Calibrated != nil {
		// A measurement that breaks a rule of platforms must fail here, and not in the command
		// that uses the file a week later.
		p.Name = "the fitted machine"
		_, err = p.Complete()
	}
	if err != nil {
		return "", err
	}
	return encoded(p, "fit."+remarks), nil
}

// Platform returns the platform of the results, as the file that TOML returns describes it.
func (f *Fitted) Platform(name string) (platforms.Platform, error) {
	p, _, err := f.made()
	if err != nil {
		return p, err
	}
	p.Name = name
	return p.Complete()
}

// made returns what the results are as a platform: a machine, a pipeline of stages, a
// layer of parameters, measured collectives, or a layer for each curve that can be
// one, with remarks about the curves that cannot.
func (f *Fitted) made() (d platforms.Platform, remarks string, err error) {
	switch {
	case f.Calibrated != nil:
		return f.Calibrated.Platform(), "", nil
	case f.Pipelines != nil:
		d, err = f.Pipelines.made()
		return d, "", err
	case f.Model == "pipeline":
		return f.pipelinePlatform(), "", nil
	case f.saved != nil:
		return f.parametersPlatform(), "", nil
	case f.Collectives != nil:
		d = f.collectivesPlatform()
		if len(f.Curves) > 0 {
			remarks = addCurves(&d, f.Curves)
		}
		return d, remarks, nil
	}
	if pairs := f.ofPairs(); pairs != "" {
		return d, "", usage.Fields(fmt.Errorf("%s; as runs of one measurement they are a platform",
			pairs), "save", "runs")
	}
	// A log of one number of ranks has curves, and answers about the ranks that were measured.
	if one := f.ofOnePlace(); one != nil {
		d = one.collectivesPlatform()
	}
	remarks = addCurves(&d, f.Curves)
	if len(d.Layers) == 0 && len(d.Collectives) == 0 {
		return d, "", fmt.Errorf("nothing to save: none of the curves can be a layer%s",
			strings.ReplaceAll(remarks, "\n", "; "))
	}
	return d, remarks, nil
}

// ofOnePlace returns the joint fits of collectives that nccl-tests measured on one number of ranks;
// nil if there are none.
func (f *Fitted) ofOnePlace() *Fitted {
	var logs []benchmarks.Source
	for _, s := range f.sources {
		if ofNCCLTests(s) &&
			s.Table.Collective.Ranks > 1 {
			logs = append(logs, s)
		}
	}
	one := &Fitted{sources: logs}
	if len(logs) == 0 || one.collectives(logs, fit.MeasuredOptions{}) != nil {
		return nil
	}
	return one
}

// addCurves adds a layer to the platform for each curve that can be one, and returns a line about
// each that cannot. The platform stands for the first latency, if there is one: of all tables,
// commands have most use for that.
func addCurves(d *platforms.Platform, curves []Curve) (remarks string) {
	d.Title = cmp.Or(d.Title, "fit of "+benchmarks.Names(sourcesOf(curves)))
	for i, name := range layerNames(curves) {
		c := curves[i]
		title := c.Table.Name()
		// The name of a table says little if several files have one of it.
		if slices.ContainsFunc(curves, func(other Curve) bool {
			return other.File != c.File && other.Table.Name() == title
		}) {
			title += ", " + filepath.Base(c.File.Name)
		}
		if err := addCurve(d, name, title, c); err != nil {
			remarks += fmt.Sprintf("\n%s is not a layer: %v", name, err)
		} else if c.Kind == benchfile.OneWay && d.Default == "" {
			d.Default = name
		}
	}
	// Without the key, the platform stands for the first of its layers.
	if len(d.Layers) > 0 && d.Default == d.Layers[0].Name {
		d.Default = ""
	}
	return remarks
}

// pipelinePlatform has a stage per table. A stage has one line (fit.Stages), so its
// first segment is all of it.
func (f *Fitted) pipelinePlatform() platforms.Platform {
	p := platforms.Platform{Title: "fit of " + benchmarks.Names(sourcesOf(f.Curves[:1]))}
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
		p.Stages = append(p.Stages, s.Params(names[i], source)...)
	}
	p.Layers = []platforms.Layer{pipelineLayer("fit", stages, "the stages above; best packets")}
	return p
}

// parametersPlatform has a layer of LogP or LogGP, or one for each protocol and a switch
// between them. The model's name is that of the layer. Measured latencies go along: from their
// distance to the parameters, predictions have intervals.
func (f *Fitted) parametersPlatform() platforms.Platform {
	from := strings.Join(list.Map(f.sources, func(s benchmarks.Source) string {
		return s.Place() + s.Dated()
	}), ", ")
	p := platforms.Platform{Title: "fit of " + benchmarks.Names(f.sources)}
	l := platforms.Layer{Name: "fit", Source: from, Note: strings.Join(f.warned, ". "),
		Measured: f.latencies()}
	if len(f.saved) == 1 {
		l.Model, l.Params = f.saved[0].model, f.saved[0].within(l.Name)
		p.Layers = []platforms.Layer{l}
		return p
	}
	var branches []model.Branch
	var parts []platforms.Layer
	for i, r := range f.saved {
		name := fmt.Sprintf("fit-protocol-%d", i+1)
		branches = append(branches, model.Branch{Name: name, UpTo: r.to, Layer: r.model})
		parts = append(parts, platforms.Layer{Name: name, Model: r.model, Params: r.within(name),
			Source: fmt.Sprintf("%s, sizes from %s to %s", from, r.from, r.to)})
	}
	l.Model = &model.Switch{Branches: branches}
	p.Layers = append([]platforms.Layer{l}, parts...)
	return p
}

// within returns the intervals as those of a layer's parameters.
func (r savedRange) within(layer string) (all []platforms.Param) {
	for key, in := range r.intervals {
		within := platforms.HalfWidth(in)
		all = append(all, platforms.Param{Owner: layer, Key: key, PlusMinus: within})
	}
	return all
}

// latencies returns the measured one-way times behind the parameters; nil if there are none.
func (f *Fitted) latencies() *platforms.Measured {
	for _, c := range f.Lines {
		layer, err := c.Layer()
		if c.Kind == benchfile.OneWay && err == nil && layer.Measured != nil {
			points := *layer.Measured
			points.Source = c.Place() + c.Dated()
			return &points
		}
	}
	return nil
}

// collectivesPlatform has the measurements of each collective, not the parameters:
// predictions use parameters that change with the size, and several algorithms with
// weights. Reading the file fits them again.
func (f *Fitted) collectivesPlatform() platforms.Platform {
	var files []string
	for _, s := range f.sources {
		text := s.File.Name + s.Dated()
		if s.Table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	from := strings.Join(files, ", ")
	d := platforms.Platform{Title: "collectives of " + from}
	// Two series may differ only in letters that a TOML key has not; a number keeps them apart.
	var names []string
	for _, c := range f.Collectives {
		parts := []string{c.Of.Collective, c.Of.Name, plainName(c.Name), string(c.Statistic)}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		names = append(names, strings.Join(parts, "-"))
	}
	for i, name := range list.Numbered(names, "-") {
		from := cmp.Or(from, "measured")
		d.Collectives = append(d.Collectives, f.Collectives[i].Measured(name, from))
	}
	return d
}
