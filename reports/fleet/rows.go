package fleet

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Lists are the names of the tables of a fleet, as --list has them.
var Lists = []string{"findings", "groups", "skipped"}

// Rows returns the findings with all columns, as programs get them.
func (f *Answer) Rows() table.Rows { return f.findingRows() }

// Tables returns the table of this list, one of [Lists]. Without a list, people get two: the
// findings, worst first, and the fleet by groups. The notes are under the last table. Programs get
// the findings with more columns, and by default.
func (f *Answer) Tables(list string, forPeople bool) []table.Rows {
	switch {
	case list == "groups":
		return []table.Rows{f.groupRows()}
	case list == "skipped":
		return []table.Rows{f.skippedRows()}
	case !forPeople:
		return []table.Rows{f.Rows()}
	case list == "findings":
		return []table.Rows{f.remarked(f.worstRows())}
	}
	groups := f.groupRows()
	if len(f.reported()) == 0 {
		return []table.Rows{groups}
	}
	return []table.Rows{f.worstRows(), groups}
}

// remarked returns the table with the remarks and the verdict of all tables.
func (f *Answer) remarked(rows table.Rows) table.Rows {
	rows.Notes = f.remarks.Notes
	rows.Verdict = table.Say("%s", f.verdict())
	return rows
}

// verdict names what stands out most.
func (f *Answer) verdict() string {
	all := f.worst()
	if len(all) == 0 {
		return f.nothingFound()
	}
	byEffect := func(a, b worstFinding) int {
		return cmp.Compare(math.Abs(a.Effect.Value), math.Abs(b.Effect.Value))
	}
	most := slices.MaxFunc(all, byEffect)
	than := "slower"
	if most.Effect.Value < 0 {
		than = "faster"
	}
	if f.Compared {
		than += " than before"
	}
	percent := func(v float64) float64 { return 100 * math.Abs(v) }
	if most.Effect.Known() {
		low, high := percent(most.Effect.Low), percent(most.Effect.High)
		than += fmt.Sprintf(", %.3g to %.3g", min(low, high), max(low, high))
	}
	text := fmt.Sprintf("%s %s is %.3g %% %s (%s)", kindOfFinding(most.Finding), most.subject(),
		percent(most.Effect.Value), than, quantityWord(most.Quantity))
	// A node of all its pairs is another finding than one of its cables.
	ofNodes := slices.DeleteFunc(slices.Clone(all), func(w worstFinding) bool {
		return kindOfFinding(w.Finding) != "node"
	})
	if kindOfFinding(most.Finding) != "node" && len(ofNodes) > 0 {
		node := slices.MaxFunc(ofNodes, byEffect)
		text += fmt.Sprintf("; node %s by %.3g %%", node.subject(), percent(node.Effect.Value))
	}
	return text + fmt.Sprintf("; %d of %d tested stand out", len(all), f.Tests)
}

// nothingFound returns the sentence for no findings. They do not mean that nothing is slow.
func (f *Answer) nothingFound() string {
	if f.Tests == 0 {
		return "nothing could be tested: too few nodes or pairs; halfpeak fit reads the curves " +
			"of a few"
	}
	if f.Compared {
		return fmt.Sprintf("no node and no pair changed against the others by more than chance "+
			"explains, %s", f.tested())
	}
	return fmt.Sprintf("no node and no pair stands out by more than chance explains, %s",
		f.tested())
}

// tested says what was tested, and which effects are too small to be findings.
func (f *Answer) tested() string {
	return fmt.Sprintf("%s; effects below %.3g %% are no findings",
		quantity.Plural(f.Tests, "test"), 100*f.MinEffect)
}

// A worstFinding is the largest finding of a node or pair, with the number of groups
// that agree. The same slow cable shows in every benchmark that crosses it, and
// people want one row for it.
type worstFinding struct {
	Finding
	groups int
}

// worst combines the findings of each node and pair: links first, then nodes, then
// pairs, each the worst first. A link explains the nodes at its ends, and a node its
// pairs.
func (f *Answer) worst() (all []worstFinding) {
	at := map[string]int{}
	seen := map[string]map[Group]bool{}
	for _, x := range f.reported() {
		// A node alone and a pair of the same text must not meet in one row.
		key := fmt.Sprint(x.Pair, x.subject())
		if _, ok := at[key]; !ok {
			at[key], seen[key] = len(all), map[Group]bool{}
			all = append(all, worstFinding{Finding: x})
		}
		seen[key][x.Group] = true
		all[at[key]].groups = len(seen[key])
	}
	slices.SortStableFunc(all, func(a, b worstFinding) int {
		links := trueFirst(a.Across != nil, b.Across != nil) // they explain the most
		if links != 0 || a.Pair == b.Pair {
			return links
		}
		return cmp.Compare(len(a.Nodes), len(b.Nodes))
	})
	return all
}

