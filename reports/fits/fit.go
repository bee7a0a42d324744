// Package fits reads measurements, fits models to them, and writes the result as a
// platform file. It reads the output of benchmarks of messages and of collectives,
// and of calibrate.c. It holds no statistics: those are in fit, internal/fitted and
// internal/calibrate.
//
// The way of a file:
//
//	read.go        paths → tables with their files (benchfile), with doubts as notes
//	runs.go        tables of several runs → one table each
//	fit.go         tables → a model, by its name or by what the tables are
//	curves.go, models.go, measured.go + collective.go, calibration.go
//	               one kind of model each: curves, parameters, collectives, a machine
//	save.go        the result → the text of a platform file (machine.go)
//
// [Rows] and [Picture] make tables and figures of the result.
//
// Three rules hold on this way. What cannot be used is left out with a note that says
// why, and it is an error only if nothing is left. A file that breaks off gives what
// is before the break, and the result is marked as incomplete ([Fitted.Broken],
// [Fitted.Partial]), so that a command can show it and still fail. Of the fields of a
// [Fitted], the first of calibrated, Changes, Collectives, Summaries, Parameters and
// Curves that is set is the result.
package fits

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Fit reads benchmark files and fits them. If a path is a folder, all of its files
// are read, and a note lists those without a benchmark's output.
//
// If the only file is the output of calibrate.c, a machine is fitted. Its content
// decides, since users rename the file.
func Fit(paths []string, o fit.Options) (*Fitted, error) {
	machine := calibrated(&o)
	in, err := benchmarks.Read(paths, o)
	if m, failed := machine(); m != nil || failed != nil {
		return m, failed
	}
	if err != nil {
		return nil, err
	}
	return fitTables(in, o)
}

// calibrated makes the options read the output of calibrate.c, and returns how to get its machine;
// nil if it was another file.
func calibrated(o *fit.Options) func() (*Fitted, error) {
	var machine *Fitted
	var failed error
	of := *o
	o.Trace.Other = func(text *bufio.Reader, name string) bool {
		calibration, pipelines := calibrate.Recognize(text)
		if calibration {
			machine, failed = fitCalibration(text, name, of)
		} else if pipelines {
			machine, failed = fitPipelines(text, name, of)
		}
		return calibration || pipelines
	}
	return func() (*Fitted, error) { return machine, failed }
}

// FitReader fits what it reads from r, the output of calibrate.c too.
func FitReader(r io.Reader, name string, o fit.Options) (*Fitted, error) {
	machine := calibrated(&o)
	found, err := Read(r, name, o)
	if m, failed := machine(); m != nil || failed != nil {
		return m, failed
	}
	return found, err
}

// Read fits a benchmark's output that it reads from r, for callers without a file,
// such as the page. name is the file's name in messages. If the file breaks off, Read
// fits the tables before that and sets Broken.
func Read(r io.Reader, name string, o fit.Options) (*Fitted, error) {
	in, err := benchmarks.ReadText(r, name, o)
	if err != nil {
		return nil, err
	}
	return fitTables(in, o)
}

// fitTables chooses the model. Runs comes first, since it changes which tables
// there are. An error of a damaged file goes before one of a fit: the fit most likely
// failed because the rest of the file is missing.
func fitTables(in benchmarks.Reading, o fit.Options) (_ *Fitted, err error) {
	if err := unused(o, in.Sources); err != nil {
		return nil, err
	}
	if o.Runs {
		var notes []string
		if in.Sources, notes, err = fitRuns(in.Sources); err != nil {
			return nil, cmp.Or(in.Broken, err)
		}
		in.Notes = append(in.Notes, notes...)
	}
	f := &Fitted{Model: o.Model, sources: in.Sources, LeftOut: in.LeftOut,
		Broken: in.Broken, Partial: in.Partial}
	switch o.Model {
	case "loggp":
		err = f.logGP()
	case "logp":
		err = f.logP(o.RTT)
	case "pipeline":
		err = f.pipeline(o.Method)
	case "collective":
		err = f.collectives(f.sources, o.Measured)
	default:
		err = f.curves(o)
	}
	if err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	var warned []string
	for _, s := range in.Sources {
		// A fit of collectives uses no other tables, so doubts about those would only
		// distract.
		if f.Collectives == nil || s.Table.Kind == benchfile.Collective {
			for _, w := range s.Table.Warnings {
				warned = append(warned, s.About("%s", w))
			}
		}
	}
	// Doubts about files stand before doubts about tables, and those before doubts
	// about the fit: each may explain the next.
	f.Notes = slices.Concat(in.Notes, warned, f.Notes)
	return f, nil
}

