package engine

// fits reports whether the header of a frame with n bytes is consistent with this endpoint.
func (e *Endpoint) fits(f *Frame, n int) bool {
	if f.NWords > headerWords || f.Flags.Has(WordsInside) {
		if f.NWords > MaxWords || !f.Flags.Has(WordsInside) || n < 4*int(f.NWords) || int(f.Total) != n {
			return false
		}
	}
	if int(f.Offset)+n > int(f.Total) {
		return false
	}
	if !f.stores() {
		return true
	}
	return int(f.Segment) < len(e.segments) && f.At <= f.Addr && int(f.At)+int(f.Total) <= int(f.Whole) &&
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
	if !p.addBytes(p.partial(partialKey{f.Message, wholeMessage, f.Kind == Reply}), f.Total, f.Whole) {
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
	p.partials = append(p.partials, partial{partialKey: key})
	return &p.partials[len(p.partials)-1]
}

// addBytes counts bytes of q, and reports whether q has all of its bytes. If so, it is removed.
func (p *peer) addBytes(q *partial, bytes, of uint32) (complete bool) {
	if q.got += int(bytes); q.got < int(of) {
		return false
	}
	last := len(p.partials) - 1
	*q, p.partials[last] = p.partials[last], partial{}
	p.partials = p.partials[:last]
	return true
}
