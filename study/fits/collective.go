package fits

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	fitted "github.com/halfpeak/halfpeak/fit/collective"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// jointly reports whether a joint fit is better than a curve for each table: if collectives were
// measured on several numbers of ranks, or if the options name a collective or an algorithm.
func jointly(sources []fitSource, o MeasuredOptions) bool {
	ranks := map[string]int{}
	for _, s := range sources {
		c := s.table.Collective
		if c.Ranks == 0 {
			c.Ranks = c.Nodes * o.PerNode
		}
		if s.table.Kind == benchfile.Collective && (o.Algorithm != "" || o.Collective != "" && c.Ranks > 0) {
			return true
		}
		if s.table.Kind != benchfile.Collective || c.Ranks == 0 && len(o.Ranks) < 2 {
			continue
		}
		key := c.Name + " " + seriesName(s.table)
		if before, seen := ranks[key]; c.Ranks == 0 || seen && before != c.Ranks {
			return true
		}
		ranks[key] = c.Ranks
	}
	return false
}

// whyNotJointly notes what files of a collective lack for a joint fit.
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
	switch {
	case unsaid > 1 && len(o.Ranks) == 1:
		notes = append(notes, fmt.Sprintf("%d tables of collectives do not give their numbers of ranks, so that %d is used for all; with a number for each they are fitted jointly", unsaid, o.Ranks[0]))
	case unsaid > 1:
		notes = append(notes, fmt.Sprintf("%d tables of collectives do not give their numbers of ranks; with these they are fitted jointly", unsaid))
	}
	if ranks > 0 && unsaid == 0 {
		notes = append(notes, fmt.Sprintf("a collective on %d ranks only: one number of ranks identifies neither its algorithm nor the times on other numbers; add files of other numbers", ranks))
	}
	return notes
}

// collectives fits each series. A series that cannot be fitted is in the notes; it is an error if
// none can.
func (f *Fitted) collectives(o MeasuredOptions) error {
	all, notes, err := MeasuredSeries(f.sources, o)
	if err != nil {
		return err
	}
	f.Notes = notes
	if len(all) == 0 {
		return usage.Fields(errors.New("no table is one of a collective; name the collective of a CSV file, such as bcast"), "model", "collective")
	}
	var first error
	for _, s := range all {
		r, err := fitted.Fit(s.Data)
		if err != nil {
			first = cmp.Or(first, err)
			f.Notes = append(f.Notes, s.Label()+": left out: "+err.Error())
			continue
		}
		f.Collectives = append(f.Collectives, JointFit{r, s})
	}
	if len(f.Collectives) == 0 {
		return first
	}
	return nil
}

type regimeRow struct {
	JointFit
	*fitted.Regime
}

