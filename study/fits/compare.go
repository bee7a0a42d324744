package fits

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// compare fits both sides and lists how the tables differ: one table with the other, several by
// their names. Those without a partner are in the notes.
func (f *Fitted) compare(o Options) error {
	before, after, err := f.sides(o)
	if err != nil {
		return err
	}
	if f.Curves, _, f.Notes, err = fitCurves(before, o); err != nil {
		return err
	}
	others, _, notes, err := fitCurves(after, o)
	if err != nil {
		return err
	}
	f.Notes = append(f.Notes, notes...)
	of, alone := partners(sourcesOf(f.Curves), sourcesOf(others))
	f.Notes = append(f.Notes, aloneNotes(alone)...)
	if len(alone) == len(f.Curves)+len(others) {
		return usage.Fields(fmt.Errorf("no table before has the name of a table after: %s; %s", tablesOf(sourcesOf(f.Curves)), tablesOf(sourcesOf(others))), "compare")
	}
	for i, b := range f.Curves {
		if of[i] < 0 {
			continue
		}
		a := others[of[i]]
		changes, err := fit.Compare(b.Result, a.Result)
		if err != nil {
			return usage.Fields(fmt.Errorf("%s and %s: %w", b.name(), a.name(), err), "compare")
		}
		f.Changes = append(f.Changes, list.Map(changes, func(c fit.Change) Change { return Change{b.name(), a.name(), c} })...)
	}
	return nil
}

// sides returns the tables before and after: those of another file or folder, or, if the files that
// were read are to be compared with themselves, the runs in them.
func (f *Fitted) sides(o Options) (before, after []fitSource, err error) {
	info, err := os.Stat(o.Compare)
	if err != nil {
		return f.tables(o.Compare)
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

// secondRun is the suffix that the reader adds to the second table of a name.
const secondRun = " (2)"

// tables returns two of the tables that were read: after has the name; before is the first run of
// the same, or the only other.
func (f *Fitted) tables(name string) (before, after []fitSource, err error) {
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
		return nil, nil, usage.Fields(fmt.Errorf("%q: no such file or table%s", name, nearest.Hint(name, names)), "compare")
	case len(after) > 1 || len(before) != 1:
		return nil, nil, usage.Fields(fmt.Errorf("%q: the file has %d tables to compare with; name a table of a file with two, or the second run of one", name, len(f.sources)-1), "compare")
	}
	return before, after, nil
}

// runsWithin returns the two runs in one file: its two tables, or all that are in it twice.
func runsWithin(sources []fitSource) (before, after []fitSource, err error) {
	if len(sources) == 2 {
		return sources[:1], sources[1:], nil
	}
	for _, s := range sources {
		i := slices.IndexFunc(sources, func(o fitSource) bool { return o.table.Name() == s.table.Name()+secondRun })
		if i >= 0 {
			before, after = append(before, s), append(after, sources[i])
		}
	}
	if len(after) == 0 {
		return nil, nil, usage.Fields(errors.New("it is the same file, and no table is in it twice; name another file, or a table of a file with two"), "compare")
	}
	return before, after, nil
}

// partners pairs tables: one with one whatever they are called, of several first those of files and
// tables with the same names, then those of tables with the same title, each in their order. Of has
// the index of the partner among those after for each before, −1 for none; alone are the tables of
// both sides that have none.
func partners(before, after []fitSource) (of []int, alone []fitSource) {
	if len(before) == 1 && len(after) == 1 {
		return []int{0}, nil
	}
	end := ""
	if after[0].file == before[0].file {
		end = secondRun
	}
	sameTable := func(b, a fitSource) bool { return a.table.Name() == b.table.Name()+end }
	sameFile := func(b, a fitSource) bool {
		return sameTable(b, a) && filepath.Base(a.file.Name) == filepath.Base(b.file.Name)
	}
	sameTitle := func(b, a fitSource) bool { return sameTable(b, a) && b.table.Title != "" }
	of = slices.Repeat([]int{-1}, len(before))
	taken := make([]bool, len(after))
	for _, same := range []func(b, a fitSource) bool{sameFile, sameTitle} {
		for i, b := range before {
			for j, a := range after {
				if of[i] < 0 && !taken[j] && same(b, a) {
					of[i], taken[j] = j, true
				}
			}
		}
	}
	for i, b := range before {
		if of[i] < 0 {
			alone = append(alone, b)
		}
	}
	for j, a := range after {
		if !taken[j] {
			alone = append(alone, a)
		}
	}
	return of, alone
}

// aloneNotes list tables that have no partner.
func aloneNotes(alone []fitSource) []string {
	return list.Map(alone, func(s fitSource) string { return fmt.Sprintf("%s has no partner and is skipped", s.name()) })
}

func sourcesOf(curves []Curve) []fitSource {
	return list.Map(curves, func(c Curve) fitSource { return c.fitSource })
}

// tablesOf lists the tables of a file, for messages.
func tablesOf(sources []fitSource) string {
	names := list.Map(sources, func(s fitSource) string { return s.table.Name() })
	return filepath.Base(sources[0].file.Name) + " has " + strings.Join(names, ", ")
}
