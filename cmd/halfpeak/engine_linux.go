package main

import (
	"cmp"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/halfpeak/halfpeak/internal/engine/live"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/check"
)

func newEngine() *cobra.Command {
	return group("engine", newEngineBench(), newEngineServe(), newEngineNode())
}

// netPIPE is the format of NetPIPE's own output, for programs that read it.
const netPIPE = "netpipe"

// benchOptions holds the flags of engine bench.
type benchOptions struct {
	sizes     []quantity.Bytes
	bench     live.BenchOptions
	sized     bool // sizes were given
	pin       bool
	tokenFile string
	out       output
	plot      string
}

// newEngineBench declares engine bench. Without an argument it measures shared
// memory, which needs nothing else.
func newEngineBench() *cobra.Command {
	o := benchOptions{bench: live.BenchOptions{Programs: programs.Defaults()}}
	c := command("engine bench",
		wantArgs(0, 1, "a transport: shm, unix, tcp, udp, or tcp://HOST:PORT"),
		func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, append(args, "shm")[0]) // the default, if args is empty
		})
	c.ValidArgs = []string{"shm", "unix", "tcp", "udp"}
	c.Long += "\n\nThe programs are\n\n" + programLines(programs.Real)
	f := c.Flags()
	declareSizes(c, &o.sizes, "size", "1..8MiB", "message sizes")
	f.StringSliceVar(&o.bench.Programs, "programs", o.bench.Programs,
		"names from the list above; stages and signature only alone")
	f.IntVar(&o.bench.Credits, "credits", 64, "`requests` that may be without a reply")
	f.DurationVar(&o.bench.Budget, "budget", 20*time.Second,
		"`time` to spend on all measurements; each point is measured at least 9 times, which "+
			"takes longer if there are many")
	f.Float64Var(&o.bench.Within, "precision", 0.02,
		"stop when the half width of the 95 % interval is this `fraction` of the median")
	f.Uint64Var(&o.bench.Seed, "seed", 1, "seed of the order of the repeats")
	f.BoolVar(&o.pin, "pin", true, "keep each node on a processor of its own")
	f.BoolVar(&o.bench.Check, "checksum", false, "give each packet a checksum; udp always does")
	declareToken(c, &o.tokenFile)
	outputFlag(f, &o.plot, "plot", "", "draw the signature into this `file` (.png, .svg, .pdf)")
	o.out.declareFormat(c, netPIPE)
	declareUnit(c, &o.out.units)
	signature := func([]string) facts {
		return facts{"--programs signature": slices.Contains(o.bench.Programs, "signature")}
	}
	obey(c, signature,
		needs("--plot", "--programs signature",
			"--plot draws the signature: give --programs signature"),
		within("--credits", 1, live.MaxCredits, ""))
	return c
}

// check returns the first contradiction of the flags.
func (o *benchOptions) check() error {
	own := ""
	for _, name := range o.bench.Programs {
		p, err := programs.Find(name, programs.Real)
		if err != nil {
			return usage.Error{Err: err}
		}
		if p.Sizes == programs.Own {
			own = cmp.Or(own, name)
		}
		if p.Shape != programs.OneTime && len(o.bench.Programs) > 1 {
			return usagef("%s has rows of its own: give --programs %s alone", name, name)
		}
	}
	// Sizes are float64, since models take parts of bytes; a real message has whole ones.
	for _, n := range o.sizes {
		if n < 1 || n > live.MaxSize || n != quantity.Bytes(int64(n)) {
			return usagef("--size %s: a message has whole bytes, up to %s", n,
				quantity.Bytes(live.MaxSize))
		}
	}
	switch {
	case len(o.bench.Programs) == 0:
		return usagef("--programs: give at least one")
	case o.out.format == netPIPE && !slices.Contains(o.bench.Programs, "ping_bulk"):
		return usagef("--format %s has the times of ping_bulk, which --programs leaves out",
			netPIPE)
	// Among others, such a program has its one row, and the sizes are theirs.
	case o.sized && own != "" && len(o.bench.Programs) == 1:
		return usagef("--size: the messages of %s have a size of their own; omit it", own)
	case o.bench.Budget < 0 || !(o.bench.Within > 0):
		return usagef("--budget must be at least 0, and --precision above 0")
	}
	return nil
}

