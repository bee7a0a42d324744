package engine

import (
	"fmt"
	"math"
)

// Register makes memory a segment that other nodes store into and get from. All nodes
// register their segments in the same order.
func (e *Endpoint) Register(memory []byte) (segment int) {
	if len(memory) > math.MaxUint32 || len(e.segments) > math.MaxInt16 {
		panic("engine: a segment has at most 4 GiB, and a node 32,768 of them")
	}
	e.segments = append(e.segments, memory)
	return len(e.segments) - 1
}

// Store copies data to an offset of a segment of the node dst, and then runs the handler there with up to
// four words, once all data is there. Larger data than a piece travels as a request for each piece. Store returns when data may be changed again, not when it has arrived.
func (e *Endpoint) Store(dst int, h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, h, segment, offset, data, words)
}

// Get copies n bytes at an offset of a segment of the node src to one of this node's, and runs the
// handler here once they are there. It returns when it has asked for all pieces.
func (e *Endpoint) Get(src int, h HandlerID, segment, offset, toSegment, toOffset, n int) error {
	if err := e.begin(src, nil); err != nil {
		return err
	}
	if n < 1 || offset < 0 || segment < 0 || segment > math.MaxInt16 || offset+n > math.MaxUint32 {
		return fmt.Errorf("cannot get %d bytes at offset %d of segment %d", n, offset, segment)
	}
	if toSegment < 0 || toSegment >= len(e.segments) || toOffset < 0 || toOffset+n > len(e.segments[toSegment]) {
		return fmt.Errorf("cannot get %d bytes to offset %d of segment %d: it is not that large", n, toOffset, toSegment)
	}
	piece, first := e.port.Piece(n), e.nextID+1
	for at := 0; at < n; at += piece {
		if err := e.credit(src); err != nil {
			return err
		}
		f := e.port.Alloc(0)
		f.Kind, f.ID, f.Handler, f.NWords = Request, e.id(), getHandler, headerWords
		f.Message, f.Segment, f.Addr, f.At = first, int16(toSegment), uint32(toOffset+at), uint32(at)
		f.Words = [headerWords]uint32{uint32(segment)<<8 | uint32(h), uint32(offset + at), uint32(min(piece, n-at)), uint32(n)}
		_, f.Route = e.port.Packet(1, 1)
		e.launch(src, f)
	}
	return nil
}

// get is the handler of [Endpoint.Get].
func (m *Message) get() {
	e := m.Endpoint
	segment, h := int(m.Words[0]>>8), HandlerID(m.Words[0])
	from, n := int(m.Words[1]), int(m.Words[2])
	if segment >= len(e.segments) || from+n > len(e.segments[segment]) {
		e.stats.Malformed++ // the library replies, without data
		return
	}
	part := part{message: m.frame.Message, at: int(m.frame.At), whole: int(m.Words[3])}
	_ = m.replyBulk(h, int(m.frame.Segment), int(m.frame.Addr), e.segments[segment][from:from+n], part, nil) // a request, not replied to before
}

func checkBulk(segment, offset int, data []byte, words []uint32) error {
	if len(words) > headerWords {
		return fmt.Errorf("%d words: with data go at most %d", len(words), headerWords)
	}
	if segment > math.MaxInt16 || offset < 0 || offset+len(data) > math.MaxUint32 {
		return fmt.Errorf("%d bytes at offset %d of segment %d: a segment has at most 4 GiB", len(data), offset, segment)
	}
	return nil
}

// bulk sends data outside of a handler.
func (e *Endpoint) bulk(kind Kind, dst int, h HandlerID, segment, offset int, data []byte, words []uint32) error {
	if err := checkBulk(segment, offset, data, words); err != nil {
		return err
	}
	if err := e.begin(dst, words); err != nil {
		return err
	}
	if limit := e.options.Rendezvous; limit > 0 && len(data) > limit {
		if err := e.rendezvous(dst); err != nil {
			return err
		}
	}
	return e.pieces(kind, dst, h, segment, offset, data, 0, part{message: e.nextID + 1, whole: len(data)}, words)
}

// rendezvous asks the receiver of a large message, and waits for its answer.
func (e *Endpoint) rendezvous(dst int) error {
	if err := e.credit(dst); err != nil {
		return err
	}
	before := e.grants
	e.words(dst, Request, e.id(), askHandler, nil)
	return e.WaitFor(fmt.Sprintf("node %d to be ready for a large message", dst), func() bool { return e.grants > before })
}

func (m *Message) ask()     { _ = m.Reply(grantHandler) } // a request, not replied to before
func (m *Message) granted() { m.Endpoint.grants++ }

