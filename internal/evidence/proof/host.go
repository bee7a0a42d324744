package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/programs.c
var programsC string

// quiet is the part of the processors' time that other programs may take from a launch that is
// judged. The computer's own services take up to 0.02 and, since the kernel counts in ticks of
// 10 ms, as much is uncertain in a launch of a second.
const quiet = 0.05

// A host is an MPI library of this computer, with the programs that it compiled.
type host struct {
	library, dir string
	asked        []string // the programs of a launch, as hostPrograms has them
	report       strings.Builder
	details      io.Writer // each launch
	rounds       []round
}

// newHost compiles calibrate.c, trace.c and programs.c by mpicc.LIBRARY, as Debian
// names it, so that Open MPI and MPICH can be judged on one computer.
func newHost(ctx context.Context, dir, library string, details io.Writer) (*host, error) {
	h := &host{library: library, dir: dir, asked: hostPrograms, details: details}
	for name, build := range map[string]struct {
		text  string
		flags []string
	}{
		"calibrate":   {calibrate.Source, []string{"-lm"}},
		"libtrace.so": {calibrate.TraceSource, []string{"-shared", "-fPIC"}},
		"programs":    {programsC, nil},
	} {
		_, err := compile(ctx, "mpicc."+library, dir, name, build.text, build.flags...)
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// saved returns what a file of the folder has, or else the output of a command on two ranks, which
// it saves there: a measurement that was made is judged again without the computer's quiet. other
// is the part of the processors' time that other programs took meanwhile.
func (h *host) saved(ctx context.Context, file string, command ...string) (out []byte,
	other float64, err error) {
	file = filepath.Join(h.dir, file)
	if out, err = os.ReadFile(file); err == nil {
		text, err := os.ReadFile(file + ".other")
		if err != nil {
			return nil, 0, err
		}
		other, err = strconv.ParseFloat(string(text), 64)
		return out, other, err
	}
	out, other, err = h.run(ctx, command...)
	if err != nil {
		return nil, 0, err
	}
	return out, other, errors.Join(os.WriteFile(file, out, 0o666),
		os.WriteFile(file+".other", fmt.Appendf(nil, "%.4f", other), 0o666))
}

// run runs a command on two ranks and returns its output. Open MPI refuses to run as
// root, and on fewer processors than ranks, unless these variables allow it;
// containers have both.
func (h *host) run(ctx context.Context, command ...string) (out []byte, other float64, err error) {
	cmd := exec.CommandContext(ctx, "mpirun."+h.library,
		append([]string{"-np", "2"}, command...)...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	// SIGTERM, not SIGKILL, so that mpirun ends its ranks.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	before, began := processorTime(), time.Now()
	if out, err = output(cmd); err != nil {
		return nil, 0, err
	}
	own := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	taken := (processorTime() - before - own).Seconds()
	return out, max(taken/time.Since(began).Seconds()/float64(runtime.NumCPU()), 0), nil
}

// processorTime returns the time that all programs have spent on processors since the start of the
// computer, in ticks of 10 ms; 0 if it is not known.
func processorTime() (all time.Duration) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	line, _, _ := strings.Cut(string(text), "\n")
	for i, field := range strings.Fields(line) {
		// cpu user nice system idle iowait …; what a hypervisor takes stands behind them.
		if n, err := strconv.Atoi(field); err == nil && (i < 4 || i > 5) && i < 9 {
			all += time.Duration(n) * 10 * time.Millisecond
		}
	}
	return all
}

// judge measures in rounds: all programs without the recorder and with it, and calibrate. So the
// host changes for all of them alike. The calibrations of all rounds are one, whose passes are
// spread over the same time as the programs: a machine of one round would describe the host's speed
// in its seconds. judge reports how well the machine predicts what was not used.
func (h *host) judge(ctx context.Context, minutes string, rounds int) error {
	var tables [][]byte
	for i := range rounds {
		r, table, other, err := h.round(ctx, fmt.Sprint(i), minutes)
		if err != nil {
			return err
		}
		h.rounds = append(h.rounds, r)
		if other <= 2*quiet || i == rounds-1 && len(tables) == 0 {
			tables = append(tables, table)
		}
	}
	c, err := calibrate.Read(bytes.NewReader(joined(tables)), "calibrate")
	if err != nil {
		return err
	}
	if err := h.calibration(ctx, c); err != nil {
		return err
	}
	return h.programs(ctx, c)
}

// joined returns the outputs of several runs of calibrate as one of more passes: the first output,
// and the rows and marks of the rest.
func joined(tables [][]byte) []byte {
	all := bytes.Clone(tables[0])
	for _, table := range tables[1:] {
		for line := range bytes.Lines(table) {
			if line[0] != '#' || bytes.HasPrefix(line, []byte("# state ")) {
				all = append(all, line...)
			}
		}
	}
	return all
}

// A round has the launches of a round.
type round struct {
	folder        string
	plain, traced launch
}

// round returns also what calibrate wrote in the round, and the part of the processors' time that
// other programs took meanwhile.
func (h *host) round(ctx context.Context, name, minutes string) (r round, table []byte,
	other float64, err error) {
	r.folder = filepath.Join(h.dir, name)
	if err := os.MkdirAll(r.folder, 0o777); err != nil {
		return r, nil, 0, err
	}
	if r.plain, err = h.launch(ctx, filepath.Join(name, "plain")); err != nil {
		return r, nil, 0, err
	}
	r.traced, err = h.launch(ctx, filepath.Join(name, "traced"), "env",
		"LD_PRELOAD="+filepath.Join(h.dir, "libtrace.so"), "HALFPEAK_TRACE="+r.folder)
	if err != nil {
		return r, nil, 0, err
	}
	table, other, err = h.saved(ctx, filepath.Join(name, "calibrate"), "./calibrate",
		"--minutes", minutes, "--collectives", "barrier,scatter,reduce,bcast,allreduce")
	return r, table, other, err
}

// calibration reports the errors of a machine that is made without every second size of round trips
// and bursts, of these sizes and of the measurements that no machine uses.
func (h *host) calibration(ctx context.Context, c *calibrate.Calibration) error {
	unseen := func(r calibrate.Measurement) bool {
		octave := bits.Len64(uint64(r.Size))
		// No curve can show a jump between two sizes that it has neither of.
		if eager := c.Levels[max(r.Level, 0)].Eager; r.Size == eager || r.Size == eager+1 {
			return false // where the protocol changes
		}
		curve := r.Measure == calibrate.PingPong || r.Measure == calibrate.Stream
		return r.Size < 1<<20 && curve && octave%2 == 0
	}
	part := *c
	part.Rows = slices.DeleteFunc(slices.Clone(c.Rows), unseen)
	m, _, err := part.Machine()
	if err != nil {
		return err
	}
	checks, err := c.Check(ctx, m)
	if err != nil {
		return err
	}
	checks = slices.DeleteFunc(checks, func(k calibrate.Checked) bool {
		return !unseen(k.Measurement) &&
			(k.Measure == calibrate.PingPong || k.Measure == calibrate.Stream)
	})
	fmt.Fprintf(&h.report, "| %s | sizes | cases | median | worst |\n|---|---|---|---|---|\n",
		h.library)
	for _, s := range calibrate.Summarize(checks) {
		fmt.Fprintf(&h.report, "| %s | %.0f to %.0f B | %d | %.0f %% | %.0f %% |\n",
			strings.ReplaceAll(s.Measure, "_", "-"), float64(s.From), float64(s.To), s.Cases,
			100*s.Median, 100*s.Worst)
	}
	return nil
}

// computing are the programs of programs.c that compute. Where other users of the host's cores come
// and go, a computation takes once or twice its time. So they run several times in a launch and are
// compared by their means: a quartile would be of one kind or the other by luck.
var computing = []string{"jacobi", "cg", "wavefront", "producer", "halo", "pipeline", "master",
	"poll"}

// hostPrograms are the programs of a launch, with the bytes of a message where they take them.
var hostPrograms = func() (all []string) {
	sizes := map[string][]int{
		"two-buffers": {3, 50, 700, 6000, 16384, 40000, 131072, 300000, 524288, 2000000},
		"one-buffer":  {3, 50, 700, 6000, 16384, 40000, 131072, 300000, 524288, 2000000},
		"fresh":       {16384, 40000, 131072, 524288, 2000000},
		"swap":        {40960, 131072},
	}
	for _, name := range []string{"two-buffers", "one-buffer", "fresh", "swap"} {
		for _, n := range sizes[name] {
			all = append(all, fmt.Sprintf("%s:%d", name, n))
		}
	}
	return append(all, slices.Repeat(computing, 4)...)
}()

// A launch has the times of all programs that ran in it, and the marks of the host's state before
// each.
type launch struct {
	marks [][2]float64
	times []float64
	other float64 // part of the processors' time that other programs took
}

// launch runs all programs, perhaps with the recorder, and returns their times in µs.
func (h *host) launch(ctx context.Context, file string, recorder ...string) (l launch, err error) {
	out, other, err := h.saved(ctx, file,
		slices.Concat(recorder, []string{"./programs"}, h.asked)...)
	if err != nil {
		return l, err
	}
	l.other = other
	for line := range strings.Lines(string(out)) {
		var mark, sent, t float64
		if _, err := fmt.Sscan(line, &mark, &sent, &t); err != nil {
			return l, err
		}
		l.marks, l.times = append(l.marks, [2]float64{mark, sent}), append(l.times, t)
	}
	if len(l.times) != len(h.asked) {
		return l, fmt.Errorf("%d times of %d programs", len(l.times), len(h.asked))
	}
	return l, nil
}

// otherState is the ratio to the usual mark of 16 KiB below which a host is in another state:
// if a hypervisor puts both ranks on one core, messages take two thirds, and computations longer.
const otherState = 0.8

// usual returns the median of the marks of 16 KiB in launches of a kind.
func usual(rounds []round, kind func(round) launch) float64 {
	var marks []float64
	for _, r := range rounds {
		for _, mark := range kind(r).marks {
			marks = append(marks, mark[1])
		}
	}
	return stats.QuantileOf(marks, 0.5)
}

// programs reports the times of programs without the recorder, and what the calibration's machine
// gives for the traces, of launches that were alone in the more common state of the host. Programs
// without computations are compared by lower quartiles, as calibrate's times are such quartiles of
// passes. The error is against the run without the recorder, which is what a user wants to know.
func (h *host) programs(ctx context.Context, c *calibrate.Calibration) error {
	m, _, err := c.Machine()
	if err != nil {
		return err
	}
	on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
	if err != nil {
		return err
	}
	fmt.Fprintf(&h.report, "\n%d rounds\n\n| program | runs | other state | run | predicted "+
		"| error |\n|---|---|---|---|---|---|\n", len(h.rounds))
	runs, predicted, other := map[string][]float64{}, map[string][]float64{}, map[string]int{}
	region := mpitrace.Region{Call: "pcontrol", From: 1, To: 2}
	usualPlain := usual(h.rounds, func(r round) launch { return r.plain })
	usualTraced := usual(h.rounds, func(r round) launch { return r.traced })
	for _, r := range h.rounds {
		programs, err := cut(r.folder, 2, len(h.asked))
		if err != nil {
			return err
		}
		for k, name := range h.asked {
			switch alone := r.plain.other <= quiet; {
			case alone && r.plain.marks[k][1] < otherState*usualPlain:
				other[name]++
			case alone:
				runs[name] = append(runs[name], r.plain.times[k])
			}
			finish := quantity.Micros(0)
			if r.traced.other <= quiet && r.traced.marks[k][1] >= otherState*usualTraced {
				if finish, err = replay(ctx, programs[k], region, on); err != nil {
					return err
				}
				predicted[name] = append(predicted[name], float64(finish))
			}
			fmt.Fprintf(h.details, "%s: marks %.3f, others %.3f %.3f, run %.1f, traced %.1f, "+
				"predicted %.1f\n", name, r.plain.marks[k], r.plain.other, r.traced.other,
				r.plain.times[k], r.traced.times[k], float64(finish))
		}
	}
	for k, name := range h.asked {
		known := len(runs[name]) > 0 && len(predicted[name]) > 0
		if known && slices.Index(h.asked, name) == k {
			of := func(values []float64) float64 { return stats.QuantileOf(values, 0.25) }
			if slices.Contains(computing, name) {
				of = stats.Mean
			}
			run, p := of(runs[name]), of(predicted[name])
			fmt.Fprintf(&h.report, "| %s | %d | %d | %.0f µs | %.0f µs | %+.0f %% |\n", name,
				len(runs[name]), other[name], run, p, 100*(p/run-1))
		}
	}
	return nil
}
