package schedule

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"

	"github.com/halfpeak/halfpeak/internal/memory"
)

// The binary form is what LogGOPSim's txt2bin writes; all numbers are little endian:
//
//	u64  magic
//	     from here on, offsets in the file count from 0:
//	u32  ranks
//	u8   highest cpu, u8 highest nic of all operations
//	     for each rank: u64 begin, u64 end of its part
//	     for each rank its part:
//	u32    operations n, u32 roots m
//	u32    m times: a root, an operation without dependencies; ascending
//	       n × 39 bytes: u32 dependencies, u8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
//	       u32 number of successors when done, u32 where they begin in the list,
//	       u32 number of successors when started, u32 where they begin in the list
//	u32    the list: for each operation its successors when done, then those when started
//
// It has no labels.
const (
	// txt2bin's constants; the second one marks a file that a simulator has used up. 39 is the
	// size of its packed struct.
	magic         = 4223
	magicConsumed = 2342
	nodeSize      = 39
)

var le = binary.LittleEndian

// WriteBinary writes the schedule in LogGOPSim's binary form of GOAL, the same bytes as its txt2bin
// writes from the output of WriteText. Labels are lost. A CPU or NIC above 255 is an error, since
// the form has 8 bits for each. Contexts are as in WriteText.
func (s *Schedule) WriteBinary(w io.Writer) error {
	tags, err := s.goalTags()
	if err != nil {
		return err
	}
	for op := range s.ops {
		// txt2bin would cut the number to 8 bits, and the simulation would use another processor.
		if o := &s.ops[op]; o.CPU > math.MaxUint8 || o.NIC > math.MaxUint8 {
			return fmt.Errorf("schedule: %s of rank %d (%q) has a cpu or nic above 255, the "+
				"largest that the binary form can hold; write text",
				s.Label(uint32(op)), s.RankOf(uint32(op)), s.ops[op])
		}
	}
	b := bufio.NewWriterSize(w, 1<<16)
	buf := le.AppendUint64(nil, magic)
	buf = le.AppendUint32(buf, uint32(s.Ranks()))
	buf = append(buf, uint8(s.cpus-1), uint8(s.nics-1))
	b.Write(buf)

	waits := s.Waits()
	// The table of ranks, whose offsets count from behind the magic: 6 bytes of head, 16 for
	// each rank.
	at := 6 + 16*uint64(s.Ranks())
	for rank := range s.Ranks() {
		buf = le.AppendUint64(buf[:0], at)
		lo, hi := s.Rank(rank)
		at += 8 + nodeSize*uint64(hi-lo)
		for op := lo; op < hi; op++ {
			at += 4 * uint64(waits[op])
			// A root: its number is listed.
			if waits[op] == 0 {
				at += 4
			}
		}
		b.Write(le.AppendUint64(buf, at))
	}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		s.writeRank(b, lo, waits[lo:hi], tags)
	}
	return b.Flush()
}

// writeRank writes the rank whose operations begin with lo; waits holds their numbers of
// dependencies, tags the tags in GOAL.
func (s *Schedule) writeRank(b *bufio.Writer, lo uint32, waits []uint32,
	tags map[tagged]uint32) {
	roots := uint32(0)
	for _, n := range waits {
		if n == 0 {
			roots++
		}
	}
	buf := le.AppendUint32(nil, uint32(len(waits)))
	b.Write(le.AppendUint32(buf, roots))
	for i, n := range waits {
		if n == 0 {
			b.Write(le.AppendUint32(buf[:0], uint32(i)))
		}
	}
	listed := uint32(0)
	for i, n := range waits {
		op := lo + uint32(i)
		o := s.ops[op].inGOAL(tags)
		buf = append(le.AppendUint32(buf[:0], n), uint8(o.Kind))
		buf = le.AppendUint32(buf, o.Peer)
		buf = le.AppendUint64(buf, o.Size)
		buf = append(le.AppendUint32(buf, o.Tag), uint8(o.CPU), uint8(o.NIC))
		// Both lists of an operation follow each other, so beginnings are sums of the lengths
		// before.
		for _, next := range [...][]uint32{s.done.list(op), s.started.list(op)} {
			buf = le.AppendUint32(buf, uint32(len(next)))
			buf = le.AppendUint32(buf, listed)
			listed += uint32(len(next))
		}
		b.Write(buf)
	}
	for i := range waits {
		op := lo + uint32(i)
		for _, next := range [...][]uint32{s.done.list(op), s.started.list(op)} {
			for _, succ := range next {
				b.Write(le.AppendUint32(buf[:0], succ-lo))
			}
		}
	}
}

