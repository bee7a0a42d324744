package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/list"
)

// Algorithms state the movement of data, and the dependencies follow from it. A member's memory is
// cut into slots; send, recv, fold, copy and combine name the slots that they read and write. The
// slots determine the sizes of messages, and their dependencies: a send waits for the operations
// that wrote its slots. The order of the calls determines the contents of a send, as if each
// receive had its own buffer: a later receive does not change them.
//
// The same calls report each movement to a watcher, by which tests follow the data.

// cut divides the rank's buffer into slots; slot i starts at byte at(i). A part is cut once, before
// any data move.
func (p *member) cut(slots int, at func(int) uint64) {
	p.reset()
	p.at = at
	p.wrote = slices.Grow(p.wrote, slots)[:slots]
	clear(p.wrote)
	p.used = slices.Grow(p.used, slots)[:slots]
	clear(p.used)
	if p.watch != nil {
		p.watch.begin(p.Place, slots, at)
	}
}

// blocks divides the rank's buffer into n slots of Bytes bytes each, or of the sizes of Blocks.
func (p *member) blocks(n int) {
	if p.Blocks == nil {
		p.cut(n, func(i int) uint64 { return uint64(i) * p.Bytes })
		return
	}
	ends := make([]uint64, n+1)
	for i := range n {
		ends[i+1] = ends[i] + p.Blocks[i]
	}
	p.cut(n, func(i int) uint64 { return ends[i] })
}

// shares divides Bytes into n slots that differ by at most one element, the larger slots first.
func (p *member) shares(n int) {
	p.cut(n, p.shared(0, p.elements(), n))
}

// shared returns the borders in bytes of n shares of the elements from first on.
func (c Call) shared(first, elements uint64, n int) func(int) uint64 {
	each, more := elements/uint64(n), elements%uint64(n)
	size, end := c.element(), c.Bytes
	return func(i int) uint64 {
		return min((first+uint64(i)*each+min(uint64(i), more))*size, end)
	}
}

// portions divides Bytes into n slots of ⌈elements/n⌉ elements. The last slots are
// shorter or empty.
func (p *member) portions(n int) {
	each := (p.elements() + uint64(n) - 1) / uint64(n) * p.element()
	p.cut(n, func(i int) uint64 { return min(uint64(i)*each, p.Bytes) })
}

func (p *member) segment(bytes uint64) uint64 {
	if p.Segment == 0 || p.Segment >= bytes {
		return max(bytes, 1)
	}
	return max(p.Segment/p.element(), 1) * p.element()
}

// segments divides Bytes into slots of one segment each, and returns their number, at least 1.
func (p *member) segments() int {
	size := p.segment(p.Bytes)
	n := max(int((p.Bytes+size-1)/size), 1)
	p.cut(n, func(i int) uint64 { return min(uint64(i)*size, p.Bytes) })
	p.inOrder = n > 1
	return n
}

// halves divides Bytes into two halves of whole elements, the first one rounded up, each into slots
// of one segment.
func (p *member) halves() [2]span {
	first := min((p.elements()+1)/2*p.element(), p.Bytes)
	size := p.segment(first)
	left := max(int((first+size-1)/size), 1)
	all := left + max(int((p.Bytes-first+size-1)/size), 1)
	p.cut(all, func(i int) uint64 {
		if i <= left {
			return min(uint64(i)*size, first)
		}
		return min(first+uint64(i-left)*size, p.Bytes)
	})
	p.inOrder = all > 2
	return [2]span{{0, left}, {left, all}}
}

func (p *member) size(spans []span) (bytes uint64) {
	for _, s := range spans {
		bytes += p.at(s.end) - p.at(s.first)
	}
	return bytes
}

// empty reports whether the slots hold nothing, so that they need no message. In a call of 0 bytes,
// as benchmarks make them, all messages are empty, and are sent.
func (p *member) empty(spans ...span) bool {
	return p.size(spans) == 0 && (p.Blocks != nil || p.Bytes > 0)
}

// send adds a send of the slots to a place. It waits for the operations that wrote them.
func (p *member) send(to int, from ...span) uint32 {
	op := p.addSend(p.size(from), to)
	p.waitForWriters(op, from)
	if p.inOrder {
		p.waitForTurn(op, to)
	}
	p.markSent(op, from)
	if p.watch != nil {
		p.watch.sent(op, p.Tag, to, slices.Clone(from))
	}
	return op
}

