package engine

import (
	"encoding/binary"
	"slices"
)

// accept checks a frame from the port, and delivers it unless it is a duplicate.
func (e *Endpoint) accept(f *Frame) {
	// A damaged source could be the number of no node, even without checksums.
	if e.options.Checksums && f.sum() != f.Sum || uint(f.Src) >= uint(len(e.peers)) {
		e.stats.Corrupt++
		return
	}
	p := &e.peers[f.Src]
	switch {
	case e.options.Retry > 0:
		if !e.acceptReliable(p, f) {
			return
		}
		e.deliver(p, f)
		for next := p.nextHeld(); next != nil; next = p.nextHeld() {
			e.deliver(p, next)
			e.kept = append(e.kept, next)
		}
	case f.Seq == p.expect && f.Seq == p.end: // as nearly always
		p.expect++
		p.end++
		e.deliver(p, f)
	case p.first(f.Seq, &e.stats):
		e.deliver(p, f)
	default:
		e.stats.Duplicate++
	}
}

// maxOvertaken is the number of packets that can overtake one before it is given up. It
// bounds the memory for the numbers of early packets on a network that loses some of them:
// each lost packet would otherwise keep all numbers after it for ever.
const maxOvertaken = 1 << 16

// first records the number of a packet, and reports whether it has come for the first time.
func (p *peer) first(seq uint32, s *Stats) bool {
	// Numbers wrap around at 2³². A difference of 2³¹ or more is negative: the packet is an
	// old one.
	ahead := seq - p.expect
	if ahead >= 1<<31 || p.early[seq] {
		return false
	}
	// A packet behind this one has been here, so this one was overtaken.
	if p.end-seq-1 < 1<<31 {
		s.Reordered++
	} else {
		p.end = seq + 1
	}
	if ahead > 0 {
		if p.early == nil {
			p.early = map[uint32]bool{}
		}
		p.early[seq] = true
		if len(p.early) <= maxOvertaken {
			return true
		}
		// The set is full: the oldest missing packet counts as lost, and expect moves past it.
		s.Missing++
	}
	p.expect++
	for ; len(p.early) > 0 && p.early[p.expect]; p.expect++ {
		delete(p.early, p.expect)
	}
	return true
}

// deliver adds a packet to its message, and runs the handler of a complete message. A message in
// one packet needs no collecting: only its place in a segment can be wrong.
func (e *Endpoint) deliver(p *peer, f *Frame) {
	data, n := f.Payload, len(f.Payload)
	e.stats.Received++
	e.stats.BytesReceived += int64(n)
	// A port may deliver a damaged header, so nothing in it is used without a check.
	if int(f.Handler) >= len(e.handlers) {
		e.stats.Malformed++
		return
	}
	if f.Flags != 0 || f.NWords > headerWords || f.At != 0 || f.Offset != 0 ||
		int(f.Total) != n || int(f.Whole) != n {
		e.deliverPart(p, f)
		return
	}
	at := 0
	if f.stores() {
		at = int(f.Addr)
		if int(f.Segment) >= len(e.segments) || at+n > len(e.segments[f.Segment]) {
			e.stats.Malformed++
			return
		}
		to := e.segments[f.Segment][at : at+n]
		if n > 0 && &to[0] != &data[0] { // a direct port may have read it to its place
			copy(to, data)
		}
		data = to
	}
	m := &e.message
	if f.NWords > 0 {
		m.words[0], m.words[1] = f.Words[0], f.Words[1]
		m.words[2], m.words[3] = f.Words[2], f.Words[3]
	}
	m.Offset, m.Data, m.Words = at, data, m.words[:f.NWords]
	e.run(p, f, true)
}

// deliverPart is deliver for a packet of a longer message, or with many words.
func (e *Endpoint) deliverPart(p *peer, f *Frame) {
	if !e.fits(f, len(f.Payload)) {
		e.stats.Malformed++
		return
	}
	data, complete := f.Payload, true
	stores := f.stores()
	if stores || len(data) != int(f.Total) {
		data, complete = e.collect(p, f, stores)
	}
	if !complete {
		return
	}
	m, offset := &e.message, f.At
	if stores {
		if offset = f.Addr - f.At; f.Total < f.Whole {
			// The handler of a store runs once, when all pieces are there in any order; a medium
			// message runs it for each piece, since nothing keeps the data of the others.
			data, complete = e.wholeData(p, f)
		}
	}
	if f.Flags.has(WordsInside) {
		for i := range f.NWords {
			m.words[i] = binary.LittleEndian.Uint32(data[4*i:])
		}
		data = nil
	} else {
		copy(m.words[:], f.Words[:])
	}
	m.Offset, m.Data, m.Words = int(offset), data, m.words[:f.NWords]
	e.run(p, f, complete)
}

