package engine

import (
	"math"
	"math/bits"
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// With [Options.Retry], packets are sent again until they are acknowledged: StarT-JR's
// simplification of the selective repeat protocol [startjr, 3.2.2]. The receiver acknowledges each
// packet, keeps those that come early, and delivers them in order, once. After a timeout of the
// first unacknowledged packet, that packet is sent again; once it is acknowledged, the next missing
// one follows at once.
//
// With [Options.Rounds] a lost packet need not wait for its timeout [startjr, 3.2.4]. All
// packets carry the round of their receiver. A receiver that misses a packet starts its next round,
// informs all senders, and discards packets of the old round; the senders resend all packets
// without an acknowledgement.

// doublings is the number of times that a packet's timeout doubles. With more, a receiver
// that has come back, or a packet lost many times, would wait for seconds: at a timeout of 2
// ms, 32 times that is 64 ms.
const doublings = 5

// window is the number of packets to one node that may be without an acknowledgement. It
// bounds the copies that a sender keeps, and the packets that a receiver must have room for.
// StarT-JR leaves the number open; 64 datagrams of 4 KiB fit into the receive buffer of
// package live.
const window = 64

func (p *peer) protocol() *reliable {
	if p.reliable == nil {
		p.reliable = &reliable{held: map[uint32]*Frame{}}
	}
	return p.reliable
}

// keep copies a frame that may have to be sent again. The frame itself belongs to the
// caller's next message as soon as the port has sent it.
func (e *Endpoint) keep(p *peer, f *Frame) {
	r := p.protocol()
	f.Round = r.round
	r.unacked = append(r.unacked, e.copyOf(f))
	e.unacked++
	// One timer for each peer is enough: it runs for the first packet without an acknowledgement.
	if len(r.unacked) == 1 {
		e.startTimer(r)
	}
}

// startTimer sets the timeout of the first packet without an acknowledgement.
func (e *Endpoint) startTimer(r *reliable) {
	r.due = e.port.Now() + e.options.Retry*quantity.Micros(uint64(1)<<min(r.silent, doublings))
	// due is a lower bound over all peers: after an acknowledgement the true time may be later,
	// and resend then finds nothing to do.
	e.due = min(e.due, r.due)
}

// deadline returns the earliest time at which a packet may have to be sent again.
func (e *Endpoint) deadline() quantity.Micros {
	if e.unacked == 0 {
		return quantity.Micros(math.Inf(1))
	}
	return e.due
}

// resend sends the first packet to each peer again if it has timed out; the receiver probably
// has the packets behind it. It is called at each poll, so it first compares two times.
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
		e.sendAgain(r, r.unacked[0])
		e.startTimer(r)
	}
}

func (e *Endpoint) sendAgain(r *reliable, frames ...*Frame) {
	for _, f := range frames {
		f.Round = r.round
		// The round is part of the checksum, which is computed again.
		f.Sum = f.sum()
		e.stats.Resent++
		e.port.Send(f)
	}
}

func (e *Endpoint) giveUp(dst int) {
	r := e.peers[dst].reliable
	// The copies become free memory, and nothing waits for acknowledgements of this peer.
	e.kept = append(e.kept, r.unacked...)
	e.unacked -= len(r.unacked)
	r.unacked = nil
	if e.err == nil {
		e.err = &PeerError{dst, r.silent}
	}
}

// sendControl uses a frame of its own: out may hold a message that waits for room at this
// moment. Control frames have no sequence number and are never sent again. A lost
// acknowledgement is repeated when the packet comes again.
func (e *Endpoint) sendControl(dst int, kind Kind, words [headerWords]uint32) {
	f := &e.signal
	f.Src, f.Dst = e.node, int32(dst)
	f.Header = Header{Kind: kind, Words: words, Round: e.round, Segment: noSegment}
	f.Sum = f.sum()
	e.port.Send(f)
}

