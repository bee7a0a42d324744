package main

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
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
			rows, err := showPlatform(args[0])
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
	}
	out.declare(cmd)
	return cmd
}

func showPlatform(ref string) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform"}, {Key: "parameter", Head: "parameter"}, {Key: "value", Head: "value"}, {Key: "base_value"},
		{Key: "base_unit"}, {Key: "source", Head: "source"},
	}}
	p, _, err := platforms.Find(ref)
	if err != nil {
		return reports.Rows{}, err
	}
	add := func(params []platforms.Param) {
		for _, q := range params {
			text, unit := describe(q)
			rows.Data = append(rows.Data, []any{p.Name, q.Path, text, q.Value.Num, unit, q.Source})
		}
	}
	add(p.Constants)
	for _, r := range p.Roofs {
		add([]platforms.Param{{Path: "roof." + r.Name + ".rate", Text: r.Text,
			Value: quantity.Value{Num: float64(r.Rate), Dim: quantity.DimRate}, Source: r.Source}})
	}
	add(p.Stages)
	for _, l := range p.Layers {
		add(l.Params)
	}
	rows.Notes = append(rows.Notes, p.Title)
	if p.Note != "" {
		rows.Notes = append(rows.Notes, p.Note)
	}
	for _, l := range p.Layers {
		note := l.Ref() + " (" + l.Kind
		if made := append(append([]string(nil), l.Stages...), l.Parts...); len(made) > 0 {
			note += " of " + strings.Join(made, ", ")
		}
		note += "): " + asymptotes(l.Model)
		if l.Name == p.Default {
			note += "; the default"
		}
		if l.Note != "" {
			note += ". " + l.Note
		}
		rows.Notes = append(rows.Notes, note)
	}
	return rows, nil
}

// describe prints the parameter as in the file, and its value where that is a
// formula; it also names the base unit.
func describe(q platforms.Param) (text, unit string) {
	value := ""
	switch q.Value.Dim {
	case quantity.DimTime:
		value, unit = quantity.Micros(q.Value.Num).String(), "us"
	case quantity.DimSize:
		value, unit = quantity.Bytes(q.Value.Num).String(), "B"
	case quantity.DimRate:
		value, unit = quantity.MBps(q.Value.Num).String(), "MB/s"
	case quantity.DimInverse:
		value, unit = quantity.MicrosPerByte(q.Value.Num).String(), "us/B"
	case quantity.DimClock:
		unit = "MHz"
	}
	if strings.ContainsAny(q.Text, "+*-(") || strings.Count(q.Text, "/") > 1 {
		return q.Text + " = " + value, unit
	}
	return q.Text, unit
}

// roofShare is the layer's peak bandwidth over its lowest roof, and that roof;
// ok is false if the file states none.
func roofShare(l platforms.Layer) (share float64, roof platforms.Roof, ok bool) {
	if len(l.Roofs) == 0 {
		return 0, platforms.Roof{}, false
	}
	return float64(model.Asymptote(l.Model) / l.Roofs[0].Rate), l.Roofs[0], true
}
