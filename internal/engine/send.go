package engine

import (
	"fmt"
	"math"
)

// Request sends words to a handler of the node dst: up to [MaxWords] of them. It polls, and waits
// for a credit.
func (e *Endpoint) Request(dst int, h HandlerID, words ...uint32) error {
	if err := e.begin(dst); err != nil {
		return err
	}
	if err := checkWords(words); err != nil {
		return err
	}
	if err := e.admitRequest(dst); err != nil {
		return err
	}
	e.words(dst, Request, e.id(), h, words)
	return nil
}

// Barrier returns when all nodes have called it. Node 0 counts, which takes 2(N−1) messages
// and is enough for the tests that it separates; a collective of its own is in package
// programs.
func (e *Endpoint) Barrier() error {
	others := len(e.peers) - 1
	// All nodes report to node 0, which answers all of them when the last one has come.
	if e.Node() != 0 {
		if err := e.Request(0, meetHandler); err != nil {
			return err
		}
		others = 1
	}
	allMet := func() bool { return e.met >= others }
	if err := e.WaitFor("other nodes at a barrier", allMet); err != nil {
		return err
	}
	// The count is reduced, not cleared: a fast node may have reached the next barrier already.
	e.met -= others
	for dst := 1; e.Node() == 0 && dst < len(e.peers); dst++ {
		if err := e.Request(dst, meetHandler); err != nil {
			return err
		}
	}
	return nil
}

// Medium sends data of any size to a handler of the node dst, with up to four words. A message
// larger than a piece is one request for each piece, and each of them runs the handler.
func (e *Endpoint) Medium(dst int, h HandlerID, data []byte, words ...uint32) error {
	return e.bulk(Request, dst, &delivery{h, noSegment, 0, data, words})
}

// Send is Medium without a reply, and so without credits.
func (e *Endpoint) Send(dst int, h HandlerID, data []byte, words ...uint32) error {
	return e.bulk(OneWay, dst, &delivery{h, noSegment, 0, data, words})
}

// Store copies data to an offset of a segment of node dst and then runs the handler there with up
// to four words. Data larger than a piece travels as one request per piece. Store returns when data
// may be changed again, not when it has arrived.
func (e *Endpoint) Store(
	dst int, h HandlerID, segment, offset int, data []byte, words ...uint32,
) error {
	return e.bulk(Request, dst, &delivery{h, segment, offset, data, words})
}

// Get copies n bytes at an offset of a segment of node src to a segment of this node, and then runs
// the handler here. It returns when it has requested all pieces.
func (e *Endpoint) Get(src int, h HandlerID, segment, offset, toSegment, toOffset, n int) error {
	if err := e.begin(src); err != nil {
		return err
	}
	if n < 1 || offset < 0 || segment < 0 || segment > math.MaxInt16 ||
		uint64(offset)+uint64(n) > math.MaxUint32 {
		return fmt.Errorf("cannot get %d bytes at offset %d of segment %d", n, offset, segment)
	}
	if toSegment < 0 || toSegment >= len(e.segments) || toOffset < 0 ||
		toOffset+n > len(e.segments[toSegment]) {
		return fmt.Errorf("cannot get %d bytes to offset %d of segment %d: they do not fit there",
			n, toOffset, toSegment)
	}
	for at, first := 0, e.nextID+1; at < n; {
		piece, _ := e.port.Cut(n, n-at)
		if err := e.admitRequest(src); err != nil {
			return err
		}
		f := &e.out
		f.Header = Header{
			Kind: Request, ID: e.id(), Handler: getHandler, NWords: headerWords,
			Message: first, Segment: int16(toSegment), Addr: uint32(toOffset + at), At: uint32(at),
			Words: [headerWords]uint32{
				// The request says where the data lies. Where it goes stands in the header,
				// which the reply copies.
				uint32(segment)<<8 | uint32(h), uint32(offset + at), uint32(piece), uint32(n),
			},
		}
		f.Payload, f.Offset = nil, 0
		e.launch(src)
		at += piece
	}
	return nil
}

// Reply answers a request with words to a handler of the node that sent it.
func (m *Message) Reply(h HandlerID, words ...uint32) error {
	if err := checkWords(words); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	m.Endpoint.words(m.From, Reply, m.frame.ID, h, words)
	return nil
}

// ReplyMedium answers a request with data.
func (m *Message) ReplyMedium(h HandlerID, data []byte, words ...uint32) error {
	return m.replyBulk(delivery{h, noSegment, 0, data, words}, part{m.frame.ID, 0, len(data)})
}

// ReplyStore answers a request with data into a segment of the node that sent it.
func (m *Message) ReplyStore(h HandlerID, segment, offset int, data []byte, words ...uint32) error {
	return m.replyBulk(delivery{h, segment, offset, data, words}, part{m.frame.ID, 0, len(data)})
}

func (m *Message) replyBulk(d delivery, of part) error {
	if err := d.check(); err != nil {
		return err
	}
	if err := m.reply(); err != nil {
		return err
	}
	return m.Endpoint.pieces(Reply, m.From, &d, m.frame.ID, of)
}

// reply takes the one reply that a request has.
func (m *Message) reply() error {
	if m.frame.Kind != Request || m.replied {
		return ErrReplied
	}
	// A second reply would return a credit that the request has not taken.
	m.replied = true
	return nil
}
