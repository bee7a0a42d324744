package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study"
)

type predictOptions struct {
	output
	layers layerOptions
	sizes  sizesFlag
	cycles cyclesFlag
}

func newPredict() *cobra.Command {
	o := predictOptions{output: output{plain: true}, sizes: newSizes("1,16,256,4KiB,64KiB,1MiB")}
	cmd := &cobra.Command{
		Use:   "predict PLATFORM…",
		Short: "Times, gap and bandwidth of messages",
		Example: `  halfpeak predict clip --size 64KiB --packet 4096
  halfpeak predict clip hp-lam --size 1..1MiB --format csv`,
		Args:              wantArgs(1, -1, `at least one platform, as in "halfpeak predict clip"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := predict(args, o)
			if err != nil {
				return err
			}
			return o.write(cmd, rows)
		},
	}
	o.declare(cmd)
	o.layers.declare(cmd)
	cmd.Flags().Var(&o.sizes, "size", "message sizes")
	o.cycles.declare(cmd)
	return cmd
}

// layerOptions say how the layers that a command is given are to be changed.
type layerOptions struct{ packet string }

func (o *layerOptions) declare(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.packet, "packet", "", "cut messages in packets of this `size`, or as eq10, best or whole say")
	complete(cmd, "packet", platforms.CutNames())
}

// find returns the layer that ref names, changed as the options say.
func (o layerOptions) find(ref string) (platforms.Platform, platforms.Layer, error) {
	p, l, err := platforms.Find(ref)
	if err != nil || o.packet == "" {
		return p, l, err
	}
	cut, err := platforms.ParseCut(o.packet)
	if err != nil {
		return p, l, usagef("--packet %w", err)
	}
	if l.Model, err = model.Recut(l.Model, cut); err != nil {
		return p, l, fmt.Errorf("--packet %s: %s: %w", o.packet, l.Ref(), err)
	}
	return p, l, nil
}

func predict(refs []string, o predictOptions) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer", Head: "layer"}, {Key: "size_bytes", Head: "size"},
		{Key: "one_way_us", Head: "one way"}, {Key: "rtt_us", Head: "RTT"}, {Key: "gap_us", Head: "gap"},
		{Key: "bandwidth_mb_s", Head: "bandwidth"}, {Key: "throughput_mb_s", Head: "throughput"},
		{Key: "packet_bytes", Head: "packet"}, {Key: "regime", Head: "regime"},
		{Key: "r_inf_mb_s"}, {Key: "n_half_bytes"},
	}}
	clocks := map[string]float64{}
	for _, ref := range refs {
		p, l, err := o.layers.find(ref)
		if err != nil {
			return reports.Rows{}, err
		}
		clocks[p.Name] = p.Clock
		var half any
		if h, ok := model.HalfPeak(l.Model); ok {
			half = h
		}
		for _, n := range o.sizes.sizes {
			oneWay, gap := l.Model.OneWay(n), l.Model.Gap(n)
			rows.Data = append(rows.Data, []any{p.Name, l.Name, n, oneWay, 2 * oneWay, gap, model.Bandwidth(l.Model, n), model.Throughput(l.Model, n),
				model.PacketSize(l.Model, n), orNil(model.Regime(l.Model, n)), model.Asymptote(l.Model), half})
		}
		rows.Notes = append(rows.Notes, l.Ref()+": "+study.Asymptotes(l.Model))
	}
	return o.cycles.add(rows, clocks)
}

// orNil is nothing for an empty text.
func orNil(text string) any {
	if text == "" {
		return nil
	}
	return text
}