// unused returns an error about options that no table of the files uses; nil if there are none.
func unused(o fit.Options, sources []benchmarks.Source) error {
	plain := func(s benchmarks.Source) bool {
		return s.Table.Format == "csv" || s.Table.Format == "json"
	}
	t := o.Trace
	columns := cmp.Or(t.X, t.Y, t.Ranks, t.PerNode, t.Nodes, t.Kind) != "" ||
		len(t.Group)+len(t.Pool) > 0
	if columns && !slices.ContainsFunc(sources, plain) {
		return usage.Fields(errors.New("columns are named in CSV and JSON alone, "+
			"and no file is one"), "columns")
	}
	ofCollective := func(s benchmarks.Source) bool { return s.Table.Kind == benchfile.Collective }
	if o.Model == "collective" || slices.ContainsFunc(sources, ofCollective) {
		return nil
	}
	var fields []string
	for _, f := range []struct {
		set  bool
		name string
	}{
		{len(o.Measured.Ranks) > 0, "measured-ranks"}, {o.Measured.PerNode > 0, "ranks-per-node"},
		{o.Measured.Total, "total"}, {o.Measured.Algorithm != "", "algorithm"},
		{o.Measured.Collective != "", "collective"},
	} {
		if f.set {
			fields = append(fields, f.name)
		}
	}
	if fields == nil {
		return nil
	}
	return usage.Fields(errors.New("no table of the files measures a collective, "+
		"so this has no effect; leave it out"), fields...)
}

// fitCalibration fits a machine to calibrate.c's output, and checks it against those
// measurements of the same run that the fit does not use. A level that no pair of
// ranks measured is assumed to be like the next one, and notes say so, because a
// prediction across it is then a guess.
func fitCalibration(text io.Reader, path string, o fit.Options) (*Fitted, error) {
	// Options of curves are refused, not ignored: "--model linear" has no meaning for
	// a machine.
	if o.Model != "" && o.Model != "auto" || o.Compare != "" || o.Runs {
		err := fmt.Errorf("%s is calibrate's and is fitted as a machine; "+
			"leave out the model, comparison and runs", path)
		return nil, usage.Fields(err, "model", "against", "runs")
	}
	c, err := calibrate.FitMachine(text, path)
	if err != nil {
		return nil, err
	}
	if err := c.Test(context.Background()); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	f := &Fitted{Calibrated: c,
		Notes: slices.Concat(c.Notes, levelNotes(c), doubtNotes(c), algorithmNotes(c))}
	for _, name := range c.Unmeasured {
		note := fmt.Sprintf("level %s: not measured; it is taken to be like the next one", name)
		f.Notes = append(f.Notes, note)
	}
	if gamma := c.PerByte(calibrate.Combine); gamma > 0 {
		f.Notes = append(f.Notes, fmt.Sprintf(
			"reductions combine a byte in %.3g ns, which the saved machine has too",
			gamma.Nanos()))
	}
	return f, nil
}

// fitPipelines makes a platform of stages.
func fitPipelines(text io.Reader, path string, o fit.Options) (*Fitted, error) {
	if o.Model != "" && o.Model != "auto" || o.Compare != "" || o.Runs {
		err := fmt.Errorf("%s is of pipeline.c and is fitted as pipelines; "+
			"leave out the model, comparison and runs", path)
		return nil, usage.Fields(err, "model", "against", "runs")
	}
	read, err := calibrate.ReadPipelines(text, path)
	if err != nil {
		return nil, err
	}
	p := &Pipelines{read, filepath.Base(path)}
	_, err = p.platform() // the rows need it to be valid
	return &Fitted{Pipelines: p}, err
}

// curves decides between curves over sizes and a joint fit over ranks, if the user
// has not. A named model is always obeyed.
func (f *Fitted) curves(o fit.Options) (err error) {
	if o.Compare != "" {
		return f.compare(o)
	}
	named := o.Model != "" && o.Model != "auto"
	if !named && jointly(f.sources, o.Measured) {
		return f.beside(o)
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
