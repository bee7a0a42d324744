package main

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calibrate"
)

// compiled is the folder of the programs that several tests run. A compiler takes seconds for each.
var compiled string

func TestMain(m *testing.M) {
	var err error
	if compiled, err = os.MkdirTemp("", "proof"); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(compiled)
	os.Exit(code)
}

// needs skips the test if one of the commands is missing.
func needs(t *testing.T, packages string, commands ...string) {
	t.Helper()
	for _, command := range commands {
		if _, err := exec.LookPath(command); err != nil {
			t.Skipf("no %s here: install %s", command, packages)
		}
	}
}

// calibrateProgram returns the path of calibrate.c compiled for SimGrid, or skips the test.
func calibrateProgram(t *testing.T) string {
	t.Helper()
	needs(t, "simgrid and libsimgrid-dev to run calibrate.c on clusters that are known", "smpicc", "smpirun")
	path, err := simgridCalibrate()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

var simgridCalibrate = sync.OnceValues(func() (string, error) {
	s, err := newSMPI(context.Background(), compiled)
	return s.calibrate, err
})

//go:embed c/programs.c
var programsC string

// hostOf returns the folder of programs that an MPI library of this computer compiled, or skips the
// test.
func hostOf(t *testing.T, library string) string {
	t.Helper()
	needs(t, fmt.Sprintf("lib%s-dev and %[1]s-bin to run calibrate.c and trace.c with it", library), "mpicc."+library, "mpirun."+library)
	dir, err := hosts[library]()
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var hosts = func() map[string]func() (string, error) {
	all := map[string]func() (string, error){}
	for _, library := range []string{"openmpi", "mpich"} {
		all[library] = sync.OnceValues(func() (string, error) {
			dir := filepath.Join(compiled, library)
			err := os.Mkdir(dir, 0o777)
			for name, build := range map[string][]string{
				"calibrate":   {calibrate.Source, "-lm"},
				"libtrace.so": {calibrate.TraceSource, "-shared", "-fPIC"},
				"programs":    {programsC},
			} {
				if err == nil {
					_, err = compile(context.Background(), "mpicc."+library, dir, name, build[0], build[1:]...)
				}
			}
			return dir, err
		})
	}
	return all
}()

// A fat tree with one uplink for two nodes, of links of 12.5 GB/s and 0.5 µs: what the machine is,
// and forced collectives.
func TestKnownCluster(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and simulates for some seconds")
	}
	j := kindJudge{smpi: smpi{t.TempDir(), calibrateProgram(t)}, details: io.Discard}
	p := platform{name: "fat tree", nodes: 8, perNode: 1, topology: fatTree("2;2,4;1,1;1,1")}
	c, err := j.run(t.Context(), p, "--collectives", "none")
	if err != nil {
		t.Fatal(err)
	}
	m, _, err := c.Machine()
	if err != nil {
		t.Fatal(err)
	}
	// Two links to the node beside. Differences of two sizes, so that fixed costs cancel.
	const n, latency, bandwidth = 1 << 20, 1, 12500
	inner := m.Levels[0]
	if got := inner.Layer.OneWay(1); math.Abs(float64(got)/latency-1) > 0.1 {
		t.Errorf("latency %v; want %d µs, at most 10 %% off", got, latency)
	}
	if got := n / float64(inner.Layer.OneWay(2*n)-inner.Layer.OneWay(n)); math.Abs(got/bandwidth-1) > 0.1 {
		t.Errorf("bandwidth %.0f MB/s; want %d, at most 10 %% off", got, bandwidth)
	}
	if len(m.Levels) < 2 || len(inner.Port) == 0 {
		t.Fatalf("no uplink found in %v", m)
	}
	if got := n / float64(inner.Port.OneWay(n)); math.Abs(got/bandwidth-1) > 0.1 {
		t.Errorf("uplink %.0f MB/s; want %d, at most 10 %% off", got, bandwidth)
	}
	on, err := simulate.FromMachine(m, c.Places, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	var f family
	if err := j.collectives(t.Context(), p, on, &f); err != nil {
		t.Fatal(err)
	}
	if f.median() > 10 || len(f.signed) < 40 {
		t.Errorf("the median error of %d collectives is %.0f %%; at most 10", len(f.signed), f.median())
	}
}

// What calibrate.c says of wrong options, a full disk and more ranks than processors. Open MPI drops
// what rank 0 prints to a full disk, so the program writes the table itself.
func TestOptions(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and starts a program nine times")
	}
	dir := hostOf(t, "openmpi")
	for _, c := range []struct {
		ranks, args string
		ok          bool
		want        string
	}{
		{"2", "--help", true, "--collectives LIST"},
		{"2", "--minute 1", false, "usage: calibrate"},
		{"2", "--collectives bcast,nosuch", false, "has a name that is none of barrier,bcast,"},
		{"2", "--versus nosuch=1", false, "variables of the MPI library that can be set while it runs"},
		{"2", "--only-collectives bcast --largest 8 --versus coll_tuned_bcast_algorithm=1", true, "bcast,,in,2,8,1,2,"},
		{"2", "--output /dev/full", false, "cannot write the table (No space left on device)"},
		{"1", "", false, "start at least two, as in mpirun -np 2 ./calibrate"},
		{strconv.Itoa(runtime.NumCPU() + 1), "--only-collectives none", true, "share processors of 1 host"},
		{strconv.Itoa(runtime.NumCPU() + 1), "--only-collectives bcast --largest 8 --passes 1", true, "bcast,,in,"},
	} {
		args := append([]string{"-np", c.ranks, "./calibrate"}, strings.Fields(c.args)...)
		cmd := exec.CommandContext(t.Context(), "mpirun.openmpi", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1")
		out, err := cmd.CombinedOutput()
		if (err == nil) != c.ok || !strings.Contains(string(out), c.want) {
			t.Errorf("%s ranks, %s: %v, want %q in\n%s", c.ranks, c.args, err, c.want, out)
		}
	}
}

// slowWriter sums often enough that the tracer writes more than once, by a clock that advances by
// 1 µs when it is read, and by 100 µs when the tracer writes.
const slowWriter = `
#include <mpi.h>
#include <sys/syscall.h>
#include <unistd.h>
static double clock_us;
double PMPI_Wtime(void) { return 1e-6 * ++clock_us; }
ssize_t write(int f, const void *from, size_t n) { clock_us += 100; return syscall(SYS_write, f, from, n); }
int main(int argc, char **argv) {
	double mine = 1, sum;
	MPI_Init(&argc, &argv);
	for (int i = 0; i < 6000; i++) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return MPI_Finalize();
}
`

// The time in which the tracer writes its lines and reads the clock is not in the trace. The tracer
// reads the clock of the program, which no load of the computer moves.
func TestTimeOfTracer(t *testing.T) {
	needs(t, "openmpi-bin and libopenmpi-dev", "mpicc.openmpi", "mpirun.openmpi")
	dir := t.TempDir()
	for file, text := range map[string]string{"slow.c": slowWriter, "trace.c": calibrate.TraceSource} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, command := range [][]string{{"mpicc.openmpi", "-rdynamic", "slow.c", "-o", "slow"},
		{"mpicc.openmpi", "-shared", "-fPIC", "-DCLOCK_OF_MPI", "trace.c", "-o", "libtrace.so"},
		{"mpirun.openmpi", "-np", "1", "env",
			"LD_PRELOAD=" + filepath.Join(dir, "libtrace.so"), "./slow"}} {
		cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "trace.000000"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line) // name, ns since the call before, ns in the call
		if fields[0] != "Allreduce" {
			continue
		}
		between, err := strconv.Atoi(fields[1])
		if err != nil {
			t.Fatal(err)
		}
		if calls++; calls > 1 && between > 1500 { // one reading of the clock
			t.Errorf("%d ns between two calls, all of which the tracer took: %s", between, line)
		}
	}
	if calls != 6000 {
		t.Errorf("%d calls in the trace, want 6000", calls)
	}
}

// countBytes counts the largest number of bytes that a rank has allocated at once.
const countBytes = `
#undef malloc
#undef calloc
#undef realloc
#undef free
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
static size_t live, most;
static void *taken(void *p) { live += malloc_usable_size(p); if (live > most) most = live; return p; }
static void left(void *p) { live -= malloc_usable_size(p); free(p); }
#define malloc(n) taken(malloc(n))
#define calloc(a, b) taken(calloc(a, b))
#define free(p) left(p)
`

// What a rank allocates beyond its buffers grows with the number of ranks alone, not with its
// square: below 1 MiB among 4,096 ranks.
func TestMemoryOfManyRanks(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles and simulates for some seconds")
	}
	needs(t, "simgrid and libsimgrid-dev", "smpicc", "smpirun")
	dir := t.TempDir()
	path := filepath.Join(dir, "calibrate")
	header := filepath.Join(dir, "count.h")
	if err := os.WriteFile(header, []byte(countBytes), 0o666); err != nil {
		t.Fatal(err)
	}
	source := strings.Replace(calibrate.Source, `put("# %.1f s\n"`, `put("# peak %zu\n# %.1f s\n", most`, 1)
	if err := os.WriteFile(path+".c", []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "smpicc", "-include", header, path+".c", "-DWAIT_BY_SLEEP", "-o", path, "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	peak := func(nodes int) float64 {
		for name, text := range map[string]string{"hosts": "", "platform.xml": platformXML(platform{nodes: nodes})} {
			for node := range nodes {
				if name == "hosts" {
					text += strings.Repeat(fmt.Sprintf("n%d\n", node), 8)
				}
			}
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		out, err := exec.CommandContext(t.Context(), "smpirun", "-np", fmt.Sprint(8*nodes), "-platform", filepath.Join(dir, "platform.xml"), "-hostfile", filepath.Join(dir, "hosts"),
			"--cfg=smpi/simulate-computation:0", "--log=root.thres:critical", path, "--repeats", "1", "--passes", "1", "--collectives", "none").Output()
		if err != nil {
			t.Fatal(err)
		}
		var bytes float64
		_, text, _ := strings.Cut(string(out), "# peak ")
		if _, err := fmt.Sscan(text, &bytes); err != nil {
			t.Fatal(err)
		}
		return bytes
	}
	few, many := peak(2), peak(8)
	if each := (many - few) / 48; each > 256 {
		t.Errorf("%.0f bytes with 16 ranks, %.0f with 64: %.0f for each more; at most 256", few, many, each)
	} else {
		t.Logf("%.0f bytes for each rank more", each)
	}
}

// Levels from a /sys of two sockets with two caches of two cores each.
func TestLevelsFromSys(t *testing.T) {
	path, dir := calibrateProgram(t), t.TempDir()
	sys := filepath.Join(dir, "sys")
	for cpu := range 8 {
		for name, text := range map[string]string{
			"topology/physical_package_id": fmt.Sprint(cpu / 4),
			"cache/index0/level":           "1", "cache/index0/shared_cpu_list": fmt.Sprint(cpu),
			"cache/index1/level": "3", "cache/index1/shared_cpu_list": fmt.Sprintf("%d-%d", cpu/2*2, cpu/2*2+1),
		} {
			file := filepath.Join(sys, "devices/system/cpu", fmt.Sprintf("cpu%d", cpu), name)
			if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte(text+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct{ cpus, want string }{
		{"0,1,2,3,4,5,6,7", "cache holds 2, socket holds 2, node holds 2, cluster holds 2, places 0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15"},
		{"0,4,2,6,1,5,3,7", "cache holds 2, socket holds 2, node holds 2, cluster holds 2, places 0,4,2,6,1,5,3,7,8,12,10,14,9,13,11,15"},
		{"0,2,4,6", "cache holds 2, socket holds 2, node holds 2, cluster holds 2, places 0,2,4,6,1"}, // two ranks on each core
		{"99", "node holds 8, cluster holds 2"},
	} {
		if err := os.WriteFile(filepath.Join(dir, "hosts"), []byte(strings.Repeat("n0\n", 8)+strings.Repeat("n1\n", 8)), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "platform.xml"), []byte(platformXML(platform{nodes: 2})), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.CommandContext(t.Context(), "smpirun", "-np", "16", "-platform", filepath.Join(dir, "platform.xml"), "-hostfile", filepath.Join(dir, "hosts"),
			"--cfg=smpi/simulate-computation:0", "--log=root.thres:critical", path, "--sys", sys, "--cpus", test.cpus, "--only-collectives", "none").CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		var got []string
		for line := range bytes.Lines(out) {
			if text := strings.TrimSpace(string(line)); strings.HasPrefix(text, "# level ") || strings.HasPrefix(text, "# places ") {
				got = append(got, strings.TrimPrefix(strings.TrimPrefix(text, "# "), "level "))
			}
		}
		if text := strings.Join(got, ", "); !strings.HasPrefix(text, test.want) && !strings.Contains(text, test.want) {
			t.Errorf("processors %s: %s; want %s", test.cpus, text, test.want)
		}
	}
}
