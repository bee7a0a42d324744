//go:build linux

package live

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// A frame on a socket is a header of 72 bytes, little-endian, and the payload:
//
//	 0  magic "hp", version, epoch      36  address, offset, total, whole, at, message: 6 × 4
//	 4  bytes of the payload            60  segment
//	 8  id, sequence number, checksum   62  handler, kind, round, words, flags, source
//	20  words: 4 × 4                    68  CRC-32C of the bytes before
//
// Pieces travel whole: their offset is 0 and their total is the size of the payload.
//
// The engine's checksum covers the payload and the fields of the message; the header's own covers
// what the transport relies on.
const (
	// 72 bytes: the engine's 56, and what memory need not say: magic, version, size, offset,
	// source and a checksum of its own.
	headerSize = 72
	// Changed with the layout above, or with the lines of the control channel. Nodes of
	// different versions refuse each other with a message instead of reading garbage.
	version = 2
	// Bounds what a receiver allocates for a header.
	maxPayload = 1 << 20
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

var errHeader = errors.New("no header of a message")

// lendFrom is the size of payloads that are not copied behind the header before they are
// sent. For a call with two parts the kernel reads a list of them first, which costs more
// than a short copy.
const lendFrom = 1 << 10

type encoder [headerSize + lendFrom]byte

// encode returns the frame as two parts to be sent. A large payload is the second part, without a
// copy; otherwise the second part is empty.
func (e *encoder) encode(f *engine.Frame, epoch uint8) (head, data []byte) {
	encode(e[:], f, epoch)
	if len(f.Payload) < lendFrom {
		return e[:headerSize+copy(e[headerSize:], f.Payload)], nil
	}
	return e[:headerSize], f.Payload
}

func encode(h []byte, f *engine.Frame, epoch uint8) {
	// One comparison here spares those of all stores below.
	_ = h[headerSize-1]
	le := binary.LittleEndian
	h[0], h[1], h[2], h[3] = 'h', 'p', version, epoch
	le.PutUint32(h[4:], uint32(len(f.Payload)))
	le.PutUint32(h[8:], f.ID)
	le.PutUint32(h[12:], f.Seq)
	le.PutUint32(h[16:], f.Sum)
	for i, w := range f.Words {
		le.PutUint32(h[20+4*i:], w)
	}
	le.PutUint32(h[36:], f.Addr)
	le.PutUint32(h[40:], f.Offset)
	le.PutUint32(h[44:], f.Total)
	le.PutUint32(h[48:], f.Whole)
	le.PutUint32(h[52:], f.At)
	le.PutUint32(h[56:], f.Message)
	le.PutUint16(h[60:], uint16(f.Segment))
	h[62], h[63], h[64] = uint8(f.Handler), uint8(f.Kind), f.Round
	h[65], h[66], h[67] = f.NWords, uint8(f.Flags), uint8(f.Src)
	le.PutUint32(h[68:], crc32.Checksum(h[:68], castagnoli))
}

// decode reads a header, and the number n of payload bytes that follow. A header that encode cannot
// have written is an error.
func decode(h []byte, f *engine.Frame) (n int, epoch uint8, err error) {
	le := binary.LittleEndian
	if len(h) < headerSize || h[0] != 'h' || h[1] != 'p' {
		return 0, 0, errHeader
	}
	if h[2] != version {
		return 0, 0, fmt.Errorf("a header of version %d, and this is version %d", h[2], version)
	}
	size := le.Uint32(h[4:])
	// A total other than the size would let a header of a peer allocate 4 GiB; fuzz_test.go has
	// found it.
	if le.Uint32(h[68:]) != crc32.Checksum(h[:68], castagnoli) || size > maxPayload ||
		h[63] > uint8(engine.Restart) || le.Uint32(h[40:]) != 0 || le.Uint32(h[44:]) != size {
		return 0, 0, errHeader
	}
	f.Src, f.Offset = int32(h[67]), le.Uint32(h[40:])
	f.Header = engine.Header{
		ID: le.Uint32(h[8:]), Seq: le.Uint32(h[12:]), Sum: le.Uint32(h[16:]),
		Addr: le.Uint32(h[36:]), Total: le.Uint32(h[44:]), Whole: le.Uint32(h[48:]),
		At: le.Uint32(h[52:]), Message: le.Uint32(h[56:]),
		Segment: int16(le.Uint16(h[60:])), Handler: engine.HandlerID(h[62]),
		Kind: engine.Kind(h[63]), Round: h[64], NWords: h[65], Flags: engine.Flags(h[66]),
	}
	for i := range f.Words {
		f.Words[i] = le.Uint32(h[20+4*i:])
	}
	return int(size), h[3], nil
}
