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
	root     int64
	amount   float64 // flops or seconds
	request  request
	requests int64 // in an array that begins with request
}

// bytes returns the size of the message in one direction.
func (a *arguments) bytes(way int) (uint64, error) {
	count, size := a.way[way].count, a.way[way].size
	// Counts of SimGrid may be fractions, such as 1e6/3.
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
	op = schedule.Op{Kind: kind, Size: bytes, Peer: uint32(peer), Tag: uint32(tag)}
	switch {
	// MPI_PROC_NULL: programs send to it at the border of a grid.
	case peer == r.nullRank:
		return op, false, nil
	case kind == schedule.Recv && peer == r.anyRank:
		op.Peer = schedule.Any
	case peer < 0 || peer >= int64(r.group.Size):
		return op, false, fmt.Errorf("there is no rank %d, only 0 to %d", peer, r.group.Size-1)
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
	if buffer <= 0 || op.Size == 0 || e.hi < e.lo {
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
	var ops []schedule.Op
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

// collective adds a collective. Without a request, the next operation waits until it is done.
func (r *rank) collective(name string, a *arguments, q *request) error {
	way := 0
	// A root receives blocks in a gather, and another rank one in a scatter: its other count may
	// be undefined, or stand for MPI_IN_PLACE.
	if atRoot := a.root == int64(r.group.Place); name == "gather" && atRoot || name == "scatter" &&
		!atRoot {
		way = 1 // this rank sends nothing, or only to itself
	}
	bytes, err := a.bytes(way)
	if err != nil {
		return err
	}
	if a.root < 0 || a.root >= int64(r.group.Size) {
		return fmt.Errorf("the root must be 0 to %[2]d (got %[1]d)", a.root, r.group.Size-1)
	}
	if err := r.sameAsFirst(name, a.root); err != nil {
		return err
	}
	if err := r.enter(); err != nil {
		return err
	}
	c := collective.Call{Root: int(a.root), Bytes: bytes, Context: collectiveContext,
		Tag: collectiveTag + r.called%collectiveTags}
	r.called++
	algorithm := r.o.Collectives.Of(name, r.group.Size, bytes)
	if q == nil {
		r.Collective(algorithm, r.group, c)
		return nil
	}
	r.requests[*q] = append(r.requests[*q],
		r.BeginCollective(collectiveStream, algorithm, r.group, c))
	return nil
}
