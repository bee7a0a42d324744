package engine

import (
	"fmt"
	"math"
)

// Register makes memory a segment that other nodes store into and get from. All nodes register
// their segments in the same order. It panics for more than 4 GiB, or for the 32,769th segment.
func (e *Endpoint) Register(memory []byte) (segment int) {
	if uint64(len(memory)) > math.MaxUint32 || len(e.segments) > math.MaxInt16 {
		panic("engine: a segment has at most 4 GiB, and a node 32,768 of them")
	}
	e.segments = append(e.segments, memory)
	return len(e.segments) - 1
}

// Store copies data to an offset of a segment of the node dst, and then, once all data is there,
// runs the handler there with up to four words. Data larger than a piece travels as one request for
// each piece. Store returns when data may be changed again, not when it has arrived.
func (e *Endpoint) Store(dst int, h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, h, segment, offset, data, words)
}

// Get copies n bytes at an offset of a segment of the node src to a segment of this node, and runs
// the handler here once they are there. It returns when it has asked for all pieces.
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

// get is the handler of [Endpoint.Get].
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
	part := part{message: m.frame.Message, at: int(m.frame.At), whole: int(m.Words[3])}
	// It cannot fail: this is a request that nobody has replied to.
	_ = m.replyBulk(h, int(m.frame.Segment), int(m.frame.Addr), e.segments[segment][from:from+n], part, nil)
}

// checkBulk finds what is wrong with the arguments of a message with n bytes of data.
func checkBulk(segment, offset, n, words int) error {
	if words > headerWords || segment > math.MaxInt16 || uint64(offset)+uint64(n) > math.MaxUint32 {
		return badBulk(segment, offset, n, words)
	}
	return nil
}

func badBulk(segment, offset, n, words int) error {
	if words > headerWords {
		return fmt.Errorf("%d words: a message with data has at most %d", words, headerWords)
	}
	return fmt.Errorf("%d bytes at offset %d of segment %d: a segment has at most 4 GiB", n, offset, segment)
}

// bulk sends data outside of a handler. On a port that takes a short message at once, in one
// packet, it does itself what pieces and launch do, without the questions that have one answer
// there.
func (e *Endpoint) bulk(kind Kind, dst int, h HandlerID, segment, offset int, data []byte, words []uint32) error {
	if err := checkBulk(segment, offset, len(data), len(words)); err != nil {
		return err
	}
	if err := e.begin(dst); err != nil {
		return err
	}
	if len(data) > e.short {
		if limit := e.options.Rendezvous; limit > 0 && len(data) > limit {
			if err := e.rendezvous(dst); err != nil {
				return err
			}
		}
		return e.pieces(kind, dst, h, segment, offset, data, 0, part{message: e.nextID + 1, whole: len(data)}, words)
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
	n := uint32(len(data))
	f.Payload, f.Dst, f.Offset = data, int32(dst), 0
	f.ID, f.Message, f.Seq, f.Sum = e.nextID, e.nextID, p.sent, 0
	f.Addr, f.Total, f.Whole, f.At = uint32(offset), n, n, 0
	f.Segment, f.Handler, f.Kind, f.Flags = int16(segment), h, kind, 0
	f.arguments(words)
	p.sent++
	e.stats.Sent++
	e.stats.BytesSent += int64(n)
	if e.options.Checksums {
		f.Sum = f.sum()
	}
	e.port.Send(f)
	return nil
}

// rendezvous asks the receiver of a large message, and waits for its answer.
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

func (m *Message) ask()     { _ = m.Reply(grantHandler) } // the first reply to a request cannot fail
func (m *Message) granted() { m.Endpoint.grants++ }

// A part says which part of a message some data is: where it begins, and how large the message is.
type part struct {
	message   uint32
	at, whole int
}

// pieces sends data in pieces, each a request with a number of its own, or a part of the reply to
// the request id.
func (e *Endpoint) pieces(kind Kind, dst int, h HandlerID, segment, offset int, data []byte, id uint32, of part, words []uint32) error {
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
			f.Kind, f.ID, f.Message, f.Handler, f.Flags = kind, id, of.message, h, more
			f.Segment, f.Addr, f.Total = int16(segment), uint32(offset+at), uint32(end-at)
			f.Whole, f.At = uint32(of.whole), uint32(of.at+at)
			f.arguments(words)
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

// A partial is what has come of a piece of several packets, or of a message of several pieces.
type partial struct {
	partialKey
	got  int
	data []byte
}

// A partialKey names it among those of a peer.
type partialKey struct {
	id    uint32
	at    uint32 // of the piece; or wholeMessage
	reply bool   // the receiver gave the ids
}

const wholeMessage = math.MaxUint32

// partial finds what has come, or begins it. There are few at a time.
func (p *peer) partial(key partialKey) *partial {
	for i := range p.partials {
		if p.partials[i].partialKey == key {
			return &p.partials[i]
		}
	}
	p.partials = append(p.partials, partial{partialKey: key})
	return &p.partials[len(p.partials)-1]
}

// came notes that bytes have come, and reports whether these are all. Then the partial is gone.
func (p *peer) came(q *partial, bytes, of uint32) (complete bool) {
	if q.got += int(bytes); q.got < int(of) {
		return false
	}
	last := len(p.partials) - 1
	*q, p.partials[last] = p.partials[last], partial{}
	p.partials = p.partials[:last]
	return true
}

// fits reports whether what the header of a frame with n bytes says is possible here.
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

// stores reports whether the frame's data goes to a segment.
func (f *Frame) stores() bool { return f.Segment >= 0 && f.Handler != getHandler }

// place is where in a segment n bytes of the frame belong; nil if they do not, or cannot.
func (e *Endpoint) place(f *Frame, n int) []byte {
	if n == 0 || !f.stores() || !e.fits(f, n) {
		return nil
	}
	return e.segments[f.Segment][f.Addr+f.Offset:][:n]
}

// collect puts the frame's data where it belongs, and returns all of the piece once it is complete.
func (e *Endpoint) collect(p *peer, f *Frame, stores bool) (data []byte, complete bool) {
	if stores {
		if data = e.segments[f.Segment][f.Addr : f.Addr+f.Total]; len(data) == 0 {
			return data, true
		}
		// A direct port may have read it to its place.
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
	return data, p.came(q, uint32(len(f.Payload)), f.Total)
}

// wholeData is all data of a bulk message of several pieces, once the last of them has come.
func (e *Endpoint) wholeData(p *peer, f *Frame) (data []byte, complete bool) {
	if !p.came(p.partial(partialKey{f.Message, wholeMessage, f.Kind == Reply}), f.Total, f.Whole) {
		return nil, false
	}
	return e.segments[f.Segment][f.Addr-f.At:][:f.Whole], true
}
