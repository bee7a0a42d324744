package study

import (
	"errors"
	"fmt"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/trace"
)

// A fitInput is what was read of benchmark files.
type fitInput struct {
	sources []fitSource
	notes   []string // doubts about the files themselves
	broken  error    // see [Fitted.Broken]
}

// readFit reads the tables of files, and of the files of folders. An error of a file that was named
// ends the reading, and so does that of a folder without a table. Of a folder, files without a table
// are left out with a note, as are those that cannot be read, the first of which is broken.
func readFit(paths []string, o FitOptions) (in fitInput, err error) {
	for _, path := range paths {
		names, err := trace.Files(path)
		if err != nil {
			return in, err
		}
		folder := len(names) != 1 || names[0] != path
		before := len(in.sources)
		for _, name := range names {
			file, err := openFit(name, o)
			damaged, unread := new(trace.Damaged), new(trace.Error)
			switch {
			case errors.As(err, &damaged) && len(damaged.File.Tables) > 0:
				file = damaged.File
				in.fail(err)
			case folder && errors.As(err, &unread) && unread.NoTable:
				in.notes = append(in.notes, "left out: "+err.Error())
			case folder && err != nil:
				in.notes = append(in.notes, "left out: "+err.Error())
				in.fail(err)
			case err != nil:
				return in, err
			}
			if file != nil {
				in.add(file)
			}
		}
		if folder && len(in.sources) == before {
			if in.broken != nil {
				return in, in.broken
			}
			return in, &trace.Error{File: path, Msg: fmt.Sprintf("no file of the folder has a table of sizes and times; files read: %d", len(names))}
		}
	}
	if len(in.sources) == 1 {
		in.sources[0].alone = true
	}
	for _, s := range in.sources {
		for _, w := range s.table.Warnings {
			in.notes = append(in.notes, s.about("%s", w))
		}
	}
	return in, nil
}

// fail notes what could not be read; the first counts.
func (in *fitInput) fail(err error) {
	if in.broken == nil {
		in.broken = err
	}
}

// add adds the tables of a file, and the doubts about it.
func (in *fitInput) add(file *trace.File) {
	for i := range file.Tables {
		in.sources = append(in.sources, fitSource{file: file, table: &file.Tables[i]})
	}
	for _, texts := range [][]string{file.Warnings, file.Notes} {
		for _, text := range texts {
			in.notes = append(in.notes, file.Name+": "+text)
		}
	}
	if file.Skipped > 0 {
		in.notes = append(in.notes, fmt.Sprintf("%s: %d of %d lines are no part of a table and were skipped", file.Name, file.Skipped, file.Lines))
	}
}

func openFit(path string, o FitOptions) (*trace.File, error) {
	var read func(int64)
	done := func() {}
	if o.Progress != nil {
		read, done = o.Progress(path)
	}
	defer done()
	o.Trace.Progress = read
	return trace.Open(path, o.Trace)
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
