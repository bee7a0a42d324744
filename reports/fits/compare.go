package fits

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// compare fits the tables before and after, and lists the differences between
// partners. Tables without a partner are in the notes.
//
// The pairing follows the fits, not the tables, since a table that cannot be fitted
// must not take the partner of one that can.
func (f *Fitted) compare(o fit.Options) error {
	before, after, err := f.sides(o)
	if err != nil {
		return err
	}
	if f.Curves, f.Notes, err = fitOrPoints(before, o); err != nil {
		return err
	}
	later, notes, err := fitOrPoints(after, o)
	if err != nil {
		return err
	}
	f.Notes, f.Later = append(f.Notes, notes...), later
	of, alone := partners(sourcesOf(f.Curves), sourcesOf(later))
	f.Alone, f.LeftOut = list.Map(alone, callOf), append(f.LeftOut, aloneNotes(alone)...)
	// All tables without a partner is an error rather than an empty answer: the user
	// has named two things that do not belong together.
	if len(alone) == len(f.Curves)+len(later) {
		err := fmt.Errorf("no table before has a partner after: %s; %s",
			tableCalls(sourcesOf(f.Curves)), tableCalls(sourcesOf(later)))
		return usage.Fields(err, "against")
	}
	on := cmp.Or(o.Network, networkOf(f.Curves))
	for i, b := range f.Curves {
		if of[i] < 0 {
			continue
		}
		a := later[of[i]]
		if a.Kind != b.Kind {
			err := fmt.Errorf("%s has times of another kind (%v) than %s (%v); compare files of "+
				"one benchmark", a.Place(), a.Kind, b.Place(), b.Kind)
			return usage.Fields(err, "against")
		}
		changes, err := fit.Compare(b.Result, a.Result, on)
		if err != nil {
			return usage.Fields(fmt.Errorf("%s and %s: %w", b.Place(), a.Place(), err), "against")
		}
		for _, c := range changes {
			f.Changes = append(f.Changes, Change{b.Place(), a.Place(), callOf(b.Source), c})
		}
	}
	return nil
}

// fitOrPoints fits tables. If all of them have one size each, their times are compared without a
// fit.
func fitOrPoints(sources []benchmarks.Source, o fit.Options) (
	curves []Curve, notes []string, err error) {
	curves, single, notes, err := fitCurves(sources, o)
	for _, s := range single {
		if one, no := fit.OneSize(s.Table); err != nil && no == nil {
			curves = append(curves, Curve{s.Source, one})
		}
	}
	if len(curves) > 0 {
		err = nil
	}
	return curves, notes, err
}

// networkOf returns the class of the network of tables: that of the latency of the smallest time.
func networkOf(curves []Curve) fit.Network {
	on := fit.Shared
	for _, c := range curves {
		if n := c.Network(); slices.Index(fit.Networks, n) < slices.Index(fit.Networks, on) {
			on = n
		}
	}
	return on
}

// sides returns the tables before and after. o.Compare is a path or the name of a
// table, tried in this order: a path that exists cannot be meant as a table's name.
// If it is one of the files that were read, its own second runs are the tables after.
func (f *Fitted) sides(o fit.Options) (before, after []benchmarks.Source, err error) {
	info, err := os.Stat(o.Compare)
	if err != nil {
		return f.twoTables(o.Compare)
	}
	// The file is compared by identity, not by name: ./a.txt, a.txt and a link are
	// one file.
	for _, s := range f.sources {
		if own, err := os.Stat(s.File.Name); err == nil && os.SameFile(info, own) {
			return runsWithin(f.sources)
		}
	}
	in, err := benchmarks.Read([]string{o.Compare}, o)
	if err != nil {
		return nil, nil, err
	}
	f.Notes = append(f.Notes, in.Notes...)
	// A damaged file on either side makes the comparison incomplete.
	f.Broken, f.Partial = cmp.Or(f.Broken, in.Broken), f.Partial || in.Partial
	f.LeftOut = append(f.LeftOut, in.LeftOut...)
	if several(in.Sources) && o.Runs {
		var notes []string
		if in.Sources, notes, err = fitRuns(in.Sources); err != nil {
			return nil, nil, usage.Fields(err, "against")
		}
		f.Notes = append(f.Notes, notes...)
	}
	return f.sources, in.Sources, nil
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
func (f *Fitted) twoTables(name string) (before, after []benchmarks.Source, err error) {
	var names []string
	first := "" // run of the name
	for _, s := range f.sources {
		if s.Table.Name() == name {
			after, first = append(after, s), s.Table.FirstName()
		}
		names = append(names, s.Table.Name())
	}
	for i, s := range f.sources {
		if names[i] != name && (names[i] == first || len(f.sources) == 2) {
			before = append(before, s)
		}
	}
	switch {
	case len(after) == 0:
		err := fmt.Errorf("%q: no such file or table%s", name, usage.Hint(name, names))
		return nil, nil, usage.Fields(err, "against")
	case len(after) > 1 || len(before) != 1:
		err := fmt.Errorf("%q: the file has %d tables to compare with; "+
			"name a table of a file with two, or the second run of one", name, len(f.sources)-1)
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
