package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/program"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Programs of programs.c, traced, are the same programs in at most 15 lines of Starlark: each rank
// has the same messages in the same order, which wait for the same ones. So times are equal on
// machines that take no notice of the state of memory. The computing times of a trace are those of
// one run, so both are compared without computations. The program "master" has no such file: rank 0
// answers whoever comes first.
func TestTracedPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and runs for some seconds")
	}
	// Four ranks of MPICH would wait for two cores for minutes.
	for library, ranks := range map[string]int{"openmpi": 4, "mpich": 2} {
		t.Run(library, func(t *testing.T) { compareTraced(t, library, ranks) })
	}
}

func compareTraced(t *testing.T, library string, ranks int) {
	dir := hostOf(t, library)
	names := []string{"halo", "pipeline", "jacobi", "cg", "wavefront", "producer"}
	folder := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "mpirun."+library, append([]string{"-np",
		fmt.Sprint(ranks), "./programs"}, names...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
		"OMPI_MCA_rmaps_base_oversubscribe=1", "LD_PRELOAD="+filepath.Join(dir, "libtrace.so"), "HALFPEAK_TRACE="+folder)
	if _, err := output(cmd); err != nil {
		t.Fatal(err)
	}
	traced, err := cut(folder, ranks, len(names))
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range names {
		translation := mpitrace.Defaults
		translation.Region = mpitrace.Region{Call: "pcontrol", From: 1, To: 2}
		trace, _, err := mpitrace.Read(traced[i], translation)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		written := inStarlark(t, name, ranks)
		for rank := range ranks {
			got, want := messagesOf(written, rank), messagesOf(trace, rank)
			if len(got) != len(want) {
				t.Errorf("%s, rank %d: %d messages, want %d", name, rank, len(got), len(want))
				continue
			}
			for k := range got {
				if !reflect.DeepEqual(got[k], want[k]) {
					t.Errorf("%s, rank %d, message %d: %+v, want %+v", name, rank, k, got[k],
						want[k])
					break
				}
			}
		}
		translation.Scale = 0
		if trace, _, err = mpitrace.Read(traced[i], translation); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, want := finishOf(t, inStarlark(t, name, ranks, "work", "0")), finishOf(t, trace)
		if got != want {
			t.Errorf("%s takes %v µs without computations, want %v", name, got, want)
		}
	}
}

// finishOf returns the finish on a machine without states of memory.
func finishOf(t *testing.T, s *schedule.Schedule) quantity.Micros {
	t.Helper()
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	done, err := p.Run(t.Context(), simulate.Setup{LogGOPS: simulate.Defaults})
	if err != nil {
		t.Fatal(err)
	}
	at, _ := done.Finish()
	return at
}

// Random programs in C and in Starlark do the same on a crossbar: each receive takes the same
// message, and times differ by percents. The whole run has 200 of them on two networks.
func TestRandomPrograms(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and simulates for some seconds")
	}
	all, err := judgeRandom(t.Context(), t.TempDir(), calibrateProgram(t), randomPlatforms[:1], 1, 8,
		t.Output())
	if err != nil {
		t.Fatal(err)
	}
	v := all[0]
	if v.programs != 8 || v.otherOrder > 0 || v.onlyHalfpeak > 0 || len(v.times.signed) < 5 {
		t.Errorf("%+v", v)
	}
	// Those of 200 programs were 0.3 and 12 %.
	if v.times.median() > 3 || math.Abs(v.times.worstError()) > 30 {
		t.Errorf("median error %.1f %%, want at most 3; worst %+.1f %% (%s), want at most 30",
			v.times.median(), v.times.worstError(), v.times.worst)
	}
}

// cut returns the programs of a launch, count of them, from its ranks' traces, each between two
// calls of MPI_Pcontrol: reading whole traces for each program would take minutes.
func cut(folder string, ranks, count int) (programs [][]mpitrace.Source, err error) {
	programs = make([][]mpitrace.Source, count)
	for _, trace := range traces(folder, ranks) {
		text, err := os.ReadFile(trace.Name)
		if err != nil {
			return nil, err
		}
		var head, part []byte
		k := 0
		for line := range bytes.Lines(text) {
			mark := bytes.HasPrefix(line, []byte("Pcontrol "))
			switch {
			case mark && part == nil:
				part = slices.Concat(head, line)
			case mark && k < len(programs):
				whole := append(append(part, line...), "Finalize 0 0\n"...)
				programs[k] = append(programs[k], mpitrace.Source{Name: trace.Name,
					Open: func() (io.ReadCloser, error) {
						return io.NopCloser(bytes.NewReader(whole)), nil
					}})
				k, part = k+1, nil
			case part != nil:
				part = append(part, line...)
			}
			// What the rank and its communicators are is of the whole trace.
			if bytes.HasPrefix(line, []byte("halfpeak-trace ")) ||
				bytes.HasPrefix(line, []byte("comm ")) {
				head = append(head, line...)
			}
		}
	}
	return programs, nil
}

// inStarlark returns the schedule of a program of testdata/programs.
func inStarlark(t *testing.T, name string, ranks int, param ...string) *schedule.Schedule {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "programs", name+program.Suffix))
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "\n"); n > 15 {
		t.Errorf("%s has %d lines, want at most 15", name, n)
	}
	p, err := program.Read(t.Context(), name+program.Suffix, text)
	if err != nil {
		t.Fatal(err)
	}
	if len(param) == 2 {
		if p, err = p.Set(param[0], param[1]); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := p.Schedule(t.Context(), program.Options{Ranks: ranks})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A waiting message is a send or receive, and what it waits for among the rank's earlier ones:
// until they are done, or until they have started.
type waiting struct {
	schedule.Op
	done, started []int
}

// messagesOf returns the sends and receives of a rank in their order. Computations are left out:
// what waits for one waits for what that waits for. Collectives count their tags from the beginning
// of a trace, so only tags of other messages are compared.
func messagesOf(s *schedule.Schedule, rank int) (all []waiting) {
	lo, hi := s.Rank(rank)
	ops := make([]waiting, hi-lo) // what waits for operations before, each of the rank's operations
	number := make([]int, hi-lo)
	for i := lo; i < hi; i++ {
		o := ops[i-lo] // complete, since dependencies come from earlier operations
		o.Op = s.Ops()[i]
		o.Memory = schedule.Plain
		if o.Context > 0 {
			o.Tag = 0
		}
		o.done, o.started = unique(o.done), unique(o.started)
		message := o.Kind != schedule.Calc
		if message {
			number[i-lo] = len(all)
			all = append(all, o)
		}
		pass := func(after []uint32, started bool) {
			for _, next := range after {
				to := &ops[next-lo]
				switch {
				case !message:
					to.done, to.started = append(to.done, o.done...), append(to.started, o.started...)
				case started:
					to.started = append(to.started, number[i-lo])
				default:
					to.done = append(to.done, number[i-lo])
				}
			}
		}
		pass(s.AfterDone(i), false)
		pass(s.AfterStarted(i), true)
	}
	return all
}

func unique(list []int) []int {
	slices.Sort(list)
	return slices.Compact(list)
}
