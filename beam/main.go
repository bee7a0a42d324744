// Beam runs "halfpeak fleet" and "halfpeak whatif --vary" as pipelines of Apache Beam: in this
// process (Prism), on Flink, on Spark or on Dataflow. They write the parts that --shard writes, byte
// for byte, and "halfpeak fleet merge" and "halfpeak whatif merge" answer from them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/shard"
	"github.com/halfpeak/halfpeak/study/sweeps"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := newBeam().ExecuteContext(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "beam:", err)
		os.Exit(1)
	}
}

func newBeam() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:   "beam",
		Short: "Halfpeak's fleets and sweeps on Apache Beam",
		Long: `Beam runs "halfpeak fleet" and "halfpeak whatif --vary" as pipelines of Apache Beam, and
writes the parts that --shard writes; "halfpeak fleet merge" and "halfpeak whatif merge"
answer from them. The flags of a question are those of halfpeak; those of --runner
and of its engine are Beam's.`,
		Example: `  beam fleet night/ -o part && halfpeak fleet merge part
  beam fleet /shared/night --parts 64 -o /shared/part --runner flink --endpoint localhost:8099
  beam whatif clip --vary wire.tau=1us/KiB..8us/KiB/1000000 --parts 8 -o part`,
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		PersistentPreRunE: func(*cobra.Command, []string) error {
			if err := flag.CommandLine.Parse(nil); err != nil { // its values are set; this says so
				return err
			}
			beam.Init() // does not return where an engine started this as its worker
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	f := cmd.PersistentFlags()
	f.AddGoFlagSet(flag.CommandLine)
	f.StringVarP(&o.path, "output", "o", "", "the part; of several, the beginning of their names (part-1, …): a `path` that workers write, also gs://")
	f.IntVar(&o.parts, "parts", 1, "number of parts; each must fit into the memory of a worker")
	f.IntVar(&o.attempts, "attempts", 1, "how often to begin; Prism does not run again what failed, and the other engines do")
	f.BoolVar(&o.force, "force", false, "replace a file that is not halfpeak's")
	cmd.AddCommand(newFleet(&o), newWhatif(&o))
	return cmd
}

// newFleet declares the flags of "halfpeak fleet".
func newFleet(o *options) *cobra.Command {
	var q fleet.Question
	least, rate := flags.Percent(1), flags.Percent(5)
	cmd := &cobra.Command{
		Use:   "fleet DIR|FILE…",
		Short: "The files of a fleet, read by many",
		Args:  cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rate <= 0 || rate >= 50 {
				return fmt.Errorf("--rate %v: give more than 0 and less than 50 %%", float64(rate))
			}
			q.Roots, q.Options.Least, q.Options.Rate = args, float64(least)/100, float64(rate)/100
			return o.run(cmd.Context(), func() (*job, error) { return fleetJob(cmd.Context(), q, o.path, o.parts) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&q.Options.Name, "name", "", "`pattern` of file names")
	f.StringSliceVar(&q.Options.Columns, "nodes", nil, "`columns` that name the nodes")
	f.StringVar(&q.Options.X, "x", "", "`column` of the sizes")
	f.StringVar(&q.Options.Y, "y", "", "`column` of the times")
	f.StringSliceVar(&q.Options.Group, "group", nil, "`columns` whose values are curves of their own")
	f.StringSliceVar(&q.Options.Pool, "pool", nil, "`columns` whose values are not told apart")
	f.StringVar(&q.Before, "before", "", "earlier measurements; a folder or `file`")
	f.BoolVar(&q.Options.Odd, "odd", false, "report what is fast as well as what is slow")
	f.Var(&rate, "rate", "false discovery rate")
	f.Var(&least, "least", "smallest effect that is reported")
	f.BoolVar(&q.Options.All, "all", false, "list all that was tested")
	return cmd
}

// newWhatif declares the flags of "halfpeak whatif --vary".
func newWhatif(o *options) *cobra.Command {
	var q sweeps.Question
	cmd := &cobra.Command{
		Use:   "whatif PLATFORM --vary NAME=FROM..TO/N",
		Short: "The rows of a sweep, computed by many",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(q.Vary) == 0 {
				return errors.New("nothing varies; give --vary NAME=FROM..TO/N")
			}
			q.Platform = args[0]
			return o.run(cmd.Context(), func() (*job, error) { return sweepJob(cmd.Context(), q, o.path, o.parts) })
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&q.Set, "set", nil, "change a parameter: `NAME=VALUE`")
	f.StringArrayVar(&q.Vary, "vary", nil, "walk through a range: `NAME=FROM..TO/N`")
	f.StringVar(&q.Sizes, "size", "", "message `sizes`")
	f.StringSliceVar(&q.Of, "of", nil, "the `quantities` to look at")
	f.StringArrayVar(&q.Schedule, "schedule", nil, "one more quantity: the finish of the schedule or trace in this `file`")
	return cmd
}

// options say where parts go.
type options struct {
	path            string
	parts, attempts int
	force           bool
}

// run runs a job, and from its beginning again where it failed: it writes a part whole or not at
// all, and a second time the same.
func (o *options) run(ctx context.Context, plan func() (*job, error)) error {
	switch {
	case o.path == "":
		return errors.New("name the part, as in -o part")
	case o.parts < 1 || o.parts > shard.Most:
		return fmt.Errorf("--parts %d: there can be 1 to %d", o.parts, shard.Most)
	}
	j, err := plan()
	if err != nil {
		return err
	}
	j.force = o.force
	for {
		p, s := beam.NewPipelineWithRoot()
		j.merge(s, j.records(s))
		if err = beamx.Run(ctx, p); err == nil || ctx.Err() != nil || o.attempts <= 1 {
			return err
		}
		o.attempts--
	}
}
