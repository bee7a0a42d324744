package fits

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// compare fits the tables before and after, and lists the differences between partners. Tables
// without a partner are in the notes.
func (f *Fitted) compare(o Options) error {
	before, after, err := f.sides(o)
	if err != nil {
		return err
	}
	if f.Curves, _, f.Notes, err = fitCurves(before, o); err != nil {
		return err
	}
	later, _, notes, err := fitCurves(after, o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, notes...)
	of, alone := partners(sourcesOf(f.Curves), sourcesOf(later))
	f.Notes = append(f.Notes, aloneNotes(alone)...)
	if len(alone) == len(f.Curves)+len(later) {
		err := fmt.Errorf("no table before has the name of a table after: %s; %s",
			tablesOf(sourcesOf(f.Curves)), tablesOf(sourcesOf(later)))
		return usage.Fields(err, "against")
	}
	for i, b := range f.Curves {
		if of[i] < 0 {
			continue
		}
		a := later[of[i]]
		changes, err := fit.Compare(b.Result, a.Result)
		if err != nil {
			return usage.Fields(fmt.Errorf("%s and %s: %w", b.name(), a.name(), err), "against")
		}
		for _, c := range changes {
			f.Changes = append(f.Changes, Change{b.name(), a.name(), c})
		}
	}
	return nil
}

// sides returns the tables before and after: those of another file or folder or, if a file is to be
// compared with itself, the runs in it.
func (f *Fitted) sides(o Options) (before, after []fitSource, err error) {
	info, err := os.Stat(o.Compare)
	if err != nil {
		return f.twoTables(o.Compare)
	}
	for _, s := range f.sources {
		if own, err := os.Stat(s.file.Name); err == nil && os.SameFile(info, own) {
			return runsWithin(f.sources)
		}
	}
	in, err := ReadFit([]string{o.Compare}, o)
	if err != nil {
		return nil, nil, err
	}
	f.Notes = append(f.Notes, in.Notes...)
	f.Broken = cmp.Or(f.Broken, in.Broken)
	return f.sources, in.Sources, nil
}

// twoTables returns two of the tables that were read: after has the name; before is the first run
// of the same name, or the only other table.
func (f *Fitted) twoTables(name string) (before, after []fitSource, err error) {
	first, _ := strings.CutSuffix(name, secondRun)
	var names []string
	for _, s := range f.sources {
		switch is := s.table.Name(); {
		case is == name:
			after = append(after, s)
		case is == first || len(f.sources) == 2:
			before = append(before, s)
		}
		names = append(names, s.table.Name())
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

// runsWithin returns the two runs in one file: its two tables, or all tables that are in it twice.
func runsWithin(sources []fitSource) (before, after []fitSource, err error) {
	if len(sources) == 2 {
		return sources[:1], sources[1:], nil
	}
	for _, s := range sources {
		again := s.table.Name() + secondRun
		i := slices.IndexFunc(sources, func(o fitSource) bool { return o.table.Name() == again })
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
