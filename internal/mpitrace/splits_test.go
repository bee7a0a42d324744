package mpitrace_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
)

// messagesOf returns the sends and receives of all ranks, with their contexts, but for one.
func messagesOf(t *testing.T, but uint16, texts ...string) (all []string) {
	t.Helper()
	s, notes, err := mpitrace.Read(sources(texts...), mpitrace.Defaults)
	if err != nil || len(notes) > 0 {
		t.Fatal(err, notes)
	}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		for _, o := range s.Ops()[lo:hi] {
			if o.Kind != schedule.Calc && o.Context != but {
				o.Tag &= 1<<31 - 1
				all = append(all, fmt.Sprintf("%d: %s in %d", rank, o, o.Context))
			}
		}
	}
	return all
}

// Four ranks split by odd and even, in the reverse order of ranks: each communicator has its ranks,
// and contexts of its own. The first rank of each sends to the other one, and all send blocks of
// several sizes. The forms of the lines follow sst-dumpi's dumpi2ascii.
func TestSplits(t *testing.T) {
	const barrier = 1 // the context of collectives of all ranks
	want := []string{
		"0: recv 24b from 2 tag 5 in 2", "0: send 8b to 2 tag 0 in 3", "0: recv 16b from 2 tag 0 in 3",
		"1: recv 24b from 3 tag 5 in 4", "1: send 8b to 3 tag 0 in 5", "1: recv 16b from 3 tag 0 in 5",
		"2: send 24b to 0 tag 5 in 2", "2: send 16b to 0 tag 0 in 3", "2: recv 8b from 0 tag 0 in 3",
		"3: send 24b to 1 tag 5 in 4", "3: send 16b to 1 tag 0 in 5", "3: recv 8b from 1 tag 0 in 5",
	}
	var dumpis []string
	for rank := range 4 {
		place := 1 - rank/2
		const half = "MPI_Comm comm=5 (user-defined-comm)\n"
		message := []string{"Send", "int count=3\nMPI_Datatype datatype=14 (MPI_DOUBLE)\nint dest=1\nint tag=5\n" + half}
		if place == 1 {
			message = []string{"Recv", strings.Replace(message[1], "dest=1", "source=0", 1)}
		}
		dumpis = append(dumpis, dumpiTrace(rank, append(append([]string{"Comm_split",
			fmt.Sprintf("MPI_Comm oldcomm=2 (MPI_COMM_WORLD)\nint color=%d\nint key=%d\nMPI_Comm newcomm=5 (user-defined-comm)\n", rank%2, -rank)},
			message...), "Alltoallv", "int commsize=2\nint sendcounts[2]=[2, 2]\nint senddispls[2]=[0, 0]\nMPI_Datatype sendtype=14 (MPI_DOUBLE)\n"+
			"int recvcounts[2]=[2, 2]\nint recvdispls[2]=[0, 0]\nMPI_Datatype recvtype=14 (MPI_DOUBLE)\n"+half)...))
	}
	for i := range want {
		want[i] = strings.Replace(want[i], " 8b", " 16b", 1)
	}
	if got := messagesOf(t, barrier, dumpis...); !slices.Equal(got, want) {
		t.Errorf("DUMPI: got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	_, _, err := mpitrace.Read(sources(slices.Replace(dumpis, 3, 4, dumpiTrace(3))...), mpitrace.Defaults)
	if err == nil || !strings.HasPrefix(err.Error(), "r0:14: MPI_Comm_split: not all ranks of the communicator call it") {
		t.Errorf("got %v", err)
	}
}

// A test of a DUMPI trace that found a message is a wait for it.
func TestDumpiTests(t *testing.T) {
	recv := strings.Replace(dumpiMessage(0), "dest", "source", 1) + "MPI_Request request=[3]\n"
	got := goal(t, mpitrace.Defaults, dumpiTrace(0, "Send", dumpiMessage(1)), dumpiTrace(1, "Irecv", recv,
		"Test", "MPI_Request request=[3]\nint flag=0 (false)\n", "Testsome", "int count=1\nMPI_Request requests[1]=[3]\nint outcount=1\nint indices[1]=[0]\n"))
	if strings.Count(got, "requires MPI_Irecv") != 2 || !strings.Contains(got, "MPI_Testsome_21 requires MPI_Irecv_9") {
		t.Errorf("got\n%s", got)
	}
}