// waitForTurn makes the send of a segment wait until the previous one to the same place has begun.
// Libraries take segments in order. Without that, the last one, which may be short, could arrive,
// and be passed on, before the previous one, and match its receive.
func (p *member) waitForTurn(op uint32, to int) {
	for i := range p.sends {
		if s := &p.sends[i]; s.to == to && s.tag == p.Tag {
			p.b.IRequires(op, s.last)
			s.last = op
			return
		}
	}
	p.sends = append(p.sends, lastSend{to, p.Tag, op})
}

// sendBlocking is like send, but also waits for the member's previous blocking call.
func (p *member) sendBlocking(to int, from ...span) uint32 { return p.block(p.send(to, from...)) }

// block makes a send or receive wait for the previous blocking one.
func (p *member) block(op uint32) uint32 {
	if p.call > 0 {
		p.requireOnce(op, p.call-1)
	}
	p.call = op + 1
	return op
}

// recv adds a receive from a place that overwrites the slots.
func (p *member) recv(from int, to ...span) uint32 {
	op := p.addRecv(p.size(to), from)
	p.setWriter(op, to)
	p.markReceived(op, to)
	if p.watch != nil {
		p.watch.received(op, p.Tag, from, slices.Clone(to), false, none)
	}
	return op
}

// fold adds a receive whose data are combined with the slots' contents. It may end before these
// contents are complete.
func (p *member) fold(from int, to ...span) uint32 { return p.folds(from, false, to) }

// foldNext is like fold, but the receive waits for the slots' contents.
func (p *member) foldNext(from int, to ...span) uint32 { return p.folds(from, true, to) }

