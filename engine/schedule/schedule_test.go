package schedule

import (
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// A schedule that would not fit is refused after its first ranks, in one line with the estimate.
func TestEstimate(t *testing.T) {
	if memory.Limit().Bytes > 1<<50 {
		t.Skip("the system tells no limit")
	}
	b := NewBuilder(1 << 31)
	for range 9 {
		b.NextRank()
		for range 1 << 16 {
			b.Calc(1)
		}
	}
	_, err := b.Build()
	const want = "a schedule of 2147483648 ranks with 140737488355328 operations needs about "
	if err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

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
	if s.Ranks() != 3 || s.CPUs() != 4 || s.NICs() != 3 {
		t.Errorf("%d ranks, %d CPUs, %d NICs", s.Ranks(), s.CPUs(), s.NICs())
	}
	if got := s.Label(w); got != "l2" {
		t.Errorf("label %q, want l2", got)
	}
	if got := s.Ops()[r].String(); got != "recv 8b from -1 tag -1 cpu 3 nic 2" {
		t.Errorf("%q", got)
	}
}

func TestLabel(t *testing.T) {
	b := NewBuilder(2)
	for range 2 {
		b.NextRank()
		b.Calc(1)
		b.Label(b.Calc(2), "second")
		b.Label(b.Calc(3), "MPI_Recv_12")
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range []string{"l1", "second", "MPI_Recv_12", "l1", "second", "MPI_Recv_12"} {
		if got := s.Label(uint32(op)); got != want {
			t.Errorf("label of %d is %q, want %q", op, got, want)
		}
	}
}

func TestMistakes(t *testing.T) {
	one := func(f func(b *Builder)) func() error {
		return func() error {
			b := NewBuilder(2)
			b.NextRank()
			f(b)
			b.NextRank()
			_, err := b.Build()
			return err
		}
	}
	for _, c := range []struct {
		build func() error
		want  string
	}{
		{func() error { _, err := NewBuilder(0).Build(); return err }, "schedule: the number of ranks must be 1 to 4294967295 (got 0)"},
		{func() error { _, err := NewBuilder(2).Build(); return err }, "schedule: 2 ranks were announced, 0 came"},
		{func() error { b := NewBuilder(1); b.Calc(1); return b.Err() }, "schedule: calc 1 before the first rank"},
		{func() error { b := NewBuilder(1); b.Requires(0, 0); return b.Err() }, "schedule: a dependency before the first rank"},
		{func() error { b := NewBuilder(1); b.Label(0, "a"); return b.Err() }, `schedule: operation 0 is labelled "a" before the first rank`},
		{one(func(b *Builder) { b.NextRank() }), "schedule: rank 2 is one too many: there are 2 ranks"},
		{one(func(b *Builder) { b.Send(1, 2, 0) }), `schedule: rank 0: "send 1b to 2 tag 0": there is no rank 2, only 0 to 1`},
		{one(func(b *Builder) { b.Send(1, Any, 0) }), `schedule: rank 0: "send 1b to -1 tag 0": there is no rank 4294967295, only 0 to 1`},
		{one(func(b *Builder) { b.Add(Op{}) }), "schedule: rank 0: invalid operation kind 0"},
		{one(func(b *Builder) { b.Add(Op{Kind: Calc, NIC: 1}) }), "schedule: rank 0: a calc has no peer, tag, NIC or context"},
		{one(func(b *Builder) { b.Requires(b.Calc(1), 1) }), "schedule: rank 0: operation 0 cannot wait for 1: the rank has 0 up to, but not including, 1"},
		{one(func(b *Builder) { x := b.Calc(1); b.NextRank(); b.IRequires(b.Calc(1), x) }), "schedule: rank 1: operation 1 cannot wait for 0: the rank has 1 up to, but not including, 2"},
		{one(func(b *Builder) { x := b.Calc(1); b.Calc(1); b.Label(x, "a") }), `schedule: rank 0: operation 0 is labelled "a", but is not the last one`},
		{one(func(b *Builder) { b.Label(b.Calc(1), "l7") }), `schedule: rank 0: "l7" cannot be a label`},
		{one(func(b *Builder) { b.Label(b.Calc(1), "send") }), `schedule: rank 0: "send" cannot be a label`},
		{one(func(b *Builder) { b.Label(b.Calc(1), "a b") }), `schedule: rank 0: "a b" cannot be a label`},
		{one(func(b *Builder) { b.Label(b.Calc(1), "a"); b.Label(b.Calc(1), "a") }), `schedule: rank 0: label "a" is given twice`},
	} {
		if err := c.build(); err == nil || err.Error() != c.want {
			t.Errorf("got %v\nwant %s", err, c.want)
		}
	}
}

// Labels of a word and a number are as other labels, and cost no text each.
func TestNumberedLabels(t *testing.T) {
	b := NewBuilder(2)
	for range 2 {
		b.NextRank()
		b.LabelNumber(b.Calc(1), []byte("calc"), 3)
		b.LabelNumber(b.Calc(1), []byte("MPI_Recv_send"), 3)
		b.Calc(1)
		b.LabelNumber(b.Calc(1), []byte("calc"), 1<<32-1)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	if err := s.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	again, err := Read(strings.NewReader(text.String()), "x")
	if err != nil {
		t.Fatal(err)
	}
	for op, want := range []string{"calc_3", "MPI_Recv_send_3", "l3", "calc_4294967295", "calc_3"} {
		if got := s.Label(uint32(op)); got != want {
			t.Errorf("operation %d: %s, want %s", op, got, want)
		}
		if got := again.Label(uint32(op)); got != want && want != "l3" {
			t.Errorf("operation %d as text: %s, want %s", op, got, want)
		}
	}
	for _, wrong := range []func(b *Builder){
		func(b *Builder) { b.LabelNumber(b.Calc(1), []byte("c"), 2) }, // twice
		func(b *Builder) { b.LabelNumber(b.Calc(1), []byte("d"), 1) }, // falls
		func(b *Builder) { b.LabelNumber(b.Calc(1), []byte("1"), 2) },
		func(b *Builder) { b.LabelNumber(b.Calc(1), nil, 2) },
		func(b *Builder) { b.LabelNumber(b.Calc(1)-1, []byte("d"), 2) },
		func(b *Builder) { b.Label(b.Calc(1), "d") },
	} {
		b := NewBuilder(1)
		b.NextRank()
		b.LabelNumber(b.Calc(1), []byte("c"), 2)
		if wrong(b); b.Err() == nil {
			t.Error("no error")
		}
	}
}
