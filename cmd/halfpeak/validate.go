package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/judge"
)

type validateOptions struct {
	output
	layers   layerOptions
	sizes    sizesFlag
	programs []string
	nodes    int
	trace    string
	faults   string
	seed     uint64
	plotting
}

func newValidate() *cobra.Command {
	measured := newLiveMeasurement()
	o := validateOptions{sizes: newSizes("1,1KiB,64KiB,1MiB")}
	cmd := &cobra.Command{
		Use:   "validate PLATFORM… | validate --live TRANSPORT",
		Short: "Run the message engine beside the model",
		Long: `Validate runs programs of active messages on simulated nodes, whose parts cost the
times in the platform's file, and prints the results beside the model's formulas and
the measurements. Where they differ, it says why.

` + programs.Help(programs.Simulated) + `
Where a window of credits holds a layer's pieces back, latency and bandwidth store their
data, so that each piece takes a credit.
Without --size, it also runs the measured sizes.`,
		Example: `  halfpeak validate clip --program latency
  halfpeak validate hp-lam --program signature
  halfpeak validate clip --program latency --plot latency.png
  halfpeak validate clip --program latency --size 16KiB --trace out.json`,
		Args:              measured.args(wantArgs(1, -1, `at least one platform, as in "halfpeak validate clip"`)),
		ValidArgsFunction: completePlatforms,
		RunE: func(cmd *cobra.Command, args []string) error {
			if measured.given() {
				rows, err := measured.run(filesOf(cmd))
				if err != nil {
					return err
				}
				return o.write(cmd, rows)
			}
			return o.run(cmd, args)
		},
	}
	o.declare(cmd)
	o.layers.declare(cmd)
	measured.declare(cmd)
	f := cmd.Flags()
	f.Var(&o.sizes, "size", "message sizes; the measured ones too if not given")
	f.StringSliceVar(&o.programs, "program", nil, "only these `programs`")
	complete(cmd, "program", judge.Programs())
	f.IntVar(&o.nodes, "nodes", 8, "nodes of all_to_1, test_xfer and test_med")
	f.Var((*outputFile)(&o.trace), "trace", "write when each resource was busy to this `file`, for Perfetto or chrome://tracing")
	o.declarePlot(cmd, "draw one-way times of model and engine into this `file`")
	f.StringVar(&o.faults, "faults", "", `faults to inject, as in "drop=0.01,reorder=0.01,late=100us" or "die=1@500us"; also duplicate, corrupt, delay, stop`)
	f.Uint64Var(&o.seed, "seed", 1, "seed of the faults")
	return cmd
}

// check finds what is wrong with the options.
func (o *validateOptions) check(args []string) error {
	for _, name := range o.programs {
		if !slices.Contains(judge.Programs(), name) {
			return usagef("unknown --program %q; choose from %s", name, strings.Join(judge.Programs(), ", "))
		}
	}
	if o.nodes < 2 || o.nodes > 1024 {
		return usagef("--nodes must be 2 to 1024 (got %d)", o.nodes)
	}
	if o.trace != "" && (len(args) > 1 || len(o.programs) != 1 || o.programs[0] == "packet" || len(o.sizes.sizes) != 1) {
		return usagef("--trace shows one run: give one platform, one --program (not packet) and one --size")
	}
	return nil
}

func (o *validateOptions) run(cmd *cobra.Command, args []string) error {
	if err := o.check(args); err != nil {
		return err
	}
	asked := judge.ValidateOptions{Programs: o.programs, Sizes: o.sizes.sizes, Measured: !cmd.Flags().Changed("size"), Nodes: o.nodes}
	if o.faults != "" {
		var err error
		if asked.Faults, err = virtual.ParseFaults(o.faults); err != nil {
			return usagef("--faults %w", err)
		}
		asked.Faults.Seed = o.seed
	}
	if o.trace != "" {
		asked.Trace = &virtual.Trace{}
	}
	designs, err := o.layers.designs(args)
	if err != nil {
		return err
	}
	v, err := judge.Validate(asked, designs...)
	if err != nil {
		return err
	}
	if o.trace != "" {
		if err := filesOf(cmd).Write(o.trace, asked.Trace.Write); err != nil {
			return err
		}
	}
	if err := o.draw(cmd, func() (reports.Picture, error) { return v.Figure(), nil }); err != nil {
		return err
	}
	return o.write(cmd, v.Rows())
}
