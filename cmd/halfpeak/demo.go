package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/demo"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// newDemo declares demo. The commands that it prints can be pasted into a shell, with their
// comments.
func newDemo() *cobra.Command {
	return command("demo", wantArgs(1, 1, `a new folder, as in "halfpeak demo samples"`),
		func(cmd *cobra.Command, args []string) error {
			if err := demo.Write(args[0]); err != nil {
				return err
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "cd %s\n%s", usage.ShellLine(args[0]),
				demo.Commands)
			return err
		})
}
