package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/study/collectives"
)

func newSchedule() *cobra.Command {
	out := output{plain: true}
	var c collective.Call
	var name string
	var ranks int
	var size, segment quantity.Bytes
	cmd := command("schedule", wantArgs(0, 1, `at most one collective, as in "halfpeak schedule bcast"`), func(cmd *cobra.Command, args []string) error {
		if name == "" {
			all, err := collectives.AlgorithmsOf(append(args, "")[0])
			if err != nil {
				return err
			}
			return out.write(cmd, all.Rows())
		}
		if len(args) == 0 {
			return usagef("--algorithm %s requires a collective, as in \"halfpeak schedule bcast --algorithm binomial\"", name)
		}
		c.Bytes, c.Segment = uint64(size), uint64(segment)
		if c.Segment >= c.Bytes { // it is sent whole, as collective has it
			c.Segment = 0
		}
		s, err := collectives.Schedule(args[0], name, ranks, c)
		if err != nil {
			return err
		}
		if extension(out.path) == "bin" {
			return out.writeTo(cmd, s.WriteBinary)
		}
		return out.writeTo(cmd, s.WriteText)
	})
	out.declareFormat(cmd)
	declareCall(cmd, &c)
	defer completeAlgorithms(cmd)
	cmd.Flags().StringVar(&name, "algorithm", "", "write the schedule of the algorithm of this `name`")
	cmd.Flags().IntVar(&ranks, "ranks", 8, "`number` of ranks")
	flags.Var(cmd.Flags(), &size, quantity.ParseBytes, "size", "size", "1KiB", "size of the message, or of each rank's block")
	flags.Var(cmd.Flags(), &segment, quantity.ParseBytes, "size", "segment", "", "cut the message into segments of this size; by default it is sent whole")
	return cmd
}
