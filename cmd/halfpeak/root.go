package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/nearest"
)

// usageError is a mistake on the command line, as against one in a file.
type usageError struct{ error }

func usagef(format string, args ...any) error { return usageError{fmt.Errorf(format, args...)} }

// run is main without the process. It returns the exit status: 0, 1 for an
// error, 2 for wrong usage.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	out := &sink{w: stdout}
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(stderr)
	strict(root)
	cmd, err := root.ExecuteC()
	if out.err != nil {
		err = out.err // also that of help, which cobra drops
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return 1 // who reads has seen enough, as "| head" does
	}
	fmt.Fprintf(stderr, "halfpeak: %v\n", err)
	if errors.As(err, new(usageError)) {
		fmt.Fprintf(stderr, "try: %s --help\n", cmd.CommandPath())
		return 2
	}
	return 1
}

// A sink is the standard output. It keeps its first error, and is silent after it.
type sink struct {
	w   io.Writer
	err error
}

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return len(p), nil
	}
	n, err := s.w.Write(p)
	if err != nil {
		if pathErr := new(fs.PathError); errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		s.err = fmt.Errorf("cannot write the output: %w", err)
	}
	return n, s.err
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
	root.AddCommand(newPlatforms(), newPredict(), newPacket(), newCompare(), newPlot(), newReport(), newFit(), newWhatif(), newReproduce(), newValidate(), newEngine(), newSimulate(), newVersion())
	noFiles(root)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = noEmptyFlags
	return root
}

// noFiles keeps shells from completing flags with names of files where the
// value is none.
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

// flagError says what is wrong with a flag: its name, what was given, and why
// that cannot be, each once.
func flagError(cmd *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) && unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usagef("%w%s", err, nearest.Hint("--"+unknown.GetSpecifiedName(), names))
	}
	invalid := new(pflag.InvalidValueError)
	if !errors.As(err, &invalid) {
		return usageError{err}
	}
	reason := invalid.Unwrap()
	if errors.As(reason, new(*strconv.NumError)) {
		reason = errors.New("this is not a whole number, or too large")
	}
	value := strconv.Quote(invalid.GetValue())
	return usagef("--%s %s: %s", invalid.GetFlag().Name, value, strings.TrimPrefix(reason.Error(), value+": "))
}

// noEmptyFlags is a usage error for a flag that is given and empty: most often
// a script's variable that is not set. An empty title is a title.
func noEmptyFlags(cmd *cobra.Command, _ []string) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && f.Name != "title" {
			err = usagef("--%s is empty; give it a value or leave it out", f.Name)
		}
	})
	return err
}

func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
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

// wrap breaks text at spaces into lines of at most width letters.
func wrap(text string, width int) string {
	var b strings.Builder
	column := 0
	for word := range strings.FieldsSeq(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case column == 0:
		case column+1+n > width:
			b.WriteByte('\n')
			column = 0
		default:
			b.WriteByte(' ')
			column++
		}
		b.WriteString(word)
		column += n
	}
	return b.String()
}
