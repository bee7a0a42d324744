package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/whatif"
)

type whatifOptions struct {
	output
	set   []string
	sizes sizesFlag
}

func newWhatif() *cobra.Command {
	o := whatifOptions{sizes: newSizes("1,256,4KiB,64KiB,1MiB")}
	cmd := &cobra.Command{
		Use:   "whatif PLATFORM --set NAME=VALUE…",
		Short: "What another number would buy",
		Long: `Whatif changes parameters of a platform and says what becomes of it: times, gap and
bandwidth before and after, and what limits them. NAME is a parameter's path, or
what suffices of it; "halfpeak platforms show" lists them. What is computed from a
parameter follows. VALUE is a formula with units; the operators are = *= /= += -=.`,
		Example: `  halfpeak whatif clip --set host-dma.tau=3.8us/KiB --set host-dma-in.tau=3.8us/KiB
  halfpeak whatif hp-lam --set 'o_r*=0.5' --size 16B`,
		Args:              wantArgs(1, 1, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'"`),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			base, err := whatif.Find(args[0])
			if err != nil {
				return err
			}
			if len(o.set) == 0 {
				return usagef("nothing to change: give --set NAME=VALUE")
			}
			changed, err := base.Set(o.set...)
			if err != nil {
				return fmt.Errorf("--set %w", err)
			}
			rows, err := beforeAfter(base, changed, o.sizes)
			if err != nil {
				return err
			}
			return o.write(cmd, rows)
		},
	}
	o.declare(cmd)
	cmd.Flags().StringArrayVar(&o.set, "set", nil, "change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	cmd.Flags().Var(&o.sizes, "size", "message sizes")
	completeParams(cmd, "set", "=")
	return cmd
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

// percent prints a part of one: "+12.3 %", with a minus sign that is one.
func percent(v float64) string {
	return strings.Replace(fmt.Sprintf("%+.1f %%", 100*v), "-", "−", 1)
}

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
	was, is := asymptotes(before.Layer.Model), asymptotes(after.Layer.Model)
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