// run runs the handler of a message that is complete, and replies if that does not.
func (e *Endpoint) run(p *peer, f *Frame, complete bool) {
	m := &e.message
	m.From, m.Whole = int(f.Src), int(f.Whole)
	m.frame, m.replied = f, false
	e.inside = true
	if h := e.handlers[f.Handler]; h != nil && complete {
		h(m)
	}
	switch f.Kind {
	case Request:
		if m.replied {
			break
		}
		// The credit goes back even if the handler does not reply: alone, or when a batch is full.
		if e.options.CreditBatch == 1 {
			e.words(m.From, Reply, f.ID, NoHandler, nil)
		} else if p.owed++; int(p.owed) >= e.options.CreditBatch {
			e.pay(m.From)
		}
	case Reply:
		// Only the last piece of a reply returns the credit, which its request took once.
		if !f.Flags.has(More) && p.out > 0 {
			p.out--
		}
	}
	e.inside = false
}

func (e *Endpoint) pay(dst int) {
	if p := &e.peers[dst]; p.owed > 0 {
		owed := uint32(p.owed)
		p.owed = 0
		// A message without a reply: a request would take a credit in order to return some.
		e.words(dst, OneWay, e.id(), paidHandler, []uint32{owed})
	}
}

// fits reports whether the header of a frame with n bytes is consistent with this endpoint.
func (e *Endpoint) fits(f *Frame, n int) bool {
	if f.NWords > headerWords || f.Flags.has(WordsInside) {
		if f.NWords > MaxWords || !f.Flags.has(WordsInside) || n < 4*int(f.NWords) ||
			int(f.Total) != n {
			return false
		}
	}
	if int(f.Offset)+n > int(f.Total) {
		return false
	}
	if !f.stores() {
		return true
	}
	// The whole message must fit in the segment, and not only this piece of it: else a damaged
	// header would leave a part of a message there. It begins at Addr − At.
	return int(f.Segment) < len(e.segments) && f.At <= f.Addr &&
		int(f.At)+int(f.Total) <= int(f.Whole) &&
		int(f.Addr-f.At)+int(f.Whole) <= len(e.segments[f.Segment])
}

// stores reports whether the frame's data belongs in a segment.
func (f *Frame) stores() bool { return f.Segment >= 0 && f.Handler != getHandler }

// place returns the place in a segment for n bytes of the frame; nil if there is none.
func (e *Endpoint) place(f *Frame, n int) []byte {
	if n == 0 || !f.stores() || !e.fits(f, n) {
		return nil
	}
	return e.segments[f.Segment][f.Addr+f.Offset:][:n]
}

// collect stores the frame's data, and returns the data of the piece once it is complete.
func (e *Endpoint) collect(p *peer, f *Frame, stores bool) (data []byte, complete bool) {
	if stores {
		if data = e.segments[f.Segment][f.Addr : f.Addr+f.Total]; len(data) == 0 {
			return data, true
		}
		// A direct port may have read it to its place already.
		if to := data[f.Offset:]; len(f.Payload) > 0 && &to[0] != &f.Payload[0] {
			copy(to, f.Payload)
		}
		if len(f.Payload) == int(f.Total) {
			return data, true
		}
	}
	q := p.partial(partialKey{f.ID, f.At, f.Kind == Reply})
	if !stores {
		if q.data == nil {
			q.data = make([]byte, f.Total)
		}
		data = q.data
		copy(data[f.Offset:], f.Payload)
	}
	return data, p.addBytes(q, uint32(len(f.Payload)), f.Total)
}

func (e *Endpoint) wholeData(p *peer, f *Frame) (data []byte, complete bool) {
	all := p.partial(partialKey{f.Message, wholeMessage, f.Kind == Reply})
	if !p.addBytes(all, f.Total, f.Whole) {
		return nil, false
	}
	return e.segments[f.Segment][f.Addr-f.At:][:f.Whole], true
}

// partial returns the partial with the key; it creates one if there is none.
func (p *peer) partial(key partialKey) *partial {
	for i := range p.partials {
		if p.partials[i].partialKey == key {
			return &p.partials[i]
		}
	}
	// Of a peer that never completes what it begins, the oldest goes.
	if len(p.partials) >= maxOvertaken {
		p.partials = slices.Delete(p.partials, 0, 1)
	}
	p.partials = append(p.partials, partial{partialKey: key})
	return &p.partials[len(p.partials)-1]
}

// addBytes counts bytes of q, and reports whether q has all of its bytes. If so, it is removed.
func (p *peer) addBytes(q *partial, bytes, of uint32) (complete bool) {
	if q.got += int(bytes); q.got < int(of) {
		return false
	}
	last := len(p.partials) - 1
	// The last partial takes the place of the complete one: their order does not matter.
	*q, p.partials[last] = p.partials[last], partial{}
	p.partials = p.partials[:last]
	return true
}
