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
		t := terminalOf(cmd.Context())
		asked := cmd.Flags().Lookup("help")
		switch brief := asked != nil && asked.Changed && t.Width > 0; {
		case brief && cmd == root:
			_ = root.RunE(cmd, nil) // run reports errors
			return
		case brief && cmd.Runnable() && (!cmd.HasSubCommands() || cmd.Flags().Lookup("set") != nil):
			_, _ = io.WriteString(root.OutOrStdout(), screenHelp(cmd, t))
			return
		case cmd.Runnable() || cmd.HasSubCommands():
			usual(cmd, args)
			return
		}
		out := root.OutOrStdout()
		fmt.Fprintln(out, cmd.Long)
		if rows := topics[cmd.Name()]; rows != nil && cmd.Parent() == root {
			fmt.Fprintln(out)
			_ = table.Printer{Width: helpWidth}.Write(out, rows()) // run reports errors
		}
	})
}

// tableFlags are the flags that all commands with tables have.
var tableFlags = []string{"format", "notes", "output", "unit", "pixels"}

// screenHelp returns the help of a command on one screen: what it does, an example, and a line for
// each flag of its own. If these are too many, their names stand in a paragraph.
func screenHelp(cmd *cobra.Command, t terminal) string {
	above := table.Fold(cmd.Short+"\n\n  "+cmd.UseLine(), t.Width)
	if example := firstExample(cmd); example != "" {
		above += "\n\n" + example
	}
	var names, texts, shared []string
	longest := 0
	for _, c := range cmd.Commands() {
		names, texts = append(names, c.Name()), append(texts, c.Short)
		longest = max(longest, len(c.Name()))
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		placeholder, text := pflag.UnquoteUsage(f)
		switch {
		case f.Name == "help":
			return
		case slices.Contains(tableFlags, f.Name):
			shared = append(shared, "--"+f.Name)
			return
		}
		name := strings.TrimSpace("--" + f.Name + " " + placeholder)
		names, texts = append(names, name), append(texts, text)
		longest = max(longest, len(name))
	})
	var lines strings.Builder
	for i, name := range names {
		if i == 0 {
			lines.WriteString("\n")
		}
		line := fmt.Sprintf("  %-*s  %s", longest, name, texts[i])
		first, _, more := strings.Cut(table.Fold(line, t.Width-2), "\n")
		if more {
			first += " …"
		}
		lines.WriteString(first + "\n")
	}
	more := "More"
	if len(shared) > 0 {
		more += ", also about " + joined(shared, "and")
	}
	below := "\n" + table.Fold(more+": halfpeak help"+
		strings.TrimPrefix(cmd.CommandPath(), "halfpeak"), t.Width) + "\n"
	text := above + "\n" + lines.String() + below
	if t.Height > 0 && strings.Count(text, "\n") >= t.Height {
		return above + "\n\n" + table.Fold("  "+strings.Join(names, ", "), t.Width) + "\n" + below
	}
	return text
}

// firstExample returns the first command of a command's examples, "" if it has none.
func firstExample(cmd *cobra.Command) string {
	example, rest, _ := strings.Cut(cmd.Example, "\n")
	for strings.HasSuffix(example, "\\") {
		var line string
		line, rest, _ = strings.Cut(rest, "\n")
		example += "\n" + line
	}
	return example
}

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
