package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/benchmarks"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
)

// A kind is what a word of the command line is by itself, in whatever place it stands.
type kind struct {
	name     string // with its article
	is       func(word string) bool
	argument string // its names among the arguments of commands, separated by "|"
	flags    string // the flags that take it, separated by blanks
	command  string // a command that takes it, with %s for the word
	plot     string // the command that draws it, where that is not the last one
}

// kinds lists all kinds; the first that a word is of counts.
var kinds = []kind{
	{"a number", isNumber, "", "ranks size", "halfpeak predict PLATFORM --size %s", ""},
	{"a size", isSize, "", "size", "halfpeak predict PLATFORM --size %s", ""},
	{"a change", isChange, "NAME=|CONDITION", "set param columns",
		"halfpeak whatif PLATFORM --set %s", ""},
	{"a file to write", isNewFile, "", "plot output", "halfpeak plot PLATFORM -o %s", ""},
	{"a collective", isCollective, "COLLECTIVE", "collective", "halfpeak collective %s", ""},
	{"a program", isProgram, "PROGRAM", "", "halfpeak simulate %s", drawRanks},
	{"a script in Python", isPython, "", "",
		"it in Starlark, in a file NAME.star: docs/programs.md", ""},
	{"a platform", isPlatform, "PLATFORM|MACHINE", "machine", "halfpeak predict %s", ""},
	{"a benchmark's output", isBenchmark, "FILE|RESULTS", "", "halfpeak fit %s --save my.toml",
		""},
	{"a trace", isTrace, "TRACE", "", "halfpeak simulate %s", drawRanks},
}

// drawRanks draws what every rank of a schedule does.
const drawRanks = "halfpeak plot PLATFORM --kind ranks --schedule %s -o FILE"

func isNumber(word string) bool {
	_, err := flags.ParseRanks(word)
	return err == nil && !exists(word)
}

func isSize(word string) bool {
	_, err := quantity.ParseSizes(word)
	return err == nil && !exists(word)
}

