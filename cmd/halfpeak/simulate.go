package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

type simulateOptions struct {
	output
	layers      layerOptions
	rules       choice
	loggops     string
	eager       string
	noise       string
	together    bool
	runs        int
	seed        uint64
	totals, why bool
	trace       string
}

func newSimulate() *cobra.Command {
	o := simulateOptions{output: output{plain: true}}
	cmd := &cobra.Command{
		Use:   "simulate FILE [PLATFORM]",
		Short: "Finish times of a parallel program: a schedule of operations",
		Long: `Simulate runs a schedule in GOAL's text or binary form (also compressed by gzip) with LogGOPS parameters, or with
messages that cost what a platform's layer says, and prints when each rank is finished.`,
		Example: `  halfpeak simulate app.goal --loggops 'L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B'
  halfpeak simulate app.goal clip --totals
  halfpeak simulate app.goal --why --trace app.json
  halfpeak simulate app.goal --noise 'exponential mean=10us every=1ms' --runs 1000`,
		Args: wantArgs(1, 2, `a schedule, as in "halfpeak simulate app.goal"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			rows, err := o.run(cmd, args)
			if err != nil {
				return err
			}
			return o.write(cmd, rows)
		},
	}
	o.declare(cmd)
	o.layers.declare(cmd)
	flags := cmd.Flags()
	enum(cmd, &o.rules, "rules", "what the parameters mean", simulate.RulesNames()...)
	flags.StringVar(&o.loggops, "loggops", "", "LogGOPS `parameters`, as in \"L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B\"")
	flags.StringVar(&o.eager, "eager", "", "with a platform: larger messages wait for their receive; `size`")
	flags.StringVar(&o.noise, "noise", "", "what the system takes from processors: a `file` of detours, or as in \"exponential mean=10us every=1ms\"")
	flags.BoolVar(&o.together, "noise-together", false, "all ranks begin at one moment of the file of detours")
	flags.IntVar(&o.runs, "runs", 1, "run so `many` times with different noise; how the finish is distributed")
	flags.Uint64Var(&o.seed, "seed", 1, "of the noise; `number`")
	flags.BoolVar(&o.totals, "totals", false, "one row for the whole schedule")
	flags.BoolVar(&o.why, "why", false, "what the finish consists of, and what it depends on")
	flags.StringVar(&o.trace, "trace", "", "write what every rank did to this JSON `file`, for Perfetto")
	return cmd
}

// check returns the first contradiction of the flags.
func (o *simulateOptions) check(args []string) error {
	recorded := o.why || o.trace != ""
	switch {
	case o.runs < 1:
		return usagef("--runs %d: want 1 or more", o.runs)
	case o.runs > 1 && (recorded || o.totals):
		return usagef("--runs prints a distribution: leave out --why, --trace and --totals")
	case o.runs > 1 && o.noise == "":
		return usagef("--runs %d without --noise: all runs are the same", o.runs)
	case o.why && o.totals:
		return usagef("--why and --totals are different tables: choose one")
	case recorded && o.rules.value == simulate.LogGOPSim.String():
		return usagef("--why and --trace follow the default rules: leave out --rules")
	case len(args) > 1 && o.loggops != "":
		return usagef("give --loggops or a platform, not both")
	case len(args) > 1 && o.rules.value == simulate.LogGOPSim.String():
		return usagef("--rules loggopsim knows --loggops parameters, no platform")
	case len(args) == 1 && o.eager != "":
		return usagef("--eager is for a platform; write S=%s in --loggops", o.eager)
	case len(args) == 1 && o.layers.packet != "":
		return usagef("--packet is for a platform")
	case o.together && o.noise == "":
		return usagef("--noise-together needs --noise with a file of detours")
	}
	return nil
}

func (o *simulateOptions) run(cmd *cobra.Command, args []string) (reports.Rows, error) {
	if err := o.check(args); err != nil {
		return reports.Rows{}, err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	run, err := o.options(args)
	if err != nil {
		return reports.Rows{}, err
	}
	s, err := readSchedule(args[0])
	if err != nil {
		return reports.Rows{}, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return reports.Rows{}, fmt.Errorf("%s: %w", args[0], err)
	}
	bar, shown := func(int64) {}, uint64(0)
	run.Progress = func(now simulate.Progress) {
		if shown == 0 {
			bar = terminal.Progress(cmd.ErrOrStderr(), int64(now.Total), 0, "events")
		}
		bar(int64(now.Events - min(shown, now.Events)))
		shown = max(now.Events, 1)
	}
	began := time.Now()
	rows, err := o.rows(ctx, p, s, run)
	bar(-1)
	switch {
	case ctx.Err() != nil && err != nil:
		return rows, errors.New("interrupted")
	case err != nil:
		return rows, fmt.Errorf("%s: %w", args[0], err)
	}
	if o.totals {
		rows.Data[0] = append(rows.Data[0], time.Since(began).Seconds())
	}
	return rows, nil
}

// options are what the flags say of the run.
func (o *simulateOptions) options(args []string) (run simulate.Options, err error) {
	run.Seed, run.Record = o.seed, o.trace != ""
	if run.Rules, err = simulate.ParseRules(o.rules.value); err != nil {
		return run, err
	}
	if run.LogGOPS, err = simulate.ParseLogGOPS(o.loggops, simulate.Defaults()); err != nil {
		return run, usagef("--loggops: %w", err)
	}
	if len(args) > 1 {
		designs, err := o.layers.designs(args[1:])
		if err != nil {
			return run, err
		}
		l := designs[0].Layer
		eager := simulate.NoLimit
		if o.eager != "" {
			if eager, err = quantity.ParseBytes(o.eager); err != nil {
				return run, usagef("--eager %w", err)
			}
		}
		if run.Machine, err = simulate.FromLayer(l, eager); err != nil {
			return run, err
		}
	}
	if o.noise != "" {
		run.Noise, err = o.readNoise()
	}
	return run, err
}

// readNoise reads a file of detours, or a distribution: what has a "=" and no file of that name
// is one.
func (o *simulateOptions) readNoise() (simulate.Noise, error) {
	f, err := os.Open(o.noise)
	if err != nil {
		if strings.Contains(o.noise, "=") {
			n, err := simulate.ParseNoise(o.noise)
			if err != nil {
				return n, usagef("--noise: %w", err)
			}
			if o.together {
				return n, usagef("--noise-together is for a file of detours")
			}
			return n, nil
		}
		return simulate.Noise{}, fmt.Errorf("--noise: %w; give a file of detours, or a distribution as in \"exponential mean=10us every=1ms\"", err)
	}
	defer f.Close()
	return simulate.ReadNoise(f, o.noise, o.together)
}

func readSchedule(path string) (*schedule.Schedule, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return schedule.Read(f, path)
}

// rows are those of the table that the flags ask for.
func (o *simulateOptions) rows(ctx context.Context, p *simulate.Program, s *schedule.Schedule, run simulate.Options) (reports.Rows, error) {
	if o.runs > 1 {
		times, err := p.Runs(ctx, run, o.runs)
		if err != nil {
			return reports.Rows{}, err
		}
		return runsRows(times, o.seed), nil
	}
	if o.why {
		w, err := p.Why(ctx, run, growths...)
		if err != nil {
			return reports.Rows{}, err
		}
		return whyRows(w, s), o.writeTrace(w.Result)
	}
	r, err := p.Run(ctx, run)
	if err != nil {
		return reports.Rows{}, err
	}
	if err := o.writeTrace(r); err != nil {
		return reports.Rows{}, err
	}
	if o.totals {
		return totalsRows(r, s), nil
	}
	return ranksRows(r), nil
}

func (o *simulateOptions) writeTrace(r *simulate.Result) error {
	if o.trace == "" {
		return nil
	}
	line, err := r.Timeline()
	if err != nil {
		return err
	}
	return reports.WriteFile(o.trace, func(w io.Writer) error { return line.WriteTrace(w) })
}

func ranksRows(r *simulate.Result) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{{Key: "rank", Head: "rank"}, {Key: "finish_us", Head: "finish"}}}
	for rank, t := range r.Ranks {
		rows.Data = append(rows.Data, []any{rank, r.Micros(t)})
	}
	return rows
}

func totalsRows(r *simulate.Result, s *schedule.Schedule) reports.Rows {
	messages := 0
	for _, op := range s.Ops() {
		if op.Kind == schedule.Send {
			messages++
		}
	}
	finish, rank := r.Finish()
	return reports.Rows{
		Columns: []reports.Column{{Key: "ranks", Head: "ranks"}, {Key: "operations", Head: "operations"}, {Key: "messages", Head: "messages"}, {Key: "events", Head: "events"},
			{Key: "finish_us", Head: "finish"}, {Key: "slowest_rank", Head: "slowest rank"}, {Key: "wall_s", Head: "simulated in (s)"}},
		Data: [][]any{{s.Ranks(), len(s.Ops()), messages, r.Events, finish, rank}},
	}
}

func runsRows(times []quantity.Micros, seed uint64) reports.Rows {
	sum := quantity.Micros(0)
	for _, t := range times {
		sum += t
	}
	q := func(q float64) quantity.Micros { return simulate.Quantile(times, q) }
	return reports.Rows{
		Columns: []reports.Column{{Key: "runs", Head: "runs"}, {Key: "seed", Head: "seed"}, {Key: "min_us", Head: "least"}, {Key: "p5_us", Head: "5 %"}, {Key: "p50_us", Head: "median"},
			{Key: "mean_us", Head: "mean"}, {Key: "p95_us", Head: "95 %"}, {Key: "p99_us", Head: "99 %"}, {Key: "max_us", Head: "most"}},
		Data: [][]any{{len(times), seed, q(0), q(0.05), q(0.5), sum / quantity.Micros(len(times)), q(0.95), q(0.99), q(1)}},
	}
}

// growths are the delays for which --why says how far parameters may grow.
var growths = []float64{0.01, 0.05, 0.10}

// parameterOf is the LogGOPS parameter behind a share, by its name.
var parameterOf = map[string]string{"L": "L", "o_s": "o", "o_r": "o", "g": "g", "G·bytes": "G", "O·bytes": "O"}

func whyRows(w *simulate.Why, s *schedule.Schedule) reports.Rows {
	rows := reports.Rows{Columns: []reports.Column{{Key: "part", Head: "part"}, {Key: "time_us", Head: "time"}, {Key: "percent", Head: "%"},
		{Key: "parameter", Head: "parameter"}, {Key: "slope", Head: "∂T/∂parameter"}}}
	for _, g := range growths {
		rows.Columns = append(rows.Columns, reports.Column{Key: fmt.Sprintf("value_%.0f_percent_later_ns", 100*g), Head: fmt.Sprintf("%.0f %% later at", 100*g), Text: growthText})
	}
	finish, rank := w.Result.Finish()
	for _, part := range w.Path.Shares.Parts() {
		row := []any{part.Name, w.Result.Micros(part.Ticks), 100 * float64(part.Ticks) / max(1, float64(w.Path.Shares.Sum())), nil, nil}
		letter := parameterOf[part.Name]
		var growth []simulate.Growth
		for _, list := range w.Growth {
			if list[0].Parameter == letter {
				growth = list
			}
		}
		if growth != nil {
			row[3], row[4] = letter, w.Path.Slopes.By(letter)
		}
		for i := range growths {
			var value any
			if growth != nil && !math.IsInf(growth[i].Value, 0) {
				value = growth[i].Value * 1e3
			}
			row = append(row, value)
		}
		rows.Data = append(rows.Data, row)
	}
	ranks := map[int]bool{}
	for _, segment := range w.Path.Segments {
		ranks[segment.Rank] = true
	}
	rows.Notes = append(rows.Notes, fmt.Sprintf("rank %d finishes last, after %s; its path has %d steps on %d of %d ranks", rank, finish, len(w.Path.Segments), len(ranks), s.Ranks()))
	return rows
}

func growthText(v any) string { return fmt.Sprintf("%.6g ns", v) }
