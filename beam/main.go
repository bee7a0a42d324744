// Beam runs "halfpeak fleet" as a pipeline of Apache Beam: in this process (Prism), on Flink, on
// Spark or on Dataflow. It writes the parts that --shard writes, byte for byte, for "halfpeak fleet
// merge".
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
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/fleetflags"
	"github.com/halfpeak/halfpeak/shard"
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
		Short: "Run halfpeak fleet on Apache Beam",
		Long: `Beam runs "halfpeak fleet" as a pipeline of Apache Beam and writes the parts that --shard writes;
"halfpeak fleet merge" merges them. --runner and the flags of its engine are Beam's.`,
		Example: `  beam fleet night/ -o part && halfpeak fleet merge part
  beam fleet /shared/night --parts 64 -o /shared/part --runner flink --endpoint localhost:8099`,
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
	cmd.AddCommand(newFleet(&o))
	return cmd
}

// newFleet declares the flags of "halfpeak fleet".
func newFleet(o *options) *cobra.Command {
	var q fleet.Question
	cmd := &cobra.Command{Use: "fleet DIR|FILE…", Short: "The files of a fleet, read by many workers", Args: cobra.MinimumNArgs(1)}
	finish := fleetflags.Declare(cmd.Flags(), &q)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := finish(args); err != nil {
			return err
		}
		return o.run(cmd.Context(), func() (*job, error) { return newJob(cmd.Context(), q, o.path, o.parts) })
	}
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
		return fmt.Errorf("--parts must be 1 to %d (got %d)", shard.Most, o.parts)
	}
	j, err := plan()
	if err != nil {
		return err
	}
	j.force = o.force
	for {
		p, s := beam.NewPipelineWithRoot()
		j.run(s)
		if err = beamx.Run(ctx, p); err == nil || ctx.Err() != nil || o.attempts <= 1 {
			return err
		}
		o.attempts--
	}
}
