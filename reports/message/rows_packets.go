package message

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// CutRows returns the table of the cuts. If each layer has one size, notes list the
// packets in whole bytes: the sizes are what a user takes home, and for several
// messages the lists would be longer than the table.
func CutRows(c []Cut) table.Rows {
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
		table.Col("plan_bytes", "", func(c Cut) any { return planBytes(c.Plan) }),
	)
	rows.Verdict = cutVerdict(c)
	rows.RowRank = func(i int) int {
		if c[i].Method != "equal" {
			return 1
		}
		return 0
	}
	if slices.ContainsFunc(c, func(cut Cut) bool { return cut.Plan.Packets() > listed }) {
		rows.Notes = append(rows.Notes, fmt.Sprintf("Plans of more than %d packets have no "+
			"plan_bytes.", listed))
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
			rows.Notes = append(rows.Notes, "unequal-whole, bytes: "+PlanText(cut.Plan))
			if cut.Measured {
				rows.Notes = append(rows.Notes, "unequal is the fastest plan that a search found: "+
					"stages have measured times, for which no limit is known.")
			}
		case cut.Setting != "":
			rows.Next = append(rows.Next, advice(cut, round))
		}
	}
	return rows
}

// cutVerdict compares the best equal packet of the last size with the message in one piece.
func cutVerdict(c []Cut) table.Sentence {
	if len(c) == 0 {
		return table.Sentence{}
	}
	of := map[string]Cut{} // by method, of the last layer and size
	last := c[len(c)-1]
	for _, cut := range c {
		if cut.Size == last.Size && cut.Layer == last.Layer && cut.Platform == last.Platform {
			of[cut.Method] = cut
		}
	}
	best, whole := of["equal"], of["single"]
	if best.OneWay == 0 || whole.OneWay == 0 {
		return table.Sentence{}
	}
	if best.OneWay >= whole.OneWay {
		return table.Say("%v: one packet, %v", last.Size, whole.OneWay)
	}
	text := table.Say("%v: packets of %v, %v; in one packet %v", last.Size, best.Plan.Largest(),
		best.OneWay, whole.OneWay)
	if free := of["unequal"]; free.OneWay > 0 && free.OneWay < best.OneWay {
		return table.Say("%v; unequal ones %v", text, free.OneWay)
	}
	return text
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

// listed is the largest number of packets that planBytes lists.
const listed = 1_000_000

// planBytes lists the size of each packet, for programs. Runs of equal packets are
// written out, so that a reader needs no notation of ours. It is absent above listed: the lists of
// petabytes would take gigabytes.
func planBytes(plan model.Plan) any {
	if plan.Packets() > listed {
		return nil
	}
	sizes := make([]float64, 0, plan.Packets())
	for _, r := range plan {
		for range r.Count {
			sizes = append(sizes, float64(r.Size))
		}
	}
	return sizes
}

// PlanText returns the plan in words, such as "3×1024 512", in bytes. Neighbouring
// runs of one size are joined: a plan may keep them apart.
func PlanText(plan model.Plan) string {
	var words []string
	for i := 0; i < len(plan); {
		count, size := 0, plan[i].Size
		for ; i < len(plan) && plan[i].Size == size; i++ {
			count += plan[i].Count
		}
		word := fmt.Sprintf("%.0f", float64(size))
		if count > 1 {
			word = fmt.Sprintf("%d×%s", count, word)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Planned draws a message in these packets by the pipeline's recurrence, C[i][k] =
// max(C[i−1][k], C[i][k−1]) + β_i + p_k τ_i. Unequal packets are drawn by it, since
// the engine cuts a message into equal ones.
func Planned(
	l platforms.Layer, n quantity.Bytes, pipe *model.Pipeline, plan model.Plan,
) table.Timeline {
	return table.Timeline{
		Title:  fmt.Sprintf("%s: %s in packets of %s", l.Ref(), n, plan.Largest()),
		Stages: list.Map(pipe.Stages, func(s model.Stage) string { return s.Name }),
		Boxes: list.Map(pipe.Schedule(plan), func(s model.Slot) table.TimelineBox {
			return table.TimelineBox{
				Stage: s.Stage, Packet: s.Packet + 1,
				Start: float64(s.Start), End: float64(s.End),
			}
		}),
	}
}
