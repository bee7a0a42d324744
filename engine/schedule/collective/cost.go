package collective

import (
	"math"
	"math/bits"
)

// Model is what messages and combinations cost in the closed forms. A member can send, receive
// and combine at once, one of each kind at a time.
//
// Without Messages it is Hockney's: α + nβ for a message of n bytes, during which its sender's way
// out and its receiver's way in are taken (full duplex, one port).
type Model struct {
	Alpha float64 // of a message, in any unit of time, at least 0
	Beta  float64 // per byte, in the same unit
	Gamma float64 // per byte combined, in the same unit; Call.Gamma is not read

	// Messages, if not nil, says what messages cost in place of Alpha and Beta.
	Messages func(bytes uint64) Message
	// Combine, if not nil, says what it takes to combine so many bytes, in place of Gamma.
	Combine func(bytes uint64) float64
}

// Time returns e.Cost and whether it holds for m. Unless e.ChecksPorts is set, every message that
// the form uses must satisfy the conditions at [Message].
func (e Entry) Time(m Model, p int, c Call) (float64, bool) {
	if e.Cost == nil {
		return 0, false
	}
	if m.Messages == nil || e.ChecksPorts {
		return e.Cost(m, p, c)
	}
	cost := m.Messages
	late, early := math.Inf(-1), math.Inf(1) // when a way is free again, and the next can come
	m.Messages = func(n uint64) Message {
		one := cost(n)
		late, early = max(late, one.portTail()), min(early, one.portLead())
		return one
	}
	t, holds := e.Cost(m, p, c)
	return t, holds && late <= early
}

// portTail returns how long a rank's ports stay busy after it is done with the message.
func (t Message) portTail() float64 { return max(t.Gap, t.ReceiveGap) - t.Serialization - t.Receive }

// portLead returns the time from the start of a send until that message needs a port.
func (t Message) portLead() float64 {
	if t.Latency < 0 {
		return math.Inf(-1)
	}
	return t.Send + t.Latency
}

// inTurn says that ways are free in time for messages in rounds: those of a round have the size
// of one or the other of two that stand together.
func (m Model) inTurn(sizes []uint64) bool {
	for i, n := range sizes {
		one := m.message(n)
		late := one.portTail()
		if late > one.portLead() || i+1 < len(sizes) && late > m.message(sizes[i+1]).portLead() {
			return false
		}
	}
	return true
}

// A Message is what one message costs, in the unit of the model, all at least 0: its sender's
// processor, the way of the first byte, the bytes after it, its receiver's processor; and the way
// out (Gap) and the way in (ReceiveGap) until the next message.
//
// Closed forms suppose that who has a message can send at once, and take in what is sent then:
// Gap and ReceiveGap are at most its Serialization and Receive and any other's Send and Latency;
// Entry.Time says where that is so, or need not be.
type Message struct{ Send, Latency, Serialization, Receive, Gap, ReceiveGap float64 }

// oneWay is from when its sender begins until its receiver has it.
func (t Message) oneWay() float64 { return t.Send + t.Latency + t.Serialization + t.Receive }

// sendInterval is from when its sender begins until the next can be sent, in from when its receiver has it
// until it can have the next.
func (t Message) sendInterval() float64    { return max(t.Send, t.Gap) }
func (t Message) receiveInterval() float64 { return max(t.Receive, t.ReceiveGap) }

// turn is from when a member sends the message until it is done with one that was there, too.
func (t Message) turn(got Message) float64 { return max(t.Gap, got.ReceiveGap, t.Send+got.Receive) }

// A Cost is the time from the common begin until the last member is done, in the unit of
// the model, and false where the closed form does not hold: the schedule has to be simulated
// then. Members are p ≥ 1.
//
// Where the literature's forms suppose equal parts, these take the parts that there are: with
// w(n) for the time of a message, α + nβ in Hockney's model, they are sums of w over the messages of
// the longest chain. So most hold for any w, and for messages that cannot be cut evenly.
//
// Sources, as cited at each:
//
//	[trg]  Thakur, Rabenseifner, Gropp, Optimization of collective communication operations
//	       in MPICH, 2005, sections 4.1 to 4.5; repeated in the header comments of
//	       MPICH's src/mpi/coll.
//	[pg]   Pjesivac-Grbovic and others, Performance analysis of MPI collective operations,
//	       2007, tables of Hockney's model.
//	here   derived from the schedule, as the literature states no exact form
//
// The literature writes n for the total: p·Bytes where Bytes is a block, also below.
type Cost func(m Model, p int, c Call) (float64, bool)

// blocks says that messages of n bytes take no processor's time, and that the next waits until
// one has arrived, as in Hockney's model.
func (m Model) blocks(n uint64) bool {
	t := m.message(n)
	return t.Send+t.Receive == 0 && min(t.Gap, t.ReceiveGap) >= t.oneWay()
}

// message is what a message of n bytes costs.
func (m Model) message(n uint64) Message {
	if m.Messages != nil {
		return m.Messages(n)
	}
	bytes := float64(n) * m.Beta
	return Message{Latency: m.Alpha, Serialization: bytes, Gap: m.Alpha + bytes, ReceiveGap: m.Alpha + bytes}
}

// way is w(n).
func (m Model) way(n uint64) float64 { return m.message(n).oneWay() }

// sum is the time to combine n bytes.
func (m Model) sum(n uint64) float64 {
	if m.Combine != nil {
		return m.Combine(n)
	}
	return m.Gamma * float64(n)
}

// fanOut is the time of k ≥ 0 messages of n bytes from one member: w and k − 1 times the
// time between two; fanIn of those to one.
func (m Model) fanOut(k int, n uint64) float64 {
	if k < 1 {
		return 0
	}
	t := m.message(n)
	return t.oneWay() + float64(k-1)*t.sendInterval()
}

func (m Model) fanIn(k int, n uint64) float64 {
	if k < 1 {
		return 0
	}
	t := m.message(n)
	return t.oneWay() + float64(k-1)*t.receiveInterval()
}

// floorLg is ⌊lg p⌋, ceilLg ⌈lg p⌉.
func floorLg(p int) float64 { return float64(bits.Len(uint(p)) - 1) }
func ceilLg(p int) float64  { return float64(bits.Len(uint(p - 1))) }

func isPower(p int) bool { return p&(p-1) == 0 }

// whole says that the message travels in one piece.
func whole(c Call) bool { return c.Segment == 0 || c.Segment >= c.Bytes }

// elements is how many elements the message has, and whether all are whole.
func elements(c Call) (n, size uint64, whole bool) {
	size = max(c.Element, 1)
	return (c.Bytes + size - 1) / size, size, c.Bytes%size == 0
}
