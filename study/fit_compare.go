package study

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/nearest"
)

// compare fits both sides and says how the tables differ: one table with the other, several by
// their names. Those without a partner are in the notes.
func (f *Fitted) compare(o FitOptions) error {
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
	pairs, alone := partners(f.Curves, others)
	for _, c := range alone {
		f.Notes = append(f.Notes, fmt.Sprintf("--compare: %s has no partner, and is left out", c.name()))
	}
	if len(pairs) == 0 {
		return fmt.Errorf("--compare: no table before has the name of one after: %s; %s", curveNames(f.Curves), curveNames(others))
	}
	for _, p := range pairs {
		b, a := p[0], p[1]
		changes, err := fit.Compare(b.Result, a.Result)
		if err != nil {
			return fmt.Errorf("--compare: %s and %s: %w", b.name(), a.name(), err)
		}
		for _, c := range changes {
			f.Changes = append(f.Changes, FittedChange{b.name(), a.name(), c})
		}
	}
	return nil
}

// sides are the tables before and after: those of another file or folder, or, if the files that were
// read are to be compared with themselves, the runs in them.
func (f *Fitted) sides(o FitOptions) (before, after []fitSource, err error) {
	info, err := os.Stat(o.Compare)
	if err != nil {
		if after = named(f.sources, o.Compare); after != nil {
			before = slices.DeleteFunc(slices.Clone(f.sources), func(s fitSource) bool { return s.table == after[0].table })
			if len(before) != 1 {
				return nil, nil, fmt.Errorf("--compare %q: %d other tables in %s; a table is compared with the one other of its file", o.Compare, len(before), f.sources[0].file.Name)
			}
			return before, after, nil
		}
		var names []string
		for _, s := range f.sources {
			names = append(names, s.table.Name())
		}
		return nil, nil, fmt.Errorf("--compare %q: no such file, and no such table%s", o.Compare, nearest.Hint(o.Compare, names))
	}
	for _, s := range f.sources {
		if own, err := os.Stat(s.file.Name); err == nil && os.SameFile(info, own) {
			return runsWithin(f.sources)
		}
	}
	in, err := readFit([]string{o.Compare}, o)
	if err != nil {
		return nil, nil, err
	}
	f.Notes = append(f.Notes, in.notes...)
	f.Broken = cmp.Or(f.Broken, in.broken)
	return f.sources, in.sources, nil
}

func named(sources []fitSource, name string) []fitSource {
	i := slices.IndexFunc(sources, func(s fitSource) bool { return s.table.Name() == name })
	if i < 0 {
		return nil
	}
	return sources[i : i+1]
}

// runsWithin are the two runs in one file: its two tables, or the first of each name and the second.
func runsWithin(sources []fitSource) (before, after []fitSource, err error) {
	if len(sources) == 2 {
		return sources[:1], sources[1:], nil
	}
	times := map[string]int{}
	for _, s := range sources {
		name := s.table.Name()
		if times[name]++; times[name] == 1 {
			before = append(before, s)
		} else if times[name] == 2 {
			after = append(after, s)
		}
	}
	if len(after) == 0 {
		return nil, nil, errors.New("--compare: the same file, and no table is in it twice; name another file, or a table of a file with two")
	}
	return before, after, nil
}

// partners pairs curves: one with one whatever they are called, of several those of the same name,
// in their order.
func partners(before, after []FittedCurve) (pairs [][2]FittedCurve, alone []FittedCurve) {
	if len(before) == 1 && len(after) == 1 {
		return [][2]FittedCurve{{before[0], after[0]}}, nil
	}
	taken := make([]bool, len(after))
	for _, b := range before {
		i := slices.IndexFunc(after, func(a FittedCurve) bool { return a.table.Name() == b.table.Name() })
		for i >= 0 && i < len(after) && (taken[i] || after[i].table.Name() != b.table.Name()) {
			i++
		}
		if i < 0 || i == len(after) {
			alone = append(alone, b)
			continue
		}
		taken[i] = true
		pairs = append(pairs, [2]FittedCurve{b, after[i]})
	}
	for i, a := range after {
		if !taken[i] {
			alone = append(alone, a)
		}
	}
	return pairs, alone
}

func curveNames(curves []FittedCurve) string {
	names := make([]string, len(curves))
	for i, c := range curves {
		names[i] = c.table.Name()
	}
	return filepath.Base(curves[0].file.Name) + " has " + strings.Join(names, ", ")
}
