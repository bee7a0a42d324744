package fits

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Ask reads benchmark files and fits them. If a path is a folder, all of its files are read, and a
// note lists those without a benchmark's output.
//
// If the only file is the output of calibrate.c or pipeline.c, a machine or pipelines are fitted.
// Its content decides, since users rename the file.
func (q Question) Ask(ctx context.Context) (*Answer, error) {
	var measured *Answer // by calibrate.c or pipeline.c
	var failed error
	o := q.Options
	o.Trace.Other = func(text *bufio.Reader, name string) bool {
		machine, pipelines := calibrate.Recognize(text)
		if !machine && !pipelines {
			return false
		}
		if failed = q.onlyWhole(name, machine); failed != nil {
			return true
		}
		if machine {
			m, notes, err := machineOf(ctx, text, name)
			measured, failed = &Answer{Result: m, Notes: notes}, err
		} else {
			p, err := pipelinesOf(text, name)
			measured, failed = &Answer{Result: p}, err
		}
		return true
	}
	in, err := q.read(o)
	switch {
	case failed != nil:
		return nil, failed
	case measured != nil:
		return measured, measured.advise(q)
	case err != nil:
		return nil, err
	}
	return q.answer(in)
}

// onlyWhole returns an error about options that a file of calibrate.c or pipeline.c, which is
// fitted as a whole, has no use for: "--model linear" has no meaning for a machine.
func (q Question) onlyWhole(name string, machine bool) error {
	if (q.Model == "" || q.Model == "auto") && q.Compare == "" && !q.Runs {
		return nil
	}
	what := " is of pipeline.c and is fitted as pipelines"
	if machine {
		what = " is calibrate's and is fitted as a machine"
	}
	err := fmt.Errorf("%s; leave out the model, comparison and runs", name+what)
	return usage.Fields(err, "model", "against", "runs")
}

// AskTables is Ask without the output of calibrate.c and pipeline.c. The simulator that checks a
// machine is then no part of the program, and the page is 140 KB smaller.
func (q Question) AskTables() (*Answer, error) {
	in, err := q.read(q.Options)
	if err != nil {
		return nil, err
	}
	return q.answer(in)
}

// read reads the files, or the text.
func (q Question) read(o fit.Options) (benchmarks.Reading, error) {
	if q.Text != nil {
		return benchmarks.ReadText(q.Text, q.Name, o)
	}
	return benchmarks.Read(q.Files, o)
}

// answer chooses the model. Runs comes first, since it changes which tables
// there are. An error of a damaged file goes before one of a fit: the fit most likely
// failed because the rest of the file is missing.
func (q Question) answer(in benchmarks.Reading) (*Answer, error) {
	if err := unused(q.Options, in.Sources); err != nil {
		return nil, err
	}
	if q.Runs {
		merged, notes, err := fitRuns(in.Sources)
		if err != nil {
			return nil, cmp.Or(in.Broken, err)
		}
		in.Sources, in.Notes = merged, append(in.Notes, notes...)
	}
	a := &Answer{LeftOut: in.LeftOut, Broken: in.Broken, Partial: in.Partial, sources: in.Sources}
	if err := a.fit(q); err != nil {
		return nil, cmp.Or(in.Broken, err)
	}
	var warned []remark.Note
	_, joint := a.Result.(*Collectives)
	for _, s := range in.Sources {
		// A fit of collectives uses no other tables, so doubts about those would only
		// distract.
		if !joint || s.Table.Kind == benchfile.Collective {
			for _, w := range s.Table.Warnings {
				warned = append(warned, remark.Warned(w).About(s.About()))
			}
		}
	}
	// Doubts about files stand before doubts about tables, and those before doubts
	// about the fit: each may explain the next.
	a.Notes = slices.Concat(in.Notes, warned, a.Notes)
	if a.Partial { // what was read is no ground for advice
		return a, nil
	}
	return a, a.advise(q)
}

// fit sets the result. Curves over sizes or a joint fit over ranks are chosen by the tables, if the
// user has not. A named model is always obeyed.
func (a *Answer) fit(q Question) error {
	named := q.Model != "" && q.Model != "auto"
	switch {
	case q.Model == "loggp" || q.Model == "logp":
		return a.parameters(q)
	case q.Model == "pipeline":
		p, err := pipeline(a.sources, q.Method)
		a.Result = p
		return err
	case q.Model == "collective":
		_, err := a.collectives(a.sources, q.Measured)
		return err
	case q.Compare != "":
		return a.compare(q)
	case !named && jointly(a.sources, q.Measured):
		return a.beside(q)
	}
	curves, summaries, notes, err := fitCurves(a.sources, q.Options)
	if a.Notes = notes; !named {
		a.Notes = append(a.Notes, whyNotJointly(a.sources, q.Measured)...)
	}
	lines := linesOf(curves, a.sources, q.Units)
	if err != nil && len(summaries) > 0 && !named && !q.Saving { // a line was not asked for
		a.Result = &Sizes{lines, summaries}
		return nil
	}
	a.Result, a.runs = &lines, runsOf(a.sources, nil)
	return err
}

