package mpitrace_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
)

func sweep3D(t testing.TB) []mpitrace.Source {
	names, err := filepath.Glob(filepath.Join(sharedtest.Path(t, "data/goal/sweep3d"), "*.gz"))
	if err != nil || len(names) != 4 {
		t.Fatalf("%d files: %v", len(names), err)
	}
	return mpitrace.Files(names...)
}

func count(s *schedule.Schedule) (n [schedule.Calc + 1]int) {
	for _, op := range s.Ops() {
		n[op.Kind]++
	}
	return n
}

// With schedgen's algorithms Sweep3D has as many operations as schedgen makes of it, and LogGOPSim
// says the same of both: the published finish times and events (README of the data), bit for bit.
func TestSweep3D(t *testing.T) {
	o := mpitrace.Defaults
	o.Collectives.Named = collective.Schedgen
	s, _, err := mpitrace.Read(sweep3D(t), o)
	if err != nil {
		t.Fatal(err)
	}
	if got := count(s); got != [...]int{0, 6052, 6052, 11836} {
		t.Errorf("%d sends, %d receives, %d calcs; schedgen makes 6052, 6052, 11836", got[1], got[2], got[3])
	}
	// The algorithms of MPI libraries send as many messages among 4 ranks.
	usual, _, err := mpitrace.Read(sweep3D(t), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := count(usual), count(s); a != b {
		t.Errorf("%v operations with the usual algorithms, %v with schedgen's", a, b)
	}

	file := filepath.Join(t.TempDir(), "sweep3d.bin")
	var b bytes.Buffer
	if err := s.WriteBinary(&b); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	said, err := exec.Command(sharedtest.Path(t, "peers/loggopsim/LogGOPSim"), "-f", file).CombinedOutput()
	if err != nil {
		t.Skipf("LogGOPSim does not run: %v: %s", err, said)
	}
	for host, finish := range []int64{42441527748, 42441450916, 42441445916, 42441442416} {
		if want := fmt.Sprintf(`(?m)^Host %d: %d$`, host, finish); !regexp.MustCompile(want).Match(said) {
			t.Errorf("no %q in what LogGOPSim says:\n%s", want, said)
		}
	}
	if !strings.Contains(string(said), " 29992") {
		t.Errorf("not 29,992 events:\n%s", said)
	}
}

// sources are files in memory, by name.
func sources(files ...string) []mpitrace.Source {
	var all []mpitrace.Source
	for i, f := range files {
		all = append(all, mpitrace.Source{Name: fmt.Sprintf("r%d", i), Open: func() (io.ReadCloser, error) {
			return io.NopCloser(strings.NewReader(f)), nil
		}})
	}
	return all
}

func goal(t *testing.T, o mpitrace.Translation, files ...string) string {
	t.Helper()
	s, _, err := mpitrace.Read(sources(files...), o)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Ops() { // GOAL has no word for them
		s.Ops()[i].Context = 0
	}
	var b bytes.Buffer
	if err := s.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// allprof is a liballprof trace: a call's arguments with its times in µs around
// them, from 100 on; each call begins 10 after the one before ended, and takes 5.
func allprof(calls ...string) string {
	const begin, end = "# collprof 0.9 output file\n\nMPI_Init:-:1:2:100.000000\n", ":-\n"
	b := strings.Builder{}
	b.WriteString(begin)
	at := 100
	for _, c := range calls {
		name, args, _ := strings.Cut(c, ":")
		if args != "" {
			args = ":" + args
		}
		fmt.Fprintf(&b, "%s:%d.000000%s:%d.250000\n", name, at+10, args, at+15)
		at += 15
	}
	fmt.Fprintf(&b, "MPI_Finalize:%d.5%s", at+20, end)
	return b.String()
}

// One rank's calls as GOAL. The first computation of each call is 10 µs, less a
// quarter that the call before took longer.
func TestLiballprof(t *testing.T) {
	idle := allprof("MPI_Barrier:0,1,2")
	one := func(lines ...string) string { return strings.Join(lines, "\n") }
	for _, c := range []struct {
		name  string
		calls []string
		want  string
	}{
		{"blocking", []string{
			"MPI_Comm_rank:0,0,2:99",
			"MPI_Send:7:3:2,8,46909632806920:1:5:0,0,2",
			"MPI_Recv:7:10:2,8,8:-1:-1:0,0,2:99",
			"MPI_Ssend:7:1:2,8,8:-2:5:0,0,2",
			"MPI_Sendrecv:7:1:2,8,8:1:6:8:2:2,8,8:1:7:0,0,2:99",
			"MPI_Sendrecv_replace:7:1:2,8,8:1:6:-2:7:0,0,2:99",
			"MPI_Barrier:0,0,2",
		}, one(
			"calc_5: calc 25000",
			"MPI_Send_5: send 24b to 1 tag 5",
			"MPI_Send_5 requires calc_5",
			"calc_6: calc 9750",
			"calc_6 requires MPI_Send_5",
			"MPI_Recv_6: recv 80b from -1 tag -1",
			"MPI_Recv_6 requires calc_6",
			"calc_7: calc 9750",
			"calc_7 requires MPI_Recv_6",
			"calc_8: calc 9750",
			"calc_8 requires calc_7",
			"MPI_Sendrecv_8: send 8b to 1 tag 6",
			"MPI_Sendrecv_8 requires calc_8",
			"MPI_Sendrecv_recv_8: recv 16b from 1 tag 7",
			"MPI_Sendrecv_recv_8 requires calc_8",
			"calc_9: calc 9750",
			"calc_9 requires MPI_Sendrecv_8",
			"calc_9 requires MPI_Sendrecv_recv_8",
			"MPI_Sendrecv_replace_9: send 8b to 1 tag 6",
			"MPI_Sendrecv_replace_9 requires calc_9",
			"calc_10: calc 9750",
			"calc_10 requires MPI_Sendrecv_replace_9",
		)},
		{"non-blocking", []string{
			"MPI_Irecv:7:1:2,8,8:1:5:0,0,2:1000",
			"MPI_Isend:7:1:2,8,8:1:5:0,0,2:1008",
			"MPI_Test:1000:98:99",
			"MPI_Wait:1008:99",
			"MPI_Wait:1008:99",
			"MPI_Irecv:7:2:2,8,8:1:5:0,0,2:1000",
			"MPI_Irecv:7:2:2,8,8:1:5:0,0,2:1016",
			"MPI_Irecv:7:2:2,8,8:1:5:0,0,2:1004",
			"MPI_Waitall:3:1000:99",
			"MPI_Wait:1016:99",
			"MPI_Barrier:0,0,2",
		}, one(
			"calc_4: calc 10000",
			"MPI_Irecv_4: recv 8b from 1 tag 5",
			"MPI_Irecv_4 requires calc_4",
			"calc_5: calc 9750",
			"calc_5 irequires MPI_Irecv_4",
			"MPI_Isend_5: send 8b to 1 tag 5",
			"MPI_Isend_5 requires calc_5",
			"calc_7: calc 24750",
			"calc_7 irequires MPI_Isend_5",
			"MPI_Wait_7: calc 0",
			"MPI_Wait_7 requires MPI_Isend_5",
			"MPI_Wait_7 requires calc_7",
			"MPI_Irecv_reuse_9: calc 0",
			"MPI_Irecv_reuse_9 requires MPI_Irecv_4",
			"MPI_Irecv_reuse_9 requires MPI_Wait_7",
			"calc_9: calc 24750",
			"calc_9 requires MPI_Irecv_reuse_9",
			"MPI_Irecv_9: recv 16b from 1 tag 5",
			"MPI_Irecv_9 requires calc_9",
			"calc_10: calc 9750",
			"calc_10 irequires MPI_Irecv_9",
			"MPI_Irecv_10: recv 16b from 1 tag 5",
			"MPI_Irecv_10 requires calc_10",
			"calc_11: calc 9750",
			"calc_11 irequires MPI_Irecv_10",
			"MPI_Irecv_11: recv 16b from 1 tag 5",
			"MPI_Irecv_11 requires calc_11",
			"calc_12: calc 9750",
			"calc_12 irequires MPI_Irecv_11",
			"MPI_Waitall_12: calc 0", // 3 requests of 4 bytes from 1000 on, not the one at 1016
			"MPI_Waitall_12 requires MPI_Irecv_9",
			"MPI_Waitall_12 requires MPI_Irecv_11",
			"MPI_Waitall_12 requires calc_12",
			"calc_13: calc 9750",
			"calc_13 requires MPI_Waitall_12",
			"MPI_Wait_13: calc 0",
			"MPI_Wait_13 requires MPI_Irecv_10",
			"MPI_Wait_13 requires calc_13",
		)},
		{"persistent", []string{
			"MPI_Recv_init:7:1:2,8,8:1:5:0,0,2:1000",
			"MPI_Send_init:7:2:2,8,8:1:6:0,0,2:1008",
			"MPI_Send_init:7:2:2,8,8:-2:6:0,0,2:1016",
			"MPI_Startall:3:1000",
			"MPI_Waitall:3:1000:9",
			"MPI_Start:1008",
			"MPI_Wait:1008:9",
			"MPI_Startall:2:1000",
			"MPI_Testall:2:1000:8:9",
			"MPI_Startall:2:1000",
			"MPI_Request_free:1008",
			"MPI_Barrier:0,0,2",
		}, one(
			"calc_7: calc 55000",
			"MPI_Startall_7: recv 8b from 1 tag 5",
			"MPI_Startall_7 requires calc_7",
			"MPI_Startall_send_7: send 16b to 1 tag 6",
			"MPI_Startall_send_7 requires calc_7",
			"calc_8: calc 9750",
			"calc_8 irequires MPI_Startall_7",
			"calc_8 irequires MPI_Startall_send_7",
			"MPI_Waitall_8: calc 0",
			"MPI_Waitall_8 requires MPI_Startall_7",
			"MPI_Waitall_8 requires MPI_Startall_send_7",
			"MPI_Waitall_8 requires calc_8",
			"calc_9: calc 9750",
			"calc_9 requires MPI_Waitall_8",
			"MPI_Start_9: send 16b to 1 tag 6",
			"MPI_Start_9 requires calc_9",
			"calc_10: calc 9750",
			"calc_10 irequires MPI_Start_9",
			"MPI_Wait_10: calc 0",
			"MPI_Wait_10 requires MPI_Start_9",
			"MPI_Wait_10 requires calc_10",
			"calc_11: calc 9750",
			"calc_11 requires MPI_Wait_10",
			"MPI_Startall_11: recv 8b from 1 tag 5",
			"MPI_Startall_11 requires calc_11",
			"MPI_Startall_send_11: send 16b to 1 tag 6",
			"MPI_Startall_send_11 requires calc_11",
			"MPI_Startall_reuse_13: calc 0",
			"MPI_Startall_reuse_13 requires MPI_Startall_11",
			"MPI_Startall_reuse_13 irequires MPI_Startall_11",
			"MPI_Startall_reuse_13 requires MPI_Startall_send_11",
			"MPI_Startall_reuse_13 irequires MPI_Startall_send_11",
			"calc_13: calc 24750",
			"calc_13 requires MPI_Startall_reuse_13",
		)},
		{"collectives", []string{
			"MPI_Bcast:7:4:2,8,8:1:0,0,2",
			"MPI_Iallreduce:7:8:4:2,8,8:3:0,0,2:1000",
			"MPI_Gather:7:1:2,8,8:8:2:2,8,8:0:0,0,2",
			"MPI_Wait:1000:99",
			"MPI_Barrier:0,0,2",
		}, one(
			"calc_4: calc 10000",
			"l2: recv 32b from 1 tag 2147483648",
			"l2 requires calc_4",
			"MPI_Bcast_4: calc 0",
			"MPI_Bcast_4 requires l2",
			"calc_5: calc 9750",
			"calc_5 requires MPI_Bcast_4",
			"MPI_Iallreduce_enter_5: calc 0 cpu 1",
			"MPI_Iallreduce_enter_5 requires calc_5",
			"l6: send 32b to 1 tag 2147483649 cpu 1",
			"l6 requires MPI_Iallreduce_enter_5",
			"l7: recv 32b from 1 tag 2147483649 cpu 1",
			"l7 requires MPI_Iallreduce_enter_5",
			"MPI_Iallreduce_5: calc 0 cpu 1",
			"MPI_Iallreduce_5 requires l6",
			"MPI_Iallreduce_5 requires l7",
			"calc_6: calc 9750",
			"calc_6 requires calc_5", // the allreduce goes on
			"l10: recv 16b from 1 tag 2147483650",
			"l10 requires calc_6",
			"MPI_Gather_6: calc 0",
			"MPI_Gather_6 requires l10",
			"calc_7: calc 9750",
			"calc_7 requires MPI_Gather_6",
			"MPI_Wait_7: calc 0",
			"MPI_Wait_7 requires MPI_Iallreduce_5",
			"MPI_Wait_7 requires calc_7",
		)},
	} {
		peer := idle
		if c.name == "collectives" { // which all ranks must call
			peer = strings.ReplaceAll(strings.ReplaceAll(allprof(c.calls...), ":0,0,2:", ":0,1,2:"), ":0,0,2\n", ":0,1,2\n")
		}
		got := goal(t, mpitrace.Defaults, allprof(c.calls...), peer)
		got = strings.TrimPrefix(got, "num_ranks 2\n\nrank 0 {\n")
		if !strings.HasPrefix(got, c.want+"\n") { // then comes the barrier that all have, and the end
			t.Errorf("%s:\ngot\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	// A processor twice as fast.
	o := mpitrace.Defaults
	o.Scale = 0.5
	const want = "num_ranks 1\n\nrank 0 {\ncalc_4: calc 10250\n}\n"
	if got := goal(t, o, allprof()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// What smpirun -trace-ti of SMPI 3.32 writes, in its shape: exchanges, −333 for the null process and
// for any source, sizes for each rank, and the index that names the files.
func TestSMPI(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"run.txt":                      "run.txt_files/1.5_rank-1.txt\nrun.txt_files/1.5_rank-2.txt\n",
		"run.txt_files/1.5_rank-1.txt": "0 init\n0 sendRecv 10 1 12 1 0 1\n0 irecv -333 3 7 2\n0 isend 1 3 7 2\n0 waitall 2\n0 recv -333 -444 1 0\n0 Ssend 1 4 2 0\n0 reducescatter 3 5 0 0\n0 scan 4 0 0 \n0 finalize\n",
		"run.txt_files/1.5_rank-2.txt": "1 init\n1 sendRecv 12 0 10 0 1 0\n1 irecv 0 3 7 2\n1 isend -333 3 7 2\n1 waitall 2\n1 send 0 9 1 0\n1 irecv -333 4 2 0\n1 wait -333 1 4\n1 reducescatter 3 5 0 0\n1 scan 4 0 0 \n1 finalize\n",
	} {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o777), os.WriteFile(path, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	s, _, err := mpitrace.Read(mpitrace.Files(filepath.Join(dir, "run.txt")), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, op := range s.Ops() {
		if op.Kind != schedule.Calc {
			got = append(got, op.String())
		}
	}
	want := []string{
		"send 80b to 1 tag 0", "recv 48b from 1 tag 0", "send 7b to 1 tag 3", "recv 8b from -1 tag -1", "send 16b to 1 tag 4",
		"send 40b to 1 tag 2147483648", "recv 24b from 1 tag 2147483648", "send 32b to 1 tag 2147483649",
		"send 48b to 0 tag 0", "recv 80b from 0 tag 0", "recv 7b from 0 tag 3", "send 8b to 0 tag 9", "recv 16b from -1 tag 4",
		"send 24b to 0 tag 2147483648", "recv 40b from 0 tag 2147483648", "recv 32b from 0 tag 2147483649",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	beginning, _ := os.ReadFile(filepath.Join(dir, "run.txt"))
	if !mpitrace.Recognizes(beginning) {
		t.Error("the index is not recognized")
	}
	// SMPI loses the sizes of MPI_Reduce_scatter_block.
	_, _, err = mpitrace.Read(sources("0 init\n0 reducescatter 0 0 0 0 \n0 finalize\n"), mpitrace.Defaults)
	if err == nil || !strings.Contains(err.Error(), "MPI_Reduce_scatter_block") {
		t.Errorf("error %v", err)
	}
}

// A region has the calls and computations between its marks, other marks of its kind included.
func TestRegion(t *testing.T) {
	trace := allprof("MPI_Bcast:7:4:2,8,8:0:0,0,1", "MPI_Pcontrol:1", "MPI_Barrier:0,0,1", "MPI_Pcontrol:2", "MPI_Bcast:7:4:2,8,8:0:0,0,1", "MPI_Pcontrol:0")
	simgrid := "0 init\n0 compute 1e3\n0 barrier\n0 compute 2e3\n0 barrier\n0 compute 4e3\n0 barrier\n0 compute 8e3\n0 finalize\n"
	calcs := func(trace, region string) (sum uint64, bcasts int) {
		t.Helper()
		o := mpitrace.Defaults
		var err error
		if o.Region, err = mpitrace.ParseRegion(region); err != nil {
			t.Fatal(err)
		}
		if o.Region.String() != region {
			t.Errorf("%q is written as %q", region, o.Region)
		}
		s, _, err := mpitrace.Read(sources(trace), o)
		if err != nil {
			t.Fatalf("%s: %v", region, err)
		}
		for i, op := range s.Ops() {
			sum += op.Size
			if strings.HasPrefix(s.Label(uint32(i)), "MPI_Bcast") {
				bcasts++
			}
		}
		return sum, bcasts
	}
	for _, c := range []struct {
		trace, region string
		ns            uint64
		bcasts        int
	}{
		{simgrid, "barrier:1..2", 2000, 0},
		{simgrid, "barrier:1..3", 6000, 0},
		{simgrid, "barrier:2..", 12000, 0},
	} {
		if ns, bcasts := calcs(c.trace, c.region); ns != c.ns || bcasts != c.bcasts {
			t.Errorf("%s: %d ns and %d broadcasts, want %d and %d", c.region, ns, bcasts, c.ns, c.bcasts)
		}
	}
	if _, bcasts := calcs(trace, "pcontrol:1..2"); bcasts != 0 {
		t.Errorf("%d broadcasts before the second mark", bcasts)
	}
	for _, region := range []string{"pcontrol:1..3", "pcontrol:1..", "pcontrol:2..3"} {
		if _, bcasts := calcs(trace, region); bcasts == 0 {
			t.Errorf("%s has no broadcast", region)
		}
	}
	whole, _ := calcs(trace, "pcontrol:1..")
	part, _ := calcs(trace, "pcontrol:1..3")
	if whole <= part {
		t.Errorf("%d ns to the end, %d to the last mark", whole, part)
	}
	o := mpitrace.Defaults
	o.Region = mpitrace.Region{Call: "pcontrol", From: 3, To: 4}
	if _, _, err := mpitrace.Read(sources(trace), o); err == nil || !strings.Contains(err.Error(), "the region pcontrol:3..4 is not whole: rank 0 has 3 calls of pcontrol") {
		t.Errorf("error %v", err)
	}
	o.Region = mpitrace.Region{Call: "barrier", From: 1}
	if _, _, err := mpitrace.Read(sources("MPI_Init:-:1:2:100\nMPI_Barrier\nMPI_Finalize:200:-\n"), o); err == nil ||
		err.Error() != "r0:2: MPI_Barrier: must have at least 3 fields (got 1)" {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"", "barrier", "barrier:1", "barrier:0..", "barrier:2..2", "send:1..2", "barrier:x..2", "barrier:1..x"} {
		if _, err := mpitrace.ParseRegion(text); err == nil {
			t.Errorf("no error of %q", text)
		}
	}
}

// A barrier of a part of the ranks is not a mark, in either form of trace.
func TestRegionOfAllRanks(t *testing.T) {
	split := []string{"MPI_Comm_split:0,0,2:0:0:77", "MPI_Barrier:77,0,1", "MPI_Barrier:0,0,2", "MPI_Bcast:7:4:2,8,8:0:0,0,2", "MPI_Barrier:0,0,2"}
	other := []string{"MPI_Comm_split:0,1,2:1:0:77", "MPI_Barrier:0,1,2", "MPI_Bcast:7:4:2,8,8:0:0,1,2", "MPI_Barrier:0,1,2"}
	o := mpitrace.Defaults
	o.Region = mpitrace.Region{Call: "barrier", From: 1, To: 2}
	for _, files := range [][]string{{allprof(split...), allprof(other...)},
		{recordedTrace(0, 2, "comm 2 0 0", "Comm_split 1 1 0 2", "Barrier 1 1 0 0 2", "Barrier 1 1 0 0 0", "Bcast 1 1 32 0 0", "Barrier 1 1 0 0 0"),
			recordedTrace(1, 2, "comm 2 0 1", "Comm_split 1 1 0 2", "Barrier 1 1 0 0 0", "Bcast 1 1 32 0 0", "Barrier 1 1 0 0 0")}} {
		s, _, err := mpitrace.Read(sources(files...), o)
		if err != nil {
			t.Fatal(err)
		}
		n := count(s)
		if n[schedule.Send] != 1 || n[schedule.Recv] != 1 {
			t.Errorf("%d sends and %d receives, want the one of the broadcast", n[schedule.Send], n[schedule.Recv])
		}
	}
}

// A time-independent trace, in one file or in one for each rank.
func TestSimGrid(t *testing.T) {
	const trace = `0 init
1 init
2 init 1
0 comm_size 3
0 location main.c 12
0 compute 1e6
1 irecv 0 7 1e3 4
1 irecv 0 7 5
2 irecv -555 -444 10
2 irecv -555 9 10
2 send -666 0 10
0 send 1 7 1e3 4
0 isend 1 7 5
0 test 0 1 7
1 wait 0 1 7
1 sleep 2e-6
1 wait 0 1 7
0 isend 2 8 10 0
0 waitall
0 waitall

1	compute 5
2 wait 1 2 9
2 waitall
0 reduce 10 1e3 2 5
1 reduce 10 1e3 2 5
2 reduce 10 1e3 2 5
0 finalize
1 finalize
2 finalize
`
	const want = `num_ranks 3

rank 0 {
calc_6: calc 500000
send_12: send 8000b to 1 tag 7
send_12 requires calc_6
isend_13: send 5b to 1 tag 7
isend_13 requires send_12
isend_18: send 80b to 2 tag 8
isend_18 irequires isend_13
waitall_19: calc 0
waitall_19 requires isend_13
waitall_19 requires isend_18
waitall_19 irequires isend_18
waitall_20: calc 0
waitall_20 requires waitall_19
l7: send 40b to 2 tag 2147483648
l7 requires waitall_20
reduce_25: calc 0
reduce_25 requires l7
calc_25: calc 500
calc_25 requires reduce_25
}

rank 1 {
irecv_7: recv 8000b from 0 tag 7
irecv_8: recv 5b from 0 tag 7
irecv_8 irequires irecv_7
wait_15: calc 0
wait_15 requires irecv_7
wait_15 irequires irecv_8
calc_16: calc 2000
calc_16 requires wait_15
wait_17: calc 0
wait_17 requires irecv_8
wait_17 requires calc_16
calc_22: calc 3
calc_22 requires wait_17
l7: send 40b to 2 tag 2147483648
l7 requires calc_22
reduce_26: calc 0
reduce_26 requires l7
calc_26: calc 500
calc_26 requires reduce_26
}

rank 2 {
irecv_9: recv 80b from -1 tag -1
irecv_10: recv 80b from -1 tag 9
irecv_10 irequires irecv_9
wait_23: calc 0
wait_23 requires irecv_10
wait_23 irequires irecv_10
waitall_24: calc 0
waitall_24 requires irecv_9
waitall_24 requires wait_23
l5: recv 40b from 0 tag 2147483648
l5 requires waitall_24
l6: recv 40b from 1 tag 2147483648
l6 requires waitall_24
reduce_27: calc 0
reduce_27 requires l5
reduce_27 requires l6
calc_27: calc 500
calc_27 requires reduce_27
}
`
	o := mpitrace.Defaults
	o.FlopsPerSecond = 2e9
	one := goal(t, o, trace)
	if one != want {
		t.Errorf("got\n%s\nwant\n%s", one, want)
	}
	files := make([]string, 3)
	for l := range strings.Lines(trace) {
		for rank := range files {
			if l[0] == byte('0'+rank) || l == "\n" {
				files[rank] += l
			} else {
				files[rank] += "\n" // keeps the numbers of lines
			}
		}
	}
	if three := goal(t, o, files...); three != one {
		t.Errorf("from 3 files\n%s\nfrom one\n%s", three, one)
	}
}

// All that a trace can call gives a schedule whose messages have receives.
func TestEveryCollective(t *testing.T) {
	var calls [2][]string
	for _, c := range []string{"Barrier:0,%d,2", "Bcast:7:4:2,8,8:1:0,%d,2", "Reduce:7:8:4:2,8,8:3:1:0,%d,2", "Allreduce:7:8:4:2,8,8:3:0,%d,2",
		"Gather:7:1:2,8,8:8:1:2,8,8:0:0,%d,2", "Scatter:7:1:2,8,8:8:1:2,8,8:0:0,%d,2", "Allgather:7:1:2,8,8:8:1:2,8,8:0,%d,2",
		"Alltoall:7:1:2,8,8:8:1:2,8,8:0,%d,2", "Comm_dup:0,%d,2:8", "Comm_create:0,%d,2:8:9", "Comm_split:0,%d,2:8:9:10", "Cart_create:0,%d,2:1:7:8:0:9"} {
		for rank := range calls {
			calls[rank] = append(calls[rank], fmt.Sprintf("MPI_"+c, rank))
			if !strings.HasPrefix(c, "C") { // not of communicators
				calls[rank] = append(calls[rank], fmt.Sprintf("MPI_I"+strings.ToLower(c[:1])+c[1:]+":1000", rank), "MPI_Wait:1000:9")
			}
		}
	}
	type pair struct{ from, to, tag uint32 }
	balanced := func(name string, s *schedule.Schedule) {
		t.Helper()
		open := map[pair]int64{}
		for op, o := range s.Ops() {
			rank := uint32(s.RankOf(uint32(op)))
			switch o.Kind {
			case schedule.Send:
				open[pair{rank, o.Peer, o.Tag}] += 1 + int64(o.Size)<<20
			case schedule.Recv:
				open[pair{o.Peer, rank, o.Tag}] -= 1 + int64(o.Size)<<20
			}
		}
		for p, n := range open {
			if n != 0 {
				t.Errorf("%s: messages %+v do not agree with their receives", name, p)
			}
		}
	}
	for name, collectives := range map[string]map[string]collective.Algorithm{"usual": nil, "schedgen": collective.Schedgen} {
		o := mpitrace.Defaults
		o.Collectives.Named = collectives
		s, _, err := mpitrace.Read(sources(allprof(calls[0]...), allprof(calls[1]...)), o)
		if err != nil {
			t.Fatal(err)
		}
		// 8 collectives twice and 4 communicators; a tree among 2 has 1 message, all else 2.
		if got := count(s)[schedule.Send]; got != 2*(4*1+4*2)+4*2 {
			t.Errorf("%s: %d sends", name, got)
		}
		balanced(name, s)
	}
	var simgrid string
	for _, a := range []string{"init", "barrier", "bcast 4 1 0", "reduce 4 0 1 0", "allreduce 4 0 0", "gather 4 4 0 0 0", "scatter 4 4 1 0 0", "allgather 4 4 0 0", "alltoall 4 4", "finalize"} {
		simgrid += "0 " + a + "\n1 " + a + "\n"
	}
	s, _, err := mpitrace.Read(sources(simgrid), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	if got := count(s)[schedule.Send]; got != 4*1+4*2 {
		t.Errorf("%d sends", got)
	}
	balanced("simgrid", s)
}

func TestErrors(t *testing.T) {
	inits := "MPI_Init:-:1:2:100\n"
	call := func(s string) []string { return []string{allprof(s), allprof()} }
	for _, c := range []struct {
		files []string
		want  string
	}{
		{nil, "mpitrace: no trace files"},
		{[]string{""}, "r0:1: the trace ends without MPI_Init; is it truncated?"},
		{[]string{inits + inits}, "r0:2: unexpected MPI_Init before MPI_Finalize"},
		{[]string{"MPI_Send:1:2"}, "r0:1: MPI_Send before MPI_Init"},
		{[]string{"\x1b[2Jsurprise"}, `r0:1: "\x1b[2Jsurprise" is not a call of MPI`},
		{[]string{allprof() + "MPI_Send:1"}, "r0:5: MPI_Send after MPI_Finalize"},
		{[]string{inits + "MPI_Finalize:50:-\n"}, "r0:2: MPI_Finalize: the clock goes back: the call begins at 50000 ns, but the previous one ended at 100000 ns"},
		{[]string{inits + "MPI_Barrier:50:0,0,1:51\n"}, "r0:2: MPI_Barrier: the clock goes back: the call lasts from 50000 to 51000 ns, but the previous one ended at 100000 ns"},
		{[]string{inits + "MPI_Barrier:1x0:0,0,1:51\n"}, `r0:2: MPI_Barrier: its begin: "1x0" is not a time in µs`},
		{[]string{"MPI_Init:-:1:2:99999999999999999999\n"}, `r0:1: the end of MPI_Init: "99999999999999999999" is not a time in µs`},
		{call("MPI_Send:7:3:2,8,8:1:5:0,0"), `r0:4: MPI_Send: argument 6: "0,0" is not a communicator; write communicator,rank,size`},
		{call("MPI_Send:7:3:2,8:1:5:0,0,2"), `r0:4: MPI_Send: argument 3: "2,8" is not a type; write type,size,extent`},
		{call("MPI_Send:7:3:2,8,8:1:5:0,0,2:8"), "r0:4: MPI_Send: must have 9 fields (got 10)"},
		{call("MPI_Send:7:-3:2,8,8:1:5:0,0,2"), "r0:4: MPI_Send: -3 elements of 8 bytes"},
		{call("MPI_Send:7:9223372036854775807:2,8,8:1:5:0,0,2"), "r0:4: MPI_Send: 9.223372036854776e+18 elements of 8 bytes are more than 9223372036854775807 bytes"},
		{call("MPI_Send:7:3:2,8,8:2:5:0,0,2"), "r0:4: MPI_Send: there is no rank 2, only 0 to 1"},
		{call("MPI_Send:7:3:2,8,8:-1:5:0,0,2"), "r0:4: MPI_Send: there is no rank -1, only 0 to 1"},
		{call("MPI_Send:7:3:2,8,8:1:-1:0,0,2"), "r0:4: MPI_Send: tags must be 0 to 2147483647 (got -1)"},
		{call("MPI_Send:7:3:2,8,8:1:5:9,0,1"), "r0:4: MPI_Send: argument 6: no call in the traces makes communicator 9, of which this is rank 0 of 1; files may be missing or in another order"},
		{call("MPI_Barrier:-1,-1,2"), `r0:4: MPI_Barrier: argument 1: "-1,-1,2" is not a communicator; its rank must be at least 0`},
		{[]string{allprof("MPI_Barrier:7:0,0,1:8"), "/* a program */\n"}, "r1: not the trace of a rank; leave it out"},
		{call("MPI_Bcast:7:3:2,8,8:2:0,0,2"), "r0:4: MPI_Bcast: the root must be 0 to 1 (got 2)"},
		{call("MPI_Start:1000"), "r0:4: MPI_Start: no MPI_Send_init or MPI_Recv_init made the request"},
		{call("MPI_Waitany:2:1000:8:9"), "r0:4: MPI_Waitany: not supported; only messages, their requests and collectives are"},
		{call("MPI_Alltoallv:7"), "r0:4: MPI_Alltoallv: must have 16 fields (got 4)"},

		{[]string{"0 init\n0 finalize", "0 init\n0 finalize"}, `r1:1: "0" is not rank 1; is this the file of another rank?`},
		{[]string{"0 init\n4000000000 init\n0 finalize\n"}, "r0:3: 2 ranks have actions, but rank 1 has none; ranks count from 0"},
		{[]string{"0 init\np1 init\n"}, `r0:2: "p1" is not the number of a rank`},
		{[]string{"0 init\n0\n"}, "r0:2: an action is missing after the rank"},
		{[]string{"0 init\n0 init\n"}, "r0:2: init a second time"},
		{[]string{"0 compute 1\n"}, "r0:1: compute before init"},
		{[]string{"0 init\n0 finalize\n0 compute 1\n"}, "r0:3: compute after finalize"},
		{[]string{"0 init\n0 comm_split\n"}, `r0:2: action "comm_split" is not supported`},
		{[]string{"0 init\n0 send 0 1e6\n"}, "r0:2: send: its parameters are: peer tag size [type] (got 2)"},
		{[]string{"0 init\n0 send 0 1e6 3\n"}, `r0:2: send: parameter 2: "1e6" is not a whole number`},
		{[]string{"0 init\n0 send 0 1 -3\n"}, `r0:2: send: parameter 3: an amount must be at least 0 (got "-3")`},
		{[]string{"0 init\n0 send 0 1 3 9\n"}, "r0:2: send: parameter 4: types must be 0 to 6 (got 9)"},
		{[]string{"0 init\n0 send 0 1 1e300\n"}, "r0:2: send: 1e+300 elements of 1 bytes are more than 9223372036854775807 bytes"},
		{[]string{"0 init\n0 send 1 1 1\n"}, "r0:2: send: there is no rank 1, only 0 to 0"},
		{[]string{"0 init\n0 barrier 1\n"}, "r0:2: barrier: its parameters are: none (got 1)"},
		{[]string{"0 init\n0 bcast 1 1\n"}, "r0:2: bcast: the root must be 0 to 0 (got 1)"},
		{[]string{"0 init\n0 compute 1e300\n"}, "r0:2: compute: a computation must take 0 to 9.223372036854776e+18 ns (got 1e+300)"},
		{[]string{"0 init\n0 compute NaN\n"}, `r0:2: compute: parameter 1: an amount must be at least 0 (got "NaN")`},
		{[]string{"0 init\n0 " + strings.Repeat("x", 1<<17)}, "r0:2: the line is longer than 65536 bytes"},
	} {
		_, _, err := mpitrace.Read(sources(c.files...), mpitrace.Defaults)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.100q:\n got %v\nwant %s", c.files, err, c.want)
		}
	}
	for _, o := range []mpitrace.Translation{{Scale: -1, FlopsPerSecond: 1}, {Scale: math.NaN(), FlopsPerSecond: 1}, {Scale: 1}, {Scale: math.Inf(1), FlopsPerSecond: 1}} {
		if _, _, err := mpitrace.Read(sources(allprof()), o); err == nil {
			t.Errorf("no error of %g and %g", o.Scale, o.FlopsPerSecond)
		}
	}
	if _, _, err := mpitrace.Read(mpitrace.Files("no/such/file"), mpitrace.Defaults); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, want that the file does not exist", err)
	}
}

// A receive into memory that was sent since is a relay, a send of memory that the tracer saw changed
// is fresh; a second receive into the same memory, other memory and unknown addresses are plain.
func TestMemoryOfMessages(t *testing.T) {
	line := func(call string, buffer, time int) string {
		return fmt.Sprintf("%s:%d:%d:64:1,1,1:1:5:0,0,2%s:%d\n", call, time, buffer, map[bool]string{true: ":0"}[call == "MPI_Recv"], time)
	}
	trace := "MPI_Init:-:0:0:0\n" + line("MPI_Send", 4096, 1) + line("MPI_Recv", 4096, 2) + line("MPI_Recv", 4096, 3) +
		"# written\n" + line("MPI_Send", 4096, 4) + line("MPI_Send", 4096, 5) + line("MPI_Recv", 4128, 6) + line("MPI_Recv", 8192, 7) +
		line("MPI_Send", 0, 8) + line("MPI_Recv", 0, 9) + "MPI_Finalize:10:-\n"
	other := "MPI_Init:-:0:0:0\nMPI_Finalize:10:-\n"
	s, _, err := mpitrace.Read(sources(trace, other), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var got []schedule.Memory
	for _, op := range s.Ops() {
		if op.Kind != schedule.Calc {
			got = append(got, op.Memory)
		}
	}
	want := []schedule.Memory{schedule.Plain, schedule.Relay, schedule.Plain, schedule.Fresh, schedule.Plain, schedule.Relay,
		schedule.Plain, schedule.Plain, schedule.Plain}
	if !slices.Equal(got, want) {
		t.Errorf("memory is %v, want %v", got, want)
	}
}

func TestFiles(t *testing.T) {
	var got []string
	for _, s := range mpitrace.Files("t-10.gz", "t-9.gz", "t-1.gz", "t-010b", "s-11", "t-01.gz") {
		got = append(got, s.Name)
	}
	if want := []string{"s-11", "t-01.gz", "t-1.gz", "t-9.gz", "t-10.gz", "t-010b"}; !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

// FuzzLiballprof and FuzzSimGrid read anything as the trace of two ranks, and of
// all. What can be read is a whole schedule.
func FuzzLiballprof(f *testing.F) {
	f.Add(allprof("MPI_Send:7:3:2,8,8:1:5:0,0,2", "MPI_Irecv:7:1:2,8,8:1:5:0,0,2:1000", "MPI_Waitall:3:1000:99"),
		allprof("MPI_Bcast:7:4:2,8,8:1:0,1,2", "MPI_Sendrecv:7:1:2,8,8:1:6:8:2:2,8,8:1:7:0,1,2:99", "MPI_Ibarrier:0,1,2:8"))
	f.Fuzz(fuzz)
}

func FuzzDumpi(f *testing.F) {
	f.Add(dumpiTrace(0, "Isend", dumpiMessage(1)+"MPI_Request request=[3]\n", "Waitany", "MPI_Request requests[1]=[3]\nint index=0\n"),
		dumpiTrace(1, "Recv", strings.Replace(dumpiMessage(0), "dest=0", "source=-1 (MPI_ANY_SOURCE)", 1)))
	f.Fuzz(fuzz)
}

func FuzzSimGrid(f *testing.F) {
	f.Add("0 init\n0 irecv 1 2 3\n0 wait 1 0 2\n0 waitall\n0 allreduce 3 4\n0 finalize\n", "1 init 1\n1 isend 0 2 3\n1 compute 1e6\n1 allreduce 3 4\n1 finalize")
	f.Fuzz(fuzz)
}

func fuzz(t *testing.T, first, second string) {
	for _, files := range [][]string{{first, second}, {first}, {first + "\n" + second}} {
		s, _, err := mpitrace.Read(sources(files...), mpitrace.Defaults)
		if err != nil {
			continue
		}
		for i := range s.Ops() { // GOAL has no word for them
			s.Ops()[i].Memory, s.Ops()[i].Context = schedule.Plain, 0
		}
		var b bytes.Buffer
		if err := s.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		written := b.String()
		again, err := schedule.Read(&b, "written")
		if err != nil {
			t.Fatal(err)
		}
		b.Reset()
		if err := again.WriteText(&b); err != nil {
			t.Fatal(err)
		}
		if b.String() != written || !slices.Equal(again.Ops(), s.Ops()) {
			t.Error("another schedule after it was written and read")
		}
	}
}

func BenchmarkLiballprof(b *testing.B) {
	files := sweep3D(b)
	n := 0
	for b.Loop() {
		s, _, err := mpitrace.Read(files, mpitrace.Defaults)
		if err != nil {
			b.Fatal(err)
		}
		n += len(s.Ops())
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/operation")
}
