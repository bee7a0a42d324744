// Package collective builds schedules of collective operations: each rank's sends and receives,
// with their sizes and dependencies.
//
// An [Algorithm] adds the part of one rank at a time, so a collective can stand anywhere in a
// larger program: [Algorithm.Add] makes the part wait for earlier operations and returns the
// operations that end it. [Algorithm.Schedule] returns a program of one collective alone.
//
// A send waits for the receives that brought its contents, not for earlier sends. The segments of a
// message are sent to each member in their order. Three kinds of algorithms wait for more. The
// first kind defines an order (pairwise, linear with synchronisation, barriers). In the second
// kind, rounds exchange messages with the same members or depend on each other (rings with two
// halves, recursive halving, Bruck). There each round waits for the previous round, as in libraries
// that call a blocking exchange. Otherwise a message could overtake another and match the other's
// receive. In the third kind, libraries serve the children of a tree by blocking calls (scatters,
// gathers, MPICH's binomial broadcast and reduce). They form a chain: a message that waits for its
// receive delays the later ones; eager messages hardly delay any.
//
// Combining values in a reduction takes [Call].Gamma per byte, by default nothing.
//
// [Algorithms] lists all algorithms with their names and numbers in libraries, and [Find] finds
// one.
package collective

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model"
)

// A Group is the set of ranks that take part, seen from one of them. The members have places from 0
// to Size-1.
type Group struct {
	Size    int      // number of members, at least 1
	Place   int      // place of the rank whose part is added
	Members []uint32 // ranks by place; nil if each place is its rank
	// Blocks are the sizes of the members' blocks by place, as in MPI's v-forms; nil if all have
	// Call.Bytes. Of an alltoall they are the blocks that the rank sends to each member, and then
	// those that it receives from each. Only algorithms whose Params have Blocks take them.
	Blocks []uint64
}

// A Call holds the arguments of a collective, which are the same on all members.
type Call struct {
	Root int // place of the root; unused by algorithms without one
	// Bytes is the size of the message of a broadcast, reduce, allreduce and scan, and for the
	// other collectives the size of one member's block, as in MPI's arguments.
	Bytes uint64
	// Tag is the tag of all messages; double-tree uses Tag + 1 as well. Calls that can overlap need
	// different tags.
	Tag uint32
	// Context is that of all messages, see [schedule.Op].
	Context uint16
	// CPU is the processor of all operations, see [schedule.Op].
	CPU uint16

	// Element is the size in bytes of an element, which is never cut: all parts of a message but
	// the last are multiples of it. 0 stands for 1 byte.
	Element uint64
	// Segment is the size in bytes of the pieces of a message, rounded down to whole elements but
	// at least one. 0 stands for whole messages.
	Segment uint64
	// Fanout is the number of chains from the root (chain), the radix (k-nomial), or the number of
	// simultaneous exchanges (linear-sync). 0 stands for the default, which the algorithm's row in
	// Algorithms states.
	Fanout int
	// Gamma is the time to combine two bytes into one, in ns/B, at least 0. Each combination is a
	// calc of Gamma × its bytes, rounded to whole nanoseconds, and omitted if that is 0.
	Gamma float64
	// Channels is the number of shares of the message, each of which goes by a ring or tree of its
	// own; 0 or 1: one. Only algorithms whose Params have Channels take it.
	Channels int
	// PerNode is the number of consecutive places on each node, for channels and for algorithms in
	// two levels; 0: not known. The last node may have fewer.
	PerNode int
	// Order has the places node by node, see [Nodes]; then PerNode is that of places in it. Only
	// algorithms whose Params have Channels take it, and none with Blocks.
	Order Numbers
	// LogP shapes the tree of logp-optimal. Only the ratios of its times matter. The zero value
	// stands for L = g = 1, which gives a binomial tree.
	LogP model.LogP
}

// An Algorithm adds one rank's part of a collective.
type Algorithm func(p *member)

// A member is one rank while its algorithm adds its part to the schedule. Peers are places.
type member struct {
	Group
	Call
	b     *schedule.Builder
	first uint32  // the part's first operation
	begun uint32  // that of its channel
	turn  turn    // of the channel's places
	nic   uint16  // of its messages
	steps int     // the number of steps of a ring that it takes, or 0 for all
	ops   []state // from first on
	gate  []uint32
	call  uint32 // 1 + the last blocking send or receive; 0 for none
	memory
	watch   watcher // sees the movement of data in tests; else nil
	optimal tree    // of the optimal broadcast or reduce
	of      treeShape
	// alone is the symmetry by which the member at place 0 stands for all, see
	// Entry.SymmetricSchedule; asymmetric if it does not.
	alone symmetry
}

// A symmetry says which renumbering of the places turns the part of the member at place 0 into the
// part of the member at place i. If all pairs of members are equally far apart, all members of a
// symmetric collective do the same at the same times, so one of them can stand for all.
type symmetry uint8

const (
	asymmetric symmetry = iota
	shifted             // place q becomes (q + i) mod p, as in a ring
	exchanged           // place q becomes q XOR i, as in exchanges of pairs; p is a power of two
)

