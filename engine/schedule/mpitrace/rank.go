package mpitrace

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A dialect holds an implementation's numbers of any source, any tag and the null process of MPI.
type dialect struct{ anyRank, anyTag, nullRank int64 }

var (
	openMPI = dialect{-1, -1, -2}
	smpi    = dialect{-555, -444, -666} // SimGrid's
)

// A rank converts the calls of one rank, in their order, to operations.
type rank struct {
	dialect
	b        *schedule.Builder
	o        *Translation
	group    collective.Group
	before   []uint32             // the next operation waits until these are done …
	started  bool                 // … or, if set, have started
	requests map[request][]uint32 // operations without a wait so far, the oldest first
	calls    uint32               // collectives so far
	line     int                  // of the trace
	call     string               // the function that this line calls
	enter    func() error         // adds the computation before the operations of a call
	sent     memory
	written  bool         // the program has written what the call sends
	marks    int          // calls that can be ends of the region
	first    *collectives // of rank 0, which all ranks have in common
}

// Collectives are the collectives of a rank in their order, which MPI demands to be the same on all
// ranks. Without this check, a message of the simulation would wait for one that does not come.
type collectives struct {
	calls []collectiveCall
}

// A collectiveCall is one of them, with its line in the trace of rank 0.
type collectiveCall struct {
	name, call string
	root       int64
	line       int
}

// sameAsFirst notes the next collective of rank 0, or returns an error if it is not that of rank 0.
func (r *rank) sameAsFirst(name string, root int64) error {
	all := &r.first.calls
	if r.group.Place == 0 {
		*all = append(*all, collectiveCall{name, r.call, root, r.line})
		return nil
	}
	which := fmt.Sprintf("collective %d of rank %d", r.calls+1, r.group.Place)
	if int(r.calls) >= len(*all) {
		return fmt.Errorf("%s, but rank 0 calls %d collectives; all ranks must call the same ones "+
			"in the same order", which, len(*all))
	}
	if of := (*all)[r.calls]; of.name != name || of.root != root {
		return fmt.Errorf("%s with root %d, but that of rank 0, in line %d of its trace, is %s "+
			"with root %d; all ranks must call the same ones in the same order",
			which, root, of.line, of.call, of.root)
	}
	return nil
}

// sameNumber returns an error if the rank, whose calls have ended, has called fewer collectives
// than rank 0.
func (r *rank) sameNumber() error {
	if n := int(r.calls); n < len(r.first.calls) {
		of := r.first.calls[n]
		return fmt.Errorf("rank %d calls %d collectives, but rank 0 calls %d; the next, in line "+
			"%d of its trace, is %s", r.group.Place, n, len(r.first.calls), of.line, of.call)
	}
	return nil
}

// A request identifies an MPI request, in the way of its format: by its address in a
// liballprof trace, by sender, receiver and tag in SimGrid's.
type request [3]int64

// The tags of collectives have the highest bit set and count up, so that a rank that is one
// collective ahead is not matched with the one before. MPI's own tags have 31 bits. The count
// is the same on all ranks, since MPI demands the same order of collectives.
const collectiveTag, collectiveTags = 1 << 31, 1 << 30

func newRank(b *schedule.Builder, o *Translation, first *collectives, place, size int) *rank {
	return &rank{b: b, o: o, first: first, group: collective.Group{Size: size, Place: place},
		requests: map[request][]uint32{}, enter: func() error { return nil }}
}

// A place in a trace is before, in or behind the region.
type place uint8

const (
	before place = iota
	within
	behind
)

// start returns where a trace begins.
func (r Region) start() place {
	if r.Call == "" {
		return within
	}
	return before
}

// ends counts a call if it is a mark, and reports whether the region begins or ends there.
func (at place) ends(r *rank, call string) bool {
	region := r.o.Region
	if region.Call == "" || !strings.EqualFold(strings.TrimPrefix(call, "MPI_"), region.Call) {
		return false
	}
	r.marks++
	return at == before && r.marks == region.From || at == within && r.marks == region.To
}

// missing returns an error if a trace ended at a place before the end of the region.
func (r *rank) missing(f *file, at place) error {
	if region := r.o.Region; at == before || at == within && region.To > 0 {
		return fmt.Errorf("%s: the region %s is not whole: rank %d has %d calls of %s", f.name,
			region, r.group.Place, r.marks, region.Call)
	}
	return nil
}

// add adds an operation that waits for those in before.
func (r *rank) add(op schedule.Op, name string) uint32 {
	index := r.b.Add(op)
	// The name leads from a critical path back to the line of the trace.
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

// waitFor makes the next operation wait until these are done.
func (r *rank) waitFor(ops ...uint32) { r.before, r.started = append(r.before[:0], ops...), false }

// compute adds a computation of ns nanoseconds before scaling.
func (r *rank) compute(ns float64) error {
	ns = math.Round(ns * r.o.Scale)
	if !(ns >= 0 && ns < math.MaxInt64) {
		return fmt.Errorf("a computation must take 0 to %g ns (got %g)", float64(math.MaxInt64), ns)
	}
	// Also for 0 ns: the schedule has the same shape, whatever the scale.
	r.waitFor(r.add(schedule.Op{Kind: schedule.Calc, Size: uint64(ns)}, "calc"))
	return nil
}

// addConcurrent adds operations that do not wait for each other.
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

// begin adds concurrent operations, each with its request; the next operation waits until they have
// started.
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

// wait makes the next operation wait until these are done; without arguments it only adds a calc of
// no time.
func (r *rank) wait(ops ...uint32) {
	join := r.add(schedule.Op{Kind: schedule.Calc}, r.call)
	// Operations come from a map. The order of dependencies is part of the schedule, which must
	// not differ from run to run.
	slices.Sort(ops)
	for _, op := range ops {
		r.b.Requires(join, op)
	}
	r.waitFor(join)
}

// oldest removes and returns the oldest operation of a request, if there is one.
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
