//go:build linux

package live

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
)

// ran returns the program of the name with its arguments.
func ran(t *testing.T, name string, a programs.Args) func(*engine.Endpoint) error {
	t.Helper()
	p, err := programs.Find(name, programs.Simulated|programs.Real)
	if err != nil {
		t.Fatal(err)
	}
	return func(ep *engine.Endpoint) error {
		_, err := p.Run(ep, a)
		return err
	}
}

// TestPrograms runs the suite on all transports. All data is checked by the programs.
func TestPrograms(t *testing.T) {
	for _, transport := range Transports {
		t.Run(string(transport), func(t *testing.T) {
			t.Parallel()
			run := func(name string, program func(*engine.Endpoint) error) {
				t.Helper()
				for _, o := range []engine.Options{{}, {Checksums: true}} {
					if err := Run(transport, o, program); err != nil {
						t.Errorf("%s, %+v: %v", name, o, err)
					}
				}
			}
			run("ping_pong", func(ep *engine.Endpoint) error { _, err := programs.PingPong(ep, 100); return err })
			for _, n := range []int{1, 64, 65, 5000, 300_000} {
				for name, count := range map[string]int{"latency": 3, "bandwidth": 10, "ping_bulk": 3, "thru_bulk": 10} {
					run(name, ran(t, name, programs.Args{Size: n, Count: count}))
				}
			}
			for _, traffic := range []programs.Traffic{programs.OneToOne, programs.AllToOne, programs.AllToAll} {
				for _, name := range []string{"test_xfer", "test_med"} {
					run(name, ran(t, name, programs.Args{Traffic: traffic, Size: 30_000, Count: 2}))
				}
			}
		})
	}
}

func BenchmarkPingPong(b *testing.B) {
	for _, transport := range Transports {
		b.Run(string(transport), func(b *testing.B) {
			b.ReportAllocs()
			err := runPinned(transport, engine.Options{}, func(ep *engine.Endpoint) error {
				rtt, err := programs.PingPong(ep, b.N)
				if ep.Node() == 0 {
					b.ReportMetric(float64(rtt)/2, "us/oneway")
				}
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkRate is the interval between small messages one way, with credits.
func BenchmarkRate(b *testing.B) {
	for _, o := range []engine.Options{{}, {Checksums: true}} {
		b.Run(fmt.Sprintf("check=%v", o.Checksums), func(b *testing.B) {
			b.ReportAllocs()
			err := runPinned(Shm, o, func(ep *engine.Endpoint) error {
				got := 0
				segment := ep.Register(make([]byte, 8))
				take := ep.Handle(func(*engine.Message) { got++ })
				data := make([]byte, 8)
				if ep.Node() == 1 {
					return ep.WaitFor("", func() bool { return got == b.N })
				}
				for range b.N {
					if err := ep.Store(1, take, segment, 0, data); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkBulk(b *testing.B) {
	for _, n := range []int{1, 64, 4 << 10, 64 << 10, 1 << 20, 4 << 20} {
		b.Run(byteSize(n), func(b *testing.B) {
			b.ReportAllocs()
			err := runPinned(Shm, engine.Options{}, func(ep *engine.Endpoint) error {
				data := make([]byte, n)
				segment := ep.Register(make([]byte, n))
				back := 0
				pong := ep.Handle(func(*engine.Message) { back++ })
				ping := ep.Handle(func(m *engine.Message) { _ = m.ReplyStore(pong, segment, 0, data) })
				if ep.Node() == 0 {
					start := ep.Now()
					for i := range b.N {
						if err := ep.Store(1, ping, segment, 0, data); err != nil {
							return err
						}
						if err := ep.WaitFor("", func() bool { return back > i }); err != nil {
							return err
						}
					}
					one := float64(ep.Now()-start) / float64(2*b.N)
					b.ReportMetric(one, "us/oneway")
					b.ReportMetric(float64(n)/one, "MB/s")
				}
				return nil
			})
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func byteSize(n int) string {
	switch {
	case n >= 1<<20:
		return string(rune('0'+n>>20)) + "MiB"
	}
	return "n"
}

// BenchmarkFlag is the least that a message can take: a number in a cache line goes from one
// processor to the other and back.
func BenchmarkFlag(b *testing.B) {
	memory := heap()
	there, back := (*slot)(unsafe.Pointer(&memory[0])), (*slot)(unsafe.Pointer(&memory[8*line]))
	n := uint32(b.N)
	follow := func(of *slot, i, chain uint32) uint32 { // with the chain, or the pauses are optimised away
		for atomic.LoadUint32(&of.valid) != i {
			chain = pause(chain)
		}
		return chain
	}
	var other sync.WaitGroup
	other.Go(func() {
		unpin, err := pin(1)
		if err != nil {
			b.Error(err)
			return
		}
		defer unpin()
		chain := uint32(0)
		for i := uint32(1); i <= n; i++ {
			chain = follow(there, i, chain)
			publish(&back.valid, i)
		}
		back.Sum = chain
	})
	unpin, err := pin(0)
	if err != nil {
		b.Fatal(err)
	}
	defer unpin()
	b.ResetTimer()
	chain := uint32(0)
	for i := uint32(1); i <= n; i++ {
		publish(&there.valid, i)
		chain = follow(back, i, chain)
	}
	there.Sum = chain
	b.StopTimer()
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(2*b.N), "us/oneway")
	other.Wait()
}