// A turn takes places in an order, and rotates them within nodes of some ranks each: those of
// channel c of n. The zero value changes nothing.
type turn struct {
	order                Numbers
	perNode, ranks, c, n int
}

// to returns where a place stands.
func (t turn) to(place int) int {
	if t.order.given() {
		place = t.order.at(t.ranks + place)
	}
	return t.by(place, -1)
}

// from returns the place that stands there.
func (t turn) from(position int) int {
	place := t.by(position, 1)
	if t.order.given() {
		place = t.order.at(place)
	}
	return place
}

// by returns the place at a distance of direction times the rotation. A last node of fewer ranks is
// rotated by less.
func (t turn) by(place, direction int) int {
	if t.perNode < 2 {
		return place
	}
	first := place / t.perNode * t.perNode
	size := min(t.perNode, t.ranks-first)
	return first + (place-first+direction*(t.c*size/t.n)+size)%size
}

type state struct {
	waits, awaited bool
	asked          uint32 // one more than the last operation that was made to wait for it
}

// addSend adds a send to the member at place to, and returns its index.
func (p *member) addSend(bytes uint64, to int) uint32 { return p.add(schedule.Send, bytes, to) }

// addRecv adds a receive from the member at place from, and returns its index.
func (p *member) addRecv(bytes uint64, from int) uint32 { return p.add(schedule.Recv, bytes, from) }

func (p *member) add(kind schedule.Kind, bytes uint64, place int) uint32 {
	place = p.turn.from(place)
	peer := uint32(place)
	if p.alone != asymmetric {
		// The member is at place 0, so place is the distance to its peer. In a shift, the message
		// that comes from there was sent over the rest of the circle.
		if p.alone == shifted && kind == schedule.Recv {
			place = (p.Size - place) % p.Size
		}
		return p.put(schedule.Op{Kind: kind, Size: bytes, Tag: uint32(place)})
	}
	if p.Members != nil {
		peer = p.Members[place]
	}
	return p.put(schedule.Op{Kind: kind, Size: bytes, Peer: peer, Tag: p.Tag, CPU: p.CPU,
		NIC: p.nic, Context: p.Context})
}

// addCalc adds a computation, and returns its index.
func (p *member) addCalc(nanoseconds uint64) uint32 {
	return p.put(schedule.Op{Kind: schedule.Calc, Size: nanoseconds, CPU: p.CPU})
}

func (p *member) put(o schedule.Op) uint32 {
	p.ops = append(p.ops, state{})
	op := p.b.Add(o)
	for _, before := range p.gate {
		p.requires(op, before)
	}
	return op
}

// step ends a blocking call: all later operations wait for those added since the previous step.
func (p *member) step() {
	n := p.b.Next()
	from := p.begun
	if len(p.gate) > 0 {
		from = p.gate[len(p.gate)-1] + 1
	}
	if from == n {
		return
	}
	p.gate = p.gate[:0]
	for op := from; op < n; op++ {
		p.gate = append(p.gate, op)
	}
}

// requires makes op wait until before is done. Both belong to this part.
func (p *member) requires(op, before uint32) {
	p.b.Requires(op, before)
	if p.b.Err() == nil {
		p.ops[op-p.first].waits = true
		p.ops[before-p.first].awaited = true
	}
}

// shifted returns the place at a distance from the member's in the circle of all places; the
// distance is at least −Size.
func (p *member) shifted(distance int) int { return (p.Place + distance + p.Size) % p.Size }

// virtual returns the member's place relative to the root, whose own is 0.
func (p *member) virtual() int { return (p.Place - p.Root + p.Size) % p.Size }

func (p *member) real(virtual int) int { return (virtual + p.Root) % p.Size }

// Add adds the part of the member g.Place to the current rank of b. Operations of the part that
// depend on nothing in it wait for the operations after. Add returns the operations that end the
// part: those that no other operation of it waits for, or after if the part is empty.
func (a Algorithm) Add(b *schedule.Builder, g Group, c Call, after ...uint32) (end []uint32) {
	p := spare.Get().(*member)
	p.Group, p.Call, p.b = g, c, b
	end = a.add(p, after, nil)
	*p = member{ops: p.ops, gate: p.gate, memory: p.memory}
	spare.Put(p)
	return end
}

// spare has members whose memory the next parts use.
var spare = sync.Pool{New: func() any { return new(member) }}

func (a Algorithm) add(p *member, after, end []uint32) []uint32 {
	p.first, p.ops = p.b.Next(), p.ops[:0]
	p.begin()
	p.reset()
	a(p)
	if len(p.ops) == 0 {
		return append(end, after...)
	}
	for i, op := range p.ops {
		if !op.waits {
			for _, before := range after {
				p.b.Requires(p.first+uint32(i), before)
			}
		}
		if !op.awaited {
			end = append(end, p.first+uint32(i))
		}
	}
	return end
}

// begin begins the part, or that of a channel, which waits for no other.
func (p *member) begin() { p.begun, p.gate, p.call = p.b.Next(), p.gate[:0], 0 }

// maxOperations is the maximum number of operations of a Schedule; they take about 10 GB.
const maxOperations = 1 << 28

