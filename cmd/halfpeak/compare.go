package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/predict"
	"github.com/halfpeak/halfpeak/whatif"
)

type compareOptions struct {
	out    output
	layers layerOptions
	sizes  []quantity.Bytes
	cycles cyclesFlag
	cross  bool
	kind   choice
	plotting
	samplingFlags
}

func newCompare() *cobra.Command {
	var o compareOptions
	cmd := command("compare", wantArgs(1, -1, `platforms, as in "halfpeak compare clip hp-lam"`), func(cmd *cobra.Command, args []string) error {
		if err := o.samplingFlags.check(); err != nil {
			return err
		}
		if o.cross && len(args) < 2 {
			return usagef("--crossover compares two platforms or more")
		}
		designs, err := o.layers.designs(args)
		if err != nil {
			return err
		}
		rows, err := o.rows(cmd.Context(), designs)
		if err != nil {
			return err
		}
		if err := o.draw(cmd, func() (reports.Picture, error) {
			return predict.Curves(predict.CurveKind(o.kind.value), parsedSizes("1..1MiB/16"), designs...)
		}); err != nil {
			return err
		}
		return o.out.write(cmd, rows)
	})
	o.out.declare(cmd)
	o.layers.declare(cmd)
	declareSizes(cmd, &o.sizes, "size", "1", "message sizes")
	o.cycles.declare(cmd)
	cmd.Flags().BoolVar(&o.cross, "crossover", false, "list the sizes where one overtakes another, with the probability")
	o.samplingFlags.declare(cmd.Flags())
	o.declarePlot(cmd, "draw all into one figure: this `file` (png, svg, pdf)")
	enum(cmd, &o.kind, "kind", "quantity of the figure", "bandwidth", "latency")
	return cmd
}

// rows are the table that was asked for; of two platforms, people read where they cross too.
func (o *compareOptions) rows(ctx context.Context, designs []whatif.Design) (reports.Rows, error) {
	var crossover *predict.Crossover
	if o.cross || len(designs) == 2 && o.out.forPeople() {
		var sampling *whatif.Sampling
		if o.layers.packet == "" { // a pipeline cut otherwise is not in the file that intervals come from
			s := o.sampling(ctx)
			sampling = &s
		}
		var err error
		if crossover, err = predict.FindCrossover(sampling, designs...); err != nil {
			return reports.Rows{}, err
		}
	}
	if o.cross {
		return crossover.Rows(), nil
	}
	rows := predict.Compare(o.sizes, designs...).Rows()
	if crossover != nil {
		rows.Notes = append(rows.Notes, crossover.Sentences()...)
	}
	return o.cycles.add(rows, designs)
}
