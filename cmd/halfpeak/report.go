package main

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/report"
)

func newReport() *cobra.Command {
	sizes := newSizes("1..1MiB/16")
	var format choice
	var path, title string
	cmd := &cobra.Command{
		Use:   "report PLATFORM… -o FILE.html",
		Short: "One file to send: curves, numbers, sources, what matters",
		Long: `Report writes one file about platforms that a person can send: key numbers in words,
curves with measured points, the pipeline packet by packet, where the time goes, the
roof, measurements beside predictions, and every parameter with its source. An HTML
file needs no other file and no network: its figures show the values under the
pointer, its tables sort, and it prints. Markdown has tables in place of figures.`,
		Example: `  halfpeak report clip -o clip.html
  halfpeak report clip hp-lam mpc my.toml -o report.html
  halfpeak report clip -o clip.md`,
		Args:              wantArgs(1, -1, `at least one platform, as in "halfpeak report clip -o clip.html"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			write, err := documentWriter(format.value, path)
			if err != nil {
				return err
			}
			doc, err := report.New(title, sizes.sizes, args...)
			if err != nil {
				return err
			}
			if path == "" {
				return write(doc, cmd.OutOrStdout())
			}
			return filesOf(cmd).Write(path, func(w io.Writer) error { return write(doc, w) })
		},
	}
	enum(cmd, &format, "format", "the kind of file; without it as the name of the -o file says", "html", "markdown")
	format.value, cmd.Flags().Lookup("format").DefValue = "", ""
	cmd.Flags().VarP((*outputFile)(&path), "output", "o", "write to this `file`, whole or not at all; without it Markdown is printed")
	cmd.Flags().Var(&sizes, "size", "message sizes of the curves")
	cmd.Flags().StringVar(&title, "title", "", "title of the report")
	return cmd
}

// documentWriter chooses how a report is written.
func documentWriter(format, path string) (func(reports.Document, io.Writer) error, error) {
	if format == "" {
		switch ext := strings.ToLower(filepath.Ext(path)); {
		case ext == ".html" || ext == ".htm":
			format = "html"
		case ext == ".md" || ext == ".markdown" || path == "":
			format = "markdown"
		default:
			return nil, usagef("-o %q: no kind of report %q; use .html or .md, or say --format html or markdown", path, ext)
		}
	}
	if format == "html" {
		return reports.Document.WriteHTML, nil
	}
	return reports.Document.WriteMarkdown, nil
}
