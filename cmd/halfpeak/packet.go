package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/study/predict"
)

func newPacket() *cobra.Command {
	out := output{plain: true}
	var cycles cyclesFlag
	sizes := newSizes("1KiB..1MiB")
	cmd := &cobra.Command{
		Use:   "packet PLATFORM…",
		Short: "The best packets for messages through a pipeline",
		Long: `Packet compares ways to cut a message into packets. The methods are

  paper          CLIP's equation 10, as a library would compute it
  equal          the best equal packets; the last may be shorter
  unequal        the best packets of any size: the limit that no plan can beat
  unequal-whole  the same in whole bytes, for use
  single         the whole message as one packet

With several sizes the output is the table that an adaptive library needs.`,
		Example:           "  halfpeak packet clip/user-buffer --size 64KiB\n  halfpeak packet clip --size 1KiB..1MiB --format csv",
		Args:              wantArgs(1, -1, `at least one platform with a pipeline, as in "halfpeak packet clip"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			designs, err := layerOptions{}.designs(args)
			if err != nil {
				return err
			}
			cuts, err := predict.Cuts(sizes.sizes, designs...)
			if err != nil {
				return err
			}
			rows, err := cycles.add(cuts.Rows(), designs)
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	cmd.Flags().Var(&sizes, "size", "message sizes")
	cycles.declare(cmd)
	return cmd
}
