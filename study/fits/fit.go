// Package fits reads measurements, fits models to them (Fit), and writes the result as a platform
// file. It reads the output of benchmarks of messages, levels of machines, and collectives.
package fits

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Options select what is fitted, and how.
type Options struct {
	Trace     benchfile.Options
	Model     string          // one of [Models]; empty: auto
	Method    fit.Method      // of a line
	Segments  int             // of a piecewise fit; 0: the data decide
	RTT       quantity.Micros // of a signature; 0: not known
	Bootstrap int             // resampled fits; 0: none
	Seed      uint64          // of Bootstrap
	Compare   string          // another file, or a table of the same; empty: none
	Runs      bool            // the files are runs of one measurement
	Measured  MeasuredOptions // of collectives
	Levels    []Level         // of a machine, from inside out; none: no machine
	Fans      FanOut          // of its levels; without a file, contention is unknown
	// Collectives were measured on the machine, and sharpen what its ranks share.
	Collectives Calibration
	Saving      bool // the curves are wanted for a platform or a figure
	// Progress returns a function that gets the number of bytes read of a file, and one that is
	// called at its end.
	Progress func(path string) (read func(int64), done func())
}

// Models lists what can be fitted, as --model names it.
func Models() []string {
	return []string{"auto", "linear", "piecewise", "envelope", "per-size", "loggp", "logp", "pipeline", "end-to-end", "collective"}
}

// A Fitted is the result of fitting benchmark files: curves of time against size, the parameters of
// another model, the changes between two files, or the measurements themselves if nothing fits.
type Fitted struct {
	Curves      []Curve
	Collectives []JointFit
	Parameters  []Parameter
	Changes     []Change
	Summaries   []Summary // of the tables of one size; only if there is nothing else
	Notes       []string  // doubts about the files and the fits
	// Broken is the error of a file that could not be read to its end. The result then holds the
	// rest, which may be shown, but is incomplete.
	Broken error

	model   string
	sources []fitSource
	saved   [][2]string          // the keys of a layer of parameters
	warned  []string             // the warnings of these parameters
	stages  bool                 // each curve is a stage
	best    []string             // of stages: what messages cost
	levels  []Level              // of a machine
	shared  *contention.Estimate // the contention of its ranks; nil: unknown
	factors contention.Factors
	within  contention.Intervals
	seen    string // source of the factors, as text; "": none

	calibrated *calibrated // the machine of calibrate.c; nil: none
}

// A Curve is a fit of time against size.
type Curve struct {
	fitSource
	*fit.Result
	boot *fit.Bootstrap
}

// A Parameter is an estimate with its 95 % interval, in µs and bytes.
type Parameter struct {
	Table, Model, Name string
	Dim                quantity.Dimension
	Value, Low, High   float64
}

// A Change is the difference between two files over a range of sizes.
type Change struct {
	Before, After string
	fit.Change
}

// A fitSource is a table with the file that it comes from.
type fitSource struct {
	file  *benchfile.File
	table *benchfile.Table
	alone bool   // it is the only table, so remarks need not name it
	one   bool   // no other file is read: a remark need not name it
	level string // of a machine; "": none
}

// name is the file and, if it has several tables, the table.
func (s fitSource) name() string {
	if len(s.file.Tables) == 1 {
		return s.file.Name
	}
	return s.file.Name + ": " + s.table.Name()
}

// about returns a remark that names the table if there are several.
func (s fitSource) about(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	switch {
	case s.alone:
		return text
	case s.one:
		return s.table.Name() + ": " + text
	}
	return s.name() + ": " + text
}

