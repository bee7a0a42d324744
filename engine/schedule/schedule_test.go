package schedule

import (
	"slices"
	"testing"
	"unsafe"
)

func TestOpIsSmall(t *testing.T) {
	if got := unsafe.Sizeof(Op{}); got != 24 {
		t.Errorf("an Op takes %d bytes, want 24", got)
	}
}

func TestBuilder(t *testing.T) {
	b := NewBuilder(3)
	b.NextRank()
	x, y, z := b.Calc(10), b.Send(8, 2, 1), b.Send(8, 2, 2)
	b.Requires(z, x)
	b.Requires(y, x)
	b.Requires(z, x)
	b.IRequires(y, z)
	b.NextRank() // rank 1 does nothing
	b.NextRank()
	r := b.Add(Op{Kind: Recv, Size: 8, Peer: Any, Tag: Any, CPU: 3, NIC: 2})
	w := b.Calc(1)
	b.Requires(w, r)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if got := s.AfterDone(x); !slices.Equal(got, []uint32{z, y, z}) {
		t.Errorf("after x is done: %v", got)
	}
	if got := s.AfterStarted(z); !slices.Equal(got, []uint32{y}) {
		t.Errorf("after z has started: %v", got)
	}
	if got := s.AfterStarted(w); len(got) != 0 {
		t.Errorf("after w has started: %v", got)
	}
	if got := s.AfterDone(r); !slices.Equal(got, []uint32{w}) {
		t.Errorf("after r is done: %v", got)
	}
	if got := s.Waits(); !slices.Equal(got, []uint32{0, 2, 2, 0, 1}) {
		t.Errorf("waits %v", got)
	}
	for op, want := range []int{0, 0, 0, 2, 2} {
		if got := s.RankOf(uint32(op)); got != want {
			t.Errorf("operation %d is of rank %d, want %d", op, got, want)
		}
	}
	if lo, hi := s.Rank(1); lo != 3 || hi != 3 {
		t.Errorf("rank 1 has %d up to %d, want nothing", lo, hi)
	}
	if s.Ranks() != 3 || s.CPUs() != 4 || s.NICs() != 3 || s.Dependencies() != 5 {
		t.Errorf("%d ranks, %d CPUs, %d NICs, %d dependencies", s.Ranks(), s.CPUs(), s.NICs(), s.Dependencies())
	}
	if got := s.Label(w); got != "l2" {
		t.Errorf("label %q, want l2", got)
	}
	if got := s.Ops()[r].String(); got != "recv 8b from -1 tag -1 cpu 3 nic 2" {
		t.Errorf("%q", got)
	}
}
