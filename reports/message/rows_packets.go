package message

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Rows returns the table of the cuts, with the switches behind them: a script can rely on its
// columns.
func (a *Cuttings) Rows() table.Rows {
	return inCycles(cutRows(slices.Concat(a.Cuts, a.Switches), a.noInterval), a.clocks)
}

// Tables returns the tables for people, who read the switches apart from the cuts, below them.
func (a *Cuttings) Tables() []table.Rows {
	tables := []table.Rows{inCycles(cutRows(a.Cuts, a.noInterval), a.clocks)}
	if len(a.Switches) > 0 {
		tables = append(tables, switchRows(a.Switches))
	}
	return tables
}

// cutRows returns the table of the cuts. If each layer has one size, notes list the
// packets in whole bytes: the sizes are what a user takes home, and for several
// messages the lists would be longer than the table.
func cutRows(c []Cut, noInterval string) table.Rows {
	rows := table.TableOf(c,
		table.Col("platform", "platform", func(c Cut) any {
			return c.Platform
		}).Ranked(3),
		table.Col("layer", "layer", func(c Cut) any { return c.Layer }).Ranked(1),
		table.Col("size_bytes", "size", func(c Cut) any { return c.Size }),
		table.Col("method", "method", func(c Cut) any { return c.Method }),
		table.Col("packet_bytes", "largest packet", func(c Cut) any {
			return c.Plan.Largest()
		}),
		table.Col("packets", "packets", func(c Cut) any {
			return c.Plan.Packets()
		}).Ranked(4),
		table.Col("one_way_us", "one way", func(c Cut) any { return c.OneWay }).
			Rounded(4),
		table.Col("bandwidth_mb_s", "bandwidth", func(c Cut) any {
			return c.Size.Over(c.OneWay)
		}).Rounded(4).Ranked(2),
		table.Col("plan_bytes", "", func(c Cut) any { return c.planBytes() }),
	)
	rows.Verdict = cutVerdict(c, noInterval)
	rows.RowRank = func(i int) int {
		if c[i].Method != "equal" {
			return 1
		}
		return 0
	}
	if slices.ContainsFunc(c, func(cut Cut) bool { return cut.Plan.Packets() > listed }) {
		rows.Add(remark.LongPlans(listed))
	}
	if slices.ContainsFunc(c, func(cut Cut) bool { return cut.Size != c[0].Size }) {
		return rows
	}
	var round Cut
	for _, cut := range c {
		switch {
		case cut.Method == "round":
			round = cut
		case cut.Method == "unequal-whole":
			rows.Add(remark.WholePlan(cut.Text()))
			if cut.Measured {
				rows.Add(remark.SearchedPlan())
			}
		case cut.Setting != "":
			rows.Add(remark.Advised(advice(cut, round)))
		}
	}
	return rows
}

// cutVerdict compares the best equal packet of each size of the last layer with the message in one
// piece.
func cutVerdict(c []Cut, noInterval string) table.Sentence {
	if len(c) == 0 {
		return table.Sentence{}
	}
	last := c[len(c)-1]
	own := slices.DeleteFunc(slices.Clone(c), func(cut Cut) bool {
		return cut.Layer != last.Layer || cut.Platform != last.Platform
	})
	closing := table.Closing{Error: noInterval}
	for _, size := range table.Groups(own, func(c Cut) quantity.Bytes { return c.Size }) {
		of := map[string]Cut{} // by method
		for _, cut := range size {
			of[cut.Method] = cut
		}
		best, whole := of["equal"], of["single"]
		if best.OneWay == 0 || whole.OneWay == 0 {
			continue
		}
		v := table.Closed{Of: whole.Size, Value: whole.OneWay, With: " in one packet, the fastest"}
		if best.OneWay < whole.OneWay {
			v.Value = best.OneWay
			with := table.Say(" in packets of %v, %v in one", best.Plan.Largest(), whole.OneWay)
			if free := of["unequal"]; free.OneWay > 0 && free.OneWay < best.OneWay {
				with = table.Say("%v, %v in unequal ones", with, free.OneWay)
			}
			v.With = with
		}
		closing.Values = append(closing.Values, v)
	}
	line := closing.Say()
	if n := len(closing.Values); n > table.MaxClosed {
		first, end := closing.Values[0], closing.Values[n-1]
		line = table.Say("%v: %v%v; %v: %v%v; %s", first.Of, first.Value, first.With, end.Of,
			end.Value, end.With, closing.Error)
	}
	return line
}

// noticeable is the least gain for which a setting is worth a change, in percent: the median error
// of predicted times on the two pipelines of docs/pipelines.md. What is predicted to gain less may
// lose.
const noticeable = 5

// advice says what to set, and what that buys against the default.
func advice(now, best Cut) string {
	gain := 100 * (1 - float64(best.OneWay/now.OneWay))
	if gain <= 0 {
		return now.Setting + ": keep it; no other is predicted faster for this message."
	}
	if gain < noticeable {
		return fmt.Sprintf("%s: keep %s; the best setting, %s, is predicted %.0f %% faster, "+
			"within the error of such predictions.", now.Setting, now.Plan.Largest(),
			best.Plan.Largest(), gain)
	}
	return fmt.Sprintf("%s: set it to %.0f (%s): %.4g µs, %.0f %% less than the %.4g µs of %s.",
		now.Setting, float64(best.Plan.Largest()), best.Plan.Largest(), float64(best.OneWay), gain,
		float64(now.OneWay), now.Plan.Largest())
}
