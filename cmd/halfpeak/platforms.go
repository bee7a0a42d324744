package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study"
)

func newPlatforms() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:   "platforms",
		Short: "What platforms and layers there are; show NAME lists all parameters",
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(`unexpected argument %q; to see one platform, write "halfpeak platforms show %s"`, args[0], args[len(args)-1])
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			rows, err := listPlatforms()
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	cmd.AddCommand(newShow())
	return cmd
}

func listPlatforms() (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform", Head: "platform"}, {Key: "layer"}, {Key: "default"}, {Head: "layer"}, {Key: "model", Head: "model"},
		{Key: "paper", Head: "paper"}, {Key: "title", Head: "title"},
	}}
	all, err := platforms.All()
	if err != nil {
		return reports.Rows{}, err
	}
	for _, p := range all {
		for _, l := range p.Layers {
			title, marked := l.Title, l.Name
			if l.Name == p.Default {
				if len(p.Layers) > 1 {
					marked += " *"
				}
				title = strings.TrimSuffix(p.Title+": "+l.Title, ": ")
			}
			rows.Data = append(rows.Data, []any{p.Name, l.Name, l.Name == p.Default, marked, l.Kind, p.Paper, title})
		}
	}
	rows.Notes = []string{"* is the layer that the name of the platform alone stands for."}
	return rows, nil
}

func newShow() *cobra.Command {
	out := output{plain: true}
	cmd := &cobra.Command{
		Use:               "show PLATFORM",
		Short:             "Every parameter of a platform with its source",
		Example:           "  halfpeak platforms show clip",
		Args:              wantArgs(1, 1, `one platform, as in "halfpeak platforms show clip"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			p, _, err := platforms.Find(args[0])
			if err != nil {
				return err
			}
			return out.write(cmd, study.ParameterRows(p))
		},
	}
	out.declare(cmd)
	return cmd
}
