package fits

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// jointly reports whether collectives need a joint fit over numbers of ranks, instead
// of a curve over sizes for each table. It is needed if one collective was measured
// on several numbers of ranks: only then the data say how its time grows with the
// ranks, which is what a user of such files asks. It is also needed if the options
// name a collective or an algorithm, which curves have no use for.
func jointly(sources []fitSource, o MeasuredOptions) bool {
	// The first number of ranks of each series. A second, different one decides, so
	// the set of all of them is not kept.
	ranks := map[string]int{}
	for _, s := range sources {
		c := s.table.Collective
		// Some benchmarks print nodes and no ranks; PerNode supplies the rest.
		if c.Ranks == 0 {
			c.Ranks = c.Nodes * o.PerNode
		}
		// A collective alone is a wish only for tables with a number of ranks.
		// Without one it may just complete a table that does not name its collective.
		asked := o.Algorithm != "" || o.Collective != "" && c.Ranks > 0
		if s.table.Kind == benchfile.Collective && asked {
			return true
		}
		// A table without ranks cannot differ from another one, unless the user gives
		// a number for each.
		if s.table.Kind != benchfile.Collective || c.Ranks == 0 && len(o.Ranks) < 2 {
			continue
		}
		// Two benchmarks of a collective are two series: they time it in different
		// ways.
		key := c.Name + " " + seriesName(s.table)
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
func whyNotJointly(sources []fitSource, o MeasuredOptions) (notes []string) {
	ranks, unsaid := 0, 0
	for _, s := range sources {
		switch c := s.table.Collective; {
		case s.table.Kind != benchfile.Collective:
		case c.Ranks == 0 && c.Nodes*o.PerNode == 0:
			unsaid++
		default:
			ranks = c.Ranks
		}
	}
	// A single table without ranks gets no note: most likely its user wants a curve.
	switch {
	case unsaid > 1 && len(o.Ranks) == 1:
		notes = append(notes,
			fmt.Sprintf("%d tables of collectives do not give their numbers of ranks, so that %d "+
				"is used for all; with a number for each they are fitted jointly",
				unsaid, o.Ranks[0]))
	case unsaid > 1:
		notes = append(notes,
			fmt.Sprintf("%d tables of collectives do not give their numbers of ranks; with these "+
				"they are fitted jointly", unsaid))
	}
	if ranks > 0 && unsaid == 0 {
		notes = append(notes,
			fmt.Sprintf("a collective on %d ranks only: one number of ranks identifies neither "+
				"its algorithm nor the times on other numbers; add files of other numbers",
				ranks))
	}
	return notes
}

// beside fits the collectives of the files jointly, and the other tables each by itself: a folder
// of one machine's outputs has both. The other curves are not printed, since a table has one kind
// of row, but saved and drawn.
func (f *Fitted) beside(o Options) error {
	var joint, others []fitSource
	for _, s := range f.sources {
		if s.table.Kind == benchfile.Collective {
			joint = append(joint, s)
		} else {
			others = append(others, s)
		}
	}
	if err := f.collectives(joint, o.Measured); err != nil || len(others) == 0 {
		return err
	}
	var notes []string
	// That no line goes through them is no error beside the collectives, but a note.
	f.Curves, _, notes, _ = fitCurves(others, o)
	if len(f.Curves) == 0 {
		notes = []string{fmt.Sprintf("skipped %d tables that measure no collective", len(others))}
	} else {
		names := strings.Join(layerNames(f.Curves), ", ")
		f.Notes = append(f.Notes, fmt.Sprintf("%d tables measure no collective: they are saved "+
			"as layers (%s); the model piecewise prints their lines", len(f.Curves), names))
	}
	f.Notes = append(f.Notes, notes...)
	return nil
}

// collectives fits each series by itself. One bad series must not hide the others: it
// is left out with a note, and it is an error only if none remains. The first error
// is returned then, because the notes of a failed fit are not printed.
func (f *Fitted) collectives(sources []fitSource, o MeasuredOptions) error {
	all, notes, err := MeasuredSeries(sources, o)
	if err != nil && len(all) == 0 {
		return err
	} else if err != nil {
		f.Broken, f.leftOut = cmp.Or(f.Broken, err), append(f.leftOut, "left out: "+err.Error())
	}
	f.Notes = notes
	if len(all) == 0 {
		err := errors.New("no table is one of a collective; " +
			"name the collective of a CSV file, such as bcast")
		return usage.Fields(err, "model", "collective")
	}
	var first error
	for _, s := range all {
		r, err := fitted.Fit(s)
		if err != nil {
			first = cmp.Or(first, err)
			f.Notes = append(f.Notes, s.Label()+": left out: "+err.Error())
			continue
		}
		f.Collectives = append(f.Collectives, r)
	}
	if len(f.Collectives) == 0 {
		return first
	}
	return nil
}

// A parameterRow is one algorithm of one joint fit. A fit whose algorithm was
// searched has several rows, each with the weight of its algorithm in predictions.
type parameterRow struct {
	*fitted.Result
	fitted.Parameters
}

// collectiveRows tabulates the parameters of all joint fits. A column that has the
// same value in all rows has no heading for people, while CSV and JSON keep it: their
// columns do not depend on the data.
//
// Ranks (the order of dropping columns, see [reports.Column]) keep the parameters
// longest: a user needs base, α, β and the error, and can look up sizes and statistic
// in the file.
func (f *Fitted) collectiveRows() reports.Rows {
	var all []parameterRow
	var named, several, searched, placed bool // whether a column shows differences
	for _, c := range f.Collectives {
		for _, p := range c.Parameters() {
			all = append(all, parameterRow{c, p})
			placed = placed || p.Nodes > 0
		}
		// A given algorithm is not weighed against others.
		named = named || c.Name != ""
		several = several || c.Collective != f.Collectives[0].Collective
		searched = searched || c.Algorithm == ""
	}
	type row = parameterRow
	col := reports.Col[row]
	fields := []reports.Field[row]{
		col("collective", reports.HeadIf(several, "collective"),
			func(r row) any { return r.Collective }),
		col("series", reports.HeadIf(named, "series"),
			func(r row) any { return r.Name }).Ranked(3),
		col("algorithm", "algorithm", func(r row) any { return r.Parameters.Algorithm }),
		col("searched", "", func(r row) any { return r.Result.Algorithm == "" }),
		col("statistic", "statistic", func(r row) any { return string(r.Statistic) }).Ranked(4),
		col("ranks_from", "", func(r row) any { return slices.Min(r.Parameters.Ranks) }),
		col("ranks_to", "", func(r row) any { return slices.Max(r.Parameters.Ranks) }),
		col("ranks_count", "", func(r row) any { return len(r.Parameters.Ranks) }),
		col("from_bytes", "from", func(r row) any { return r.From }).Ranked(4),
		col("to_bytes", "to", func(r row) any { return r.To }).Ranked(4),
		col("nodes", reports.HeadIf(placed, "nodes"),
			func(r row) any { return reports.OrNil(nodesText[r.Nodes]) }).Ranked(3),
		percentCol("weight_percent", reports.HeadIf(searched, "weight"),
			func(r row) float64 { return r.Weight }).Ranked(1),
	}
	fields = append(fields, timeCols("base", "base (95 %)",
		func(r row) fit.Estimate[quantity.Micros] { return r.Base })...)
	fields = append(fields, timeCols("alpha", "α (95 %)",
		func(r row) fit.Estimate[quantity.Micros] { return r.Between })...)
	fields = append(fields, timeCols("alpha_inside", "α in a node (95 %)",
		func(r row) fit.Estimate[quantity.Micros] { return r.Inside })...)
	fields = append(fields, betaCols()...)
	fields = append(fields,
		percentCol("median_error_percent", "median error",
			func(r row) float64 { return r.Median }).Ranked(2),
		percentCol("p95_error_percent", "95th perc.",
			func(r row) float64 { return r.P95 }).Ranked(5),
		percentCol("held_out_error_percent", "hold-out error",
			func(r row) float64 { return r.HeldOut }).Ranked(2),
	)
	rows := reports.TableOf(all, fields...)
	for _, c := range f.Collectives {
		// These two sentences define every number of the table. Parameters that could
		// not be told from each other are merged into one ("the others"), and a table
		// of constants cannot show that predictions use more than them.
		rows.Notes = append(rows.Notes, noteOf(c, len(f.Collectives) > 1))
	}
	rows.Notes = append(rows.Notes,
		"T = base + steps·α + bytes·β over all sizes, with the steps and bytes of the "+
			"algorithm. The cost of a parameter without a value is in the others.",
		"Predictions use parameters that change with the size. \"hold-out error\" is theirs, "+
			"at places and sizes that were not used in the fit.")
	return rows
}

// nodesText words [fitted.Parameters.Nodes]: 0 if the placement is not known, 1 for
// data within a node, 2 for data that span nodes, whose α differs.
var nodesText = []string{"", "one", "several"}

// percentCol makes NaN, an error that could not be computed, an absent cell: programs
// take an empty cell for a missing number, and JSON has no NaN.
func percentCol(key, head string, value func(parameterRow) float64) reports.Field[parameterRow] {
	cell := func(r parameterRow) any {
		part := value(r)
		return reports.OrAbsent(100*part, !math.IsNaN(part))
	}
	return reports.Col(key, head, cell).Texted(reports.PercentError)
}

// timeCols and betaCols fix the unit in the key: µs, and µs/KiB as in all other
// outputs.
func timeCols(key, head string,
	of func(parameterRow) fit.Estimate[quantity.Micros]) []reports.Field[parameterRow] {
	number := func(t quantity.Micros) any { return t }
	return estimateCols(key, "us", head, quantity.DimTime, of, number)
}

func betaCols() []reports.Field[parameterRow] {
	number := func(t quantity.MicrosPerByte) any { return quantity.PerKiB(t) }
	beta := func(r parameterRow) fit.Estimate[quantity.MicrosPerByte] { return r.Beta }
	return estimateCols("beta", "us_per_kib", "β (95 %)", quantity.DimInverse, beta, number)
}

// estimateCols returns the columns of a parameter: one for people with the interval
// behind the value, and three for programs with the value and the ends of its
// interval. A parameter that the data do not identify is NaN in the fit and absent
// here.
func estimateCols[T ~float64](key, unit, head string, dim quantity.Dimension,
	of func(parameterRow) fit.Estimate[T], number func(T) any) []reports.Field[parameterRow] {
	type field = reports.Field[parameterRow]
	col := func(key, head string, show func(fit.Estimate[T]) any) field {
		return reports.Col(key, head, func(r parameterRow) any {
			e := of(r)
			return reports.OrAbsent(show(e), !math.IsNaN(float64(e.Value)))
		})
	}
	return []field{
		col("", head, func(e fit.Estimate[T]) any { return estimated(dim, e) }).Ranked(1),
		col(key+"_"+unit, "", func(e fit.Estimate[T]) any { return number(e.Value) }),
		col(key+"_low_"+unit, "", func(e fit.Estimate[T]) any { return number(e.Low) }),
		col(key+"_high_"+unit, "", func(e fit.Estimate[T]) any { return number(e.High) }),
	}
}

// noteOf describes the data of a joint fit, and how well it predicts. Its number of
// ranks comes first, because accuracy beyond the measured ranks depends on it most
// (docs/accuracy.md).
func noteOf(c *fitted.Result, several bool) string {
	about := ""
	if several {
		about = c.Label() + ": "
	}
	least, most := slices.Min(c.Ranks), slices.Max(c.Ranks)
	text := fmt.Sprintf("%d numbers of ranks, %d to %d", len(c.Ranks), least, most)
	if len(c.Ranks) == 1 {
		text = fmt.Sprintf("%d ranks only", least)
		if c.Algorithm == "" {
			text += ", which do not identify the algorithm"
		}
	}
	if c.Noise > 0 {
		text += fmt.Sprintf("; repeats differ by %.2g %%", 100*c.Noise)
	}
	if accuracy := c.Accuracy(); accuracy != "" {
		text += "; " + accuracy
	}
	return about + text
}
