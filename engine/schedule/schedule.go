package schedule

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// A Kind is the kind of an operation. The values are those of GOAL's binary form. Operations that
// become ready at the same time start in increasing order of Kind.
type Kind uint8

const (
	Send Kind = 1 + iota // sends Size bytes to rank Peer
	Recv                 // receives a message from rank Peer, or from Any
	Calc                 // computes for Size nanoseconds
	// Joint waits until all operations of its number, which is its Peer, have come, and then takes
	// Size nanoseconds for all of them. Numbers count up from 0. Its NIC, 0 or 1, says which links
	// of its rank it keeps for itself meanwhile: those of a rank with one NIC follow each other.
	// Messages are not slowed. GOAL has no word for it.
	Joint
)

// String returns GOAL's word for the kind.
func (k Kind) String() string {
	switch k {
	case Send:
		return "send"
	case Recv:
		return "recv"
	case Calc:
		return "calc"
	case Joint:
		return "joint"
	}
	return "kind " + strconv.Itoa(int(k))
}

// A Memory is the state of the memory of a message at the rank of the operation. If ranks share
// memory, the time of a copy depends on the caches that hold it. Of a calc it says whether its end
// is marked. GOAL has no word for it, so files leave it out.
type Memory uint8

const (
	Plain Memory = iota
	Relay        // of a receive: memory that the rank has sent since it received there
	Fresh        // of a send: memory that the rank has written since its last message
	Mark         // of a calc: its end is a moment that the program marks
)

// Any is the peer or the tag of a receive that accepts messages from any rank, or with any
// tag. A send with the tag Any matches every receive's tag. GOAL writes it -1. The binary
// form has these 32 bits, so an operation needs no flag for it.
const Any = math.MaxUint32

// An Op is an operation of a rank. It has 24 bytes, so that programs of millions of
// operations fit into memory.
type Op struct {
	Size uint64 // bytes of a message; nanoseconds of a calc
	Peer uint32 // the other rank; Any is allowed for a receive; 0 for a calc; see Joint
	Tag  uint32 // 0 for a calc
	CPU  uint16 // index of the rank's processor that it occupies
	NIC  uint16 // index of the rank's network interface; 0 for a calc; see Joint
	Kind Kind
	// Memory is Relay for some receives, Fresh for some sends, Mark for some calcs, and else Plain.
	Memory Memory
	// Context separates messages as MPI's communicators do: a receive accepts messages of its own
	// context alone, also with Any. GOAL has no word for it, see [Schedule.WriteText]. It is 0 for
	// a calc.
	Context uint16
}

// String returns the operation as a statement of GOAL, without a label: "send 8b to 3 tag 1".
func (o Op) String() string { return string(o.appendText(nil)) }

// A Schedule holds the operations and dependencies of a parallel program. Operations are numbered
// from 0 through all ranks, rank by rank, in the order of their addition; all methods identify
// operations by this index. A Schedule is immutable, and safe for concurrent use.
//
// It takes 24 bytes for each operation and 4 for each dependency; another 4 for each operation and
// kind of dependency that occurs; and the bytes of labels other than the default ones, plus 8 for
// each, or 12 for each that is a word and a number. If later ranks have fewer operations than the
// first, as in a tree, some address space beside it remains unused. Arrays are this compact since a
// simulation waits for memory: prefetching them nearly halves the time of a broadcast to 2²⁰ ranks.
type Schedule struct {
	first      []uint32 // first[r] is rank r's first operation; one entry more than ranks
	ops        []Op
	done       successors
	started    successors
	names      names
	numbered   numbered
	joints     uint32 // numbers of joint operations
	calls      bool   // see Calls
	cpus, nics int
	source     source
}

// A source is the program that a schedule was made of: its name, and the line of each operation.
type source struct {
	name  string
	lines []uint32 // by operation; empty if no program is known
}

// successors are the edges of one kind, by predecessor, as compressed sparse rows: two arrays
// instead of a slice for each operation, which would take 24 bytes more.
type successors struct {
	first []uint32 // first[op] is the index in to of op's first successor; empty without any edge
	to    []uint32
}

func (s *successors) list(op uint32) []uint32 {
	// Many schedules have no "irequires", and then not even the array of beginnings.
	if len(s.first) == 0 {
		return nil
	}
	return s.to[s.first[op]:s.first[op+1]]
}

// Ranks returns the number of ranks.
func (s *Schedule) Ranks() int { return len(s.first) - 1 }

// Ops returns all operations by their index. The caller must not change them.
func (s *Schedule) Ops() []Op { return s.ops }

// Rank returns the range of the operations of a rank: from lo up to, but not including, hi.
func (s *Schedule) Rank(rank int) (lo, hi uint32) { return s.first[rank], s.first[rank+1] }

// RankOf returns the rank of the operation, found by bisection.
func (s *Schedule) RankOf(op uint32) int {
	// An empty rank begins where the next rank begins. The last rank that begins at or before op
	// has the operation.
	r, _ := slices.BinarySearchFunc(s.first, op, func(first, op uint32) int {
		if first <= op {
			return -1
		}
		return 1
	})
	return r - 1
}

