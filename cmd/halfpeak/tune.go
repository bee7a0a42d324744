package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/tune"
)

// A cSource is a C file that calibrate writes, and the commands that use it, with %s
// for its path. They are printed, since the user works on a cluster where halfpeak
// need not be installed.
type cSource struct{ name, text, commands string }

// newCalibrate declares calibrate. Its programs are carried by the binary: nothing
// must be fetched on a cluster without a network.
func newCalibrate() *cobra.Command {
	var folder string
	var trace, pipeline bool
	cmd := command("calibrate", wantArgs(0, 0, `no file, but --write DIR`),
		func(cmd *cobra.Command, args []string) error {
			// Other files in the folder stay; of these names, older versions are replaced.
			if err := os.Mkdir(folder, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
				return atomicfile.FileError(folder, err)
			}
			sources := []cSource{{"calibrate.c", calibrate.Source,
				"mpicc -O2 %s -o calibrate -lm\nmpirun ./calibrate > me.csv   # or srun, on 2 " +
					"nodes or more, a rank for each core\nhalfpeak fit me.csv --save me.toml\n"}}
			if trace {
				// The script does all of the above, and the same for the tracer.
				sources[0].commands = ""
				sources = append(sources, cSource{"trace.c", calibrate.TraceSource, ""},
					cSource{"measure.sh", calibrate.Script,
						"sh %s mpirun ./program   # or srun; measures the machine and records " +
							"the program\nhalfpeak simulate trace.[0-9]* --machine me.csv\n"})
			}
			if pipeline {
				sources = []cSource{{"pipeline.c", calibrate.PipelineSource, pipelineCommands}}
			}
			for _, s := range sources {
				path := filepath.Join(folder, s.name)
				if err := atomicfile.Write(path, written(s.text)); err != nil {
					return err
				}
				if s.commands != "" {
					fmt.Fprintf(cmd.OutOrStdout(), s.commands, usage.ShellLine(path))
				}
			}
			return nil
		})
	cmd.Flags().StringVar(&folder, "write", "", "write calibrate.c into this `folder`")
	cmd.Flags().BoolVar(&trace, "trace", false,
		"also write trace.c, a library that records a program's messages for simulate, and a "+
			"script that runs both")
	cmd.Flags().BoolVar(&pipeline, "pipeline", false,
		"write pipeline.c instead, which measures the stages of pipelines of packets")
	obey(cmd, nil,
		needs("", "--write", "--write is required, for example halfpeak calibrate --write ."),
		excludes("--trace", "--pipeline", ""))
	return cmd
}

// pipelineCommands run pipeline.c on Open MPI's fragments through shared memory.
const pipelineCommands = `mpicc -O2 %s -o pipeline
for launch in 1 2 3 4 5 6; do for p in 2048 4096 8192 16384 32768 65536 131072 262144 524288; do
mpirun -np 2 --bind-to core --mca pml ob1 --mca btl vader,self \
  --mca btl_vader_single_copy_mechanism none --mca btl_vader_segment_size 134217728 \
  --mca btl_vader_max_send_size $p ./pipeline mpi $p
done; done > pipe.csv   # pipeline proxy $p: a proxy between TCP connections
halfpeak fit pipe.csv --save pipe.toml
`

// tuneOptions holds the flags of tune.
type tuneOptions struct {
	out                output
	layers             layerOptions
	question           tune.Question
	library, benchmark string
	budget             tuneBudget
	loss               flags.Percent
	folder             string
	columns            columnsFlag
	results            fit.Options // how files of results are read
}

// A tuneBudget bounds the measurements of a script: by their number or, if it is
// above 0, by time. One flag takes both, since 20 and 10m cannot be confused.
type tuneBudget struct {
	points int
	time   time.Duration
}

// maxTuneTime is a week, more than a cluster gives to one job.
const maxTuneTime = 7 * 24 * time.Hour

func parseTuneBudget(text string) (b tuneBudget, err error) {
	// A number without a unit is a number of points, never seconds: 600 would be either.
	if b.points, err = strconv.Atoi(text); err != nil {
		b.time, err = time.ParseDuration(text)
	}
	if err != nil || b.points < 1 && b.time <= 0 || b.time > maxTuneTime {
		return b, errors.New("give a number of at least 1, or a time up to a week, as in 20 or 10m")
	}
	return b, nil
}

