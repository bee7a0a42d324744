package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// judge measures programs in a folder.
type judge struct {
	dir      string
	priority bool
}

// busy is the part of a processor that a rank must have had in a run that counts: ranks wait by
// asking again and again, so that an undisturbed one has all of it. Linux leaves 5 % of the time to
// others even if a rank goes before everything else.
const busy = 0.94

// attempts is how often a run is repeated until both ranks were busy.
const attempts = 4

// mpirun returns a command on some ranks of a network.
func (j *judge) mpirun(ctx context.Context, l *library, folder string, ranks int, options string,
	env []string, command string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 4*time.Minute)
	defer cancel()
	args := append(strings.Fields("mpirun."+l.name+" "+options), "-np", fmt.Sprint(ranks), "env")
	args = append(append(args, env...), strings.Fields(command)...)
	if j.priority {
		args = append([]string{"chrt", "-f", "10"}, args...)
	}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = folder
	// Open MPI refuses to run as root, and on fewer cores than ranks, unless these allow it.
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMP_NUM_THREADS=1")
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", command, err, out[max(0, len(out)-2000):])
	}
	return out, err
}

func (j *judge) machineFile(l *library, n int) string {
	return filepath.Join(j.dir, l.name, fmt.Sprintf("machine-%d.csv", n))
}

func (j *judge) calibrate(ctx context.Context, l *library, n int, minutes string) error {
	file := j.machineFile(l, n)
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	out, err := j.mpirun(ctx, l, filepath.Dir(file), 2, l.options[n], nil,
		"./calibrate --collectives none --minutes "+minutes)
	if err == nil {
		err = os.WriteFile(file, out, 0o666)
	}
	return err
}

func (j *judge) machine(l *library, n int) (simulate.Machine, error) {
	file := j.machineFile(l, n)
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	c, err := calibrate.Read(bytes.NewReader(text), file)
	if err != nil {
		return nil, err
	}
	m, _, err := c.Machine()
	if err != nil {
		return nil, err
	}
	return simulate.FromMachine(m, c.Places, simulate.NoLimit)
}

// A timing is the time of a run in seconds, and the smallest part of a processor that a rank had.
type timing struct{ seconds, share float64 }

func (j *judge) timingFile(p program, n, round int) string {
	return filepath.Join(j.folder(p), fmt.Sprintf("plain-%d-%d", n, round))
}

// plain runs a program without the tracer.
func (j *judge) plain(ctx context.Context, p program, n, round int) error {
	file := j.timingFile(p, n, round)
	if _, err := os.Stat(file + ".0"); err == nil {
		return nil
	}
	var err error
	for range attempts {
		if _, err = j.mpirun(ctx, p.library, j.folder(p), 2, p.library.options[n],
			[]string{"CLOCK=" + file, j.preload(p, "libclock.so")}, p.command); err != nil {
			continue // a launch that other work has held up is ended after a minute
		}
		t, err := j.timing(p, n, round)
		if err != nil || t.share >= busy {
			return err
		}
	}
	return err
}

func (j *judge) preload(p program, name string) string {
	return "LD_PRELOAD=" + filepath.Join(j.dir, p.library.name, name)
}

// timing returns what plain has measured: the time of the rank that ended last.
func (j *judge) timing(p program, n, round int) (t timing, err error) {
	t.share = 2
	for rank := range 2 {
		var seconds, share float64
		text, err := os.ReadFile(fmt.Sprintf("%s.%d", j.timingFile(p, n, round), rank))
		if err != nil {
			return t, err
		}
		if _, err := fmt.Sscan(string(text), &seconds, &share); err != nil {
			return t, err
		}
		t.seconds, t.share = max(t.seconds, seconds), min(t.share, share)
	}
	return t, nil
}

func (j *judge) traceFolder(p program, n, round int) string {
	return filepath.Join(j.folder(p), fmt.Sprintf("trace-%d-%d", n, round))
}

// traced runs a program with the tracer.
func (j *judge) traced(ctx context.Context, p program, n, round int) error {
	folder := j.traceFolder(p, n, round)
	if _, err := os.Stat(folder); err == nil {
		return nil
	}
	var err error
	for range attempts {
		if err = errors.Join(os.RemoveAll(folder), os.Mkdir(folder, 0o777)); err != nil {
			return err
		}
		if err = j.mpirunOnce(ctx, p, 2, p.library.options[n], folder); err != nil {
			continue
		}
		r, err := lasted(folder)
		if err != nil || r.share >= busy {
			return err
		}
	}
	return err
}

// mpirunOnce runs a program with the tracer, whose files go into a folder.
func (j *judge) mpirunOnce(ctx context.Context, p program, ranks int, options,
	folder string) error {
	_, err := j.mpirun(ctx, p.library, j.folder(p), ranks, options,
		[]string{"HALFPEAK_TRACE=" + folder, j.preload(p, "libtrace.so")}, p.command)
	if err != nil {
		os.RemoveAll(folder)
	}
	return err
}

// lasted returns how long a traced run took, the part of the tracer in s, and the calls.
func lasted(folder string) (r struct {
	timing
	tracer, calls float64
}, err error) {
	r.share = 2
	for rank := range 2 {
		text, err := os.ReadFile(filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
		if err != nil {
			return r, err
		}
		at := bytes.LastIndex(text, []byte("\nlasted "))
		var all, own, processor float64
		if _, err := fmt.Sscan(string(text[at+len("\nlasted "):]), &all, &own,
			&processor); err != nil {
			return r, fmt.Errorf("%s: the trace has no end: %w", folder, err)
		}
		r.seconds, r.tracer = max(r.seconds, all/1e9), max(r.tracer, own/1e9)
		r.share = min(r.share, processor/all)
		r.calls = max(r.calls, float64(bytes.Count(text, []byte("\n"))))
	}
	return r, nil
}

// predicted returns the finish of a trace on a machine in seconds.
func predicted(ctx context.Context, folder string, ranks int, on simulate.Machine) (float64,
	error) {
	var files []string
	for rank := range ranks {
		files = append(files, filepath.Join(folder, fmt.Sprintf("trace.%06d", rank)))
	}
	s, _, err := mpitrace.Read(mpitrace.Files(files...), mpitrace.Defaults)
	if err != nil {
		return 0, err
	}
	p, err := simulate.New(s)
	if err != nil {
		return 0, err
	}
	done, err := p.Run(ctx, simulate.Setup{Machine: on, LogGOPS: simulate.Defaults})
	if err != nil {
		return 0, err
	}
	finish, _ := done.Finish()
	return float64(finish) / 1e6, nil
}

// median returns the median time of the runs without the tracer in which both ranks were busy, or
// of all if there is none.
func (j *judge) median(p program, n, rounds int) (seconds float64, quiet int, err error) {
	var all, kept []float64
	for round := range rounds {
		t, err := j.timing(p, n, round)
		if err != nil {
			return 0, 0, err
		}
		all = append(all, t.seconds)
		if t.share >= busy {
			kept = append(kept, t.seconds)
		}
	}
	quiet = len(kept)
	if quiet == 0 {
		kept = all
	}
	return stats.QuantileOf(kept, 0.5), quiet, nil
}
