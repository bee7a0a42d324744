// Halfpeak predicts what a message costs.
//
// It holds analytical models of message-passing systems, fits them to the output
// of benchmarks, and draws their curves.
//
//	$ halfpeak predict clip --size 64KiB --packet 4096
//	$ halfpeak packet clip/user-buffer --size 64KiB
//	$ halfpeak plot clip hp-lam -o bandwidth.png
//	$ halfpeak fit netpipe.out --save my.toml
//	$ halfpeak reproduce
//
// "halfpeak help COMMAND" describes each command.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
)

// interruptible returns a context that ends at an interrupt, for commands that then clean up.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

var errInterrupted = errors.New("interrupted")

// interrupted returns err, or in its place errInterrupted if an interrupt has ended the context.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

func main() {
	if err := checkLimits(); err != nil {
		fmt.Fprintln(os.Stderr, "halfpeak:", err)
		os.Exit(1)
	}
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
