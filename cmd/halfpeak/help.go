package main

import (
	"cmp"
	_ "embed" // the functions of completion.bash
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/docs"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/demo"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// command returns the command of a path, such as "platforms show". Its help is its
// section of docs/commands.md: arguments behind the path, a summary, text and
// examples. So the page on the web and the help cannot differ, and a command without
// a section does not start. Platforms and collectives among the arguments are
// completed.
func command(path string, args cobra.PositionalArgs,
	run func(*cobra.Command, []string) error) *cobra.Command {
	_, text, found := strings.Cut(docs.Commands, "\n## "+path)
	if !found {
		panic("docs/commands.md has no section " + path)
	}
	// The section ends where the next one begins.
	text, _, _ = strings.Cut(text, "\n## ")
	arguments, text, _ := strings.Cut(text, "\n\n")
	summary, text, _ := strings.Cut(text, "\n")
	cmd := &cobra.Command{Use: path[strings.LastIndex(path, " ")+1:] + arguments, Short: summary,
		Long: fenced(text, "text"), Args: args, RunE: run}
	if examples := fenced(text, "sh"); examples != "" {
		cmd.Example = "  " + strings.ReplaceAll(examples, "\n", "\n  ")
	}
	switch {
	case strings.Contains(arguments, "COLLECTIVE"):
		cmd.ValidArgsFunction = completeCollective
	case strings.Contains(arguments, "PLATFORM"):
		cmd.ValidArgsFunction = completePlatforms
	}
	return cmd
}

// fenced returns the text between the first fences of a language; empty if there are
// none.
func fenced(text, language string) string {
	_, text, _ = strings.Cut(text, "\n```"+language+"\n")
	text, _, _ = strings.Cut(text, "\n```")
	return text
}

// group returns a command that only has subcommands. With a wrong one it fails and
// suggests the nearest name, where cobra would print help and return 0.
func group(path string, sub ...*cobra.Command) *cobra.Command {
	c := command(path, cobra.ArbitraryArgs, func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usagef("unknown command %q%s", args[0], unknownCommand(cmd, args[0]))
		}
		return cmd.Help()
	})
	c.AddCommand(sub...)
	return c
}

// newVersion prints a table like other commands, so that scripts read the version by
// --format json.
func newVersion() *cobra.Command {
	out := output{plain: true}
	cmd := command("version", wantArgs(0, 0, "no argument"),
		func(cmd *cobra.Command, _ []string) error {
			revision, _ := flags.Commit()
			return out.write(cmd, table.Rows{
				Columns: []table.Column{{Key: "version", Head: "halfpeak"},
					{Key: "revision", Head: "revision", Rank: 1}, {Key: "go", Head: "Go"}},
				Data: [][]any{{flags.Version(), table.OrNil(revision), runtime.Version()}},
			})
		})
	out.declareFormat(cmd)
	return cmd
}

// newDocs has what packagers need.
func newDocs() *cobra.Command {
	return group("docs",
		command("docs man",
			wantArgs(1, 1, `a folder, as in "halfpeak docs man /usr/local/share/man/man1"`),
			func(cmd *cobra.Command, args []string) error {
				if err := os.MkdirAll(args[0], 0o777); err != nil {
					return atomicfile.FileError(args[0], err)
				}
				return writeManPages(cmd.Root(), args[0])
			}))
}

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

// topics are subjects of help, not commands: they have no Run. Each text ends with a table.
var topics = map[string]func() table.Rows{"units": unitRows, "keys": keyRows}

func newTopics() []*cobra.Command {
	return list.Map(slices.Sorted(maps.Keys(topics)), func(name string) *cobra.Command {
		return command(name, nil, nil)
	})
}

// keyRows returns the table of keys in docs/commands.md.
func keyRows() table.Rows {
	var rows [][]string
	_, keys, _ := strings.Cut(docs.Commands, "\n## keys\n")
	for line := range strings.Lines(keys) {
		if strings.HasPrefix(line, "| `") {
			line = strings.ReplaceAll(strings.Trim(line, "| \n"), "`", "")
			rows = append(rows, strings.Split(line, " | "))
		}
	}
	cell := func(head string, i int) table.Field[[]string] {
		return table.Col("", head, func(row []string) any { return table.OrNil(row[i]) })
	}
	return table.TableOf(rows, cell("key", 0), cell("unit", 1), cell("meaning", 2),
		cell("printed by", 3))
}

