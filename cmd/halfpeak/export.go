package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/export"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/predict"
)

func newExport() *cobra.Command {
	out := output{plain: true}
	var layers layerOptions
	var to string
	var ranks int
	var sizes []quantity.Bytes
	cmd := command("export", wantArgs(0, 1, `at most one platform, as in "halfpeak export clip --to simgrid"`), func(cmd *cobra.Command, args []string) error {
		switch {
		case to == "" && len(args) == 0:
			return out.write(cmd, predict.ExportTargets())
		case to == "":
			return usagef("--to is required; \"halfpeak export\" lists the formats")
		case len(args) == 0:
			return usagef("--to %s requires a platform, as in \"halfpeak export clip --to %s\"", to, to)
		}
		if _, err := export.Find(to); err != nil {
			return usage.Error{Err: err}
		}
		if cmd.Flags().Changed("ranks") && ranks < 1 {
			return usagef("--ranks must be at least 2 (got %d)", ranks)
		}
		designs, err := layers.designs(args)
		if err != nil {
			return err
		}
		f, err := predict.Exported(designs[0], to, sizes, ranks)
		if err != nil {
			return err
		}
		for _, lost := range f.Lost {
			cmd.PrintErrf("not in it: %s\n", lost)
		}
		return out.writeTo(cmd, f.Write)
	})
	out.declareFormat(cmd)
	layers.declare(cmd)
	cmd.Flags().StringVar(&to, "to", "", "target `program`")
	complete(cmd, "to", export.Names())
	declareSizes(cmd, &sizes, "size", "1..4MiB", "make the costs accurate from the smallest to the largest of these sizes")
	cmd.Flags().IntVar(&ranks, "ranks", 0, "`number` of ranks on a platform without levels (default 2)")
	return cmd
}
