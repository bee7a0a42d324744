package summary

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/ask/messages"
	askwhatif "github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/reports"
	"github.com/halfpeak/halfpeak/internal/reports/predict"
	"github.com/halfpeak/halfpeak/internal/reports/whatif"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// thresholds compares the sizes where protocols switch with those where their costs
// cross: a switch elsewhere loses time for all sizes between the two.
func (s subject) thresholds() []reports.Block {
	all := askwhatif.Of(s.Design.Design).Thresholds()
	if len(all) == 0 {
		return nil
	}
	rows := reports.TableOf(all,
		reports.Col("below", "up to it", func(t askwhatif.Threshold) any { return t.Below }),
		reports.Col("above", "beyond it", func(t askwhatif.Threshold) any { return t.Above }),
		reports.Col("in_use_bytes", "in use", func(t askwhatif.Threshold) any { return t.InUse }),
		reports.Col("suggested", "costs cross at", func(t askwhatif.Threshold) any {
			if t.Crosses {
				return t.Suggested.Size.String()
			}
			return "nowhere: " + t.Better + " is faster at all sizes"
		}),
		reports.Col("parameter", "parameter", func(t askwhatif.Threshold) any { return t.Path }),
	)
	return []reports.Block{reports.Table{Title: "Where the protocol switches", Rows: rows}}
}

// pipeline draws a message of moderate size packet by packet, and compares the ways
// to cut messages. It is empty for layers without a pipeline.
func (s subject) pipeline(hi quantity.Bytes) ([]reports.Block, error) {
	blocks := s.timelines(hi)
	const kib = quantity.KiB
	// Three sizes, since the best packet grows with the message: those of CLIP's
	// table 5.1 that docs and tests quote.
	sizes := []quantity.Bytes{4 * kib, 16 * kib, 64 * kib}
	sizes = slices.DeleteFunc(sizes, func(n quantity.Bytes) bool {
		_, ok := model.At(s.Layer.Model, n).(*model.Pipeline)
		return !ok || n > hi
	})
	if len(sizes) == 0 {
		return blocks, nil
	}
	cuts, _, err := halfpeak.Cuts(context.Background(), sizes, s.Design)
	if err != nil {
		return nil, err
	}
	return append(blocks, reports.Table{Title: "Ways to cut a message", Rows: reports.TableOf(cuts,
		reports.Col("size_bytes", "size", func(c messages.Cut) any { return c.Size }),
		reports.Col("method", "method", func(c messages.Cut) any { return c.Method }),
		reports.Col("packet_bytes", "largest packet", func(c messages.Cut) any {
			return c.Plan.Largest()
		}),
		reports.Col("packets", "packets", func(c messages.Cut) any { return c.Plan.Packets() }),
		reports.Col("one_way_us", "one way", func(c messages.Cut) any { return c.OneWay }),
		reports.Col("bandwidth_mb_s", "bandwidth", func(c messages.Cut) any {
			return c.Size.Over(c.OneWay)
		}),
	)}), nil
}

// timelines draws one message in its packets and, if that saves time, in the best packets. The
// first size with at most maxBoxes is drawn: 16 KiB shows how a pipeline fills, runs and drains.
func (s subject) timelines(hi quantity.Bytes) (blocks []reports.Block) {
	const kib = quantity.KiB
	for _, n := range []quantity.Bytes{16 * kib, 64 * kib, 4 * kib, kib} {
		pipe, ok := model.At(s.Layer.Model, n).(*model.Pipeline)
		if !ok || n > hi {
			continue
		}
		plan := model.EqualPlan(n, pipe.PacketSize(n))
		if plan.Packets()*len(pipe.Stages) > maxBoxes {
			continue
		}
		time := pipe.OneWayAs(plan)
		slowest := pipe.Stages[pipe.Bottleneck(plan.Largest())].Name
		blocks = append(blocks, reports.Drawing{
			Title:   fmt.Sprintf("%s in packets of %s: %s", n, plan.Largest(), time),
			Picture: predict.Planned(s.Layer, n, pipe, plan),
			Note: "Each box is a packet in a stage. The slowest stage for these packets is " +
				slowest + ".",
		})
		// The best plan is of whole bytes: a system could send it.
		best, least := pipe.BestPlan(n)
		if float64(least) < worthDrawing*float64(time) {
			blocks = append(blocks, reports.Drawing{
				Title:   fmt.Sprintf("%s in the best packets: %s", n, least),
				Picture: predict.Planned(s.Layer, n, pipe, best),
				Note:    "Packets in bytes: " + predict.PlanText(best) + ".",
			})
		}
		break
	}
	return blocks
}

