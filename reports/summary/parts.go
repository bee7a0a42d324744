package summary

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// thresholds compares the sizes where protocols switch with those where their costs
// cross: a switch elsewhere loses time for all sizes between the two.
func (s subject) thresholds() []table.Block {
	all := whatif.Of(s.Design).Thresholds()
	if len(all) == 0 {
		return nil
	}
	rows := table.TableOf(all,
		table.Col("below", "up to it", func(t whatif.Threshold) any { return t.Below }),
		table.Col("above", "beyond it", func(t whatif.Threshold) any { return t.Above }),
		table.Col("in_use_bytes", "in use", func(t whatif.Threshold) any { return t.InUse }),
		table.Col("suggested", "costs cross at", func(t whatif.Threshold) any {
			if t.Crosses {
				return table.About(t.Suggested.Size)
			}
			return "nowhere: " + t.Better + " is faster at all sizes"
		}),
		table.Col("parameter", "parameter", func(t whatif.Threshold) any { return t.Path }),
	)
	return []table.Block{table.Table{Title: "Where the protocol switches", Rows: rows}}
}

// pipeline draws a message of moderate size packet by packet, and compares the ways
// to cut messages. It is empty for layers without a pipeline.
func (s subject) pipeline(ctx context.Context, hi quantity.Bytes) ([]table.Block,
	error) {
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
	found, err := message.CutQuestion{On: []platforms.Design{s.Design}, Sizes: sizes}.Ask(ctx)
	if err != nil {
		return nil, err
	}
	cuts := found.Cuts
	return append(blocks, table.Table{Title: "Ways to cut a message", Rows: table.TableOf(cuts,
		table.Col("size_bytes", "size", func(c message.Cut) any { return c.Size }),
		table.Col("method", "method", func(c message.Cut) any { return c.Method }),
		table.Col("packet_bytes", "largest packet", func(c message.Cut) any {
			return c.Plan.Largest()
		}),
		table.Col("packets", "packets", func(c message.Cut) any { return c.Plan.Packets() }),
		table.Col("one_way_us", "one way", func(c message.Cut) any { return c.OneWay }),
		table.Col("bandwidth_mb_s", "bandwidth", func(c message.Cut) any {
			return c.Size.Over(c.OneWay)
		}),
	)}), nil
}

// timelines draws one message in its packets and, if that saves time, in the best packets. The
// first size with at most maxBoxes is drawn: 16 KiB shows how a pipeline fills, runs and drains.
func (s subject) timelines(hi quantity.Bytes) (blocks []table.Block) {
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
		blocks = append(blocks, table.Drawing{
			Title:   fmt.Sprintf("%s in packets of %s: %s", n, plan.Largest(), time),
			Picture: message.Planned(s.Layer, n, pipe, plan),
			Note: "Each box is a packet in a stage. The slowest stage for these packets is " +
				slowest + ".",
		})
		// The best plan is of whole bytes: a system could send it.
		best, least := pipe.BestPlan(n)
		if float64(least) < worthDrawing*float64(time) {
			blocks = append(blocks, table.Drawing{
				Title:   fmt.Sprintf("%s in the best packets: %s", n, least),
				Picture: message.Planned(s.Layer, n, pipe, best),
				Note:    "Packets in bytes: " + message.PlanText(best) + ".",
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
func (s subject) time(ctx context.Context, sizes []quantity.Bytes) ([]table.Block, error) {
	doubled := doublings(sizes)
	// 81 sizes make smooth areas. Those of the table are among them, so that both show the same
	// numbers.
	fine := stats.Ascending(append(thinned(sizes, 81), doubled...))
	of := whatif.Case{After: whatif.Of(s.Design), Sizes: fine}
	parts, err := whatif.BreakdownQuestion{Case: of, Areas: len(fine) > 1}.Ask(ctx)
	if err != nil {
		return nil, err
	}
	var blocks []table.Block
	var before table.Areas
	captions := []string{"One-way time by stage or parameter",
		"Gap between messages by stage or parameter"}
	if !model.HasGap(s.Layer.Model) {
		captions = captions[:1]
	}
	for i, caption := range captions {
		a := parts.Areas(i == 1)
		// The gap has the same parts as the time where messages do not overlap: one drawing is
		// enough.
		// An area needs two sizes.
		if len(a.Parts) == 0 || len(a.XS) < 2 || reflect.DeepEqual(a.Parts, before.Parts) {
			continue
		}
		before = a
		drawing := table.Drawing{Title: caption, Picture: a}
		drawing.Numbers = shareRows(a, doubled)
		blocks = append(blocks, drawing)
	}
	if len(blocks) == 0 {
		return nil, nil
	}
	// A short, a moderate and a long message: each has other parameters that matter.
	effect := func(sizes ...quantity.Bytes) (*whatif.Sensitivities, error) {
		of.Sizes = sizes
		return whatif.SensitivityQuestion{Case: of}.Ask(ctx)
	}
	effects, err := effect(thinned(doubled, 3)...)
	if err != nil {
		return nil, err
	}
	blocks = append(blocks,
		table.Table{Title: "Effect of 1 % of each parameter", Rows: effects.Rows()})
	// The effect of 10 % is drawn and not extrapolated from 1 %: at a switch of
	// protocols it is not ten times as large.
	for _, n := range []quantity.Bytes{quantity.KiB, longMessage} {
		// The page is about the sizes that were asked for.
		if n < fine[0] || n > fine[len(fine)-1] {
			continue
		}
		if effects, err = effect(n); err != nil {
			return nil, err
		}
		t, err := effects.Figure()
		if err != nil {
			return nil, err
		}
		if len(t.Rows().Data) > 0 {
			title := fmt.Sprintf("Effect of 10 %% of each parameter on %s", n)
			blocks = append(blocks, table.Drawing{Title: title, Picture: t})
		}
	}
	return blocks, nil
}

// shareRows returns the table of a drawing of shares, at the sizes shown. The drawing
// has more sizes than a table can hold.
func shareRows(a table.Areas, shown []quantity.Bytes) table.Rows {
	var at []int
	for i, x := range a.XS {
		if slices.Contains(shown, quantity.Bytes(x)) {
			at = append(at, i)
		}
	}
	fields := []table.Field[int]{table.Col("size_bytes", "size", func(i int) any {
		return quantity.Bytes(a.XS[i])
	})}
	for _, p := range a.Parts {
		fields = append(fields, table.Col(p.Name, p.Name, func(i int) any {
			return p.Y[i]
		}).Texted(table.PercentText("%.1f %%")))
	}
	return table.TableOf(at, fields...)
}