var change = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.-]*\*?=.`)

func isChange(word string) bool { return change.MatchString(word) && !exists(word) }

func isNewFile(word string) bool {
	return (isImage(word) || extension(word) == "html") && !exists(word)
}

func isCollective(word string) bool { return collective.Of(word) != nil && !exists(word) }

func isProgram(word string) bool {
	return program.Is(word) || filepath.Ext(word) == ".goal"
}

func isPython(word string) bool { return filepath.Ext(word) == ".py" && exists(word) }

// isPlatform is also true of the output of calibrate.c.
func isPlatform(word string) bool {
	if filepath.Ext(word) == ".toml" || platforms.IsEmbedded(word) {
		return true
	}
	_, err := halfpeak.Open(word)
	return err == nil
}

func isBenchmark(word string) bool { return isSmall(word) && benchmarks.Is(word) }

func isTrace(word string) bool {
	if !isSmall(word) {
		return false
	}
	// One rank of a trace cannot be read by itself.
	if f, err := atomicfile.Open(word); err == nil {
		text, err := io.ReadAll(f)
		f.Close()
		if err == nil && mpitrace.Recognizes(text) {
			return true
		}
	}
	_, err := theprogram.Read(context.Background(), []string{word}, theprogram.Reading{})
	return err == nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// isSmall reports whether a file can be read once more to explain an error: no pipe, and nothing
// that takes more than a moment.
func isSmall(path string) bool {
	const moment = 16 << 20
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Size() < moment
}

// takes reports whether arguments of a kind are in the first line of a command's help.
func (k kind) takes(cmd *cobra.Command) bool {
	arguments, _, _ := strings.Cut(cmd.Use, " -") // behind it are flags
	return k.argument != "" && regexp.MustCompile(k.argument).MatchString(arguments)
}

// flag returns the flag of a command that takes a kind, nil if none does. A flag that is of use
// with another one, as its help says, counts if that one was given.
func (k kind) flag(cmd *cobra.Command) *pflag.Flag {
	for name := range strings.FieldsSeq(k.flags) {
		f := cmd.Flags().Lookup(name)
		if f == nil {
			continue
		}
		if other, isPart := strings.CutPrefix(f.Usage, "with --"); isPart {
			other, _, _ = strings.Cut(other, ":")
			if !cmd.Flags().Changed(other) {
				continue
			}
		}
		return f
	}
	return nil
}

// way returns what to type for a word of a kind where a command does not take it, with the other
// arguments of that command.
func (k kind) way(cmd *cobra.Command, word string, rest []string) string {
	if f := k.flag(cmd); f != nil {
		return "write --" + f.Name + " " + usage.ShellLine(word)
	}
	line := k.command
	if cmd.Name() == "plot" {
		line = cmp.Or(k.plot, line)
	}
	line = strings.ReplaceAll(line, "%s", usage.ShellLine(word))
	if len(rest) > 0 {
		line += " " + usage.ShellLine(rest...)
	}
	return "write " + line
}

// misplaced returns, instead of the error of a command, one about the first of its words that is of
// a kind that it does not take there, such as the output of a benchmark for a platform; else err.
// It reads files, so it is called after an error alone.
func misplaced(cmd *cobra.Command, err error) error {
	args := cmd.Flags().Args()
	if !cmd.HasParent() {
		if strings.Contains(err.Error(), "did you mean") {
			return err
		}
		args = args[:min(1, len(args))] // the others are those of a command
	}
	taken := slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return !k.takes(cmd) })
	if len(taken) == 0 && cmd.HasParent() {
		return err
	}
	for _, word := range args {
		if wrong := mistaken(cmd, err, word, taken...); wrong != nil {
			return as(err, wrong)
		}
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if placeholder, _ := pflag.UnquoteUsage(f); placeholder == "platform" {
			words := []string{f.Value.String()}
			if several, ok := f.Value.(pflag.SliceValue); ok {
				words = several.GetSlice()
			}
			for _, word := range words {
				if wrong := mistaken(cmd, err, word, platformKind()); wrong != nil {
					err = as(err, wrong)
				}
			}
		}
	})
	return err
}

// as returns an error in place of another, with the exit status of that one.
func as(err, wrong error) error {
	if errors.As(err, new(usage.Error)) {
		return usage.Error{Err: wrong}
	}
	return wrong
}

// platformKind returns the kind of platforms.
func platformKind() kind {
	return kinds[slices.IndexFunc(kinds, func(k kind) bool { return k.name == "a platform" })]
}

// mistaken returns an error if a word is of another kind than those taken, or if it names no file
// but resembles one. Without kinds, a command is wanted. The error of the command comes first if it
// has a suggestion.
func mistaken(cmd *cobra.Command, err error, word string, taken ...kind) error {
	if info, err := os.Stat(word); err == nil && !info.Mode().IsRegular() {
		return nil // a pipe can be read only once
	}
	missing := func(name string) bool { return !exists(name) && !platforms.IsEmbedded(name) }
	if parts := strings.Split(word, ","); len(parts) > 1 && missing(word) &&
		!slices.ContainsFunc(parts, missing) {
		return fmt.Errorf("%s: no such file; write blanks and not commas, as in %s",
			usage.ShellLine(word), usage.ShellLine(parts...))
	}
	if slices.ContainsFunc(taken, func(k kind) bool { return k.is(word) }) {
		return nil
	}
	for _, k := range kinds {
		if !k.is(word) {
			continue
		}
		wanted := "a command"
		if len(taken) > 0 {
			wanted = joined(list.Map(taken, func(k kind) string { return k.name }), "or")
		}
		var rest []string
		if args := cmd.Flags().Args(); len(taken) == 0 {
			rest = args[1:]
		}
		return usagef("%s is %s, not %s; %s", usage.ShellLine(word), k.name, wanted,
			k.way(cmd, word, rest))
	}
	// A command that takes traces expands patterns, so its error is about one of the files.
	if slices.ContainsFunc(taken, func(k kind) bool { return k.argument == "TRACE" }) {
		for _, file := range usage.Matches(word) {
			return mistaken(cmd, err, file, taken...)
		}
	}
	near := usage.NearFile(word)
	if near == "" || exists(word) || strings.Contains(err.Error(), "did you mean") ||
		strings.Contains(err.Error(), "; write --set") {
		return nil
	}
	return fmt.Errorf("%s: no such file%s", usage.ShellLine(word), near)
}

// synonyms are names of flags and commands in other programs, with what they are called here.
var synonyms = map[string]string{
	"n": "ranks", "np": "ranks", "procs": "ranks", "nprocs": "ranks", "processes": "ranks",
	"ntasks": "ranks", "gpus": "ranks", "ppn": "ranks-per-node",
	"ntasks-per-node": "ranks-per-node", "bytes": "size", "length": "size", "at": "size",
	"out": "output", "file": "output", "group": "columns group=NAME",
	"bandwidth": "set NAME=VALUE", "latency": "set NAME=VALUE", "link": "set NAME=VALUE",
	"alpha": "fdr", "png": "plot FILE.png",
	"algo": "algorithm", "platform": "machine", "network": "machine", "verbose": "notes",
	"program": "schedule", "simulate": "schedule", "trace": "schedule",
	"json": "format json", "csv": "format csv", "op": "collective",

	"ls": "platforms", "list": "platforms", "show": "platforms show", "examples": "demo",
	"example": "demo", "tutorial": "demo", "init": "demo", "man": "docs man",
	"convert": "export", "run": "simulate", "sim": "simulate", "bench": "engine bench",
	"measure": "calibrate", "optimize": "tune", "serve": "engine serve",
}

// longFlag matches a flag of more than a letter with a single dash.
var longFlag = regexp.MustCompile(`^-([a-z][a-z-]+)(=|$)`)

// singleDash returns an error about a flag such as "-save": pflag would read it as -s, and
// "-output" as -o with the value "utput".
func singleDash(root *cobra.Command, args []string) (*cobra.Command, error) {
	cmd, rest, err := root.Find(args)
	if err != nil {
		return root, nil // its own error follows
	}
	for _, arg := range rest {
		name := longFlag.FindStringSubmatch(arg)
		switch {
		case arg == "--":
			return cmd, nil
		case name != nil && cmd.Flags().Lookup(name[1]) != nil:
			return cmd, usagef("%s: a flag of more than a letter has two dashes; write -%[1]s", arg)
		}
	}
	return cmd, repeated(cmd, rest)
}

// repeated returns an error about a flag that is given twice with different values and takes one:
// pflag would drop the first in silence.
func repeated(cmd *cobra.Command, args []string) error {
	given := map[string]string{}
	var twice error
	// Both sets of flags are complete once the inherited ones are asked for.
	cmd.InheritedFlags()
	// Any other mistake is found when the flags are set.
	_ = cmd.Flags().ParseAll(args, func(f *pflag.Flag, value string) error {
		before, again := given[f.Name]
		given[f.Name] = value
		_, list := f.Value.(pflag.SliceValue)
		_, adds := f.Annotations[addsUp]
		if again && before != value && !list && !adds && twice == nil {
			twice = usagef("--%s is given twice, %s and %s; give it once", f.Name,
				usage.ShellLine(before), usage.ShellLine(value))
		}
		return nil
	})
	return twice
}

// unknownCommand returns how to write a subcommand, or where they are listed.
func unknownCommand(parent *cobra.Command, name string) string {
	if s := synonyms[name]; s != "" {
		if c, _, err := parent.Find(strings.Fields(s)); err == nil && c != parent {
			return fmt.Sprintf("; did you mean %q?", s)
		}
	}
	return cmp.Or(usage.Hint(name, commandNames(parent)),
		fmt.Sprintf("; %q lists the commands", parent.CommandPath()))
}

// commandNames lists what a user may have meant; hidden commands are not offered.
func commandNames(parent *cobra.Command) []string {
	var names []string
	for _, c := range parent.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

// unknownFlag returns the error of a flag that a command does not have, with the flag that was most
// likely meant.
func unknownFlag(cmd *cobra.Command, unknown *pflag.NotExistError) error {
	if args := cmd.Flags().Args(); !cmd.HasParent() && len(args) > 0 { // the flag is the command's
		return usagef("unknown command %q%s", args[0], unknownCommand(cmd, args[0]))
	}
	given := unknown.GetSpecifiedName()
	dashes := "--"
	if short := unknown.GetSpecifiedShortnames(); short != "" {
		given, dashes = short, "-"
		if err := splitChange(cmd, "-"+short); err != nil {
			return err
		}
	}
	var names, elsewhere []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	for _, c := range cmd.Root().Commands() {
		if c.Flags().Lookup(given) != nil {
			elsewhere = append(elsewhere, c.Name())
		}
	}
	name, _, _ := strings.Cut(synonyms[given], " ")
	here := cmd.Flags().Lookup(name) != nil
	takes := func(k kind) bool {
		return k.takes(cmd) && slices.Contains(strings.Fields(k.flags), given)
	}
	hint := ""
	switch at := slices.IndexFunc(kinds, takes); {
	case given == "set" && cmd.Name() == "simulate":
		hint = "; halfpeak whatif --schedule takes the program, with --set"
	case given == "layer":
		hint = "; a layer stands behind its platform, as in PLATFORM/LAYER"
	case at >= 0:
		hint = fmt.Sprintf("; write %s without a flag, as in halfpeak %s", kinds[at].name, cmd.Use)
	case here:
		hint = fmt.Sprintf("; did you mean %q?", "--"+synonyms[given])
	case dashes == "--" && len(elsewhere) > 0:
		hint = fmt.Sprintf("; it is a flag of %s, not of %s", joined(elsewhere, "and"),
			cmd.Name())
	case synonyms[given] == "":
		hint = usage.Hint("--"+given, names)
	}
	return usagef("unknown flag: %s%s%s", dashes, given, hint)
}

// flagError returns a usage error with the flag's name, the given value, and the
// reason, each once. pflag's own message has the value twice and the name of a Go
// function.
func flagError(cmd *cobra.Command, err error) error {
	if unknown := new(pflag.NotExistError); errors.As(err, &unknown) {
		return unknownFlag(cmd, unknown)
	}
	invalid := new(pflag.InvalidValueError)
	if !errors.As(err, &invalid) {
		return usage.Error{Err: err}
	}
	reason := invalid.Unwrap()
	// The text of strconv names a Go function, which a user does not know.
	if errors.As(reason, new(*strconv.NumError)) {
		reason = errors.New("this is not a whole number, or too large")
		if invalid.GetFlag().Value.Type() == "float64" {
			reason = errors.New("this is not a number")
		}
	}
	value := strconv.Quote(invalid.GetValue())
	return usagef("--%s %s: %s", invalid.GetFlag().Name, value,
		strings.TrimPrefix(reason.Error(), value+": "))
}

// checkFolder returns an error if the folder of a flag is a file.
func checkFolder(flag, path string) error {
	if info, err := os.Stat(path); err == nil && !info.IsDir() {
		return fmt.Errorf("--%s %s: this is a file; name a folder, which is made if it is missing",
			flag, usage.ShellLine(path))
	}
	return nil
}
