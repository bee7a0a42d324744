package mpitrace

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/calls"
)

// A dialect holds an implementation's numbers of any source, any tag and the null process of MPI.
type dialect struct{ anyRank, anyTag, nullRank int64 }

// recordedDialect has the numbers that trace.c writes, which are Open MPI's.
var recordedDialect = dialect{-1, -1, -2}

// A rank converts the calls of one rank, in their order, to operations.
type rank struct {
	dialect
	calls.Rank
	o        *Translation
	shared   *shared
	group    collective.Group // of all ranks
	world    *member
	members  []*member // of all communicators of the rank
	born     map[birth]int
	requests map[request]pending
	// rest has the operations of a request beside the first, by the first.
	rest    map[uint32][]uint32
	line    int          // of the trace
	call    string       // the function that this line calls
	name    []byte       // the last label
	enter   func() error // adds the computation before the operations of a call
	sent    memory
	written bool // the program has written what the call sends
	marks   int  // calls that can be ends of the region
}

// A pending request has operations without a wait so far: the oldest, and others in their order.
// There are others only where a test, which the trace does not show, has found the oldest done.
type pending struct {
	oldest uint32
	others []uint32
}

// newest returns the operation that came last.
func (p pending) newest() uint32 {
	if n := len(p.others); n > 0 {
		return p.others[n-1]
	}
	return p.oldest
}

// A request identifies an MPI request: by its address in a trace of trace.c, by its number in
// DUMPI's.
type request int64

// The tags of collectives have the highest bit set and count up, so that a rank that is one
// collective ahead is not matched with the one before. MPI's own tags have 31 bits. The count
// is the same on all members of a communicator, since MPI demands the same order of collectives.
// Their context keeps them from receives with any tag.
const (
	collectiveTag, collectiveTags = 1 << 31, 1 << 30
	collectiveStream              = 1 // of non-blocking collectives
)

func newRank(b *schedule.Builder, o *Translation, s *shared, place int) *rank {
	r := &rank{Rank: calls.Rank{Builder: b}, o: o, shared: s,
		world:    &member{communicator: s.world, place: place},
		requests: map[request]pending{}, rest: map[uint32][]uint32{},
		born:  map[birth]int{},
		enter: func() error { return nil }}
	r.group, r.members = r.world.group(), []*member{r.world}
	r.Added = r.label
	return r
}

// wait waits for operations of requests.
func (r *rank) wait(ops ...uint32) {
	for _, op := range ops {
		ops = append(ops, r.rest[op]...)
		delete(r.rest, op)
	}
	r.Wait(ops...)
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

// isMark reports whether a call is one of those that the region counts.
func (r Region) isMark(call string) bool {
	return r.Call != "" && strings.EqualFold(strings.TrimPrefix(call, "MPI_"), r.Call)
}

// ends counts a call if it is a mark, and reports whether the region begins or ends there.
func (at place) ends(r *rank, call string) bool {
	region := r.o.Region
	if !region.isMark(call) {
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
	name := append(r.name[:0], r.call...)
	if suffix.Word != "" {
		name = append(append(name, '_'), suffix.Word...)
	}
	if suffix.Number > 0 {
		name = strconv.AppendInt(name, int64(suffix.Number), 10)
	}
	r.name = name
	r.LabelNumber(op, name, uint32(r.line))
}

// compute adds a computation of ns nanoseconds before scaling.
func (r *rank) compute(ns float64) error {
	ns = math.Round(ns * r.o.Scale)
	if !(ns >= 0 && ns < math.MaxInt64) {
		return fmt.Errorf("a computation must take 0 to %g ns (got %g)", float64(math.MaxInt64), ns)
	}
	call := r.call
	r.call = "calc"
	r.Compute(uint64(ns))
	r.call = call
	return nil
}

// begin adds concurrent operations, each with its request; the next operation waits until they have
// started.
func (r *rank) begin(qs []request, ops []schedule.Op) {
	for i, op := range r.Begin(0, ops...) {
		r.opens(qs[i], op)
	}
}

// opens adds an operation to a request.
func (r *rank) opens(q request, op uint32) {
	p, is := r.requests[q]
	if !is {
		r.requests[q] = pending{oldest: op}
		return
	}
	p.others = append(p.others, op)
	r.requests[q] = p
}

// oldest removes and returns the oldest operation of a request, if there is one.
func (r *rank) oldest(q request) (uint32, bool) {
	p, is := r.requests[q]
	switch {
	case !is:
	case len(p.others) == 0:
		delete(r.requests, q)
	default:
		r.requests[q] = pending{p.others[0], p.others[1:]}
	}
	return p.oldest, is
}