// worstRows returns a row for each node, pair and curve that stands out.
func (f *Answer) worstRows() table.Rows {
	head := "slower by (interval)"
	switch {
	case f.Compared && f.TwoSided:
		head = "change (interval)"
	case f.Compared:
		head = "slower than before by"
	case f.TwoSided:
		head = "differs by (interval)"
	}
	return table.TableOf(f.worst(),
		table.Col("", "kind", func(x worstFinding) any { return kindOfFinding(x.Finding) }),
		table.Col("", "node or pair", func(x worstFinding) any { return x.subject() }),
		table.Col("", head, func(x worstFinding) any {
			if x.Wrong {
				return fmt.Sprintf("×%.2g at %v, ×%.2g at %v",
					1+x.First, x.Group.First, 1+x.Last, x.Group.Last)
			}
			return percentInterval(x.Effect)
		}),
		table.Col("", "parameter", func(x worstFinding) any {
			return quantityWord(x.Quantity)
		}).Ranked(1),
		table.Col("", "groups", func(x worstFinding) any {
			return fmt.Sprintf("%d of %d", x.groups, f.groupsOf(x.Finding))
		}),
		table.Col("", "worst group", func(x worstFinding) any { return x.Group.String() }),
	)
}

// groupsOf counts the groups that have measurements of the node or pair, which "2 of
// 3" refers to.
func (f *Answer) groupsOf(x Finding) (n int) {
	for _, p := range f.groups {
		everywhere := len(x.Nodes) == 0 || x.Pair
		if everywhere || slices.Contains(p.Names, x.Nodes[0]) || p.Group.Nodes == len(x.Nodes) {
			n++
		}
	}
	return n
}

// kindOfFinding returns the word of the column "what", which scripts compare.
func kindOfFinding(x Finding) string {
	switch {
	case x.Across != nil:
		return "link"
	case x.Pair:
		return "pair"
	case x.Role != "":
		return x.Role
	case len(x.Nodes) == 1:
		return "node"
	case len(x.Nodes) > 1:
		return "nodes"
	}
	return "file"
}

func percentInterval(in quantity.Interval) string {
	return fmt.Sprintf("%s (%s to %s)",
		table.PercentChange(in.Value), percentPlain(in.Low), percentPlain(in.High))
}

// percentPlain returns a percentage without a plus sign and without the unit.
func percentPlain(part float64) string {
	if math.IsInf(part, 0) || part > 1e4 { // an end of the interval that says nothing
		return "any"
	}
	return strings.TrimSuffix(strings.TrimPrefix(table.PercentChange(part), "+"), " %")
}

// findingRows returns a row for each finding, for programs; people have [Answer.worstRows].
func (f *Answer) findingRows() table.Rows {
	node := func(i int) func(Finding) any {
		return func(x Finding) any {
			names := x.Nodes
			if x.Blocks != nil {
				names = x.Blocks
			}
			if i < len(names) {
				return names[i]
			}
			return nil
		}
	}
	both := func(key string, cell func(Finding) any) table.Field[Finding] {
		return table.Col(key, key, cell)
	}
	fields := []table.Field[Finding]{
		both("what", func(x Finding) any { return kindOfFinding(x) }),
		both("node_a", node(0)), both("node_b", node(1)),
		both("path", func(x Finding) any { return table.OrNil(x.Path) }),
		both("quantity", func(x Finding) any { return string(x.Quantity) }),
		both("effect_percent", func(x Finding) any { return 100 * x.Effect.Value }),
		both("effect_low_percent", func(x Finding) any { return 100 * x.Effect.Low }),
		both("effect_high_percent", func(x Finding) any { return 100 * x.Effect.High }),
		both("p", func(x Finding) any { return x.P }),
		both("q", func(x Finding) any { return x.Q }),
		both("stands_out", func(x Finding) any { return x.Reported }),
		both("curves", func(x Finding) any { return x.Values }),
	}
	for _, g := range groupFields() {
		fields = append(fields, both(g.Key, func(x Finding) any { return g.Cell(x.Group) }))
	}
	fields = append(fields,
		both("first_size_percent", func(x Finding) any { return 100 * x.First }), // NaN is absent
		both("last_size_percent", func(x Finding) any { return 100 * x.Last }))
	rows := table.TableOf(f.Findings, fields...)
	return f.remarked(rows)
}

// groupFields returns the columns, for programs alone, that name a group. Programs filter by the
// parts of a group; people read them in one text.
func groupFields() []table.Field[Group] {
	return []table.Field[Group]{
		table.Col("benchmark", "", func(g Group) any { return g.Benchmark }),
		table.Col("kind", "", func(g Group) any { return g.Kind.String() }),
		table.Col("ranks", "", func(g Group) any { return g.Ranks }),
		table.Col("nodes", "", func(g Group) any { return g.Nodes }),
		table.Col("labels", "", func(g Group) any { return table.OrNil(g.Labels) }),
		table.Col("first_bytes", "", func(g Group) any { return g.First }),
		table.Col("last_bytes", "", func(g Group) any { return g.Last }),
		table.Col("sizes", "", func(g Group) any { return g.Sizes }),
	}
}

