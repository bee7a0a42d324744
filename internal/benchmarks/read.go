// Package benchmarks reads files of benchmarks as tables, each with the file that it comes from.
// [SeriesOf] groups tables of collectives into series, which are fitted together.
//
// What cannot be used is left out with a note that says why, and it is an error only if nothing is
// left. A file that breaks off gives what is before the break, and the reading says so
// ([Reading.Broken], [Reading.Partial]), so that a command can show the rest and still fail.
package benchmarks

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Source is a table with the file that it comes from. Several tables share a
// file, and notes and sources need both names.
type Source struct {
	File  *benchfile.File
	Table *benchfile.Table
	Alone bool // it is the only table: notes need not name it
	one   bool // its file is the only one: notes need not name that
}

// Tables returns the tables of a file.
func Tables(file *benchfile.File) (all []Source) {
	for i := range file.Tables {
		all = append(all,
			Source{File: file, Table: &file.Tables[i], Alone: len(file.Tables) == 1})
	}
	return all
}

// Place identifies a table in errors and sources: the file and, if it has several
// tables, the table.
func (s Source) Place() string {
	if len(s.File.Tables) == 1 {
		return s.File.Name
	}
	return s.File.Name + ": " + s.Table.Name()
}

// About returns the name of the table for a note about it. It names only what is not obvious:
// nothing if there is one table, no file if there is one file.
func (s Source) About() string {
	switch {
	case s.Alone:
		return ""
	case s.one:
		return s.Table.Name()
	}
	return s.Place()
}

// Dated returns " of " and the file's date, for the source of a saved fit. The
// date of the file is close to that of the measurement; the date of the fit would
// make the output differ from day to day. A file that has been removed has no date,
// which is no reason to fail.
func (s Source) Dated() string {
	info, err := os.Stat(s.File.Name)
	// A pipe or a device has no date of its measurement.
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return " of " + info.ModTime().UTC().Format(time.DateOnly)
}

// Names lists the tables, by the last part of each path.
func Names(sources []Source) string {
	all := list.Map(sources, func(s Source) string { return filepath.Base(s.Place()) })
	return strings.Join(all, ", ")
}

// A Reading holds the tables of benchmark files, in the order of the paths.
type Reading struct {
	Sources []Source
	Notes   []remark.Note // doubts about the files themselves
	// LeftOut has the errors of files of a folder that could not be used, and what the reader of a
	// file warns of: rows that it does not read, and units that no network has.
	LeftOut []remark.Note
	// Broken is the first error of a file that could not be used, or not to its end. The tables of
	// the others are complete.
	Broken error
	// Partial is set if a file was used in part: then a layer is not what its source says, and
	// nothing should be saved.
	Partial bool
}

// Read reads the tables of files, and of the files in folders. The two differ in
// what an error means. A user who names a file wants that file, so an error in it
// ends the reading. A folder of results also has scripts, pictures and notes, so its
// files that have no table or cannot be read are skipped with a note.
//
// A file of a folder that is damaged is no such bystander: its error becomes Broken,
// the first one if there are several. So does that of a file that cannot be used at all.
// Texts for people (README.md) are exempt, since a table in prose may be anything.
func Read(paths []string, o fit.Options) (in Reading, err error) {
	seen := seenFiles{}
	for _, path := range paths {
		names, err := benchfile.Files(path)
		if err != nil {
			return in, err
		}
		// A folder with one file has that file's path, which differs from its own.
		folder := len(names) != 1 || names[0] != path
		// Two outputs of calibrate.c are two machines: no rule merges them.
		if folder || len(paths) > 1 {
			o.Trace.Other = nil
		}
		before, again := len(in.Sources), 0
		for _, name := range names {
			if other := seen.same(name); other != "" {
				in.Notes = append(in.Notes, remark.SameFile(name, other))
				again++
				continue
			}
			file, err := open(name, o)
			damaged, unread := new(benchfile.Damaged), new(benchfile.Error)
			switch {
			case errors.As(err, new(usage.Error)):
				return in, err
			// The order of these cases matters: a damaged file with tables is used
			// whether it was named or found in a folder.
			case errors.As(err, &damaged) && len(damaged.File.Tables) > 0:
				file = damaged.File
				in.Broken, in.Partial = cmp.Or(in.Broken, err), true
			case folder && errors.As(err, &unread) && (unread.NoTable || isProse(name)):
				in.Notes = append(in.Notes, remark.Skipped(err.Error()))
			case folder && err != nil:
				in.LeftOut = append(in.LeftOut, remark.LeftOut(err.Error()))
				in.Broken = cmp.Or(in.Broken, err)
			case err != nil:
				return in, err
			case len(file.Tables) == 0: // Other has read it
				return in, nil
			}
			if file != nil {
				in.add(file)
			}
		}
		if folder && len(in.Sources) == before && again == 0 {
			if in.Broken != nil {
				return in, in.Broken
			}
			msg := fmt.Sprintf("no file of the folder has a table of sizes and times; "+
				"files read: %d", len(names))
			return in, &benchfile.Error{File: path, Msg: msg}
		}
	}
	in.end(paths...)
	return in, nil
}

