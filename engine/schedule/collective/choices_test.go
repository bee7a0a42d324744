package collective

import (
	"fmt"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Collectives of programs and traces get the algorithm, the channels and the nodes of their group.
func TestChoose(t *testing.T) {
	nccl := Choices{Library: Library{Name: "nccl"}, PerNode: 8, Rails: 4}
	turns := Choices{Library: Library{Name: "nccl"}, On: NumbersOf([]int{0, 1, 2, 0, 1, 2, 0, 1}), Rails: 4}
	openMPI := Choices{Library: Library{Name: "openmpi"}}
	measured := Choices{Library: Library{Measured: "allgather bruck from 8 B, ring from 1024 B; " +
		"allreduce two-processes from 8 B"}}
	// Every second rank of two nodes.
	half := Group{Size: 8, Members: []uint32{0, 2, 4, 6, 8, 10, 12, 14}}
	for _, c := range []struct {
		choices   Choices
		name, of  string
		group     Group
		bytes     uint64
		algorithm string // by its entry
		channels  int
		perNode   int
	}{
		{nccl, "allreduce", "", Group{Size: 64}, 64 << 20, "allreduce ring", 4, 8},
		{nccl, "allreduce", "", Group{Size: 64}, 1 << 20, "allreduce double-tree", 4, 8},
		{nccl, "allreduce", "", half, 64 << 20, "allreduce ring", 4, 4},
		{nccl, "allreduce", "recursive-doubling", half, 1 << 20, "allreduce recursive-doubling", 0, 0},
		{turns, "allreduce", "", Group{Size: 8}, 64 << 20, "allreduce ring", 4, 3},
		{turns, "allreduce", "", Group{Size: 4, Members: []uint32{0, 1, 3, 4}}, 64 << 20, "allreduce ring", 4, 2},
		{turns, "alltoall", "", Group{Size: 8}, 1 << 20, "alltoall linear", 0, 0},
		{nccl, "alltoall", "", Group{Size: 64}, 1 << 20, "alltoall linear", 0, 0},
		{openMPI, "alltoallv", "", Group{Size: 64}, 1000, "alltoall pairwise", 0, 0},
		{openMPI, "alltoallv", "", Group{Size: 32}, 1000, "alltoall linear", 0, 0},
		{openMPI, "allgatherv", "", Group{Size: 32}, 1000, "allgather bruck", 0, 0},
		{openMPI, "gatherv", "", Group{Size: 32}, 1000, "gather linear", 0, 0},
		{measured, "allgather", "", Group{Size: 32}, 4, "allgather bruck", 0, 0},
		{measured, "allgather", "", Group{Size: 32}, 4096, "allgather ring", 0, 0},
		{measured, "allreduce", "", Group{Size: 32}, 4096, "allreduce recursive-doubling", 0, 0},
		{Choices{}, "allreduce", "", Group{Size: 64}, 9999, "allreduce recursive-doubling", 0, 0},
		{Choices{}, "allreduce", "", Group{Size: 64}, 1 << 20, "allreduce rabenseifner-mpich", 0, 0},
		{Choices{}, "bcast", "", Group{Size: 7}, 1 << 20, "bcast binomial", 0, 0},
		{Choices{}, "bcast", "", Group{Size: 64}, 1 << 20, "bcast scatter-ring", 0, 0},
		{Choices{}, "allgather", "", Group{Size: 64}, 8191, "allgather recursive-doubling", 0, 0},
		{Choices{}, "allgather", "", Group{Size: 64}, 8192, "allgather ring", 0, 0},
		{Choices{}, "alltoall", "", Group{Size: 64}, 256, "alltoall bruck", 0, 0},
		{nccl, "gather", "", Group{Size: 64}, 8, "gather linear", 0, 0},
		{Choices{}, "reduce", "", Group{Size: 64}, 10000, "reduce rabenseifner", 0, 0},
		{Choices{}, "alltoallv", "", Group{Size: 64}, 1000, "alltoall linear", 0, 0},
	} {
		_, call, err := c.choices.Choose(c.name, c.of, c.group, Call{Bytes: c.bytes})
		if err != nil {
			t.Fatal(err)
		}
		e, known := c.choices.Library.Default(c.name, c.group.Size, c.bytes)
		if c.of != "" {
			e, err = Find(c.name, c.of)
			known = err == nil
		}
		if got := e.Collective + " " + e.Name; !known || got != c.algorithm ||
			call.Channels != c.channels || call.PerNode != c.perNode {
			t.Errorf("%s of %d ranks, %d B: %s in %d channels, %d a node, want %s, %d and %d", c.name,
				c.group.Size, c.bytes, got, call.Channels, call.PerNode, c.algorithm, c.channels,
				c.perNode)
		}
	}
	_, _, err := nccl.Choose("bcast", "binomial", Group{Size: 4}, Call{Bytes: 64 << 30, Segment: 1})
	if err == nil {
		t.Error("no error of 2^36 segments")
	}
}

// NCCL's candidates are its own, and a barrier or an all-to-all that it has not is the usual one.
func TestCandidates(t *testing.T) {
	nccl := Library{Name: "nccl"}
	names := func(of string) (all []string) {
		for _, e := range nccl.Candidates(Of(of)) {
			all = append(all, e.Name)
		}
		return all
	}
	if got := fmt.Sprint(names("allreduce"), names("alltoall"), names("allgather")); got !=
		"[ring double-tree] [linear] [ring]" {
		t.Error(got)
	}
	if all := (Library{Name: "openmpi"}).Candidates(Of("alltoall")); len(all) != len(Of("alltoall")) {
		t.Errorf("Open MPI has %d candidates", len(all))
	}
}

// A root serves the others by rank, whichever it is.
func TestStarByRank(t *testing.T) {
	for _, of := range []string{"scatter linear", "bcast linear", "gather linear"} {
		var e Entry
		for _, e = range Algorithms {
			if e.Collective+" "+e.Name == of {
				break
			}
		}
		s, err := e.Schedule(4, Call{Root: 2, Bytes: 8})
		if err != nil {
			t.Fatal(err)
		}
		var peers []uint32
		lo, hi := s.Rank(2)
		for _, o := range s.Ops()[lo:hi] {
			if o.Kind == schedule.Send || o.Kind == schedule.Recv {
				peers = append(peers, o.Peer)
			}
		}
		if fmt.Sprint(peers) != "[0 1 3]" {
			t.Errorf("%s from root 2: %v", of, peers)
		}
	}
}