type groupSpread struct {
	spread
	part *groupSummary
}

// groupRows returns a row for each group and quantity: its distribution over the fleet.
func (f *Answer) groupRows() table.Rows {
	var all []groupSpread
	for i := range f.groups {
		for _, s := range f.groups[i].Spreads {
			all = append(all, groupSpread{s, &f.groups[i]})
		}
	}
	fields := []table.Field[groupSpread]{
		table.Col("", "group", func(s groupSpread) any { return s.part.Group.String() }),
	}
	for _, g := range groupFields() {
		cell := func(s groupSpread) any { return g.Cell(s.part.Group) }
		fields = append(fields, table.Col(g.Key, "", cell))
	}
	// A fit without residuals has no estimate of the noise.
	noise := func(s groupSpread) any { return table.OrAbsent(100*s.Residual, s.Residual > 0) }
	scatter := func(s groupSpread) any { return 100 * s.Scatter }
	fields = append(fields,
		table.Col("curves", "", func(s groupSpread) any { return s.part.Curves }),
		table.Col("units", "n", func(s groupSpread) any { return s.Units }).Ranked(3),
		table.Col("", "parameter", func(s groupSpread) any {
			if s.Quantity == Tau {
				return "r∞"
			}
			return quantityWord(s.Quantity)
		}),
		table.Col("", "median (5 % to 95 %)", func(s groupSpread) any {
			low, median, high := s.Quantiles[1], s.Quantiles[3], s.Quantiles[5]
			if s.Quantity == Tau {
				// The largest τ is the lowest bandwidth, so the ends change places.
				rate := quantity.Interval{Value: 1 / median, Low: 1 / high, High: 1 / low}
				return table.Interval{Dim: quantity.DimRate, Interval: rate}
			}
			time := quantity.Interval{Value: median, Low: low, High: high}
			return table.Interval{Dim: quantity.DimTime, Interval: time}
		}),
		table.Col("", "scatter", scatter).Texted(table.PercentError).Ranked(1),
		table.Col("", "noise", noise).Texted(table.PercentError).Ranked(2),
		table.Col("quantity", "", func(s groupSpread) any { return string(s.Quantity) }),
		table.Col("unit", "", func(s groupSpread) any {
			if s.Quantity == Tau {
				return "us/KiB"
			}
			return "us"
		}))
	for i, key := range []string{"min", "p5", "p25", "median", "p75", "p95", "max"} {
		fields = append(fields, table.Col(key, "", func(s groupSpread) any { // in µs, or µs/KiB
			if s.Quantity == Tau {
				return s.Quantiles[i] * float64(quantity.KiB)
			}
			return s.Quantiles[i]
		}))
	}
	fields = append(fields,
		table.Col("scatter_percent", "", scatter),
		table.Col("noise_percent", "", noise))
	if f.Compared {
		fields = append(fields, changeFields()...)
	}
	rows := table.TableOf(all, fields...)
	// A small screen keeps the groups of the findings, of the first the longest.
	worst := f.worst()
	rows.RowRank = func(i int) int {
		if len(worst) == 0 {
			return 0
		}
		at := slices.IndexFunc(worst, func(x worstFinding) bool {
			return x.Group == all[i].part.Group
		})
		if at < 0 {
			return len(worst)
		}
		return at
	}
	return f.remarked(rows)
}

// changeFields returns the columns of the fleet's change in a comparison.
func changeFields() []table.Field[groupSpread] {
	percent := func(key string, of func(groupSpread) float64) table.Field[groupSpread] {
		return table.Col(key, "", func(s groupSpread) any {
			return table.OrAbsent(100*of(s), s.Compared)
		})
	}
	return []table.Field[groupSpread]{
		table.Col("", "fleet's change", func(s groupSpread) any {
			change := percentInterval(s.Shift)
			if s.Quantity == Tau { // the row shows r∞, which changes the other way
				change = "τ " + change
			}
			return table.OrAbsent(change, s.Compared)
		}),
		percent("change_percent", func(s groupSpread) float64 { return s.Shift.Value }),
		percent("change_low_percent", func(s groupSpread) float64 { return s.Shift.Low }),
		percent("change_high_percent", func(s groupSpread) float64 { return s.Shift.High }),
	}
}

// skippedRows returns a row for each file that was not used, or only in part.
func (f *Answer) skippedRows() table.Rows {
	return table.TableOf(f.skipped,
		table.Col("reason", "reason", func(l skippedFile) any { return l.reason }),
		table.Col("fault", "fault", func(l skippedFile) any { return l.fault }))
}
