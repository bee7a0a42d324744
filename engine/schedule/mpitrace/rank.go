package mpitrace

import (
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A rank turns the calls of one rank, in their order, into operations.
type rank struct {
	dialect
	b        *schedule.Builder
	o        *Options
	group    collective.Group
	before   []uint32             // what the next operation waits for …
	started  bool                 // … until it has started, else until it is done
	requests map[request][]uint32 // operations that nobody has waited for yet, the oldest first
	calls    uint32               // collectives so far
	line     int                  // of the trace
	call     string               // what that line calls
}

// A request is what a format identifies it by.
type request [3]int64

// Tags of collectives have their highest bit set and count up. MPI's own tags have 31 bits.
const collectiveTag, collectiveTags = 1 << 31, 1 << 30

func newRank(b *schedule.Builder, o *Options, place, size int) *rank {
	return &rank{b: b, o: o, group: collective.Group{Size: size, Place: place}, requests: map[request][]uint32{}}
}

// add adds an operation that waits for those before.
func (r *rank) add(op schedule.Op, name string) uint32 {
	index := r.b.Add(op)
	r.b.Label(index, fmt.Sprintf("%s_%d", name, r.line))
	for _, before := range r.before {
		if r.started {
			r.b.IRequires(index, before)
		} else {
			r.b.Requires(index, before)
		}
	}
	return index
}

// waitFor lets the next operation wait until these are done.
func (r *rank) waitFor(ops ...uint32) { r.before, r.started = append(r.before[:0], ops...), false }

// A dialect is the numbers that an implementation of MPI gives to any source, any
// tag, and the process that is nobody.
type dialect struct{ anyRank, anyTag, nullRank int64 }

var (
	openMPI = dialect{-1, -1, -2}
	smpi    = dialect{-555, -444, -666} // SimGrid's
)

// message is a send or a receive. It is not ok if its peer is nobody: then nothing is to be done.
func (r *rank) message(kind schedule.Kind, peer, tag int64, bytes uint64) (op schedule.Op, ok bool, err error) {
	op = schedule.Op{Kind: kind, Size: bytes, Peer: uint32(peer), Tag: uint32(tag)}
	switch {
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
	case tag < 0 || tag > math.MaxInt32:
		return op, false, fmt.Errorf("tag %d, but tags are from 0 to %d", tag, math.MaxInt32)
	}
	return op, true, nil
}

// compute computes for so many ns, before they are scaled.
func (r *rank) compute(ns float64) error {
	ns = math.Round(ns * r.o.Scale)
	if !(ns >= 0 && ns < math.MaxInt64) {
		return fmt.Errorf("a computation of %g ns; it must be from 0 to %g", ns, float64(math.MaxInt64))
	}
	r.waitFor(r.add(schedule.Op{Kind: schedule.Calc, Size: uint64(ns)}, "calc"))
	return nil
}

// addConcurrent adds operations none of which waits for another.
func (r *rank) addConcurrent(ops []schedule.Op) []uint32 {
	var all []uint32
	for i, op := range ops {
		name := r.call
		switch { // each has a name of its own
		case i == 1:
			name = fmt.Sprintf("%s_%s", name, op.Kind)
		case i > 1:
			name = fmt.Sprintf("%s_%s%d", name, op.Kind, i)
		}
		all = append(all, r.add(op, name))
	}
	return all
}

// block does operations at the same time, and goes on when they are done.
func (r *rank) block(ops ...schedule.Op) {
	if len(ops) > 0 {
		r.waitFor(r.addConcurrent(ops)...)
	}
}

// begin starts operations at the same time, each with its request, and goes on when
// they have started.
func (r *rank) begin(qs []request, ops []schedule.Op) {
	if len(ops) == 0 {
		return
	}
	r.waitFor(r.addConcurrent(ops)...)
	r.started = true
	for i, index := range r.before {
		r.requests[qs[i]] = append(r.requests[qs[i]], index)
	}
}

// wait goes on when these operations are done. It does nothing for none.
func (r *rank) wait(ops ...uint32) {
	join := r.add(schedule.Op{Kind: schedule.Calc}, r.call)
	slices.Sort(ops)
	for _, op := range ops {
		r.b.Requires(join, op)
	}
	r.waitFor(join)
}

// oldest takes the oldest operation of a request, if there is one.
func (r *rank) oldest(q request) (uint32, bool) {
	all := r.requests[q]
	switch len(all) {
	case 0:
		return 0, false
	case 1:
		delete(r.requests, q)
	default:
		r.requests[q] = all[1:]
	}
	return all[0], true
}

// collect does a collective. It goes on when that is done, or at once if the
// collective has a request.
func (r *rank) collect(a collective.Algorithm, root int, bytes uint64, q *request) {
	if len(r.before) > 1 || r.started {
		r.waitFor(r.add(schedule.Op{Kind: schedule.Calc}, r.call+"_enter"))
	}
	before := slices.Clone(r.before)
	end := a.Add(r.b, r.group, collective.Call{Root: root, Bytes: bytes, Tag: collectiveTag + r.calls%collectiveTags}, before...)
	r.calls++
	r.waitFor(end...)
	done := r.add(schedule.Op{Kind: schedule.Calc}, r.call)
	if q == nil {
		r.waitFor(done)
		return
	}
	r.requests[*q] = append(r.requests[*q], done)
	r.waitFor(before...)
}
