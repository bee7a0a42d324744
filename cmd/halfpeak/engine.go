//go:build linux

package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/engine/live"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/fit/trace"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports"
)

func newEngine() *cobra.Command {
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
	o := benchOptions{sizes: newSizes("1..8MiB")}
	for _, p := range programs.List(programs.Real) {
		if p.Default {
			o.programs = append(o.programs, p.Name)
		}
	}
	var out output
	c := &cobra.Command{
		Use:   "bench [shm|unix|tcp|udp|tcp://HOST:PORT]",
		Short: "Measure a transport of this machine, or the way to another",
		Long: `Bench runs the programs between two processes on this machine, or with a server
on another (see engine serve), and prints for each program and size the median over
repeats with its 95 % interval. Repeats come in random order, until all intervals
are within --within of their medians or the --budget is spent.

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
	f.DurationVar(&o.budget, "budget", 20*time.Second, "`time` for all measurements")
	f.Float64Var(&o.within, "within", 0.02, "wanted half width of the 95 % interval, as a `fraction` of the median")
	f.Uint64Var(&o.seed, "seed", 1, "`number` that the order of the repeats comes from")
	f.BoolVar(&o.pin, "pin", true, "keep each node on a processor of its own")
	f.BoolVar(&o.sums, "check", false, "give each packet a checksum; udp always does")
	o.token.declare(c)
	f.StringVar(&o.netpipe, "netpipe", "", "write the times of ping_bulk to this `file` as NetPIPE does")
	f.StringVar(&o.plot, "plot", "", "draw the signature into this `file` (.png, .svg, .pdf)")
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
		if n < 1 || n > live.MaxSize || n != quantity.Bytes(math.Trunc(float64(n))) {
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
		return usagef("--budget and --within are positive")
	}
	return nil
}

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
	switch p, _ := programs.Find(o.programs[0], programs.Real); p.Shape {
	case programs.BySignature:
		return o.signature(pair)
	case programs.ByStage:
		return o.stages(pair)
	}
	clock := live.MeasureClock()
	bar, shown := newProgress(cmd.ErrOrStderr(), 1000, 0, "‰"), int64(0)
	start := time.Now()
	b := live.BenchOptions{Programs: o.programs, Credits: o.credits, Check: o.sums, Within: o.within, Budget: o.budget, Seed: o.seed}
	b.Progress = func(share float64) {
		now := int64(1000 * min(share, 1))
		bar(max(0, now-shown))
		shown = max(now, shown)
	}
	for _, n := range o.sizes.sizes {
		b.Sizes = append(b.Sizes, int(n))
	}
	measured, err := live.Bench(pair, b)
	bar(-1)
	if err != nil {
		return rows, err
	}
	rows.Columns = benchColumns
	done := 0
	var netpipe strings.Builder
	for _, r := range measured {
		rows.Data = append(rows.Data, []any{string(pair.Transport), r.Program, quantity.Bytes(r.Size), r.Time, r.Low, r.High, r.P50, r.P99, quantity.MBps(r.Bandwidth()), r.Rate(), int64(r.Repeats)})
		if r.Done {
			done++
		}
		if r.Program == "ping_bulk" {
			fmt.Fprintf(&netpipe, "%8d %.6f %.12f\n", r.Size, r.Bandwidth()*8*1e6/(1<<20), float64(r.Time)/1e6)
		}
	}
	reached := fmt.Sprintf("%d of %d intervals are within %.3g %% after %.1f s", done, len(measured), 100*o.within, time.Since(start).Seconds())
	if done < len(measured) {
		reached += "; the others had no more time (--budget)"
	}
	rows.Notes = []string{
		reached,
		fmt.Sprintf("the clock costs %.3g µs to read, half of which is in the percentiles of ping_bulk, and shows differences from %.3g µs", float64(clock.Overhead), float64(clock.Resolution)),
	}
	if o.netpipe != "" {
		err = reports.WriteFile(o.netpipe, func(w io.Writer) error {
			_, err := io.WriteString(w, netpipe.String())
			return err
		})
	}
	return rows, err
}

var benchColumns = []reports.Column{
	{Key: "transport", Head: "transport"}, {Key: "program", Head: "program"}, {Key: "size_bytes", Head: "size"},
	{Key: "one_way_us", Head: "time"}, {Key: "one_way_low_us", Head: "low"}, {Key: "one_way_high_us", Head: "high"},
	{Key: "p50_us", Head: "p50"}, {Key: "p99_us", Head: "p99"}, {Key: "bandwidth_mb_s", Head: "bandwidth"},
	{Key: "messages_per_s", Head: "messages/s"}, {Key: "repeats", Head: "repeats"},
}

// stages measures the time of one packet in each stage of its way, by size. Sizes that travel as more packets are left out.
func (o *benchOptions) stages(pair *live.Pair) (rows reports.Rows, err error) {
	var jobs []live.Job
	for _, n := range o.sizes.sizes {
		if int(n) <= pair.Largest() {
			jobs = append(jobs, live.Job{Program: "stages", Size: int(n), Check: o.sums})
		}
	}
	if len(jobs) == 0 {
		return rows, usagef("--size: %s carries at most %s in one packet, of which stages have the times", pair.Transport, quantity.Bytes(pair.Largest()))
	}
	measured, err := live.Bench(pair, live.BenchOptions{Jobs: jobs, Within: o.within, Budget: o.budget, Seed: o.seed})
	if err != nil {
		return rows, err
	}
	rows.Columns = []reports.Column{
		{Key: "stage", Head: "stage"}, {Key: "size_bytes", Head: "size"}, {Key: "time_us", Head: "time"}, {Key: "repeats", Head: "repeats"},
	}
	for k, stage := range programs.Stages {
		for _, r := range measured {
			rows.Data = append(rows.Data, []any{stage, quantity.Bytes(r.Size), r.Stages[k], int64(r.Repeats)})
		}
	}
	rows.Notes = []string{"send and receive keep a processor busy, with the copies of the data; hand over is the rest of the one-way time, 0.001 µs where they hide it"}
	return rows, nil
}

// signatureDeltas are the computations of a signature in µs.
var signatureDeltas = []float64{0, 0.25, 0.5, 1, 2, 4}

// signature measures the LogP signature some times, and takes the median of each point.
func (o *benchOptions) signature(pair *live.Pair) (rows reports.Rows, err error) {
	deltas := signatureDeltas
	if pair.Transport != live.Shm {
		deltas = []float64{0, 2, 4, 8, 16, 32}
	}
	points, err := live.Signature(pair, deltas, o.credits, o.budget)
	if err != nil {
		return rows, err
	}
	rows.Columns = []reports.Column{
		{Key: "transport", Head: "transport"}, {Key: "program", Head: "program"}, {Key: "burst", Head: "messages"},
		{Key: "delta_us", Head: "Δ"}, {Key: "interval_us", Head: "interval"},
	}
	for _, b := range points {
		rows.Data = append(rows.Data, []any{string(pair.Transport), "signature", int64(b.Messages), b.Delta, b.Interval})
	}
	if o.plot == "" {
		return rows, nil
	}
	return rows, drawSignature(o.plot, "LogP signature of "+string(pair.Transport), points)
}

// drawSignature draws the interval against the number of messages, a series for each Δ.
func drawSignature(path, title string, bursts []trace.Burst) error {
	fig := reports.Figure{
		Title: title,
		X:     reports.Axis{Label: "messages in the burst", Scale: reports.Log},
		Y:     reports.Axis{Label: "interval per message (µs)"},
	}
	for _, b := range bursts {
		name := fmt.Sprintf("Δ = %.3g µs", float64(b.Delta))
		if k := len(fig.Series); k == 0 || fig.Series[k-1].Name != name {
			fig.Series = append(fig.Series, reports.Series{Name: name, Kind: reports.Points})
		}
		s := &fig.Series[len(fig.Series)-1]
		s.X, s.Y = append(s.X, float64(b.Messages)), append(s.Y, float64(b.Interval))
	}
	return drawTo(path, fig, 800, 500)
}

// connect starts another process of this program, or finds a server.
func connect(to, token string, pinned bool) (*live.Pair, error) {
	if address, ok := strings.CutPrefix(to, "tcp://"); ok {
		return live.Dial(address, token)
	}
	if strings.Contains(to, "://") {
		return nil, usagef("%s: other machines are reached as tcp://HOST:PORT", to)
	}
	t, err := live.ParseTransport(to)
	if err != nil {
		return nil, usageError{err}
	}
	args := []string{"engine", "node", to}
	if pinned {
		args = append(args, "--pin")
	}
	return live.Start(t, pinned, args...)
}

// tokenFlags are where a token comes from.
type tokenFlags struct{ word, path string }

func (t *tokenFlags) declare(c *cobra.Command) {
	c.Flags().StringVar(&t.path, "token-file", "", "`file` whose first line is the token of the server; else the variable "+live.TokenVariable)
	c.Flags().StringVar(&t.word, "token", "", "the token itself, a `word` that ps shows")
}

func (t *tokenFlags) read() (string, error) {
	if t.word != "" && t.path != "" {
		return "", usagef("two tokens: give --token or --token-file")
	}
	return live.Token(t.word, t.path)
}

func newEngineServe() *cobra.Command {
	var address string
	var token tokenFlags
	c := &cobra.Command{
		Use:   "serve",
		Short: "Serve engine bench tcp://HOST:PORT from other machines",
		Long: fmt.Sprintf(`Serve is the other end of engine bench tcp://HOST:PORT. It listens on this machine
alone; for an address that others reach it wants a token, which the clients give too:
the first line of --token-file, or the variable %s, or --token. The token and the data
travel in clear: use it on networks you trust.

It serves %d clients at a time and tells the next that it is full. A connection has %v
to give its token; up to %d may be about to, and the oldest makes room for the next. A
client that is silent for %v within a job, or %v between two jobs, is dropped.`,
			live.TokenVariable, live.MaxClients, live.GreetingTime, live.MaxGreeting, live.Patience, live.IdleTime),
		Args: wantArgs(0, 0, "no argument"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			word, err := token.read()
			if err != nil {
				return err
			}
			s := &live.Server{Token: word, Log: func(format string, args ...any) { cmd.PrintErrf(format+"\n", args...) }}
			l, err := s.Listen(address)
			if err != nil {
				return err
			}
			stop := make(chan os.Signal, 1)
			signal.Notify(stop, os.Interrupt)
			go func() {
				<-stop
				_ = l.Close()
			}()
			fmt.Fprintf(cmd.OutOrStdout(), "serving tcp://%s\n", l.Addr())
			return s.Serve(l)
		},
	}
	c.Flags().StringVar(&address, "listen", "127.0.0.1:7271", "`address` to listen on; port 0 takes a free one")
	token.declare(c)
	return c
}

// newEngineNode is the other process of engine bench.
func newEngineNode() *cobra.Command {
	var pinned bool
	c := &cobra.Command{
		Use:    "node TRANSPORT",
		Short:  "Be the other process of engine bench",
		Hidden: true,
		Args:   wantArgs(1, 1, "a transport"),
		RunE: func(cmd *cobra.Command, args []string) error {
			t, err := live.ParseTransport(args[0])
			if err != nil {
				return usageError{err}
			}
			return live.Child(t, cmd.InOrStdin(), cmd.OutOrStdout(), pinned)
		},
	}
	c.Flags().BoolVar(&pinned, "pin", false, "stay on a processor")
	return c
}
