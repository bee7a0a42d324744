package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/simulations"
)

type simulateOptions struct {
	output
	layers      layerOptions
	rules       choice
	text        simulations.Text
	machines    []string
	totals, why bool
	trace       string
	reading     mpitrace.Options
	simulations.Options
}

func newSimulate() *cobra.Command {
	o := simulateOptions{output: output{plain: true}, reading: mpitrace.Defaults}
	cmd := &cobra.Command{
		Use:   "simulate FILE…",
		Short: "Finish times of a parallel program: a schedule of operations, or a trace",
		Long: `Simulate runs a schedule in GOAL's text or binary form, or the trace of an MPI
program by liballprof or SimGrid, with LogGOPS parameters or with messages that cost
what a platform says: its layer between all ranks, or if it has levels, what the
level says at which two ranks meet; --map places them. It prints when each rank is finished; of a trace, and
with several machines, what the finish consists of. Files may be compressed by gzip.`,
		Example: `  halfpeak simulate app.goal --loggops 'L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B'
  halfpeak simulate app.goal --machine clip --totals
  halfpeak simulate app.goal --why --trace app.json
  halfpeak simulate app.goal --noise 'exponential mean=10us every=1ms' --runs 1000
  halfpeak simulate pmpi-trace-rank-*.txt.gz --machine clip --machine hp-lam`,
		Args: wantArgs(1, -1, `a schedule or the files of a trace, as in "halfpeak simulate app.goal"`),
		RunE: o.run,
	}
	o.declare(cmd)
	o.layers.declare(cmd)
	flags := cmd.Flags()
	enum(cmd, &o.rules, "rules", "what the parameters mean", simulate.RulesNames()...)
	flags.StringVar(&o.text.LogGOPS, "loggops", "", "LogGOPS `parameters`, as in \"L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B\"")
	flags.StringArrayVar(&o.machines, "machine", nil, "messages cost what this `platform` says; again for a row beside it")
	flags.StringVar(&o.text.Eager, "eager", "", "on machines: larger messages wait for their receive; `size`")
	flags.StringVar(&o.Map, "map", "", "on machines with levels: place ranks by `core`, by a level, or on a list of cores")
	flags.StringVar(&o.text.Noise, "noise", "", "what the system takes from processors: a `file` of detours, or as in \"exponential mean=10us every=1ms\"")
	flags.BoolVar(&o.text.Together, "noise-together", false, "all ranks begin at one moment of the file of detours")
	flags.IntVar(&o.Runs, "runs", 1, "run so `many` times with different noise; how the finish is distributed")
	flags.Uint64Var(&o.Run.Seed, "seed", 1, "of the noise; `number`")
	flags.BoolVar(&o.totals, "totals", false, "one row for the whole schedule")
	flags.BoolVar(&o.why, "why", false, "what the finish consists of, and what it depends on")
	flags.StringVar(&o.trace, "trace", "", "write what every rank did to this JSON `file`, for Perfetto")
	flags.Float64Var(&o.reading.Scale, "computation", 1, "computations of a trace take so many `times` as long")
	flags.Float64Var(&o.reading.FlopsPerSecond, "flops", 1e9, "of a processor, for a SimGrid trace; so many a `second`")
	if err := cmd.RegisterFlagCompletionFunc("machine", completePlatforms); err != nil {
		panic(err) // a flag that this program does not declare
	}
	return cmd
}

// check returns the first contradiction of the flags.
func (o *simulateOptions) check() error {
	recorded, machines := o.why || o.trace != "", len(o.machines)
	loggopsim := o.rules.value == simulate.LogGOPSim.String()
	switch {
	case o.Runs < 1:
		return usagef("--runs %d: want 1 or more", o.Runs)
	case o.Runs > 1 && (recorded || o.totals):
		return usagef("--runs prints a distribution: leave out --why, --trace and --totals")
	case o.Runs > 1 && o.text.Noise == "":
		return usagef("--runs %d without --noise: all runs are the same", o.Runs)
	case o.why && o.totals:
		return usagef("--why and --totals are different tables: choose one")
	case machines > 1 && (recorded || o.totals || o.Runs > 1):
		return usagef("--why, --trace, --totals and --runs are of one machine: give one --machine")
	case recorded && loggopsim:
		return usagef("--why and --trace follow the default rules: leave out --rules")
	case machines > 0 && o.text.LogGOPS != "":
		return usagef("give --loggops or --machine, not both")
	case machines > 0 && loggopsim:
		return usagef("--rules loggopsim knows --loggops parameters, no --machine")
	case machines == 0 && (o.text.Eager != "" || o.layers.packet != ""):
		return usagef("--eager and --packet are for a --machine; --loggops has S")
	case machines == 0 && o.Map != "":
		return usagef("--map places ranks on a --machine with levels")
	case o.text.Together && o.text.Noise == "":
		return usagef("--noise-together needs --noise with a file of detours")
	}
	return nil
}

func (o *simulateOptions) run(cmd *cobra.Command, args []string) (err error) {
	if err := o.check(); err != nil {
		return err
	}
	o.text.Rules, o.Run.Record = o.rules.value, o.trace != ""
	if file, err := o.text.Read(&o.Options); err != nil && !file {
		return usageError{err}
	} else if err != nil {
		return err
	}
	if o.Machines, err = o.layers.designs(o.machines); err != nil {
		return err
	}
	switch {
	case o.why:
		o.Table = simulations.Reasons
	case o.totals:
		o.Table = simulations.Totals
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	bar, done := terminal.Counter(cmd.ErrOrStderr(), "events")
	o.Run.Progress = func(now simulate.Progress) { bar(int64(now.Events), int64(now.Total)) }
	in, err := simulations.ReadInput(ctx, o.reading, args...)
	var s *simulations.Simulation
	if err == nil {
		if s, err = simulations.Run(ctx, in, o.Options); err != nil {
			err = fmt.Errorf("%s: %w", in.Name, err)
		}
	}
	done()
	if ctx.Err() != nil && err != nil {
		return errors.New("interrupted")
	}
	if err == nil && o.trace != "" {
		err = filesOf(cmd).Write(o.trace, s.WriteTrace)
	}
	if err != nil {
		return err
	}
	tables := []reports.Rows{s.Rows()}
	if o.why && o.forPeople() {
		tables = append(tables, s.PathRows())
	}
	return o.write(cmd, tables...)
}
