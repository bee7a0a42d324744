package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// run is main without the process. It returns the exit status: 0, 1 for an error, 2
// for wrong usage, 3 for a change that --fail-on-change looks for, 128 and its number
// after a signal.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runIn(detectTerminal(stdout, stderr), args, stdin, stdout, stderr)
}

// runIn is run with a given terminal. It is separate because tests have no terminal.
func runIn(t terminal, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	// The sink remembers an error of writing, whichever code wrote: cobra drops the
	// errors of help, and a full disk must not end with status 0.
	var waits *waiting
	// What a person types must not be disturbed.
	if _, terminal := terminalFile(stderr); terminal && !slices.Contains(args, "-") {
		waits = newWaiting(stderr)
		go waits.run()
		defer waits.stop()
	}
	out := &sink{w: stdout, waits: waits}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	// Everything on stderr is made visible: names of files come from elsewhere, and
	// an escape sequence in one could change what the terminal shows.
	visible := quiet{Writer: stderr, width: t.Messages, waits: waits}
	root.SetErr(visible)
	strict(root)
	setHelp(root)
	cmd, err := singleDash(root, args)
	if err == nil {
		cmd, err = root.ExecuteContextC(t.withContext())
	}
	if out.err != nil {
		err = out.err // also that of help, which cobra drops
	}
	status := signalled()
	if status != 0 && !errors.Is(err, usage.ErrInterrupted) {
		err = usage.ErrInterrupted // whatever a computation that was cut short returned
	}
	if err == nil {
		if t.Width > 0 {
			// Of a command without a table, or of a file that was written after it.
			if line := saved(cmd); line != "" {
				fmt.Fprintln(visible, line)
			}
		}
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return 1 // the reader has closed the pipe, as "| head" does
	}
	if !errors.Is(err, usage.ErrInterrupted) && out.err == nil {
		err = misplaced(cmd, err)
	}
	waits.stop()
	var text strings.Builder
	const prefix = "halfpeak:"
	fmt.Fprintf(quiet{Writer: &text, width: t.Messages}, "%s %s%s\n", prefix, brief(err.Error()),
		spelled(cmd, usage.FieldsOf(err)))
	// The prefix bypasses quiet, which would print its colour as letters.
	fmt.Fprint(stderr, t.alarm(prefix)+strings.TrimPrefix(text.String(), prefix))
	if status != 0 {
		return status
	}
	if errors.As(err, new(usage.Change)) {
		return 3
	}
	// Only a mistake of usage is helped by --help.
	if errors.As(err, new(usage.Error)) {
		fmt.Fprintf(stderr, "try: %s --help\n", cmd.CommandPath())
		return 2
	}
	return 1
}

// maxMessage bounds each line of an error, in bytes: input that it quotes may be of
// any length, such as a file without a line break. Both ends of the line are kept,
// since the reason stands at the end.
const maxMessage = 2000

// brief cuts each line to maxMessage. A letter that the cut divides is dropped.
func brief(message string) string {
	lines := strings.Split(message, "\n")
	for i, line := range lines {
		if half := maxMessage / 2; len(line) > maxMessage {
			lines[i] = strings.ToValidUTF8(line[:half], "") + " … " +
				strings.ToValidUTF8(line[len(line)-half:], "")
		}
	}
	return strings.Join(lines, "\n")
}

// A chapter is a group of commands in the help of halfpeak, under a title with an example.
type chapter struct {
	title, example string
	commands       []*cobra.Command
}

// chapters returns all commands, in the order of their use: from a first prediction to
// clusters, and the papers behind the models last.
func chapters() []chapter {
	return []chapter{
		{"Predict", "halfpeak predict clip --size 64KiB", []*cobra.Command{newPredict(),
			newPacket(), newCompare(), newPlot(), newWhatif(), newExplore(), newReport()}},
		{"Measure and fit", "halfpeak fit osu_latency.txt --save my.toml", []*cobra.Command{
			newFit(), newCalibrate(), newEngine()}},
		{"Programs and collectives", "halfpeak collective allreduce clip --ranks 64",
			[]*cobra.Command{newCollective(), newSimulate(), newSchedule(), newTune()}},
		{"Clusters", "halfpeak fleet results/", []*cobra.Command{newFleet()}},
		{"Papers", "halfpeak reproduce", []*cobra.Command{newPlatforms(), newReproduce(),
			newValidate()}},
		{"Other", "halfpeak export clip --to simgrid", []*cobra.Command{newDemo(), newExport(),
			newVersion(), newDocs()}},
	}
}

// overview prints the commands by chapter, on one screen of a terminal.
func overview(w io.Writer, all []chapter) error {
	var b strings.Builder
	b.WriteString("halfpeak predicts what a message costs, from a model or from your benchmark." +
		"\n\n")
	for _, c := range all {
		fmt.Fprintf(&b, "%-25s %s\n ", c.title, c.example)
		for _, cmd := range c.commands {
			b.WriteString(" " + cmd.Name())
		}
		b.WriteString("\n")
	}
	b.WriteString("\nFiles to try it on: halfpeak demo samples. More: halfpeak help [COMMAND].\n")
	_, err := io.WriteString(w, b.String())
	return err
}

// newRoot returns the command halfpeak with all of its subcommands.
func newRoot() *cobra.Command {
	root := group("halfpeak")
	all := chapters()
	named := root.RunE
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return overview(cmd.OutOrStdout(), all)
		}
		return named(cmd, args)
	}
	for _, c := range all {
		root.AddGroup(&cobra.Group{ID: c.title, Title: c.title + ": " + c.example})
		for _, cmd := range c.commands {
			cmd.GroupID = c.title
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID("Other")
	root.SetCompletionCommandGroupID("Other")
	root.AddCommand(newTopics()...)
	// Errors are printed by runIn, once and in one form. cobra would print them too,
	// with the whole usage below.
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, flags.Version()
	// After all flags are declared, also those of subcommands.
	noFiles(root)
	root.SetFlagErrorFunc(flagError)
	// No subcommand may set this field: cobra runs the innermost one only.
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error {
		if err := checkFlags(cmd); err != nil {
			return err
		}
		if err := cmd.ValidateFlagGroups(); err != nil {
			return usage.Error{Err: err}
		}
		return reserveOutputs(cmd)
	}
	return root
}

// spelled returns in brackets how fields of a question are given to the command: ""
// if no flag does. Packages name fields and not flags, since the page and programs in
// Go ask the same questions. Of a field without a flag of its own, such as
// measured-ranks in fit, the last word counts: --ranks.
func spelled(cmd *cobra.Command, fields []string) string {
	var all []string
	for _, name := range fields {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			f = cmd.Flags().Lookup(name[strings.LastIndex(name, "-")+1:])
		}
		if f != nil {
			all = append(all, "--"+f.Name)
		}
	}
	if all == nil {
		return ""
	}
	return " (" + strings.Join(all, ", ") + ")"
}

// checkFlags returns a usage error for a flag that is given and empty: most often a
// script's variable that is not set, for which the default would be a wrong answer
// without a word. An empty title is a title.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && f.Name != "title" {
			err = usagef("--%s is empty; give it a value or leave it out", f.Name)
		}
		if placeholder, _ := pflag.UnquoteUsage(f); placeholder == "folder" && err == nil {
			err = checkFolder(f.Name, f.Value.String())
		}
	})
	if plot := cmd.Flags().Lookup("plot"); plot != nil && !plot.Changed &&
		cmd.Flags().Changed("pixels") {
		err = usagef("--pixels is the size of the picture of --plot; give both")
	}
	return err
}
