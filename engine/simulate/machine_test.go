package simulate_test

import (
	"context"
	"math"
	"slices"
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

// A short message has a shorter latency than the long one sent before it, and does not overtake it:
// MPI matches in the order sent. The long one leaves at 0 and arrives at 10 µs; so does the short
// one, which leaves a gap of 1 µs later, and the receiver takes it in a gap behind the other.
func TestOrderOnLayer(t *testing.T) {
	short, long := model.LogP{Latency: 2, GapTime: 1}, model.LogP{Latency: 10, GapTime: 1}
	layer := &model.Switch{Branches: []model.Branch{{Layer: &short, UpTo: 64}, {Layer: &long}}}
	m, err := simulate.FromLayer(platforms.Layer{Model: layer}, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	b := schedule.NewBuilder(2)
	b.NextRank()
	b.Send(100, 1, 0)
	b.Send(8, 1, 0)
	b.NextRank()
	b.Recv(100, 0, 0)
	b.Recv(8, 0, 0)
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	r, err := prepare(t, s).Run(t.Context(), simulate.Setup{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	if finish, _ := r.Finish(); finish != 11 {
		t.Errorf("the last message is received at %v, want 11 µs", finish)
	}
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
	near, far := simulate.Defaults, simulate.Defaults
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
		{Rules: simulate.LogGOPSim, Machine: simulate.Defaults},
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
	if err != nil || m != simulate.Defaults {
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

// The receiver of a request, and of a grant, needs its NIC for the answer alone. Here L = 1 µs, o =
// 0.2, g = 3, G = 1 ns/B, and 101 B are above S: the request keeps the sender's NIC until 3 µs. Its
// processor receives the grant from 2.8 to 3 µs, and sends the data until 3.2. They arrive from 4.2
// to 4.3, and are received at 4.5.
func TestGrantBeforeNIC(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 2\nrank 0 {\nsend 101b to 1\n}\nrank 1 {\nrecv 101b from 0\n}\n"))
	r, err := p.Run(context.Background(), simulate.Setup{Record: true, LogGOPS: simulate.LogGOPS{Latency: 1,
		Overhead: 0.2, GapTime: 3, GapPerByte: 0.001, EagerLimit: 100}})
	if err != nil {
		t.Fatal(err)
	}
	path, err := r.Path()
	if err != nil {
		t.Fatal(err)
	}
	const want = 4_500_000 // ps
	if r.Ranks[1] != want || path.Shares.Sum() != want {
		t.Errorf("the message is received at %d ps, on a path of %d; want %d", r.Ranks[1], path.Shares.Sum(), want)
	}
}

// LogP's network carries ⌈L/g⌉ messages to a processor. Ten processors send to one at once, with L =
// 10, g = 5 and o = 1 µs: two messages leave at 1 µs, the next two when those have arrived, and so
// on. LogGP has no such limit.
func TestCapacityOfLogP(t *testing.T) {
	logP := model.LogP{Latency: 10, SendOverhead: 1, ReceiveOverhead: 1, GapTime: 5}
	var messages []sent
	for from := range 10 {
		messages = append(messages, sent{from + 1, 0, 1, 0})
	}
	for _, test := range []struct {
		layer model.Layer
		want  []uint64 // when the processors are free again, in µs
	}{
		{&logP, []uint64{1, 1, 11, 11, 21, 21, 31, 31, 41, 41}},
		{&model.LogGP{LogP: logP}, []uint64{1, 1, 1, 1, 1, 1, 1, 1, 1, 1}},
	} {
		m, err := simulate.FromLayer(platforms.Layer{Model: test.layer}, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		r, err := together(t, 11, messages).Run(context.Background(), simulate.Setup{Machine: m, Record: true})
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range test.want {
			if r.Ranks[i+1] != want*1e6 {
				t.Errorf("%T: rank %d is free at %d ps, want %d µs", test.layer, i+1, r.Ranks[i+1], want)
			}
		}
		path, err := r.Path()
		if err != nil || path.Shares.Sum() != slices.Max(r.Ranks) {
			t.Errorf("the path of %v has the parts %+v, %v", slices.Max(r.Ranks), path.Shares, err)
		}
	}
}

// In no program more messages than the capacity are in transit to a rank, or from one.
func TestCapacityOfPrograms(t *testing.T) {
	stalls, all := 0, programs(t, 300)
	for seed := range all {
		s := roomyProgram(uint64(seed), 2+seed%8, 4+seed%30)
		layer := &model.LogP{Latency: quantity.Micros(1 + seed%7), SendOverhead: 0.1, ReceiveOverhead: 0.1, GapTime: quantity.Micros(1 + seed%3)}
		m, err := simulate.FromLayer(platforms.Layer{Model: layer}, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		r, err := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: m, Record: true})
		if err != nil {
			continue // stuck
		}
		times, err := r.Timeline()
		if err != nil {
			t.Fatal(err)
		}
		type end struct{ rank, side int }
		left := map[end][]float64{}
		for span := range times.Spans {
			if span.What != "send" {
				continue
			}
			op := s.Ops()[span.Op]
			if span.End-span.Start > 0.1+1e-9 {
				stalls++
			}
			from, to := end{span.Rank<<8 + int(op.NIC), 0}, end{int(op.Peer), 1} // a gap is of a NIC
			left[from] = append(left[from], float64(span.End))
			left[to] = append(left[to], float64(span.End))
		}
		most := int(math.Ceil(float64(layer.Latency / layer.GapTime)))
		for of, list := range left {
			slices.Sort(list)
			for i := range list {
				if i >= most && list[i] < list[i-most]+float64(layer.Latency)-1e-9 {
					t.Fatalf("seed %d: %d messages are in transit of %+v at %v µs, of %d", seed, most+1, of, list[i], most)
				}
			}
		}
	}
	if stalls < all { // programs without a stall would test nothing
		t.Errorf("only %d stalls in %d programs", stalls, all)
	}
}

// A send and a computation become ready together. By the rules the send is first; in the opposite
// order the message comes 5 µs later.
func TestReversed(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 2\nrank 0 {\nsend 1b to 1\ncalc 5000\n}\nrank 1 {\nrecv 1b from 0\n}\n"))
	setup := simulate.Setup{LogGOPS: simulate.LogGOPS{Latency: 1, Overhead: 0.2, EagerLimit: 100}}
	for _, want := range []uint64{1_400_000, 6_400_000} { // o + L + o in ps
		r, err := p.Run(context.Background(), setup)
		if err != nil || r.Ranks[1] != want || r.Ranks[0] != 5_200_000 {
			t.Errorf("reversed %v: %v, %v; want %d ps", setup.Reversed, r.Ranks, err, want)
		}
		setup.Reversed = true
	}
	setup.Rules = simulate.LogGOPSim
	if _, err := p.Run(context.Background(), setup); err == nil {
		t.Error("LogGOPSim's rules have no other order")
	}
}

// A rank sends to rank 1, which computes 5 µs then, and to rank 2, a gap of 1 µs apart. GOAL has no
// order of the two; a schedule of calls has that of the program in both directions.
func TestReversedCalls(t *testing.T) {
	for _, calls := range []bool{false, true} {
		b := schedule.NewBuilder(3)
		b.NextRank()
		b.Send(1, 1, 0)
		b.Send(1, 2, 0)
		b.NextRank()
		came := b.Recv(1, 0, 0)
		b.Requires(b.Calc(5000), came)
		b.NextRank()
		b.Recv(1, 0, 0)
		if calls {
			b.Calls()
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, reversed := range []bool{false, true} {
			r, err := prepare(t, s).Run(t.Context(), simulate.Setup{Reversed: reversed,
				LogGOPS: simulate.LogGOPS{Latency: 1, GapTime: 1, EagerLimit: 100}})
			if err != nil {
				t.Fatal(err)
			}
			want := quantity.Micros(6)
			if reversed && !calls {
				want = 7
			}
			if finish, _ := r.Finish(); finish != want {
				t.Errorf("calls %v, reversed %v: %v, want %v", calls, reversed, finish, want)
			}
		}
	}
}

// Programs in which nothing happens at one moment have the same finish in both orders, and some of
// random programs do not. Each order gives a finish that the oracle's order could give: no message
// is lost, and a run repeats itself.
func TestReversedPrograms(t *testing.T) {
	differ, all := 0, programs(t, 500)
	for seed := range all {
		s := roomyProgram(uint64(seed), 1+seed%6, 2+seed%14)
		p := prepare(t, s)
		setup := simulate.Setup{LogGOPS: simulate.Defaults}
		first, err := p.Run(context.Background(), setup)
		if err != nil {
			continue // stuck
		}
		setup.Reversed = true
		a, err := p.Run(context.Background(), setup)
		if err != nil {
			continue // the other order of a wildcard may be stuck
		}
		b, err := p.Run(context.Background(), setup)
		if err != nil || !slices.Equal(a.Ranks, b.Ranks) || a.Events != first.Events {
			t.Fatalf("seed %d: %v and %v, %v", seed, a, b, err)
		}
		if slices.Max(a.Ranks) != slices.Max(first.Ranks) {
			differ++
		}
	}
	t.Logf("the order decides the finish of %d of %d programs", differ, all)
	if differ == 0 || differ > all/2 {
		t.Errorf("the order decides the finish of %d of %d programs", differ, all)
	}
}
