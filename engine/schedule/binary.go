package schedule

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"math"
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
//	       n times 39 bytes: u32 dependencies, u8 kind, u32 peer, u64 size, u32 tag, u8 cpu, u8 nic,
//	       u32 number of successors when done, u32 where they begin in the list,
//	       u32 number of successors when started, u32 where they begin in the list
//	u32    the list: for each operation its successors when done, then those when started
//
// It has no labels.
const (
	magic         = 4223
	magicConsumed = 2342
	nodeSize      = 39
)

// WriteBinary writes the schedule in the binary form of GOAL that LogGOPSim
// reads, the same bytes as its txt2bin writes from WriteText's. Labels are lost,
// and a CPU or NIC above 255 is an error: the form has 8 bits for them.
func (s *Schedule) WriteBinary(w io.Writer) error {
	for op := range s.ops {
		if o := &s.ops[op]; o.CPU > math.MaxUint8 || o.NIC > math.MaxUint8 {
			return fmt.Errorf("schedule: %s of rank %d (%q) has a cpu or nic above 255, the largest that the binary form can hold; write text",
				s.Label(uint32(op)), s.RankOf(uint32(op)), s.ops[op])
		}
	}
	b := bufio.NewWriterSize(w, 1<<16)
	le := binary.LittleEndian
	buf := le.AppendUint64(nil, magic)
	buf = le.AppendUint32(buf, uint32(s.Ranks()))
	buf = append(buf, uint8(s.cpus-1), uint8(s.nics-1))
	b.Write(buf)

	waits := s.Waits()
	at := 6 + 16*uint64(s.Ranks())
	for rank := range s.Ranks() {
		buf = le.AppendUint64(buf[:0], at)
		lo, hi := s.Rank(rank)
		at += 8 + nodeSize*uint64(hi-lo)
		for op := lo; op < hi; op++ {
			at += 4 * uint64(waits[op])
			if waits[op] == 0 {
				at += 4
			}
		}
		b.Write(le.AppendUint64(buf, at))
	}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		roots := uint32(0)
		for _, n := range waits[lo:hi] {
			if n == 0 {
				roots++
			}
		}
		buf = le.AppendUint32(buf[:0], hi-lo)
		b.Write(le.AppendUint32(buf, roots))
		for i, n := range waits[lo:hi] {
			if n == 0 {
				b.Write(le.AppendUint32(buf[:0], uint32(i)))
			}
		}
		listed := uint32(0)
		for op := lo; op < hi; op++ {
			o := &s.ops[op]
			buf = le.AppendUint32(buf[:0], waits[op])
			buf = append(buf, uint8(o.Kind))
			buf = le.AppendUint32(buf, o.Peer)
			buf = le.AppendUint64(buf, o.Size)
			buf = le.AppendUint32(buf, o.Tag)
			buf = append(buf, uint8(o.CPU), uint8(o.NIC))
			for _, next := range [...][]uint32{s.done.list(op), s.started.list(op)} {
				buf = le.AppendUint32(buf, uint32(len(next)))
				buf = le.AppendUint32(buf, listed)
				listed += uint32(len(next))
			}
			b.Write(buf)
		}
		for op := lo; op < hi; op++ {
			for _, next := range [...][]uint32{s.done.list(op), s.started.list(op)} {
				for _, succ := range next {
					b.Write(le.AppendUint32(buf[:0], succ-lo))
				}
			}
		}
	}
	return b.Flush()
}

// A binaryReader reads the binary form from front to end. It believes no number
// before it has seen what the number counts.
type binaryReader struct {
	r    *bufio.Reader
	name string
	at   int64 // offset in the file
	part string
	err  error
	b    *Builder

	// Of the current rank:
	roots, waits []uint32
	nodes        []node
}

// node holds the fields of an operation that are not in Op.
type node struct{ waits, done, started uint32 }