func (f *Fitted) collectiveRows() reports.Rows {
	var all []regimeRow
	named, several := false, false
	for _, c := range f.Collectives {
		for i := range c.Regimes {
			all = append(all, regimeRow{c, &c.Regimes[i]})
		}
		named = named || c.series.Name != ""
		several = several || c.Collective != f.Collectives[0].Collective
	}
	known := func(i int, value func(regimeRow) any) func(regimeRow) any {
		return func(r regimeRow) any { return reports.OrAbsent(value(r), r.Known()[i]) }
	}
	percent := func(key, head string, rank int, value func(regimeRow) float64) reports.Field[regimeRow] {
		return reports.Col(key, head, func(r regimeRow) any { return reports.OrAbsent(100*value(r), !math.IsNaN(value(r))) }).Texted(reports.PercentError).Ranked(rank)
	}
	rows := reports.TableOf(all,
		reports.Col("collective", reports.HeadIf(several, "collective"), func(r regimeRow) any { return r.Collective }),
		reports.Col("series", reports.HeadIf(named, "series"), func(r regimeRow) any { return r.series.Name }).Ranked(3),
		reports.Col("algorithm", "algorithm", func(r regimeRow) any { return r.Algorithm }),
		reports.Col("searched", "", func(r regimeRow) any { return r.series.Algorithm == "" }),
		reports.Col("statistic", "statistic", func(r regimeRow) any { return string(r.Statistic) }).Ranked(4),
		reports.Col("ranks_from", "", func(r regimeRow) any { return r.Ranks[0] }),
		reports.Col("ranks_to", "", func(r regimeRow) any { return r.Ranks[len(r.Ranks)-1] }),
		reports.Col("ranks_count", "", func(r regimeRow) any { return len(r.Ranks) }),
		reports.Col("from_bytes", "from", func(r regimeRow) any { return r.From }),
		reports.Col("to_bytes", "to", func(r regimeRow) any { return r.To }),
		reports.Col("", "base (95 %)", known(0, func(r regimeRow) any { return estimated(quantity.DimTime, r.Base) })).Ranked(1),
		reports.Col("base_us", "", known(0, func(r regimeRow) any { return r.Base.Value })),
		reports.Col("base_low_us", "", known(0, func(r regimeRow) any { return r.Base.Low })),
		reports.Col("base_high_us", "", known(0, func(r regimeRow) any { return r.Base.High })),
		reports.Col("", "α (95 %)", known(1, func(r regimeRow) any { return estimated(quantity.DimTime, r.Alpha) })),
		reports.Col("alpha_us", "", known(1, func(r regimeRow) any { return r.Alpha.Value })),
		reports.Col("alpha_low_us", "", known(1, func(r regimeRow) any { return r.Alpha.Low })),
		reports.Col("alpha_high_us", "", known(1, func(r regimeRow) any { return r.Alpha.High })),
		reports.Col("", "β (95 %)", known(2, func(r regimeRow) any { return estimated(quantity.DimInverse, r.Beta) })),
		reports.Col("beta_us_per_kib", "", known(2, func(r regimeRow) any { return quantity.PerKiB(r.Beta.Value) })),
		reports.Col("beta_low_us_per_kib", "", known(2, func(r regimeRow) any { return quantity.PerKiB(r.Beta.Low) })),
		reports.Col("beta_high_us_per_kib", "", known(2, func(r regimeRow) any { return quantity.PerKiB(r.Beta.High) })),
		reports.Col("gamma_us_per_kib", "", known(3, func(r regimeRow) any { return quantity.PerKiB(r.Gamma.Value) })),
		reports.Col("describes", "fits", func(r regimeRow) any { return reports.OrAbsent(r.Regime.Describes(), r.Tested()) }),
		percent("median_error_percent", "median error", 2, func(r regimeRow) float64 { return r.Regime.Errors.Median }),
		percent("p95_error_percent", "95th perc.", 5, func(r regimeRow) float64 { return r.Regime.Errors.P95 }),
		percent("worst_error_percent", "", 5, func(r regimeRow) float64 { return r.Regime.Errors.Worst }),
		percent("held_out_error_percent", "hold-out error", 2, func(r regimeRow) float64 { return r.Regime.HeldOut() }),
	)
	for _, c := range f.Collectives {
		rows.Notes = append(rows.Notes, c.notes(len(f.Collectives) > 1)...)
	}
	note := "T = base + steps·α + bytes·β, with the steps and bytes of the algorithm's schedule"
	if slices.ContainsFunc(all, func(r regimeRow) bool { return !math.IsNaN(r.Regime.HeldOut()) }) {
		note += "; \"hold-out error\": the error for numbers of ranks that were not used in the fit"
	}
	rows.Notes = append(rows.Notes, note+".")
	return rows
}

func (c JointFit) notes(several bool) []string {
	about := ""
	if several {
		about = c.series.Label() + ": "
	}
	ranks := fmt.Sprintf("%d numbers of ranks, %d to %d", len(c.Ranks), c.Ranks[0], c.Ranks[len(c.Ranks)-1])
	if len(c.Ranks) == 1 {
		ranks = fmt.Sprintf("%d ranks only", c.Ranks[0])
	}
	notes := []string{fmt.Sprintf("%s%s: %s", about, ranks, c.Verdict())}
	if text := c.Accuracy(); text != "" {
		notes = append(notes, about+text)
	}
	for _, g := range c.Regimes {
		var texts []string
		if len(g.Alike) > 0 {
			texts = append(texts, "the same times as "+strings.Join(g.Alike, ", "))
		}
		if len(g.Rivals) > 0 {
			texts = append(texts, "not distinguishable from "+strings.Join(g.Rivals, ", "))
		}
		if texts = append(texts, g.Merged...); len(texts) > 0 {
			note := fmt.Sprintf("%s%s to %s, %s: %s", about, g.From, g.To, g.Algorithm, strings.Join(texts, "; "))
			if !slices.Contains(notes, note) {
				notes = append(notes, note)
			}
		}
	}
	return notes
}
