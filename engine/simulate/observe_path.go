package simulate

import (
	"errors"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Shares divide a time, in ticks, among its causes.
type Shares struct {
	Latency         uint64 // L
	SendOverhead    uint64 // o_s
	ReceiveOverhead uint64 // o_r
	Gap             uint64 // g: the part of gaps that one byte has too
	GapBytes        uint64 // G for each byte: streams, and the bytes' part of gaps
	OverheadBytes   uint64 // O for each byte
	Compute         uint64
	Noise           uint64 // also the up to 10 ns by which ranks begin apart where NICs interleave
	Collective      uint64 // joint operations, from the last rank's arrival
	Sharing         uint64 // delay by other messages through a shared unit, or by LogP's stall
	Waiting         uint64 // idle time of a processor; always 0 on a path
}

// Sum returns the time that was divided, in ticks.
func (s Shares) Sum() uint64 {
	sum := uint64(0)
	for _, part := range s.all() {
		sum += *part
	}
	return sum
}

func (s *Shares) all() [11]*uint64 {
	return [...]*uint64{
		&s.Latency, &s.SendOverhead, &s.ReceiveOverhead, &s.Gap, &s.GapBytes, &s.OverheadBytes,
		&s.Compute, &s.Noise, &s.Waiting, &s.Collective, &s.Sharing,
	}
}

// shareNames are in the order of all.
var shareNames = [...]string{
	"L", "o_s", "o_r", "g", "G·bytes", "O·bytes",
	"computation", "noise", "waiting", "collectives", "sharing",
}

// A Share is one of the Shares with its name.
type Share struct {
	Name  string
	Ticks uint64
}

// Parts returns the shares with their names: Collective and Sharing last, if there is any.
func (s Shares) Parts() (parts []Share) {
	for i, part := range s.all() {
		if *part > 0 || part != &s.Collective && part != &s.Sharing {
			parts = append(parts, Share{shareNames[i], *part})
		}
	}
	return parts
}

func (s *Shares) add(t Shares) {
	to := s.all()
	for i, part := range t.all() {
		*to[i] += *part
	}
}

// Slopes are the derivatives of a finish time by the parameters of LogGOPS: how often each is on
// the path. ∂T/∂o counts both overheads, ∂T/∂G and ∂T/∂O bytes. They hold as long as
// the path stays the same.
type Slopes struct{ L, O, G, GapPerByte, OverheadPerByte uint64 }

// all returns the slopes in the order of the parameters.
func (s *Slopes) all() [5]*uint64 {
	return [...]*uint64{&s.L, &s.O, &s.G, &s.GapPerByte, &s.OverheadPerByte}
}

// By returns the slope by the parameter with that letter (L, o, g, G or O).
func (s Slopes) By(letter string) uint64 {
	for i, slope := range s.all() {
		if parameters[i].letter == letter {
			return *slope
		}
	}
	return 0
}

// A Path says what a rank's finish time consists of: a chain of steps of operations. A step begins
// as soon as the one before allows it.
type Path struct {
	Rank     int
	Segments []Segment // from 0 to the finish, without gaps
	Shares   Shares    // their sum is the finish time
	Slopes   Slopes    // zero on a machine that is not LogGOPS
}

// A Segment is a part of a path: from the beginning of a step to the moment that allows the next
// one.
type Segment struct {
	Rank     int
	Op       uint32
	What     string // "compute", "send", "receive", …
	Until    string // "done", "processor free", …
	From, To uint64 // ticks
	Shares   Shares
}

var errNotRecorded = errors.New("the run was not recorded; set Setup.Record")

// Path returns the critical path of the rank that finishes last. The run must have been recorded,
// and the schedule must have ended.
func (r *Result) Path() (*Path, error) {
	if r.record == nil || r.record.brief {
		return nil, errNotRecorded
	}
	p := &Path{Rank: r.last()}
	by, end := r.record.finisher(p.Rank)
	_, end = r.record.walk(by, end, func(s Segment, slopes Slopes) {
		p.Segments = append(p.Segments, s)
		p.Shares.add(s.Shares)
		to := p.Slopes.all()
		for i, slope := range slopes.all() {
			*to[i] += *slope
		}
	})
	slices.Reverse(p.Segments)
	if len(p.Segments) > 0 {
		p.Segments[0].fromBegin()
		p.Shares.Noise += end
	}
	return p, nil
}

// Computed returns the time of computations on the critical path of the rank that finishes last,
// and the time before its first step: ranks begin up to 10 ns apart where NICs interleave messages.
// The rest of the finish are messages. Both are in ticks. The run must have been recorded, at least
// what it computed, without noise.
func (r *Result) Computed() (computing, before uint64, err error) {
	if r.record == nil {
		return 0, 0, errNotRecorded
	}
	by, end := r.record.finisher(r.last())
	for by.act != 0 {
		a := &r.record.acts[by.act-1]
		if a.step == stepCalc && by.at != atStart {
			computing += a.end - a.start
		}
		by, end = a.cause, a.start
	}
	return computing, end, nil
}

// fromBegin lets the first step of a path begin when the run does: ranks begin a little apart, see
// skewStarts.
func (s *Segment) fromBegin() {
	s.Shares.Noise += s.From
	s.From = 0
}

// walk goes backwards from the moment of a link, which is at time end, along the causes to the
// beginning of the run. It returns the link to the beginning and the time of that.
func (r *record) walk(by link, end uint64, visit func(s Segment, slopes Slopes)) (link, uint64) {
	for by.act != 0 {
		a := &r.acts[by.act-1]
		d := r.parts(a, by.at)
		visit(Segment{
			Rank:   int(r.rank(a.op)),
			Op:     a.op,
			What:   stepNames[a.step],
			Until:  relationNames[by.at],
			From:   r.from(a),
			To:     end,
			Shares: d.Shares,
		}, d.slopes)
		by, end = a.cause, r.from(a)
	}
	return by, end
}

// A division divides the time from the beginning of a step to a moment that it allows.
type division struct {
	Shares
	slopes  Slopes
	perByte uint64 // O in ticks; 0 on a machine that is not LogGOPS
	bytes   uint64 // all after the first
}

// processor divides the time of a processor for a message.
func (d *division) processor(share *uint64, all, bytes uint64) {
	own := min(bytes*d.perByte, all) // a multiple of the rounded perByte may exceed all
	*share += all - own
	d.OverheadBytes += own
	d.slopes.O++
	d.slopes.OverheadPerByte += bytes
}

// gap divides the busy time of a NIC; bytes is the part that grows with the size.
func (d *division) gap(busy, bytes uint64) {
	bytes = min(bytes, busy) // each is rounded alone
	d.Gap += busy - bytes
	d.GapBytes += bytes
	d.slopes.G++
	d.slopes.GapPerByte += d.bytes
}

func (d *division) stream(c *cost) {
	d.GapBytes += c.stream
	d.slopes.GapPerByte += d.bytes
}

// parts divides the time from the beginning of a step to a moment that it allows.
func (r *record) parts(a *act, at relation) (d division) {
	if at == atStart {
		return d
	}
	if a.step == stepJoint {
		d.Collective, d.Noise = a.end-a.begin, a.begin-a.start
		return d
	}
	if a.step == stepCalc {
		d.Compute = r.ops[a.op].Size * 1000
		d.Noise = a.end - a.start - d.Compute
		return d
	}
	from, to := r.endsOf(a)
	size := r.sizeOf(a)
	if size > 1 && size != handshake {
		d.bytes = size - 1
	}
	nominal := uint64(0)
	if m, isLogGOPS := r.costs.machine.(LogGOPS); isLogGOPS {
		d.perByte = uint64(math.Round(float64(m.OverheadPerByte) * picos))
	}
	if r.hears(a) {
		nominal = r.costs.of(to, from, handshake).receive
		d.processor(&d.ReceiveOverhead, nominal, 0)
	}
	begin := r.from(a)
	c := r.costs.of(from, to, size)
	switch {
	case a.step == stepTake && at == atNIC:
		d.gap(c.intake, c.intakeBytes)
	case a.step == stepTake:
		d.stream(c)
		d.Sharing = a.end - a.begin - c.stream
	case a.step == stepReceive:
		receiving := c.receiving(r.ops[a.op].Memory)
		d.processor(&d.ReceiveOverhead, receiving, d.bytes)
		d.Noise = a.end - a.start - receiving
	case at == atNIC:
		d.Noise = a.begin - begin - nominal
		d.Sharing = r.stalls[opStep{a.op, a.step, a.queued}]
		d.gap(c.gap, c.gapBytes)
	default:
		d.Sharing = r.stalls[opStep{a.op, a.step, a.queued}]
		sending := c.sending(r.ops[a.op].Memory)
		d.processor(&d.SendOverhead, sending, d.bytes)
		d.Noise = a.end - begin - nominal - sending - d.Sharing
		r.afterSend(&d, a, at, c)
	}
	return d
}

// hears reports whether a step that the path goes through receives a request or a grant before it
// sends. If it waited for its NIC, which it needs only then, the path begins behind that.
func (r *record) hears(a *act) bool {
	return (a.step == stepGrant || a.step == stepData) && a.cause.at != atNIC
}

// from returns when a step on the path begins.
func (r *record) from(a *act) uint64 {
	if (a.step == stepGrant || a.step == stepData) && !r.hears(a) {
		from, to := r.endsOf(a)
		return a.start + r.costs.of(to, from, handshake).receive
	}
	return a.start
}

// afterSend adds the time from the end of a processor's send until the moment.
func (r *record) afterSend(d *division, a *act, at relation, c *cost) {
	switch {
	case at == atArrival:
		d.travel(c)
		d.slopes.L = 1
		d.Sharing += r.delayUntil(a, at)
	case at == atLeft || at == atDone && a.step == stepData:
		d.stream(c)
		d.Sharing += r.delayUntil(a, at)
		if c.joint && a.step == stepData {
			d.travel(c)
		}
	}
}

// travel adds the latency. A message may arrive while its sender is still sending it.
func (s *Shares) travel(c *cost) {
	if c.latency < 0 {
		s.SendOverhead -= uint64(-c.latency)
	} else {
		s.Latency = uint64(c.latency)
	}
}

// sizeOf returns the size of the message of a step.
func (r *record) sizeOf(a *act) uint64 {
	switch op := &r.ops[a.op]; {
	case a.short:
		return handshake
	case op.Kind == schedule.Send:
		return op.Size
	}
	return r.ops[r.partners[a.op]].Size
}

// endsOf returns the sender and the receiver of the message of a step.
func (r *record) endsOf(a *act) (from, to uint32) {
	rank, partner, op := r.rank(a.op), r.partners[a.op], &r.ops[a.op]
	switch {
	case op.Kind == schedule.Send && a.step == stepTake: // the grant comes in
		return op.Peer, rank
	case op.Kind == schedule.Send:
		return rank, op.Peer
	case a.step == stepGrant:
		return rank, r.rank(partner)
	}
	return r.rank(partner), rank
}