// seenFiles are files that were read, by name. A file that is given twice is not two runs.
type seenFiles map[string]os.FileInfo

// same returns the name of an earlier file that is the same one, empty if there is none.
func (seen seenFiles) same(name string) (other string) {
	info, err := os.Stat(name)
	if err != nil {
		return "" // the standard input, or an error of reading
	}
	for other, earlier := range seen {
		if os.SameFile(info, earlier) {
			return other
		}
	}
	seen[name] = info
	return ""
}

// isProse reports whether a file has the name of a text for people, whose tables may be anything.
func isProse(name string) bool {
	base := strings.ToLower(filepath.Base(name))
	switch filepath.Ext(base) {
	case ".md", ".rst", ".adoc":
		return true
	default:
		return strings.HasPrefix(base, "readme")
	}
}

// ReadText reads a benchmark's output from r; name is the file's name in messages. If the output
// breaks off, the reading has the tables before that.
func ReadText(r io.Reader, name string, o fit.Options) (in Reading, err error) {
	file, err := benchfile.Read(r, name, o.Trace)
	if damaged := new(benchfile.Damaged); errors.As(err, &damaged) && len(damaged.File.Tables) > 0 {
		file = damaged.File
		in.Broken, in.Partial = err, true
	} else if err != nil {
		return in, err
	}
	in.add(file)
	in.end(name)
	return in, nil
}

// end sets what notes need not name, which is known only when all files are read.
func (in *Reading) end(paths ...string) {
	one := len(paths) == 1 && len(in.Sources) > 0 && in.Sources[0].File.Name == paths[0]
	for i := range in.Sources {
		in.Sources[i].Alone, in.Sources[i].one = len(in.Sources) == 1, one
	}
	for _, notes := range [][]remark.Note{in.LeftOut, in.Notes} {
		for i, note := range notes {
			if one {
				notes[i].Text = strings.TrimPrefix(note.Text, paths[0]+": ")
			}
		}
	}
}

// add takes over the tables of a file and its doubts. Skipped lines are counted for
// the user: a few are banners; if most of them are skipped, a column was misread.
func (in *Reading) add(file *benchfile.File) {
	in.Sources = append(in.Sources, Tables(file)...)
	for _, text := range file.Warnings {
		in.LeftOut = append(in.LeftOut, remark.Warned(text).About(file.Name))
	}
	for _, text := range file.Notes {
		in.Notes = append(in.Notes, remark.Warned(text).About(file.Name))
	}
	if file.Skipped > 0 {
		in.Notes = append(in.Notes,
			remark.ForeignLines(file.Skipped, file.Lines).About(file.Name))
	}
}

func open(path string, o fit.Options) (*benchfile.File, error) {
	var read func(int64)
	done := func() {}
	if o.Progress != nil {
		read, done = o.Progress(path)
	}
	defer done()
	o.Trace.Progress = read
	return benchfile.Open(path, o.Trace)
}

// Is reports whether the path that was given as a platform is the output of a benchmark.
func Is(path string) bool {
	// The error of a platform's file names the line; and a pipe can be read only once.
	if info, err := os.Stat(path); filepath.Ext(path) == ".toml" || err != nil ||
		!info.Mode().IsRegular() {
		return false
	}
	calibrated := false
	other := func(text *bufio.Reader, _ string) bool {
		machine, pipelines := calibrate.Recognize(text)
		calibrated = machine || pipelines
		return calibrated
	}
	file, err := benchfile.Open(path, benchfile.Options{Other: other})
	return err == nil && (calibrated || len(file.Tables) > 0)
}
