package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
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

// layerOptions are the changes of the layers that a command is given.
type layerOptions struct {
	packet string
	any    bool // their times need not be those of messages
}

func (o *layerOptions) declare(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.packet, "packet", "", "cut messages into packets of this `size`, or by the rule eq10, best or whole")
	complete(cmd, "packet", model.CutWords())
}

// designs are the layers that the arguments name, changed as the options say.
func (o layerOptions) designs(refs []string) ([]whatif.Design, error) {
	var all []whatif.Design
	find := whatif.Find
	if o.any {
		find = whatif.FindAny
	}
	for _, ref := range refs {
		d, err := find(ref)
		if err != nil {
			return nil, err
		}
		if o.packet != "" && d.Whole {
			return nil, usagef("--packet requires a single layer; name it, as in %s/%s", ref, d.Layer.Name)
		}
		if d, err = d.Recut(o.packet); err != nil {
			return nil, fmt.Errorf("--packet %w", err)
		}
		all = append(all, d)
	}
	return all, nil
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