// A part says which part of a message data is: where it is in it, and how large that is.
type part struct {
	message   uint32
	at, whole int
}

// pieces sends data in pieces, each a request with a number of its own, or a part of the reply to the request id.
func (e *Endpoint) pieces(kind Kind, dst int, h HandlerID, segment, offset int, data []byte, id uint32, of part, words []uint32) error {
	piece := e.port.Piece(max(1, of.whole))
	for at := 0; at == 0 || at < len(data); at += piece {
		end := min(at+piece, len(data))
		if kind == Request {
			if err := e.credit(dst); err != nil {
				return err
			}
		}
		if kind != Reply {
			id = e.id()
		}
		head := Frame{
			Kind: kind, ID: id, Message: of.message, Handler: h, Segment: int16(segment), Addr: uint32(offset + at),
			Total: uint32(end - at), Whole: uint32(of.whole), At: uint32(of.at + at), NWords: uint8(len(words)), More: end < len(data),
		}
		copy(head.Words[:], words)
		if err := e.packets(dst, &head, data[at:end]); err != nil {
			return err
		}
	}
	return nil
}

// packets sends a piece.
func (e *Endpoint) packets(dst int, head *Frame, data []byte) error {
	var size int
	size, head.Route = e.port.Packet(max(1, int(head.Whole)), max(1, len(data)))
	for at := 0; at == 0 || at < len(data); at += size {
		if err := e.room(dst); err != nil {
			return err
		}
		part := data[at:min(at+size, len(data))]
		f := e.port.Alloc(len(part))
		payload := f.Payload
		*f = *head
		f.Payload, f.Offset = payload, uint32(at)
		copy(payload, part)
		e.launch(dst, f)
	}
	return nil
}

// partial is what has come of a piece of several packets, or of a message of several pieces.
type partial struct {
	got  int
	data []byte
}

type partialKey struct {
	src   int32
	id    uint32
	at    uint32 // of the piece; or wholeMessage
	reply bool   // its numbers are the receiver's
}

const wholeMessage = math.MaxUint32

// came notes that bytes have come of what the key says, and tells whether these are all of it.
func (e *Endpoint) came(key partialKey, bytes, of uint32) (p *partial, complete bool) {
	if p = e.partials[key]; p == nil {
		p = &partial{}
		if e.partials == nil {
			e.partials = map[partialKey]*partial{}
		}
		e.partials[key] = p
	}
	if p.got += int(bytes); p.got < int(of) {
		return p, false
	}
	delete(e.partials, key)
	return p, true
}

// fits checks that what the frame says can be.
func (e *Endpoint) fits(f *Frame) bool {
	if f.NWords > MaxWords || f.WordsInside && len(f.Payload) < 4*int(f.NWords) || !f.WordsInside && f.NWords > headerWords {
		return false
	}
	if int(f.Offset)+len(f.Payload) > int(f.Total) {
		return false
	}
	if !f.stores() {
		return true
	}
	return int(f.Segment) < len(e.segments) && f.At <= f.Addr && f.At+f.Total <= f.Whole &&
		int(f.Addr-f.At)+int(f.Whole) <= len(e.segments[f.Segment])
}

// stores tells whether the frame's data goes to a segment.
func (f *Frame) stores() bool { return f.Segment >= 0 && f.Handler != getHandler }

// collect puts the frame's data where it belongs, and returns all of the piece once it is complete.
func (e *Endpoint) collect(f *Frame) (data []byte, complete bool) {
	data = f.Payload
	if f.stores() {
		data = e.segments[f.Segment][f.Addr : f.Addr+f.Total]
		copy(data[f.Offset:], f.Payload)
	}
	if len(f.Payload) == int(f.Total) {
		return data, true
	}
	p, complete := e.came(partialKey{f.Src, f.ID, f.At, f.Kind == Reply}, uint32(len(f.Payload)), f.Total)
	if f.stores() {
		return data, complete
	}
	if p.data == nil {
		p.data = make([]byte, f.Total)
	}
	copy(p.data[f.Offset:], f.Payload)
	return p.data, complete
}

// bulkData is all data of a bulk message, once its last piece has come.
func (e *Endpoint) bulkData(f *Frame) (data []byte, complete bool) {
	if f.Total < f.Whole {
		if _, complete = e.came(partialKey{f.Src, f.Message, wholeMessage, f.Kind == Reply}, f.Total, f.Whole); !complete {
			return nil, false
		}
	}
	return e.segments[f.Segment][f.Addr-f.At:][:f.Whole], true
}
