package engine

import (
	"fmt"
	"math"
)

// Register makes memory a segment that other nodes can store into and get from. All nodes must
// register their segments in the same order. Register panics for more than 4 GiB, or for the
// 32,769th segment.
func (e *Endpoint) Register(memory []byte) (segment int) {
	if uint64(len(memory)) > math.MaxUint32 || len(e.segments) > math.MaxInt16 {
		panic("engine: a segment has at most 4 GiB, and a node 32,768 of them")
	}
	e.segments = append(e.segments, memory)
	return len(e.segments) - 1
}

// Store copies data to an offset of a segment of node dst and then runs the handler there with up
// to four words. Data larger than a piece travels as one request per piece. Store returns when data
// may be changed again, not when it has arrived.
func (e *Endpoint) Store(dst int, h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, &delivery{h, segment, offset, data, words})
}

// Get copies n bytes at an offset of a segment of node src to a segment of this node, and then runs
// the handler here. It returns when it has requested all pieces.
func (e *Endpoint) Get(src int, h HandlerID, segment, offset, toSegment, toOffset, n int) error {
	if err := e.begin(src); err != nil {
		return err
	}
	if n < 1 || offset < 0 || segment < 0 || segment > math.MaxInt16 || uint64(offset)+uint64(n) > math.MaxUint32 {
		return fmt.Errorf("cannot get %d bytes at offset %d of segment %d", n, offset, segment)
	}
	if toSegment < 0 || toSegment >= len(e.segments) || toOffset < 0 || toOffset+n > len(e.segments[toSegment]) {
		return fmt.Errorf("cannot get %d bytes to offset %d of segment %d: they do not fit there", n, toOffset, toSegment)
	}
	for at, first := 0, e.nextID+1; at < n; {
		piece, _ := e.port.Cut(n, n-at)
		if err := e.credit(src); err != nil {
			return err
		}
		if err := e.admit(src); err != nil {
			return err
		}
		f := &e.out
		f.Header = Header{
			Kind: Request, ID: e.id(), Handler: getHandler, NWords: headerWords,
			Message: first, Segment: int16(toSegment), Addr: uint32(toOffset + at), At: uint32(at),
			Words: [headerWords]uint32{uint32(segment)<<8 | uint32(h), uint32(offset + at), uint32(piece), uint32(n)},
		}
		f.Payload, f.Offset = nil, 0
		e.launch(src)
		at += piece
	}
	return nil
}

func (m *Message) get() {
	e := m.Endpoint
	if len(m.Words) != headerWords || m.frame.Flags.Has(WordsInside) {
		e.stats.Malformed++
		return
	}
	segment, h := int(m.Words[0]>>8), HandlerID(m.Words[0])
	from, n := int(m.Words[1]), int(m.Words[2])
	if segment >= len(e.segments) || from+n > len(e.segments[segment]) {
		e.stats.Malformed++ // the library still replies, without data, and returns the credit
		return
	}
	d := delivery{h, int(m.frame.Segment), int(m.frame.Addr), e.segments[segment][from : from+n], nil}
	// It cannot fail: this request has not been replied to.
	_ = m.replyBulk(d, part{m.frame.Message, int(m.frame.At), int(m.Words[3])})
}

// A delivery is data with the handler and the place in a segment that it is for.
type delivery struct {
	handler         HandlerID
	segment, offset int // segment noSegment: the data is for the handler alone
	data            []byte
	words           []uint32 // arguments of the handler
}

func (d *delivery) check() error {
	if len(d.words) > headerWords || d.segment > math.MaxInt16 || uint64(d.offset)+uint64(len(d.data)) > math.MaxUint32 {
		return d.fault()
	}
	return nil
}

func (d *delivery) fault() error {
	if len(d.words) > headerWords {
		return fmt.Errorf("a message with data has at most %d words (got %d)", headerWords, len(d.words))
	}
	return fmt.Errorf("%d bytes at offset %d of segment %d: a segment has at most 4 GiB", len(d.data), d.offset, d.segment)
}

