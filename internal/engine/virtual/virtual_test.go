package virtual_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// on runs a program on two nodes, or as many as c says, and returns what node 0 measured.
func on(t *testing.T, s *virtual.System, c virtual.Config, program func(*engine.Endpoint) (quantity.Micros, error)) (result quantity.Micros) {
	t.Helper()
	c.Nodes = max(c.Nodes, 2)
	_, err := virtual.Run(s, c, func(ep *engine.Endpoint) error {
		r, err := program(ep)
		if ep.Node() == 0 {
			result = r
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return result
}

func latency(n int) func(*engine.Endpoint) (quantity.Micros, error) {
	return ran("latency", programs.Args{Size: n, Count: 1})
}

// ran returns the program of the name with its arguments.
func ran(name string, a programs.Args) func(*engine.Endpoint) (quantity.Micros, error) {
	return func(ep *engine.Endpoint) (quantity.Micros, error) {
		p, err := programs.Find(name, programs.Simulated)
		if err != nil {
			return 0, err
		}
		r, err := p.Run(ep, a)
		return r.Time, err
	}
}

func near(got, want quantity.Micros) bool {
	return math.Abs(float64(got-want)) <= 1e-9*math.Abs(float64(want))
}

// Pipelines of any stages and packets take as long as the recurrence says.
func TestPipelinesAreTheRecurrence(t *testing.T) {
	r := rand.New(rand.NewPCG(4222, 8))
	for range 2000 {
		p := model.Pipeline{Cut: model.Cut{Rule: model.CutFixed, Size: quantity.Bytes(1 + r.IntN(5000))}}
		hosts := []model.Host{model.Sender, model.NoHost, model.Receiver}
		for i := range 1 + r.IntN(6) {
			host := model.NoHost
			if i == 0 {
				host = hosts[r.IntN(2)]
			}
			p.Stages = append(p.Stages, model.Stage{Name: string(rune('a' + i)), Host: host,
				Beta: quantity.Micros(r.IntN(2)) * quantity.Micros(r.Float64()*10), Tau: quantity.MicrosPerByte(r.Float64() * 0.02)})
		}
		if last := len(p.Stages) - 1; last > 0 && r.IntN(2) == 0 {
			p.Stages[last].Host = model.Receiver
		}
		n := 1 + r.IntN(50000)
		got, want := on(t, system(&p), virtual.Config{}, latency(n)), p.OneWay(quantity.Bytes(n))
		if !near(got, want) {
			t.Fatalf("%d bytes through %+v: %v, the recurrence says %v", n, p, got, want)
		}
	}
}

// A window that does not cover the round trip lets W pieces through, and the next one waits for a
// credit. The formula is exact but where credits queue on their way back: the replies of short
// pieces share the interface and the processor with each other.
func TestWindow(t *testing.T) {
	r := rand.New(rand.NewPCG(28, 4))
	exact, worst := 0, 0.0
	const cases = 1000
	for range cases {
		below := &model.LogGP{LogP: model.LogP{
			Latency: quantity.Micros(60 * r.Float64()), SendOverhead: quantity.Micros(r.Float64()),
			ReceiveOverhead: quantity.Micros(r.Float64()), GapTime: quantity.Micros(1 + 2*r.Float64()),
		}, GapPerByte: quantity.MicrosPerByte(0.01 * r.Float64())}
		l := &model.Fragmented{Below: below, MTU: 1000, Window: 1 + r.IntN(8)}
		n := 1 + r.IntN(40_000)
		got := on(t, system(l), virtual.Config{}, ran("latency", programs.Args{Size: n, Count: 1, Stores: true}))
		want := l.OneWay(quantity.Bytes(n))
		if near(got, want) {
			exact++
		}
		worst = max(worst, math.Abs(float64(got/want-1)))
	}
	t.Logf("%d of %d exact, worst %.2g %%", exact, cases, 100*worst)
	if exact < cases*95/100 || worst > 0.04 {
		t.Errorf("%d of %d are exact, and one is off by %.2g %%", exact, cases, 100*worst)
	}
}

// Two senders at the same bus share it: an interval of each is twice the gap, which the formula of
// one does not know.
func TestTwoSendersOnOneBus(t *testing.T) {
	cost := virtual.Cost{Beta: 10, Tau: 0.01}
	for _, side := range []virtual.Side{virtual.Sender, virtual.Network, virtual.Receiver} {
		s := virtual.NewSystem("bus", virtual.Route{Stages: []virtual.Stage{{Resource: "bus", Side: side, Delay: cost, Busy: cost}}}, 0)
		got := on(t, s, virtual.Config{Nodes: 3}, ran("all_to_1", programs.Args{Size: 1000, Count: 30}))
		want := quantity.Micros(20) // a message of one of both each 20 µs
		if side == virtual.Sender {
			want = 10 // each has its own bus
		}
		if !near(got, want) {
			t.Errorf("side %d: a message arrives each %v, want %v", side, got, want)
		}
	}
}

// A full queue holds packets back in the stage before, up to the sending processor, as Myrinet's
// links do: it sends no faster than the slowest stage takes, and loses nothing.
func TestBackPressure(t *testing.T) {
	fast, slow := virtual.Cost{Beta: 1}, virtual.Cost{Beta: 10}
	for _, drop := range []bool{false, true} {
		s := virtual.NewSystem("links", virtual.Route{Send: fast, Stages: []virtual.Stage{
			{Resource: "a", Delay: fast, Busy: fast, Queue: 2, Drop: drop}, {Resource: "b", Delay: slow, Busy: slow, Queue: 2, Drop: drop},
		}}, 0)
		var issued quantity.Micros
		got := 0
		report, err := virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
			take := ep.Handle(func(*engine.Message) { got++ })
			for range 100 * (1 - ep.Node()) {
				if err := ep.Send(1, take, nil); err != nil {
					return err
				}
				issued = ep.Now()
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		// Of 100 packets at last two wait for b, one is in it, two wait for a, and one is held in
		// a; each other has been in b for 10 µs.
		if !drop && (got != 100 || issued < 930 || issued > 960) {
			t.Errorf("back-pressure: %d arrived, the last was issued at %v", got, issued)
		}
		if drop && (issued != 100 || got+int(report.Faults.Lost) != 100 || report.Faults.Lost < 80) {
			t.Errorf("drop: %d arrived, %v, the last was issued at %v", got, report.Faults, issued)
		}
	}
}

// Two nodes that send to each other over a network that is full both ways take out what comes
// while they wait for room, in handlers too: all of it arrives.
func TestFullBothWays(t *testing.T) {
	cost := virtual.Cost{Beta: 1}
	s := virtual.NewSystem("links", virtual.Route{
		Stages: []virtual.Stage{{Resource: "link", Delay: cost, Busy: cost, Queue: 2}},
		Cut:    func(n int) int { return min(n, 10) },
	}, 0)
	s.Inbox = 2
	for _, name := range []string{"test_xfer", "test_med"} {
		on(t, s, virtual.Config{Nodes: 4}, ran(name, programs.Args{Traffic: programs.AllToAll, Size: 1000, Count: 2}))
	}
}

// Polling finds a packet with the next look, an interrupt at once, for a price [mpc, 3.1].
func TestPollingAndInterrupts(t *testing.T) {
	arrival := func(poll, interrupt quantity.Micros, busy bool) (handled, computed quantity.Micros) {
		s := virtual.NewSystem("wire", virtual.Route{Stages: []virtual.Stage{{Resource: "wire", Delay: virtual.Cost{Beta: 10}}}}, 0)
		s.Poll, s.Interrupt = poll, interrupt
		on(t, s, virtual.Config{}, func(ep *engine.Endpoint) (quantity.Micros, error) {
			take := ep.Handle(func(m *engine.Message) { handled = m.Endpoint.Now() })
			if ep.Node() == 0 {
				return 0, ep.Send(1, take, nil)
			}
			if busy {
				ep.Compute(100)
				computed = ep.Now()
			}
			return 0, ep.WaitFor("the message", func() bool { return handled > 0 })
		})
		return handled, computed
	}
	check := func(poll, interrupt quantity.Micros, busy bool, handledAt, computedAt quantity.Micros) {
		t.Helper()
		if handled, computed := arrival(poll, interrupt, busy); handled != handledAt || computed != computedAt {
			t.Errorf("poll %v, interrupt %v: handled at %v, computed until %v; want %v, %v", poll, interrupt, handled, computed, handledAt, computedAt)
		}
	}
	check(0, -1, false, 10, 0)       // seen as it comes
	check(0, -1, true, 100, 100)     // a processor that computes does not look
	check(0, 5, true, 15, 105)       // interrupted at 10, for 5
	check(0.75, -1, false, 11.25, 0) // sent after a look, it is there at 10.75, between two looks
}

// What a series adds is run by itself, where nothing sends a lost packet again: a stage that drops
// packets when its queue is full does not lose any there.
func TestAloneLosesNothing(t *testing.T) {
	text := `
[stage.a]
beta = "1us"
tau = "1us/KiB"
queue = "1"
full = "drop"
source = "made"
[stage.b]
beta = "9us"
tau = "1us/KiB"
queue = "1"
full = "drop"
source = "made"
[protocol.again]
retry = "1ms"
source = "made"
[layer.p]
model = "pipeline"
stages = ["a", "b"]
packets = "whole"
source = "made"
[layer.s]
model = "series"
below = "p"
added = "p"
protocol = "again"
source = "made"
`
	p, err := platforms.Parse("drop.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Layer("s")
	if err != nil {
		t.Fatal(err)
	}
	s := virtual.Of(p, l)
	if got, want := on(t, s, virtual.Config{}, latency(1)), l.Model.OneWay(1); !near(got, want) {
		t.Errorf("one way %v, want %v", got, want)
	}
}
