package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// run is main without the process. It returns the exit status: 0, 1 for an
// error, 2 for wrong usage.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return runIn(detectTerminal(stdout, stderr), args, stdin, stdout, stderr)
}

func runIn(t terminal, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	root := newRoot()
	out := newSink(stdout)
	root.SetArgs(args)
	root.SetIn(stdin)
	root.SetOut(out)
	root.SetErr(quiet{Writer: stderr})
	strict(root)
	setHelp(root)
	cmd, err := root.ExecuteContextC(t.withContext())
	if out.err != nil {
		err = out.err // also that of help, which cobra drops
	}
	if err == nil {
		return 0
	}
	if errors.Is(err, syscall.EPIPE) {
		return 1 // the reader has closed the pipe, as "| head" does
	}
	fmt.Fprint(stderr, t.alarm("halfpeak:"))
	fmt.Fprintf(quiet{Writer: stderr}, " %s%s\n", brief(err.Error()),
		spelled(cmd, usage.FieldsOf(err)))
	if errors.As(err, new(usage.Error)) {
		fmt.Fprintf(stderr, "try: %s --help\n", cmd.CommandPath())
		return 2
	}
	return 1
}

// maxMessage bounds each line of an error, in bytes: input that it quotes may be of any length.
const maxMessage = 2000

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

func newRoot() *cobra.Command {
	root := group("halfpeak",
		newPlatforms(), newPredict(), newPacket(), newCompare(), newPlot(), newReport(),
		newExplore(), newCalibrate(), newFit(), newFleet(), newWhatif(), newReproduce(),
		newValidate(), newSimulate(), newSchedule(), newCollective(), newTune(), newExport(),
		newEngine(), newVersion(), newDocs())
	root.AddCommand(newUnits())
	root.SilenceErrors, root.SilenceUsage, root.Version = true, true, flags.Version()
	noFiles(root)
	root.SetFlagErrorFunc(flagError)
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		if err := checkFlags(cmd); err != nil {
			return err
		}
		return noInputIsOutput(cmd, args)
	}
	return root
}

// flagError returns a usage error with the flag's name, the given value, and the reason, each once.
func flagError(cmd *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) &&
		unknown.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
		return usagef("%w%s", err, usage.Hint("--"+unknown.GetSpecifiedName(), names))
	}
	invalid := new(pflag.InvalidValueError)
	if !errors.As(err, &invalid) {
		return usage.Error{Err: err}
	}
	reason := invalid.Unwrap()
	if errors.As(reason, new(*strconv.NumError)) {
		reason = errors.New("this is not a whole number, or too large")
	}
	value := strconv.Quote(invalid.GetValue())
	return usagef("--%s %s: %s", invalid.GetFlag().Name, value,
		strings.TrimPrefix(reason.Error(), value+": "))
}

// spelled returns in brackets how fields of a question are given to the command: "" if no flag
// does. Of a field without a flag of its own, such as measured-ranks, the last word counts.
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

// checkFlags returns a usage error for a flag that is given and empty: most often a script's
// variable that is not set. An empty title is a title. It also checks flags that are whole only
// after the last time they are given.
func checkFlags(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.Value.Type() == "string" && f.Value.String() == "" && f.Name != "title" {
			err = usagef("--%s is empty; give it a value or leave it out", f.Name)
		}
		if columns, ok := f.Value.(*columnsFlag); ok && err == nil {
			err = columns.check()
		}
	})
	return err
}
