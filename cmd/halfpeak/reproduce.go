package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/judge"
)

func newReproduce() *cobra.Command {
	out := output{plain: true}
	var plots, paper string
	var all bool
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Every number that the papers state or measured, beside ours",
		Long: `Reproduce computes each number in the papers that a model covers, and prints how
good the models are; --all, CSV and JSON have a row for each number.
The roles are

  input     a parameter of a model, or a number behind one: no test of the model
  stated    computed in the paper: it must come out again
  measured  a test of the model, as good as its class
  none      no model computes it; the note has the reason

and the classes of measured numbers (only the first counts) are

  predicted   computed from parameters that were measured elsewhere
  fitted      a constant of the formula comes from the same curve
  same-table  computed from neighbours in the same table
  repeated    printed again: an input, or scored already
  copied      another system's number stands for it

A stated number that does not come out has a note with the reason; without one
the exit status is 1. With --plots it also draws the figures of the papers.`,
		Example: "  halfpeak reproduce --plots plots\n  halfpeak reproduce --paper CLIP --all\n  halfpeak reproduce --format csv",
		Args:    wantArgs(0, 0, "no argument; --paper NAME selects a paper"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if paper != "" && !slices.Contains(data.Papers(), paper) {
				return usagef("no paper %q; there is %s", paper, strings.Join(data.Papers(), ", "))
			}
			r, err := judge.Reproduce(paper)
			if err != nil {
				return err
			}
			if plots != "" {
				if err := drawFigures(filesOf(cmd), plots); err != nil {
					return err
				}
			}
			tables := []reports.Rows{r.Rows()}
			if out.forPeople() && !all {
				tables = r.Summary()
				last := &tables[len(tables)-1]
				last.Notes = append(last.Notes, "All rows: --all; for programs: --format csv; the papers' figures: --plots FOLDER.")
			}
			if err := out.write(cmd, tables...); err != nil {
				return err
			}
			return r.Unexplained()
		},
	}
	out.declare(cmd)
	cmd.Flags().StringVar(&plots, "plots", "", "draw the figures into this `folder`")
	cmd.Flags().StringVar(&paper, "paper", "", "only this `paper`")
	cmd.Flags().BoolVar(&all, "all", false, "a row for each number")
	complete(cmd, "paper", data.Papers())
	return cmd
}

// drawFigures draws the figures of the papers into a folder.
func drawFigures(files atomicfile.Files, folder string) error {
	figures, err := judge.PaperFigures()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder %q: %w; choose another for --plots", folder, err)
	}
	for _, f := range figures {
		path := filepath.Join(folder, f.Name+".png")
		if err := files.Write(path, func(w io.Writer) error { return reports.WriteImage(w, f, "png", 800, 500) }); err != nil {
			return err
		}
	}
	return nil
}
