package mpitrace

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// arguments holds the relevant arguments of a call. The second way is the other direction of an
// exchange, or the receiving side of a gather or scatter.
type arguments struct {
	way [2]struct {
		count           float64 // elements
		size, peer, tag int64   // size of an element in bytes
		buffer          int64   // address; 0 if not known
	}
	root int64
	comm *member // nil for the communicator of all ranks
	// blocks are the sizes of a collective with one for each rank: those that the rank sends, and
	// those that it receives, where both differ.
	blocks [2][]uint64
	// Of traces of trace.c: requests or the sources of a neighbourhood, where that sends to, and
	// the communicator that is made.
	list, dests []int64
	made        *member
	request     request
}

// bytes returns the size of the message in one direction.
func (a *arguments) bytes(way int) (uint64, error) {
	count, size := a.way[way].count, a.way[way].size
	bytes := math.Round(count * float64(size))
	switch {
	case count < 0 || size < 0:
		return 0, fmt.Errorf("%.0f elements of %d bytes", count, size)
	case !(bytes < math.MaxInt64):
		return 0,
			fmt.Errorf("%g elements of %d bytes are more than %d bytes", count, size,
				int64(math.MaxInt64))
	}
	return uint64(bytes), nil
}

// message returns the send or receive of one direction. ok is false if its peer is the null
// process, so that no message is sent.
func (r *rank) message(kind schedule.Kind, a *arguments, way int) (op schedule.Op, ok bool,
	err error) {
	bytes, err := a.bytes(way)
	if err != nil {
		return op, false, err
	}
	peer, tag := a.way[way].peer, a.way[way].tag
	m := r.in(a)
	ranks, members := m.peers()
	op = schedule.Op{Kind: kind, Size: bytes, Peer: uint32(peer), Tag: uint32(tag),
		Context: m.context}
	switch {
	// MPI_PROC_NULL: programs send to it at the border of a grid.
	case peer == r.nullRank:
		return op, false, nil
	case kind == schedule.Recv && peer == r.anyRank:
		op.Peer = schedule.Any
	case peer < 0 || peer >= int64(ranks):
		return op, false, fmt.Errorf("there is no rank %d%s, only 0 to %d", peer, m.of(), ranks-1)
	case members != nil:
		op.Peer = members[peer]
	}
	switch {
	case kind == schedule.Recv && tag == r.anyTag:
		op.Tag = schedule.Any
	// Above that are the tags of collectives.
	case tag < 0 || tag > math.MaxInt32:
		return op, false, fmt.Errorf("tags must be 0 to %d (got %d)", math.MaxInt32, tag)
	}
	return op, true, nil
}

// touch sets the state of the memory of a message that begins now. In traces without addresses it
// is always plain.
func (r *rank) touch(op *schedule.Op, buffer int64) {
	e := extent{buffer, buffer + int64(op.Size)}
	if buffer <= 0 || op.Size == 0 || e.to < e.from {
		return
	}
	if op.Kind == schedule.Send {
		if r.written {
			op.Memory = schedule.Fresh
		}
		r.sent.send(e)
	} else if r.sent.receive(e) {
		op.Memory = schedule.Relay
	}
}

// blocking adds a call of one or two messages that ends when they are done.
func (r *rank) blocking(a *arguments, kinds ...schedule.Kind) error {
	ops := make([]schedule.Op, 0, 2)
	for way, kind := range kinds {
		op, ok, err := r.message(kind, a, way)
		if err != nil {
			return err
		}
		if ok {
			r.touch(&op, a.way[way].buffer)
			ops = append(ops, op)
		}
	}
	// All arguments are valid. Only now is the computation before the call added, so that an
	// error leaves no half of a call.
	if err := r.enter(); err != nil {
		return err
	}
	r.Blocking(ops...)
	return nil
}

// buffered adds a send that ends when its message is copied, whether its receive is posted or not:
// it does not block, and nobody waits for it.
func (r *rank) buffered(a *arguments) error {
	op, ok, err := r.message(schedule.Send, a, 0)
	if err != nil {
		return err
	}
	if err := r.enter(); err != nil || !ok {
		return err
	}
	r.touch(&op, a.way[0].buffer)
	r.Begin(0, op)
	return nil
}

