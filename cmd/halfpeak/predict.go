package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/predict"
)

type predictOptions struct {
	output
	layers layerOptions
	sizes  []quantity.Bytes
	cycles cyclesFlag
}

func newPredict() *cobra.Command {
	o := predictOptions{output: output{plain: true}}
	cmd := command("predict", wantArgs(1, -1, `at least one platform, as in "halfpeak predict clip"`), func(cmd *cobra.Command, args []string) error {
		o.layers.any = true
		designs, err := o.layers.designs(args)
		if err != nil {
			return err
		}
		rows, err := o.cycles.add(predict.Costs(o.sizes, designs...).Rows(o.units), designs)
		if err != nil {
			return err
		}
		return o.write(cmd, rows)
	})
	o.declare(cmd)
	o.layers.declare(cmd)
	declareSizes(cmd, &o.sizes, "size", "1,16,256,4KiB,64KiB,1MiB", "message sizes")
	o.cycles.declare(cmd)
	return cmd
}

func newPacket() *cobra.Command {
	out := output{plain: true}
	var cycles cyclesFlag
	var sizes []quantity.Bytes
	cmd := command("packet", wantArgs(1, -1, `at least one platform with a pipeline, as in "halfpeak packet clip"`), func(cmd *cobra.Command, args []string) error {
		designs, err := layerOptions{}.designs(args)
		if err != nil {
			return err
		}
		cuts, err := predict.Cuts(sizes, designs...)
		if err != nil {
			return err
		}
		rows, err := cycles.add(cuts.Rows(), designs)
		if err != nil {
			return err
		}
		return out.write(cmd, rows)
	})
	out.declare(cmd)
	declareSizes(cmd, &sizes, "size", "1KiB..1MiB", "message sizes")
	cycles.declare(cmd)
	return cmd
}
