package calibrate_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/remark"
)

// needs skips the test if one of the programs is missing.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	for _, name := range programs {
		if _, err := exec.LookPath(name); err != nil {
			t.Skipf("%s is not installed", name)
		}
	}
}

// try runs a command in a folder.
func try(t *testing.T, dir string, env []string, name string, args ...string) (string, error) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	// Open MPI refuses to run as root, and on fewer cores than ranks, unless these allow it. Ranks
	// that it ends have three seconds to write their traces, if the computer has other work.
	cmd.Env = append(os.Environ(), append(env, "OMPI_ALLOW_RUN_AS_ROOT=1",
		"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
		"OMPI_MCA_btl_base_warn_component_unused=0", "OMPI_MCA_odls_base_sigkill_timeout=3")...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func run(t *testing.T, dir string, env []string, name string, args ...string) string {
	t.Helper()
	out, err := try(t, dir, env, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// tracers compile the tracer for each library, once: that takes a second or two.
var tracers = map[string]func() ([]byte, error){
	"openmpi": compiled("openmpi"), "mpich": compiled("mpich"),
}

func compiled(library string) func() ([]byte, error) {
	return sync.OnceValues(func() ([]byte, error) {
		dir, err := os.MkdirTemp("", "tracer")
		if err != nil {
			return nil, err
		}
		defer func() { _ = os.RemoveAll(dir) }()
		to := filepath.Join(dir, "libtrace.so")
		cmd := exec.Command("mpicc."+library, "-shared", "-fPIC", "-O1", "-x", "c", "-", "-o", to)
		cmd.Stdin = strings.NewReader(calibrate.TraceSource)
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s: %w\n%s", cmd, err, out)
		}
		return os.ReadFile(to)
	})
}

// build compiles a program in a folder with the tracer, which it returns. The test is skipped
// without the library: its compilers and its launcher.
func build(t *testing.T, library, compiler, source string, flags ...string) (dir string) {
	t.Helper()
	needs(t, "mpicc."+library, compiler+"."+library, "mpirun."+library)
	if testing.Short() {
		t.Skip("compiles C, which the race detector and the flags of Go's compiler do not touch")
	}
	dir = t.TempDir()
	tracer, err := tracers[library]()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "libtrace.so"), tracer, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	program, err := filepath.Abs(filepath.Join("testdata/trace", source))
	if err != nil {
		t.Fatal(err)
	}
	run(t, dir, nil, compiler+"."+library, append(flags, program, "-o", "program")...)
	return dir
}

// trace runs the program of a folder with the tracer on two ranks.
func trace(t *testing.T, library, dir string) (string, error) {
	t.Helper()
	return traceTo(t, library, dir, dir)
}

// traceTo is trace with the traces in another folder, and arguments of the program.
func traceTo(t *testing.T, library, dir, traces string, args ...string) (string, error) {
	t.Helper()
	return try(t, dir, nil, "mpirun."+library, append([]string{"-np", "2", "env",
		"LD_PRELOAD=" + filepath.Join(dir, "libtrace.so"), "HALFPEAK_TRACE=" + traces,
		"./program"}, args...)...)
}

// read returns the schedule of the trace in a folder.
func read(dir string) (*schedule.Schedule, []string, error) {
	s, notes, err := mpitrace.Read(mpitrace.Files(filepath.Join(dir, "trace.000000"),
		filepath.Join(dir, "trace.000001")), mpitrace.Defaults)
	return s, remark.Texts(notes), err
}

// traced compiles the tracer and a program, runs the program with the tracer, and returns the
// schedule of its trace, which must run to its end.
func traced(t *testing.T, library, compiler, source string, flags ...string) (*schedule.Schedule,
	[]string) {
	t.Helper()
	dir := build(t, library, compiler, source, flags...)
	out, err := trace(t, library, dir)
	if err != nil {
		t.Fatal(err)
	}
	s, notes, err := read(dir)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := runs(s); err != nil {
		t.Fatal(err)
	}
	return s, append(notes, out)
}

// runs is an error of a schedule that does not run to its end.
func runs(s *schedule.Schedule) error {
	p, err := simulate.New(s)
	if err == nil {
		_, err = p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults})
	}
	return err
}

// sent counts the messages of a program and their bytes, collectives aside: the contexts of those
// are odd.
func sent(s *schedule.Schedule) (messages, bytes uint64) {
	for _, op := range s.Ops() {
		if op.Kind == schedule.Send && op.Context%2 == 0 {
			messages++
			bytes += op.Size
		}
	}
	return messages, bytes
}

var libraries = []string{"openmpi", "mpich"}

// The messages of a trace are those that the program says it has sent, whichever call ends their
// requests and whichever way their communicator was made.
func TestTraceOfCalls(t *testing.T) {
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			s, notes := traced(t, library, "mpicc", "calls.c")
			messages, bytes := sent(s)
			all := strings.Join(notes, "\n")
			want := fmt.Sprintf("%d messages of %d bytes\n", messages, bytes)
			if !strings.Contains(all, want) {
				t.Errorf("the trace has %sbut the program says\n%s", want, all)
			}
			if !strings.Contains(all, "MPI_Put (2)") {
				t.Errorf("no note of MPI_Put:\n%s", all)
			}
		})
	}
}

