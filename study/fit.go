package study

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// FitOptions say what is to be fitted and how.
type FitOptions struct {
	Trace     trace.Options
	Model     string          // one of [FitModels]; empty: auto
	Method    fit.Method      // of a line
	Segments  int             // of a piecewise fit; 0: the data decide
	RTT       quantity.Micros // of a signature; 0: not known
	Bootstrap int             // resampled fits; 0: none
	Seed      uint64          // of Bootstrap
	Compare   string          // another file; empty: none
	Runs      bool            // the files are runs of one measurement
	// Progress returns what is told of the bytes that are read of a file, and what ends it.
	Progress func(path string) (read func(int64), done func())
}

// FitModels lists what can be fitted, as --model names it.
func FitModels() []string {
	return []string{"auto", "linear", "piecewise", "envelope", "per-size", "loggp", "logp", "pipeline", "end-to-end"}
}

// A Fitted is what was found in benchmark files: curves of time against size, or the parameters
// of a
// model that is no curve, or how two files differ.
type Fitted struct {
	Curves     []FittedCurve
	Parameters []FittedParameter
	Changes    []FittedChange
	Notes      []string // doubts about the files and the fits

	model   string
	sources []fitSource
	saved   [][2]string // the keys of a layer of parameters
	warned  []string    // what goes with them
	stages  bool        // each curve is a stage
	best    []string    // of stages: what messages cost
}

// A FittedCurve is a fit of time against size.
type FittedCurve struct {
	fitSource
	*fit.Result
	boot *fit.Bootstrap
}

// A FittedParameter is an estimate with its 95 % interval, in µs and bytes.
type FittedParameter struct {
	Table, Model, Name string
	Dim                quantity.Dimension
	Value, Low, High   float64
}

// A FittedChange is by how much a range of sizes differs between two files.
type FittedChange struct {
	Before, After string
	fit.Change
}

// A fitSource is a table with the file that it comes from.
type fitSource struct {
	file  *trace.File
	table *trace.Table
	alone bool // nothing else is read: a remark need not say what it is about
}

// name is the file and, if it has several tables, the table.
func (s fitSource) name() string {
	if len(s.file.Tables) == 1 {
		return s.file.Name
	}
	return s.file.Name + ": " + s.table.Name()
}

// about is a remark about the table.
func (s fitSource) about(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	if s.alone {
		return text
	}
	return s.name() + ": " + text
}

// when is the date of the file, so that what is saved of it says how old it is.
func (s fitSource) when() string {
	info, err := os.Stat(s.file.Name)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return " of " + info.ModTime().UTC().Format(time.DateOnly)
}

// Fit reads benchmark files and fits them.
func Fit(paths []string, o FitOptions) (*Fitted, error) {
	sources, err := readFitSources(paths, o)
	if err != nil {
		return nil, err
	}
	notes := readNotes(sources)
	if o.Runs {
		if sources, err = fitRuns(sources); err != nil {
			return nil, err
		}
	}
	f := &Fitted{model: o.Model, sources: sources}
	switch o.Model {
	case "loggp":
		err = f.logGP()
	case "logp":
		err = f.logP(o.RTT)
	case "pipeline":
		err = f.pipeline(o.Method)
	case "end-to-end":
		err = f.endToEnd()
	default:
		err = f.curves(o)
	}
	if err != nil {
		return nil, err
	}
	f.Notes = append(notes, f.Notes...)
	return f, nil
}

func readFitSources(paths []string, o FitOptions) ([]fitSource, error) {
	var sources []fitSource
	for _, path := range paths {
		var read func(int64)
		done := func() {}
		if o.Progress != nil {
			read, done = o.Progress(path)
		}
		o.Trace.Progress = read
		file, err := trace.Open(path, o.Trace)
		done()
		if err != nil {
			return nil, err
		}
		for i := range file.Tables {
			sources = append(sources, fitSource{file, &file.Tables[i], len(paths) == 1 && len(file.Tables) == 1})
		}
	}
	return sources, nil
}

