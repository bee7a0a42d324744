//go:build linux

package live

import (
	"encoding/binary"
	"hash/crc32"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// script turns arbitrary bytes into what a peer may send: b is a sequence of records. The first
// byte of each says what follows: bytes as they are, or a header whose magic, sizes and checksum
// are made right, and its payload.
func script(b []byte) (sent []byte) {
	for len(b) > 0 {
		kind := b[0]
		b = b[1:]
		if kind%4 == 0 {
			n := min(len(b), int(kind/4))
			sent = append(sent, b[:n]...)
			b = b[n:]
			continue
		}
		h := make([]byte, headerSize)
		b = b[copy(h, b):]
		size := uint32(h[4]) | uint32(h[5]&0x3f)<<8 // up to 16 KiB: larger than what is read to its place
		if kind%4 == 1 {
			h[0], h[1], h[2] = 'h', 'p', version
		}
		binary.LittleEndian.PutUint32(h[4:], size)
		if kind < 128 {
			binary.LittleEndian.PutUint32(h[40:], 0) // offset
			binary.LittleEndian.PutUint32(h[44:], size)
		}
		binary.LittleEndian.PutUint32(h[68:], crc32.Checksum(h[:68], castagnoli))
		sent = append(sent, h...)
		payload := make([]byte, size)
		copy(payload, b[:min(len(b), 16)])
		b = b[min(len(b), 16):]
		if kind >= 250 {
			payload = payload[:size/2]
		}
		sent = append(sent, payload...)
	}
	return sent
}

// FuzzStream lets an endpoint read what any peer may send, cut anywhere. It must end with an error,
// after any number of messages.
func FuzzStream(f *testing.F) {
	h := make([]byte, headerSize)
	for _, frame := range []engine.Frame{
		{Header: engine.Header{Kind: engine.Request, Segment: -1, Handler: 7, Total: 100, Whole: 100}, Payload: make([]byte, 100)},
		{Header: engine.Header{Kind: engine.OneWay, Segment: 0, Handler: 7, Total: 10_000, Whole: 10_000}, Payload: make([]byte, 10_000)},
		{Header: engine.Header{Kind: engine.OneWay, Segment: 0, Addr: 1000, At: 1000, Total: 1000, Whole: 3000, Message: 1}, Payload: make([]byte, 1000)},
		{Header: engine.Header{Kind: engine.OneWay, Segment: -1, Handler: 7, Total: 20, Whole: 20, Flags: engine.WordsInside, NWords: 5}, Payload: make([]byte, 20)},
		{Header: engine.Header{Kind: engine.Request, Segment: 0, Handler: 1, NWords: 4, Words: [4]uint32{7, 0, 5000, 5000}}},
		{Header: engine.Header{Kind: engine.OneWay, Segment: -1, Handler: 7, Total: 200, Whole: 200}, Payload: make([]byte, 100)},
		{Header: engine.Header{Kind: engine.OneWay, Segment: -1, Handler: 7, Total: 200, Whole: 200}, Offset: 100, Payload: make([]byte, 100)},
		// Its end overflows.
		{Header: engine.Header{Kind: engine.OneWay, Segment: 0, Handler: 7, Addr: 1<<32 - 1, At: 1<<32 - 1, Total: 2, Whole: 1}, Payload: make([]byte, 2)},
		{Header: engine.Header{Kind: engine.OneWay, Segment: -1, Handler: 7, Total: 1<<32 - 1, Whole: 1<<32 - 1}, Payload: make([]byte, 1)},
	} {
		encode(h, &frame, 0)
		one := append([]byte{1}, append(append([]byte(nil), h...), make([]byte, 16)...)...)
		f.Add(one, uint16(0))
		f.Add(append(one, one...), uint16(70))
	}
	f.Add([]byte("\x40hp"), uint16(1))
	f.Fuzz(func(t *testing.T, b []byte, cut uint16) {
		sent := script(b)
		if len(sent) > 1<<17 {
			return
		}
		fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			t.Fatal(err)
		}
		p, err := newStreams(1, fds[0])
		if err != nil {
			t.Fatal(err)
		}
		defer p.close()
		p.stall = 1e6
		other := fds[1]
		defer func() { _ = unix.Close(other) }()
		drain := make([]byte, 1<<20)
		err = guard(func() error {
			ep, err := engine.New(p, engine.Options{Credits: 64, Checksums: len(b)%2 == 1, CreditBatch: 1 + int(cut%2)*31, PollEvery: 8})
			if err != nil {
				return err
			}
			ep.Register(make([]byte, 20_000))
			ep.Handle(func(m *engine.Message) {
				for i := range m.Data {
					m.Data[i]++
				}
				_ = m.Reply(engine.NoHandler, m.Words...)
			})
			for left, closed := sent, false; ; {
				if n := min(len(left), 1+int(cut)); n > 0 {
					if n, err := unix.Write(other, left[:n]); err == nil {
						left = left[n:]
					}
				} else if !closed {
					closed = true
					if err := unix.Shutdown(other, unix.SHUT_WR); err != nil {
						return err
					}
				}
				_, _ = unix.Read(other, drain) // the answers
				if err := ep.Poll(); err != nil {
					return err
				}
			}
		})
		if err == nil {
			t.Error("no error")
		}
	})
}
