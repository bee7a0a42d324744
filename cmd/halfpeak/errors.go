package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/usage"
)

// usagef returns the error of a mistake on the command line, as against one in a file.
func usagef(format string, args ...any) error { return usage.Error{Err: fmt.Errorf(format, args...)} }

// wantArgs returns a usage error for a missing or surplus argument, with the wanted ones.
func wantArgs(least, most int, what string) cobra.PositionalArgs {
	return func(_ *cobra.Command, args []string) error {
		if len(args) < least {
			return usagef("give %s", what)
		}
		if most >= 0 && len(args) > most {
			return usagef("unexpected argument %q; give %s", strings.Join(args[most:], " "), what)
		}
		return nil
	}
}

// asFlag spells an option of reading files as the flag of its name.
func asFlag(option, value string) string { return "--" + option + " " + value }

var errInterrupted = errors.New("interrupted")

// interruptible returns a context that ends at an interrupt, for commands that then clean up.
func interruptible() (context.Context, context.CancelFunc) {
	return signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
}

// interrupted returns err, or in its place errInterrupted if an interrupt has ended the context.
func interrupted(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}