// Schedule returns a program of this collective alone.
func (a Algorithm) Schedule(ranks int, c Call) (*schedule.Schedule, error) {
	return limits{most: maxOperations}.schedule(context.Background(), a, nil, ranks, c, 1, nil)
}

// TooLarge is the error of a schedule of Ranks ranks with more than Most operations.
type TooLarge struct{ Ranks, Most int }

func (e TooLarge) Error() string {
	return fmt.Sprintf("%d ranks have more than %d operations, one by one; take fewer ranks, or "+
		"another algorithm", e.Ranks, e.Most)
}

// limits bound the operations of a schedule. If all ranks are alike, the first one decides whether
// there are too many. Otherwise the shortest of the first eight does, if even half of its
// operations on every rank would exceed the limit.
type limits struct {
	most  int
	alike bool
}

// schedule builds a program of parts: the collective, the barrier, the collective …
func (l limits) schedule(ctx context.Context, a, barrier Algorithm, ranks int, c Call, parts int,
	watch watcher) (*schedule.Schedule, error) {
	if c.Root < 0 || c.Root >= ranks {
		return nil, fmt.Errorf("the root must be 0 to %[2]d (got %[1]d)", c.Root, ranks-1)
	}
	b := schedule.NewBuilder(ranks)
	call := member{Group: Group{Size: ranks}, Call: c, b: b, watch: watch}
	wait := member{Group: Group{Size: ranks}, Call: Call{Tag: c.Tag + 2}, b: b}
	var after, end []uint32
	least := math.MaxInt // operations of a rank
	for rank := range ranks {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		before := b.Next()
		call.Place = b.NextRank()
		wait.Place = call.Place
		after = after[:0]
		for i := range parts {
			if i%2 == 0 {
				end = a.add(&call, after, end[:0])
			} else {
				end = barrier.add(&wait, after, end[:0])
			}
			after, end = end, after
		}
		n := b.Next()
		least = min(least, int(n-before))
		if all := float64(least) * float64(ranks); rank == 0 && l.alike && int(n) <= l.most/ranks {
			if err := b.Expect(all); err != nil {
				return nil, err
			}
		}
		if int(n) > l.most || l.alike && least > l.most/ranks || rank == 7 &&
			least > 2*l.most/ranks {
			return nil, TooLarge{ranks, l.most}
		}
	}
	return b.Build()
}

// A span is the slots lo, lo+1 … hi−1.
type span struct{ first, end int }

func slot(i int) span { return span{i, i + 1} }

// memory holds the slots of a member and the operations that wrote them.
type memory struct {
	at    func(slot int) uint64 // first byte of a slot; after the last slot, the end
	wrote []int32               // by slot: 1 + the index of its last node; 0 before any write
	nodes []node
	used  []slotUse // by slot
	// inOrder is set if slots are segments, which go to each place in their order; sends has the
	// last send to each.
	inOrder bool
	sends   []lastSend
}

type lastSend struct {
	to   int
	tag  uint32
	last uint32
}

// A node is an operation that wrote to a slot; older is 1 + the index of the node of the previous
// write, or 0.
type node struct {
	op    uint32
	older int32
}

// A slotUse is what a member has done with a slot, for the states of memory: see [schedule.Memory].
type slotUse struct {
	received       uint32 // 1 + the receive that wrote it last; 0 if it was combined since
	sent, combined bool   // combined: by the processor, since the last send
}

// none stands for the absence of a calc.
const none = math.MaxUint32

// A watcher sees the movement of data of each member, in the order of its part.
type watcher interface {
	begin(place, slots int, at func(int) uint64)
	sent(op, tag uint32, to int, from []span)
	// received reports a receive into slots. With fold, the data are combined with the slots'
	// contents, by calc if that is not none.
	received(op, tag uint32, from int, to []span, fold bool, calc uint32)
	// moved reports that slots are copied, or with fold combined with the target's contents.
	moved(to, from span, fold bool, calc uint32)
}

func (m *memory) reset() {
	m.at, m.wrote, m.nodes, m.used = nil, m.wrote[:0], m.nodes[:0], m.used[:0]
	m.inOrder, m.sends = false, m.sends[:0]
}

// element returns the size of an element in bytes, at least 1.
func (c Call) element() uint64 { return max(c.Element, 1) }

// elements returns the number of elements; the last one may be cut off.
func (c Call) elements() uint64 { return (c.Bytes + c.element() - 1) / c.element() }

// wholeElements reports whether the last element is not cut off.
func (c Call) wholeElements() bool { return c.Bytes%c.element() == 0 }

// equalShares reports whether n members can have equal shares of the message.
func (c Call) equalShares(n int) bool { return c.wholeElements() && c.elements()%uint64(n) == 0 }

// unsegmented reports whether messages travel whole.
func (c Call) unsegmented() bool { return c.Segment == 0 || c.Segment >= c.Bytes }

// shape returns the parameters of the tree of logp-optimal.
func (c Call) shape() model.LogP {
	if c.LogP == (model.LogP{}) {
		return model.LogP{Latency: 1, GapTime: 1}
	}
	return c.LogP
}
