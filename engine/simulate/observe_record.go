package simulate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

// A record holds the steps of a run, each with its cause: the step whose end allowed it to begin.
// It is kept on demand. Its methods do nothing for nil, so that a run without a record tests a
// pointer instead of writing.
type record struct {
	*Program
	costs    *costs
	brief    bool // only computations are kept, see Setup.Computed
	acts     []act
	partners []uint32 // by operation, behind the run: the other one of its message
	delayed  []uint32 // by send: the place of its delay in delays
	delays   []delay  // the first is of messages that do not wait
	clock    []uint64 // of the run
	clockBy  []link   // by clock: the step that set it
	out      []uint64 // by rank: when the last byte that it has sent left its NIC
	outBy    []link   // by rank: the step that sent it
	stalls   map[opStep]uint64

	// While the run goes on.
	nodes []node         // of the run
	why   []link         // by waiting operation: the latest known step that it waits for
	flows []recordedFlow // by send; nil where messages share nothing
}

// An opStep is one step of an operation.
type opStep struct {
	op     uint32
	step   step
	queued bool
}

// An act is one step of an operation.
type act struct {
	start uint64
	begin uint64 // of a grant and of data: when the first byte is received; else start
	end   uint64 // of the processor's part
	op    uint32
	step  step
	short bool // its message is a request or a grant
	// queued is set for the message of a step that waited at its NIC; another one is the
	// processor's part.
	queued bool
	cause  link
}

// A step is a part of an operation that occupies a processor or a NIC.
type step uint8

const (
	stepPost    step = iota // a receive begins to wait
	stepCalc                // a computation
	stepSend                // an eager message is sent
	stepRequest             // a rendezvous is requested
	stepGrant               // the request is received, and the grant sent
	stepData                // the grant is received, and the data sent
	stepTake                // a NIC takes in the bytes of a message
	stepReceive             // a processor receives a message
	stepJoint               // ranks take the time of a joint operation
)

// noProcessor stands for the processor of a step that takes none.
const noProcessor = -1

var stepNames = [...]string{
	stepPost:    "post",
	stepCalc:    "compute",
	stepSend:    "send",
	stepRequest: "request",
	stepGrant:   "grant",
	stepData:    "send data",
	stepTake:    "take in",
	stepReceive: "receive",
	stepJoint:   "collective",
}

// A link is a moment of a step at which another step became possible.
type link struct {
	// act is plus 1. 0 is the beginning of the run or, atNIC, a NIC that is busy then with messages
	// of the part before.
	act uint32
	at  relation
	// passed is set if the link stands for a step that is not kept. It leads to the last one before
	// that on the path that is.
	passed bool
}

func (l link) as(at relation) link {
	if l.passed {
		return l
	}
	return link{act: l.act, at: at}
}

// A relation selects a moment of a step.
type relation uint8

const (
	atStart   relation = iota // its beginning
	atCPU                     // its processor was free again
	atNIC                     // its NIC was free again
	atDone                    // its operation was finished
	atLeft                    // the last byte had left its NIC
	atArrival                 // the first byte was at the receiver
	atStream                  // the last byte was in
)

var relationNames = [...]string{
	atStart:   "started",
	atCPU:     "processor free",
	atNIC:     "NIC free",
	atDone:    "done",
	atLeft:    "last byte sent",
	atArrival: "first byte arrived",
	atStream:  "last byte arrived",
}

// A delay is how long a message waits, in ticks: before its bytes flow; while they flow; for
// messages before it, which delay its arrival only; and its request for messages before that.
type delay struct{ shared, flow, order, request uint64 }

// A recordedFlow is what a recorded run keeps of a message that flows.
type recordedFlow struct {
	sent    link   // the step that sent the data
	started uint64 // when its first byte arrived
	take    link   // the step that takes it in
}

