package fits

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// fitRuns pools each table of the first file with its partners in the other files, so
// that a fit knows how much runs differ; one run cannot show it (docs/fit.md).
// Tables that are not in all files are left out, with a note. It is an error if no
// table remains.
//
// Pairs of nodes that columns name are runs of one measurement too: the next
// measurement may be made on any pair, so its interval must hold their differences.
func fitRuns(sources []benchmarks.Source) (
	all []benchmarks.Source, notes []remark.Note, err error) {
	if all, err := fitPairs(sources); len(all) > 0 || err != nil {
		return all, nil, err
	}
	if all, err := fitRepeats(sources); len(all) > 0 || err != nil {
		return all, nil, err
	}
	// Sources come file by file, so a change of the file begins the next one.
	var files [][]benchmarks.Source
	for i, s := range sources {
		if i == 0 || s.File != sources[i-1].File {
			files = append(files, nil)
		}
		last := &files[len(files)-1]
		*last = append(*last, s)
	}
	if all, notes, err := runsByKind(files); len(all) > 0 || err != nil {
		return all, notes, err
	}
	first := files[0]
	runs := list.Map(first, func(s benchmarks.Source) []*benchfile.Table {
		return []*benchfile.Table{s.Table}
	})
	for _, other := range files[1:] {
		of, alone := partners(first, other)
		if len(alone) == len(first)+len(other) {
			err := fmt.Errorf("runs of one measurement must have the same tables; %s; %s",
				tableCalls(first), tableCalls(other))
			return nil, nil, usage.Fields(err, "runs")
		}
		// A table of the first file that has no partner in five others gets one note.
		notes = remark.Add(notes, aloneNotes(alone)...)
		for i, j := range of {
			if j >= 0 {
				runs[i] = append(runs[i], other[j].Table)
			}
		}
	}
	// This is a copy: the file itself keeps the tables that were read.
	of := *first[0].File
	of.Name = fmt.Sprintf("%s and %d more", of.Name, len(files)-1)
	of.Tables = nil
	for _, tables := range runs {
		// The note about the missing partner is there already.
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
		err := fmt.Errorf("no table of %s is in all files: %s",
			first[0].File.Name, strings.Join(remark.Texts(notes), "; "))
		return nil, nil, usage.Fields(err, "runs")
	}
	return benchmarks.Tables(&of), notes, nil
}

// fitRepeats pools tables that a file has several times, as of a job that ran its benchmarks again
// and again. It returns nil if there are several files, or no table comes again.
func fitRepeats(sources []benchmarks.Source) (all []benchmarks.Source, err error) {
	var p pool
	for _, s := range sources {
		if s.File != sources[0].File {
			return nil, nil
		}
		p.add(fmt.Sprint(s.Table.FirstName(), s.Table.Collective, s.Table.Series), s.Table)
	}
	if len(p.kinds) == len(sources) {
		return nil, nil
	}
	return p.merged(sources[0].File)
}

// A pool has tables by the measurements that they are runs of, in the order of the first of each.
type pool struct {
	kinds []string
	by    map[string][]*benchfile.Table
}

// add adds a table of a measurement.
func (p *pool) add(kind string, t *benchfile.Table) {
	if p.by == nil {
		p.by = map[string][]*benchfile.Table{}
	}
	if p.by[kind] == nil {
		p.kinds = append(p.kinds, kind)
	}
	p.by[kind] = append(p.by[kind], t)
}

// merged returns a table for each measurement, in a file like this one.
func (p *pool) merged(like *benchfile.File) ([]benchmarks.Source, error) {
	file := *like // the file itself keeps the tables that were read
	file.Tables = nil
	for _, kind := range p.kinds {
		one, err := fit.Runs(p.by[kind]...)
		if err != nil {
			return nil, usage.Fields(err, "runs")
		}
		file.Tables = append(file.Tables, *one)
	}
	return benchmarks.Tables(&file), nil
}

// runsByKind pools files of one table each by the kind of their times, such as the latencies and
// the streams of a fit of LogGP. A kind with one file has no runs, and a note says so. It returns
// nil if all are of one kind, or if no kind has two files.
func runsByKind(files [][]benchmarks.Source) (
	all []benchmarks.Source, notes []remark.Note, err error) {
	by := map[benchfile.Kind][]benchmarks.Source{}
	var kinds []benchfile.Kind
	for _, f := range files {
		if len(f) != 1 {
			return nil, nil, nil
		}
		kind := f[0].Table.Kind
		if by[kind] == nil {
			kinds = append(kinds, kind)
		}
		by[kind] = append(by[kind], f[0])
	}
	if len(kinds) == 1 || len(kinds) == len(files) {
		return nil, nil, nil
	}
	for _, kind := range kinds {
		if of := by[kind]; len(of) == 1 {
			all = append(all, of[0])
			notes = append(notes, remark.OnlyRun(of[0].Place()))
			continue
		}
		merged, more, err := fitRuns(by[kind])
		if err != nil {
			return nil, nil, err
		}
		all, notes = append(all, merged...), append(notes, more...)
	}
	for i := range all {
		all[i].Alone = false // notes about one of several tables name it
	}
	return all, notes, nil
}

