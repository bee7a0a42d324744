package main

import (
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

func newDocs() *cobra.Command {
	man := &cobra.Command{
		Use:     "man DIR",
		Short:   "Write a man page for each command into a folder",
		Example: "  halfpeak docs man /usr/local/share/man/man1",
		Args:    wantArgs(1, 1, `a folder, as in "halfpeak docs man /usr/local/share/man/man1"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return reports.FileError(args[0], err)
			}
			return writeMan(filesOf(cmd), cmd.Root(), args[0])
		},
	}
	return group("docs", "Documents made from this program: man pages", man)
}

// writeMan writes the pages of a command and of those beneath it. They are dated by the commit
// that the program was built from.
func writeMan(to reports.Files, cmd *cobra.Command, dir string) error {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() && c.Name() != "help" {
			if err := writeMan(to, c, dir); err != nil {
				return err
			}
		}
	}
	date := time.Unix(0, 0).UTC()
	if info, ok := debug.ReadBuildInfo(); ok {
		if t, err := time.Parse(time.RFC3339, buildSetting(info, "vcs.time")); err == nil {
			date = t
		}
	}
	cmd.DisableAutoGenTag = true
	name := strings.ReplaceAll(cmd.CommandPath(), " ", "-") + ".1"
	return to.Write(filepath.Join(dir, name), func(w io.Writer) error {
		if _, err := io.WriteString(w, `.\" `+reports.Imprint+"\n"); err != nil {
			return err
		}
		return doc.GenMan(cmd, &doc.GenManHeader{Section: "1", Source: "halfpeak " + version(), Manual: "Halfpeak", Date: &date}, w)
	})
}

// unitsText says how units are read and printed; docs/units.md says the same.
const unitsText = `Inside, times are in µs and sizes in bytes, so that bytes/µs is exactly MB/s.
JSON and CSV keep to these units, which their keys name.

Text and Markdown print a column in one unit, chosen for its values, with one
number of decimals. --unit chooses: "--unit GB/s", "--unit Gbit/s,ms". Sizes print
in the largest unit that leaves a whole number.

A size in KB, kB or K has 1,024 bytes and one in MB 1,048,576, as message sizes
have; a rate in MB/s is 10⁶ bytes per second. Lists and ranges of sizes are
"1,64,4KiB", "1..1MiB" (each twice the one before) and "1..64KiB/16" (16 for each
doubling).`

// unitRows is the vocabulary of units.
func unitRows() reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{{Head: "unit"}, {Head: "is"}, {Head: "also read"}}}
	for _, e := range quantity.Vocabulary() {
		is := e.Is
		if is == "" {
			is = "the unit inside, of " + e.Of
		}
		rows.Data = append(rows.Data, []any{e.Name, is, e.Aliases})
	}
	return rows
}

// newUnits is a topic of help.
func newUnits() *cobra.Command {
	var table strings.Builder
	if err := (reports.View{Width: 80}).Write(&table, unitRows()); err != nil {
		panic(err) // the rows are of this program
	}
	return &cobra.Command{Use: "units", Short: "The units that are read and printed", Long: unitsText + "\n\n" + strings.TrimSuffix(table.String(), "\n")}
}
