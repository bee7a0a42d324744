package collective

import (
	"math"
	"math/bits"
)

// Model holds the costs of messages and combinations in the closed forms. A member can send,
// receive and combine at the same time, one of each kind.
//
// Without Messages it is Hockney's model: a message of n bytes takes α + nβ, and occupies its
// sender's output and its receiver's input for that time (full duplex, one port).
type Model struct {
	Alpha float64 // per message, in any unit of time, at least 0
	Beta  float64 // per byte, in the same unit
	Gamma float64 // per byte combined, in the same unit; Call.Gamma is not read

	// Messages, if not nil, returns the cost of a message and replaces Alpha and Beta.
	Messages func(bytes uint64) Message
	// Combine, if not nil, returns the time to combine bytes and replaces Gamma.
	Combine func(bytes uint64) float64
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

// inTurn reports whether ports are free in time for messages in rounds, if the messages of each
// round have one of two adjacent sizes.
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

// A Message is the cost of one message in the model's unit of time, all at least 0. Send and
// Receive are on the processors, Latency is for the first byte, Serialization for the rest. Gap and
// ReceiveGap are the times from the message until the sender's next send and the receiver's next
// receive.
//
// Closed forms assume that a rank that has a message can send it, and can receive a message sent at
// that time. So Gap and ReceiveGap must be at most Serialization + Receive plus the Send + Latency
// of any other message. Entry.Time checks that.
type Message struct{ Send, Latency, Serialization, Receive, Gap, ReceiveGap float64 }

// oneWay returns the time from the start of the send to the end of the receive.
func (t Message) oneWay() float64 { return t.Send + t.Latency + t.Serialization + t.Receive }

// sendInterval returns the time from the start of a send until the next send can start.
func (t Message) sendInterval() float64 { return max(t.Send, t.Gap) }

// receiveInterval returns the time from the end of a receive until the next receive can end.
func (t Message) receiveInterval() float64 { return max(t.Receive, t.ReceiveGap) }

// turn returns the time to send the message and to receive got, which has already arrived.
func (t Message) turn(got Message) float64 { return max(t.Gap, got.ReceiveGap, t.Send+got.Receive) }

// A Cost returns the time from the common start until the last of p ≥ 1 members is done, in the
// model's unit. It returns false if the closed form does not hold and the schedule has to be
// simulated.
//
// The literature's forms assume equal parts; these use the actual sizes. With w(n) for the time of
// a message (α + nβ in Hockney's model), they are sums of w over the messages of the longest chain.
// So most of them hold for any w, and for messages that cannot be cut evenly.
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

// blocks reports whether messages of n bytes take no processor time and each waits until the
// previous one has arrived, as in Hockney's model.
func (m Model) blocks(n uint64) bool {
	t := m.message(n)
	return t.Send+t.Receive == 0 && min(t.Gap, t.ReceiveGap) >= t.oneWay()
}

func (m Model) message(n uint64) Message {
	if m.Messages != nil {
		return m.Messages(n)
	}
	bytes := float64(n) * m.Beta
	return Message{Latency: m.Alpha, Serialization: bytes, Gap: m.Alpha + bytes, ReceiveGap: m.Alpha + bytes}
}

// way returns w(n), the one-way time of a message of n bytes.
func (m Model) way(n uint64) float64 { return m.message(n).oneWay() }

func (m Model) sum(n uint64) float64 {
	if m.Combine != nil {
		return m.Combine(n)
	}
	return m.Gamma * float64(n)
}

// fanOut returns the time of k ≥ 0 messages of n bytes from one member: w(n) + (k − 1) send
// intervals.
func (m Model) fanOut(k int, n uint64) float64 {
	if k < 1 {
		return 0
	}
	t := m.message(n)
	return t.oneWay() + float64(k-1)*t.sendInterval()
}

// fanIn returns the time of k ≥ 0 messages of n bytes to one member: w(n) + (k − 1) receive
// intervals.
func (m Model) fanIn(k int, n uint64) float64 {
	if k < 1 {
		return 0
	}
	t := m.message(n)
	return t.oneWay() + float64(k-1)*t.receiveInterval()
}

// floorLg returns ⌊lg p⌋, ceilLg ⌈lg p⌉.
func floorLg(p int) float64 { return float64(bits.Len(uint(p)) - 1) }

func ceilLg(p int) float64 { return float64(bits.Len(uint(p - 1))) }
