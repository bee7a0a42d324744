package fits

import (
	"cmp"
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// Collectives are joint fits of collectives over sizes and numbers of ranks.
type Collectives struct {
	Fits []*fitted.Result
	// Beside are curves of tables that measure no collective. A table has one kind of row, so they
	// are not printed, but saved and drawn.
	Beside  []Curve
	rows    []parameterRow
	sources []benchmarks.Source
}

// jointly reports whether collectives need a joint fit over numbers of ranks, instead
// of a curve over sizes for each table. It is needed if one collective was measured
// on several numbers of ranks: only then the data say how its time grows with the
// ranks, which is what a user of such files asks. It is also needed if the options
// name a collective or an algorithm, which curves have no use for.
func jointly(sources []benchmarks.Source, o fit.MeasuredOptions) bool {
	// The first number of ranks of each series. A second, different one decides, so
	// the set of all of them is not kept.
	ranks := map[string]int{}
	for _, s := range sources {
		c := s.Table.Collective
		// Some benchmarks print nodes and no ranks; PerNode supplies the rest.
		if c.Ranks == 0 {
			c.Ranks = c.Nodes * o.PerNode
		}
		// A collective alone is a wish only for tables with a number of ranks.
		// Without one it may just complete a table that does not name its collective.
		asked := o.Algorithm != "" || o.Collective != "" && c.Ranks > 0
		if s.Table.Kind == benchfile.Collective && asked {
			return true
		}
		// A table without ranks cannot differ from another one, unless the user gives
		// a number for each.
		if s.Table.Kind != benchfile.Collective || c.Ranks == 0 && len(o.Ranks) < 2 {
			continue
		}
		// Two benchmarks of a collective are two series: they time it in different
		// ways.
		of, name := s.Series()
		key := of + " " + name
		if before, seen := ranks[key]; c.Ranks == 0 || seen && before != c.Ranks {
			return true
		}
		ranks[key] = c.Ranks
	}
	return false
}

// whyNotJointly returns notes on what keeps files of collectives from a joint fit. A
// user who passed them by mistake without --measured-ranks would otherwise only see
// curves, and not learn that more was possible.
func whyNotJointly(sources []benchmarks.Source, o fit.MeasuredOptions) (
	notes []remark.Note) {
	ranks, unsaid := 0, 0
	for _, s := range sources {
		switch c := s.Table.Collective; {
		case s.Table.Kind != benchfile.Collective:
		case c.Ranks == 0 && c.Nodes*o.PerNode == 0:
			unsaid++
		default:
			ranks = c.Ranks
		}
	}
	// A single table without ranks gets no note: most likely its user wants a curve.
	switch {
	case unsaid > 1 && len(o.Ranks) == 1:
		notes = append(notes, remark.RanksForAll(unsaid, o.Ranks[0]))
	case unsaid > 1:
		notes = append(notes, remark.NoRanks(unsaid))
	}
	if ranks > 0 && unsaid == 0 {
		notes = append(notes, remark.OneNumberOfRanks(ranks))
	}
	return notes
}

// collectives fits each series by itself. One bad series must not hide the others: it
// is left out with a note, and it is an error only if none remains. The first error
// is returned then, because the notes of a failed fit are not printed. left is the error that names
// tables without a number of ranks, which are left out.
func collectives(sources []benchmarks.Source, o fit.MeasuredOptions) (
	f *Collectives, notes []remark.Note, left, err error) {

	all, notes, left := benchmarks.SeriesOf(sources, o)
	if left != nil && len(all) == 0 {
		return nil, nil, nil, left
	}
	if len(all) == 0 {
		err := errors.New("no table is one of a collective; " +
			"name the collective of a CSV file, such as bcast")
		return nil, nil, nil, usage.Fields(err, "model", "collective")
	}
	f = &Collectives{sources: sources}
	var first error
	for _, s := range all {
		r, err := fitted.Fit(s)
		if err != nil {
			first = cmp.Or(first, err)
			notes = append(notes, remark.LeftOut(err.Error()).About(s.Label()))
			continue
		}
		f.Fits = append(f.Fits, r)
	}
	if len(f.Fits) == 0 {
		return nil, nil, nil, first
	}
	return f, notes, left, nil
}

// nodesText words [fitted.Parameters.Nodes]: 0 if the placement is not known, 1 for
// data within a node, 2 for data that span nodes, whose α differs.
var nodesText = []string{"", "one", "several"}

// A parameterRow is one algorithm of one joint fit. A fit whose algorithm was
// searched has several rows, each with the weight of its algorithm in predictions.
type parameterRow struct {
	*fitted.Result
	fitted.Parameters
	run *gpuRun // whose line the parameters are; nil: of an algorithm's form
}

// rowsOf returns the rows of all joint fits. Logs of nccl-tests have a row for each of their tables
// instead: its line, and its busbw. The forms that predict them are not all NCCL's.
func rowsOf(fits []*fitted.Result, runs []gpuRun) (all []parameterRow) {
	if slices.ContainsFunc(runs, func(r gpuRun) bool { return r.fit == nil }) {
		runs = nil
	}
	for _, r := range runs {
		c := r.Table.Collective
		p := fitted.Parameters{Algorithm: r.algorithm(), Nodes: min(c.Nodes, 2),
			Weight: math.NaN(), HeldOut: math.NaN(), Ranks: []int{c.Ranks},
			Base: quantity.Alone(math.NaN()), Inside: quantity.Alone(math.NaN()),
			Between: r.line.Beta, Beta: r.line.Tau, From: r.line.From, To: r.line.To,
			Median: r.line.Median, P95: r.line.P95}
		all = append(all, parameterRow{r.fit, p, &r})
	}
	if len(all) > 0 {
		return all
	}
	for _, c := range fits {
		for _, p := range c.Parameters() {
			all = append(all, parameterRow{c, p, nil})
		}
	}
	return all
}

// Made has the measurements of each collective, not the parameters:
// predictions use parameters that change with the size, and several algorithms with
// weights. Reading the file fits them again. Curves of
// other tables are layers beside them.
func (f *Collectives) Made() (d platforms.Platform, remarks string, err error) {
	var files []string
	for _, s := range f.sources {
		text := s.File.Name + s.Dated()
		if s.Table.Collective.Name != "" && !slices.Contains(files, text) {
			files = append(files, text)
		}
	}
	from := strings.Join(files, ", ")
	d = platforms.Platform{Title: "collectives of " + from}
	// Two series may differ only in letters that a TOML key has not; a number keeps them apart.
	var names []string
	for _, c := range f.Fits {
		parts := []string{c.Of.Collective, c.Of.Name, plainName(c.Name), string(c.Statistic)}
		parts = slices.DeleteFunc(parts, func(s string) bool { return s == "" })
		names = append(names, strings.Join(parts, "-"))
	}
	for i, name := range list.Numbered(names, "-") {
		from := cmp.Or(from, "measured")
		d.Collectives = append(d.Collectives, f.Fits[i].Measured(name, from))
	}
	if len(f.Beside) > 0 {
		remarks = addCurves(&d, f.Beside)
	}
	return d, remarks, nil
}