// run runs the programs on a transport, and prints their times. The signature and the stages have
// tables of their own.
func (o *benchOptions) run(cmd *cobra.Command, to string) (err error) {
	o.sized = cmd.Flags().Changed("size")
	if err := o.check(); err != nil {
		return err
	}
	token, err := live.Token(o.tokenFile)
	if err != nil {
		return err
	}
	pair, err := connect(to, token, o.pin)
	if err != nil {
		return err
	}
	// The other process has an error of its own if it died; that of the measurement
	// explains more.
	defer func() { err = cmp.Or(err, pair.Close()) }()
	// In thousandths: the share is of the time, which has no natural count. It may fall, as repeats
	// show that more are needed; the bar then stands still.
	bar := progress(cmd.ErrOrStderr(), 1000, "")
	shown := int64(0)
	o.bench.Progress = func(share float64) {
		now := max(shown, int64(1000*min(share, 1)))
		bar(now - shown)
		shown = now
	}
	q := check.BenchQuestion{Pair: pair, Sizes: o.sizes, Options: o.bench}
	found, err := q.Ask(cmd.Context())
	bar(-1)
	if err != nil {
		return err
	}
	if picture, _ := found.Figure(); picture != nil && o.plot != "" {
		if err := drawTo(o.plot, picture, pixels{800, 500}, o.out.units); err != nil {
			return err
		}
	}
	if o.out.format == netPIPE {
		return o.out.writeTo(cmd, written(found.NetPIPE))
	}
	return o.out.write(cmd, found.Rows())
}

// connect reaches the other node: a server on another machine, or a process that it
// starts on this one, which is this program again with the hidden command engine
// node.
func connect(to, token string, pinned bool) (*live.Pair, error) {
	if address, ok := strings.CutPrefix(to, "tcp://"); ok {
		return live.Dial(address, token)
	}
	if strings.Contains(to, "://") {
		return nil, usagef("%s: other machines are reached as tcp://HOST:PORT", to)
	}
	t, err := live.ParseTransport(to)
	if err != nil {
		return nil, usage.Error{Err: err}
	}
	// The child must run the same programs, so it is the same binary and never one from PATH.
	args := []string{"engine", "node", to}
	if pinned {
		args = append(args, "--pin")
	}
	return live.Start(t, pinned, args...)
}

// declareToken declares the flag of the file with the token. A flag for the token itself would show
// it to every user, since ps prints the arguments of processes.
func declareToken(c *cobra.Command, path *string) {
	c.Flags().StringVar(path, "token-file", "",
		"`file` whose first line is the token of the server; else the variable "+live.TokenVariable)
}

// newEngineServe declares engine serve. By default it listens on this machine alone,
// since other machines of the network should not reach a benchmark server by accident.
func newEngineServe() *cobra.Command {
	var address, tokenFile string
	c := command("engine serve", wantArgs(0, 0, "no argument"),
		func(cmd *cobra.Command, _ []string) error {
			word, err := live.Token(tokenFile)
			if err != nil {
				return err
			}
			s := &live.Server{Token: word, Log: func(format string, args ...any) {
				cmd.PrintErrf(format+"\n", args...)
			}}
			l, err := s.Listen(address)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "serving tcp://%s\n", l.Addr())
			return s.Serve(l)
		})
	c.Long += fmt.Sprintf(`

It serves %d clients at a time and refuses the next, saying that it is full. A connection has %v
to give its token; up to %d may be about to, and the oldest makes room for the next. A client that
is silent for %v within a job, or %v between two jobs, is dropped. All clients together take at
most %d MiB of memory.`,
		live.MaxClients, live.GreetingTime, live.MaxGreeting, live.Patience, live.IdleTime,
		live.ServerMemory>>20)
	c.Flags().StringVar(&address, "listen", "127.0.0.1:7271",
		"`address` to listen on; port 0 takes a free one")
	declareToken(c, &tokenFile)
	return c
}

// newEngineNode is the other process of engine bench. It is hidden: its input and output are pipes
// to the process that started it, and mean nothing in a shell.
func newEngineNode() *cobra.Command {
	var pinned bool
	c := &cobra.Command{
		Use:    "node TRANSPORT",
		Short:  "Be the other process of engine bench",
		Hidden: true,
		Args:   wantArgs(1, 1, "a transport"),
		RunE: func(cmd *cobra.Command, args []string) error {
			// Its parent ends it. A terminal sends its signals to both.
			signal.Ignore(os.Interrupt, syscall.SIGHUP)
			t, err := live.ParseTransport(args[0])
			if err != nil {
				return usage.Error{Err: err}
			}
			return live.Child(t, cmd.InOrStdin(), cmd.OutOrStdout(), pinned)
		},
	}
	c.Flags().BoolVar(&pinned, "pin", false, "stay on a processor")
	return c
}

// run measures a transport of this machine, and prints the comparison with the models fitted to it.
func (o *liveOptions) run(cmd *cobra.Command, out *output) error {
	pair, err := connect(o.transport, "", o.pin)
	if err != nil {
		return err
	}
	found, err := check.LiveQuestion{Pair: pair, Budget: o.budget}.Ask(cmd.Context())
	if err = cmp.Or(err, pair.Close()); err != nil {
		return err
	}
	if err := savePlatform(o.save, found.Platform); err != nil {
		return err
	}
	return out.write(cmd, found.Rows())
}
