package mpitrace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/calls"
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
	calls.Rank
	o        *Translation
	group    collective.Group
	requests map[request][]uint32 // operations without a wait so far, the oldest first
	called   uint32               // collectives so far
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
	which := fmt.Sprintf("collective %d of rank %d", r.called+1, r.group.Place)
	if int(r.called) >= len(*all) {
		return fmt.Errorf("%s, but rank 0 calls %d collectives; all ranks must call the same ones "+
			"in the same order", which, len(*all))
	}
	if of := (*all)[r.called]; of.name != name || of.root != root {
		return fmt.Errorf("%s with root %d, but that of rank 0, in line %d of its trace, is %s "+
			"with root %d; all ranks must call the same ones in the same order",
			which, root, of.line, of.call, of.root)
	}
	return nil
}

// sameNumber returns an error if the rank, whose calls have ended, has called fewer collectives
// than rank 0.
func (r *rank) sameNumber() error {
	if n := int(r.called); n < len(r.first.calls) {
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
// is the same on all ranks, since MPI demands the same order of collectives. Their context keeps
// them from receives with any tag.
const (
	collectiveTag, collectiveTags = 1 << 31, 1 << 30
	collectiveContext             = 1
	collectiveStream              = 1 // of non-blocking collectives
)

func newRank(b *schedule.Builder, o *Translation, first *collectives, place, size int) *rank {
	r := &rank{Rank: calls.Rank{Builder: b}, o: o, first: first,
		group:    collective.Group{Size: size, Place: place},
		requests: map[request][]uint32{}, enter: func() error { return nil }}
	r.Added = r.label
	return r
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

// label names an operation of the current call. The name leads from a critical path back to the
// line of the trace.
func (r *rank) label(op uint32, suffix calls.Suffix) {
	name := r.call
	if suffix.Word != "" {
		name += "_" + suffix.Word
	}
	if suffix.Number > 0 {
		name += strconv.Itoa(suffix.Number)
	}
	r.Label(op, name+"_"+strconv.Itoa(r.line))
}

// compute adds a computation of ns nanoseconds before scaling.
func (r *rank) compute(ns float64) error {
	ns = math.Round(ns * r.o.Scale)
	if !(ns >= 0 && ns < math.MaxInt64) {
		return fmt.Errorf("a computation must take 0 to %g ns (got %g)", float64(math.MaxInt64), ns)
	}
	// Also for 0 ns: the schedule has the same shape, whatever the scale.
	call := r.call
	r.call = "calc"
	r.Compute(uint64(ns))
	r.call = call
	return nil
}

// begin adds concurrent operations, each with its request; the next operation waits until they have
// started.
func (r *rank) begin(qs []request, ops []schedule.Op) {
	for i, index := range r.Begin(0, ops...) {
		r.requests[qs[i]] = append(r.requests[qs[i]], index)
	}
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
