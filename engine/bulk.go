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
// four words. Larger data than a piece travels as a request for each piece, of which the
// last runs the handler. Store returns when data may be changed again, not when it has arrived.
func (e *Endpoint) Store(dst int, h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, h, segment, offset, data, words)
}

// Get copies n bytes at an offset of a segment of the node src to one of this node's, and then
// runs the handler here: once for each piece. It returns when it has asked for all of them.
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
	piece := e.port.Piece(n)
	for at := 0; at < n; at += piece {
		if err := e.credit(src); err != nil {
			return err
		}
		f := e.port.Alloc(0)
		f.Kind, f.ID, f.Handler, f.NWords = Request, e.id(), getHandler, headerWords
		f.Segment, f.Addr = int16(toSegment), uint32(toOffset+at)
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
	_ = m.replyBulk(h, int(m.frame.Segment), int(m.frame.Addr), e.segments[segment][from:from+n], int(m.Words[3]), nil) // a request, not replied to before
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
	return e.pieces(kind, dst, 0, h, segment, offset, data, len(data), words)
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

// pieces sends data in pieces, each a message of its own. All pieces of a reply have the
// number of the request.
func (e *Endpoint) pieces(kind Kind, dst int, id uint32, h HandlerID, segment, offset int, data []byte, whole int, words []uint32) error {
	piece := e.port.Piece(max(1, whole))
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
			Kind: kind, ID: id, Handler: h, Segment: int16(segment), Addr: uint32(offset + at),
			Total: uint32(end - at), Whole: uint32(whole), NWords: uint8(len(words)), More: end < len(data),
		}
		if head.More && segment != noSegment {
			head.Handler = NoHandler
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

// A part is what has come of a piece of several packets.
type part struct {
	got  int
	data []byte
}

type partKey struct {
	src    int32
	id     uint32
	addr   uint32
	isBack bool // a reply, whose numbers are not the sender's
}

// fits checks that what the frame says can be.
func (e *Endpoint) fits(f *Frame) bool {
	if f.NWords > MaxWords || f.WordsInside && len(f.Payload) < 4*int(f.NWords) || !f.WordsInside && f.NWords > headerWords {
		return false
	}
	if int(f.Offset)+len(f.Payload) > int(f.Total) {
		return false
	}
	return f.Segment < 0 || f.Handler == getHandler || int(f.Segment) < len(e.segments) && int(f.Addr)+int(f.Total) <= len(e.segments[f.Segment])
}

// collect puts the frame's data where it belongs, and returns all of the piece once it is complete.
func (e *Endpoint) collect(f *Frame) (data []byte, complete bool) {
	if f.Segment >= 0 && f.Handler != getHandler {
		data = e.segments[f.Segment][f.Addr : f.Addr+f.Total]
		copy(data[f.Offset:], f.Payload)
	} else {
		data = f.Payload
	}
	if len(f.Payload) == int(f.Total) {
		return data, true
	}
	key := partKey{f.Src, f.ID, f.Addr, f.Kind == Reply}
	p := e.parts[key]
	if p == nil {
		p = &part{}
		if f.Segment < 0 {
			p.data = make([]byte, f.Total)
		}
		if e.parts == nil {
			e.parts = map[partKey]*part{}
		}
		e.parts[key] = p
	}
	p.got += len(f.Payload)
	if p.data != nil {
		copy(p.data[f.Offset:], f.Payload)
		data = p.data
	}
	if p.got < int(f.Total) {
		return nil, false
	}
	delete(e.parts, key)
	return data, true
}
