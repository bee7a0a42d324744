//go:build linux

package live

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// FuzzDecode wants that what is decoded is what encode writes, byte for byte but for bits of flags
// that mean nothing, and no panic.
func FuzzDecode(f *testing.F) {
	h := make([]byte, headerSize)
	encode(h, &engine.Frame{Header: engine.Header{Kind: engine.Reply, Words: [4]uint32{1, 2, 3, 4}, Segment: -1, Flags: engine.More, Total: 100}, Payload: make([]byte, 100)}, 7)
	f.Add(h)
	f.Add([]byte("hp"))
	f.Fuzz(func(t *testing.T, h []byte) {
		var frame, again engine.Frame
		n, epoch, err := decode(h, &frame)
		if err != nil {
			return
		}
		frame.Payload = make([]byte, n)
		h2 := make([]byte, headerSize)
		encode(h2, &frame, epoch)
		n2, epoch2, err := decode(h2, &again)
		again.Payload = make([]byte, n2)
		if err != nil || epoch != epoch2 || !cmp.Equal(frame, again) {
			t.Errorf("%v, epoch %d and %d, %s", err, epoch, epoch2, cmp.Diff(frame, again))
		}
	})
}

// TestDecodeCorrupt flips each bit of a header.
func TestDecodeCorrupt(t *testing.T) {
	h := make([]byte, headerSize)
	encode(h, &engine.Frame{Header: engine.Header{Kind: engine.Request, Total: 5}, Payload: make([]byte, 5)}, 1)
	for bit := range 8 * headerSize {
		h[bit/8] ^= 1 << (bit % 8)
		if _, epoch, err := decode(h, new(engine.Frame)); err == nil && epoch == 1 {
			t.Errorf("bit %d: no error", bit)
		}
		h[bit/8] ^= 1 << (bit % 8)
	}
}