const (
	// maxBoxes is the largest number of boxes whose labels can be read in a figure of a page.
	maxBoxes = 200
	// worthDrawing is the share of the time below which better packets get a drawing: with less
	// than 0.5 % saved, the two pictures look the same.
	worthDrawing = 0.995
)

// time breaks the one-way time and the gap down by stage or parameter, with the
// sensitivity to each parameter. It is empty for a layer without parameters.
func (s subject) time(sizes []quantity.Bytes) ([]reports.Block, error) {
	doubled := doublings(sizes)
	// 81 sizes make smooth areas. Those of the table are among them, so that both show the same
	// numbers.
	fine := stats.Ascending(append(thinned(sizes, 81), doubled...))
	var blocks []reports.Block
	var before reports.Areas
	captions := []string{"One-way time by stage or parameter",
		"Gap between messages by stage or parameter"}
	if !model.HasGap(s.Layer.Model) {
		captions = captions[:1]
	}
	for i, caption := range captions {
		a, err := whatif.Shares(askwhatif.Of(s.Design.Design), i == 1, fine)
		if err != nil {
			return nil, err
		}
		// The gap has the same parts as the time where messages do not overlap: one drawing is
		// enough.
		// An area needs two sizes.
		if len(a.Parts) == 0 || len(a.XS) < 2 || reflect.DeepEqual(a.Parts, before.Parts) {
			continue
		}
		before = a
		drawing := reports.Drawing{Title: caption, Picture: a}
		drawing.Numbers = shareRows(a, doubled)
		blocks = append(blocks, drawing)
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	// A short, a moderate and a long message: each has other parameters that matter.
	asked := whatif.Question{After: askwhatif.Of(s.Design.Design), Sizes: thinned(doubled, 3)}
	rows, _, err := whatif.Sensitivity(context.Background(), asked)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks, reports.Table{Title: "Effect of 1 % of each parameter", Rows: rows})
	// The effect of 10 % is drawn and not extrapolated from 1 %: at a switch of
	// protocols it is not ten times as large.
	for _, n := range []quantity.Bytes{quantity.KiB, longMessage} {
		// The page is about the sizes that were asked for.
		if n < fine[0] || n > fine[len(fine)-1] {
			continue
		}
		asked.Sizes = []quantity.Bytes{n}
		_, draw, err := whatif.Sensitivity(context.Background(), asked)
		if err != nil {
			return nil, err
		}
		t, err := draw()
		if err != nil {
			return nil, err
		}
		if len(reports.RowsOf(t).Data) > 0 {
			title := fmt.Sprintf("Effect of 10 %% of each parameter on %s", n)
			blocks = append(blocks, reports.Drawing{Title: title, Picture: t})
		}
	}
	return blocks, nil
}

// shareRows returns the table of a drawing of shares, at the sizes shown. The drawing
// has more sizes than a table can hold.
func shareRows(a reports.Areas, shown []quantity.Bytes) reports.Rows {
	var at []int
	for i, x := range a.XS {
		if slices.Contains(shown, quantity.Bytes(x)) {
			at = append(at, i)
		}
	}
	fields := []reports.Field[int]{reports.Col("size_bytes", "size", func(i int) any {
		return quantity.Bytes(a.XS[i])
	})}
	for _, p := range a.Parts {
		fields = append(fields, reports.Col(p.Name, p.Name, func(i int) any {
			return p.Y[i]
		}).Texted(reports.PercentText("%.1f %%")))
	}
	return reports.TableOf(at, fields...)
}