// unitRows returns the vocabulary of units as a table.
func unitRows() table.Rows {
	return table.TableOf(quantity.Vocabulary(),
		table.Col("", "unit", func(e quantity.Entry) any { return e.Name }),
		table.Col("", "is", func(e quantity.Entry) any {
			return cmp.Or(e.Is, "the unit inside, of "+e.Of)
		}),
		table.Col("", "also read", func(e quantity.Entry) any { return e.Aliases }))
}

// setHelp sets the form of all help: flags are wrapped, and a topic, which is a
// command that does nothing, is its text alone. cobra's template calls FlagUsages,
// which does not wrap; the replacement is the smallest change of the template that
// does.
func setHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("wrapped", func(f *pflag.FlagSet) string {
		return f.FlagUsagesWrapped(helpWidth)
	})
	usage := strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", "Flags | wrapped")
	const last = "{{if .HasAvailableInheritedFlags}}"
	root.SetUsageTemplate(strings.Replace(usage, last,
		`{{with index .Annotations "`+rulesAnnotation+`"}}

Flags together:
{{.}}{{end}}`+last, 1))
	usual := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		all := helpCommand(root).Flags().Changed("all")
		out := root.OutOrStdout()
		switch {
		case !cmd.Runnable() && !cmd.HasSubCommands():
			fmt.Fprintln(out, cmd.Long)
			if rows := topics[cmd.Name()]; rows != nil && cmd.Parent() == root {
				fmt.Fprintln(out)
				_ = table.Printer{Width: helpWidth}.Write(out, rows()) // run reports errors
			}
		case !all && cmd == root:
			_ = root.RunE(cmd, nil) // run reports errors
		case !all && cmd.Runnable() && (!cmd.HasSubCommands() || cmd.Flags().Lookup("set") != nil):
			_, _ = io.WriteString(out, screenHelp(cmd, cmp.Or(terminalOf(cmd.Context()).Width,
				helpWidth)))
		default:
			usual(cmd, args)
		}
	})
}

// helpCommand returns cobra's command help.
func helpCommand(root *cobra.Command) *cobra.Command {
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			return c
		}
	}
	return root
}

// usualFlags are the flags that most users of a command need, in the order of the screen's help. A
// command that is not here has at most screenFlags of them.
var usualFlags = map[string]string{
	"fit": "save plot model against columns collective ranks runs link program",
	"collective": "ranks size algorithm ranks-per-node nodes measured crossovers map-by plot " +
		"schedule",
	"simulate": "machine ranks param critical-path map-by plot list",
	"validate": "size live packet seed plot",
	"whatif":   "set size collective ranks schedule",
	"plot":     "output kind size schedule packet",
	"fleet":    "columns against fail-on-change plot places",
	"tune":     "collective ranks size write",
	"compare":  "size crossovers plot kind packet cycles assume",
	"packet":   "size plot cycles from to level",
	"schedule": "ranks size algorithm root segment machine ranks-per-node param",

	"sweep":       "set size quantity collective ranks schedule param plot",
	"target":      "solve-for set collective size ranks schedule param plot",
	"sensitivity": "size quantity set collective ranks schedule param plot",
	"breakdown":   "size quantity set collective ranks schedule param plot",
	"uncertainty": "size quantity set assume collective ranks schedule plot samples seed",
	"thresholds":  "set assume level from to samples seed",
	"bench":       "programs size budget precision credits pin plot seed",
}

// screenFlags is the number of flags that the help of a screen has.
const screenFlags = 10

// screenHeight is the height of a terminal that the help fits, with a line for what is typed next.
const screenHeight = 23

// screenHelp returns the help of a command on one screen: what it answers, two examples, and the
// flags that most users need.
func screenHelp(cmd *cobra.Command, width int) string {
	above := table.Fold(cmd.Short+"\n\n  "+cmd.UseLine(), width)
	examples := examplesOf(cmd)
	var names, texts []string
	for _, c := range cmd.Commands() {
		names, texts = append(names, c.Name()), append(texts, c.Short)
	}
	flags := shownFlags(cmd)
	for _, f := range flags {
		placeholder, text := pflag.UnquoteUsage(f)
		names = append(names, strings.TrimSpace("--"+f.Name+" "+placeholder))
		texts = append(texts, text)
	}
	longest := 0
	for _, name := range names {
		longest = max(longest, len(name))
	}
	lines := make([]string, len(names))
	for i, name := range names {
		line := fmt.Sprintf("  %-*s  %s", longest, name, texts[i])
		first, _, more := strings.Cut(table.Fold(line, width-2), "\n")
		if more {
			first += " …"
		}
		lines[i] = first
	}
	path := strings.TrimPrefix(cmd.CommandPath(), "halfpeak")
	below := "All flags, and the whole text: halfpeak help --all" + path + "\n"
	for n := min(2, len(examples)); ; n-- {
		text := strings.Join(slices.Concat([]string{above, ""}, examples[:n], []string{""}, lines,
			[]string{"", below}), "\n")
		if n <= 1 || strings.Count(text, "\n") <= screenHeight {
			return text
		}
	}
}

