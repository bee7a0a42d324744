package simulate

import "github.com/halfpeak/halfpeak/engine/schedule"

func (r *run) startRecord() {
	// A message is sent, its receive is posted, it is taken in and received; a rendezvous, or a
	// wildcard, has more.
	r.acts = make([]act, 0, len(r.ops)+2*r.msgs)
	r.why = make([]link, len(r.ops))
	r.clockBy = make([]link, len(r.clock))
	r.outBy = make([]link, r.s.Ranks())
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
	if !r.recording {
		return link{}
	}
	a.cause = r.why[a.op]
	if late {
		if r.clock[cpu] == a.start || nic < 0 {
			a.cause = r.clockBy[cpu]
		} else {
			a.cause = r.clockBy[nic]
		}
	}
	r.acts = append(r.acts, a)
	by := link{act: uint32(len(r.acts))}
	r.clockBy[cpu] = by.as(atCPU)
	if nic >= 0 {
		r.clockBy[nic] = by.as(atNIC)
	}
	if a.step == stepSend || a.step == stepRequest || a.step == stepData {
		r.why[a.op] = by.as(atArrival)
	}
	return by
}

func (r *run) recordSharingDelay(send uint32, by uint64) {
	if r.recording && by > 0 {
		r.shared.held[send] += by
	}
}

// recordOrderDelay records how long a message, or the request of one, waits for messages before it.
func (r *run) recordOrderDelay(send uint32, request bool, by uint64) {
	flag := armed
	if request {
		flag = message
	}
	r.recordSharingDelay(send|flag, by)
}

// sharingDelay returns how long shared resources delay the message of step a until the moment, in
// ticks. Messages before it delay its arrival only.
func (r *run) sharingDelay(a *act, at relation) uint64 {
	switch {
	case r.shared == nil:
		return 0
	case a.step == stepRequest:
		return r.shared.held[a.op|message]
	case at == atArrival && (a.step == stepSend || a.step == stepData):
		return r.shared.held[a.op] + r.shared.held[a.op|armed]
	case a.step == stepSend || a.step == stepData:
		return r.shared.held[a.op]
	}
	return 0
}

func (r *run) recordPosting(op uint32, t uint64) link {
	if !r.recording {
		return link{}
	}
	r.acts = append(r.acts, act{t, t, t, 0, op, stepPost, r.why[op]})
	r.why[op] = link{uint32(len(r.acts)), atStart}
	return r.why[op]
}

// recordIntake records that a NIC takes in a message, and is occupied by it unless it flows. Its
// first byte arrived at time came; its last byte may have arrived long before now.
func (r *run) recordIntake(a act, nic int, occupied bool, came, now uint64) {
	if !r.recording {
		return
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
	r.acts = append(r.acts, a)
	by := link{act: uint32(len(r.acts))}
	if occupied {
		r.clockBy[nic] = by.as(atNIC)
	}
	if a.end >= now {
		r.why[a.op] = by.as(atStream)
	} // else the receive was posted late: what it waits for is its posting
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
