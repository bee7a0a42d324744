//go:build linux

package main

import (
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/judge"
)

// liveOptions are the flags of validate --live.
type liveOptions struct {
	transport string
	budget    time.Duration
	pin       bool
	save      string
}

func (o *liveOptions) declare(cmd *cobra.Command) {
	cmd.Long += `

With --live it measures a transport of this machine instead: it fits models to some
sizes, to the stages of a packet alone and to the LogP signature, and predicts what
no fit has seen: other sizes, other numbers of credits, other packets of a message of
64 KiB, other computations between messages. All is measured in one run, in random
order, and printed beside the prediction. --save keeps the models as a platform: one
way by size, LogGP, and a pipeline of the stages.`
	cmd.Example += "\n  halfpeak validate --live shm --save machine.toml"
	cmd.Flags().StringVar(&o.transport, "live", "", "measure this `transport` of this machine, shm, unix, tcp or udp, fit a model, and predict what was not measured")
	cmd.Flags().DurationVar(&o.budget, "budget", time.Minute, "with --live: `time` for the measurements; each point is measured at least 9 times, in about 20 s")
	cmd.Flags().BoolVar(&o.pin, "pin", true, "with --live: keep each node on a processor of its own")
	cmd.Flags().Var((*outputFile)(&o.save), "save", "with --live: write the model as a platform to this `file`")
	complete(cmd, "live", []string{"shm", "unix", "tcp", "udp"})
}

func (o *liveOptions) given() bool { return o.transport != "" }

// args wants no argument with --live, which only goes with flags of its own.
func (o *liveOptions) args(platforms cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if o.transport == "" {
			for _, name := range []string{"budget", "pin", "save"} {
				if cmd.Flags().Changed(name) {
					return usagef("--%s goes with --live", name)
				}
			}
			return platforms(cmd, args)
		}
		for _, name := range []string{"size", "program", "nodes", "trace", "plot", "faults"} {
			if cmd.Flags().Changed(name) {
				return usagef("--%s is for simulated platforms, not for --live", name)
			}
		}
		return wantArgs(0, 0, "--live alone, or platforms")(cmd, args)
	}
}

// run measures the transport, and saves its models if asked to.
func (o *liveOptions) run(files atomicfile.Files) (rows reports.Rows, err error) {
	pair, err := connect(o.transport, "", o.pin)
	if err != nil {
		return rows, err
	}
	defer func() {
		if e := pair.Close(); err == nil {
			err = e
		}
	}()
	v, err := judge.ValidateLive(pair, o.budget)
	if err == nil && o.save != "" {
		var text string
		if text, err = v.TOML(); err == nil {
			err = savePlatform(files, o.save, text)
		}
	}
	if err != nil {
		return rows, err
	}
	return v.Rows(), nil
}
