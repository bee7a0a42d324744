package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

type compareOptions struct {
	layers layerOptions
	sizes  sizesFlag
	cycles cyclesFlag
	plot   string
	cross  bool
	samplingFlags
}

func newCompare() *cobra.Command {
	var out output
	o := compareOptions{sizes: newSizes("1")}
	figure := plotOptions{sizes: newSizes("1..1MiB/16")}
	cmd := &cobra.Command{
		Use:   "compare PLATFORM PLATFORM…",
		Short: "Platforms side by side: overheads, RTT, gap, n½, r∞, best packet, share of the roof",
		Example: `  halfpeak compare hp-lam sun-lam-ss20 sun-lam-ultra1 paragon meiko-cs2
  halfpeak compare clip hp-lam --size 64KiB --plot both.png
  halfpeak compare clip hp-lam --crossover --assume 5`,
		Args:              wantArgs(1, -1, `platforms, as in "halfpeak compare clip hp-lam"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.samplingFlags.check(); err != nil {
				return err
			}
			rows, err := compare(args, o)
			if err != nil {
				return err
			}
			if len(args) == 2 && !o.cross && out.forPeople() {
				notes, err := overtakes(args, o)
				if err != nil {
					return err
				}
				rows.Notes = append(rows.Notes, notes...)
			}
			if o.plot != "" {
				figure.layers = o.layers
				picture, err := plot(args, figure)
				if err != nil {
					return err
				}
				image := output{path: o.plot}
				if err := image.writePicture(cmd, picture, figure.width, figure.height); err != nil {
					return err
				}
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	o.layers.declare(cmd)
	cmd.Flags().Var(&o.sizes, "size", "message sizes")
	o.cycles.declare(cmd)
	cmd.Flags().BoolVar(&o.cross, "crossover", false, "the sizes at which one overtakes another, and how sure that is, as the table")
	o.samplingFlags.declare(cmd.Flags())
	cmd.Flags().StringVar(&o.plot, "plot", "", "draw all into one figure: this `file` (png, svg, pdf)")
	enum(cmd, &figure.kind, "kind", "what the figure shows", "bandwidth", "latency")
	declareSize(cmd, &figure.width, &figure.height)
	return cmd
}

func compare(refs []string, o compareOptions) (reports.Rows, error) {
	if o.cross {
		if len(refs) < 2 {
			return reports.Rows{}, usagef("--crossover is of two platforms or more")
		}
		return crossover(refs, o)
	}
	percent := func(v any) string { return fmt.Sprintf("%.0f %%", v) }
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer", Head: "layer"}, {Key: "size_bytes", Head: "size"},
		{Key: "send_overhead_us", Head: "o_s"}, {Key: "receive_overhead_us", Head: "o_r"},
		{Key: "one_way_us", Head: "one way"}, {Key: "rtt_us", Head: "RTT"}, {Key: "gap_us", Head: "gap"},
		{Key: "bandwidth_mb_s", Head: "bandwidth"}, {Key: "r_inf_mb_s", Head: "r∞"}, {Key: "n_half_bytes", Head: "n½"},
		{Key: "best_packet_bytes", Head: "best packet"}, {Key: "roof", Head: "roof"}, {Key: "roof_mb_s"},
		{Key: "percent_of_roof", Head: "of roof", Text: percent},
	}}
	clocks := map[string]float64{}
	for _, ref := range refs {
		p, l, err := o.layers.find(ref)
		if err != nil {
			return reports.Rows{}, err
		}
		clocks[p.Name] = p.Clock
		for _, n := range o.sizes.sizes {
			rows.Data = append(rows.Data, compareRow(p, l, n))
		}
	}
	return o.cycles.add(rows, clocks)
}

func compareRow(p platforms.Platform, l platforms.Layer, n quantity.Bytes) []any {
	var send, receive, half, best, roofName, roofRate, share any // absent where the model does not know them
	s, r := l.Model.Overheads(n)
	if s+r > 0 {
		send, receive = s, r
	}
	if h, ok := model.HalfPeak(l.Model); ok {
		half = h
	}
	if pipe, ok := model.At(l.Model, n).(*model.Pipeline); ok {
		size, _ := pipe.BestPacket(n)
		best = size
	}
	if of, roof, ok := roofShare(l); ok {
		roofName, roofRate, share = roof.Name, roof.Rate, 100*of
	}
	t := l.Model.OneWay(n)
	return []any{p.Name, l.Name, n, send, receive, t, model.RTT(l.Model, n), l.Model.Gap(n), model.Bandwidth(l.Model, n),
		model.Asymptote(l.Model), half, best, roofName, roofRate, share}
}
