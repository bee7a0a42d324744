package collective

import "math"

// splitBinaryCost follows the halves down the tree and the exchange of each pair, here, for whole
// messages. A member sends to its children and then to the other of its pair, while the other half
// comes in. It does not hold where it is not known who needs a processor or a way in first.
func splitBinaryCost(m Model, p int, c Call) (float64, bool) {
	n, size, _ := elements(c)
	if !whole(c) {
		return 0, false
	}
	if p < 3 || n < 2 || c.Segment > 0 {
		t, ok := pipelineCost(m, p, c)
		return t, ok && m.inTurn([]uint64{c.Bytes})
	}
	half := min((n+1)/2*size, c.Bytes)
	of := [2]Message{m.message(half), m.message(c.Bytes - half)}
	if min(of[0].portLead(), of[1].portLead()) <= 0 {
		return 0, false
	}
	part := Part{Group: Group{Size: p}}
	// Of each member's half: when its parent had it, and when it began to send.
	from := make([]struct{ had, begun float64 }, p)
	from[2].begun = of[0].sendInterval()
	parent := func(v int) int { up, _ := binaryTree(&part, v); return up }
	last := 0.0
	for v := 1; v < p; v += 2 {
		var pair [2]exchange
		level := highest(v + 1)
		for i := range pair {
			pair[i] = exchange{mine: of[i], theirs: of[1-i], ready: math.Inf(1)}
			x := &pair[i]
			if v+i == p {
				x.done = true
				continue
			}
			for _, child := range [2]int{v + i + level, v + i + 2*level} {
				if child < p {
					x.sends++
				}
			}
			if v+1 < p {
				x.sends++
			}
			x.receiveOwnHalf(from[v+i].begun + x.mine.portLead())
		}
		a, b := &pair[0], &pair[1]
		if v+1 == p { // the root sends the last member the other half, after those to its children
			came, own := of[0].sendInterval()+of[1].sendInterval()+of[1].portLead(), from[v].begun+a.mine.portLead()
			if came == own && of[0] != of[1] || came < own && !a.receiveOtherHalfFirst(came, own) || came >= own && !a.receiveOtherHalf(came) {
				return 0, false
			}
		} else {
			// Their first sends to each other are after those to their children, of which an early
			// one can come before the other's own half.
			begun := a.has + float64(a.sends-1)*a.mine.sendInterval()
			switch came, own := begun+a.mine.portLead(), from[v+1].begun+b.mine.portLead(); {
			case came < own || came == own && begun < from[v+1].begun:
				if !b.receiveOtherHalfFirst(came, own) {
					return 0, false
				}
			case came == own && begun > from[v+1].begun:
				return 0, false
			case came == own && a.has-a.mine.Receive <= from[v+1].had:
				// The parent of the one and the other had theirs at once: who was sent to first?
				one, other := parent(v+1), v
				for one > 0 && other > 0 && from[one] == from[other] {
					one, other = parent(one), parent(other)
				}
				if of[0] != of[1] || other == 0 || one > 0 && (from[one].begun != from[other].begun || from[one].had > from[other].had) {
					return 0, false
				}
			}
		}
		if !a.run(b) {
			return 0, false
		}
		for i := range pair {
			x := &pair[i]
			k := 0
			for _, child := range [2]int{v + i + level, v + i + 2*level} {
				if v+i < p && child < p {
					from[child].had, from[child].begun = x.has, x.begun[k]
					k++
				}
			}
			last = max(last, x.cpu)
		}
	}
	return last, true
}

// An exchange is one member's part of that of a pair, after its own half has come.
type exchange struct {
	mine, theirs Message
	has          float64 // when it has its half
	cpu, out, in float64 // when its processor and its ways are free
	sends, sent  int
	begun        [3]float64
	ready        float64 // when the other half can be received
	heard, done  bool
}

// receiveOwnHalf is the own half, whose first byte comes then.
func (x *exchange) receiveOwnHalf(came float64) {
	x.has = came + x.mine.Serialization + x.mine.Receive
	x.cpu, x.in = x.has, came+x.mine.ReceiveGap
}

// receiveOtherHalf is the other half, after the own one, and false if the processor could need both at once, or
// it is not known which is the first.
func (x *exchange) receiveOtherHalf(came float64) bool {
	x.heard = true
	x.ready = max(came, x.in) + x.theirs.Serialization
	free := x.mine.Send == 0 && x.theirs.Receive == 0 // takes no processor's time
	return came > x.has-x.mine.Receive || x.ready > x.has && (x.sends <= 1 || free)
}

// receiveOtherHalfFirst is the other half at a member whose own one comes later.
func (x *exchange) receiveOtherHalfFirst(came, own float64) bool {
	x.heard, x.done = true, true
	ready := came + x.theirs.Serialization
	own = max(own, came+x.theirs.ReceiveGap)
	if own+x.mine.Serialization <= ready {
		return false
	}
	x.receiveOwnHalf(own)
	x.has = max(own+x.mine.Serialization, ready+x.theirs.Receive) + x.mine.Receive
	x.cpu = x.has
	return true
}

// next is when the member can send, and when it can receive the other half.
func (x *exchange) next() (send, receive float64) {
	send, receive = math.Inf(1), math.Inf(1)
	if x.sent < x.sends {
		send = max(x.cpu, x.out)
	}
	if !x.done {
		receive = max(x.cpu, x.ready)
	}
	return send, receive
}

// run is the exchange of the two. A send that could begin when a receive can is the first: it was
// free before.
func (x *exchange) run(y *exchange) bool {
	for {
		send, receive := x.next()
		otherSend, otherReceive := y.next()
		if min(otherSend, otherReceive) < min(send, receive) {
			x, y = y, x
			send, receive = otherSend, otherReceive
		}
		switch {
		case math.IsInf(send, 1) && math.IsInf(receive, 1):
			return x.done && y.done
		case send <= receive:
			x.begun[x.sent] = send
			x.sent++
			x.cpu, x.out = send+x.mine.Send, send+x.mine.Gap
			if x.sent == x.sends && !y.heard && !y.done && !y.receiveOtherHalf(send+x.mine.portLead()) {
				return false
			}
		default:
			x.cpu, x.done = receive+x.theirs.Receive, true
		}
	}
}
