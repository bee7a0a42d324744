package schedule

import (
	"bytes"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// MaxRanks is the maximum number of ranks. The next number means Any.
const MaxRanks = math.MaxUint32

// maxOps bounds the operations, and the dependencies of each kind: their indices and counts
// have 32 bits, and one more than the last index must be a number too.
const maxOps = math.MaxUint32 - 1

// maxLine bounds a line of text, so that a file without newlines is not read into memory. The
// longest statement with labels of a thousand bytes is far below it.
const maxLine = 1 << 20

// A Builder makes a Schedule, rank after rank: NextRank, then the operations of that rank and their
// dependencies. If several operations become ready together, they start in the order of their
// addition.
//
// The first error is kept; later calls have no effect, and Err and Build return it.
type Builder struct {
	ranks  uint32
	s      Schedule
	done   edges
	starts edges
	labels labels              // of the current rank's operations
	words  map[string]*wordUse // of numbered labels
	read   func() float64      // returns the fraction of the file that was read; nil if unknown
	line   uint32              // of the source, of operations that are added; 0 for none
	fold   *fold               // nil: ranks stand for themselves
	err    error
}

// edges holds the dependencies of one kind of the current rank, in the order of their
// addition. They are sorted when the rank is complete, while they are in the processor's
// cache.
type edges []edge

type edge struct{ from, to uint32 }

// grown makes room for n more edges. They are of one rank: the part of the files that was read says
// nothing of their number.
func (e edges) grown(n int) edges {
	if len(e)+n <= cap(e) {
		return e
	}
	return append(memory.Make[edge](max(2*len(e), len(e)+n, 64))[:0], e...)
}

// NewBuilder returns a Builder of a schedule of 1 to MaxRanks ranks. It allocates memory as ranks
// are added.
func NewBuilder(ranks int) *Builder {
	b := &Builder{ranks: uint32(ranks)}
	b.labels.names = &b.s.names
	if ranks < 1 || uint64(ranks) > MaxRanks {
		b.fail("the number of ranks must be 1 to %d (got %d)", uint32(MaxRanks), ranks)
	}
	return b
}

// Reads sets a function that returns which part of its files was read, by which the builder makes
// room for the rest.
func (b *Builder) Reads(part func() float64) { b.read = part }

// Err returns the first error, or nil.
func (b *Builder) Err() error { return b.err }

// Callers add operations in long loops, which need no check of each.
func (b *Builder) fail(format string, args ...any) {
	if b.err == nil {
		b.err = fmt.Errorf("schedule: "+format, args...)
	}
}

// NextRank begins rank 0, or the rank after the current one, and returns its number.
func (b *Builder) NextRank() int {
	b.flush()
	rank := len(b.s.first)
	if uint64(rank) == uint64(b.ranks) {
		b.fail("rank %d is one too many: there are %d ranks", rank, b.ranks)
	}
	if rank == estimateFrom && b.err == nil {
		b.estimate()
	}
	if b.err == nil {
		b.s.first = append(grown(b, b.s.first, 1), uint32(len(b.s.ops)))
		b.labels.reset(uint32(len(b.s.ops)))
		b.fold.nextRank()
	}
	return rank
}

// estimateFrom is the number of ranks from which the size of a schedule is estimated. The first one
// may be the root of a tree.
const estimateFrom = 8

// OpBytes is about what an operation takes with its dependencies and the room that grows with them.
const OpBytes = 50

// estimate refuses a schedule that would exceed the limit of memory if all ranks had half of the
// operations of the shortest of the first ranks.
func (b *Builder) estimate() {
	least := len(b.s.ops) - int(b.s.first[estimateFrom-1])
	for i := range estimateFrom - 1 {
		least = min(least, int(b.s.first[i+1]-b.s.first[i]))
	}
	if ops := float64(least) * float64(b.ranks); b.Expect(ops/2) != nil {
		b.err = b.Expect(ops)
	}
}

// Expect returns an error if a schedule of about so many operations exceeds the limit of memory
// ([memory.Limit]).
func (b *Builder) Expect(ops float64) error {
	return memory.Check(fmt.Sprintf("a schedule of %d ranks with %.0f operations", b.ranks, ops),
		ops*OpBytes)
}

// Add adds an operation to the current rank and returns its index. The peer of a send must be a
// rank, that of a receive a rank or Any; a calc has no peer, tag, NIC or context.
func (b *Builder) Add(op Op) uint32 {
	if b.fold != nil && op.Kind < Calc && b.err == nil {
		op.Peer, b.err = b.fold.peer(b.rank(), op)
	}
	switch {
	case b.err != nil:
		return 0
	case len(b.s.first) == 0:
		b.fail("%s before the first rank", op)
	case op.Kind < Send || op.Kind > Joint:
		b.fail("rank %d: invalid operation %s", b.rank(), op.Kind)
	case op.Kind == Joint && (op.Peer > b.s.joints || op.Tag != 0 || op.NIC > 1 ||
		op.Context != 0):
		b.fail("rank %d: a joint operation has the next number, NIC 0 or 1, and no tag or context",
			b.rank())
	case op.Kind == Calc && (op.Peer != 0 || op.Tag != 0 || op.NIC != 0 || op.Context != 0):
		b.fail("rank %d: a calc has no peer, tag, NIC or context", b.rank())
	case op.Kind < Calc && op.Peer >= b.ranks && (op.Kind == Send || op.Peer != Any):
		b.fail("rank %d: %q: there is no rank %d, only 0 to %d", b.rank(), op, op.Peer, b.ranks-1)
	case uint64(len(b.s.ops)) == maxOps:
		b.fail("rank %d: more than %d operations", b.rank(), uint32(maxOps))
	}
	if b.err != nil {
		return 0
	}
	if op.Kind == Joint {
		b.s.joints = max(b.s.joints, op.Peer+1)
	} else {
		b.s.nics = max(b.s.nics, int(op.NIC)+1)
	}
	b.s.cpus = max(b.s.cpus, int(op.CPU)+1)
	n := len(b.s.ops)
	if n == cap(b.s.ops) {
		b.s.ops = grown(b, b.s.ops, 1)
	}
	b.s.ops = b.s.ops[:n+1]
	if b.line != 0 {
		b.s.source.lines = append(grown(b, b.s.source.lines, 1), b.line)
	}
	to := &b.s.ops[n] // field by field: a copy would wait until the stores of the fields are done
	to.Size, to.Peer, to.Tag, to.CPU, to.NIC = op.Size, op.Peer, op.Tag, op.CPU, op.NIC
	to.Kind, to.Memory, to.Context = op.Kind, op.Memory, op.Context
	return uint32(n)
}

// Source names the program that the schedule is made of. Lines then count for all operations.
func (b *Builder) Source(name string) { b.s.source.name = name }

// Line sets the line of the source, at least 1, of the operations that are added from now on. It is
// set before the first operation, or never.
func (b *Builder) Line(line uint32) {
	if b.line = line; line == 0 || len(b.s.source.lines) != len(b.s.ops) {
		b.fail("a line must be at least 1, and set before the first operation")
	}
}

// Calls declares that the schedule is made of the calls of a program, see [Schedule.Calls].
func (b *Builder) Calls() { b.s.calls = true }

// SetSource sets the source and the tag of a receive of the current rank, which may be known only
// after later operations have been added.
func (b *Builder) SetSource(op uint32, peer, tag uint32) {
	if b.err == nil {
		b.s.ops[op].Peer, b.s.ops[op].Tag = peer, tag
	}
}

// SetMemory sets the state of the memory of an operation of the current rank, which may be known
// only after later operations have been added.
func (b *Builder) SetMemory(op uint32, m Memory) {
	if b.err == nil {
		b.s.ops[op].Memory = m
	}
}

// grown makes room for n more elements. If the capacity is exhausted, it estimates the final
// length from the part of the file that was read, or else from the part of the ranks that was
// added, which limits both copying and memory. The estimate from ranks is at most 4 times the
// present length. The factor 1.02 makes up for an estimate that is a little low. Growth by a
// quarter, the least that is made, copies each element four times on average.
func grown[T any](b *Builder, s []T, n int) []T {
	if len(s)+n <= cap(s) {
		return s
	}
	least := float64(len(s) + n)
	part, most := float64(max(len(b.s.first), 1))/float64(b.ranks), 4*least
	if b.read != nil {
		// The part of a file is measured, so it may be trusted for larger steps than the part of
		// the ranks, whose first ones may be the largest (the root of a tree).
		part, most = b.read(), 64*least
	}
	return append(memory.Make[T](int(max(min(1.02*least/part, most), 1.25*least, 64)))[:0], s...)
}

// Fold makes each rank stand for all ranks of a schedule of so many that are equal to it modulo the
// ranks of the builder, which divide their number. Peers that are added are those of the large
// schedule. It is [ErrFold] if two peers of a rank become one, or if a peer in another unit of so
// many ranks comes into the rank's own. It is called before the first rank.
func (b *Builder) Fold(all, unit int) {
	b.fold = &fold{all: uint32(all), ranks: b.ranks, unit: uint32(unit)}
	for i := range b.fold.seen {
		b.fold.seen[i] = make([]uint32, b.ranks)
	}
}

// A Here is a place in the current rank, between two of its operations.
type Here struct {
	op           uint32
	done, starts int // dependencies so far
}

// Here returns the place behind the operations that were added.
func (b *Builder) Here() Here { return Here{b.Next(), len(b.done), len(b.starts)} }

// Again adds the operations between two places of the current rank once more, with their
// dependencies. Tags of messages are further by tag; what waited for an operation before the first
// place waits for the operation after. It returns by how much the new indices are higher. It costs
// a tenth of adding them one by one.
func (b *Builder) Again(from, to Here, tag, after uint32) (by uint32) {
	n := int(to.op - from.op)
	if b.err == nil && uint64(len(b.s.ops)+n) > maxOps {
		b.fail("rank %d: more than %d operations", b.rank(), uint32(maxOps))
	}
	if b.err != nil {
		return 0
	}
	by = b.Next() - from.op
	b.s.ops = append(grown(b, b.s.ops, n), b.s.ops[from.op:to.op]...)
	for i := range b.s.ops[to.op+by-uint32(n):] {
		if op := &b.s.ops[from.op+by+uint32(i)]; op.Kind < Calc {
			op.Tag += tag
		}
	}
	if b.line != 0 {
		b.s.source.lines = grown(b, b.s.source.lines, n)
		for range n {
			b.s.source.lines = append(b.s.source.lines, b.line)
		}
	}
	b.done = b.done.again(from.done, to.done, from.op, by, after)
	b.starts = b.starts.again(from.starts, to.starts, from.op, by, after)
	return by
}

// again appends the edges from one index to another, with operations that are higher by a number.
// Edges of operations before first are those of the operation after.
func (e edges) again(from, to int, first, by, after uint32) edges {
	e = e.grown(to - from)
	for _, x := range e[from:to] {
		if x.from += by; x.from < first+by {
			x.from = after
		}
		e = append(e, edge{x.from, x.to + by})
	}
	return e
}

// Next returns the index of the operation that is added next.
func (b *Builder) Next() uint32 { return uint32(len(b.s.ops)) }

// Send adds a send of size bytes on CPU 0 and NIC 0; see Add.
func (b *Builder) Send(size uint64, to, tag uint32) uint32 {
	return b.Add(Op{Kind: Send, Size: size, Peer: to, Tag: tag})
}

// Recv adds a receive of size bytes on CPU 0 and NIC 0; see Add.
func (b *Builder) Recv(size uint64, from, tag uint32) uint32 {
	return b.Add(Op{Kind: Recv, Size: size, Peer: from, Tag: tag})
}

// Calc adds a computation of the given nanoseconds on CPU 0; see Add.
func (b *Builder) Calc(nanoseconds uint64) uint32 {
	return b.Add(Op{Kind: Calc, Size: nanoseconds})
}

// Label names the operation that was added last. Operations without a label are named l1, l2 … by
// their place in the rank. A label is a letter followed by letters, digits and underscores, and
// unique in its rank. GOAL's words (send, recv, calc, rank, num_ranks) are not labels, nor is "l"
// with a number, which is a default name.
func (b *Builder) Label(op uint32, label string) { b.LabelText(op, []byte(label)) }

// LabelText is Label for a text that the caller may change afterwards.
func (b *Builder) LabelText(op uint32, text []byte) {
	if b.err != nil {
		return
	}
	switch {
	case len(b.s.first) == 0:
		b.fail("operation %d is labelled %q before the first rank", op, text)
	case len(b.s.numbered.list) > 0:
		b.fail("rank %d: label %q has no number, and other labels have one", b.rank(), text)
	case op+1 != b.Next() || op < b.s.first[b.rank()]:
		b.fail("rank %d: operation %d is labelled %q, but is not the last one", b.rank(), op, text)
	// A label l7 at another place than the seventh would stand for two operations when the
	// schedule is written as text.
	case !isLabel(text) || text[0] == 'l' && len(bytes.Trim(text[1:], "0123456789")) == 0:
		b.fail("rank %d: %q cannot be a label", b.rank(), text)
	default:
		b.checkLabel(b.name(text, op-b.s.first[b.rank()]), text)
	}
}

// LabelNumber names the operation that was added last by a word and a number, "MPI_Recv_812", whose
// numbers do not fall in a rank. A schedule has either such labels or others. The caller may change
// the word afterwards.
func (b *Builder) LabelNumber(op uint32, word []byte, number uint32) {
	if b.err != nil {
		return
	}
	n := &b.s.numbered
	w, known := b.words[string(word)]
	first := b.s.first
	switch last := len(n.list) - 1; {
	case len(first) == 0 || op+1 != b.Next() || op < first[b.rank()]:
		b.fail("operation %d is labelled %q, but is not the last one of a rank", op, word)
		return
	case !known && (len(word) == 0 || labelEnd(word, 0) < len(word)):
		b.fail("rank %d: %q cannot be a label", b.rank(), word)
		return
	case len(b.s.names.op) > 0:
		b.fail("rank %d: label %q has a number, and other labels have none", b.rank(), word)
		return
	case last >= 0 && n.list[last].op >= first[b.rank()] && number < n.list[last].number:
		b.fail("rank %d: the number of label %q falls from %d to %d", b.rank(), word,
			n.list[last].number, number)
		return
	case known && w.op >= first[b.rank()] && w.number == number:
		b.fail("rank %d: label %s_%d is given twice", b.rank(), word, number)
		return
	case !known:
		if b.words == nil {
			b.words = map[string]*wordUse{}
		}
		w = &wordUse{index: uint32(len(n.words))}
		n.words = append(n.words, string(word))
		b.words[string(word)] = w
	}
	w.op, w.number = op, number
	n.list = append(grown(b, n.list, 1), numberedLabel{op, w.index, number})
}

// A wordUse is a word of numbered labels, and the last operation that has it, with its number.
type wordUse struct{ index, op, number uint32 }

// checkLabel fails if a label is not new in its rank, or if labels take too much memory.
func (b *Builder) checkLabel(isNew bool, label []byte) {
	switch {
	case !isNew:
		b.fail("rank %d: label %q is given twice", b.rank(), label)
	case len(b.s.names.text) > math.MaxUint32-maxLine:
		b.fail("labels take more than %d bytes; use shorter ones (l1, l2 … take none)",
			uint32(math.MaxUint32-maxLine))
	}
}

// define labels the next operation of the rank; an empty label means none. It returns false
// if another operation of the rank has the label. While all labels are the default ones
// nothing is stored; the first other label puts those before it into the table.
func (b *Builder) define(label []byte) bool {
	s := &b.labels
	place := s.count
	s.count++
	isDefault := defaultNumber(label) == place+1
	if s.plain {
		if isDefault {
			return true
		}
		s.plain = false
		// Enough for "l" and ten digits.
		var text [16]byte
		for i := range place {
			s.insert(appendDefaultLabel(text[:0], i), i)
		}
	}
	if isDefault {
		return s.insert(label, place)
	}
	return b.name(label, place)
}

// name stores the label of the operation at a place of the current rank. It returns false if
// another operation of the rank has the label.
func (b *Builder) name(label []byte, place uint32) bool {
	s, n := &b.labels, &b.s.names
	n.text = append(grown(b, n.text, len(label)), label...)
	n.op = append(grown(b, n.op, 1), s.first+place)
	n.end = append(grown(b, n.end, 1), uint32(len(n.text)))
	s.named = append(s.named, make([]uint32, place-uint32(len(s.named)))...)
	s.named = append(grown(b, s.named, 1), uint32(len(n.op)))
	return len(label) == 0 || s.insert(label, place)
}

// Requires makes op wait until before is done. Both belong to the current rank. A cycle is not an
// error here, but the schedule then deadlocks.
func (b *Builder) Requires(op, before uint32) { b.depend(&b.done, op, before) }

// IRequires makes op wait until before has started, like Requires.
func (b *Builder) IRequires(op, before uint32) { b.depend(&b.starts, op, before) }

func (b *Builder) depend(e *edges, op, before uint32) {
	if b.err != nil {
		return
	}
	if len(b.s.first) == 0 {
		b.fail("a dependency before the first rank")
		return
	}
	// Both ends must exist already: a builder's mistake is named at its call, and not when it is
	// simulated.
	lo, hi := b.s.first[len(b.s.first)-1], uint32(len(b.s.ops))
	if op < lo || op >= hi || before < lo || before >= hi {
		b.fail("rank %d: operation %d cannot wait for %d: the rank has %d up to, but not "+
			"including, %d",
			b.rank(), op, before, lo, hi)
		return
	}
	*e = append(e.grown(1), edge{before, op})
}

// Build returns the schedule. The Builder must not be used afterwards.
func (b *Builder) Build() (*Schedule, error) {
	b.flush()
	if n := len(b.s.first); b.err == nil && uint64(n) != uint64(b.ranks) {
		b.fail("%d ranks were announced, %d came", b.ranks, n)
	}
	if b.err != nil {
		return nil, b.err
	}
	s := b.s
	// The schedule is immutable from now on. A Builder that went on would share its arrays.
	b.s = Schedule{}
	b.fail("the schedule is built already")
	n := uint32(len(s.ops))
	// One entry more than ranks, so that the end of each rank is the beginning of the next.
	s.first = append(s.first, n)
	s.cpus, s.nics = max(s.cpus, 1), max(s.nics, 1)
	s.done.close(n)
	s.started.close(n)
	return &s, nil
}

func (b *Builder) rank() int { return len(b.s.first) - 1 }

func (b *Builder) flush() {
	if b.err == nil && len(b.s.first) > 0 {
		b.sort(&b.done, &b.s.done)
		b.sort(&b.starts, &b.s.started)
	}
}

// sort appends the edges of the current rank to the successors: a counting sort that keeps the
// order of the edges of one predecessor.
func (b *Builder) sort(e *edges, s *successors) {
	if len(*e) == 0 {
		return
	}
	if uint64(len(s.to)+len(*e)) > maxOps {
		b.fail("rank %d: more than %d dependencies of one kind", b.rank(), uint32(maxOps))
		return
	}
	lo, n := b.s.first[b.rank()], len(b.s.ops)
	s.fill(lo)
	s.first = grown(b, s.first, n+1-int(lo))[:n]
	s.to = grown(b, s.to, len(*e))
	clear(s.first[lo:])
	for _, x := range *e {
		s.first[x.from]++
	}
	// of each operation's edges, which the second loop fills from their end
	end := uint32(len(s.to))
	for i := range s.first[lo:] {
		end += s.first[lo+uint32(i)]
		s.first[lo+uint32(i)] = end
	}
	s.to = s.to[:end]
	for _, x := range slices.Backward(*e) {
		s.first[x.from]--
		s.to[s.first[x.from]] = x.to
	}
	*e = (*e)[:0]
}

// append appends an edge, whose predecessor is not before those of other edges.
func (b *Builder) append(s *successors, from, to uint32) {
	if uint64(len(s.to)) >= maxOps {
		b.fail("rank %d: more than %d dependencies of one kind", b.rank(), uint32(maxOps))
		return
	}
	s.first = grown(b, s.first, int(from)+1-len(s.first))
	s.fill(from + 1)
	s.to = append(grown(b, s.to, 1), to)
}

// fill adds entries without edges up to operation n.
func (s *successors) fill(n uint32) {
	for uint32(len(s.first)) < n {
		s.first = append(s.first, uint32(len(s.to)))
	}
}

func (s *successors) close(n uint32) {
	if len(s.to) > 0 {
		s.fill(n + 1)
	}
}
