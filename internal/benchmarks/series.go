package benchmarks

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// SeriesOf groups tables of collectives for joint fits. Tables of one
// collective, algorithm and name make one series. Tables of the same ranks and size
// are repeats. Tables of other kinds are left out.
//
// Tables without a number of ranks are left out if others have one: err then names them, beside the
// series of the others.
//
// Each series gives data of the average over ranks, which all benchmarks print, and
// also data of the slowest rank if all of its tables have it: a mixture of both would
// fit a line through two quantities.
func SeriesOf(sources []Source, o fit.MeasuredOptions) (
	all []fitted.Data, notes []remark.Note, err error) {
	// An unknown name is an error even if all tables name theirs: it is misspelt.
	if o.Collective != "" {
		if _, err := collective.Find(o.Collective, ""); err != nil {
			return nil, nil, err
		}
	}
	of := map[seriesKey]*series{}
	// The order of keys is that of the files, so that output does not depend on a
	// map.
	var keys []seriesKey
	skipped, unsaid := 0, 0
	var without []string
	for _, s := range sources {
		if s.Table.Kind != benchfile.Collective {
			skipped++
			continue
		}
		k, e, c, note, err := callsOf(o, s, &unsaid)
		if errors.Is(err, errNoRanks) {
			without = append(without, s.Place())
			continue
		}
		if err != nil {
			return nil, nil, err
		}
		if note.Text != "" {
			notes = append(notes, note.About(s.Place()))
			continue
		}
		if of[k] == nil {
			of[k] = &series{of: e}
			keys = append(keys, k)
		}
		of[k].add(s.Place(), s.Table, c, countsAll(o, e, c, s.Table))
	}
	// A list is assigned by order, so it needs a number for every such table.
	if len(o.Ranks) > 1 && unsaid != len(o.Ranks) {
		err := fmt.Errorf("%d numbers of ranks for %d tables that do not give theirs; "+
			"pass one for all tables, or one for each", len(o.Ranks), unsaid)
		return nil, nil, usage.Fields(err, "measured-ranks")
	}
	err = withoutRanks(without)
	if len(keys) == 0 && err != nil {
		return nil, nil, err
	}
	// Every table of a collective was left out: the reason is the answer.
	if len(keys) == 0 && len(notes) > 0 {
		return nil, nil, errors.New(notes[0].String())
	}
	if skipped > 0 && len(keys) > 0 {
		notes = append(notes, remark.ForeignTablesFit(skipped))
	}
	notes = append(notes, unknownAlgorithms(keys)...)
	for _, k := range keys {
		e := of[k].of
		if note := apart(of[k].runs); note.Text != "" {
			notes = append(notes, note.About(k.collective))
		}
		all = append(all, k.data(e, fitted.Average, of[k].average))
		if !of[k].partly {
			all = append(all, k.data(e, fitted.Slowest, of[k].slowest))
		}
	}
	return all, notes, err
}

// withoutRanks returns the error that names tables without a number of ranks; nil without any.
func withoutRanks(tables []string) error {
	if len(tables) == 0 {
		return nil
	}
	verb := "does"
	if len(tables) > 1 {
		verb = "do"
	}
	err := fmt.Errorf("%s %s not say how many ranks took part; give their number",
		strings.Join(tables, ", "), verb)
	return usage.Fields(err, "measured-ranks")
}

