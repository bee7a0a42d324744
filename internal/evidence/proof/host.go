package main

import (
	"bytes"
	"cmp"
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

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/programs.c
var programsC string

// quiet is the part of the processors' time that other programs may take from a launch that is
// judged: the computer's own services take as much.
const quiet = 0.02

// A host is an MPI library of this computer, with the programs that it compiled.
type host struct {
	library, dir string
	report       strings.Builder
	details      io.Writer // each launch
	rounds       []round
}

// newHost compiles calibrate.c, trace.c and programs.c by mpicc.LIBRARY, as Debian
// names it, so that Open MPI and MPICH can be judged on one computer.
func newHost(ctx context.Context, dir, library string, details io.Writer) (*host, error) {
	h := &host{library: library, dir: dir, details: details}
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
// host changes for all of them alike. It reports how well the machines predict what was not used.
func (h *host) judge(ctx context.Context, minutes string, rounds int) error {
	for i := range rounds {
		if err := h.round(ctx, fmt.Sprint(i), minutes); err != nil {
			return err
		}
	}
	best := slices.MinFunc(h.rounds, func(a, b round) int { return cmp.Compare(a.other, b.other) })
	if err := h.calibration(ctx, best.machine); err != nil {
		return err
	}
	return h.programs(ctx)
}

// A round has the launches of a round, and the calibration.
type round struct {
	folder        string
	plain, traced launch
	machine       *calibrate.Calibration
	other         float64 // as of a launch, for calibrate
}

func (h *host) round(ctx context.Context, name, minutes string) (err error) {
	r := round{folder: filepath.Join(h.dir, name)}
	if err := os.MkdirAll(r.folder, 0o777); err != nil {
		return err
	}
	if r.plain, err = h.launch(ctx, filepath.Join(name, "plain")); err != nil {
		return err
	}
	r.traced, err = h.launch(ctx, filepath.Join(name, "traced"), "env",
		"LD_PRELOAD="+filepath.Join(h.dir, "libtrace.so"), "HALFPEAK_TRACE="+r.folder)
	if err != nil {
		return err
	}
	out, other, err := h.saved(ctx, filepath.Join(name, "calibrate"), "./calibrate",
		"--minutes", minutes, "--collectives", "barrier,scatter,reduce,bcast,allreduce")
	if err != nil {
		return err
	}
	r.other = other
	r.machine, err = calibrate.Read(bytes.NewReader(out), "calibrate")
	h.rounds = append(h.rounds, r)
	return err
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

// hostPrograms are those of programs.c, with the bytes of a message where they take them.
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
	return append(all, "jacobi", "cg", "wavefront", "producer", "halo", "pipeline", "master")
}()

// replay predicts the time of a traced program: the finish of its ranks' traces, which the tracer
// wrote into a folder, on a machine.
func replay(ctx context.Context, folder string, ranks int, region mpitrace.Region,
	on simulate.Machine) (quantity.Micros, error) {
	var files []string
	for rank := range ranks {
		files = append(files, filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
	}
	translation := mpitrace.Defaults
	translation.Region = region
	s, err := mpitrace.Read(mpitrace.Files(files...), translation)
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	done, err := p.Run(ctx, simulate.Setup{Machine: on})
	if err != nil {
		return 0, err
	}
	finish, _ := done.Finish()
	return finish, nil
}

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
		slices.Concat(recorder, []string{"./programs"}, hostPrograms)...)
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
	if len(l.times) != len(hostPrograms) {
		return l, fmt.Errorf("%d times of %d programs", len(l.times), len(hostPrograms))
	}
	return l, nil
}

// otherState is the ratio to the median of marks of 16 KiB below which a host is in another state:
// if a hypervisor puts both ranks on one core, messages take two thirds, and computations longer.
const otherState = 0.8

// programs reports the times of programs without the recorder, and what the machines of the same
// rounds give for the traces, as lower quartiles of the launches that were alone in the more common
// state of the host: calibrate's times are such quartiles too. The error is against the run without
// the recorder, which is what a user wants to know.
func (h *host) programs(ctx context.Context) error {
	var marks []float64
	for _, r := range h.rounds {
		for _, mark := range r.plain.marks {
			marks = append(marks, mark[1])
		}
	}
	usual := stats.QuantileOf(marks, 0.5)
	fmt.Fprintf(&h.report, "\n%d rounds\n\n| program | launches | other state | run | predicted "+
		"| error |\n|---|---|---|---|---|---|\n", len(h.rounds))
	for k, name := range hostPrograms {
		var runs, predicted []float64
		other := 0
		for _, r := range h.rounds {
			switch alone := r.plain.other <= quiet; {
			case alone && r.plain.marks[k][1] < otherState*usual:
				other++
			case alone:
				runs = append(runs, r.plain.times[k])
			}
			finish := 0.0
			if r.traced.other <= quiet && r.other <= 2*quiet {
				t, err := h.predict(ctx, r, k)
				if err != nil {
					return err
				}
				finish = float64(t)
				predicted = append(predicted, finish)
			}
			fmt.Fprintf(h.details, "%s: marks %.3f, others %.3f %.3f %.3f, run %.1f, traced %.1f, "+
				"predicted %.1f\n", name, r.plain.marks[k], r.plain.other, r.traced.other, r.other,
				r.plain.times[k], r.traced.times[k], finish)
		}
		low := func(values []float64) float64 { return stats.QuantileOf(values, 0.25) }
		if len(runs) > 0 && len(predicted) > 0 {
			fmt.Fprintf(&h.report, "| %s | %d | %d | %.0f µs | %.0f µs | %+.0f %% |\n", name,
				len(runs), other, low(runs), low(predicted), 100*(low(predicted)/low(runs)-1))
		}
	}
	return nil
}

// predict returns the time of program k of a round by the machine of the round.
func (h *host) predict(ctx context.Context, r round, k int) (quantity.Micros, error) {
	m, _, err := r.machine.Machine()
	if err != nil {
		return 0, err
	}
	on, err := simulate.FromMachine(m, r.machine.Places, simulate.NoLimit)
	if err != nil {
		return 0, err
	}
	region := mpitrace.Region{Call: "pcontrol", From: 2*k + 1, To: 2*k + 2}
	return replay(ctx, r.folder, 2, region, on)
}
