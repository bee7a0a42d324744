//go:build !linux

package main

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports/table"
)

// errLive is the error of everything that needs transports. The command exists on all
// systems, so that its absence is explained.
var errLive = errors.New("real transports require Linux")

func newEngine() *cobra.Command {
	return command("engine", nil, func(*cobra.Command, []string) error { return errLive })
}

func measureLive(string, bool, time.Duration) (table.Rows, func() (string, error), error) {
	return table.Rows{}, nil, errLive
}
