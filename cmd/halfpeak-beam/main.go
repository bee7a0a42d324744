// Halfpeak-beam runs "halfpeak whatif sweep" as a pipeline of Apache Beam, for sweeps whose
// points are simulations (--schedule, --collective) and take hours on one machine. It takes the
// same flags and writes the same file, byte for byte. README.md lists the runners that were tried.
//
// It is a module of its own, because Beam has a hundred dependencies that halfpeak does not need.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/x/beamx"
	"github.com/spf13/pflag"

	"github.com/halfpeak/halfpeak/internal/flags"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

const usage = `Usage: halfpeak-beam PLATFORM --sweep RANGE --collective NAME --ranks NUMBERS -o FILE
       halfpeak-beam PLATFORM --sweep RANGE --schedule FILE -o FILE

Halfpeak-beam computes "halfpeak whatif sweep PLATFORM …" on Apache Beam and writes the same
rows in the same order. The other flags are Beam's: --runner chooses the engine, and the default
prism runs in this process.

  halfpeak-beam clip --sweep host-dma.tau=1us/KiB..8us/KiB/1000 \
    --collective allreduce --ranks 64 -o rows.csv

`

func main() {
	q, path, err := parse(os.Args[1:])
	if errors.Is(err, pflag.ErrHelp) {
		return
	}
	if err != nil {
		exit(2, err)
	}
	// Init does not return in a process that a runner started as its worker. Such a process has
	// only Beam's flags, so the question is checked later.
	beam.Init()
	if err := q.check(path); err != nil {
		exit(2, err)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, q, path); err != nil {
		exit(1, err)
	}
}

func exit(status int, err error) {
	fmt.Fprintln(os.Stderr, "halfpeak-beam:", err)
	os.Exit(status)
}

// parse returns the question, unchecked, and the file for its rows.
func parse(args []string) (q question, path string, err error) {
	f := pflag.NewFlagSet("halfpeak-beam", pflag.ContinueOnError)
	f.StringArrayVar(&q.Set, "set", nil,
		"change a parameter: `NAME=VALUE`, also *= /= += -=; may be given again")
	f.StringArrayVar(&q.Sweep, "sweep", nil,
		"all values of a range: `NAME=FROM..TO/N`, or /N/log for even ratios; may be given again")
	f.StringSliceVar(&q.Quantity, "quantity", nil,
		"the `quantities` to predict; by default the finish")
	f.StringArrayVar(&q.Schedule, "schedule", nil,
		"simulate the schedule or trace in this `file` or folder; a trace may have several")
	f.StringVar(&q.Collective, "collective", "",
		"simulate this collective by the library's algorithm, or by the one behind a slash, as in "+
			"`allreduce/best`, for each of --ranks and --size")
	flags.Var(f, &q.Ranks, flags.ParseRanks, "numbers", "ranks", "",
		"with --collective: numbers of ranks")
	flags.Var(f, &q.Sizes, quantity.ParseSizes, "sizes", "size", "64KiB", "message sizes")
	f.StringVarP(&path, "output", "o", "",
		"the `file` of the rows, .csv or .jsonl: a path that workers write, also gs://")
	f.AddGoFlagSet(flag.CommandLine)
	f.Usage = func() { fmt.Fprint(os.Stderr, usage, f.FlagUsages()) }
	if err := f.Parse(args); err != nil {
		return q, path, err
	}
	// pflag has set the values of Beam's flags; Beam also asks whether they were parsed.
	if err := flag.CommandLine.Parse(nil); err != nil {
		return q, path, err
	}
	if f.NArg() == 1 {
		q.Platform = f.Arg(0)
	}
	q.Format = strings.TrimPrefix(filepath.Ext(path), ".")
	return q, path, nil
}

// check returns an error for a question that this program does not answer.
func (q *question) check(path string) error {
	switch {
	case q.Platform == "":
		return errors.New("give one platform, as in \"halfpeak-beam clip\"")
	case len(q.Sweep) == 0:
		return errors.New("--sweep is missing; give a range, as in --sweep L=1us..2us/500")
	case len(q.Schedule) == 0 && q.Collective == "":
		return errors.New("--schedule or --collective is missing; " +
			"\"halfpeak whatif sweep\" takes 0.2 µs for a point without a simulation")
	case len(q.Schedule) > 0 && q.Collective != "":
		return errors.New("--schedule and --collective cannot be combined")
	case q.Collective != "" && len(q.Ranks) == 0:
		return errors.New("--collective requires --ranks, for example --ranks 64")
	case q.Format != "csv" && q.Format != "jsonl":
		return fmt.Errorf("--output must end in .csv or .jsonl (got %q)", path)
	case slices.Contains(append(q.Schedule, q.Platform), path):
		return fmt.Errorf("--output %q is a file that the command reads; choose another name", path)
	}
	return nil
}

// maxRows limits the result, because one worker sorts all rows in its memory: 3 GB of CSV.
const maxRows = 50e6

// run computes the sweep of a question and writes its rows to path.
func run(ctx context.Context, q question, path string) error {
	s, err := q.sweep(ctx) // so that errors of the question appear before anything is started
	if err != nil {
		return err
	}
	if rows := s.Count(); rows > maxRows {
		return fmt.Errorf("the result may have at most %.0f rows (got %.4g); take fewer steps",
			float64(maxRows), rows)
	}
	header, _, err := table.NewRowEncoder(q.Format, s.Keys())
	if err != nil {
		return err
	}
	p, root := beam.NewPipelineWithRoot()
	pieces := beam.Reshuffle(root, beam.CreateList(root, divide(int64(s.Count()))))
	computed := beam.ParDo(root, &compute{Question: q}, pieces)
	beam.ParDo0(root, &write{Path: path, Header: header}, beam.GroupByKey(root, computed))
	return beamx.Run(ctx, p)
}