// Calls from Fortran are recorded once, from mpif.h's routines and from those of mpi_f08.
func TestTraceOfFortran(t *testing.T) {
	// MPICH has no mpi_f08 module that every gfortran reads.
	for _, c := range []struct{ library, binding, handle string }{
		{"openmpi", "mpi", "integer"}, {"openmpi", "mpi_f08", "type(x)"},
		{"mpich", "mpi", "integer"},
	} {
		t.Run(c.library+" "+c.binding, func(t *testing.T) {
			s, notes := traced(t, c.library, "mpifort", "calls.f90", "-cpp",
				"-fallow-argument-mismatch", "-DBINDING="+c.binding, "-DHANDLE(x)="+c.handle)
			messages, bytes := sent(s)
			// Each of two ranks sends 10 to 50 doubles, and 7.
			if messages != 12 || bytes != 2*8*(10+20+30+40+50+7) {
				t.Errorf("%d messages of %d bytes:\n%s", messages, bytes,
					strings.Join(notes, "\n"))
			}
		})
	}
}

// The trace of a program that a signal or MPI_Abort has ended is read up to its end, with a note.
// Threads that call MPI at the same time are refused, threads that take turns are not. Open MPI
// waits for seconds for ranks that it ends, so all programs run at once.
func TestTraceOfEnds(t *testing.T) {
	t.Parallel()
	for _, library := range libraries {
		t.Run(library, func(t *testing.T) {
			t.Parallel()
			dir := build(t, library, "mpicc", "ends.c", "-pthread")
			for end, check := range ends {
				t.Run(end, func(t *testing.T) {
					t.Parallel()
					checkEnd(t, library, dir, end, check)
				})
			}
		})
	}
}

// checkEnd runs the program of a folder to one of its ends, with traces in a folder of their own.
func checkEnd(t *testing.T, library, dir, end string, check endCheck) {
	traces := t.TempDir()
	out, failed := traceTo(t, library, dir, traces, end)
	s, notes, err := read(traces)
	if err := check(library, failed, s, notes, err); err != nil {
		t.Errorf("%s, %s: %v\n%s", library, end, err, out)
	}
}

// An endCheck judges a program of ends.c: how it ended, its trace, and how that was read.
type endCheck func(library string, failed error, s *schedule.Schedule, notes []string,
	err error) error

var ends = map[string]endCheck{
	"signal": endsEarly, "abort": endsEarly,
	"threads": func(_ string, failed error, _ *schedule.Schedule, _ []string, err error) error {
		if failed != nil || err == nil ||
			!strings.Contains(err.Error(), "call MPI at the same time") {
			return fmt.Errorf("%v, %v", failed, err)
		}
		return nil
	},
	"serialized": func(_ string, failed error, s *schedule.Schedule, notes []string,
		err error) error {
		if failed != nil || err != nil || len(notes) > 0 {
			return fmt.Errorf("%v, %v, notes %q", failed, err, notes)
		}
		if messages, _ := sent(s); messages != 5+2*100 {
			return fmt.Errorf("%d messages", messages)
		}
		return nil
	},
}

func endsEarly(library string, failed error, s *schedule.Schedule, notes []string,
	err error) error {
	if failed == nil || err != nil {
		return fmt.Errorf("no failure, or no trace: %v, %v", failed, err)
	}
	// MPICH's launcher kills rank 0, whose calls are then still in memory.
	want := map[string]uint64{"openmpi": 5, "mpich": 0}[library]
	if messages, _ := sent(s); messages != want || len(notes) != 1 ||
		!strings.HasPrefix(notes[0], "Traces end before MPI_Finalize: rank 0") {
		return fmt.Errorf("%d messages, notes %q", messages, notes)
	}
	return runs(s)
}

// A trace that was cut anywhere is read up to its end, with a note, and runs to its end.
func TestTraceCut(t *testing.T) {
	whole := []string{"", ""}
	for rank := range whole {
		whole[rank] = fmt.Sprintf("halfpeak-trace 2 rank %d of 2 run 7\n", rank) +
			"comm 2 0 1,0\nComm_split 10 10 0 2\n"
		for i := range 5 {
			other := rank // its place in the new communicator is the other one
			whole[rank] += fmt.Sprintf("Isend 10 5 0 %d %d 1 2 0 ab\n", 8+i, other) +
				fmt.Sprintf("Recv 10 5 0 %d -1 -1 2\nWait 10 10 ab\n", 8+i) +
				"Allreduce 10 10 8 0 2\n"
		}
		whole[rank] += "Finalize 10 0\nlasted 1000 10\n"
	}
	for end := len(whole[1]); end > 40; end -= 7 {
		s, notes := readTexts(t, whole[0], whole[1][:end])
		if noted := len(notes) > 0; noted != !strings.Contains(whole[1][:end], "Finalize 10 0\n") {
			t.Errorf("%d bytes: notes %q", end, notes)
		}
		if err := runs(s); err != nil {
			t.Errorf("%d bytes: %v", end, err)
		}
	}
}

func readTexts(t *testing.T, texts ...string) (*schedule.Schedule, []string) {
	t.Helper()
	var files []mpitrace.Source
	for i, text := range texts {
		files = append(files, mpitrace.Source{Name: fmt.Sprint("r", i),
			Open: func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(text)), nil
			}})
	}
	s, notes, err := mpitrace.Read(files, mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	return s, remark.Texts(notes)
}