// A binaryReader reads the binary form from beginning to end. It trusts no count before it has read
// the counted elements.
type binaryReader struct {
	r    *bufio.Reader
	name string
	rest []byte // of what r has buffered, whose first used bytes it still holds
	used int
	at   int64 // offset in the file
	part int   // the rank being read; −1 for the table of ranks, −2 for the head
	err  error
	b    *Builder

	// Of the current rank:
	roots, waits []uint32
	nodes        []node
}

// node holds the fields of an operation that Op does not have.
type node struct{ waits, done, started uint32 }

func readBinary(r *bufio.Reader, name string, read func() float64) (*Schedule, error) {
	p := binaryReader{r: r, name: name, part: -2}
	p.next(8) // the magic
	head := p.next(6)
	if p.err != nil {
		return nil, p.err
	}
	ranks, cpus, nics := le.Uint32(head), int(head[4])+1, int(head[5])+1
	if ranks == 0 {
		return nil, p.errorf(8, "the number of ranks is 0; a schedule has at least one")
	}
	ends := p.table(ranks)
	p.b = NewBuilder(int(ranks))
	if read != nil {
		used := func() float64 { p.discard(); return read() }
		table := used() // which has no operations
		p.b.read = func() float64 { return (used() - table) / max(1-table, 1e-9) }
	}
	for rank, end := range ends {
		if p.part = rank; p.err == nil {
			p.rank(int64(end) + 8)
		}
	}
	p.discard()
	// Bytes behind the end mean that the file is another one than its head says.
	if _, err := r.Peek(1); p.err == nil && err != io.EOF {
		p.fail(p.at, "the last rank ends here, but the file goes on")
	}
	// A simulator reserves resources by the head. If it disagrees with the operations, the file
	// is damaged.
	if s := &p.b.s; p.err == nil && (cpus != max(s.cpus, 1) || nics != max(s.nics, 1)) {
		p.fail(12, "the highest cpu and nic should be %d and %d, but are %d and %d", cpus-1, nics-1,
			max(s.cpus, 1)-1, max(s.nics, 1)-1)
	}
	if p.err != nil {
		return nil, p.err
	}
	s, err := p.b.Build()
	if err != nil {
		return nil, p.errorf(p.at, "%w", err)
	}
	return s, nil
}

func (p *binaryReader) errorf(at int64, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{p.name, at}, args...)...)
}

func (p *binaryReader) fail(at int64, format string, args ...any) {
	if p.err == nil {
		p.err = p.errorf(at, format, args...)
	}
}

// next returns the next n bytes, at most the size of the buffer; nil after an error. They are valid
// until the next call.
func (p *binaryReader) next(n int) []byte {
	if p.err != nil {
		return nil
	}
	if n > len(p.rest) {
		p.discard()
		got, err := p.r.Peek(n)
		if err != nil {
			if err == io.EOF || err == io.ErrUnexpectedEOF {
				part := [...]string{"the head", "the table of ranks",
					fmt.Sprintf("rank %d", p.part)}[min(p.part+2, 2)]
				err = fmt.Errorf("the file ends in %s; is it truncated?", part)
			}
			p.fail(p.at+int64(len(got)), "%w", err)
			return nil
		}
		p.rest, _ = p.r.Peek(p.r.Buffered())
	}
	got := p.rest[:n]
	p.rest = p.rest[n:]
	p.used += n
	p.at += int64(n)
	return got
}

// discard makes r drop the used part of its buffer.
func (p *binaryReader) discard() {
	p.r.Discard(p.used)
	p.used = 0
}

// records reads n records of size bytes, a buffer at a time, and calls use with each record and its
// offset. It ends with the first error.
func (p *binaryReader) records(n uint32, size int, use func(b []byte, at int64)) {
	for n > 0 && p.err == nil {
		some, at := n, p.at
		if int(n)*size > p.r.Size() {
			some = uint32(p.r.Size() / size)
		}
		for b := p.next(int(some) * size); len(b) > 0 && p.err == nil; b, at = b[size:],
			at+int64(size) {
			use(b[:size:size], at)
		}
		n -= some
	}
}

func (p *binaryReader) table(ranks uint32) (ends []uint64) {
	p.part = -1
	begin := 6 + 16*uint64(ranks)
	p.records(ranks, 16, func(b []byte, at int64) {
		from, to := le.Uint64(b), le.Uint64(b[8:])
		// Parts follow each other without gaps, as txt2bin writes them. Eight bytes are the least
		// of a part: its two counts.
		if from != begin || to < from+8 || to > math.MaxInt64-8 {
			p.fail(at, "rank %d should begin at %d and end after that, but is from %d to %d",
				len(ends), begin, from, to)
		}
		if len(ends) == cap(ends) { // the entries read bound the memory, not the claimed number
			ends = append(memory.Make[uint64](min(int(ranks), 4*len(ends)+1<<12))[:0], ends...)
		}
		ends = append(ends, to)
		begin = to
	})
	return ends
}

