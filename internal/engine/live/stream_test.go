//go:build linux

package live

import (
	"errors"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A node that waits in a read ends its wait for a signal, for a frame of any size, in whatever
// order sizes come, and for a peer that is gone.
func TestBlockedRead(t *testing.T) {
	for _, kind := range []Transport{TCP, Unix} {
		mine, theirs, err := kind.connected()
		if err != nil {
			t.Fatal(err)
		}
		p, err := newStreams(0, mine)
		if err != nil {
			t.Fatal(err)
		}
		p.alone, p.spin, p.adapts = true, 0, false
		if !p.link.(*streams).timed {
			t.Fatalf("%s: reads do not block", kind)
		}
		wait := func(what string, from func()) {
			t.Helper()
			go func() {
				time.Sleep(time.Millisecond)
				from()
			}()
			start := time.Now()
			p.Wait(quantity.Micros(generous.Microseconds()))
			if took := time.Since(start); took >= generous {
				t.Errorf("%s: waited %v for %s", kind, took, what)
			}
		}
		wait("a signal", func() { p.raise(&signal{}) })
		p.signal.Store(nil)
		for seq, size := range []int{1, 100_000, 5000, 40_000, 40_000, 0, 70_000, 9000} {
			frame := make([]byte, headerSize+size)
			encode(frame, &engine.Frame{Payload: frame[headerSize:], Header: engine.Header{Seq: uint32(seq), Total: uint32(size), Segment: -1}}, 0)
			for i := range frame[headerSize:] {
				frame[headerSize+i] = byte(i)
			}
			var f *engine.Frame
			wait("a frame", func() {
				for rest := frame; len(rest) > 0; {
					n, err := unix.Write(theirs, rest)
					if err != nil && !errors.Is(err, unix.EAGAIN) {
						t.Error(err)
						return
					}
					rest = rest[max(0, n):]
				}
			})
			for f = p.Receive(); f == nil; f = p.Receive() {
				p.Wait(1e7)
			}
			if f.Seq != uint32(seq) || len(f.Payload) != size || size > 0 && f.Payload[size-1] != byte(size-1) {
				t.Errorf("%s: frame %d came as %d, %d bytes for %d", kind, seq, f.Seq, len(f.Payload), size)
			}
		}
		err = guard(func() error {
			wait("the end of the connection", func() { _ = unix.Close(theirs) })
			return nil
		})
		if err == nil || !strings.Contains(err.Error(), "gone") {
			t.Errorf("%s: closed by the peer: %v", kind, err)
		}
		p.close()
	}
}
