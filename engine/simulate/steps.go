package simulate

// A record holds the steps of a run, each with its cause: the step whose end allowed it to begin.
// It is kept on demand; a run without a record tests a bool instead of writing.
type record struct {
	recording bool
	brief     bool // only computations are kept, see Setup.Computed
	acts      []act
	why       []link // by waiting operation: the latest known step that it waits for
	clockBy   []link // by clock: the step that set it
	outBy     []link // by rank: the step that sent its last byte
	stalls    map[opStep]uint64
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
	bytes uint64 // of the message sent or received; or handshake
	op    uint32
	step  step
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
