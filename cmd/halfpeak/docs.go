package main

import (
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/man"
	"github.com/halfpeak/halfpeak/reports"
)

func newDocs() *cobra.Command {
	return group("docs", "Documents made from this program: man pages", &cobra.Command{
		Use:     "man DIR",
		Short:   "Write a man page for each command into a folder",
		Example: "  halfpeak docs man /usr/local/share/man/man1",
		Args:    wantArgs(1, 1, `a folder, as in "halfpeak docs man /usr/local/share/man/man1"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o777); err != nil {
				return atomicfile.FileError(args[0], err)
			}
			return man.Write(filesOf(cmd), cmd.Root(), args[0])
		},
	})
}

// newTopics returns the help topics that are not commands.
func newTopics() []*cobra.Command {
	var table strings.Builder
	if err := (reports.View{Width: 80}).Write(&table, reports.UnitRows()); err != nil {
		panic(err) // the rows are of this program
	}
	return []*cobra.Command{
		{Use: "units", Short: "The units that are read and printed", Long: reports.UnitsText + "\n\n" + strings.TrimSuffix(table.String(), "\n")},
		{Use: "files", Short: "Which files are written, and written over", Long: atomicfile.Help},
	}
}