// newTune declares tune. Its default sizes are those of collective, so that both
// answer the same question.
func newTune() *cobra.Command {
	var o tuneOptions
	cmd := command("tune", cobra.ArbitraryArgs, o.run)
	o.out.declare(cmd)
	o.layers.declare(cmd)
	f := cmd.Flags()
	f.StringSliceVar(&o.question.Collectives, "collective", nil, "`names` of collectives")
	flags.Var(f, &o.question.Ranks, flags.ParseRanks, "numbers", "ranks", "", "numbers of ranks")
	f.IntVar(&o.question.PerNode, "ranks-per-node", 0,
		"`ranks` on each node; without it the launcher places them")
	declareSizes(cmd, &o.question.Sizes, "size", "8,64,512,4KiB,32KiB,256KiB,1MiB",
		"sizes of the message, or of each rank's block")
	declareSizes(cmd, &o.question.Segments, "segment", "",
		"try segments of these sizes beside whole messages")
	enum(cmd, &o.library, "library", "library to tune", tune.Libraries...)
	enum(cmd, &o.benchmark, "benchmark", "benchmark that the script runs",
		append([]string{"auto"}, tune.Benchmarks...)...)
	flags.Var(f, &o.budget, parseTuneBudget, "number|time", "budget", "20",
		"measurements of the next script: their number, or the time for them, as in 10m")
	o.loss = 2
	f.Var(&o.loss, "loss", "stop below this expected loss")
	o.results.Trace.Spell = asFlag
	o.columns.declare(cmd, ", of files of results",
		columnRoles(&o.results.Trace))
	f.StringVar(&o.folder, "write", "",
		"write the script and the rules into this `folder`, and read the results in it")
	const asked = "--collective and --ranks are required, for example --collective allreduce " +
		"--ranks 16,64"
	obey(cmd, nil, needs("", "--collective", asked), needs("", "--ranks", asked),
		needs("--budget, --benchmark, --loss", "--write",
			"; they are of the script that it writes"),
		atLeast("--ranks-per-node", 0, ""))
	return cmd
}

// run reads what was measured, decides, and writes what to measure next: the command
// is repeated until the loss is low, and keeps its state in the folder's results
// only.
func (o *tuneOptions) run(cmd *cobra.Command, args []string) error {
	q := &o.question
	q.Library = o.library
	// A platform is optional: without one, schedules are priced on a nominal network.
	var platform platforms.Platform
	if len(args) > 0 && extension(args[0]) == "toml" {
		d, err := o.layers.ranks(args[0])
		if err != nil {
			return err
		}
		q.Design, args = d, args[1:]
		platform = d.Platform
	}
	ctx, stop := interruptible(cmd.Context())
	defer stop()
	bar, end := counter(cmd.ErrOrStderr(), "")
	q.Progress = func(done, total int) { bar(int64(done), int64(total)) }
	defer end()
	m, notes, err := o.read(ctx, platform, args)
	if err := interrupted(ctx, err); err != nil {
		return err
	}
	// The decisions are made once: the table, the rules and the next script must agree.
	decisions, err := m.Decisions(ctx)
	if err := interrupted(ctx, err); err != nil {
		return err
	}
	rows := m.Rows(decisions)
	rows.Add(notes...)
	if o.folder != "" {
		limits := tune.Limits{Points: o.budget.points, Seconds: o.budget.time.Seconds(),
			Loss: float64(o.loss)}
		bench := strings.TrimPrefix(o.benchmark, "auto") // empty: WriteFolder chooses
		next, err := m.WriteFolder(ctx, o.folder, decisions, limits, bench)
		// After an interrupt, the choices are complete: they are written, and the script is not.
		if err != nil && ctx.Err() == nil {
			return err
		}
		rows.Add(next...)
	} else {
		rows.Add(remark.WriteScript())
	}
	end()
	if err := o.out.write(cmd, rows); err != nil {
		return err
	}
	return interrupted(ctx, nil)
}

// read makes the map of the question and adds the measurements of the platform's tables, of the
// files and of the folder.
func (o *tuneOptions) read(ctx context.Context, platform platforms.Platform,
	files []string) (*tune.Map, []remark.Note, error) {
	m, err := tune.NewMap(ctx, o.question)
	if err != nil {
		return nil, nil, err
	}
	notes := m.ReadTables(platform)
	if len(files) > 0 {
		more, err := m.ReadFiles(files, o.results)
		if err != nil {
			return nil, nil, err
		}
		notes = append(notes, more...)
	}
	if o.folder == "" {
		return m, notes, nil
	}
	more, err := m.ReadFolder(o.folder)
	return m, append(notes, more...), err
}

// tuneCommand returns the command that writes a script with the measurements of each algorithm.
func tuneCommand(collective string) func(ranks []int, perNode int, library string) string {
	return func(ranks []int, perNode int, library string) string {
		text := fmt.Sprintf("halfpeak tune --collective %s --ranks %s", collective,
			strings.Join(list.Map(ranks, strconv.Itoa), ","))
		if perNode > 0 {
			text += fmt.Sprintf(" --ranks-per-node %d", perNode)
		}
		if library != "" {
			text += " --library " + library
		}
		return text + " --write DIR"
	}
}
