package engine

import (
	"math"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// With [Options.Retry], packets are sent again until they are acknowledged: StarT-JR's
// simplification of the selective repeat protocol [startjr, 3.2.2]. The receiver acknowledges each
// packet, keeps those that come early, and delivers them in order, once. When the time of the first
// unacknowledged packet runs out, that packet is sent again; once it is acknowledged, the next
// missing one follows at once.
//
// With [Options.Rounds] a lost packet need not wait for its time to run out [startjr, 3.2.4]. All
// packets carry the round of their receiver. A receiver that misses a packet starts its next round,
// informs all senders, and discards packets of the old round; the senders resend all packets
// without an acknowledgement.

// doublings is the number of times that a packet's timeout doubles. With more, a receiver that has
// come back, or a packet lost many times, would wait for seconds.
const doublings = 5

// window is the number of packets to one node that may be without an acknowledgement.
const window = 64

type reliable struct {
	unacked []*Frame          // copies to be sent again, in the order of their numbers
	due     quantity.Micros   // when the time of the first of them runs out
	silent  int               // times that it ran out since the last acknowledgement
	held    map[uint32]*Frame // copies of packets that came early, by number
	round   uint8             // the peer's, as far as known
}

func (p *peer) protocol() *reliable {
	if p.reliable == nil {
		p.reliable = &reliable{held: map[uint32]*Frame{}}
	}
	return p.reliable
}

func (e *Endpoint) keep(p *peer, f *Frame) {
	r := p.protocol()
	f.Round = r.round
	r.unacked = append(r.unacked, e.copyOf(f))
	e.unacked++
	if len(r.unacked) == 1 {
		e.wind(r)
	}
}

// wind starts the time of a peer's first packet.
func (e *Endpoint) wind(r *reliable) {
	r.due = e.port.Now() + e.options.Retry*quantity.Micros(uint64(1)<<min(r.silent, doublings))
	e.due = min(e.due, r.due)
}

// deadline returns the earliest time at which a packet may have to be sent again.
func (e *Endpoint) deadline() quantity.Micros {
	if e.unacked == 0 {
		return quantity.Micros(math.Inf(1))
	}
	return e.due
}

// resend sends the first packet to each peer again if it has timed out; the receiver probably has
// the packets behind it.
func (e *Endpoint) resend() {
	now := e.port.Now()
	if now < e.due {
		return
	}
	e.due = quantity.Micros(math.Inf(1))
	for dst := range e.peers {
		r := e.peers[dst].reliable
		if r == nil || len(r.unacked) == 0 {
			continue
		}
		if r.due > now {
			e.due = min(e.due, r.due)
			continue
		}
		if r.silent++; r.silent >= e.options.Attempts {
			e.giveUp(dst)
			continue
		}
		e.again(r, r.unacked[0])
		e.wind(r)
	}
}

func (e *Endpoint) again(r *reliable, frames ...*Frame) {
	for _, f := range frames {
		f.Round = r.round
		f.Sum = f.sum()
		e.stats.Resent++
		e.port.Send(f)
	}
}

func (e *Endpoint) giveUp(dst int) {
	r := e.peers[dst].reliable
	e.kept = append(e.kept, r.unacked...)
	e.unacked -= len(r.unacked)
	r.unacked = nil
	if e.err == nil {
		e.err = &PeerError{dst, r.silent}
	}
}

func (e *Endpoint) control(dst int, kind Kind, words [headerWords]uint32) {
	f := &e.signal
	f.Src, f.Dst = e.node, int32(dst)
	f.Header = Header{Kind: kind, Words: words, Round: e.round, Segment: noSegment}
	f.Sum = f.sum()
	e.port.Send(f)
}

func (e *Endpoint) acceptReliable(p *peer, f *Frame) {
	r, src := p.protocol(), int(f.Src)
	switch f.Kind {
	case Ack:
		e.acknowledged(r, f.Words[0], f.Words[1])
		return
	case Restart:
		if int8(f.Round-r.round) > 0 { // an older one may come late
			r.round = f.Round
			e.again(r, r.unacked...)
		}
		return
	}
	ahead := f.Seq - p.expect
	switch {
	case ahead < 1<<31 && e.options.Rounds && f.Round != e.round:
		e.control(src, Restart, [headerWords]uint32{})
		return
	case ahead >= 1<<31 || r.held[f.Seq] != nil:
		e.stats.Duplicate++
		e.control(src, Ack, [headerWords]uint32{f.Seq, p.expect})
		return
	case ahead > 0:
		r.held[f.Seq] = e.copyOf(f)
		e.control(src, Ack, [headerWords]uint32{f.Seq, p.expect})
		if e.options.Rounds {
			e.round++
			for dst := range e.peers {
				if e.peers[dst].reliable != nil {
					e.control(dst, Restart, [headerWords]uint32{})
				}
			}
		}
		return
	}
	if len(r.held) > 0 {
		e.stats.Reordered++
	}
	e.control(src, Ack, [headerWords]uint32{f.Seq, f.Seq + 1})
	p.expect++
	e.deliver(p, f)
	for next := r.held[p.expect]; next != nil; next = r.held[p.expect] {
		delete(r.held, p.expect)
		p.expect++
		e.deliver(p, next)
		e.kept = append(e.kept, next)
	}
}

// acknowledged forgets the packet seq and all before expect.
func (e *Endpoint) acknowledged(r *reliable, seq, expect uint32) {
	lost := r.silent > 0 // then the packets behind it are likely to be lost too
	r.silent = 0
	left := r.unacked[:0]
	first := len(r.unacked) > 0 && (r.unacked[0].Seq == seq || r.unacked[0].Seq-expect >= 1<<31)
	for _, f := range r.unacked {
		if f.Seq == seq || f.Seq-expect >= 1<<31 {
			e.unacked--
			e.kept = append(e.kept, f)
			continue
		}
		left = append(left, f)
	}
	r.unacked = left
	if first && len(left) > 0 {
		if lost {
			r.silent = 1
			e.again(r, left[0])
		}
		e.wind(r)
	}
}