// newRecord returns a record for the run of a kernel; flows is set if messages share resources. It
// takes memory that a record before needs no longer.
func newRecord(k *kernel, c *costs, out []uint64, brief, flows bool, before *record) *record {
	if before == nil {
		before = &record{}
	}
	// A message is sent, its receive is posted, it is taken in and received; a rendezvous, or a
	// wildcard, has more.
	acts := len(k.ops) + 2*k.msgs
	if brief {
		acts = k.s.Ranks()
		for i := range k.ops {
			if op := &k.ops[i]; op.Kind == schedule.Calc && op.Size > 0 {
				acts++
			}
		}
	}
	r := &record{
		Program: k.Program,
		nodes:   k.nodes,
		clock:   k.clock,
		costs:   c,
		brief:   brief,
		acts:    memory.Make[act](acts)[:0],
		why:     memory.Again(before.why, len(k.ops)),
		clockBy: make([]link, len(k.clock)),
		out:     out,
		outBy:   make([]link, k.s.Ranks()),
		stalls:  map[opStep]uint64{},
		delays:  make([]delay, 1),
	}
	if flows {
		r.flows = memory.Again(before.flows, len(k.ops))
	}
	if !brief {
		r.delayed = memory.Make[uint32](len(k.ops))
	}
	before.why, before.flows = nil, nil
	return r
}

// close keeps of the run, whose memory another one may take, what paths need.
func (r *record) close() {
	r.clock, r.out = slices.Clone(r.clock), slices.Clone(r.out)
	if !r.brief {
		r.partners = make([]uint32, len(r.nodes))
		for i := range r.nodes {
			r.partners[i] = r.nodes[i].next
		}
	}
	r.nodes = nil
}

// keep adds a step to the record and returns a link to it. A brief record has the computations that
// take time, and the first steps of ranks; any other step passes its cause on.
func (r *record) keep(a act) link {
	if r.brief && (a.step != stepCalc || a.end == a.start) && a.cause.act > 0 {
		return link{a.cause.act, a.cause.at, true}
	}
	r.acts = append(r.acts, a)
	return link{act: uint32(len(r.acts))}
}

// causeOf returns the cause of the step of a link.
func (r *record) causeOf(by link) link {
	if by.passed {
		return by
	}
	return r.acts[by.act-1].cause
}

func (r *record) setCause(op uint32, by link) {
	if r != nil {
		r.why[op] = by
	}
}

// step records a step that occupies clock cpu and, unless nic is negative, clock nic. It sets
// a.cause: if late is set, the operation waited for one of the two clocks. It returns a link to the
// start of the step.
func (r *record) step(a act, late bool, cpu, nic int) link {
	if r == nil {
		return link{}
	}
	a.cause = r.why[a.op]
	if late {
		if r.clock[cpu] == a.start || nic < 0 { // at its NIC it may wait for a later moment
			a.cause = r.clockBy[cpu]
		} else {
			a.cause = r.clockBy[nic]
		}
	}
	by := r.keep(a)
	if cpu != noProcessor {
		r.clockBy[cpu] = by.as(atCPU)
	}
	if nic >= 0 {
		r.clockBy[nic] = by.as(atNIC)
	}
	if a.step == stepSend || a.step == stepRequest || a.step == stepData {
		r.why[a.op] = by.as(atArrival)
	}
	return by
}

// lastStep returns a link to the latest recorded step that an operation waits for.
func (r *record) lastStep(op uint32) link {
	if r == nil {
		return link{}
	}
	return r.why[op]
}

func (r *record) delay(send uint32, by delay) {
	if r == nil || r.brief || by == (delay{}) {
		return
	}
	at := &r.delayed[send]
	if *at == 0 {
		*at = uint32(len(r.delays))
		r.delays = append(r.delays, delay{})
	}
	d := &r.delays[*at]
	*d = delay{d.shared + by.shared, d.flow + by.flow, d.order + by.order, d.request + by.request}
}