// nonBlocking starts a message, with its request.
func (r *rank) nonBlocking(a *arguments, kind schedule.Kind, q request) error {
	op, ok, err := r.message(kind, a, 0)
	if err != nil {
		return err
	}
	if err := r.enter(); err != nil || !ok {
		return err
	}
	r.touch(&op, a.way[0].buffer)
	r.begin([]request{q}, []schedule.Op{op})
	return nil
}

// in returns the member of the communicator of a call.
func (r *rank) in(a *arguments) *member {
	if a.comm == nil {
		return r.world
	}
	return a.comm
}

// collective adds a collective. Without a request, the next operation waits until it is done.
func (r *rank) collective(name string, a *arguments, q *request) error {
	m, way := r.in(a), 0
	// A root receives blocks in a gather, and another rank one in a scatter: its other count may
	// be undefined, or stand for MPI_IN_PLACE.
	if atRoot := a.root == int64(m.place); name == "gather" && atRoot || name == "scatter" &&
		!atRoot {
		way = 1 // this rank sends nothing, or only to itself
	}
	bytes, err := a.bytes(way)
	if err != nil {
		return err
	}
	g := m.group()
	if a.blocks[0] != nil {
		if g.Blocks, err = a.blocksOf(name, m); err != nil {
			return err
		}
	}
	call, err := r.collectiveCall(name, a)
	if err != nil {
		return err
	}
	call.Bytes = bytes
	call.Gamma = r.o.Collectives.Combine
	chosen := call
	if n := uint64(len(g.Blocks)); n > 0 && chosen.Bytes == 0 {
		for _, block := range g.Blocks {
			chosen.Bytes += block / n // the mean
		}
	}
	use, err := m.choose(r.o.Collectives, name, g, chosen)
	if err != nil {
		return err
	}
	call.Channels, call.PerNode, call.Order = use.Channels, use.PerNode, use.Order
	if call.Channels > 1 {
		call.Tag = collective.ChannelTag(call.Tag)
	}
	if q == nil {
		r.Copy(0, r.o.Collectives, name, g, bytes)
		r.Collective(use.Entry, g, call)
		return nil
	}
	r.Copy(collectiveStream, r.o.Collectives, name, g, bytes)
	end := r.BeginCollective(collectiveStream, use.Entry, g, call)
	r.opens(*q, end)
	return nil
}

// collectiveCall checks the root and the order of a collective, adds the computation before it, and
// returns its tag and context.
func (r *rank) collectiveCall(name string, a *arguments) (c collective.Call, err error) {
	m := r.in(a)
	if a.root < 0 || a.root >= int64(m.size) {
		return c, fmt.Errorf("the root must be 0 to %[2]d (got %[1]d)", a.root, m.size-1)
	}
	n := m.called
	if err := r.next(m, name, a.root); err != nil {
		return c, err
	}
	return collective.Call{Root: int(a.root), Context: m.context + 1,
		Tag: collectiveTag + n%collectiveTags}, r.enter()
}

// blocksOf returns the blocks of a collective as [collective.Group] has them. A rank that is not
// the root of a gather or scatter knows its own block alone; the linear algorithms need no more.
func (a *arguments) blocksOf(name string, m *member) ([]uint64, error) {
	blocks := a.blocks[0]
	if (name == "gatherv" || name == "scatterv") && a.root != int64(m.place) && len(blocks) == 1 {
		own := blocks[0]
		blocks = make([]uint64, m.size)
		blocks[m.place] = own
	}
	both := name == "alltoallv"
	if len(blocks) != m.size || both && len(a.blocks[1]) != m.size {
		return nil, fmt.Errorf("it needs a size for each of %d ranks (got %d)", m.size,
			len(blocks))
	}
	if both {
		blocks = append(blocks[:m.size:m.size], a.blocks[1]...)
	}
	return blocks, nil
}

// withBlocks adds a collective whose blocks, if there are any, are counts of elements.
func (r *rank) withBlocks(name string, a *arguments, q *request) error {
	atRoot := a.root == int64(r.in(a).place)
	one, other := &a.way[0], &a.way[1]
	switch {
	case name == "gatherv" && atRoot:
		one.size = other.size
	case name == "gatherv":
		a.blocks[0] = []uint64{uint64(one.count)}
	case name == "scatterv" && !atRoot:
		a.blocks[0], one.size = []uint64{uint64(other.count)}, other.size
	}
	for way := range a.blocks {
		for i := range a.blocks[way] {
			a.blocks[way][i] *= uint64(a.way[way].size)
		}
	}
	one.count = max(one.count, 0) // the blocks count
	return r.collective(name, a, q)
}
