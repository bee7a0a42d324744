package engine

import (
	"encoding/binary"
	"fmt"
	"math/bits"
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
	if err := e.credit(dst); err != nil {
		return err
	}
	return e.words(dst, Request, e.id(), h, words)
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

func checkWords(words []uint32) error {
	if len(words) > MaxWords {
		return fmt.Errorf("%d words: a message has at most %d", len(words), MaxWords)
	}
	return nil
}

// begin is the first step of every sending call. Usually it only counts the message.
func (e *Endpoint) begin(dst int) error {
	if e.unpolled++; e.inside || e.unpolled >= e.options.PollEvery || uint(dst) >= uint(len(e.peers)) {
		return e.beginOr(dst)
	}
	return e.err
}

func (e *Endpoint) beginOr(dst int) error {
	switch {
	case e.inside:
		return ErrHandler
	case dst < 0 || dst >= len(e.peers):
		return fmt.Errorf("no node %d: there are %d", dst, len(e.peers))
	}
	return e.Poll()
}

func (e *Endpoint) credit(dst int) error {
	p := &e.peers[dst]
	if limit := int32(e.options.Credits); limit > 0 && p.out >= limit {
		e.waitForCredit(p, dst, limit)
	}
	if e.err == nil {
		p.out++
	}
	return e.err
}

//go:noinline
func (e *Endpoint) waitForCredit(p *peer, dst int, limit int32) {
	for p.out >= limit && e.err == nil {
		e.pause(wait{"a credit to node %d: as many requests as it may send are without a reply", dst})
	}
}

// admit waits until another packet may go to the node: the window of the retry protocol and the
// network have room. A handler does not wait.
func (e *Endpoint) admit(dst int) error {
	if e.eager || e.inside {
		return nil
	}
	return e.waitForRoom(dst)
}

func (e *Endpoint) waitForRoom(dst int) error {
	if e.options.Retry > 0 {
		for r := e.peers[dst].protocol(); len(r.unacked) >= window && e.err == nil; {
			e.pause(wait{"acknowledgements of node %d", dst})
		}
	}
	for e.err == nil && e.limited != nil && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.pause(wait{"room in the network", anyone})
	}
	return e.err
}

func (e *Endpoint) id() uint32 {
	e.nextID++
	return e.nextID
}

// words sends a short message: up to four words in the header, or more as the payload.
func (e *Endpoint) words(dst int, kind Kind, id uint32, h HandlerID, words []uint32) error {
	if err := e.admit(dst); err != nil {
		return err
	}
	f := &e.out
	f.ID, f.Message, f.Handler, f.Kind, f.Flags = id, 0, h, kind, 0
	f.Segment, f.Addr, f.At, f.Offset = noSegment, 0, 0, 0
	f.Payload = nil
	if len(words) <= headerWords {
		f.arguments(words)
	} else {
		f.Payload = e.many[:4*len(words)]
		for i, w := range words {
			binary.LittleEndian.PutUint32(f.Payload[4*i:], w)
		}
		f.arguments(nil)
		f.NWords, f.Flags = uint8(len(words)), WordsInside
	}
	f.Total = uint32(len(f.Payload))
	f.Whole = f.Total
	e.launch(dst)
	return nil
}

func (f *Frame) arguments(words []uint32) {
	f.NWords, f.Round = uint8(len(words)), 0
	f.Words = [headerWords]uint32{}
	for i, w := range words {
		f.Words[i&(headerWords-1)] = w
	}
}

// launch numbers the frame that is being sent, seals it and gives it to the port.
func (e *Endpoint) launch(dst int) {
	f, p := &e.out, &e.peers[dst]
	f.Dst = int32(dst)
	f.Seq = p.sent
	p.sent++
	e.stats.Sent++
	e.stats.BytesSent += int64(len(f.Payload))
	if e.options.Retry > 0 {
		e.keep(p, f)
	}
	f.Sum = 0
	if e.options.Checksums {
		f.Sum = f.sum()
	}
	if e.inside && e.limited != nil && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.deferred = append(e.deferred, e.copyOf(f))
		return
	}
	e.port.Send(f)
}

func (e *Endpoint) sendDeferred() {
	for len(e.deferred) > 0 && e.limited.Room() {
		f := e.deferred[0]
		e.deferred = e.deferred[1:]
		e.port.Send(f)
		e.kept = append(e.kept, f)
	}
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
