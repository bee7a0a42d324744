//go:build linux

package live

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
)

// FuzzDecode wants that what is decoded is what encode writes, byte for byte but for bits of flags
// that mean nothing, and no panic.
func FuzzDecode(f *testing.F) {
	h := make([]byte, headerSize)
	encode(h, &engine.Frame{Header: engine.Header{Kind: engine.Reply, Words: [4]uint32{1, 2, 3, 4}, Segment: -1, Flags: engine.More}, Payload: make([]byte, 100)}, 7)
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

// lossy is a link between the endpoint and its datagrams that loses, repeats, swaps and corrupts them.
type lossy struct {
	link
	random *rand.Rand
	rate   float64 // of each of the five faults
	late   *box
}

// load copies, since what is sent may be damaged.
func (l *lossy) load(b *box, data []byte) bool {
	b.memory(len(data))
	copy(b.Payload, data)
	return true
}

func (l *lossy) send(b *box) bool {
	hit := func() bool { return l.random.Float64() < l.rate }
	switch {
	case hit(): // lost
		l.link.(*datagrams).free = append(l.link.(*datagrams).free, b)
		return true
	case l.late == nil && hit(): // comes after the next
		l.late = b
		return true
	case hit(): // twice
		twin := &box{}
		twin.memory(len(b.Payload))
		copy(twin.Payload, b.Payload)
		payload := twin.Payload
		twin.Frame = b.Frame
		twin.Payload = payload
		l.link.send(twin)
	case len(b.Payload) > 0 && hit(): // damaged
		b.Payload[l.random.IntN(len(b.Payload))] ^= 1 << l.random.IntN(8)
	case hit():
		b.Words[0] ^= 1 << l.random.IntN(32)
	}
	l.link.send(b)
	if late := l.late; late != nil && late != b {
		l.late = nil
		l.link.send(late)
	}
	return true
}

// TestLossy runs a program that checks all data over datagrams of which 1 to 30 % fare badly.
func TestLossy(t *testing.T) {
	t.Parallel()
	for _, rate := range []float64{0.002, 0.02, 0.06} {
		ports, err := UDP.local(2)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range ports {
			p.link = &lossy{link: p.link, random: rand.New(rand.NewPCG(uint64(i), 1)), rate: rate}
		}
		var stats [2]engine.Stats
		err = run(ports, UDP, Options{}, func(ep *engine.Endpoint) error {
			_, err := programs.TestXfer(ep, programs.AllToAll, 30_000, 2)
			stats[ep.Node()] = ep.Stats()
			return err
		})
		if err != nil {
			t.Errorf("rate %g: %v", rate, err)
		}
		if rate > 0.01 && stats[0].Resent+stats[1].Resent == 0 {
			t.Errorf("rate %g: nothing was sent again", rate)
		}
	}
}