// bulk sends data outside of a handler. On a port that takes a short message in one packet without
// waiting, it does the work of pieces and launch inline, without their checks that cannot fail
// there.
func (e *Endpoint) bulk(kind Kind, dst int, d *delivery) error {
	if err := d.check(); err != nil {
		return err
	}
	if err := e.begin(dst); err != nil {
		return err
	}
	if len(d.data) > e.short {
		if limit := e.options.EagerThreshold; limit > 0 && len(d.data) > limit {
			if err := e.rendezvous(dst); err != nil {
				return err
			}
		}
		return e.pieces(kind, dst, d, 0, part{e.nextID + 1, 0, len(d.data)})
	}
	p := &e.peers[dst]
	if kind == Request {
		if limit := int32(e.options.Credits); limit > 0 && p.out >= limit {
			e.waitForCredit(p, dst, limit)
			if e.err != nil {
				return e.err
			}
		}
		p.out++
	}
	f := &e.out
	e.nextID++
	n := uint32(len(d.data))
	f.Payload, f.Dst, f.Offset = d.data, int32(dst), 0
	f.ID, f.Message, f.Seq, f.Sum = e.nextID, e.nextID, p.sent, 0
	f.Addr, f.Total, f.Whole, f.At = uint32(d.offset), n, n, 0
	f.Segment, f.Handler, f.Kind, f.Flags = int16(d.segment), d.handler, kind, 0
	f.arguments(d.words)
	p.sent++
	e.stats.Sent++
	e.stats.BytesSent += int64(n)
	if e.options.Checksums {
		f.Sum = f.sum()
	}
	e.port.Send(f)
	return nil
}

// rendezvous announces a large message to its receiver, and waits for the answer.
func (e *Endpoint) rendezvous(dst int) error {
	if err := e.credit(dst); err != nil {
		return err
	}
	before := e.grants
	if err := e.words(dst, Request, e.id(), askHandler, nil); err != nil {
		return err
	}
	return e.WaitFor(fmt.Sprintf("node %d to be ready for a large message", dst), func() bool { return e.grants > before })
}

func (m *Message) ask()     { _ = m.Reply(grantHandler) } // a first reply cannot fail
func (m *Message) granted() { m.Endpoint.grants++ }

type part struct {
	message uint32 // number of the message
	at      int    // offset of the data in it
	whole   int    // size of the message
}

// pieces sends data in pieces, each a request with its own number or, if kind is Reply, a part of
// the reply to request id.
func (e *Endpoint) pieces(kind Kind, dst int, d *delivery, id uint32, of part) error {
	data := d.data
	for at := 0; ; {
		piece, size := e.port.Cut(max(1, of.whole), max(1, len(data)-at))
		end := min(at+piece, len(data))
		if kind == Request {
			if err := e.credit(dst); err != nil {
				return err
			}
		}
		if kind != Reply {
			id = e.id()
		}
		more := Flags(0)
		if end < len(data) {
			more = More
		}
		for from := at; ; from += size {
			if err := e.admit(dst); err != nil {
				return err
			}
			f := &e.out
			f.Payload, f.Offset = data[from:min(from+size, end)], uint32(from-at)
			f.Kind, f.ID, f.Message, f.Handler, f.Flags = kind, id, of.message, d.handler, more
			f.Segment, f.Addr, f.Total = int16(d.segment), uint32(d.offset+at), uint32(end-at)
			f.Whole, f.At = uint32(of.whole), uint32(of.at+at)
			f.arguments(d.words)
			e.launch(dst)
			if from+size >= end {
				break
			}
		}
		if at = end; at >= len(data) {
			return nil
		}
	}
}

// A partial is a piece of which some packets have arrived, or a message of which some pieces have.
type partial struct {
	partialKey
	got  int // bytes
	data []byte
}

type partialKey struct {
	id    uint32
	at    uint32 // offset of the piece, or wholeMessage
	reply bool   // the receiver assigned id
}

const wholeMessage = math.MaxUint32

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