// fitPairs pools tables that differ only in the columns that name their nodes. Tables
// that also differ in another column, such as a library or a date, are different
// measurements and are pooled separately. It returns nil if a table names no nodes:
// that is then no file of pairs, and runs are whole files.
func fitPairs(sources []benchmarks.Source) (all []benchmarks.Source, err error) {
	var p pool
	for _, s := range sources {
		// kind is the identity of a measurement without its nodes. It also is a title
		// after the first comma, so labels are appended in the order of the columns.
		kind := fmt.Sprint(s.Table.Format, s.Table.Kind, s.Table.Collective)
		pair := false
		for _, l := range s.Table.Labels {
			named := namesNode(l.Column)
			pair = pair || named
			if !named {
				kind += fmt.Sprintf(", %s=%s", l.Column, l.Value)
			}
		}
		if !pair {
			return nil, nil
		}
		p.add(kind, s.Table)
	}
	if all, err = p.merged(sources[0].File); err != nil {
		return nil, err
	}
	for i, kind := range p.kinds {
		_, labels, _ := strings.Cut(kind, ", ")
		all[i].Table.Title = strings.TrimSpace(
			fmt.Sprintf("%d pairs of nodes %s", len(p.by[kind]), labels))
	}
	return all, nil
}

// namesNode reports whether a column of this name names nodes. Case is ignored, as by
// the reader.
func namesNode(column string) bool {
	lower := strings.ToLower(column)
	return slices.ContainsFunc(benchfile.NodeColumns, func(names []string) bool {
		return slices.Contains(names, lower)
	})
}

// partners pairs tables of one measurement. A single table before and a single one after are a pair
// whatever their names: a user who renamed a file still means them. Several are paired by the names
// of file and table, then by title, each in their order, and collectives last by their calls alone:
// the number of a table among those of its title says nothing of its ranks. For each table before,
// of has the index of its partner after, or −1. alone has the tables of both sides without a
// partner.
func partners(before, after []benchmarks.Source) (of []int, alone []benchmarks.Source) {
	single := len(before) == 1 && len(after) == 1
	sameTable := func(b, a benchmarks.Source) bool { return a.Table.Name() == b.Table.Name() }
	// Within one file, the tables after are the second runs.
	if after[0].File == before[0].File {
		sameTable = secondRunOf
	}
	sameFile := func(b, a benchmarks.Source) bool {
		return sameTable(b, a) && filepath.Base(a.File.Name) == filepath.Base(b.File.Name)
	}
	// Without a title, a table's name is that of its format, which any two files of a
	// benchmark share: that would pair a latency with a bandwidth.
	sameTitle := func(b, a benchmarks.Source) bool { return sameTable(b, a) && b.Table.Title != "" }
	otherwise := func(b, a benchmarks.Source) bool {
		return single || b.Table.Kind == benchfile.Collective && a.Table.Labels == nil &&
			b.Table.Labels == nil
	}
	of = slices.Repeat([]int{-1}, len(before))
	taken := make([]bool, len(after))
	// All pairs by the stricter rule are made first: a match by title alone must not take the
	// partner of a table that also has the same file name.
	for _, same := range []func(b, a benchmarks.Source) bool{sameFile, sameTitle, otherwise} {
		for i, b := range before {
			for j, a := range after {
				if of[i] < 0 && !taken[j] && sameCall(b, a) && same(b, a) {
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

// sameCall reports whether two tables may be of one call: the same collective on as many ranks and
// nodes, in the same place, with the same algorithm. A value that a file does not give may be any.
// Tables of other kinds are not of calls.
func sameCall(s, o benchmarks.Source) bool {
	a, b := s.Table.Collective, o.Table.Collective
	number := func(a, b int) bool { return a == b || a == 0 || b == 0 }
	text := func(a, b string) bool { return a == b || a == "" || b == "" }
	return number(a.Ranks, b.Ranks) && number(a.Nodes, b.Nodes) && a.Groups == b.Groups &&
		text(a.Name, b.Name) && text(a.Algorithm, b.Algorithm) &&
		text(s.Table.Series, o.Table.Series)
}

// secondRunOf reports whether a is the second table of the name whose first table is b, and of the
// same call.
func secondRunOf(b, a benchmarks.Source) bool {
	return sameCall(b, a) && b.Table.Run == 1 && a.Table.Run == 2 &&
		a.Table.FirstName() == b.Table.Name()
}

func aloneNotes(alone []benchmarks.Source) []remark.Note {
	return list.Map(alone, func(s benchmarks.Source) remark.Note {
		return remark.AloneInRuns(s.Place() + onRanks(s))
	})
}

// onRanks returns the call of a collective for a sentence: " (allreduce on 8 ranks)". It is empty
// if the ranks are not known.
func onRanks(s benchmarks.Source) string {
	if s.Table.Collective.Ranks == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s)", callOf(s))
}

// call returns what a table measured, as in "allreduce on 8 ranks, 2 nodes, in-place"; the name of
// the table if that is no collective or of an unknown number of ranks.
func callOf(s benchmarks.Source) string {
	op := s.Table.Collective
	if op.Name == "" || op.Ranks == 0 {
		return s.Table.Name()
	}
	words := []string{fmt.Sprintf("%s on %d ranks", op.Name, op.Ranks)}
	if op.Nodes > 0 {
		words = append(words, quantity.Plural(op.Nodes, "node"))
	}
	for _, w := range []string{op.Algorithm, s.Table.Series} {
		if w != "" {
			words = append(words, w)
		}
	}
	return strings.Join(words, ", ")
}

func tableCalls(sources []benchmarks.Source) string {
	names := slices.Compact(list.Map(sources, callOf))
	const most = 3 // a fleet has thousands
	if more := len(names) - most; more > 1 {
		names = append(names[:most], fmt.Sprintf("%d more", more))
	}
	return filepath.Base(sources[0].File.Name) + " has " + strings.Join(names, ", ")
}
