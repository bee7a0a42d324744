package collective

import (
	"math"
	"slices"
)

// Algorithms say what moves, not what waits for what: a member's memory is cut into
// slots, and send, recv, fold, copy and combine name the slots that they read and
// write. From that follow the sizes of messages and their dependencies: a send waits
// for the operations that brought what it carries. The order of the calls decides
// what it carries, as in a program whose receives have buffers of their own: a
// receive that comes later in the part does not change it.
//
// The same calls tell a watcher what moves, so that a test can follow the data.

// A span is the slots lo, lo+1 … hi−1.
type span struct{ lo, hi int }

func slot(i int) span { return span{i, i + 1} }

// memory is the slots of one member, with the operations that brought what is in
// them.
type memory struct {
	at    func(slot int) uint64 // where a slot begins, in bytes; that after the last where it ends
	wrote []int32               // by slot: one more than an index into nodes; 0 if it has what it began with
	nodes []node
}

// A node is an operation that brought some of what a slot has, and one more than the
// index of the node of those before.
type node struct {
	op    uint32
	older int32
}

// none stands for no calc.
const none = math.MaxUint32

// A watcher sees the movement of data of each member, in the order of its part.
type watcher interface {
	begin(place, slots int, at func(int) uint64)
	sent(op, tag uint32, to int, from []span)
	// received is a receive into slots. With fold it is combined with what they have, by
	// calc if that is not none.
	received(op, tag uint32, from int, to []span, fold bool, calc uint32)
	// moved copies slots, or combines them with what the target has.
	moved(to, from span, fold bool, calc uint32)
}

func (m *memory) reset() {
	m.at, m.wrote, m.nodes = nil, m.wrote[:0], m.nodes[:0]
}

// cut gives the member so many slots; at says where each begins. A part is cut once,
// before anything moves.
func (p *Part) cut(slots int, at func(int) uint64) {
	p.reset()
	p.at = at
	p.wrote = slices.Grow(p.wrote, slots)[:slots]
	clear(p.wrote)
	if p.watch != nil {
		p.watch.begin(p.Place, slots, at)
	}
}

// blocks cuts into n slots of Bytes each.
func (p *Part) blocks(n int) {
	p.cut(n, func(i int) uint64 { return uint64(i) * p.Bytes })
}

// element is the size of an element, at least 1 byte.
func (p *Part) element() uint64 { return max(p.Element, 1) }

// elements is how many the message has, the last perhaps not whole.
func (p *Part) elements() uint64 { return (p.Bytes + p.element() - 1) / p.element() }

// shares cuts Bytes into n slots that differ by at most one element, the larger ones
// first.
func (p *Part) shares(n int) {
	p.cut(n, p.shared(0, p.elements(), n))
}

// shared are the borders of n shares of so many elements from the element first on.
func (p *Part) shared(first, elements uint64, n int) func(int) uint64 {
	each, more := elements/uint64(n), elements%uint64(n)
	size, end := p.element(), p.Bytes
	return func(i int) uint64 {
		return min((first+uint64(i)*each+min(uint64(i), more))*size, end)
	}
}

// portions cuts Bytes into n slots of ⌈elements/n⌉ elements; the last ones have what
// remains, perhaps nothing.
func (p *Part) portions(n int) {
	each := (p.elements() + uint64(n) - 1) / uint64(n) * p.element()
	p.cut(n, func(i int) uint64 { return min(uint64(i)*each, p.Bytes) })
}

// segment is the size of a segment of a message of so many bytes, at least one
// element.
func (p *Part) segment(bytes uint64) uint64 {
	if p.Segment == 0 || p.Segment >= bytes {
		return max(bytes, 1)
	}
	return max(p.Segment/p.element(), 1) * p.element()
}

// segments cuts Bytes into slots of a segment each, and returns how many there are, at
// least 1.
func (p *Part) segments() int {
	size := p.segment(p.Bytes)
	n := max(int((p.Bytes+size-1)/size), 1)
	p.cut(n, func(i int) uint64 { return min(uint64(i)*size, p.Bytes) })
	return n
}

func (p *Part) size(spans []span) (bytes uint64) {
	for _, s := range spans {
		bytes += p.at(s.hi) - p.at(s.lo)
	}
	return bytes
}