// unknownAlgorithms returns a note about algorithms whose names are not known, none if all are.
func unknownAlgorithms(keys []seriesKey) []remark.Note {
	var names []string
	for _, k := range keys {
		if k.unknown != "" && !slices.Contains(names, k.unknown) {
			names = append(names, k.unknown)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []remark.Note{remark.NoSchedules(strings.Join(names, ", "))}
}

func isNumber(s string) bool {
	_, err := strconv.Atoi(s)
	return err == nil
}

// errNoRanks is the error of a table without a number of ranks, which nothing else gives.
var errNoRanks = errors.New("the number of ranks is not known")

// A seriesKey has what the tables of a series have in common. Tables that differ in
// one of them must not be fitted together: name distinguishes benchmarks and, in CSV,
// the values of other columns, such as a library.
type seriesKey struct {
	collective, algorithm, name string
	unknown                     string // the file's name of an algorithm without a schedule here
	groups                      int    // that call at once
}

// callsOf returns the series of a table, its algorithm, and its calls with the ranks that took
// part, or a note with the reason why the table is left out. What the file says goes before what
// the options say. unsaid counts the tables that do not give their ranks: a list
// in the options is assigned to them in their order.
func callsOf(o fit.MeasuredOptions, s Source, unsaid *int) (
	k seriesKey, e collective.Entry, c benchfile.CollectiveOp, note remark.Note, err error) {
	c = s.Table.Collective
	if c.Name = cmp.Or(c.Name, o.Collective); c.Name == "" {
		err = fmt.Errorf("%s: the file does not say which collective it measured; "+
			"name it, for example allreduce", s.File.Name)
		return k, e, c, note, usage.Fields(err, "collective")
	}
	c.PerNode = cmp.Or(c.PerNode, o.PerNode)
	if c.Ranks = cmp.Or(c.Ranks, c.Nodes*c.PerNode); c.Ranks == 0 {
		if c.Ranks, err = unsaidRanks(o, *unsaid); err != nil {
			return k, e, c, note, fmt.Errorf("%s %w", s.Place(), err)
		}
		*unsaid++
	}
	all, nonBlocking := registered(c.Name)
	k = seriesKey{collective: c.Name, name: seriesName(s.Table, nonBlocking), groups: c.Groups}
	if all == nil {
		return k, e, c, remark.NoAlgorithm(c.Name), nil
	}
	// The algorithm of the options is checked first, so that its misspelling is
	// reported and not that a file's is unknown.
	asked, err := registeredAlgorithm(all, o.Algorithm)
	if err == nil {
		e, err = registeredAlgorithm(all, c.Algorithm)
		switch {
		case e.Name == "" && asked.Name != "":
			e, err = asked, nil // also of a file whose name for it is unknown
		// Libraries have algorithms without a schedule here, such as NCCL's NVLS. Their form is
		// searched, as of a library's own choice. A number is looked up in Open MPI alone.
		case err != nil && !isNumber(c.Algorithm):
			k.unknown, err = c.Algorithm, nil
		}
	}
	if err != nil {
		return k, e, c, note, fmt.Errorf("%s: %w", s.Place(), err)
	}
	k.collective, k.algorithm = e.Collective, e.Name
	// One rank sends no message, so its times show no parameter of the network.
	if c.Ranks < 2 {
		return k, e, c, remark.FewRanks(c.Ranks), nil
	}
	return k, e, c, note, nil
}

// countsAll reports whether the sizes of a table are those of all ranks' blocks.
// Benchmarks count so unless they say otherwise; plain tables give a rank's block, as
// the registry does. A mistake here is a factor of the number of ranks in the sizes.
func countsAll(o fit.MeasuredOptions,
	e collective.Entry, c benchfile.CollectiveOp, t *benchfile.Table) bool {

	if c.PerRank || !e.InBlocks() {
		return false
	}
	plain := t.Format == "csv" || t.Format == "json"
	return !plain || o.Total || c.Total
}

// A series has the points of the tables of a key, by both statistics over ranks.
// partly is kept, and the points are dropped only at the end, since a later table
// decides.
type series struct {
	of               collective.Entry
	average, slowest []fitted.Point
	runs             []run // the average of each table
	partly           bool  // a time of the slowest rank is missing, so these are not used
}

// add adds the points of a table of a file. If total is set, its sizes are those of all ranks'
// blocks.
func (s *series) add(name string, t *benchfile.Table, c benchfile.CollectiveOp, total bool) {
	from := len(s.average)
	// A sample of one line without a count is one measurement.
	for _, m := range t.Samples {
		p := fitted.Point{Ranks: c.Ranks, PerNode: c.PerNode, Size: m.Size, Time: m.Mean}
		if total { // the registry counts the block of a rank
			p.Size = quantity.Bytes(math.Floor(float64(m.Size) / float64(c.Ranks)))
		}
		p.Count, p.Deviation = max(1, m.Count), math.Sqrt(m.Variance)/float64(m.Mean)
		s.average = append(s.average, p)
		p.Time, p.Deviation = m.Slowest, 0 // the file's deviation is of the average
		// A time of 0 is a missing column.
		s.slowest = append(s.slowest, p)
		s.partly = s.partly || m.Slowest <= 0
	}
	s.runs = append(s.runs, run{name, slices.Clone(s.average[from:])})
}

// data returns the data of points, one for each call. If the placement of some is not
// known, none is used, since calls of the same ranks could not be told apart from
// repeats.
func (k seriesKey) data(
	of collective.Entry, statistic fitted.Statistic, points []fitted.Point) fitted.Data {

	if slices.ContainsFunc(points, func(p fitted.Point) bool { return p.PerNode == 0 }) {
		for i := range points {
			points[i].PerNode = 0
		}
	}
	name := strings.TrimSpace(k.name + " " + k.unknown)
	return fitted.Data{Of: of, Name: name, Foreign: k.unknown, Groups: k.groups,
		Statistic: statistic,
		Points:    fitted.OnePerCall(points)}
}

// unsaidRanks returns the ranks of the n-th table that does not give them. That a
// list is too long is found only after all tables (see SeriesOf).
func unsaidRanks(o fit.MeasuredOptions, n int) (int, error) {
	switch {
	case len(o.Ranks) == 0:
		return 0, errNoRanks
	case len(o.Ranks) == 1:
		return o.Ranks[0], nil
	case n < len(o.Ranks):
		return o.Ranks[n], nil
	}
	err := fmt.Errorf("does not say how many ranks took part, and only %d numbers are given; "+
		"pass one for all tables, or one for each such table", len(o.Ranks))
	return 0, usage.Fields(err, "measured-ranks")
}

// seriesName returns the name that distinguishes the series of a collective. Plain
// tables have no benchmark to name.
func seriesName(t *benchfile.Table, nonBlocking bool) string {
	name := t.Series
	if t.Format != "csv" && t.Format != "json" {
		name = t.Format + " " + name
	}
	if nonBlocking {
		name += " non-blocking"
	}
	if t.Collective.Groups > 1 {
		name += fmt.Sprintf(" in %d groups", t.Collective.Groups)
	}
	return strings.TrimSpace(name)
}

// Series returns the collective of a table, or that of its blocking twin, and the name of its
// series. The joint fit of the series has both.
func (s Source) Series() (of, name string) {
	all, nonBlocking := registered(s.Table.Collective.Name)
	if of = s.Table.Collective.Name; all != nil {
		of = all[0].Collective
	}
	return of, seriesName(s.Table, nonBlocking)
}

// registered returns the algorithms of a collective as files name it, nil if it is unknown, and
// whether the name is that of its non-blocking twin, whose time is that of the communication alone.
// Collectives of varying counts, such as allgatherv, are measured with equal counts by OSU and IMB,
// and then move the same bytes by the same algorithms, as do the non-blocking ones.
func registered(name string) (all []collective.Entry, nonBlocking bool) {
	blocking, i := strings.CutPrefix(name, "i")
	for _, twin := range []string{name, strings.TrimSuffix(name, "v")} {
		if all = collective.Of(twin); all != nil {
			return all, false
		}
	}
	for _, twin := range []string{blocking, strings.TrimSuffix(blocking, "v")} {
		if all = collective.Of(twin); all != nil {
			return all, i
		}
	}
	return nil, false
}

// registeredAlgorithm returns one of a collective's algorithms. Files give it by our name, by Open
// MPI's number (as coll_tuned_allreduce_algorithm takes it), or by the name in NCCL or MPICH, alone
// or behind those of the collective and the library (allreduce_nccl_ring). It has no name for the
// library's choice, whose algorithm is then searched.
func registeredAlgorithm(all []collective.Entry, file string) (collective.Entry, error) {
	none := collective.Entry{Collective: all[0].Collective}
	file = strings.TrimPrefix(file, none.Collective+"_")
	file = strings.TrimPrefix(strings.TrimPrefix(file, "nccl_"), "mpich_")
	// Number 0 leaves the choice to Open MPI.
	if file == "" || file == "0" || file == "auto" || file == "default" {
		return none, nil
	}
	if number, err := strconv.Atoi(file); err == nil {
		numbered := func(e collective.Entry) bool { return e.OpenMPI == number }
		if i := slices.IndexFunc(all, numbered); i >= 0 {
			return all[i], nil
		}
		err := fmt.Errorf("no algorithm of %s has the number %d in Open MPI; give its name",
			none.Collective, number)
		return none, usage.Fields(err, "algorithm")
	}
	e, err := collective.Find(none.Collective, file)
	if err == nil { // a name here before the same one elsewhere
		return e, nil
	}
	elsewhere := func(e collective.Entry) bool {
		return slices.Contains([]string{e.NCCL, e.MPICH}, strings.ToLower(file))
	}
	if i := slices.IndexFunc(all, elsewhere); i >= 0 {
		return all[i], nil
	}
	return none, err
}
