package fits

import (
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// sidesOf returns the tables before and after, of those that were read. o.Compare is a path or the
// name of a table, tried in this order: a path that exists cannot be meant as a table's name.
// If it is one of the files that were read, its own second runs are the tables after. Otherwise in
// has the doubts about the other file.
func sidesOf(sources []benchmarks.Source, o fit.Options) (
	before, after []benchmarks.Source, in benchmarks.Reading, err error) {

	info, err := os.Stat(o.Compare)
	if err != nil {
		before, after, err = twoTables(sources, o.Compare)
		return before, after, in, err
	}
	// The file is compared by identity, not by name: ./a.txt, a.txt and a link are
	// one file.
	for _, s := range sources {
		if own, err := os.Stat(s.File.Name); err == nil && os.SameFile(info, own) {
			before, after, err = runsWithin(sources)
			return before, after, in, err
		}
	}
	if in, err = benchmarks.Read([]string{o.Compare}, o); err != nil {
		return nil, nil, in, err
	}
	if several(in.Sources) && o.Runs {
		merged, notes, err := fitRuns(in.Sources)
		if err != nil {
			return nil, nil, in, usage.Fields(err, "against")
		}
		in.Sources, in.Notes = merged, append(in.Notes, notes...)
	}
	return sources, in.Sources, in, nil
}

// several reports whether the tables are of more than one file.
func several(sources []benchmarks.Source) bool {
	return slices.ContainsFunc(sources, func(s benchmarks.Source) bool {
		return s.File != sources[0].File
	})
}

// twoTables returns two of the tables that were read: after has the name; before is
// the first run of the same name, or the only other table. With three tables or more,
// nothing says which one a table of another name should be compared with, so that is
// an error.
func twoTables(sources []benchmarks.Source, name string) (
	before, after []benchmarks.Source, err error) {

	var names []string
	first := "" // run of the name
	for _, s := range sources {
		if s.Table.Name() == name {
			after, first = append(after, s), s.Table.FirstName()
		}
		names = append(names, s.Table.Name())
	}
	for i, s := range sources {
		if names[i] != name && (names[i] == first || len(sources) == 2) {
			before = append(before, s)
		}
	}
	switch {
	case len(after) == 0:
		err := fmt.Errorf("%q: no such file or table%s", name, usage.Hint(name, names))
		return nil, nil, usage.Fields(err, "against")
	case len(after) > 1 || len(before) != 1:
		err := fmt.Errorf("%q: the file has %d tables to compare with; "+
			"name a table of a file with two, or the second run of one", name, len(sources)-1)
		return nil, nil, usage.Fields(err, "against")
	}
	return before, after, nil
}

// runsWithin returns the two runs in one file. Two tables are taken as runs whatever their names: a
// user who compares a file of two tables with itself can mean nothing else. Otherwise the tables
// that are in the file twice are compared. A third run is not.
func runsWithin(sources []benchmarks.Source) (before, after []benchmarks.Source, err error) {
	if len(sources) == 2 {
		return sources[:1], sources[1:], nil
	}
	for _, s := range sources {
		i := slices.IndexFunc(sources, func(o benchmarks.Source) bool { return secondRunOf(s, o) })
		if i >= 0 {
			before, after = append(before, s), append(after, sources[i])
		}
	}
	if len(after) == 0 {
		err := errors.New("it is the same file, and no table is in it twice; " +
			"name another file, or a table of a file with two")
		return nil, nil, usage.Fields(err, "against")
	}
	return before, after, nil
}
