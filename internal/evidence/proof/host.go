package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/halfpeak/halfpeak/engine/schedule/mpitrace"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/fit/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

//go:embed c/programs.c
var programsC string

// quietLoad is the load average above which other programs disturb two ranks on two
// processors. The report says so and does not fail: the errors are then those of a
// busy computer.
const quietLoad = 1.5

// load returns the load average of the last minute, or 0 if it is not known.
func load() (average float64) {
	text, err := os.ReadFile("/proc/loadavg")
	if err == nil {
		_, _ = fmt.Sscan(string(text), &average) // 0 if it is not a number
	}
	return average
}

// A host is an MPI library of this computer, with the programs that it compiled.
type host struct {
	library, dir string
	report       strings.Builder
}

// newHost compiles calibrate.c, trace.c and programs.c by mpicc.LIBRARY, as Debian
// names it, so that Open MPI and MPICH can be judged on one computer.
func newHost(ctx context.Context, dir, library string) (*host, error) {
	h := &host{library: library, dir: dir}
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

// run runs a command on two ranks and returns its output. Open MPI refuses to run as
// root, and on fewer processors than ranks, unless these variables allow it;
// containers have both.
func (h *host) run(ctx context.Context, command ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "mpirun."+h.library,
		append([]string{"-np", "2"}, command...)...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
	// SIGTERM, not SIGKILL, so that mpirun ends its ranks.
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	return output(cmd)
}

// judge calibrates this computer and reports how well its machine predicts what was
// not used, programs among it, each run so many times. The load is read before and
// after: a program that starts in between disturbs as much.
func (h *host) judge(ctx context.Context, minutes string, programs []string, runs int) error {
	before := load()
	out, err := h.run(ctx, "./calibrate", "--minutes", minutes,
		"--collectives", "barrier,scatter,reduce,bcast,allreduce")
	if err != nil {
		return err
	}
	c, err := calibrate.Read(bytes.NewReader(out), "calibrate")
	if err != nil {
		return err
	}
	if err := h.calibration(ctx, c); err != nil {
		return err
	}
	if err := h.programs(ctx, c, programs, runs); err != nil {
		return err
	}
	if after := load(); max(before, after) > quietLoad {
		fmt.Fprintf(&h.report,
			"\nThe load average was %.1f to %.1f: other programs took processors "+
				"from these, and the errors are also theirs. Repeat it below %.1f.\n",
			before, after, quietLoad)
	}
	return nil
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
	for _, name := range []string{"two-buffers", "one-buffer"} {
		for _, n := range []int{3, 50, 700, 6000, 40000, 300000, 2000000} {
			all = append(all, fmt.Sprint(name, " ", n))
		}
	}
	return append(all, "swap 40960", "swap 131072", "jacobi", "cg", "wavefront", "producer", "halo",
		"pipeline", "master")
}()

// replay predicts the time of a traced program: the finish of its ranks' traces, which the tracer
// wrote into a folder, on a machine.
func replay(ctx context.Context, folder string, ranks int, on simulate.Machine) (
	quantity.Micros, error) {
	var files []string
	for rank := range ranks {
		files = append(files, filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
	}
	s, err := mpitrace.Read(mpitrace.Files(files...), mpitrace.Defaults)
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

// programs reports the times of programs, without and with the tracer, and what the
// machine gives for their traces. Each is the least of some runs. The error is
// against the run without the tracer, which is what a user wants to know.
func (h *host) programs(ctx context.Context, c *calibrate.Calibration, names []string,
	runs int) error {
	m, _, err := c.Machine()
	if err != nil {
		return err
	}
	on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
	if err != nil {
		return err
	}
	fmt.Fprintln(&h.report,
		"\n| program | run | traced | predicted | error |\n|---|---|---|---|---|")
	for _, name := range names {
		program := append([]string{"./programs"}, strings.Fields(name)...)
		plain, traced, predicted := math.Inf(1), math.Inf(1), math.Inf(1)
		for range runs {
			t, err := h.time(ctx, program...)
			if err != nil {
				return err
			}
			plain = min(plain, t)
			tracer := "LD_PRELOAD=" + filepath.Join(h.dir, "libtrace.so")
			recorded := append([]string{"env", tracer}, program...)
			if t, err = h.time(ctx, recorded...); err != nil {
				return err
			}
			// The prediction goes with the fastest traced run: its trace is disturbed the least.
			if t > traced {
				continue
			}
			finish, err := replay(ctx, h.dir, 2, on)
			if err != nil {
				return err
			}
			traced, predicted = t, float64(finish)
		}
		fmt.Fprintf(&h.report, "| %s | %.0f µs | %.0f µs | %.0f µs | %+.0f %% |\n",
			name, plain, traced, predicted, 100*(predicted/plain-1))
	}
	return nil
}

// time runs a program that prints its time in µs.
func (h *host) time(ctx context.Context, command ...string) (float64, error) {
	out, err := h.run(ctx, command...)
	if err != nil {
		return 0, err
	}
	return strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
}
