package engine

import (
	"fmt"
	"math"
)

// A delivery is data with the handler and the place in a segment that it is for.
type delivery struct {
	handler         HandlerID
	segment, offset int // segment noSegment: the data is for the handler alone
	data            []byte
	words           []uint32 // arguments of the handler
}

func (d *delivery) check() error {
	// The header has 16 bits for the segment and 32 for the place in it.
	if len(d.words) > headerWords || d.segment > math.MaxInt16 ||
		uint64(d.offset)+uint64(len(d.data)) > math.MaxUint32 {
		return d.fault()
	}
	return nil
}

func (d *delivery) fault() error {
	if len(d.words) > headerWords {
		return fmt.Errorf("a message with data has at most %d words (got %d)",
			headerWords, len(d.words))
	}
	return fmt.Errorf("%d bytes at offset %d of segment %d: a segment has at most 4 GiB",
		len(d.data), d.offset, d.segment)
}

type part struct {
	message uint32 // number of the message
	at      int    // offset of the data in it
	whole   int    // size of the message
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
	if err := e.admitRequest(dst); err != nil {
		return err
	}
	// Another grant may be counted already, so the wait is for one more than there are now.
	before := e.grants
	e.words(dst, Request, e.id(), askHandler, nil)
	what := fmt.Sprintf("node %d to be ready for a large message", dst)
	return e.WaitFor(what, func() bool { return e.grants > before })
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
		// All pieces of a reply have the number of the request, whose credit the last one returns.
		if kind != Reply {
			id = e.id()
		}
		more := Flags(0)
		if end < len(data) {
			more = More
		}
		// A piece travels as packets of the size that the port wants. An empty message has one
		// packet.
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