// Calls reports whether the schedule was made of the calls of a program, by [Builder.Calls]. A send
// that others wait for by its start is then a call that does not block: its message queues at the
// NIC while the rank goes on. By GOAL's rule its start waits for the NIC.
func (s *Schedule) Calls() bool { return s.calls }

// AfterDone returns the operations that wait until op is done ("requires"), in the order of the
// calls of Requires; a dependency that was added twice appears twice. They belong to the rank of
// op. The caller must not change the slice.
func (s *Schedule) AfterDone(op uint32) []uint32 { return s.done.list(op) }

// Prefetch starts to load an operation, and the memory that AfterDone reads first for it, into the
// processor's cache.
func (s *Schedule) Prefetch(op uint32) {
	at := unsafe.Pointer(&s.ops[op])
	first := at
	if len(s.done.first) > 0 {
		first = unsafe.Pointer(&s.done.first[op])
	}
	memory.Prefetch(at, first)
}

// PrefetchAfter starts to load the result of AfterDone, whose place Prefetch loads.
func (s *Schedule) PrefetchAfter(op uint32) {
	if len(s.done.first) > 0 {
		// The address alone is needed. Reading an element here would be the wait that a prefetch
		// avoids.
		list := unsafe.Pointer(unsafe.SliceData(s.AfterDone(op)))
		memory.Prefetch(list, list)
	}
}

// Posts reports whether the schedule is of a program's calls, and some of them follow a send once
// it is posted. GOAL has no such dependency: in a file, they wait until the NIC begins with the
// message.
func (s *Schedule) Posts() bool {
	if !s.calls {
		return false
	}
	for i, op := range s.ops {
		if op.Kind == Send && len(s.AfterStarted(uint32(i))) > 0 {
			return true
		}
	}
	return false
}

// AfterStarted returns the operations that wait until op has started ("irequires"), like AfterDone.
func (s *Schedule) AfterStarted(op uint32) []uint32 { return s.started.list(op) }

// Waits returns a new slice with the number of dependencies of each operation, which is how often
// it occurs in AfterDone and AfterStarted. An operation with 0 is ready from the start.
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

// CPUs returns the highest CPU of any operation, plus one; at least 1.
func (s *Schedule) CPUs() int { return s.cpus }

// NICs returns the highest NIC of any operation, plus one; at least 1.
func (s *Schedule) NICs() int { return s.nics }

// Label returns the name of the operation in its rank: its label, else the default l1, l2 … by
// its place in the rank. It is empty for an operation without a label in a GOAL text.
func (s *Schedule) Label(op uint32) string {
	lo, _ := s.Rank(s.RankOf(op))
	return string(s.appendLabel(nil, op, lo))
}

// Line returns the place of the operation in its program: "halo.star:12". It is empty for a
// schedule that was not made of a program.
func (s *Schedule) Line(op uint32) string {
	if len(s.source.lines) == 0 {
		return ""
	}
	return s.source.name + ":" + strconv.FormatUint(uint64(s.source.lines[op]), 10)
}

// names holds the labels that differ from the default ones, by operation.
type names struct {
	op   []uint32 // ascending
	end  []uint32 // end of the label in text; it begins at the end of the previous label
	text []byte
}

// numbered holds labels that are a word and a number, as those of a trace: the call, and its line.
// They take 12 bytes each, whatever their length.
type numbered struct {
	list  []numberedLabel // by ascending operations
	words []string
}

type numberedLabel struct {
	op, word, number uint32 // word is an index in words
}

// label returns label i.
func (n *names) label(i int) []byte {
	if i == 0 {
		return n.text[:n.end[0]]
	}
	return n.text[n.end[i-1]:n.end[i]]
}

// appendDefaultLabel appends the default label of the operation at the given place of its rank,
// counted from 0: l1, l2 ….
func appendDefaultLabel(b []byte, place uint32) []byte {
	return strconv.AppendUint(append(b, 'l'), uint64(place)+1, 10)
}

// appendText appends the operation as a statement of GOAL, without a label.
func (o Op) appendText(b []byte) []byte {
	b = append(append(b, o.Kind.String()...), ' ')
	b = strconv.AppendUint(b, o.Size, 10)
	if o.Kind < Calc {
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

func (s *Schedule) appendLabel(line []byte, op, lo uint32) []byte {
	// The search is among the labels that differ from the default ones; most schedules have none.
	if i, ok := slices.BinarySearch(s.names.op, op); ok {
		return append(line, s.names.label(i)...)
	}
	if i, ok := slices.BinarySearchFunc(s.numbered.list, op,
		func(l numberedLabel, op uint32) int { return cmp.Compare(l.op, op) }); ok {
		l := s.numbered.list[i]
		line = append(append(line, s.numbered.words[l.word]...), '_')
		return strconv.AppendUint(line, uint64(l.number), 10)
	}
	return appendDefaultLabel(line, op-lo)
}
