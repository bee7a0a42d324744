package main

import (
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/shard"
)

// newFleetMerge answers from the parts of a fleet's shards.
func newFleetMerge() *cobra.Command {
	var out fleetOutput
	cmd := &cobra.Command{
		Use:   "merge PART…",
		Short: "Merge the parts of a fleet's shards",
		Long: `Merge takes the parts that "halfpeak fleet DIR… --shard I/N -o PART" wrote, all N of them
in any order, and gives exactly what the command gives without --shard. A shard that is
missing, there twice, damaged, or of another command is named. The benchmarks' files
need not be there.`,
		Example: "  halfpeak fleet merge part-*",
		Args:    wantArgs(1, -1, `the parts of all shards, as in "halfpeak fleet merge part-*"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			in, asked, err := fleet.MergeParts(args)
			if err != nil {
				return err
			}
			return out.answer(cmd, in, asked.Options)
		},
	}
	out.declare(cmd)
	return cmd
}

// checkShard finds flags that do not go with --shard.
func (o *fleetOutput) checkShard(which shard.Shard) error {
	switch {
	case which.Count == 0:
		return nil
	case o.path == "":
		return usagef("--shard writes a part; name its file, as in -o part-%d", which.Index)
	case o.plot != "" || o.format != "" || o.list.value != "":
		return usagef("--shard writes a part; give --format, --list and --plot to \"halfpeak fleet merge\"")
	}
	return nil
}
