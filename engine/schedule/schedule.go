package schedule

import (
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// A Kind says what an operation does. The numbers are those of GOAL's binary
// form, and the order in which operations that become free together begin.
type Kind uint8

const (
	Send Kind = 1 + iota // sends Size bytes to rank Peer
	Recv                 // receives a message from rank Peer, or from Any
	Calc                 // computes for Size nanoseconds
)

// String is GOAL's word for the kind.
func (k Kind) String() string {
	switch k {
	case Send:
		return "send"
	case Recv:
		return "recv"
	case Calc:
		return "calc"
	}
	return "kind " + strconv.Itoa(int(k))
}

// Any is the peer or the tag of a receive that takes messages from whatever rank, or with whatever
// tag; a send with this tag matches every receive's. GOAL writes it -1.
const Any = math.MaxUint32

// An Op is one operation of one rank.
type Op struct {
	Size uint64 // bytes of a message; nanoseconds of a calc
	Peer uint32 // the other rank; Any is allowed for a receive; 0 for a calc
	Tag  uint32 // 0 for a calc
	CPU  uint16 // which of the rank's processors it occupies
	NIC  uint16 // which of the rank's network interfaces; 0 for a calc
	Kind Kind
}

// String is the operation as a statement of GOAL, without a label: "send 8b to 3 tag 1".
func (o Op) String() string { return string(o.appendText(nil)) }

// A Schedule is what the ranks of a parallel program do, and in which order. Operations are
// numbered from 0 through all ranks, rank by rank, in the order in which they were added: that
// index names them everywhere. A Schedule does not change, and may be read by several goroutines.
//
// It takes 24 bytes an operation and 4 for each dependency; another 4 an
// operation for each kind of dependency that occurs; and for labels that are not
// the default ones their bytes and 8 more. Where later ranks do less than the
// first, as in a tree, some address space stays unused beside it.
type Schedule struct {
	first      []uint32 // first[r] is rank r's first operation; one entry more than ranks
	ops        []Op
	done       successors
	started    successors
	names      names
	cpus, nics int
}

// successors are the edges of one kind, by predecessor.
type successors struct {
	first []uint32 // first[op] is where op's begin in to; empty if there are no edges at all
	to    []uint32
}

func (s *successors) list(op uint32) []uint32 {
	if len(s.first) == 0 {
		return nil
	}
	return s.to[s.first[op]:s.first[op+1]]
}

// Ranks is the number of ranks.
func (s *Schedule) Ranks() int { return len(s.first) - 1 }

// Ops are all operations by their index. They are not to be changed.
func (s *Schedule) Ops() []Op { return s.ops }

// Rank is the range of the operations of one rank: from lo up to, but not including, hi.
func (s *Schedule) Rank(rank int) (lo, hi uint32) { return s.first[rank], s.first[rank+1] }

// RankOf is the rank that has the operation, found by bisection.
func (s *Schedule) RankOf(op uint32) int {
	// Ranks without operations begin where the next one does: the last that
	// begins at or before op has it.
	r, _ := slices.BinarySearchFunc(s.first, op, func(first, op uint32) int {
		if first <= op {
			return -1
		}
		return 1
	})
	return r - 1
}

// AfterDone are the operations that wait until op is done ("requires"), in the
// order in which these dependencies were added. One that was added twice is
// there twice. They are of the same rank as op, and not to be changed.
func (s *Schedule) AfterDone(op uint32) []uint32 { return s.done.list(op) }

// Prefetch brings an operation and what AfterDone reads first for it into the processor's cache,
// without waiting for them.
func (s *Schedule) Prefetch(op uint32) {
	at := unsafe.Pointer(&s.ops[op])
	first := at
	if len(s.done.first) > 0 {
		first = unsafe.Pointer(&s.done.first[op])
	}
	memory.Prefetch(at, first)
}

// AfterStarted are the operations that wait until op has started ("irequires"), like AfterDone.
func (s *Schedule) AfterStarted(op uint32) []uint32 { return s.started.list(op) }

// Waits is a fresh slice with the number of dependencies of each operation: how often it occurs in
// AfterDone and AfterStarted. An operation with 0 can begin at once.
func (s *Schedule) Waits() []uint32 {
	waits := make([]uint32, len(s.ops))
	for _, op := range s.done.to {
		waits[op]++
	}
	for _, op := range s.started.to {
		waits[op]++
	}
	return waits
}

// CPUs is the highest CPU of any operation of any rank, plus one; at least 1.
func (s *Schedule) CPUs() int { return s.cpus }

// NICs is the highest NIC of any operation of any rank, plus one; at least 1.
func (s *Schedule) NICs() int { return s.nics }

// Label is the name of the operation in its rank: the one it was given, else l1, l2 … by its place
// in the rank. It is empty for an operation that a GOAL text does not name.
func (s *Schedule) Label(op uint32) string {
	lo, _ := s.Rank(s.RankOf(op))
	return string(s.appendLabel(nil, op, lo))
}

// names are the labels that differ from the default ones, by operation.
type names struct {
	op   []uint32 // ascending
	end  []uint32 // where the label ends in text; it begins where the one before ends
	text []byte
}

func (n *names) index(op uint32) (int, bool) { return slices.BinarySearch(n.op, op) }

func (n *names) at(i int) []byte {
	if i == 0 {
		return n.text[:n.end[0]]
	}
	return n.text[n.end[i-1]:n.end[i]]
}

// appendDefaultLabel appends the name of an unnamed rank's operation, the
// place'th from 0: l1, l2 ….
func appendDefaultLabel(b []byte, place uint32) []byte {
	return strconv.AppendUint(append(b, 'l'), uint64(place)+1, 10)
}

// appendText appends the operation as a statement of GOAL, without a label.
func (o Op) appendText(b []byte) []byte {
	b = append(append(b, o.Kind.String()...), ' ')
	b = strconv.AppendUint(b, o.Size, 10)
	if o.Kind != Calc {
		b = append(b, "b to "...)
		if o.Kind == Recv {
			b = append(b[:len(b)-len("to ")], "from "...)
		}
		b = appendOrAny(b, o.Peer)
		b = append(b, " tag "...)
		b = appendOrAny(b, o.Tag)
	}
	if o.CPU != 0 {
		b = strconv.AppendUint(append(b, " cpu "...), uint64(o.CPU), 10)
	}
	if o.NIC != 0 {
		b = strconv.AppendUint(append(b, " nic "...), uint64(o.NIC), 10)
	}
	return b
}

func appendOrAny(b []byte, n uint32) []byte {
	if n == Any {
		return append(b, "-1"...)
	}
	return strconv.AppendUint(b, uint64(n), 10)
}
