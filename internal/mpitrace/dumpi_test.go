package mpitrace_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/mpitrace"
)

// dumpiTrace returns the text of dumpi2ascii of a rank: MPI_Init until 1 ms, then calls with their
// arguments, each of 10 µs after 90 µs of computation, and MPI_Finalize.
func dumpiTrace(rank int, calls ...string) string {
	var b strings.Builder
	at := 100_000_000_000 // ns
	call := func(name, args string, ns int) {
		for _, way := range []string{"entering", "returning"} {
			fmt.Fprintf(&b, "MPI_%s %s at walltime %d.%09d, cputime 0.001000000 seconds in thread 0.\n", name, way, at/1e9, at%1e9)
			if way == "entering" {
				b.WriteString(args)
				at += ns
			}
		}
		at += 90_000
	}
	call("Init", "int argc=0\nstring argv[0]=<IGNORED>\n", 1_000_000)
	call("Comm_rank", fmt.Sprintf("MPI_Comm comm=2 (MPI_COMM_WORLD)\nint rank=%d\n", rank), 10_000)
	for i := 0; i < len(calls); i += 2 {
		call(calls[i], calls[i+1], 10_000)
	}
	call("Finalize", "", 10_000)
	return b.String()
}

// dumpiMessage returns the arguments of a message of 16 doubles.
func dumpiMessage(to int) string {
	return fmt.Sprintf("int count=16\nMPI_Datatype datatype=14 (MPI_DOUBLE)\nint dest=%d\nint tag=7\nMPI_Comm comm=2 (MPI_COMM_WORLD)\n", to)
}

const (
	world     = "MPI_Comm comm=2 (MPI_COMM_WORLD)\n"
	allreduce = "int count=4\nMPI_Datatype datatype=9 (MPI_INT)\nMPI_Op op=3 (MPI_SUM)\n" + world
)

// A trace of DUMPI gives a schedule of the program: the computations between calls, messages with their sizes, and waits for the requests that the trace names.
func TestDumpi(t *testing.T) {
	recv := strings.Replace(dumpiMessage(0), "dest=0", "source=-1 (MPI_ANY_SOURCE)", 1)
	recv = strings.Replace(recv, "tag=7", "tag=-1 (MPI_ANY_TAG)", 1)
	got := goal(t, mpitrace.Defaults,
		dumpiTrace(0, "Isend", dumpiMessage(1)+"MPI_Request request=[5]\n", "Isend", dumpiMessage(-1)+"MPI_Request request=[6]\n",
			"Waitall", "int count=2\nMPI_Request requests[2]=[6, 5]\nMPI_Status statuses[2]=<IGNORED>\n", "Barrier", world),
		"version=1\n\n"+dumpiTrace(1, "Recv", recv+"MPI_Status status=<IGNORED>\n", "Barrier", world)+"MPI_Recv called 1 times and ignored 0 times\n")
	for _, want := range []string{
		"calc_9: calc 190000", // MPI_Comm_rank is part of it
		"MPI_Isend_9: send 128b to 1 tag 7", "MPI_Waitall_25 requires MPI_Isend_9",
		"recv 128b from -1 tag -1",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Count(got, "send 128b") != 1 {
		t.Errorf("a message to the null process is sent:\n%s", got)
	}
}

func TestDumpiErrors(t *testing.T) {
	for _, c := range []struct{ call, args, want string }{
		{"Send", strings.Replace(dumpiMessage(1), "14 (MPI_DOUBLE)", "28 (user-defined-datatype)", 1),
			"r0:15: MPI_Send: the size of the type 28 (user-defined-datatype) is not in the trace; only MPI's own types are supported"},
		{"Send", strings.Replace(dumpiMessage(1), "2 (MPI_COMM_WORLD)", "4 (user-defined-comm)", 1),
			"r0:15: MPI_Send: no call in the traces makes communicator 4; files may be missing or in another order"},
		{"Send", "int count=1\n", "r0:11: MPI_Send: no argument datatype or sendtype"},
		{"Win_fence", "", "r0:10: MPI_Win_fence: not supported; only messages, their requests and collectives are"},
		{"Allreduce", allreduce, "r1:11: rank 1 calls 0 collectives, but rank 0 calls 1; the next, in line 9 of its trace, is MPI_Allreduce"},
	} {
		_, _, err := mpitrace.Read(sources(dumpiTrace(0, c.call, c.args), dumpiTrace(1)), mpitrace.Defaults)
		if err == nil || err.Error() != c.want {
			t.Errorf("%s:\n got %v\nwant %s", c.call, err, c.want)
		}
	}
}

// All ranks must call the same collectives in the same order; the error names both calls.
func TestMismatchedCollectives(t *testing.T) {
	bcast := "int count=4\nMPI_Datatype datatype=9 (MPI_INT)\nint root=0\n" + world
	_, _, err := mpitrace.Read(sources(dumpiTrace(0, "Barrier", world, "Allreduce", allreduce), dumpiTrace(1, "Barrier", world, "Bcast", bcast)), mpitrace.Defaults)
	want := "r1:17: MPI_Bcast: collective 2 of rank 1 with root 0, but that of rank 0, in line 12 of its trace, is MPI_Allreduce with root 0; " +
		"all ranks must call the same ones in the same order"
	if err == nil || err.Error() != want {
		t.Errorf("\n got %v\nwant %s", err, want)
	}
}
