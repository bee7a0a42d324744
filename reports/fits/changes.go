package fits

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// changeRows tabulates changes by range of sizes.
func changeRows(f *Fitted) table.Rows {
	several := len(f.Curves) > 1
	col := table.Col[Change]
	ratio := table.SpreadOf("time_ratio", "after / before", quantity.DimNone,
		func(c Change) quantity.Interval { return c.Ratio })
	tested := func(c Change) bool { return !math.IsInf(c.Unseen.High, 1) }
	rows := table.TableOf(f.Changes,
		col("", "table", func(c Change) any { return c.Call }).If(several),
		col("file", "", func(c Change) any { return c.Before }),
		col("other", "", func(c Change) any { return c.After }),
		col("from_bytes", "from", func(c Change) any { return c.From }),
		col("to_bytes", "to", func(c Change) any { return c.To }),
		col("points", "sizes", func(c Change) any { return c.Sizes }).Ranked(1),
		ratio.Text, ratio.Value, ratio.Low, ratio.High,
		col("unseen_percent", "runs differ by", func(c Change) any {
			return table.OrAbsent(100*(c.Unseen.High-1), tested(c))
		}).Texted(func(percent any) string { return factor(1 + percent.(float64)/100) }),
		col("changed", "changed", func(c Change) any {
			switch {
			case !tested(c):
				return table.OrAbsent("", false)
			case c.Unclear || !c.Real && c.Lone > 0:
				return "unclear"
			case !c.Real:
				return "no change"
			case c.Ratio.Value > 1:
				return "slower"
			}
			return "faster"
		}),
	)
	rows.Verdict = changeVerdict(f, several)
	rows.Notes = []string{"After / before: the median over the sizes, with the least and the " +
		"greatest. A change is three neighbouring sizes at least that all got slower, or faster, " +
		"by more than runs of an unchanged system differ. How far these differ is known from " +
		"repeats: with one run each, from jobs on published machines."}
	return rows
}

// networks names the classes of networks.
var networks = map[fit.Network]string{fit.Node: "within a node", fit.Fabric: "on a fabric",
	fit.Shared: "on a shared network"}

// changeVerdict returns the largest change, or what the test could not have seen, and the tables
// without a partner.
func changeVerdict(f *Fitted, several bool) table.Sentence {
	var changed, unclear, tested, untested []Change
	for _, c := range f.Changes {
		switch {
		case c.Real:
			changed = append(changed, c)
		case math.IsInf(c.Unseen.High, 1):
			untested = append(untested, c)
		case c.Unclear:
			unclear = append(unclear, c)
		default:
			tested = append(tested, c)
		}
	}
	size := func(c Change) float64 { return max(c.Ratio.High, 1/c.Ratio.Low) }
	largest := func(all []Change) Change {
		return slices.MaxFunc(all, func(a, b Change) int {
			return int(math.Copysign(1, size(a)-size(b)))
		})
	}
	sizes := func(all []Change) (n int) {
		for _, c := range all {
			n += c.Sizes
		}
		return n
	}
	var parts []string
	if len(changed) > 0 {
		c := largest(changed)
		text := fmt.Sprintf("%v to %v: %s", c.From, c.To, asLong(c.Ratio.Value))
		if several {
			text = c.Call + ", " + text
		}
		if more := len(changed) - 1; more > 0 {
			text += fmt.Sprintf(", and %s changed", quantity.Plural(more, "more range"))
		}
		parts = append(parts, text)
	}
	if len(unclear) > 0 {
		c := largest(unclear)
		text := fmt.Sprintf("%v to %v: unclear, %s, as two jobs %s may differ; %d runs before and "+
			"after, each in a job of its own, would show it", c.From, c.To, asLong(c.Ratio.Value),
			networks[c.On], c.Runs)
		if several {
			text = c.Call + ", " + text
		}
		parts = append(parts, text)
	}
	if len(tested) > 0 {
		c := largest(tested)
		unseen := slices.Max(list.Map(tested, func(c Change) float64 { return c.Unseen.High }))
		most := factor(size(c))
		apart := fmt.Sprintf("at most %s apart (%v)", most, c.MostAt)
		lone := 0
		for _, c := range tested {
			lone += c.Lone
		}
		if lone > 0 {
			parts = append(parts, fmt.Sprintf("%s beyond what runs differ by, %s, but too few "+
				"beside each other to tell a change from outliers: measure again, at more sizes "+
				"there", quantity.Plural(lone, "size"), apart))
			apart = "within what runs differ by"
		}
		parts = append(parts, fmt.Sprintf("no change at %s, %s; "+
			"one below %s is not seen without more runs",
			quantity.Plural(sizes(tested)-lone, "size"), apart, factor(unseen)))
	}
	if len(untested) > 0 {
		parts = append(parts, fmt.Sprintf("not tested, as a table needs 5: %s, at most %s apart",
			quantity.Plural(sizes(untested), "size"),
			factor(size(largest(untested)))))
	}
	if len(f.Alone) > 0 {
		names := slices.Compact(slices.Sorted(slices.Values(f.Alone)))
		const most = 2
		if more := len(names) - most; more > 0 {
			names = append(names[:most], fmt.Sprintf("%d more", more))
		}
		parts = append(parts, "no partner: "+strings.Join(names, "; "))
	}
	return table.Say("%s", strings.Join(parts, "; "))
}

// factor states by how much two times differ, whichever is the longer: in percent up to a tenth.
func factor(of float64) string {
	if of < 1.1 {
		return table.PercentError(100 * (of - 1))
	}
	return fmt.Sprintf("%.2f ×", of)
}

// asLong states a ratio of times: "2.00 × as long".
func asLong(ratio float64) string {
	if math.Abs(ratio-1) < 0.1 {
		return table.PercentChange(ratio-1) + " time"
	}
	return fmt.Sprintf("%.2f × as long", ratio)
}
