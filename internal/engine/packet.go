package engine

import (
	"encoding/binary"
	"fmt"
)

// words sends a short message: up to four words in the header, or more as the payload.
func (e *Endpoint) words(dst int, kind Kind, id uint32, h HandlerID, words []uint32) {
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
}

func (f *Frame) arguments(words []uint32) {
	f.NWords, f.Round = uint8(len(words)), 0
	f.Words = [headerWords]uint32{}
	for i, w := range words {
		// The mask shows the compiler that the index is in range: there are at most headerWords of
		// them.
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
	// keep sets the round of the frame, so the checksum is computed after it.
	if e.options.Retry > 0 {
		e.keep(p, f)
	}
	f.Sum = 0
	if e.options.Checksums {
		f.Sum = f.sum()
	}
	// A handler must not wait for room: its reply queues behind the replies before it, in their
	// order.
	if e.inside && e.limited != nil && (len(e.deferred) > 0 || !e.limited.Room()) {
		e.deferred = append(e.deferred, e.copyOf(f))
		return
	}
	e.port.Send(f)
}

// sendDeferred sends the replies for which there was no room, in the order in which they were
// made.
func (e *Endpoint) sendDeferred() {
	for len(e.deferred) > 0 && e.limited.Room() {
		f := e.deferred[0]
		e.deferred = e.deferred[1:]
		e.port.Send(f)
		e.kept = append(e.kept, f)
	}
}

func checkWords(words []uint32) error {
	if len(words) > MaxWords {
		return fmt.Errorf("%d words: a message has at most %d", len(words), MaxWords)
	}
	return nil
}
