package main

import (
	"time"

	"github.com/spf13/cobra"
)

// liveOptions holds the flags of the comparison with this machine.
type liveOptions struct {
	transport string
	budget    time.Duration
	pin       bool
	save      string
}

// declare declares the flags. A minute of measurements is three times what 9 repeats of each point
// take, so that most points get enough repeats for a narrow interval.
func (o *liveOptions) declare(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.transport, "live", "",
		"measure this `transport` of this machine, shm, unix, tcp or udp, fit a model, and "+
			"predict further measurements")
	cmd.Flags().DurationVar(&o.budget, "budget", time.Minute,
		"with --live: `time` to spend on the measurements; each point is measured at least 9 "+
			"times, which takes about 20 s")
	cmd.Flags().BoolVar(&o.pin, "pin", true,
		"with --live: keep each node on a processor of its own")
	outputFlag(cmd.Flags(), &o.save, saveFlag, "",
		"with --live: write the model as a platform to this `file`")
	complete(cmd, "live", []string{"shm", "unix", "tcp", "udp"})
}

// args wants no argument with --live.
func (o *liveOptions) args(platforms cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.transport == "" {
			return platforms(cmd, args)
		}
		return wantArgs(0, 0, "--live alone, or platforms")(cmd, args)
	}
}
