//go:build !linux

package main

import (
	"errors"

	"github.com/spf13/cobra"
)

// errLive is the error of everything that needs transports. The command exists on all
// systems, so that its absence is explained.
var errLive = errors.New("real transports require Linux")

func newEngine() *cobra.Command {
	return command("engine", nil, func(*cobra.Command, []string) error { return errLive })
}

func (o *liveOptions) run(*cobra.Command, *output) error { return errLive }
