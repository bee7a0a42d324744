//go:build linux

package live

import (
	"runtime"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
)

// TestAllocations counts what all nodes allocate while messages of one size go back and forth, and
// in one direction. The count does not grow with the messages: Flush allocates, and a list or a
// buffer may once have to be longer than before. With datagrams, chance decides when the most
// packets wait for an acknowledgement, so a tenth of them may be new.
func TestAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector takes 20 s for what it does not look at")
	}
	for _, transport := range Transports {
		t.Run(string(transport), func(t *testing.T) {
			err := Run(transport, engine.Options{}, func(ep *engine.Endpoint) error {
				const largest = 1 << 20
				data := make([]byte, largest)
				segment := ep.Register(make([]byte, largest))
				back, got := 0, 0
				pong := ep.Handle(func(*engine.Message) { back++ })
				ping := ep.Handle(func(m *engine.Message) { _ = m.ReplyStore(pong, segment, 0, m.Data) })
				take := ep.Handle(func(*engine.Message) { got++ })
				words := ep.Handle(func(m *engine.Message) { _ = m.Reply(pong, m.Words...) })
				medium := ep.Handle(func(m *engine.Message) { got++ })
				if ep.Node() != 0 {
					return nil
				}
				sent := 0
				returned := func() bool { return back >= sent }
				arguments := []uint32{1, 2, 3, 4, 5, 6}
				some := func(n, count int) error {
					for range count {
						sent += 2
						if err := ep.Store(1, ping, segment, 0, data[:n]); err != nil {
							return err
						}
						if err := ep.Request(1, words, arguments...); err != nil {
							return err
						}
						if err := ep.WaitFor("replies", returned); err != nil {
							return err
						}
					}
					for range count {
						if err := ep.Store(1, take, segment, 0, data[:n]); err != nil {
							return err
						}
						if err := ep.Medium(1, medium, data[:n]); err != nil {
							return err
						}
					}
					return ep.Flush()
				}
				if err := some(largest, 10); err != nil {
					return err
				}
				for _, n := range []int{1, 64, 4096, 65536, largest} {
					count := max(10, min(500, (4<<20)/n))
					if err := some(n, count); err != nil {
						return err
					}
					var before, after runtime.MemStats
					runtime.ReadMemStats(&before)
					if err := some(n, count); err != nil {
						return err
					}
					runtime.ReadMemStats(&after)
					mallocs := after.Mallocs - before.Mallocs
					limit := uint64(16)
					if transport == UDP {
						limit = uint64(4*count*((n+maxDatagram-1)/maxDatagram)) / 10
					}
					if mallocs > limit {
						t.Errorf("%d allocations, more than %d", mallocs, limit)
					}
					t.Logf("%d messages of %d bytes: %d allocations of %d bytes", 4*count, n, mallocs, after.TotalAlloc-before.TotalAlloc)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}
