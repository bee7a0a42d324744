package simulate

import (
	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A record is what a run did: steps, each with the step that let it begin when it did and not
// before. It is kept on demand; a run without it tests a bool where it would write.
type record struct {
	recording bool
	acts      []act
	why       []link // of an operation that waits: what it waits for last, so far
	clockBy   []link // who set a clock
	outBy     []link // who sent the last byte of a rank
}

// An act is one step of an operation.
type act struct {
	start uint64
	begin uint64 // of a grant and of data: when its first part, the receiving of one byte, is over
	end   uint64 // of the processor's part
	bytes uint64 // of the message sent or received; or handshake
	op    uint32
	step  step
	cause link
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
)

// A link says that something happened at the moment when a step allowed it.
type link struct {
	act uint32 // plus 1; 0: the beginning of the run
	at  relation
}

// A relation says which moment of a step.
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

func (l link) as(at relation) link { return link{l.act, at} }

func (r *run) startRecord() {
	// A message is sent, its receive is posted, it is taken in and received; a rendezvous, or a
	// wildcard, has more.
	r.acts = make([]act, 0, len(r.ops)+2*r.msgs)
	r.why = make([]link, len(r.ops))
	r.clockBy = make([]link, len(r.clock))
	r.outBy = make([]link, r.s.Ranks())
}

// setCause notes what an operation's next step waits for.
func (r *run) setCause(op uint32, by link) {
	if r.recording {
		r.why[op] = by
	}
}

// recordStep notes a step that occupies a processor, and a NIC if nic is not negative. late says
// that the operation waited until a clock let it go.
func (r *run) recordStep(step step, op uint32, late bool, cpu, nic int, bytes, start, begin, end uint64) link {
	if !r.recording {
		return link{}
	}
	cause := r.why[op]
	if late {
		if r.clock[cpu] == start || nic < 0 {
			cause = r.clockBy[cpu]
		} else {
			cause = r.clockBy[nic]
		}
	}
	r.acts = append(r.acts, act{start, begin, end, bytes, op, step, cause})
	by := link{act: uint32(len(r.acts))}
	r.clockBy[cpu] = by.as(atCPU)
	if nic >= 0 {
		r.clockBy[nic] = by.as(atNIC)
	}
	if step == stepSend || step == stepRequest || step == stepData {
		r.why[op] = by.as(atArrival)
	}
	return by
}

// recordSharingDelay notes for how long the message of a send is held back.
func (r *run) recordSharingDelay(send uint32, by uint64) {
	if r.recording && by > 0 {
		r.shared.held[send] = by
	}
}

// sharingDelay is for how long the message of a step is held back, which is not its request.
func (r *run) sharingDelay(a *act) uint64 {
	if r.shared == nil || a.step != stepSend && a.step != stepData {
		return 0
	}
	return r.shared.held[a.op]
}

// posting notes the moment at which a receive begins to wait.
func (r *run) posting(op uint32, t uint64) link {
	if !r.recording {
		return link{}
	}
	r.acts = append(r.acts, act{t, t, t, 0, op, stepPost, r.why[op]})
	r.why[op] = link{uint32(len(r.acts)), atStart}
	return r.why[op]
}

// taken notes that the NIC takes in a message for operation i: what came came then, taking it
// in begins, and at now its last byte may have been there for long.
func (r *run) taken(i uint32, nic int, bytes, came, begin, now, stream uint64) {
	if !r.recording {
		return
	}
	// The message is that of the other side: of the send if i receives, of the grant if i sends.
	op, came0 := &r.ops[i], r.why[i]
	if op.Kind == schedule.Recv {
		came0 = r.why[r.nodes[i].next]
	}
	if begin > came {
		came0 = r.clockBy[nic]
	}
	r.acts = append(r.acts, act{begin, begin, begin + stream, bytes, i, stepTake, came0})
	by := link{act: uint32(len(r.acts))}
	r.clockBy[nic] = by.as(atNIC)
	if begin+stream >= now {
		r.why[i] = by.as(atStream)
	} // else the receive was posted late: what it waits for is its posting
}

// sentOut notes who sent the last byte of a rank.
func (r *run) sentOut(rank uint32, by link) {
	if r.recording {
		r.outBy[rank] = by
	}
}

// last is the step that finishes a rank, as a link to its end; it ends at that time.
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