// acceptReliable takes a frame under the retry protocol, and reports whether it is the next packet
// to deliver. If so, those that [peer.nextHeld] returns follow it.
func (e *Endpoint) acceptReliable(p *peer, f *Frame) (next bool) {
	r, src := p.protocol(), int(f.Src)
	switch f.Kind {
	case Ack:
		e.acknowledged(r, f.Words[0], f.Words[1])
		return false
	case Restart:
		// Rounds wrap around at 256. Read as a signed difference, up to 127 rounds ahead are
		// newer.
		if int8(f.Round-r.round) > 0 { // an older one may come late
			r.round = f.Round
			e.sendAgain(r, r.unacked...)
		}
		return false
	}
	// As in first, a difference of 2³¹ or more is that of an old packet.
	ahead := f.Seq - p.expect
	switch {
	// The sender has not heard of this round. It will send the packet again in the new one, so
	// this copy is thrown away, and the news is repeated in case it was lost.
	case ahead < 1<<31 && e.options.Rounds && f.Round != e.round:
		e.sendControl(src, Restart, [headerWords]uint32{})
		return false
	// The packet has been here: its acknowledgement was lost or late. Without another one the
	// sender would repeat the packet until it gives this node up.
	case ahead >= 1<<31 || r.held[f.Seq] != nil:
		e.stats.Duplicate++
		e.sendControl(src, Ack, [headerWords]uint32{f.Seq, p.expect})
		return false
	// A packet before this one is missing. It is kept and acknowledged, so that only the missing
	// one is sent again; that is the selective in selective repeat.
	case ahead > 0:
		r.held[f.Seq] = e.copyOf(f)
		e.sendControl(src, Ack, [headerWords]uint32{f.Seq, p.expect})
		if e.options.Rounds {
			e.round++
			for dst := range e.peers {
				if e.peers[dst].reliable != nil {
					e.sendControl(dst, Restart, [headerWords]uint32{})
				}
			}
		}
		return false
	}
	if len(r.held) > 0 {
		e.stats.Reordered++
	}
	// An acknowledgement names the packet, and the next one that is expected.
	e.sendControl(src, Ack, [headerWords]uint32{f.Seq, f.Seq + 1})
	p.expect++
	return true
}

// nextHeld takes the held packet that follows the last delivered one; nil if it has not come.
func (p *peer) nextHeld() *Frame {
	f := p.reliable.held[p.expect]
	if f != nil {
		delete(p.reliable.held, p.expect)
		p.expect++
	}
	return f
}

// copyOf is a copy of a frame that outlives it, until it is appended to kept.
func (e *Endpoint) copyOf(f *Frame) *Frame {
	var c *Frame
	if last := len(e.kept) - 1; last >= 0 {
		c = e.kept[last]
		e.kept = e.kept[:last]
	} else {
		c = &Frame{}
	}
	payload := c.Payload[:0]
	if n := len(f.Payload); cap(payload) < n {
		payload = make([]byte, 0, 1<<bits.Len(uint(n-1))) // soon large enough for any packet
	}
	*c = *f
	c.Payload = append(payload, f.Payload...)
	return c
}

// acknowledged forgets the packet seq and all before expect.
func (e *Endpoint) acknowledged(r *reliable, seq, expect uint32) {
	lost := r.silent > 0 // then the packets behind it are likely to be lost too
	r.silent = 0
	arrived := func(f *Frame) bool { return f.Seq == seq || f.Seq-expect >= 1<<31 }
	first := len(r.unacked) > 0 && arrived(r.unacked[0])
	r.unacked = slices.DeleteFunc(r.unacked, func(f *Frame) bool {
		if !arrived(f) {
			return false
		}
		e.unacked--
		e.kept = append(e.kept, f)
		return true
	})
	if first && len(r.unacked) > 0 {
		if lost {
			r.silent = 1
			e.sendAgain(r, r.unacked[0])
		}
		e.startTimer(r)
	}
}