func readBinary(r *bufio.Reader, name string, read func() float64) (*Schedule, error) {
	p := binaryReader{r: r, name: name, part: "the head"}
	p.next(8) // the magic
	head := p.next(6)
	if p.err != nil {
		return nil, p.err
	}
	ranks := binary.LittleEndian.Uint32(head)
	if ranks == 0 {
		return nil, p.errorf(8, "the number of ranks is 0; a schedule has at least one")
	}
	cpus, nics := int(head[4])+1, int(head[5])+1
	ends := p.table(ranks)
	p.b = NewBuilder(int(ranks))
	p.b.read = read
	for rank := range ends {
		p.rank(rank, int64(ends[rank])+8)
	}
	if _, err := r.Peek(1); p.err == nil && err != io.EOF {
		p.fail(p.at, "the last rank ends here, but the file goes on")
	}
	if s := &p.b.s; p.err == nil && (cpus != max(s.cpus, 1) || nics != max(s.nics, 1)) {
		p.fail(12, "the highest cpu and nic should be %d and %d, but are %d and %d", cpus-1, nics-1, max(s.cpus, 1)-1, max(s.nics, 1)-1)
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

// zeros stands for what cannot be read; there is an error then.
var zeros [nodeSize]byte

// next reads n bytes, up to nodeSize of them. They are valid until the next call.
func (p *binaryReader) next(n int) []byte {
	if p.err != nil {
		return zeros[:n]
	}
	got, err := p.r.Peek(n)
	if err != nil {
		if err == io.EOF {
			err = fmt.Errorf("the file ends in %s; is it cut?", p.part)
		}
		p.fail(p.at+int64(len(got)), "%w", err)
		return zeros[:n]
	}
	p.r.Discard(n)
	p.at += int64(n)
	return got
}

func (p *binaryReader) u32() uint32 { return binary.LittleEndian.Uint32(p.next(4)) }

// table reads where the ranks begin and end. It returns the ends.
func (p *binaryReader) table(ranks uint32) []uint64 {
	p.part = "the table of ranks"
	begin := 6 + 16*uint64(ranks)
	var ends []uint64
	for rank := range ranks {
		row := p.next(16)
		from, to := binary.LittleEndian.Uint64(row), binary.LittleEndian.Uint64(row[8:])
		if from != begin || to < from+8 || to > math.MaxInt64-8 {
			p.fail(p.at-16, "rank %d should begin at %d and end after that, but is from %d to %d", rank, begin, from, to)
		}
		if p.err != nil {
			return nil
		}
		ends = append(ends, to)
		begin = to
	}
	return ends
}

// rank reads one rank, which ends at the offset end.
func (p *binaryReader) rank(rank int, end int64) {
	p.part = fmt.Sprintf("rank %d", rank)
	begin := p.at
	n, m := p.u32(), p.u32()
	if least := p.at + 4*int64(m) + nodeSize*int64(n); least > end {
		p.fail(begin, "rank %d ends at %d, but %d operations and %d roots need at least until %d", rank, end, n, m, least)
	}
	p.roots = p.roots[:0]
	for range m {
		if p.roots = append(p.roots, p.u32()); p.err != nil {
			return
		}
	}
	p.b.NextRank()
	first := uint32(len(p.b.s.ops))
	p.nodes = p.nodes[:0]
	nodes := p.at
	listed, root := uint32(0), 0
	for i := range n {
		p.node(&listed)
		if err := p.b.Err(); p.err == nil && err != nil {
			p.fail(p.at-nodeSize, "%w", err)
		}
		if p.err != nil {
			return
		}
		isRoot := root < len(p.roots) && p.roots[root] == i
		if isRoot {
			root++
		}
		if isRoot != (p.nodes[i].waits == 0) {
			p.fail(p.at-nodeSize, "operation %d of rank %d has %d dependencies, which does not agree with the list of roots before it", i, rank, p.nodes[i].waits)
			return
		}
	}
	if root < len(p.roots) {
		p.fail(begin+8, "the list of roots of rank %d is not ascending, or has an operation that does not exist", rank)
	}
	p.waits = append(p.waits[:0], make([]uint32, n)...)
	for i := range n {
		p.successors(&p.b.done, p.nodes[i].done, first, i, n)
		p.successors(&p.b.starts, p.nodes[i].started, first, i, n)
		if p.err != nil {
			return
		}
	}
	for i, node := range p.nodes {
		if node.waits != p.waits[i] {
			p.fail(nodes+nodeSize*int64(i), "operation %d of rank %d should wait for %d others, but %d name it as successor", i, rank, node.waits, p.waits[i])
		}
	}
	if p.at != end {
		p.fail(p.at, "rank %d should end at %d, but ends here", rank, end)
	}
}

// node reads one operation.
func (p *binaryReader) node(listed *uint32) {
	b := p.next(nodeSize)
	le := binary.LittleEndian
	n := node{waits: le.Uint32(b), done: le.Uint32(b[23:]), started: le.Uint32(b[31:])}
	atDone, atStarted := le.Uint32(b[27:]), le.Uint32(b[35:])
	if atDone != *listed || atStarted != *listed+n.done {
		p.fail(p.at-nodeSize+23, "the successors should begin at %d and %d of the list, but do at %d and %d", *listed, *listed+n.done, atDone, atStarted)
	}
	*listed += n.done + n.started
	p.nodes = append(p.nodes, n)
	if p.err == nil {
		p.b.Add(Op{Kind: Kind(b[4]), Peer: le.Uint32(b[5:]), Size: le.Uint64(b[9:]), Tag: le.Uint32(b[17:]), CPU: uint16(b[21]), NIC: uint16(b[22])})
	}
}

// successors reads the successors of one kind of operation i of n.
func (p *binaryReader) successors(e *edges, count, first, i, n uint32) {
	for range count {
		to := p.u32()
		if to >= n {
			p.fail(p.at-4, "operation %d has successor %d, but the rank has only %d operations", i, to, n)
		}
		if p.err != nil {
			return
		}
		p.waits[to]++
		*e = append(grown(p.b, *e, 1), edge{first + i, first + to})
	}
}
