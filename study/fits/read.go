package fits

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// An input holds the tables of benchmark files.
type input struct {
	Sources []fitSource
	Notes   []string // doubts about the files themselves
	Broken  error    // see [Fitted.Broken]
}

// ReadFit reads the tables of files, and of the files of folders. An error of a file that was named
// ends the reading, and so does that of a folder without a table. Of a folder, files without a
// table are left out with a note, as are those that cannot be read. The first of these is broken
// unless it is a text about the results.
func ReadFit(paths []string, o Options) (in input, err error) {
	for _, path := range paths {
		names, err := benchfile.Files(path)
		if err != nil {
			return in, err
		}
		folder := len(names) != 1 || names[0] != path
		before := len(in.Sources)
		for _, name := range names {
			file, err := openFit(name, o)
			damaged, unread := new(benchfile.Damaged), new(benchfile.Error)
			switch {
			case errors.As(err, &damaged) && len(damaged.File.Tables) > 0:
				file = damaged.File
				in.fail(err)
			case folder && errors.As(err, &unread) && (unread.NoTable || isProse(name)):
				in.Notes = append(in.Notes, "skipped: "+err.Error())
			case folder && err != nil:
				in.Notes = append(in.Notes, "skipped: "+err.Error())
				in.fail(err)
			case err != nil:
				return in, err
			}
			if file != nil {
				in.add(file)
			}
		}
		if folder && len(in.Sources) == before {
			if in.Broken != nil {
				return in, in.Broken
			}
			return in, &benchfile.Error{File: path, Msg: fmt.Sprintf("no file of the folder has a table of sizes and times; files read: %d", len(names))}
		}
	}
	in.end(paths...)
	return in, nil
}

// isProse reports whether a file is named as a text for people, whose tables may be of anything.
func isProse(name string) bool {
	switch base := strings.ToLower(filepath.Base(name)); strings.TrimPrefix(filepath.Ext(base), ".") {
	case "md", "rst", "adoc":
		return true
	default:
		return strings.HasPrefix(base, "readme")
	}
}

// end ends the reading. If it was of one file, remarks do not name that.
func (in *input) end(paths ...string) {
	one := len(paths) == 1 && in.Sources[0].file.Name == paths[0]
	for i := range in.Sources {
		in.Sources[i].alone, in.Sources[i].one = len(in.Sources) == 1, one
	}
	for i, note := range in.Notes {
		if one {
			in.Notes[i] = strings.TrimPrefix(note, paths[0]+": ")
		}
	}
}

func warnings(sources []fitSource) (notes []string) {
	for _, s := range sources {
		for _, w := range s.table.Warnings {
			notes = append(notes, s.about("%s", w))
		}
	}
	return notes
}

// fail notes what could not be read; the first counts.
func (in *input) fail(err error) { in.Broken = cmp.Or(in.Broken, err) }

func (in *input) add(file *benchfile.File) {
	for i := range file.Tables {
		in.Sources = append(in.Sources, fitSource{file: file, table: &file.Tables[i]})
	}
	for _, text := range slices.Concat(file.Warnings, file.Notes) {
		in.Notes = append(in.Notes, file.Name+": "+text)
	}
	if file.Skipped > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf("%s: %d of %d lines do not belong to a table and were skipped", file.Name, file.Skipped, file.Lines))
	}
}

func openFit(path string, o Options) (*benchfile.File, error) {
	var read func(int64)
	done := func() {}
	if o.Progress != nil {
		read, done = o.Progress(path)
	}
	defer done()
	o.Trace.Progress = read
	return benchfile.Open(path, o.Trace)
}

// fitPairs takes tables together that differ only in their nodes, which columns name; none if there
// are no such tables.
func fitPairs(sources []fitSource) (all []fitSource, err error) {
	by := map[string][]*benchfile.Table{}
	var kinds []string
	for _, s := range sources {
		kind := fmt.Sprint(s.table.Format, s.table.Kind, s.table.Collective)
		pair := false
		for _, l := range s.table.Labels {
			named := slices.ContainsFunc(benchfile.NodeColumns, func(c []string) bool { return slices.Contains(c, strings.ToLower(l.Column)) })
			pair = pair || named
			if !named {
				kind += fmt.Sprintf(", %s=%s", l.Column, l.Value)
			}
		}
		if !pair {
			return nil, nil
		}
		if by[kind] == nil {
			kinds = append(kinds, kind)
		}
		by[kind] = append(by[kind], s.table)
	}
	file := *sources[0].file
	file.Tables = nil
	for _, kind := range kinds {
		one, err := fit.Runs(by[kind]...)
		if err != nil {
			return nil, usage.Fields(err, "runs")
		}
		_, labels, _ := strings.Cut(kind, ", ")
		one.Title = strings.TrimSpace(fmt.Sprintf("%d pairs of nodes %s", len(by[kind]), labels))
		file.Tables = append(file.Tables, *one)
	}
	return together(&file), nil
}

// together returns the tables of a file as sources.
func together(file *benchfile.File) (all []fitSource) {
	for i := range file.Tables {
		all = append(all, fitSource{file: file, table: &file.Tables[i], alone: len(file.Tables) == 1})
	}
	return all
}

// fitRuns takes the tables of several files together, each with its partners in the other files.
// Those that are not in all files are left out, with a note; it is an error if that leaves none.
// Pairs of nodes that columns name are runs of one measurement too.
func fitRuns(sources []fitSource) (all []fitSource, notes []string, err error) {
	if all, err := fitPairs(sources); len(all) > 0 || err != nil {
		return all, nil, err
	}
	var files [][]fitSource
	for i, s := range sources {
		if i == 0 || s.file != sources[i-1].file {
			files = append(files, nil)
		}
		last := &files[len(files)-1]
		*last = append(*last, s)
	}
	first := files[0]
	runs := list.Map(first, func(s fitSource) []*benchfile.Table { return []*benchfile.Table{s.table} })
	for _, other := range files[1:] {
		of, alone := partners(first, other)
		if len(alone) == len(first)+len(other) {
			return nil, nil, usage.Fields(fmt.Errorf("runs of one measurement must have the same tables; %s; %s", tablesOf(first), tablesOf(other)), "runs")
		}
		for _, note := range aloneNotes(alone) {
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
		for i, j := range of {
			if j >= 0 {
				runs[i] = append(runs[i], other[j].table)
			}
		}
	}
	of := *first[0].file
	of.Name = fmt.Sprintf("%s and %d more", of.Name, len(files)-1)
	of.Tables = nil
	for _, tables := range runs {
		if len(tables) < len(files) {
			continue
		}
		one, err := fit.Runs(tables...)
		if err != nil {
			return nil, nil, usage.Fields(err, "runs")
		}
		of.Tables = append(of.Tables, *one)
	}
	if len(of.Tables) == 0 {
		return nil, nil, usage.Fields(fmt.Errorf("no table of %s is in all files: %s", first[0].file.Name, strings.Join(notes, "; ")), "runs")
	}
	return together(&of), notes, nil
}

func fitTables(sources []fitSource) []*benchfile.Table {
	return list.Map(sources, func(s fitSource) *benchfile.Table { return s.table })
}
