package study

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

// FleetLists are the tables of a fleet, as --list names them.
func FleetLists() []string { return []string{"findings", "groups", "left"} }

// Tables returns the tables for people: who stands out, worst first, and the fleet by groups. The
// notes are under the last.
func (f *FleetAnswer) Tables() []reports.Rows {
	groups := f.GroupRows()
	if len(f.Standing()) == 0 {
		groups.Notes = append([]string{f.nobody()}, groups.Notes...)
		return []reports.Rows{groups}
	}
	return []reports.Rows{f.WorstRows(), groups}
}

// nobody says that nothing was found, which is not that nothing is there.
func (f *FleetAnswer) nobody() string {
	if f.Tests == 0 {
		return "Nothing could be tested."
	}
	if f.Compared {
		return "No node and no pair changed against the others by more than chance explains."
	}
	return "No node and no pair stands out by more than chance explains."
}

// Standing are the findings that stand out.
func (f *FleetAnswer) Standing() []fleet.Finding {
	i := 0
	for i < len(f.Findings) && f.Findings[i].Out {
		i++
	}
	return f.Findings[:i]
}

// A fleetWorst is what stands out of one node, pair or curve, with the number of its groups.
type fleetWorst struct {
	fleet.Finding
	groups int
}

// worst takes the findings of each node and pair together: nodes first, then pairs, each the worst
// first.
func (f *FleetAnswer) worst() (all []fleetWorst) {
	at := map[string]int{}
	seen := map[string]map[fleet.Group]bool{}
	for _, x := range f.Standing() {
		key := fmt.Sprint(x.Pair, x.Who())
		if _, ok := at[key]; !ok {
			at[key], seen[key] = len(all), map[fleet.Group]bool{}
			all = append(all, fleetWorst{Finding: x})
		}
		if seen[key][x.Group] = true; true {
			all[at[key]].groups = len(seen[key])
		}
	}
	slices.SortStableFunc(all, func(a, b fleetWorst) int {
		if a.Pair != b.Pair {
			return cmp.Compare(len(a.Nodes), len(b.Nodes))
		}
		return 0
	})
	return all
}

// WorstRows is a row for each node, pair and curve that stands out.
func (f *FleetAnswer) WorstRows() reports.Rows {
	head := "slower by (interval)"
	switch {
	case f.Compared && f.Odd:
		head = "change (interval)"
	case f.Compared:
		head = "slower than before by"
	case f.Odd:
		head = "differs by (interval)"
	}
	return tableOf(f.worst(),
		col("", "what", func(x fleetWorst) any { return kindOfFinding(x.Finding) }),
		col("", "who", func(x fleetWorst) any { return x.Who() }),
		col("", head, func(x fleetWorst) any {
			return fmt.Sprintf("%s (%s to %s)", reports.PercentChange(x.Effect), percentPlain(x.Low), percentPlain(x.High))
		}),
		col("", "of", func(x fleetWorst) any { return quantityWord(x.Quantity) }).ranked(1),
		col("", "groups", func(x fleetWorst) any { return fmt.Sprintf("%d of %d", x.groups, f.groupsOf(x.Finding)) }),
		col("", "most in", func(x fleetWorst) any { return x.Group.String() }),
	)
}

// groupsOf is the number of groups in which the node or pair was measured.
func (f *FleetAnswer) groupsOf(x fleet.Finding) (n int) {
	for _, p := range f.Parts {
		switch {
		case len(x.Nodes) == 0 || x.Pair:
			n++
		default:
			if slices.Contains(p.Names, x.Nodes[0]) || p.Group.Nodes == len(x.Nodes) {
				n++
			}
		}
	}
	return n
}

func kindOfFinding(x fleet.Finding) string {
	switch {
	case x.Pair:
		return "pair"
	case len(x.Nodes) == 1:
		return "node"
	case len(x.Nodes) > 1:
		return "nodes"
	}
	return "file"
}

func quantityWord(q fleet.Quantity) string {
	return map[fleet.Quantity]string{fleet.Latency: "latency", fleet.Beta: "β", fleet.Tau: "τ"}[q]
}

// percentPlain is a percentage without its sign for more and without the unit.
func percentPlain(part float64) string {
	if math.IsInf(part, 0) || part > 1e4 {
		return "any"
	}
	return strings.TrimSuffix(strings.TrimPrefix(reports.PercentChange(part), "+"), " %")
}

// FindingRows is a row for each finding, for programs; people have [FleetAnswer.WorstRows].
func (f *FleetAnswer) FindingRows() reports.Rows {
	node := func(i int) func(fleet.Finding) any {
		return func(x fleet.Finding) any {
			if i < len(x.Nodes) {
				return x.Nodes[i]
			}
			return nil
		}
	}
	percent := func(of func(fleet.Finding) float64) func(fleet.Finding) any {
		return func(x fleet.Finding) any { return 100 * of(x) }
	}
	both := func(key string, cell func(fleet.Finding) any) field[fleet.Finding] { return col(key, key, cell) }
	fields := []field[fleet.Finding]{
		both("what", func(x fleet.Finding) any { return kindOfFinding(x) }),
		both("node_a", node(0)), both("node_b", node(1)),
		both("path", func(x fleet.Finding) any { return orNil(x.Name) }),
		both("quantity", func(x fleet.Finding) any { return string(x.Quantity) }),
		both("effect_percent", percent(func(x fleet.Finding) float64 { return x.Effect })),
		both("effect_low_percent", percent(func(x fleet.Finding) float64 { return x.Low })),
		both("effect_high_percent", percent(func(x fleet.Finding) float64 { return x.High })),
		both("p", func(x fleet.Finding) any { return x.P }),
		both("q", func(x fleet.Finding) any { return x.Q }),
		both("stands_out", func(x fleet.Finding) any { return x.Out }),
		both("curves", func(x fleet.Finding) any { return x.Values }),
	}
	for _, g := range groupFields() {
		fields = append(fields, both(g.Key, func(x fleet.Finding) any { return g.cell(x.Group) }))
	}
	rows := tableOf(f.Findings, fields...)
	rows.Notes = f.Notes
	return rows
}