// delayUntil returns how long the message of step a waits before the moment, in ticks.
func (r *record) delayUntil(a *act, at relation) uint64 {
	switch d := r.delays[r.delayed[a.op]]; {
	case a.step == stepRequest:
		return d.request
	case a.step != stepSend && a.step != stepData:
		return 0
	case at == atArrival:
		return d.shared + d.order
	default:
		return d.shared + d.flow
	}
}

// stall records for how long the processor of a step stalled.
func (r *record) stall(at opStep, stall uint64) {
	if r != nil && stall > 0 {
		r.stalls[at] = stall
	}
}

// lastAtNIC returns the step that a NIC sent last.
func (r *record) lastAtNIC(nic int) link {
	if r == nil {
		return link{}
	}
	return r.clockBy[nic]
}

// queued records the message of step a that waited at its NIC for the step before it, or for
// a stall, while its processor went on; call is the processor's part. It returns a link to it.
func (r *record) queued(a act, queue, stall uint64, call, before link, nic int) link {
	if r == nil {
		return link{}
	}
	a.cause = r.causeOf(call)
	if queue > 0 {
		a.cause = before
	}
	a.start, a.begin, a.end, a.queued = a.start+queue, a.begin+queue, a.end+queue+stall, true
	by := r.keep(a)
	r.clockBy[nic] = by.as(atNIC)
	if r.ops[a.op].Kind == schedule.Send {
		r.why[a.op] = by.as(atArrival)
	}
	return by
}

// pause records that the bytes of a message, whose last one is in later by that, stopped.
func (r *record) pause(send, receive uint32, more uint64) {
	if r == nil {
		return
	}
	if r.costs.shared {
		r.delay(send, delay{flow: more})
	}
	if by := r.why[receive]; by.at == atStream && !by.passed {
		r.acts[by.act-1].end += more
	}
}

func (r *record) posting(op uint32, t uint64) link {
	if r == nil {
		return link{}
	}
	a := act{start: t, begin: t, end: t, op: op, step: stepPost, cause: r.why[op]}
	r.why[op] = r.keep(a).as(atStart)
	return r.why[op]
}

// intake records that a NIC begins to take in a message, which occupies the NIC unless NICs
// interleave it. Its first byte arrived at time came. It returns a link to the step.
func (r *record) intake(a act, nic int, occupied bool, came uint64) link {
	if r == nil {
		return link{}
	}
	// The message is that of the other side: of the send if the operation receives, of the grant if
	// it sends.
	a.cause = r.why[a.op]
	if r.ops[a.op].Kind == schedule.Recv {
		a.cause = r.why[r.nodes[a.op].next]
	}
	if a.begin > came {
		a.cause = r.clockBy[nic]
	}
	by := r.keep(a)
	if occupied {
		r.clockBy[nic] = by.as(atNIC)
	}
	return by
}

// lastByte records that a step of an operation has taken in the last byte at time end. The
// operation waits for it.
func (r *record) lastByte(op uint32, by link, end uint64) {
	if r == nil {
		return
	}
	if !by.passed {
		r.acts[by.act-1].end = end
	}
	r.why[op] = by.as(atStream)
}

// left records which step sent the last byte that has left its rank so far.
func (r *record) left(rank uint32, by link) {
	if r != nil {
		r.outBy[rank] = by
	}
}

// flow returns what is kept of a message that flows. Without a record nobody reads it.
func (r *record) flow(send uint32) *recordedFlow {
	if r == nil {
		return &recordedFlow{}
	}
	return &r.flows[send]
}

// finisher returns a link to the end of the step that finishes a rank, and the time of that end.
func (r *record) finisher(rank int) (by link, end uint64) {
	end, by = r.out[rank], r.outBy[rank].as(atLeft)
	first := rank * r.stride()
	for c := first; c < first+len(r.cpus.list); c++ {
		if r.clock[c] >= end {
			end, by = r.clock[c], r.clockBy[c]
		}
	}
	return by, end
}