// send adds a send of slots to the member at a place.
func (p *Part) send(to int, from ...span) uint32 {
	op := p.Send(p.size(from), to)
	p.waitForWriters(op, from)
	if p.watch != nil {
		p.watch.sent(op, p.Tag, to, slices.Clone(from))
	}
	return op
}

// recv adds a receive into slots, in place of what they had.
func (p *Part) recv(from int, to ...span) uint32 {
	op := p.Recv(p.size(to), from)
	p.setWriter(op, to)
	if p.watch != nil {
		p.watch.received(op, p.Tag, from, slices.Clone(to), false, none)
	}
	return op
}

// fold adds a receive that is combined with what the slots have. It can come before
// what it is combined with.
func (p *Part) fold(from int, to ...span) uint32 { return p.folds(from, false, to) }

// foldNext is fold, but the receive waits for what it is combined with.
func (p *Part) foldNext(from int, to ...span) uint32 { return p.folds(from, true, to) }

func (p *Part) folds(from int, next bool, to []span) uint32 {
	bytes := p.size(to)
	op := p.Recv(bytes, from)
	if next {
		p.waitForWriters(op, to)
	}
	calc := p.calc(bytes)
	switch {
	case calc != none:
		p.Requires(calc, op)
		p.waitForWriters(calc, to)
		p.setWriter(calc, to)
	case next:
		p.setWriter(op, to)
	default:
		p.addWriter(op, to)
	}
	if p.watch != nil {
		p.watch.received(op, p.Tag, from, slices.Clone(to), true, calc)
	}
	return op
}

// calc adds the time to combine so many bytes, if it is any.
func (p *Part) calc(bytes uint64) uint32 {
	if t := math.Round(p.Gamma * float64(bytes)); t > 0 {
		return p.Calc(uint64(t))
	}
	return none
}

// copy lets slots have what others, as many, have; it takes no time.
func (p *Part) copy(to, from span) {
	copy(p.wrote[to.lo:to.hi], p.wrote[from.lo:from.hi])
	if p.watch != nil {
		p.watch.moved(to, from, false, none)
	}
}

// combine combines slots with others, as many.
func (p *Part) combine(to, from span) {
	calc := p.calc(p.at(to.hi) - p.at(to.lo))
	if calc != none {
		p.waitForWriters(calc, []span{from, to})
		p.setWriter(calc, []span{to})
	} else {
		for i := range to.hi - to.lo {
			for n := p.wrote[from.lo+i]; n > 0; n = p.nodes[n-1].older {
				p.addWriter(p.nodes[n-1].op, []span{slot(to.lo + i)})
			}
		}
	}
	if p.watch != nil {
		p.watch.moved(to, from, true, calc)
	}
}

// waitForWriters lets an operation wait for what brought the slots' contents.
func (p *Part) waitForWriters(op uint32, spans []span) {
	var last int32
	for _, s := range spans {
		for _, n := range p.wrote[s.lo:s.hi] {
			if n == last {
				continue
			}
			for last = n; n > 0; n = p.nodes[n-1].older {
				p.requireOnce(op, p.nodes[n-1].op)
			}
		}
	}
}

// requireOnce is Requires, once for each pair in a row.
func (p *Part) requireOnce(op, before uint32) {
	if p.b.Err() != nil || p.ops[before-p.first].asked == op+1 {
		return
	}
	p.ops[before-p.first].asked = op + 1
	if !slices.Contains(p.gate, before) {
		p.Requires(op, before)
	}
}

// setWriter notes that an operation brought all that the slots have.
func (p *Part) setWriter(op uint32, spans []span) {
	p.nodes = append(p.nodes, node{op: op})
	for _, s := range spans {
		for i := s.lo; i < s.hi; i++ {
			p.wrote[i] = int32(len(p.nodes))
		}
	}
}

// addWriter notes that an operation brought some of what the slots have.
func (p *Part) addWriter(op uint32, spans []span) {
	for _, s := range spans {
		last, to := int32(-1), int32(0)
		for i := s.lo; i < s.hi; i++ {
			if p.wrote[i] != last {
				last = p.wrote[i]
				p.nodes = append(p.nodes, node{op, last})
				to = int32(len(p.nodes))
			}
			p.wrote[i] = to
		}
	}
}

// around are n slots from lo on of a circle of size slots.
func around(lo, n, size int) []span {
	lo = (lo%size + size) % size
	if lo+n <= size {
		return []span{{lo, lo + n}}
	}
	return []span{{lo, size}, {0, lo + n - size}}
}