func groupFields() []field[fleet.Group] {
	return []field[fleet.Group]{
		col("benchmark", "", func(g fleet.Group) any { return g.Benchmark }),
		col("kind", "", func(g fleet.Group) any { return g.Kind.String() }),
		col("ranks", "", func(g fleet.Group) any { return g.Ranks }),
		col("nodes", "", func(g fleet.Group) any { return g.Nodes }),
		col("labels", "", func(g fleet.Group) any { return orNil(g.Labels) }),
		col("first_bytes", "", func(g fleet.Group) any { return g.First }),
		col("last_bytes", "", func(g fleet.Group) any { return g.Last }),
		col("sizes", "", func(g fleet.Group) any { return g.Sizes }),
	}
}

// A fleetSpread is the distribution of a quantity in a group.
type fleetSpread struct {
	fleet.Spread
	part *fleet.Part
}

// GroupRows is a row for each group and quantity: how it is distributed over the fleet.
func (f *FleetAnswer) GroupRows() reports.Rows {
	var all []fleetSpread
	for i := range f.Parts {
		for _, s := range f.Parts[i].Spreads {
			all = append(all, fleetSpread{s, &f.Parts[i]})
		}
	}
	in := func(of func(fleet.Spread) float64) func(fleetSpread) any { // in µs, or µs/KiB
		return func(s fleetSpread) any {
			if s.Quantity == fleet.Tau {
				return of(s.Spread) * float64(quantity.KiB)
			}
			return of(s.Spread)
		}
	}
	fields := []field[fleetSpread]{col("", "group", func(s fleetSpread) any { return s.part.Group.String() })}
	for _, g := range groupFields() {
		fields = append(fields, col(g.Key, "", func(s fleetSpread) any { return g.cell(s.part.Group) }))
	}
	fields = append(fields,
		col("curves", "", func(s fleetSpread) any { return s.part.Curves }),
		col("units", "n", func(s fleetSpread) any { return s.Units }).ranked(3),
		col("", "of", func(s fleetSpread) any {
			if s.Quantity == fleet.Tau {
				return "r∞"
			}
			return quantityWord(s.Quantity)
		}),
		col("", "median (5 % to 95 %)", func(s fleetSpread) any {
			if s.Quantity == fleet.Tau {
				return reports.Interval{Dim: quantity.DimRate, Value: 1 / s.Median, Low: 1 / s.P95, High: 1 / s.P5}
			}
			return reports.Interval{Dim: quantity.DimTime, Value: s.Median, Low: s.P5, High: s.P95}
		}),
		col("", "scatter", func(s fleetSpread) any { return 100 * s.Scatter }).texted(reports.PercentError).ranked(1),
		col("", "noise", func(s fleetSpread) any { return orAbsent(100*s.Residual, s.Residual > 0) }).texted(reports.PercentError).ranked(2),
		col("quantity", "", func(s fleetSpread) any { return string(s.Quantity) }),
		col("unit", "", func(s fleetSpread) any {
			if s.Quantity == fleet.Tau {
				return "us/KiB"
			}
			return "us"
		}),
		col("min", "", in(func(s fleet.Spread) float64 { return s.Min })),
		col("p5", "", in(func(s fleet.Spread) float64 { return s.P5 })),
		col("p25", "", in(func(s fleet.Spread) float64 { return s.P25 })),
		col("median", "", in(func(s fleet.Spread) float64 { return s.Median })),
		col("p75", "", in(func(s fleet.Spread) float64 { return s.P75 })),
		col("p95", "", in(func(s fleet.Spread) float64 { return s.P95 })),
		col("max", "", in(func(s fleet.Spread) float64 { return s.Max })),
		col("scatter_percent", "", func(s fleetSpread) any { return 100 * s.Scatter }),
		col("noise_percent", "", func(s fleetSpread) any { return orAbsent(100*s.Residual, s.Residual > 0) }),
	)
	if f.Compared {
		fields = append(fields,
			col("", "fleet's change", func(s fleetSpread) any {
				if !s.Compared {
					return nil
				}
				if s.Quantity == fleet.Tau {
					return fmt.Sprintf("τ %s (%s to %s)", reports.PercentChange(s.Shift), percentPlain(s.ShiftLow), percentPlain(s.ShiftHigh))
				}
				return fmt.Sprintf("%s (%s to %s)", reports.PercentChange(s.Shift), percentPlain(s.ShiftLow), percentPlain(s.ShiftHigh))
			}),
			col("change_percent", "", func(s fleetSpread) any { return orAbsent(100*s.Shift, s.Compared) }),
			col("change_low_percent", "", func(s fleetSpread) any { return orAbsent(100*s.ShiftLow, s.Compared) }),
			col("change_high_percent", "", func(s fleetSpread) any { return orAbsent(100*s.ShiftHigh, s.Compared) }),
		)
	}
	rows := tableOf(all, fields...)
	rows.Notes = f.Notes
	return rows
}

// LeftRows is a row for each file that gave nothing, or not all.
func (f *FleetAnswer) LeftRows() reports.Rows {
	return tableOf(f.Left,
		col("reason", "reason", func(l fleet.Left) any { return l.Reason }),
		col("fault", "fault", func(l fleet.Left) any { return l.Fault }))
}
