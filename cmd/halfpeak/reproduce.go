package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/data"
	"github.com/halfpeak/halfpeak/reports"
)

func newReproduce() *cobra.Command {
	out := output{plain: true}
	var plots, paper string
	cmd := &cobra.Command{
		Use:   "reproduce",
		Short: "Every number that the papers state or measured, beside ours",
		Long: `Reproduce computes each number of the papers that a model speaks of. The roles are

  input     a parameter of a model, or what it was derived from: no test of it
  stated    computed in the paper: it must come out again
  measured  measured and not an input: the test of the model

A stated number that does not come out has a note with the reason; without one
the exit status is 1. With --plots it also draws the figures of the papers.`,
		Example: "  halfpeak reproduce --plots plots\n  halfpeak reproduce --paper CLIP --format csv",
		Args:    wantArgs(0, 0, "no argument; --paper NAME selects a paper"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			results, err := data.Reproduce()
			if err != nil {
				return err
			}
			if paper != "" {
				if results, err = ofPaper(results, paper); err != nil {
					return err
				}
			}
			if plots != "" {
				if err := drawFigures(plots); err != nil {
					return err
				}
			}
			if err := out.write(cmd, reproduceRows(results)); err != nil {
				return err
			}
			return unexplained(results)
		},
	}
	out.declare(cmd)
	cmd.Flags().StringVar(&plots, "plots", "", "draw the figures into this `folder`")
	cmd.Flags().StringVar(&paper, "paper", "", "only this `paper`")
	complete(cmd, "paper", data.Papers())
	return cmd
}

func ofPaper(results []data.Result, paper string) ([]data.Result, error) {
	if !slices.Contains(data.Papers(), paper) {
		return nil, usagef("no paper %q; there is %s", paper, strings.Join(data.Papers(), ", "))
	}
	return slices.DeleteFunc(results, func(r data.Result) bool { return r.Paper != paper }), nil
}

func reproduceRows(results []data.Result) reports.Rows {
	percent := func(v any) string { return fmt.Sprintf("%+.1f %%", v) }
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "source", Head: "source"}, {Key: "place", Head: "place"}, {Head: "layer"}, {Key: "quantity", Head: "quantity"},
		{Key: "role", Head: "role"}, {Key: "printed", Head: "printed"}, {Key: "computed", Head: "ours"},
		{Key: "unit", Head: "unit"}, {Key: "error_percent", Head: "error", Text: percent}, {Key: "note"},
		{Key: "layer"}, {Key: "relation"}, {Key: "low"}, {Key: "high"}, {Key: "met", Head: "met"}, {Head: "note"}, {Key: "id"}, {Key: "formula"},
	}}
	var notes []string
	for _, r := range results {
		mark := ""
		if r.Note != "" && (!r.Met || math.Abs(r.Error) > 0.1) {
			i := slices.Index(notes, r.Note)
			if i < 0 {
				i = len(notes)
				notes = append(notes, r.Note)
			}
			mark = fmt.Sprintf("[%d]", i+1)
		}
		rows.Data = append(rows.Data, []any{r.Paper, r.Place, r.Layer, r.Quantity, string(r.Role), r.Value, r.Computed,
			r.Unit, 100 * r.Error, orNil(r.Note), r.Layer, r.Relation, r.Low, r.High, r.Met, mark, r.ID, r.Formula})
	}
	for i, note := range notes {
		rows.Notes = append(rows.Notes, fmt.Sprintf("[%d] %s", i+1, note))
	}
	rows.Notes = append(rows.Notes, summary(results)...)
	return rows
}

// summary counts the roles, and tells for each platform how far the measured
// numbers are from the models.
func summary(results []data.Result) []string {
	count := map[data.Role]int{}
	missed := 0
	var order []string
	errors := map[string][]float64{}
	inside := map[string]int{}
	var all []float64
	for _, r := range results {
		count[r.Role]++
		if r.Role == data.Stated && !r.Met {
			missed++
		}
		if r.Role != data.Measured || math.IsNaN(r.Error) {
			continue
		}
		platform, _, _ := strings.Cut(r.Layer, "/")
		if errors[platform] == nil {
			order = append(order, platform)
		}
		errors[platform] = append(errors[platform], math.Abs(r.Error))
		all = append(all, math.Abs(r.Error))
		if r.Met {
			inside[platform]++
		}
	}
	lines := []string{fmt.Sprintf("%d inputs, %d stated (%d of them do not come out; each has its reason), %d measured.",
		count[data.Input], count[data.Stated], missed, count[data.Measured])}
	slices.Sort(order)
	for _, p := range order {
		lines = append(lines, fmt.Sprintf("%s: %d measured, median error %.1f %%, worst %.1f %%, %d inside the error bar.",
			p, len(errors[p]), 100*median(errors[p]), 100*slices.Max(errors[p]), inside[p]))
	}
	if len(all) > 0 {
		lines = append(lines, fmt.Sprintf("All measured numbers: median error %.1f %%, worst %.1f %%.", 100*median(all), 100*slices.Max(all)))
	}
	return lines
}

func median(values []float64) float64 {
	v := slices.Sorted(slices.Values(values))
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}

// unexplained is an error if a stated number does not come out and nothing says why.
func unexplained(results []data.Result) error {
	var ids []string
	for _, r := range results {
		if r.Role == data.Stated && !r.Met && r.Note == "" {
			ids = append(ids, fmt.Sprintf("%s (printed %s, ours %.6g)", r.ID, r.Printed, r.Computed))
		}
	}
	if len(ids) == 0 {
		return nil
	}
	return fmt.Errorf("stated numbers that do not come out, without a reason: %s", strings.Join(ids, ", "))
}

// drawFigures draws the figures of the papers into a folder.
func drawFigures(folder string) error {
	figures, err := data.Figures()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return fmt.Errorf("cannot make the folder %s: %w; choose another for --plots", folder, err)
	}
	for _, f := range figures {
		o := plotOptions{title: f.Title, kind: choice{value: f.Kind}}
		if err := o.sizes.Set(f.Sizes); err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		o.layers.packet = f.Packet
		picture, err := plot(f.Platforms, o)
		if err != nil {
			return fmt.Errorf("figure %s: %w", f.Name, err)
		}
		path := filepath.Join(folder, f.Name+".png")
		err = reports.WriteFile(path, func(w io.Writer) error { return picture.WriteImage(w, "png", 800, 500) })
		if err != nil {
			return err
		}
	}
	return nil
}
