package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

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
}

func (c *choice) Set(text string) error {
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
	*c = choice{choices[0], choices}
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
	plain  bool // the notes tell nothing that CSV and JSON do not have in columns
}

func (o *output) declare(cmd *cobra.Command) {
	cmd.Flags().Var(&o.format, "format", "how to print; without it as the name of the -o file says")
	cmd.Flags().StringVarP(&o.path, "output", "o", "", "write to this `file`, whole or not at all")
	complete(cmd, "format", reports.Formats())
}

// formats are the formats that a file's extension stands for.
var formats = map[string]reports.Format{".csv": reports.CSV, ".json": reports.JSON, ".md": reports.Markdown}

// write prints tables, one under the other: several are for people alone. Doubts go to stderr
// where the format has no place for them.
func (o *output) write(cmd *cobra.Command, tables ...reports.Rows) error {
	format := o.format
	if format == "" {
		format = formats[strings.ToLower(filepath.Ext(o.path))]
	}
	write := func(w io.Writer) error {
		for i, rows := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := reports.Write(w, format, rows); err != nil {
				return err
			}
		}
		return nil
	}
	var err error
	if o.path == "" {
		err = write(cmd.OutOrStdout())
	} else {
		err = reports.WriteFile(o.path, write)
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
