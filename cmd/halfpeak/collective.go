package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/collectives"
	"github.com/halfpeak/halfpeak/whatif"
)

func newCollective() *cobra.Command {
	var out output
	var layers layerOptions
	var call callFlags
	var segments sizesFlag
	var ranks flags.Ranks
	var plot string
	var width, height int
	var crossovers, unverified bool
	q := collectives.Question{}
	var beside measuredFlags
	sizes := newSizes("8,64,512,4KiB,32KiB,256KiB,1MiB")
	cmd := &cobra.Command{
		Use:   "collective COLLECTIVE PLATFORM",
		Short: "Predict the times of a collective by algorithm, ranks and size",
		Long: `Collective simulates the algorithms of a collective and finds the fastest.

On a platform with levels, a message costs what the two ranks' common level says (socket, node,
switch), and ranks share memory and ports as the file says. --map-by places the ranks: by core
(the default), by a level as mpirun --map-by does, or on a list of cores. On a platform without
levels, or on one layer (my.toml/node), all ranks are equally far apart and share no memory, bus
or NIC. If nodes run many ranks, real times differ, and another algorithm may be faster.

"time" is when the last rank finishes, "average" the mean over ranks. --osu-loop reports the times
that OSU's benchmarks print. --plot draws a map of the fastest algorithm over sizes and ranks, or
curves if there is one size or one number of ranks. --export writes a library's rules file and
compares only the library's algorithms. If the platform file has measured collectives
("halfpeak fit FILES --save"), times are fitted to them and have intervals. --measured compares
with benchmark files, at their ranks and sizes unless --ranks or --size chooses.`,
		Example: `  halfpeak collective bcast clip --ranks 2..64 --size 8..1MiB --algorithm best
  halfpeak collective bcast clip --ranks 2..256/4 --size 8..1MiB/4 --plot map.png
  halfpeak collective allreduce my.toml --measured osu-16.out,osu-64.out
  halfpeak collective allreduce cluster.toml --map-by node
  halfpeak collective bcast clip --segment 4KiB,16KiB --export openmpi --unverified -o bcast.rules`,
		Args: wantArgs(2, 2, `a collective and a platform, as in "halfpeak collective bcast clip"`),
		RunE: func(cmd *cobra.Command, args []string) error {
			if plot != "" && !isImage(plot) {
				return usagef("--plot %q: no such kind of image; use .%s", plot, strings.Join(reports.Exts(), ", ."))
			}
			fits, err := collectives.FitsOf(args[1], args[0])
			if err != nil {
				return err
			}
			var design whatif.Design
			if q.Fits = fits; len(fits) == 0 || beside.files.Paths != nil {
				designs, err := layers.designs(args[1:])
				switch {
				case err == nil:
					design, q.Fits = designs[0], nil
				case len(fits) == 0: // else there is no layer: measurements beside those that were saved
					return err
				}
			}
			switch {
			case q.PerNode < 0:
				return usagef("--ranks-per-node must be at least 1 (got %d)", q.PerNode)
			case (q.PerNode > 0 || q.Total) && len(q.Fits) == 0:
				return usagef("--ranks-per-node and --total need measured collectives: fit them with \"halfpeak fit FILES --save my.toml\"; a machine with levels knows its nodes, and its sizes are those of one rank's block")
			}
			if q.Statistic = beside.of(); q.Statistic != "" && len(q.Fits) == 0 && beside.files.Paths == nil {
				return usagef("--statistic is for measured times: of --measured files, or of a platform file with measured collectives")
			}
			if own := q.Library != "" && q.Library != "openmpi-json"; out.format != "" && q.Library != "" || own && extension(out.path) == "json" {
				return usagef("--export %s has a form of its own, and --format does not change it; rules in JSON are --export openmpi-json", q.Library)
			}
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			q.Layer, q.Machine, q.Within = design.Layer, design.Machine(), contention.IntervalsOf(design.Platform)
			q.Collective, q.Ranks, q.Sizes, q.Segments, q.Call = args[0], ranks.Values, sizes.sizes, segments.sizes, call.value()
			if q.Library != "" && beside.files.Paths == nil {
				if len(q.Fits) == 0 && !unverified && slices.Contains(collectives.Libraries(), q.Library) {
					return usagef("--export %s: no collective of %s was measured, and rules from times of single messages are often slower than the library's own choice; measure collectives and fit them (halfpeak fit --model collective), or add --unverified", q.Library, args[1])
				}
				q.Sizes = collectives.DenseSizes(q.Sizes)
			}
			var bar func(int64)
			q.Progress = func(done, total int) {
				if done == 1 {
					bar = terminal.Progress(cmd.ErrOrStderr(), int64(total), 0, "times")
				}
				bar(1)
			}
			if beside.files.Paths != nil {
				return beside.write(ctx, cmd, &out, q)
			}
			times, err := collectives.Compute(ctx, q)
			if bar != nil {
				bar(-1)
			}
			switch {
			case ctx.Err() != nil:
				return errors.New("interrupted")
			case err != nil:
				return err
			}
			if plot != "" {
				if err := drawTo(filesOf(cmd), plot, times.Picture(), width, height); err != nil {
					return err
				}
			}
			switch {
			case crossovers:
				changes, err := times.Crossovers(ctx, q)
				if err != nil {
					return err
				}
				return out.write(cmd, changes.Rows())
			case q.Library == "":
				return out.write(cmd, times.Rows())
			}
			if !times.Fitted {
				if _, err := fmt.Fprintln(cmd.ErrOrStderr(), collectives.Unverified); err != nil {
					return err
				}
			}
			write := func(w io.Writer) error { return times.WriteRules(ctx, w, q, out.path) }
			if out.path == "" {
				return write(cmd.OutOrStdout())
			}
			return filesOf(cmd).Write(out.path, write)
		},
	}
	out.declare(cmd)
	layers.declare(cmd)
	call.declare(cmd)
	if err := ranks.Set("2..64"); err != nil {
		panic(err) // a default of this program
	}
	cmd.Flags().Var(&ranks, "ranks", "numbers of ranks")
	cmd.Flags().IntVar(&q.PerNode, "ranks-per-node", 0, "`ranks` on each node, of measured collectives; without it as they were measured")
	cmd.Flags().BoolVar(&q.Total, "total", false, "sizes are those of all ranks' blocks together, as nccl-tests print them; of measured collectives")
	cmd.Flags().Var(&sizes, "size", "sizes of the message, or of each rank's block")
	cmd.Flags().Var(&segments, "segment", "try segments of these sizes beside whole messages")
	cmd.Flags().StringVar(&q.Map, "map-by", "", "place ranks by `core`, by a level, or on a list of cores, for example \"0,4,64..71\"")
	cmd.Flags().StringVar(&q.Algorithm, "algorithm", "all", "all, best or the `name` of one")
	cmd.Flags().BoolVar(&q.Loop, "osu-loop", false, "report times as OSU's benchmarks do: a loop of calls and Open MPI barriers")
	beside.declare(cmd)
	cmd.Flags().StringVar(&q.Library, "export", "", "write rules in this `form`: openmpi, openmpi-json, nccl-tuner, intel")
	cmd.Flags().BoolVar(&unverified, "unverified", false, "--export although no collective was measured")
	cmd.Flags().BoolVar(&crossovers, "crossovers", false, "list the exact sizes and numbers of ranks at which the best algorithm changes")
	cmd.Flags().Var((*outputFile)(&plot), "plot", "draw a map of the best by size and ranks, or curves if there is one size or one number of ranks, into this `file` (png, svg, pdf)")
	declareSize(cmd, &width, &height)
	renamed(cmd, map[string]string{"map": "map-by", "loop": "osu-loop"})
	complete(cmd, "export", collectives.Libraries())
	return cmd
}