func (p *binaryReader) rank(end int64) {
	begin := p.at
	head := p.next(8)
	if head == nil {
		return
	}
	n, m := le.Uint32(head), le.Uint32(head[4:])
	// Checked before anything is allocated for the counts: a damaged one could be four billion.
	if least := p.at + 4*int64(m) + nodeSize*int64(n); least > end {
		p.fail(begin, "rank %d ends at %d, but %d operations and %d roots need at least until %d",
			p.part, end, n, m, least)
	}
	p.roots, p.nodes = p.roots[:0], p.nodes[:0]
	p.records(m, 4, func(b []byte, _ int64) { p.roots = append(p.roots, le.Uint32(b)) })
	p.b.NextRank()
	nodes, listed, roots := p.at, uint32(0), p.roots
	p.records(n, nodeSize, func(b []byte, at int64) { roots = p.node(b, at, &listed, roots) })
	// node takes each root off the list when it comes to it. What remains was never met.
	if len(roots) > 0 {
		p.fail(begin+8,
			"the list of roots of rank %d is not ascending, or has an operation that does not "+
				"exist", p.part)
	}
	if p.err != nil {
		return
	}
	p.waits = append(p.waits[:0], make([]uint32, n)...)
	p.successors(listed)
	for i, node := range p.nodes {
		if node.waits != p.waits[i] {
			p.fail(nodes+nodeSize*int64(i),
				"operation %d of rank %d should wait for %d operations, but %d name it as "+
					"successor", i, p.part, node.waits, p.waits[i])
		}
	}
	if p.at != end {
		p.fail(p.at, "rank %d should end at %d, but ends here", p.part, end)
	}
}

func (p *binaryReader) node(b []byte, at int64, listed *uint32, roots []uint32) []uint32 {
	// Offsets as in the layout above: 4+1+4+8+4+1+1 = 23 bytes come before the successors.
	n := node{waits: le.Uint32(b), done: le.Uint32(b[23:]), started: le.Uint32(b[31:])}
	atDone, atStarted := le.Uint32(b[27:]), le.Uint32(b[35:])
	// LogGOPSim would follow any place in the list; txt2bin writes them in order, and with that
	// the list can be read as a stream.
	if atDone != *listed || atStarted != *listed+n.done ||
		uint64(atStarted)+uint64(n.started) > math.MaxUint32 {
		p.fail(at+23, "the successors should begin at %d and %d of the list, but do at %d and %d",
			*listed, *listed+n.done, atDone, atStarted)
	}
	*listed += n.done + n.started
	i := uint32(len(p.nodes))
	isRoot := len(roots) > 0 && roots[0] == i
	if isRoot {
		roots = roots[1:]
	}
	p.nodes = append(p.nodes, n)
	if p.err == nil {
		p.b.Add(Op{Kind: Kind(b[4]), Peer: le.Uint32(b[5:]), Size: le.Uint64(b[9:]),
			Tag: le.Uint32(b[17:]), CPU: uint16(b[21]), NIC: uint16(b[22])})
	}
	if err := p.b.Err(); err != nil {
		p.fail(at, "%w", err)
	}
	// A simulator starts the roots of the list. One that is missing would never start, and its
	// whole rank would wait.
	if isRoot != (n.waits == 0) {
		p.fail(at,
			"operation %d of rank %d has %d dependencies, which does not agree with the list "+
				"of roots before it", i, p.part, n.waits)
	}
	return roots
}

// successors reads the list, which is in the order of the operations.
func (p *binaryReader) successors(listed uint32) {
	n, first, s := uint32(len(p.nodes)), p.b.s.first[p.part], &p.b.s
	i, left := uint32(0), node{} // of operation i − 1
	p.records(listed, 4, func(b []byte, at int64) {
		for left.done+left.started == 0 {
			left = p.nodes[i]
			i++
		}
		to, e := le.Uint32(b), &s.done
		if left.done > 0 {
			left.done--
		} else {
			left.started--
			e = &s.started
		}
		// A dependency between ranks does not exist in GOAL.
		if to >= n {
			p.fail(at, "operation %d has successor %d, but the rank has only %d operations", i-1,
				to, n)
			return
		}
		p.waits[to]++
		p.b.append(e, first+i-1, first+to)
	})
	if err := p.b.Err(); err != nil {
		p.fail(p.at, "%w", err)
	}
}