// dateSuffix returns " of " and the file's date, for the source of a saved fit.
func (s fitSource) dateSuffix() string {
	info, err := os.Stat(s.file.Name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return " of " + info.ModTime().UTC().Format(time.DateOnly)
}

// Fit reads benchmark files and fits them. If a path is a folder, all of its files are read, and a
// note lists those without a benchmark's output. Files may also be given with levels alone.
//
// If the only file is the output of calibrate.c, a machine is fitted.
func Fit(paths []string, o Options) (*Fitted, error) {
	if text, done := calibration(paths); text != nil {
		defer done()
		return fitCalibration(text, paths[0], o)
	}
	in, err := ReadFit(paths, o)
	if err != nil {
		return nil, err
	}
	if len(o.Levels) > 0 {
		if in, err = levelSources(in, paths, o); err != nil {
			return nil, err
		}
	}
	return in.fitted(o)
}

// Read fits a benchmark's output that it reads from r; name is the file's name in messages. If the
// file breaks off, Read fits the tables before that and sets Broken.
func Read(r io.Reader, name string, o Options) (*Fitted, error) {
	var in input
	file, err := benchfile.Read(r, name, o.Trace)
	if damaged := new(benchfile.Damaged); errors.As(err, &damaged) && len(damaged.File.Tables) > 0 {
		file = damaged.File
		in.fail(err)
	} else if err != nil {
		return nil, err
	}
	in.add(file)
	in.end(name)
	return in.fitted(o)
}

func (in input) fitted(o Options) (_ *Fitted, err error) {
	if o.Runs {
		var notes []string
		if in.Sources, notes, err = fitRuns(in.Sources); err != nil {
			return nil, cmp.Or(in.Broken, err)
		}
		in.Notes = append(in.Notes, notes...)
	}
	f := &Fitted{model: o.Model, sources: in.Sources, Broken: in.Broken, levels: o.Levels}
	switch o.Model {
	case "loggp":
		err = f.logGP()
	case "logp":
		err = f.logP(o.RTT)
	case "pipeline":
		err = f.pipeline(o.Method)
	case "end-to-end":
		err = f.endToEnd()
	case "collective":
		err = f.collectives(o.Measured)
	default:
		err = f.curves(o)
	}
	if err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	if o.sharing() {
		if err := f.sharing(o); err != nil {
			return nil, cmp.Or(f.Broken, err)
		}
	}
	used := in.Sources
	if f.Collectives != nil {
		used = slices.DeleteFunc(slices.Clone(used), func(s fitSource) bool { return s.table.Kind != benchfile.Collective })
	}
	f.Notes = slices.Concat(in.Notes, warnings(used), f.Notes, f.withoutGaps())
	return f, nil
}

// fitCurves fits every table of times against sizes, and fails if there is none. It returns a
// summary of each table that has one size.
func fitCurves(sources []fitSource, o Options) (curves []Curve, summaries []Summary, notes []string, err error) {
	var first error
	for _, s := range sources {
		r, err := fitCurve(s.table, o)
		if err == nil {
			c := Curve{fitSource: s, Result: r}
			if o.Bootstrap > 0 {
				c.boot, err = r.Bootstrap(o.Bootstrap, o.Seed)
			}
			if err == nil {
				curves = append(curves, c)
				continue
			}
		}
		first = cmp.Or(first, fmt.Errorf("%s: %w", s.name(), err))
		if n := len(s.table.Samples); n == 1 || n == 2 && s.table.Samples[0].Size == 0 {
			for _, sample := range s.table.Samples {
				summaries = append(summaries, Summary{s, sample})
			}
			continue
		}
		notes = append(notes, "skipped: "+s.about("%v", err))
	}
	if len(curves) == 0 {
		return nil, summaries, notes, first
	}
	for _, one := range summaries {
		notes = append(notes, "skipped: "+one.text())
	}
	return curves, summaries, notes, nil
}

func fitCurve(t *benchfile.Table, o Options) (*fit.Result, error) {
	switch o.Model {
	case "linear":
		return fit.Linear(t, o.Method)
	case "piecewise":
		return fit.Piecewise(t, o.Segments)
	case "envelope":
		return fit.Envelope(t)
	case "per-size":
		return fit.PerSize(t)
	}
	return fit.Auto(t)
}

func (f *Fitted) curves(o Options) (err error) {
	if o.Compare != "" {
		return f.compare(o)
	}
	named := o.Model != "" && o.Model != "auto"
	if !named && len(o.Levels) == 0 && jointly(f.sources, o.Measured) {
		return f.collectives(o.Measured)
	}
	var summaries []Summary
	f.Curves, summaries, f.Notes, err = fitCurves(f.sources, o)
	if !named {
		f.Notes = append(f.Notes, whyNotJointly(f.sources, o.Measured)...)
	}
	if err != nil && len(summaries) > 0 && !named && !o.Saving { // a line was not asked for
		f.Summaries, err = summaries, nil
	}
	return err
}

// tableName returns a short name: the file's base name, or the table's if all are of one file.
func tableName(s fitSource, all []Curve) string {
	for _, c := range all {
		if c.file != s.file {
			return filepath.Base(s.name())
		}
	}
	return s.table.Name()
}

func sourceNames(sources []fitSource) string {
	all := list.Map(sources, func(s fitSource) string { return filepath.Base(s.name()) })
	return strings.Join(all, ", ")
}
