package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// sizesFlag is a list of message sizes.
type sizesFlag struct {
	text  string
	sizes []quantity.Bytes
}

func newSizes(text string) sizesFlag {
	s := sizesFlag{}
	if err := s.Set(text); err != nil {
		panic(err) // a default of this program
	}
	return s
}

func (s *sizesFlag) Set(text string) (err error) {
	s.text = text
	s.sizes, err = quantity.ParseSizes(text)
	if inner := errors.Unwrap(err); inner != nil {
		return inner // without the whole list, which flagError names
	}
	return err
}
func (s *sizesFlag) String() string { return s.text }
func (s *sizesFlag) Type() string   { return "sizes" }

// choice is one of a few words.
type choice struct {
	value   string
	choices []string
	old     map[string]string // names that words had before
	given   string            // the old name that was given
}

func (c *choice) Set(text string) error {
	if now, renamed := c.old[text]; renamed {
		c.value, c.given = now, text
		return nil
	}
	if !slices.Contains(c.choices, text) {
		return fmt.Errorf("choose one of %s", strings.Join(c.choices, ", "))
	}
	c.value = text
	return nil
}
func (c *choice) String() string { return c.value }

// Type is what help shows for a value: the choices, if they fit in a line with its text.
func (c *choice) Type() string {
	if all := strings.Join(c.choices, "|"); len(all) <= 40 {
		return all
	}
	return "word"
}

// enum declares a flag that takes one of a few words, the first of them by default.
func enum(cmd *cobra.Command, c *choice, name, help string, choices ...string) {
	c.value, c.choices = choices[0], choices
	if c.Type() == "word" {
		help += ": " + strings.Join(choices, ", ")
	}
	cmd.Flags().Var(c, name, help)
	complete(cmd, name, choices)
}

func complete(cmd *cobra.Command, flag string, choices []string) {
	err := cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
	if err != nil {
		panic(err) // a flag that this program does not declare
	}
}

// output is where a command's rows go, and how they look.
type output struct {
	format reports.Format
	path   string
	units  unitFlag
	plain  bool // the notes tell nothing that CSV and JSON do not have in columns
}

// declare is declareFormat for a command that prints times or rates.
func (o *output) declare(cmd *cobra.Command) {
	o.declareFormat(cmd)
	o.units.declare(cmd)
}

func (o *output) declareFormat(cmd *cobra.Command) {
	cmd.Flags().Var(&o.format, "format", "how to print; without it as the name of the -o file says")
	cmd.Flags().StringVarP(&o.path, "output", "o", "", "write to this `file`, whole or not at all")
	complete(cmd, "format", reports.Formats())
}

// unitFlag chooses units of what people read.
type unitFlag struct {
	text   string
	choice quantity.UnitChoice
}

func (u *unitFlag) declare(cmd *cobra.Command) {
	cmd.Flags().Var(u, "unit", `units of rates and times, as in "Gbit/s" or "GB/s,ms"; "halfpeak help units" lists them`)
	complete(cmd, "unit", []string{"GB/s", "MB/s", "MiB/s", "Gbit/s", "Mbit/s", "ns", "us", "ms", "s"})
}
func (u *unitFlag) Set(text string) (err error) {
	u.text = text
	u.choice, err = quantity.ParseUnits(text)
	return err
}
func (u *unitFlag) String() string { return u.text }
func (u *unitFlag) Type() string   { return "units" }

// formats are the formats that a file's extension stands for.
var formats = map[string]reports.Format{"": reports.Text, ".txt": reports.Text, ".csv": reports.CSV, ".json": reports.JSON, ".md": reports.Markdown}

// kind is the format that was asked for, or that the name of the file stands for.
func (o *output) kind() (reports.Format, error) {
	if o.format != "" {
		return o.format, nil
	}
	ext := strings.ToLower(filepath.Ext(o.path))
	format, ok := formats[ext]
	if info, err := os.Stat(o.path); !ok && err == nil && !info.Mode().IsRegular() {
		return reports.Text, nil // a pipe has no need of an ending
	}
	if !ok {
		return "", usagef("-o %q: no format ends with %q; use .txt, .md, .csv or .json, or choose with --format", o.path, ext)
	}
	return format, nil
}

// forPeople reports whether the output is text or Markdown.
func (o *output) forPeople() bool {
	format, err := o.kind()
	return err == nil && format != reports.CSV && format != reports.JSON
}

