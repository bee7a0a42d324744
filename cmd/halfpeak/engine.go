//go:build linux

package main

import (
	"errors"
	"io"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/live"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/internal/atomicfile"
	"github.com/halfpeak/halfpeak/internal/terminal"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
	"github.com/halfpeak/halfpeak/study/bench"
)

func init() {
	newEngine = newLinuxEngine
	newLiveMeasurement = func() liveMeasurement { return &liveOptions{} }
}

func newLinuxEngine() *cobra.Command {
	c := &cobra.Command{
		Use:   "engine",
		Short: "Measure real transports with the message engine",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef("unknown command %q", args[0])
			}
			return cmd.Help()
		},
		Args: cobra.ArbitraryArgs,
	}
	c.AddCommand(newEngineBench(), newEngineServe(), newEngineNode())
	return c
}

type benchOptions struct {
	to       string
	files    atomicfile.Files
	sizes    sizesFlag
	programs []string
	credits  int
	budget   time.Duration
	within   float64
	seed     uint64
	pin      bool
	sums     bool
	token    tokenFlags
	netpipe  string
	plot     string
}

func newEngineBench() *cobra.Command {
	o := benchOptions{sizes: newSizes("1..8MiB"), programs: programs.Defaults()}
	var out output
	c := &cobra.Command{
		Use:   "bench [shm|unix|tcp|udp|tcp://HOST:PORT]",
		Short: "Measure a transport of this machine, or the way to another",
		Long: `Bench runs the programs between two processes on this machine, or with a server
on another (see engine serve), and prints for each program and size the median over
repeats with its 95 % interval. Repeats come in random order, until all intervals
are within --precision of their medians or the --budget is spent.

` + programs.Help(programs.Real) + `
Time is one way where messages go back and forth, the interval between the messages of a
stream, and that of a whole exchange. Percentiles of ping_bulk are of single messages,
those of others of repeats. The rows of stages are what halfpeak fit --model pipeline
reads, and those of signature what --model logp reads.

Within this machine, tcp does not pace what it sends, whatever the system's default.`,
		Example: `  halfpeak engine bench shm
  halfpeak engine bench tcp --netpipe np.out
  halfpeak engine bench shm --programs stages --size 512..16KiB --format csv
  halfpeak engine bench shm --programs signature --plot signature.png`,
		Args: wantArgs(0, 1, "a transport: shm, unix, tcp, udp, or tcp://HOST:PORT"),
		RunE: func(cmd *cobra.Command, args []string) error {
			o.to = "shm"
			if len(args) > 0 {
				o.to = args[0]
			}
			o.files = filesOf(cmd)
			rows, err := o.run(cmd)
			if err != nil {
				return err
			}
			return out.write(cmd, rows)
		},
		ValidArgs: []string{"shm", "unix", "tcp", "udp"},
	}
	f := c.Flags()
	f.Var(&o.sizes, "size", "message sizes")
	f.StringSliceVar(&o.programs, "programs", o.programs, "of those above; stages or signature alone")
	f.IntVar(&o.credits, "credits", 64, "`requests` that may be without a reply")
	f.DurationVar(&o.budget, "budget", 20*time.Second, "`time` for all measurements; each point is measured at least 9 times, so many sizes take longer")
	f.Float64Var(&o.within, "precision", 0.02, "stop when the half width of the 95 % interval is this `fraction` of the median")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the repeats comes from")
	f.BoolVar(&o.pin, "pin", true, "keep each node on a processor of its own")
	f.BoolVar(&o.sums, "checksum", false, "give each packet a checksum; udp always does")
	o.token.declare(c)
	f.Var((*outputFile)(&o.netpipe), "netpipe", "write the times of ping_bulk to this `file` as NetPIPE does")
	f.Var((*outputFile)(&o.plot), "plot", "draw the signature into this `file` (.png, .svg, .pdf)")
	renamed(c, map[string]string{"within": "precision", "check": "checksum"})
	out.declare(c)
	return c
}

// check finds what is wrong with the options.
func (o *benchOptions) check() error {
	signature := false
	for _, name := range o.programs {
		p, err := programs.Find(name, programs.Real)
		if err != nil {
			return usageError{err}
		}
		signature = signature || p.Shape == programs.BySignature
		if p.Shape != programs.OneTime && len(o.programs) > 1 {
			return usagef("%s has rows of its own: give --programs %s alone", name, name)
		}
	}
	for _, n := range o.sizes.sizes {
		if n < 1 || n > live.MaxSize || n != quantity.Bytes(int64(n)) {
			return usagef("--size %s: a message has whole bytes, up to %s", n, quantity.Bytes(live.MaxSize))
		}
	}
	switch {
	case len(o.programs) == 0:
		return usagef("--programs: give at least one")
	case o.plot != "" && !signature:
		return usagef("--plot draws the signature: give --programs signature")
	case o.netpipe != "" && !slices.Contains(o.programs, "ping_bulk"):
		return usagef("--netpipe writes the times of ping_bulk, which --programs leaves out")
	case o.credits < 1 || o.credits > live.MaxCredits:
		return usagef("--credits %d: give 1 to %d", o.credits, live.MaxCredits)
	case o.budget < 0 || !(o.within > 0):
		return usagef("--budget and --precision are positive")
	}
	return nil
}

// run measures what the programs are: the signature and the stages have tables of their own.
func (o *benchOptions) run(cmd *cobra.Command) (rows reports.Rows, err error) {
	if err := o.check(); err != nil {
		return rows, err
	}
	token, err := o.token.read()
	if err != nil {
		return rows, err
	}
	pair, err := connect(o.to, token, o.pin)
	if err != nil {
		return rows, err
	}
	defer func() {
		if e := pair.Close(); err == nil {
			err = e
		}
	}()
	b := live.BenchOptions{Credits: o.credits, Check: o.sums, Within: o.within, Budget: o.budget, Seed: o.seed}
	switch p, _ := programs.Find(o.programs[0], programs.Real); p.Shape {
	case programs.BySignature:
		s, err := bench.BenchSignature(pair, o.credits, o.budget)
		if err == nil && o.plot != "" {
			err = drawTo(o.files, o.plot, s.Figure(), 800, 500)
		}
		if err != nil {
			return rows, err
		}
		return s.Rows(), nil
	case programs.ByStage:
		s, err := bench.BenchStages(pair, o.sizes.sizes, b)
		if errors.Is(err, bench.ErrNoPacket) {
			err = usagef("--size: %w", err)
		}
		return s.Rows(), err
	}
	b.Programs = o.programs
	for _, n := range o.sizes.sizes {
		b.Sizes = append(b.Sizes, int(n))
	}
	bar := terminal.Progress(cmd.ErrOrStderr(), 1000, "")
	shown := int64(0)
	b.Progress = func(share float64) {
		now := max(shown, int64(1000*min(share, 1)))
		bar(now - shown)
		shown = now
	}
	measured, err := bench.RunBench(pair, b)
	bar(-1)
	if err != nil {
		return rows, err
	}
	if o.netpipe != "" {
		err = o.files.Write(o.netpipe, func(w io.Writer) error {
			_, err := io.WriteString(w, measured.NetPIPE())
			return err
		})
	}
	return measured.Rows(), err
}
