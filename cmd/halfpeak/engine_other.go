//go:build !linux

package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports"
)

var errLive = errors.New("real transports need Linux: their shared memory and sockets are slept on with its calls")

// newEngine is the command without the transports.
func newEngine() *cobra.Command {
	return &cobra.Command{
		Use:   "engine",
		Short: "Measure this machine's transports (on Linux)",
		RunE:  func(*cobra.Command, []string) error { return errLive },
	}
}

// liveOptions are those of validate --live, which there is not.
type liveOptions struct{ transport string }

func (o *liveOptions) declare(*cobra.Command) {}

func (o *liveOptions) args(platforms cobra.PositionalArgs) cobra.PositionalArgs { return platforms }

func (o *liveOptions) run() (reports.Rows, error) { return reports.Rows{}, errLive }
