package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// newWhatif declares whatif, the costs before and after a change. Its other questions are
// subcommands.
func newWhatif() *cobra.Command {
	var o whatifOptions
	cmd := command("whatif",
		wantArgs(1, 1, `one platform, as in "halfpeak whatif clip --set 'host-dma.tau*=0.5'"`),
		o.asking(func(ctx context.Context, about whatif.Case) (table.Answer, error) {
			err := savePlatform(o.save, func() ([]byte, error) {
				return about.After.Encode(platforms.WrittenBy + "whatif.")
			})
			if err != nil {
				return nil, err
			}
			return whatif.ChangeQuestion{Case: about}.Ask(ctx)
		}))
	o.declare(cmd)
	outputFlag(cmd.Flags(), &o.save, saveFlag, "",
		"write the changed platform into this TOML `file`")
	o.declareSizes(cmd, whatif.TableSizes)
	o.declareQuantity(cmd)
	o.declareCall(cmd, needs("", "--set", "no change: give --set NAME=VALUE, or ask a question: "+
		`"halfpeak help whatif" lists them`), needs("--quantity", "--schedule, --collective", ""))
	cmd.AddCommand(newSweep(), newTarget(), newSensitivity(), newBreakdown(), newUncertainty(),
		newThresholds())
	return cmd
}

// newTarget declares whatif target.
func newTarget() *cobra.Command {
	var o whatifOptions
	var solveFor []string
	cmd := command("whatif target", wantArgs(2, 2, "a platform and a condition, as in "+
		`"halfpeak whatif target clip 'bandwidth(4KiB) >= 100MB/s'"`),
		o.run(func(ctx context.Context, _ *cobra.Command, args []string) (table.Answer, error) {
			return o.target(ctx, args[0], args[1], solveFor)
		}))
	o.declare(cmd)
	cmd.Flags().StringArrayVar(&solveFor, "solve-for", nil,
		"parameter to change: `NAME` or NAME=FROM..TO")
	completeParams(cmd, "solve-for", "")
	o.declareSizes(cmd, whatif.OneSize)
	o.declareFigure(cmd)
	o.declareCall(cmd,
		// Three parameters that reach a target are a surface, which no table shows.
		within("--solve-for", 1, 2,
			"--solve-for takes one parameter for a value, two for a curve (got {n})"),
		needs("--plot", "two --solve-for",
			"--plot requires two --solve-for, whose curve it draws"),
		needs("--size", "--collective", "the condition names the size; omit --size"))
	return cmd
}

// target finds the values that reach a condition: of one parameter, the curve of two, or of each in
// turn if none is named.
func (o *whatifOptions) target(ctx context.Context, ref, condition string, solveFor []string) (
	table.Answer, error) {
	about, err := o.about(ctx, ref, solveFor...)
	if err != nil {
		return nil, err
	}
	q := whatif.TargetQuestion{Case: about}
	if q.Target, err = about.After.ParseTarget(condition); err != nil {
		return nil, err
	}
	for _, text := range solveFor {
		r, err := about.After.Searched(text)
		if err != nil {
			return nil, usage.Fields(err, "solve-for")
		}
		q.By = append(q.By, r)
	}
	if len(q.By) == 2 {
		return whatif.TradeQuestion{Case: about, Target: q.Target, X: q.By[0],
			Y: q.By[1], Map: o.plot != ""}.Ask(ctx)
	}
	if o.isCall() {
		o.bar(-1)
		q.Watch, o.bar = o.searching()
	}
	return q.Ask(ctx)
}

// newSensitivity declares whatif sensitivity.
func newSensitivity() *cobra.Command {
	var o whatifOptions
	cmd := command("whatif sensitivity",
		wantArgs(1, 1, `one platform, as in "halfpeak whatif sensitivity clip"`),
		o.asking(func(ctx context.Context, about whatif.Case) (table.Answer, error) {
			return whatif.SensitivityQuestion{Case: about}.Ask(ctx)
		}))
	o.declare(cmd)
	o.declareSizes(cmd, whatif.OneSize)
	o.declareQuantity(cmd)
	o.declareFigure(cmd)
	// The table takes several sizes; its picture does not.
	o.declareCall(cmd, excludes("--plot", "several --size, several --quantity",
		"a tornado shows one quantity of one size; give one --size and one --quantity"))
	return cmd
}

// newBreakdown declares whatif breakdown.
func newBreakdown() *cobra.Command {
	var o whatifOptions
	cmd := command("whatif breakdown",
		wantArgs(1, 1, `one platform, as in "halfpeak whatif breakdown clip"`),
		o.asking(func(ctx context.Context, about whatif.Case) (table.Answer, error) {
			return whatif.BreakdownQuestion{Case: about, Areas: o.plot != ""}.Ask(ctx)
		}))
	o.declare(cmd)
	o.declareSizes(cmd, whatif.TableSizes)
	o.declareQuantity(cmd)
	o.declareFigure(cmd)
	o.declareCall(cmd,
		excludes("--schedule, --collective", "--plot",
			"the parts of --collective or --schedule have no picture; halfpeak plot --kind "+
				"ranks draws a schedule"),
		// Only these two are sums over stages; a bandwidth has no parts.
		excludes("--plot", "another quantity than one_way or gap",
			"--plot shows the parts of --quantity one_way or --quantity gap"),
		needs("--quantity", "--plot, --schedule, --collective", ""))
	return cmd
}

// newUncertainty declares whatif uncertainty.
func newUncertainty() *cobra.Command {
	var o whatifOptions
	var by samplingFlags
	cmd := command("whatif uncertainty",
		wantArgs(1, 2, `one platform or two, as in "halfpeak whatif uncertainty my.toml"`),
		o.run(func(ctx context.Context, _ *cobra.Command, args []string) (
			_ table.Answer, err error) {
			all, err := o.open(args...)
			if err != nil {
				return nil, err
			}
			q := whatif.UncertaintyQuestion{Sampling: by.sampling(ctx), Bands: o.plot != ""}
			if q.Case, err = o.change(ctx, all[0], nil); err != nil {
				return nil, err
			}
			if len(all) > 1 {
				other, err := o.study(ctx, all[1])
				if err != nil {
					return nil, err
				}
				q.Against = &other
			}
			q.Sampling.Watch = o.sampled()
			return q.Ask(ctx)
		}))
	o.declare(cmd)
	o.declareSizes(cmd, whatif.TableSizes)
	o.declareQuantity(cmd)
	by.declare(cmd.Flags())
	o.declareFigure(cmd)
	o.declareCall(cmd, samplesRule)
	return cmd
}

// newThresholds declares whatif thresholds.
func newThresholds() *cobra.Command {
	var o whatifOptions
	var by samplingFlags
	cmd := command("whatif thresholds",
		wantArgs(1, 1, `one platform, as in "halfpeak whatif thresholds parnass"`),
		o.asking(func(ctx context.Context, about whatif.Case) (table.Answer, error) {
			q := whatif.ThresholdQuestion{Case: about, Sampling: by.sampling(ctx)}
			q.Sampling.Watch = o.sampled()
			return q.Ask(ctx)
		}))
	o.declare(cmd)
	by.declare(cmd.Flags())
	obey(cmd, nil, samplesRule)
	return cmd
}
