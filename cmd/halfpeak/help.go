package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/nearest"
	"github.com/halfpeak/halfpeak/internal/terminal"
)

// wrapHelp makes the help of all commands fit the terminal. A topic, which is a command that does
// nothing, is its text alone.
func wrapHelp(root *cobra.Command, t terminal.Terminal) {
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		out := root.OutOrStdout()
		text := new(strings.Builder)
		if cmd.Runnable() || cmd.HasSubCommands() {
			cmd.SetOut(text)
			usual(cmd, args)
			cmd.SetOut(out)
		} else {
			text.WriteString(cmd.Long + "\n")
		}
		fmt.Fprint(out, t.Help(text.String()))
	})
}

// noFiles keeps shells from completing flags with names of files if their value is not a file.
func noFiles(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, known := cmd.GetFlagCompletionFunc(f.Name)
		if placeholder, _ := pflag.UnquoteUsage(f); !known && placeholder != "file" && placeholder != "folder" {
			complete(cmd, f.Name, nil)
		}
	})
	for _, c := range cmd.Commands() {
		noFiles(c)
	}
}

// strict makes errors of what cobra's own commands answer with help and status
// 0: topics and shells that there are not.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Args = func(cmd *cobra.Command, args []string) error {
				if of, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usagef("no command %q to help with%s", strings.Join(args, " "), nearest.Hint(args[len(args)-1], commandNames(of)))
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usagef("no completion for %q%s", args[0], nearest.Hint(args[0], commandNames(cmd)))
				}
				return cmd.Help()
			}
			for _, shell := range c.Commands() {
				shell.Args = wantArgs(0, 0, "no argument")
			}
		}
	}
}