// fitRuns takes the tables of several files together, each with those at its place in the other files.
func fitRuns(sources []fitSource) (all []fitSource, err error) {
	var files [][]*trace.Table
	for i, s := range sources {
		if i == 0 || s.file != sources[i-1].file {
			files = append(files, nil)
		}
		last := &files[len(files)-1]
		*last = append(*last, s.table)
	}
	for i := range files[0] {
		var runs []*trace.Table
		for _, tables := range files {
			if len(tables) != len(files[0]) {
				return nil, fmt.Errorf("--runs: %d tables in the first file and %d in another; runs of one measurement have the same tables", len(files[0]), len(tables))
			}
			runs = append(runs, tables[i])
		}
		together, err := fit.Runs(runs...)
		if err != nil {
			return nil, fmt.Errorf("--runs: %w", err)
		}
		of := *sources[0].file
		of.Name = fmt.Sprintf("%s and %d more", of.Name, len(files)-1)
		of.Tables = of.Tables[:len(files[0]):len(files[0])]
		all = append(all, fitSource{&of, together, len(files[0]) == 1})
	}
	return all, nil
}

func fitTables(sources []fitSource) []*trace.Table {
	all := make([]*trace.Table, len(sources))
	for i, s := range sources {
		all[i] = s.table
	}
	return all
}

// readNotes are the doubts about the files themselves.
func readNotes(sources []fitSource) []string {
	var notes []string
	seen := map[*trace.File]bool{}
	for _, s := range sources {
		if !seen[s.file] {
			seen[s.file] = true
			for _, w := range s.file.Warnings {
				notes = append(notes, s.file.Name+": "+w)
			}
			for _, n := range s.file.Notes {
				notes = append(notes, s.file.Name+": "+n)
			}
			if s.file.Skipped > 0 {
				notes = append(notes, fmt.Sprintf("%s: %d of %d lines are no part of a table and were skipped", s.file.Name, s.file.Skipped, s.file.Lines))
			}
		}
		for _, w := range s.table.Warnings {
			notes = append(notes, s.about("%s", w))
		}
	}
	return notes
}

// fitCurves fits every table that is one of times against sizes. It is an error if none is.
func fitCurves(sources []fitSource, o FitOptions) (curves []FittedCurve, notes []string, err error) {
	var first error
	for _, s := range sources {
		r, err := fitCurve(s.table, o)
		if err == nil {
			c := FittedCurve{fitSource: s, Result: r}
			if o.Bootstrap > 0 {
				c.boot, err = r.Bootstrap(o.Bootstrap, o.Seed)
			}
			if err == nil {
				curves = append(curves, c)
				continue
			}
		}
		err = fmt.Errorf("%s: %w", s.name(), err)
		if first == nil {
			first = err
		}
		notes = append(notes, "left out: "+err.Error())
	}
	if len(curves) == 0 {
		return nil, nil, first
	}
	return curves, notes, nil
}

func fitCurve(t *trace.Table, o FitOptions) (*fit.Result, error) {
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

func (f *Fitted) curves(o FitOptions) (err error) {
	if f.Curves, f.Notes, err = fitCurves(f.sources, o); err != nil || o.Compare == "" {
		return err
	}
	others, err := readFitSources([]string{o.Compare}, o)
	if err != nil {
		return err
	}
	after, more, err := fitCurves(others, o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, more...)
	if len(f.Curves) != len(after) {
		return fmt.Errorf("--compare: %d tables before and %d after; give files with the same tables", len(f.Curves), len(after))
	}
	for i, b := range f.Curves {
		a := after[i]
		changes, err := fit.Compare(b.Result, a.Result)
		if err != nil {
			return fmt.Errorf("--compare: %s and %s: %w", b.name(), a.name(), err)
		}
		for _, c := range changes {
			f.Changes = append(f.Changes, FittedChange{b.name(), a.name(), c})
		}
	}
	return nil
}

// tableName is short: the file's base name, or the table's if all are of one file.
func tableName(s fitSource, all []FittedCurve) string {
	for _, c := range all {
		if c.file != s.file {
			return filepath.Base(s.name())
		}
	}
	return s.table.Name()
}

func sourceNames(sources []fitSource) string {
	var all []string
	for _, s := range sources {
		all = append(all, filepath.Base(s.name()))
	}
	return strings.Join(all, ", ")
}
