package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/judge"
)

func newReproduce() *cobra.Command {
	out := output{plain: true}
	var plots, paper string
	var all bool
	cmd := command("reproduce", wantArgs(0, 0, "no argument; --paper NAME selects a paper"), func(cmd *cobra.Command, _ []string) error {
		if paper != "" && !slices.Contains(data.Papers(), paper) {
			return usagef("no paper %q; choose from %s", paper, strings.Join(data.Papers(), ", "))
		}
		r, err := judge.Reproduce(paper)
		if err != nil {
			return err
		}
		if plots != "" {
			if err := drawFigures(cmd, plots); err != nil {
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
	})
	out.declare(cmd)
	cmd.Flags().StringVar(&plots, "plots", "", "draw the figures into this `folder`")
	cmd.Flags().StringVar(&paper, "paper", "", "only this `paper`")
	cmd.Flags().BoolVar(&all, "all", false, "a row for each number")
	complete(cmd, "paper", data.Papers())
	return cmd
}

// drawFigures draws the figures of the papers into a folder.
func drawFigures(cmd *cobra.Command, folder string) error {
	figures, err := judge.PaperFigures()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder %q: %w; choose another for --plots", folder, err)
	}
	for _, f := range figures {
		path := filepath.Join(folder, f.Name+".png")
		if err := drawTo(cmd, path, f, 800, 500); err != nil {
			return err
		}
	}
	return nil
}
