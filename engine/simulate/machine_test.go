package simulate_test

import (
	"context"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func pingPong(t *testing.T, n uint64) *simulate.Program {
	t.Helper()
	b := schedule.NewBuilder(2)
	b.NextRank()
	there := b.Send(n, 1, 0)
	b.Requires(b.Recv(n, 1, 0), there)
	b.NextRank()
	came := b.Recv(n, 0, 0)
	b.Requires(b.Send(n, 0, 0), came)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return prepare(t, s)
}

// On every layer of every platform a ping-pong takes what the layer's model predicts: twice its
// one-way time. Only a layer whose overheads are larger than its one-way time cannot; there is
// none.
func TestPlatforms(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	layers := 0
	for _, p := range all {
		for _, l := range p.Layers {
			m, err := simulate.FromLayer(l, simulate.NoLimit)
			if err != nil {
				t.Errorf("%s: %v", l.Ref(), err)
				continue
			}
			for _, n := range []uint64{1, 100, 4 << 10, 64 << 10} {
				r, err := pingPong(t, n).Run(context.Background(), simulate.Setup{Machine: m})
				if err != nil {
					t.Errorf("%s: %v", l.Ref(), err)
					continue
				}
				finish, _ := r.Finish()
				// Each of eight parts is rounded to a picosecond.
				if want := 2 * l.Model.OneWay(quantity.Bytes(n)); math.Abs(float64(finish-want)) > 4e-6 {
					t.Errorf("%s: %d bytes there and back take %v, by the model %v", l.Ref(), n, finish, want)
				}
			}
			layers++
		}
	}
	if layers < 20 {
		t.Errorf("only %d layers", layers)
	}
}

// levels is a machine with two ranks to a node.
type levels struct{ near, far simulate.LogGOPS }

func (l levels) Level(from, to int) int { return min((from/2)^(to/2), 1) }
func (l levels) Cost(level int, n uint64) machine.Cost {
	return [2]simulate.LogGOPS{l.near, l.far}[level].Cost(0, n)
}

func TestLevels(t *testing.T) {
	near, far := simulate.Defaults(), simulate.Defaults()
	near.Latency = 0.1
	p := prepare(t, parse(t, "num_ranks 4\nrank 0 {\nsend 1b to 1\nsend 1b to 2\n}\nrank 1 {\nrecv 1b from 0\n}\nrank 2 {\nrecv 1b from 0\n}\nrank 3 {\n}\n"))
	r, err := p.Run(context.Background(), simulate.Setup{Machine: levels{near, far}})
	if err != nil {
		t.Fatal(err)
	}
	// o + L + o with its own L; the second send begins after the first's o.
	if got, want := times(r), "3000 3100 7000 0"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

type broken struct{ simulate.LogGOPS }

func (broken) Cost(int, uint64) machine.Cost {
	return machine.Cost{Send: quantity.Micros(math.NaN())}
}

func TestWrongMachines(t *testing.T) {
	p := pingPong(t, 8)
	for _, o := range []simulate.Setup{
		{Machine: broken{}},
		{LogGOPS: simulate.LogGOPS{Latency: -1}},
		{LogGOPS: simulate.LogGOPS{Latency: quantity.Micros(math.NaN())}},
		{LogGOPS: simulate.LogGOPS{Overhead: quantity.Micros(math.Inf(1))}},
		{Rules: simulate.LogGOPSim, Machine: simulate.Defaults()},
		{Rules: simulate.LogGOPSim, LogGOPS: simulate.LogGOPS{Latency: 0.0005}},
	} {
		if _, err := p.Run(context.Background(), o); err == nil {
			t.Errorf("%+v runs", o)
		}
	}
	long := prepare(t, parse(t, "num_ranks 1\nrank 0 {\ncalc 18446744073709551615\n}\n"))
	if _, err := long.Run(context.Background(), simulate.Setup{}); err == nil {
		t.Error("a computation of 584 years")
	}
}

func TestParseLogGOPS(t *testing.T) {
	m, err := simulate.ParseLogGOPS("L=2500ns o=1500ns g=1000ns G=6ns/B O=0ns/B S=65535B", simulate.LogGOPS{})
	if err != nil || m != simulate.Defaults() {
		t.Errorf("%+v, %v", m, err)
	}
	again, err := simulate.ParseLogGOPS(m.String(), simulate.LogGOPS{})
	if err != nil || again != m {
		t.Errorf("%s is read as %+v, %v", m, again, err)
	}
	if m, err = simulate.ParseLogGOPS("G=0.04ns/B, S=64KiB", m); err != nil || m.GapPerByte != 0.00004 || m.EagerLimit != 65536 || m.Latency != 2.5 {
		t.Errorf("%+v, %v", m, err)
	}
	for _, wrong := range []string{"L", "L=", "L=5", "x=5ns", "L=1ns L=2ns", "G=5ns", "S=-1B", "o=-5ns", "L=1e300s"} {
		if m, err := simulate.ParseLogGOPS(wrong, m); err == nil {
			t.Errorf("%q is read as %v", wrong, m)
		}
	}
}

// A high label costs nothing; very many of them, on many ranks, are refused before memory is taken.
func TestLabels(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 1\nrank 0 {\na: calc 10 cpu 65535\nb: calc 20 cpu 7\nb requires a\n}\n"))
	r, err := p.Run(context.Background(), simulate.Setup{})
	if err != nil || times(r) != "30" {
		t.Errorf("%v, %v", r, err)
	}
	b := schedule.NewBuilder(1000)
	for rank := range uint16(1000) {
		b.NextRank()
		for i := range uint16(10) {
			b.Add(schedule.Op{Kind: schedule.Calc, Size: 1, CPU: 10*rank + i})
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := simulate.New(s); err == nil {
		t.Error("10,000 CPUs on each of 1,000 ranks")
	}
}

// A layer of LogGP and the same parameters of LogGOPS are one machine: the sender's interval is
// max(o_s, g + (n−1)G), the receiver's max(o_r, g + (n−1)G).
func TestLogGPIsLogGOPS(t *testing.T) {
	const sends = 50
	b := schedule.NewBuilder(2)
	for rank := range uint32(2) {
		b.NextRank()
		for range sends {
			if rank == 0 {
				b.Send(1001, 1, 0)
			} else {
				b.Recv(1001, 0, 0)
			}
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ o, g, first, last quantity.Micros }{
		{10, 1, 559, 570},               // the gap of 11 decides: 49·11 + 10 + 10, and 11 more to the last
		{20, 1, 50*20 + 10, 51*20 + 11}, // the overhead decides
		{1, 5, 49*15 + 11, 49*15 + 1 + 1 + 10 + 1},
	} {
		l := model.LogGP{LogP: model.LogP{Latency: 1, SendOverhead: c.o, ReceiveOverhead: c.o, GapTime: c.g}, GapPerByte: 0.01}
		m, err := simulate.FromLayer(platforms.Layer{Model: &l}, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range []simulate.Setup{{Machine: m}, {LogGOPS: simulate.LogGOPS{Latency: 1, Overhead: c.o, GapTime: c.g, GapPerByte: 0.01, EagerLimit: simulate.NoLimit}}} {
			r, err := p.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			if first, last := r.Micros(r.Ranks[0]), r.Micros(r.Ranks[1]); math.Abs(float64(first-c.first)) > 1e-6 || math.Abs(float64(last-c.last)) > 1e-6 {
				t.Errorf("o %v, g %v, machine %v: %v and %v, want %v and %v", c.o, c.g, o.Machine != nil, first, last, c.first, c.last)
			}
		}
	}
}

// A processor serves what became ready first: the receive at 0.1 µs, before the send at 1 µs that
// the computation lets go.
func TestFirstReadyFirstServed(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 3\nrank 0 {\nsend 1b to 1\n}\nrank 1 {\nc: calc 1000\ns: send 1b to 2\ns requires c\nrecv 1b from 0\n}\nrank 2 {\nrecv 1b from 1\n}\n"))
	r, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.LogGOPS{Overhead: 0.1, EagerLimit: simulate.NoLimit}})
	if err != nil {
		t.Fatal(err)
	}
	if got := r.Micros(r.Ranks[2]); math.Abs(float64(got)-1.3) > 1e-9 {
		t.Errorf("rank 2 is finished at %v, want 1.3 µs", got)
	}
}
