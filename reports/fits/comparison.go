package fits

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A Comparison has the tables before and after, and how they differ.
type Comparison struct {
	Before  Lines
	After   []Curve
	Changes []Change
	Alone   []string // what was measured on one side only
	verdict string
}

// A Change is the difference between two tables over a range of sizes. Before and After name the
// tables, and Call says what both measured.
type Change struct {
	Before, After, Call string
	fit.Change
}

// comparisonOf lists the differences between partners of the curves before and after. leftOut has
// notes on those without a partner.
//
// The pairing follows the fits, not the tables, since a table that cannot be fitted
// must not take the partner of one that can.
func comparisonOf(before Lines, after []Curve, on fit.Network) (
	f *Comparison, leftOut []remark.Note, err error) {

	f = &Comparison{Before: before, After: after}
	of, alone := partners(sourcesOf(before.Curves), sourcesOf(after))
	f.Alone = list.Map(alone, callOf)
	// All tables without a partner is an error rather than an empty answer: the user
	// has named two things that do not belong together.
	if len(alone) == len(before.Curves)+len(after) {
		err := fmt.Errorf("no table before has a partner after, of the same benchmark on "+
			"the same ranks or nodes: %s; %s",
			tableCalls(sourcesOf(before.Curves)), tableCalls(sourcesOf(after)))
		return nil, nil, usage.Fields(err, "against")
	}
	on = cmp.Or(on, networkOf(before.Curves))
	for i, b := range before.Curves {
		if of[i] < 0 {
			continue
		}
		a := after[of[i]]
		if a.Kind != b.Kind {
			err := fmt.Errorf("%s has times of another kind (%v) than %s (%v); compare files of "+
				"one benchmark", a.Place(), a.Kind, b.Place(), b.Kind)
			return nil, nil, usage.Fields(err, "against")
		}
		changes, err := fit.Compare(b.Result, a.Result, on)
		if err != nil {
			err = fmt.Errorf("%s and %s: %w", b.Place(), a.Place(), err)
			return nil, nil, usage.Fields(err, "against")
		}
		for _, c := range changes {
			change := Change{b.Place(), a.Place(), callOf(b.Source), c}
			f.Changes = append(f.Changes, change)
		}
	}
	f.judge()
	return f, aloneNotes(alone), nil
}

// networkOf returns the class of the network of tables: that of the latency of the smallest time.
func networkOf(curves []Curve) fit.Network {
	on := fit.Shared
	for _, c := range curves {
		if n := c.Network(); slices.Index(fit.Networks, n) < slices.Index(fit.Networks, on) {
			on = n
		}
	}
	return on
}

// Made returns the platform of the tables before.
func (f *Comparison) Made() (platforms.Platform, string, error) { return f.Before.Made() }

// Changed counts the changes that are real.
func (f *Comparison) Changed() (n int) {
	for _, c := range f.Changes {
		if c.Real {
			n++
		}
	}
	return n
}

// networks names the classes of networks.
var networks = map[fit.Network]string{fit.Node: "within a node", fit.Fabric: "on a fabric",
	fit.Shared: "on a shared network"}

// judge sets the verdict: the largest change, or what the test could not have seen, and the tables
// without a partner.
func (f *Comparison) judge() {
	several := len(f.Before.Curves) > 1
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
			"a change below %s needs more runs to be seen",
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
	f.verdict = strings.Join(parts, "; ")
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
