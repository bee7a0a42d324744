package mpitrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
)

// recordedTrace returns a trace of trace.c.
func recordedTrace(rank, ranks int, lines ...string) string {
	return fmt.Sprintf("halfpeak-trace 2 rank %d of %d run 7\n%s\nFinalize 10 0\n", rank, ranks,
		strings.Join(lines, "\n"))
}

// operations returns what the ranks do, without computations.
func operations(t *testing.T, files ...string) (all []string) {
	t.Helper()
	s, _, err := mpitrace.Read(sources(files...), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	for i, op := range s.Ops() {
		if op.Kind != schedule.Calc {
			all = append(all, fmt.Sprintf("%d: %s context %d", s.RankOf(uint32(i)), op, op.Context))
		}
	}
	return all
}

// Communicators have contexts of their own, and their places stand for the ranks that the trace
// names. Communicators of the same calls are one, whatever numbers the ranks give them.
func TestRecordedCommunicators(t *testing.T) {
	got := operations(t,
		recordedTrace(0, 3, "comm 2 0 0", "Comm_split 1 1 0 2", "comm 3 0 2:3:-1",
			"Comm_split 1 1 0 3", "Send 1 1 0 8 0 5 3 0", "Bcast 1 1 16 2 3", "Send 1 1 0 9 1 5 0 0"),
		recordedTrace(1, 3, "comm 2 0 1,2", "Comm_split 1 1 0 2", "comm 3 0 2:3:-1",
			"Comm_split 1 1 0 3", "Bcast 1 1 16 2 3", "Recv 1 1 0 9 -1 -1 0"),
		recordedTrace(2, 3, "comm 9 0 1,2", "Comm_split 1 1 0 9", "comm 10 0 2:3:-1",
			"Comm_split 1 1 0 10", "Recv 1 1 0 8 -1 -1 10", "Bcast 1 1 16 2 10"))
	got = slices.DeleteFunc(got, func(op string) bool { return strings.Contains(op, "context 1") })
	// The second communicator that is read has the contexts 4 and 5; the root of the broadcast is
	// its place 2, which is rank 0.
	want := []string{
		"0: send 8b to 2 tag 5 context 4", "0: send 16b to 2 tag 2147483648 context 5",
		"0: send 16b to 1 tag 2147483648 context 5", "0: send 9b to 1 tag 5 context 0",
		"1: recv 16b from 0 tag 2147483648 context 5", "1: recv 9b from -1 tag -1 context 0",
		"2: recv 8b from -1 tag -1 context 4", "2: recv 16b from 0 tag 2147483648 context 5",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Collectives with a size for each rank, and those of neighbours, move the bytes that the trace has.
func TestRecordedSizes(t *testing.T) {
	got := operations(t,
		recordedTrace(0, 2, "Alltoallv 1 1 0 0 0 8,16 8,32", "Gatherv 1 1 0 1 0 24",
			"Neighbor_alltoallv 1 1 0 0 0 1,-2 40,0 1 48"),
		recordedTrace(1, 2, "Alltoallv 1 1 0 0 0 32,64 16,64", "Gatherv 1 1 0 1 0 24x2",
			"Neighbor_alltoallv 1 1 0 0 0 0 48 0,-2 40,9"))
	want := []string{
		"0: send 16b to 1 tag 2147483648 context 1", "0: recv 32b from 1 tag 2147483648 context 1",
		"0: send 24b to 1 tag 2147483649 context 1",
		"0: recv 40b from 1 tag 2147483650 context 1", "0: send 48b to 1 tag 2147483650 context 1",
		"1: send 32b to 0 tag 2147483648 context 1", "1: recv 16b from 0 tag 2147483648 context 1",
		"1: recv 24b from 0 tag 2147483649 context 1",
		"1: recv 48b from 0 tag 2147483650 context 1", "1: send 40b to 0 tag 2147483650 context 1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// A computation with a test that found nothing is two, so that messages get on between them.
func TestRecordedPoll(t *testing.T) {
	s, _, err := mpitrace.Read(sources(recordedTrace(0, 2, "Send 1 1 0 8 1 5 0 0"),
		recordedTrace(1, 2, "Irecv 1 1 0 8 0 5 0 cd", "Poll 500 40", "Wait 300 9 cd")),
		mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var got []uint64
	lo, hi := s.Rank(1)
	for _, op := range s.Ops()[lo:hi] {
		if op.Kind == schedule.Calc && op.Size > 0 {
			got = append(got, op.Size)
		}
	}
	if want := []uint64{1, 540, 300, 10}; !slices.Equal(got, want) {
		t.Errorf("computations %v, want %v", got, want)
	}
}

func TestRecordedErrors(t *testing.T) {
	one := func(lines ...string) []string {
		return []string{recordedTrace(0, 2, lines...), recordedTrace(1, 2)}
	}
	for _, c := range []struct {
		files []string
		want  string
	}{
		{[]string{recordedTrace(0, 3), recordedTrace(2, 3)},
			"r1:1: this is rank 2 of 3, and rank 1 is missing; give the files of all ranks, as 'trace.*'"},
		{[]string{recordedTrace(0, 3), recordedTrace(1, 3)},
			"r1:1: this is the last file, of rank 1 of 3; give the files of all ranks, as 'trace.*'"},
		{[]string{recordedTrace(0, 1), recordedTrace(0, 1)},
			"r0:1: the run has 1 ranks, but 2 files are given"},
		{[]string{recordedTrace(0, 2),
			strings.Replace(recordedTrace(1, 2), "run 7", "run 8", 1)},
			"r1:1: this is rank 1 of another run than that of r0; give the files of one run"},
		{one("Send 1 1 0 8 2 5 0 0"), "r0:2: Send: there is no rank 2, only 0 to 1"},
		{one("Send 1 1 0 8 1 5 4 0"), "r0:2: Send: argument comm: no line defines communicator 4"},
		{one("Send 1 1 0 8 1 5 0"), `r0:2: Send: argument written: "" is not a whole number`},
		{one("Send 1 1 0 8 1 5 0 0 9"), "r0:2: Send: more than its 8 arguments"},
		{one("Send x 1 0 8 1 5 0 0"),
			"r0:2: Send: the times of the call must be whole numbers of ns"},
		{one("comm 2 0 0:99999999:1"),
			"r0:2: comm: its members must be different ranks from 0 to 1"},
		{one("comm 2 0 1"), "r0:2: comm: rank 0 is not one of its members"},
		{one("comm 2 0 0,-1"),
			"r0:2: comm: a communicator with processes of another program is not supported"},
		{one("comm 2 0 0 1", "Barrier 1 1 0 0 2"), "r0:3: Barrier: collectives between the two " +
			"groups of an intercommunicator are not supported"},
		{one("Alltoallv 1 1 0 0 0 8x99999999 1"),
			`r0:2: Alltoallv: argument blocks: "8x99999999" is not a list of sizes`},
		{one("Allgatherv 1 1 0 0 0 8"),
			"r0:2: Allgatherv: it needs a size for each of 2 ranks (got 1)"},
		{one("threads"), "r0:2: threads: two threads of rank 0 call MPI at the same time, which " +
			"no order of calls describes; run the program with one thread, or let its threads " +
			"take turns"},
		{one("Surprise 1 1"), "r0:2: Surprise: not supported; only messages, their requests and " +
			"collectives are"},
		{one("Barrier 1 1 0 0 0"), "r1:4: rank 1 calls 0 collectives, but rank 0 calls 1; the " +
			"next, in line 2 of its trace, is MPI_Barrier"},
	} {
		_, _, err := mpitrace.Read(sources(c.files...), mpitrace.Defaults)
		if err == nil || err.Error() != c.want {
			t.Errorf("%.200q:\n got %v\nwant %s", c.files, err, c.want)
		}
	}
}

func FuzzRecorded(f *testing.F) {
	f.Add(recordedTrace(0, 2, "comm 2 0 1,0", "Comm_split 1 1 0 2", "Isend 1 1 ab 8 0 5 2 1 cd",
		"Waitany 1 1 cd", "Alltoallv 1 1 0 0 0 8,16 8x2", "Pcontrol 1 1 1"),
		recordedTrace(1, 2, "comm 2 0 1,0", "Comm_split 1 1 0 2", "Irecv 1 1 ab 8 -1 -1 2 cd",
			"Testall 1 1 cd", "Alltoallv 1 1 0 0 0 8,16 16x2", "other MPI_Put 3 10"))
	f.Add(recordedTrace(0, 2, "comm 2 -1 0 1", "Sendrecv 1 1 ab 8 0 5 2 1 ab 8 0 5",
		"Ineighbor_alltoall 1 1 0 0 0 1,1 8x2 1 8 ff", "Cancel 1 1 ff", "Wait 1 1 ff"),
		recordedTrace(1, 2, "comm 2 -1 1 0", "Recv_init 1 1 ab 8 0 5 2 12", "Start 1 1 12",
			"Wait 1 1 12", "Comm_idup 1 1 0 -1 8", "lasted 100 1"))
	f.Fuzz(fuzz)
}

// A receive of any source or tag is bound to the message that it took; its peers are those of its
// communicator.
func TestRecordedMatches(t *testing.T) {
	got := operations(t,
		recordedTrace(0, 3, "comm 2 0 2,1,0", "Comm_dup 1 1 0 2", "Irecv 1 1 0 8 -1 -1 2 a",
			"Irecv 1 1 0 8 -1 7 0 b", "matched a 1 5", "matched b 2 7", "Waitall 1 1 a,b"),
		recordedTrace(1, 3, "comm 2 0 2,1,0", "Comm_dup 1 1 0 2", "Send 1 1 0 8 2 5 2 0"),
		recordedTrace(2, 3, "comm 2 0 2,1,0", "Comm_dup 1 1 0 2", "Send 1 1 0 8 0 7 0 0"))
	got = slices.DeleteFunc(got, func(op string) bool { return strings.Contains(op, "context 1") })
	want := []string{
		"0: recv 8b from 1 tag 5 context 2", "0: recv 8b from 2 tag 7 context 0",
		"1: send 8b to 0 tag 5 context 2", "2: send 8b to 0 tag 7 context 0",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	_, _, err := mpitrace.Read(sources(recordedTrace(0, 2, "Irecv 1 1 0 8 1 5 0 a",
		"matched a 1 5"), recordedTrace(1, 2)), mpitrace.Defaults)
	if err == nil || !strings.Contains(err.Error(), "not of a receive of any") {
		t.Errorf("%v", err)
	}
}

// A ring of buffered sends above the eager threshold ends, each at once, also if a persistent
// request starts them.
func TestRecordedBsend(t *testing.T) {
	var files []string
	for rank := range 3 {
		files = append(files, recordedTrace(rank, 3,
			fmt.Sprintf("Bsend 1 1 0 1000000 %d 5 0 0", (rank+1)%3),
			fmt.Sprintf("Recv 1 1 0 1000000 %d 5 0", (rank+2)%3),
			fmt.Sprintf("Bsend_init 1 1 0 1000000 %d 6 0 0 a", (rank+1)%3), "Start 1 1 a", "Wait 1 1 a",
			fmt.Sprintf("Recv 1 1 0 1000000 %d 6 0", (rank+2)%3)))
	}
	s, _, err := mpitrace.Read(sources(files...), mpitrace.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	costs := simulate.Defaults
	costs.EagerLimit = 1000
	if _, err := p.Run(t.Context(), simulate.Setup{LogGOPS: costs}); err != nil {
		t.Error(err)
	}
}