func (p *member) folds(from int, next bool, to []span) uint32 {
	bytes := p.size(to)
	op := p.addRecv(bytes, from)
	if next {
		p.waitForWriters(op, to)
	}
	calc := p.calc(bytes)
	p.markCombined(to)
	switch {
	case calc != none:
		p.requires(calc, op)
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

func (p *member) calc(bytes uint64) uint32 {
	if t := math.Round(p.Gamma * float64(bytes)); t > 0 {
		return p.addCalc(uint64(t))
	}
	return none
}

// copy copies slots to the same number of other slots, in no time.
func (p *member) copy(to, from span) {
	copy(p.wrote[to.first:to.end], p.wrote[from.first:from.end])
	copy(p.used[to.first:to.end], p.used[from.first:from.end])
	if p.watch != nil {
		p.watch.moved(to, from, false, none)
	}
}

func (p *member) combine(to, from span) {
	calc := p.calc(p.at(to.end) - p.at(to.first))
	p.markCombined([]span{to})
	if calc != none {
		p.waitForWriters(calc, []span{from, to})
		p.setWriter(calc, []span{to})
	} else {
		for i := range to.end - to.first {
			for n := p.wrote[from.first+i]; n > 0; n = p.nodes[n-1].older {
				p.addWriter(p.nodes[n-1].op, []span{slot(to.first + i)})
			}
		}
	}
	if p.watch != nil {
		p.watch.moved(to, from, true, calc)
	}
}

// markSent notes that op sends the slots. A program calls a collective again and again with the
// same buffers, so a receive whose slots are sent later is a relay, as is one whose slots were sent
// before: inner members of trees and rings relay. What a member has combined is fresh.
func (p *member) markSent(op uint32, spans []span) {
	for _, s := range spans {
		for i := s.first; i < s.end; i++ {
			u := &p.used[i]
			if u.received > 0 {
				p.b.SetMemory(u.received-1, schedule.Relay)
			}
			if u.combined {
				p.b.SetMemory(op, schedule.Fresh)
			}
			u.sent, u.combined = true, false
		}
	}
}

// markReceived notes that op receives into the slots.
func (p *member) markReceived(op uint32, spans []span) {
	for _, s := range spans {
		for i := s.first; i < s.end; i++ {
			if p.used[i].sent {
				p.b.SetMemory(op, schedule.Relay)
			}
			p.used[i] = slotUse{received: op + 1, sent: p.used[i].sent}
		}
	}
}

// markCombined notes that the member writes the slots itself. The data that it combines come into
// other memory, which is never sent.
func (p *member) markCombined(spans []span) {
	for _, s := range spans {
		for i := s.first; i < s.end; i++ {
			p.used[i] = slotUse{combined: true, sent: p.used[i].sent}
		}
	}
}

// waitForWriters makes an operation wait for the operations that wrote the slots.
func (p *member) waitForWriters(op uint32, spans []span) {
	var last int32
	for _, s := range spans {
		for _, n := range p.wrote[s.first:s.end] {
			if n == last {
				continue
			}
			for last = n; n > 0; n = p.nodes[n-1].older {
				p.requireOnce(op, p.nodes[n-1].op)
			}
		}
	}
}

// requireOnce is requires, but skips a pair that it has just added.
func (p *member) requireOnce(op, before uint32) {
	if p.b.Err() != nil || p.ops[before-p.first].asked == op+1 {
		return
	}
	p.ops[before-p.first].asked = op + 1
	if !slices.Contains(p.gate, before) {
		p.requires(op, before)
	}
}

func (p *member) setWriter(op uint32, spans []span) {
	p.nodes = append(p.nodes, node{op: op})
	for _, s := range spans {
		for i := s.first; i < s.end; i++ {
			p.wrote[i] = int32(len(p.nodes))
		}
	}
}

func (p *member) addWriter(op uint32, spans []span) {
	for _, s := range spans {
		last, to := int32(-1), int32(0)
		for i := s.first; i < s.end; i++ {
			if p.wrote[i] != last {
				last = p.wrote[i]
				p.nodes = append(p.nodes, node{op, last})
				to = int32(len(p.nodes))
			}
			p.wrote[i] = to
		}
	}
}

// circularSpans returns the n slots from lo on, in a circle of size slots.
func circularSpans(lo, n, size int) []span {
	lo = (lo%size + size) % size
	if lo+n <= size {
		return []span{{lo, lo + n}}
	}
	return []span{{lo, size}, {0, lo + n - size}}
}

// A branch is a member with its neighbours in a tree, by their places; parent is −1 for the root.
type branch struct {
	parent   int
	children []int
}

// at returns the member's branch of the tree.
func (t tree) at(p *member) branch { return branchOf(t, p, p.virtual(), p.real) }

// branchOf returns the branch of the virtual place v; place returns the places of virtual ones.
func branchOf(t tree, p *member, v int, place func(virtual int) int) branch {
	parent, children := t(p.Size, p.Fanout, v)
	if parent >= 0 {
		parent = place(parent)
	}
	return branch{parent, list.Map(children, place)}
}

// down passes slots on to the children. It returns the receive of a member below the root.
func (b branch) down(p *member, s span) (got uint32) { return b.pass(p, s, p.send) }

// pass passes slots on to the children by the given sends.
func (b branch) pass(p *member, s span, send func(to int, from ...span) uint32) (got uint32) {
	got = none
	if b.parent >= 0 {
		got = p.recv(b.parent, s)
	}
	for _, child := range b.children {
		send(child, s)
	}
	return got
}

// up combines the children's slots with those of the member, and passes them on to the parent. It
// returns the send of a member below the root.
func (b branch) up(p *member, s span) (sent uint32) { return b.collect(p, s, p.fold) }

// collect is up with the given receives.
func (b branch) collect(p *member, s span, fold func(from int, to ...span) uint32) (sent uint32) {
	for _, child := range b.children {
		fold(child, s)
	}
	if b.parent < 0 {
		return none
	}
	return p.send(b.parent, s)
}

// star has all members below the root, served by rank, as Open MPI does: 0, 1, 2 ….
func (p *member) star() tree {
	return func(size, _, v int) (parent int, children []int) {
		if v > 0 {
			return 0, nil
		}
		for place := range size {
			if place != p.Root {
				children = append(children, (place-p.Root+size)%size)
			}
		}
		return -1, children
	}
}

// down sends the slots one by one from the root along the tree.
func (t tree) down(p *member, slots int) {
	b := t.at(p)
	for s := range slots {
		b.down(p, slot(s))
	}
}

// up combines the slots one by one along the tree towards the root.
func (t tree) up(p *member, slots int) {
	b := t.at(p)
	for s := range slots {
		b.up(p, slot(s))
	}
}

// broadcast sends Bytes bytes in segments along the tree.
func (t tree) broadcast(p *member) { t.down(p, p.segments()) }

// reduce combines Bytes bytes in segments along the tree.
func (t tree) reduce(p *member) { t.up(p, p.segments()) }