// write prints tables, one under the other: several are for people alone. Doubts go to stderr
// where the format has no place for them.
func (o *output) write(cmd *cobra.Command, tables ...reports.Rows) error {
	format, err := o.kind()
	if err != nil {
		return err
	}
	view := reports.View{Format: format, Units: o.units.choice}
	write := func(w io.Writer) error {
		for i, rows := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := view.Write(w, rows); err != nil {
				return err
			}
		}
		return nil
	}
	if o.path == "" {
		t := terminal.Of(cmd.Context())
		view.Width, view.Color = t.Width, t.Color
		err = write(cmd.OutOrStdout())
	} else {
		err = filesOf(cmd).Write(o.path, write)
	}
	if err == nil && !o.plain && (format == reports.CSV || format == reports.JSON) {
		for _, rows := range tables {
			for _, note := range rows.Notes {
				cmd.PrintErrln(note)
			}
		}
	}
	return err
}

// filesOf is how a command writes files.
func filesOf(cmd *cobra.Command) reports.Files {
	force, err := cmd.Flags().GetBool("force")
	return reports.Files{Force: err == nil && force}
}

// outputFlags are the flags that name a file to write; other flags and the arguments may name
// files to read.
var outputFlags = []string{"output", "plot", "save", "trace", "netpipe"}

// noInputIsOutput is an error where a command would write over a file that it reads, or two
// results into one file. It keeps to what is there: a name is a file's if there is one.
func noInputIsOutput(cmd *cobra.Command, args []string) (err error) {
	var outputs, inputs []string
	for _, a := range args {
		inputs = append(inputs, a, filepath.Dir(a)) // "my.toml/eager" is a layer of my.toml
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if slices.Contains(outputFlags, f.Name) {
			outputs = append(outputs, f.Value.String())
		} else {
			inputs = append(inputs, f.Value.String(), filepath.Dir(f.Value.String()))
		}
	})
	for i, out := range outputs {
		if slices.Contains(outputs[:i], out) {
			return usagef("%q is to be written twice; choose two names", out)
		}
		info, err := os.Stat(out)
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		for _, in := range inputs {
			if other, err := os.Stat(in); err == nil && os.SameFile(info, other) {
				return usagef("%q would be written over, and is read: choose another name for the output", out)
			}
		}
	}
	return nil
}

// completePlatforms completes names of platforms and of their layers, and files.
func completePlatforms(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	all, err := platforms.All()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	add := func(name string) {
		if strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	for _, p := range all {
		add(p.Name)
		if strings.HasPrefix(typed, p.Name+"/") {
			for _, l := range p.Layers {
				add(l.Ref())
			}
		}
	}
	return names, cobra.ShellCompDirectiveDefault
}

// cyclesFlag asks for times in cycles of each host's processor too.
type cyclesFlag bool

func (c *cyclesFlag) declare(cmd *cobra.Command) {
	cmd.Flags().BoolVar((*bool)(c), "cycles", false, "times in cycles of the host's processor too, where its clock is known")
}

// add puts a column in cycles behind the columns of times. The rows start with the
// name of a platform; clocks are in MHz, by these names, 0 where not known.
func (c cyclesFlag) add(rows reports.Rows, clocks map[string]float64) (reports.Rows, error) {
	if !c {
		return rows, nil
	}
	if known := slices.Max(slices.Collect(maps.Values(clocks))); known == 0 {
		return rows, fmt.Errorf("--cycles: %s does not say its host's clock; add clock = \"266MHz\" to the platform's file", strings.Join(slices.Sorted(maps.Keys(clocks)), " or "))
	}
	var times []int
	for j, column := range rows.Columns {
		if key, isTime := strings.CutSuffix(column.Key, "_us"); isTime {
			times = append(times, j)
			rows.Columns = append(rows.Columns, reports.Column{Key: key + "_cycles", Head: column.Head + " (cycles)",
				Text: func(v any) string { return fmt.Sprintf("%.0f", v) }})
		}
	}
	for i, row := range rows.Data {
		clock := clocks[row[0].(string)]
		for _, j := range times {
			var cycles any
			if t, ok := row[j].(quantity.Micros); ok && clock > 0 {
				cycles = float64(t) * clock
			}
			row = append(row, cycles)
		}
		rows.Data[i] = row
	}
	return rows, nil
}
