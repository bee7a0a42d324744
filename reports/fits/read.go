package fits

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// A Source is a table with the file that it comes from. Several tables share a
// file, and notes and sources need both names.
type Source struct {
	File  *benchfile.File
	Table *benchfile.Table
	alone bool // it is the only table: notes need not name it
	one   bool // its file is the only one: notes need not name that
}

func tablesIn(file *benchfile.File) (all []Source) {
	for i := range file.Tables {
		all = append(all,
			Source{File: file, Table: &file.Tables[i], alone: len(file.Tables) == 1})
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

// About returns a note about the table. It names only what is not obvious: nothing if
// there is one table, no file if there is one file.
func (s Source) About(format string, args ...any) string {
	text := fmt.Sprintf(format, args...)
	switch {
	case s.alone:
		return text
	case s.one:
		return s.Table.Name() + ": " + text
	}
	return s.Place() + ": " + text
}

// dateSuffix returns " of " and the file's date, for the source of a saved fit. The
// date of the file is close to that of the measurement; the date of the fit would
// make the output differ from day to day. A file that has been removed has no date,
// which is no reason to fail.
func (s Source) dateSuffix() string {
	info, err := os.Stat(s.File.Name)
	// A pipe or a device has no date of its measurement.
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return " of " + info.ModTime().UTC().Format(time.DateOnly)
}

func sourceNames(sources []Source) string {
	all := list.Map(sources, func(s Source) string { return filepath.Base(s.Place()) })
	return strings.Join(all, ", ")
}

func fitTables(sources []Source) []*benchfile.Table {
	return list.Map(sources, func(s Source) *benchfile.Table { return s.Table })
}

// An input holds the tables of benchmark files, in the order of the paths.
type input struct {
	Sources []Source
	Notes   []string // doubts about the files themselves
	Broken  error    // see [Fitted.Broken]
	partial bool     // see [Fitted.Partial]
	leftOut []string // files of a folder that could not be used
}

// ReadFit reads the tables of files, and of the files in folders. The two differ in
// what an error means. A user who names a file wants that file, so an error in it
// ends the reading. A folder of results also has scripts, pictures and notes, so its
// files that have no table or cannot be read are skipped with a note.
//
// A file of a folder that is damaged is no such bystander: its error becomes Broken,
// the first one if there are several. So does that of a file that cannot be used at all.
// Texts for people (README.md) are exempt, since a table in prose may be anything.
func ReadFit(paths []string, o fit.Options) (in input, err error) {
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
				in.Notes = append(in.Notes, "skipped: "+name+" is the same file as "+other)
				again++
				continue
			}
			file, err := openFit(name, o)
			damaged, unread := new(benchfile.Damaged), new(benchfile.Error)
			switch {
			case errors.As(err, new(usage.Error)):
				return in, err
			// The order of these cases matters: a damaged file with tables is used
			// whether it was named or found in a folder.
			case errors.As(err, &damaged) && len(damaged.File.Tables) > 0:
				file = damaged.File
				in.Broken, in.partial = cmp.Or(in.Broken, err), true
			case folder && errors.As(err, &unread) && (unread.NoTable || isProse(name)):
				in.Notes = append(in.Notes, "skipped: "+err.Error())
			case folder && err != nil:
				in.leftOut = append(in.leftOut, "left out: "+err.Error())
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

// end sets what notes need not name, which is known only when all files are read.
func (in *input) end(paths ...string) {
	one := len(paths) == 1 && len(in.Sources) > 0 && in.Sources[0].File.Name == paths[0]
	for i := range in.Sources {
		in.Sources[i].alone, in.Sources[i].one = len(in.Sources) == 1, one
	}
	for i, note := range in.Notes {
		if one {
			in.Notes[i] = strings.TrimPrefix(note, paths[0]+": ")
		}
	}
}

// add takes over the tables of a file and its doubts. Skipped lines are counted for
// the user: a few are banners; if most of them are skipped, a column was misread.
func (in *input) add(file *benchfile.File) {
	in.Sources = append(in.Sources, tablesIn(file)...)
	for _, text := range slices.Concat(file.Warnings, file.Notes) {
		in.Notes = append(in.Notes, file.Name+": "+text)
	}
	if file.Skipped > 0 {
		in.Notes = append(in.Notes, fmt.Sprintf(
			"%s: %d of %d lines do not belong to a table and were skipped", file.Name, file.Skipped,
			file.Lines))
	}
}

func openFit(path string, o fit.Options) (*benchfile.File, error) {
	var read func(int64)
	done := func() {}
	if o.Progress != nil {
		read, done = o.Progress(path)
	}
	defer done()
	o.Trace.Progress = read
	return benchfile.Open(path, o.Trace)
}
