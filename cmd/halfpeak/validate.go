package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/reports/check"
)

// validateOptions holds the flags of the comparison with the engine.
type validateOptions struct {
	output
	asked  check.EngineQuestion
	layers layerOptions
	trace  string
	faults string
	seed   uint64
	plotting
}

// newValidate declares validate, which has two judges: the engine for platforms, and
// with --live the transports of this machine. Their flags do not mix.
func newValidate() *cobra.Command {
	var measured liveOptions
	var o validateOptions
	cmd := command("validate",
		measured.args(wantArgs(1, -1, `at least one platform, as in "halfpeak validate clip"`)),
		func(cmd *cobra.Command, args []string) error {
			if measured.transport != "" {
				return measured.run(cmd, &o.output)
			}
			return o.run(cmd, args)
		})
	o.declare(cmd)
	cmd.Long += "\n\nThe programs are\n\n" +
		programLines(programs.Simulated)
	o.layers.use = eachLevel
	o.layers.declare(cmd)
	measured.declare(cmd)
	f := cmd.Flags()
	declareSizes(cmd, &o.asked.Sizes, "size", "1,1KiB,64KiB,1MiB",
		"message sizes; the measured ones too if not given")
	f.StringSliceVar(&o.asked.Programs, "programs", nil, "only these `programs`")
	complete(cmd, "programs", programs.Names(programs.Simulated))
	f.IntVar(&o.asked.Nodes, "nodes", 8, "nodes of all_to_1, test_xfer and test_med")
	outputFlag(f, &o.trace, "trace", "",
		"write when each resource was busy to this `file`, for Perfetto or chrome://tracing")
	o.declarePlot(cmd, "draw one-way times of model and engine into this `file`")
	f.StringVar(&o.faults, "faults", "",
		"faults to inject, as in \"drop=0.01,reorder=0.01,late=100us\" or \"die=1@500us\"; "+
			"also duplicate, corrupt, delay, stop")
	f.Uint64Var(&o.seed, "seed", 1, "seed of the faults")
	obey(cmd, o.facts, validateRules...)
	return cmd
}

var validateRules = []rule{
	needs("--budget, --pin, --save", "--live", "{} requires --live"),
	excludes("--size, --programs, --nodes, --trace, --plot, --faults", "--live",
		"{} is for simulated platforms, not for --live"),
	needs("--seed", "--faults", ""),
	within("--nodes", 2, 1024, ""),
	needs("--nodes", "a program on several nodes", "--nodes is the number of all_to_1, test_xfer "+
		"and test_med; the others run on two nodes"),
	excludes("programs of one size", "--size",
		"--programs {--programs} has a size of its own; omit --size"),
	needs("--unit", "--plot", "--unit is for the picture; the table has a column of units"),
	// A trace has one clock. The program packet is a search, in which the engine runs many times.
	needs("--trace", "one run",
		"--trace shows one run: give one platform, one program (not packet) and one size"),
}

// facts returns the words of the rules that no flag decides.
func (o *validateOptions) facts(args []string) facts {
	asked := slices.DeleteFunc(programs.List(programs.Simulated), func(p programs.Program) bool {
		return o.asked.Programs != nil && !slices.Contains(o.asked.Programs, p.Name)
	})
	own := len(asked) > 0 && !slices.ContainsFunc(asked, func(p programs.Program) bool {
		return p.Sizes != programs.Own
	})
	return facts{
		"one run": len(args) == 1 && len(o.asked.Programs) == 1 &&
			o.asked.Programs[0] != "packet" && (own || len(o.asked.Sizes) == 1),
		"programs of one size": own,
		"a program on several nodes": len(asked) == 0 ||
			slices.ContainsFunc(asked, func(p programs.Program) bool { return p.Nodes == 0 }),
	}
}

// check returns an error for an unknown program.
func (o *validateOptions) check() error {
	for _, name := range o.asked.Programs {
		if !slices.Contains(programs.Names(programs.Simulated), name) {
			return usagef("unknown program %q; choose from %s", name,
				strings.Join(programs.Names(programs.Simulated), ", "))
		}
	}
	return nil
}

func (o *validateOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.check(); err != nil {
		return err
	}
	asked := &o.asked
	// Sizes that were given are meant as they are; otherwise the papers' sizes join
	// the default ones, so that measurements appear beside both.
	asked.Measured = !cmd.Flags().Changed("size")
	if o.faults != "" {
		var err error
		if asked.Faults, err = virtual.ParseFaults(o.faults); err != nil {
			return usagef("--faults %w", err)
		}
		asked.Faults.Seed = o.seed
	}
	// A nil trace records nothing, which is faster.
	if o.trace != "" {
		asked.Trace, o.layers.use = &virtual.Trace{}, oneLevel
	}
	var err error
	if asked.On, err = o.layers.designs(args); err != nil {
		return err
	}
	// The engine judges by itself: it gets the resources of a layer, not its formula.
	v, err := asked.Ask(cmd.Context())
	if err != nil {
		return err
	}
	if o.trace != "" {
		if err := atomicfile.Write(o.trace, asked.Trace.Write); err != nil {
			return err
		}
	}
	if err := o.draw(o.units, v.Figure); err != nil {
		return err
	}
	return o.write(cmd, v.Rows())
}
