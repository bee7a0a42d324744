package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/nearest"
)

// usageError is a mistake on the command line, as against one in a file.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is main without the process. It returns the exit status: 0, 1 for an
// error, 2 for wrong usage.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(stdout)
	root.SetErr(stderr)
	cmd, err := root.ExecuteC()
	if err == nil {
		return 0
	}
	fmt.Fprintf(stderr, "halfpeak: %v\n", err)
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "try: %s --help\n", cmd.CommandPath())
		return 2
	}
	return 1
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:   "halfpeak",
		Short: "Predict what a message costs",
		Long: `Halfpeak predicts what a message costs. It holds models of message-passing
systems (LogP, LogGP, linear stages, pipelines, protocol switches), fits them to
the output of benchmarks, and draws their curves.

PLATFORM is a name ("clip"), a layer of it ("clip/user-buffer"), or the path of a
TOML file ("my.toml", "my.toml/eager"). Sizes are lists and ranges: "1,64,4KiB",
"1..1MiB" (each twice the one before), "1..64KiB/16" (16 for each doubling).`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q%s", args[0], nearest.Hint(args[0], commandNames(cmd)))
			}
			return cmd.Help()
		},
		Args:          cobra.ArbitraryArgs,
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.AddCommand(newPlatforms(), newPredict(), newPacket(), newCompare(), newPlot(), newReport(), newFit(), newWhatif(), newReproduce(), newValidate(), newVersion())
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.CompletionOptions.HiddenDefaultCmd = false
	return root
}

func commandNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	return names
}

// wantArgs turns a missing or surplus argument into a usage error that says what is wanted.
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
