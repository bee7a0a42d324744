//go:build linux

package live

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// TestShort sends messages of all sizes around those of the short path, by all calls and with all
// numbers of words: each arrives as it was sent, in order, and changes nothing beside its place.
func TestShort(t *testing.T) {
	const largest, margin = beside + 6, 8
	for _, transport := range []Transport{Shm, Unix} {
		for _, o := range []engine.Options{{}, {Checksums: true, CreditBatch: 1, Credits: 1}, {Credits: 3}} {
			t.Run(fmt.Sprintf("%s/%+v", transport, o), func(t *testing.T) {
				t.Parallel()
				type message struct {
					data  []byte
					words []uint32
				}
				content := func(i int) message {
					m := message{data: make([]byte, i%(largest+1)), words: make([]uint32, i%5)}
					for k := range m.data {
						m.data[k] = byte(i*7 + k*13 + 1)
					}
					for k := range m.words {
						m.words[k] = uint32(i*31 + k)
					}
					return m
				}
				const count = 5 * 3 * (largest + 1) // all combinations of size, words and call
				err := Run(transport, o, func(ep *engine.Endpoint) error {
					memory := make([]byte, margin+largest+margin)
					segment := ep.Register(memory)
					next, back := 0, 0
					check := func(m *engine.Message, stored bool) {
						want := content(next)
						if !bytes.Equal(m.Data, want.data) || fmt.Sprint(m.Words) != fmt.Sprint(want.words) || m.Whole != len(want.data) || stored != (next%3 == 0) {
							t.Errorf("message %d: %x of %d, words %v; want %x, %v", next, m.Data, m.Whole, m.Words, want.data, want.words)
						}
						if stored {
							if m.Offset != margin || !bytes.Equal(memory[margin:margin+len(want.data)], want.data) {
								t.Errorf("message %d: %x at %d", next, memory, m.Offset)
							}
							clear(memory[margin : margin+len(want.data)])
							if !bytes.Equal(memory, make([]byte, len(memory))) {
								t.Errorf("message %d of %d bytes wrote beside its place: %x", next, len(want.data), memory)
							}
						}
						next++
					}
					pong := ep.Handle(func(m *engine.Message) { back++ })
					store := ep.Handle(func(m *engine.Message) { check(m, true) })
					medium := ep.Handle(func(m *engine.Message) {
						check(m, false)
						_ = m.ReplyMedium(pong, m.Data, m.Words...)
					})
					send := ep.Handle(func(m *engine.Message) { check(m, false) })
					if ep.Node() == 1 {
						return ep.WaitFor("all messages", func() bool { return next == count })
					}
					for i := range count {
						m := content(i)
						var err error
						switch i % 3 {
						case 0:
							err = ep.Store(1, store, segment, margin, m.data, m.words...)
						case 1:
							err = ep.Medium(1, medium, m.data, m.words...)
						case 2:
							err = ep.Send(1, send, m.data, m.words...)
						}
						if err != nil {
							return err
						}
					}
					return ep.WaitFor("the answers", func() bool { return back == count/3 })
				})
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}
