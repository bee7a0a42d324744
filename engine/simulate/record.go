package simulate

import (
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/internal/memory"
)

func (r *run) startRecord() {
	// A message is sent, its receive is posted, it is taken in and received; a rendezvous, or a
	// wildcard, has more.
	acts := len(r.ops) + 2*r.msgs
	if r.brief {
		acts = r.s.Ranks()
		for i := range r.ops {
			if op := &r.ops[i]; op.Kind == schedule.Calc && op.Size > 0 {
				acts++
			}
		}
	}
	r.acts = memory.Make[act](acts)[:0]
	r.why = make([]link, len(r.ops))
	r.clockBy = make([]link, len(r.clock))
	r.outBy = make([]link, r.s.Ranks())
	r.stalls = map[opStep]uint64{}
	if r.flows != nil {
		r.flows.recorded = make([]recordedFlow, len(r.ops))
	}
}

// keep adds a step to the record and returns a link to it. A brief record has the computations that
// take time, and the first steps of ranks; any other step passes its cause on.
func (r *run) keep(a act) link {
	if r.brief && (a.step != stepCalc || a.end == a.start) && a.cause.act > 0 {
		return link{a.cause.act, a.cause.at, true}
	}
	r.acts = append(r.acts, a)
	return link{act: uint32(len(r.acts))}
}

// causeOf returns the cause of the step of a link.
func (r *run) causeOf(by link) link {
	if by.passed {
		return by
	}
	return r.acts[by.act-1].cause
}

func (r *run) setCause(op uint32, by link) {
	if r.recording {
		r.why[op] = by
	}
}

// recordStep records a step that occupies clock cpu and, unless nic is negative, clock nic. It sets
// a.cause: if late is set, the operation waited for one of the two clocks. It returns a link to the
// start of the step.
func (r *run) recordStep(a act, late bool, cpu, nic int) link {
	if r.tally != nil && r.ops[a.op].CPU == 0 && cpu != noProcessor {
		r.tally[r.nodes[a.op].rank].add(&a)
	}
	if !r.recording {
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
func (r *run) lastStep(op uint32) link {
	if !r.recording {
		return link{}
	}
	return r.why[op]
}

func (r *run) recordDelay(send uint32, by delay) {
	if r.recording && by != (delay{}) {
		d := r.shared.held[send]
		r.shared.held[send] = delay{d.shared + by.shared, d.flow + by.flow,
			d.order + by.order, d.request + by.request}
	}
}

// delayUntil returns how long the message of step a waits before the moment, in ticks.
func (r *run) delayUntil(a *act, at relation) uint64 {
	if r.shared == nil {
		return 0
	}
	switch d := r.shared.held[a.op]; {
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

// recordStall records for how long the processor of a step stalled.
func (r *run) recordStall(at opStep, stall uint64) {
	if r.recording && stall > 0 {
		r.stalls[at] = stall
	}
}

// lastAtNIC returns the step that a NIC sent last.
func (r *run) lastAtNIC(nic int) link {
	if !r.recording {
		return link{}
	}
	return r.clockBy[nic]
}

// recordQueued records the message of step a that waited at its NIC for the step before it, or for
// a stall, while its processor went on; call is the processor's part. It returns a link to it.
func (r *run) recordQueued(a act, queue, stall uint64, call, before link, nic int) link {
	if !r.recording {
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

// recordPause records that the bytes of a message, whose last one is in later by that, stopped.
func (r *run) recordPause(send, receive uint32, more uint64) {
	if r.shared != nil {
		r.recordDelay(send, delay{flow: more})
	}
	if by := r.why[receive]; by.at == atStream && !by.passed {
		r.acts[by.act-1].end += more
	}
}

func (r *run) recordPosting(op uint32, t uint64) link {
	if !r.recording {
		return link{}
	}
	a := act{start: t, begin: t, end: t, op: op, step: stepPost, cause: r.why[op]}
	r.why[op] = r.keep(a).as(atStart)
	return r.why[op]
}

// recordIntake records that a NIC begins to take in a message, which occupies the NIC unless NICs
// interleave it. Its first byte arrived at time came. It returns a link to the step.
func (r *run) recordIntake(a act, nic int, occupied bool, came uint64) link {
	if !r.recording {
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

// recordLastByte records that a step of an operation has taken in the last byte at time end. The
// operation waits for it.
func (r *run) recordLastByte(op uint32, by link, end uint64) {
	if !r.recording {
		return
	}
	if !by.passed {
		r.acts[by.act-1].end = end
	}
	r.why[op] = by.as(atStream)
}

// setLastByte sets when the last byte of a step leaves its rank, if that is the latest so far.
func (r *run) setLastByte(rank uint32, left uint64, by link) {
	if left <= r.out[rank] {
		return
	}
	r.out[rank] = left
	if r.recording {
		r.outBy[rank] = by
	}
}

// finisher returns a link to the end of the step that finishes a rank, and the time of that end.
func (r *run) finisher(rank int) (by link, end uint64) {
	end, by = r.out[rank], r.outBy[rank].as(atLeft)
	first := rank * r.stride
	for c := first; c < first+len(r.cpus.list); c++ {
		if r.clock[c] >= end {
			end, by = r.clock[c], r.clockBy[c]
		}
	}
	return by, end
}
