package virtual_test

import (
	"runtime"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
)

// hplam is HP-LAM's LogGP (table 4.2).
var hplam = model.LogGP{LogP: model.LogP{SendOverhead: 2.9, ReceiveOverhead: 5.8, Latency: 5.3, GapTime: 8.7}, GapPerByte: 1. / 24}

func system(l model.Layer) *virtual.System { return virtual.Build("test", l) }

// allToAll is every node sending n bytes to every other.
func allToAll(tb testing.TB, nodes, n int) virtual.Report {
	report, err := virtual.Run(system(&hplam), virtual.Config{Nodes: nodes}, func(ep *engine.Endpoint) error {
		got := 0
		take := ep.Handle(func(m *engine.Message) { got += len(m.Data) })
		data := make([]byte, n)
		for i := 1; i < nodes; i++ {
			if err := ep.Medium((ep.Node()+i)%nodes, take, data); err != nil {
				return err
			}
		}
		return ep.WaitFor("messages of all others", func() bool { return got == (nodes-1)*n })
	})
	if err != nil {
		tb.Fatal(err)
	}
	return report
}

// BenchmarkEvents is the rate of events of 64-byte messages, all-to-all between 64 nodes.
func BenchmarkEvents(b *testing.B) {
	runtime.GOMAXPROCS(1)
	var events, messages int64
	for b.Loop() {
		r := allToAll(b, 64, 64)
		events += r.Events
		for _, s := range r.Nodes {
			messages += s.Sent
		}
	}
	b.ReportMetric(float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(messages)/b.Elapsed().Seconds()/1e6, "Mmessages/s")
}

// BenchmarkAllToAll1024 is two million messages: each node's to each other, and their replies.
func BenchmarkAllToAll1024(b *testing.B) {
	runtime.GOMAXPROCS(1)
	for b.Loop() {
		allToAll(b, 1024, 64)
	}
}

// BenchmarkPingPong is a request and its reply between two nodes.
func BenchmarkPingPong(b *testing.B) {
	s := system(&hplam)
	b.ReportAllocs()
	_, err := virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
		_, err := programs.PingPong(ep, b.N)
		return err
	})
	if err != nil {
		b.Fatal(err)
	}
}

// BenchmarkInFlight is the heap that a message in flight takes: one of four words, one of 64 bytes
// of data.
func BenchmarkInFlight(b *testing.B) {
	b.Run("words", func(b *testing.B) { inFlight(b, nil) })
	b.Run("64B", func(b *testing.B) { inFlight(b, make([]byte, 64)) })
}

func inFlight(b *testing.B, data []byte) {
	const messages = 200_000
	var per float64
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		slow := hplam
		slow.Latency = 1e9 // nothing arrives before all are in flight
		s := system(&slow)
		s.Options.Credits = 0
		_, err := virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
			take := ep.Handle(func(*engine.Message) {})
			for range messages * (1 - ep.Node()) {
				if err := ep.Medium(1, take, data, 1, 2, 3, 4); err != nil {
					return err
				}
			}
			if ep.Node() == 0 {
				runtime.GC()
				runtime.ReadMemStats(&after)
				per = float64(after.HeapAlloc-before.HeapAlloc) / messages
			}
			return nil
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(per, "B/message")
}