// parameters sets the parameters of LogP or LogGP.
func (a *Answer) parameters(q Question) (err error) {
	var p *Parameters
	if q.Model == "logp" {
		p, a.Notes, err = logP(a.sources, q.RTT)
	} else {
		p, a.Notes, err = logGP(a.sources)
	}
	if err == nil {
		a.Result, a.sources = p, p.sources
	}
	return err
}

// compare sets the differences between the tables before and after. A damaged file on either side
// makes the comparison incomplete.
func (a *Answer) compare(q Question) error {
	before, after, in, err := sidesOf(a.sources, q.Options)
	if err != nil {
		return err
	}
	a.Broken, a.Partial = cmp.Or(a.Broken, in.Broken), a.Partial || in.Partial
	curves, notes, err := fitOrPoints(before, q.Options)
	if err != nil {
		return err
	}
	later, more, err := fitOrPoints(after, q.Options)
	if err != nil {
		return err
	}
	c, alone, err := comparisonOf(linesOf(curves, a.sources, q.Units), later, q.Network)
	a.Result, a.Notes = c, slices.Concat(doubtsAbout(q.Compare, in), notes, more)
	a.LeftOut = slices.Concat(a.LeftOut, in.LeftOut, alone)
	return err
}

// doubtsAbout returns the doubts about the file to compare with and its tables, with its name:
// those about the other file have none if it is the only one.
func doubtsAbout(file string, in benchmarks.Reading) (all []remark.Note) {
	all = slices.Clone(in.Notes)
	for _, s := range in.Sources {
		for _, w := range s.Table.Warnings {
			all = append(all, remark.Warned(w).About(s.About()))
		}
	}
	for i, n := range all {
		if !strings.HasPrefix(n.Text, file) {
			all[i] = n.About(file)
		}
	}
	return all
}

// collectives sets the joint fits.
func (a *Answer) collectives(sources []benchmarks.Source, o fit.MeasuredOptions) (
	*Collectives, error) {

	c, notes, left, err := collectives(sources, o)
	if err != nil {
		return nil, err
	}
	if left != nil {
		a.Broken = cmp.Or(a.Broken, left)
		a.LeftOut = append(a.LeftOut, remark.LeftOut(left.Error()))
	}
	c.sources, a.runs = a.sources, runsOf(a.sources, c.Fits)
	c.rows = rowsOf(c.Fits, a.runs)
	a.Result, a.Notes = c, notes
	return c, nil
}

// beside sets the joint fits of the collectives, and fits the other tables each by itself: a folder
// of one machine's outputs has both.
func (a *Answer) beside(q Question) error {
	var joint, others []benchmarks.Source
	for _, s := range a.sources {
		if s.Table.Kind == benchfile.Collective {
			joint = append(joint, s)
		} else {
			others = append(others, s)
		}
	}
	c, err := a.collectives(joint, q.Measured)
	if err != nil || len(others) == 0 {
		return err
	}
	var notes []remark.Note
	// That no line goes through them is no error beside the collectives, but a note.
	c.Beside, _, notes, _ = fitCurves(others, q.Options)
	if len(c.Beside) == 0 {
		notes = []remark.Note{remark.ForeignTables(len(others))}
	} else {
		names := layerNames(c.Beside)
		if n := len(names) - fewNames; n > 1 {
			names = append(names[:fewNames], fmt.Sprintf("and %d more", n))
		}
		a.Notes = append(a.Notes, remark.SavedBeside(len(c.Beside), strings.Join(names, ", ")))
	}
	a.Notes = append(a.Notes, notes...)
	return nil
}

// fewNames is the number of layers that a note names: a file of runs has one for each.
const fewNames = 3

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
	perftest := func(s benchmarks.Source) bool { return s.Table.Format == "perftest" }
	if t.Clock > 0 && !slices.ContainsFunc(sources, perftest) {
		return usage.Fields(errors.New("only the cycles that perftest -C prints need a clock, "+
			"and no table is of perftest; leave it out"), "clock")
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
