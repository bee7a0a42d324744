package fits

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/platforms"
)

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
	return c.AddTo(p, l, gapUnknown, name+"-segment", from+", ")
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