// shownFlags returns the flags of the screen's help.
func shownFlags(cmd *cobra.Command) (all []*pflag.Flag) {
	for name := range strings.FieldsSeq(usualFlags[cmd.Name()]) {
		if f := cmd.Flags().Lookup(name); f != nil {
			all = append(all, f)
		}
	}
	if usualFlags[cmd.Name()] == "" {
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Name != "help" && !slices.Contains(tableFlags, f.Name) {
				all = append(all, f)
			}
		})
	}
	return all[:min(len(all), screenFlags-min(len(cmd.Commands()), screenFlags-1))]
}

// examplesOf returns the commands of a command's examples, each with its lines.
func examplesOf(cmd *cobra.Command) (all []string) {
	whole := true
	for line := range strings.Lines(cmd.Example) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(strings.TrimSpace(line), "#"):
			continue
		case whole:
			all = append(all, line)
		default:
			all[len(all)-1] += "\n" + line
		}
		whole = !strings.HasSuffix(line, "\\")
	}
	return all
}

// tableFlags are the flags that all commands with tables have.
var tableFlags = []string{"format", "notes", "output", "unit", "pixels"}

// noFiles keeps shells from completing file names for flags whose value is not a file,
// which shells do by default. A flag takes a file if its placeholder in the help says so.
func noFiles(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		_, known := cmd.GetFlagCompletionFunc(f.Name)
		if placeholder, _ := pflag.UnquoteUsage(f); !known && placeholder != "file" &&
			placeholder != "folder" {
			complete(cmd, f.Name, nil)
		}
	})
	for _, c := range cmd.Commands() {
		noFiles(c)
	}
}

// strict makes cobra's own commands return errors for unknown topics and shells,
// instead of help and status 0, which a script would take for success. They must
// exist before they can be changed, hence the Init calls.
func strict(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "help":
			c.Flags().Bool("all", false, "print every flag, and the whole text")
			c.Args = func(cmd *cobra.Command, args []string) error {
				if of, rest, err := root.Find(args); err != nil || len(rest) > 0 {
					return usagef("no command %q to help with%s", strings.Join(args, " "),
						usage.Hint(args[len(args)-1], commandNames(of)))
				}
				return nil
			}
		case "completion":
			c.Args = cobra.ArbitraryArgs
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if len(args) > 0 {
					return usagef("no completion for %q%s", args[0],
						usage.Hint(args[0], commandNames(cmd)))
				}
				return cmd.Help()
			}
			for _, shell := range c.Commands() {
				shell.Args = wantArgs(0, 0, "no argument")
				if shell.Name() == "bash" {
					completeInBash(root, shell)
				}
			}
		}
	}
}

//go:embed completion.bash
var bashFunctions string

// completeInBash lets the script of cobra run in shells without the package bash-completion, whose
// functions it calls.
func completeInBash(root, bash *cobra.Command) {
	bash.RunE = func(cmd *cobra.Command, _ []string) error {
		plain, err := cmd.Flags().GetBool("no-descriptions")
		if err != nil {
			return err
		}
		var script strings.Builder
		if err := root.GenBashCompletionV2(&script, !plain); err != nil {
			return err
		}
		text := strings.NewReplacer("_get_comp_words_by_ref", "__halfpeak_words",
			"_filedir", "__halfpeak_filedir").Replace(script.String())
		_, err = io.WriteString(cmd.OutOrStdout(), text+bashFunctions)
		return err
	}
	bash.Long = `Generate the autocompletion script for the bash shell, for this session:

	source <(halfpeak completion bash)

For every new session, add this line to ~/.bashrc. With the package bash-completion, write the
script into its folder instead:

	halfpeak completion bash > /etc/bash_completion.d/halfpeak
`
}

// programLines returns the programs that run on the system, one a line.
func programLines(on programs.Where) string {
	return strings.Join(list.Map(programs.List(on), func(p programs.Program) string {
		return fmt.Sprintf("  %-10s %s", p.Name, p.Help)
	}), "\n")
}
