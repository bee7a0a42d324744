package main

import (
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study"
	"github.com/halfpeak/halfpeak/whatif"
)

type whatifOptions struct {
	format        choice
	path          string
	plot          string
	width, height int

	set    []string
	sizes  sizesFlag
	of     []string
	vary   []string
	target string
	by     []string

	sensitivity, where, landmarks, uncertainty bool

	against string
	samplingFlags
}

func newWhatif() *cobra.Command {
	var o whatifOptions
	cmd := &cobra.Command{
		Use:   "whatif PLATFORM",
		Short: "What another number would buy",
		Long: `Whatif changes parameters of a platform and says what becomes of it. NAME is a
parameter's path, or what suffices of it; "halfpeak platforms show" lists them. What
is computed from a parameter follows it. A VALUE is a formula with units.

  --set NAME=VALUE        before and after; also *= /= += -=
  --vary NAME=FROM..TO/N  all values of a range; twice for a heat map, more for a table
  --target CONDITION --by NAME   the value that reaches it, or what stands in the way
  --sensitivity           what a percent of each parameter changes
  --where                 which stage or parameter owns how much of the time
  --landmarks             n½, 90 % of the peak, and where protocols should switch
  --uncertainty           intervals of predictions, from those of the parameters

Each takes the design that --set leaves. --plot draws its figure.

The rows of --vary go to a table, or as they come to FILE.csv, FILE.jsonl or
FILE.parquet. A CSV or JSON Lines file that was interrupted goes on when the same
command is given again; Parquet, whose index stands at its end, begins anew.`,
		Example: `  halfpeak whatif clip --set host-dma.tau=3.8us/KiB --set host-dma-in.tau=3.8us/KiB
  halfpeak whatif clip --vary host-dma.tau=1us/KiB..8us/KiB/1000 --vary wire.tau=1us/KiB..8us/KiB/1000 --plot map.png
  halfpeak whatif hp-lam --target 'rtt(16B) <= rtt(16B)/2' --by o_r`,
		Args:              wantArgs(1, 1, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.check(cmd); err != nil {
				return err
			}
			base, err := whatif.Find(args[0])
			if err != nil {
				return err
			}
			d, err := base.Set(o.set...)
			if err != nil {
				return fmt.Errorf("--set %w", err)
			}
			switch {
			case len(o.vary) > 0:
				return o.runVary(cmd, d)
			case o.target != "":
				return o.runTarget(cmd, d)
			case o.sensitivity:
				return o.runSensitivity(cmd, d)
			case o.where:
				return o.runWhere(cmd, d)
			case o.landmarks:
				return o.runLandmarks(cmd, d)
			case o.uncertainty:
				return o.runUncertainty(cmd, base, d)
			default:
				return o.runSet(cmd, base, d)
			}
		},
	}
	o.sizes = newSizes("1,256,4KiB,64KiB,1MiB")
	f := cmd.Flags()
	o.format.choices = append([]string{string(reports.Text), string(reports.Markdown), string(reports.JSON)}, reports.StreamFormats()...)
	f.Var(&o.format, "format", "how to print (default text, or what the name of the -o file says)")
	complete(cmd, "format", o.format.choices)
	f.StringVarP(&o.path, "output", "o", "", "write to this `file`, whole or not at all")
	f.StringVar(&o.plot, "plot", "", "draw the figure into this `file` (png, svg, pdf)")
	declareSize(cmd, &o.width, &o.height)
	f.StringArrayVar(&o.set, "set", nil, "change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	f.Var(&o.sizes, "size", "message sizes; for --vary 64KiB if not given")
	f.StringSliceVar(&o.of, "of", nil, "the `quantities` to look at: "+strings.Join(whatif.Quantities(), ", "))
	f.StringArrayVar(&o.vary, "vary", nil, "walk through a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be given again")
	f.StringVar(&o.target, "target", "", "a `condition`, as in \"bandwidth(4KiB) >= 100MB/s\" or \"rtt(16B) <= rtt(16B)/2\"")
	f.StringArrayVar(&o.by, "by", nil, "the `NAME` of the parameter that is to reach it, or NAME=FROM..TO; two for a curve, none for each of all")
	f.BoolVar(&o.sensitivity, "sensitivity", false, "what a percent of each parameter changes; the figure is a tornado")
	f.BoolVar(&o.where, "where", false, "which stage or parameter owns how much of the one-way time and of the gap")
	f.BoolVar(&o.landmarks, "landmarks", false, "n½, 90 % of the peak, and where protocols should switch")
	f.BoolVar(&o.uncertainty, "uncertainty", false, "predictions with 95 % intervals, from those of the parameters")
	f.StringVar(&o.against, "against", "", "with --uncertainty: how likely it is faster than this `platform`")
	o.declare(f)
	completeParams(cmd, "set", "=")
	completeParams(cmd, "vary", "=")
	completeParams(cmd, "by", "")
	complete(cmd, "of", whatif.Quantities())
	return cmd
}

// check finds flags that do not go together.
func (o *whatifOptions) check(cmd *cobra.Command) error {
	questions := 0
	for _, asked := range []bool{len(o.vary) > 0, o.target != "", o.sensitivity, o.where, o.landmarks, o.uncertainty} {
		if asked {
			questions++
		}
	}
	switch {
	case len(o.by) > 0 && o.target == "":
		return usagef("--by is of --target; give a condition, as in --target 'bandwidth(4KiB) >= 100MB/s'")
	case o.against != "" && !o.uncertainty:
		return usagef("--against is of --uncertainty; halfpeak compare shows platforms side by side")
	case questions > 1:
		return usagef("--vary, --target, --sensitivity, --where, --landmarks and --uncertainty are different questions; ask one at a time")
	case questions == 0 && len(o.set) == 0:
		return usagef("nothing is asked: give --set NAME=VALUE, --vary, --target, --sensitivity, --where, --landmarks or --uncertainty")
	case questions == 0 && o.plot != "":
		return usagef("--plot draws --vary, --target, --sensitivity, --where and --uncertainty; for curves before and after, use halfpeak plot")
	}
	if err := o.samplingFlags.check(); err != nil {
		return err
	}
	for _, name := range o.of {
		if _, err := whatif.NewQuantity(name, 1); err != nil {
			return usagef("--of %w", err)
		}
	}
	if ext := strings.TrimPrefix(strings.ToLower(filepath.Ext(o.plot)), "."); o.plot != "" && !slices.Contains(reports.Exts(), ext) {
		return usagef("--plot %s: no image format %q; use .%s", o.plot, ext, strings.Join(reports.Exts(), ", ."))
	}
	return nil
}

// tableFormat is the asked-for format, or what the name of the -o file says; "" is text.
func (o *whatifOptions) tableFormat() string {
	if o.format.value != "" {
		return o.format.value
	}
	ext := strings.ToLower(filepath.Ext(o.path))
	if f, ok := formats[ext]; ok {
		return string(f)
	}
	if slices.Contains(reports.StreamFormats(), strings.TrimPrefix(ext, ".")) {
		return strings.TrimPrefix(ext, ".")
	}
	return ""
}

// write prints a table, and draws the picture if one is asked for; p may be nil.
func (o *whatifOptions) write(cmd *cobra.Command, rows reports.Rows, p reports.Picture) error {
	format := o.tableFormat()
	if format == "jsonl" || format == "parquet" {
		return usagef("%s is for the rows of --vary; use text, markdown, csv or json here", format)
	}
	if err := o.draw(p); err != nil {
		return err
	}
	out := output{format: reports.Format(format), path: o.path}
	return out.write(cmd, rows)
}

func (o *whatifOptions) draw(p reports.Picture) error {
	if o.plot == "" || p == nil {
		return nil
	}
	return reports.WriteFile(o.plot, func(w io.Writer) error { return p.WriteImage(w, filepath.Ext(o.plot), o.width, o.height) })
}

func (o *whatifOptions) runSet(cmd *cobra.Command, before, after whatif.Design) error {
	rows, err := beforeAfter(before, after, o.sizes)
	if err != nil {
		return err
	}
	return o.write(cmd, rows, nil)
}

// completeParams completes the names of the platform's parameters.
func completeParams(cmd *cobra.Command, flag, ending string) {
	err := cmd.RegisterFlagCompletionFunc(flag, func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		d, err := whatif.Find(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		params, err := d.Platform.Uses(d.Layer.Name)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		var names []string
		for _, p := range params {
			names = append(names, p.Path+ending+"\t"+whatif.Format(p.Value))
		}
		return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	})
	if err != nil {
		panic(err) // a flag that this program does not declare
	}
}

// arrow prints a value before and after, and the change: "589.30 → 441.10 µs, −25.1 %".
func arrow(before, after fmt.Stringer, change float64) string {
	from, to := before.String(), after.String()
	if from == to {
		return to
	}
	number, unit, _ := strings.Cut(from, " ")
	if _, other, _ := strings.Cut(to, " "); other == unit {
		from = number
	}
	if math.IsNaN(change) || math.IsInf(change, 0) {
		return from + " → " + to
	}
	return fmt.Sprintf("%s → %s, %s", from, to, percent(change))
}

// percent prints a part of one: "+12.3 %".
func percent(v float64) string { return minus(fmt.Sprintf("%+.1f %%", 100*v)) }

// minus makes a hyphen before a number the minus sign that it is.
func minus(number string) string { return strings.Replace(number, "-", "−", 1) }

func beforeAfter(before, after whatif.Design, sizes sizesFlag) (reports.Rows, error) {
	rows := reports.Rows{Columns: []reports.Column{
		{Key: "platform"}, {Key: "layer"}, {Key: "size_bytes", Head: "size"},
		{Head: "one way"}, {Key: "one_way_before_us"}, {Key: "one_way_after_us"}, {Key: "one_way_change_percent"},
		{Head: "gap"}, {Key: "gap_before_us"}, {Key: "gap_after_us"}, {Key: "gap_change_percent"},
		{Head: "bandwidth"}, {Key: "bandwidth_before_mb_s"}, {Key: "bandwidth_after_mb_s"}, {Key: "bandwidth_change_percent"},
		{Head: "best packet"}, {Key: "best_packet_before_bytes"}, {Key: "best_packet_after_bytes"},
		{Head: "bottleneck"}, {Key: "bottleneck_before"}, {Key: "bottleneck_after"},
		{Key: "n_half_before_bytes"}, {Key: "n_half_after_bytes"}, {Key: "r_inf_before_mb_s"}, {Key: "r_inf_after_mb_s"},
	}}
	halfBefore, halfAfter := halfPeak(before.Layer.Model), halfPeak(after.Layer.Model)
	for _, n := range sizes.sizes {
		a, err := before.At(n)
		if err != nil {
			return rows, err
		}
		b, err := after.At(n)
		if err != nil {
			return rows, err
		}
		oneWay, gap := float64(b.OneWay/a.OneWay)-1, float64(b.Gap/a.Gap)-1
		bandwidth := float64(b.Bandwidth/a.Bandwidth) - 1
		packets, packetBefore, packetAfter := any(nil), any(nil), any(nil)
		if a.BestPacket > 0 {
			packetBefore, packetAfter = a.BestPacket, b.BestPacket
			packets = arrow(a.BestPacket, b.BestPacket, math.NaN())
		}
		bottleneck := a.Bottleneck
		if b.Bottleneck != bottleneck {
			bottleneck += " → " + b.Bottleneck
		}
		rows.Data = append(rows.Data, []any{before.Platform.Name, before.Layer.Name, n,
			arrow(a.OneWay, b.OneWay, oneWay), a.OneWay, b.OneWay, 100 * oneWay,
			arrow(a.Gap, b.Gap, gap), a.Gap, b.Gap, 100 * gap,
			arrow(a.Bandwidth, b.Bandwidth, bandwidth), a.Bandwidth, b.Bandwidth, 100 * bandwidth,
			packets, packetBefore, packetAfter, bottleneck, a.Bottleneck, b.Bottleneck,
			halfBefore, halfAfter, model.Asymptote(before.Layer.Model), model.Asymptote(after.Layer.Model)})
	}
	for _, c := range after.Changes {
		rows.Notes = append(rows.Notes, fmt.Sprintf("%s: %s → %s", c.Path, c.From, c.To))
	}
	was, is := study.Asymptotes(before.Layer.Model), study.Asymptotes(after.Layer.Model)
	if was != is {
		is = was + " → " + is
	}
	rows.Notes = append(rows.Notes, before.Layer.Ref()+": "+is)
	return rows, nil
}

// halfPeak is n½ as a cell of a table.
func halfPeak(l model.Layer) any {
	if n, ok := model.HalfPeak(l); ok {
		return n
	}
	return nil
}
