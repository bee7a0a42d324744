package main

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/reports"
)

// A liveMeasurement is validate --live. Real transports need Linux; the compiler checks both
// implementations on every system.
type liveMeasurement interface {
	declare(*cobra.Command)
	args(platforms cobra.PositionalArgs) cobra.PositionalArgs
	given() bool // --live is given
	run(atomicfile.Files) (reports.Rows, error)
}

// newLiveMeasurement and newEngine are replaced on Linux.
var (
	newLiveMeasurement = func() liveMeasurement { return noLive{} }
	newEngine          = func() *cobra.Command {
		return &cobra.Command{
			Use:   "engine",
			Short: "Measure this machine's transports (on Linux)",
			RunE:  func(*cobra.Command, []string) error { return errLive },
		}
	}
)

var errLive = errors.New("real transports need Linux: their shared memory and sockets are slept on with its calls")

// noLive is validate without --live.
type noLive struct{}

func (noLive) declare(*cobra.Command)                                   {}
func (noLive) args(platforms cobra.PositionalArgs) cobra.PositionalArgs { return platforms }
func (noLive) given() bool                                              { return false }
func (noLive) run(atomicfile.Files) (reports.Rows, error)               { return reports.Rows{}, errLive }
