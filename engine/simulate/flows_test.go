package simulate

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// flowing is nodes of two ranks with a NIC of 1,000 B/µs; messages above 100 B have fair shares.
// Ranks send 1,000 B/µs too, or twice as much within a node.
func flowing(nodes int, eager bool) machine.Machine {
	inside := machine.Level{Name: "node", Arity: 2, Packet: 100, Layer: &model.LogGP{LogP: model.LogP{Latency: 1}, GapPerByte: 0.0005}, Port: machine.Port{&model.Linear{Tau: 0.001}}}
	outside := machine.Level{Name: "cluster", Arity: nodes, Packet: 100, Layer: &model.LogGP{LogP: model.LogP{Latency: 5}, GapPerByte: 0.001}}
	if !eager {
		outside.Eager = 1
	}
	return machine.Machine{Levels: []machine.Level{inside, outside}}
}

// onFirstCores makes a schedule ready to run on the first cores of a machine.
func onFirstCores(t *testing.T, m machine.Machine, b *schedule.Builder, ranks int) (*Program, Machine) {
	t.Helper()
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := New(s)
	if err != nil {
		t.Fatal(err)
	}
	places, err := m.Place(machine.Placement{}, ranks)
	if err != nil {
		t.Fatal(err)
	}
	on, err := FromMachine(m, places, NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	return p, on
}

// ends runs messages that all begin at 0 and returns when each receiver is finished.
func ends(t *testing.T, m machine.Machine, ranks int, messages [][3]int) (all []float64) {
	t.Helper()
	b := schedule.NewBuilder(ranks)
	for rank := range ranks {
		b.NextRank()
		for i, x := range messages {
			if x[0] == rank {
				b.Send(uint64(x[2]), uint32(x[1]), uint32(i))
			} else if x[1] == rank {
				b.Recv(uint64(x[2]), uint32(x[0]), uint32(i))
			}
		}
	}
	p, on := onFirstCores(t, m, b, ranks)
	for _, record := range []bool{false, true} {
		res, err := p.Run(t.Context(), Setup{Machine: on, Record: record})
		if err != nil {
			t.Fatal(err)
		}
		var again []float64
		for _, ticks := range res.Ranks {
			again = append(again, float64(res.Micros(ticks)))
		}
		for i := range all {
			if all[i] != again[i] {
				t.Errorf("rank %d ends at %v, recorded at %v", i, all[i], again[i])
			}
		}
		all = again
	}
	return all
}

// Rates that are known: of receivers of one root, of ranks behind one NIC, of flows that are held
// back elsewhere and leave the rest to others, and of those that go on when others have ended.
func TestFairShares(t *testing.T) {
	for _, test := range []struct {
		name     string
		messages [][3]int // from, to, bytes
		want     map[int]float64
	}{
		{"alone", [][3]int{{0, 2, 10001}}, map[int]float64{2: 5 + 10}},
		{"one root, two receivers together", [][3]int{{0, 2, 10001}, {0, 4, 10001}}, map[int]float64{2: 5 + 20, 4: 5 + 20}},
		{"one root, the shorter one ends first", [][3]int{{0, 2, 10001}, {0, 4, 5001}}, map[int]float64{2: 5 + 15, 4: 5 + 10}},
		{"one NIC, two roots", [][3]int{{0, 2, 10001}, {1, 4, 10001}}, map[int]float64{2: 5 + 20, 4: 5 + 20}},
		{"fan-in", [][3]int{{0, 6, 10001}, {2, 6, 10001}, {4, 6, 10001}}, map[int]float64{6: 5 + 30}},
		// Rank 6 takes three, of 1/3 each; the other message of rank 0 has the other 2/3 until it
		// ends at 15 µs with 5 of the 10 done for the three, which then go on with 1/3 each as
		// before.
		{"held back elsewhere", [][3]int{{0, 6, 10001}, {2, 6, 10001}, {4, 6, 10001}, {0, 3, 10001}}, map[int]float64{6: 5 + 30, 3: 5 + 15}},
	} {
		for _, eager := range []bool{true, false} {
			got := ends(t, flowing(4, eager), 8, test.messages)
			for rank, want := range test.want {
				if math.Abs(got[rank]-want) > 0.02 {
					t.Errorf("%s, eager %v: rank %d ends at %.3f µs, want %.3f", test.name, eager, rank, got[rank], want)
				}
			}
		}
	}
}

// A message inside a node, with a fifth of the latency, gets five times the rate of one to another
// node, which begins at 5 µs: its last 2,000 bytes take 1.2 µs, not 2.
func TestSharesByLatency(t *testing.T) {
	for power, want := range map[float64][2]float64{0: {7, 15}, 1: {6.2, 15.8}} {
		m := flowing(4, true)
		for i := range m.Levels {
			m.Levels[i].ByLatency = power
		}
		got := ends(t, m, 8, [][3]int{{0, 1, 10001}, {0, 2, 10001}})
		if math.Abs(got[1]-want[0]) > 0.02 || math.Abs(got[2]-want[1]) > 0.02 {
			t.Errorf("power %v: ranks 1 and 2 end at %.3f and %.3f µs, want %v", power, got[1], got[2], want)
		}
	}
}

// Messages from one rank to another overlap if the network holds them back: the second one begins a
// gap after the first. A message takes a part of the opposite direction from each NIC and port.
func TestOverlapAndReverse(t *testing.T) {
	m := flowing(4, true)
	m.Levels[1].Reverse = 0.5
	for _, test := range []struct {
		messages [][3]int
		want     map[int]float64
	}{
		{[][3]int{{0, 2, 10001}}, map[int]float64{2: 5 + 10}},
		{[][3]int{{0, 2, 10001}, {0, 2, 10001}}, map[int]float64{2: 5 + 20}},
		// From 20 µs on, the two messages to rank 2 have two thirds of the NIC of rank 0.
		{[][3]int{{0, 2, 20001}, {0, 2, 20001}, {0, 4, 20001}}, map[int]float64{4: 5 + 50, 2: 5 + 60}},
		{[][3]int{{0, 2, 10001}, {2, 0, 10001}}, map[int]float64{0: 5 + 15, 2: 5 + 15}},
		{[][3]int{{0, 2, 10001}, {4, 1, 10001}}, map[int]float64{1: 5 + 15, 2: 5 + 15}}, // by the node's ports
		{[][3]int{{0, 2, 10001}, {2, 4, 10001}, {4, 6, 10001}}, map[int]float64{2: 5 + 15, 4: 5 + 15, 6: 5 + 15}},
	} {
		got := ends(t, m, 8, test.messages)
		for rank, want := range test.want {
			if math.Abs(got[rank]-want) > 0.02 {
				t.Errorf("%v: rank %d ends at %.3f µs, want %.3f", test.messages, rank, got[rank], want)
			}
		}
	}
}

// Messages whose routes share a link of a ring of four share its bytes, other ones do not; each
// link of a route adds to the latency.
func TestTopologyFlows(t *testing.T) {
	ring, err := machine.ParseTopology("torus 4")
	if err != nil {
		t.Fatal(err)
	}
	for _, packet := range []quantity.Bytes{100, 1 << 30} {
		m := machine.Machine{Levels: []machine.Level{{Name: "cluster", Arity: 4, Packet: packet, Topology: ring, Hop: 3, Link: &model.Linear{Tau: 0.001},
			Layer: &model.LogGP{LogP: model.LogP{Latency: 5}, GapPerByte: 0.001}}}}
		for _, test := range []struct {
			messages [][3]int
			want     map[int]float64
		}{
			{[][3]int{{0, 1, 10001}}, map[int]float64{1: 15}},
			{[][3]int{{0, 2, 10001}}, map[int]float64{2: 18}},
			{[][3]int{{0, 1, 10001}, {1, 0, 10001}}, map[int]float64{1: 15, 0: 15}},
			{[][3]int{{0, 1, 10001}, {0, 3, 10001}}, map[int]float64{1: 15, 3: 15}},         // both ways round
			{[][3]int{{0, 2, 10001}, {1, 3, 10001}}, map[int]float64{2: 8 + 20, 3: 8 + 20}}, // through 1 to 2
			{[][3]int{{0, 1, 10001}, {2, 3, 10001}, {3, 0, 10001}}, map[int]float64{1: 15, 0: 15}},
		} {
			if packet > 100 && len(test.messages) > 1 {
				continue // a NIC sends one after the other
			}
			got := ends(t, m, 4, test.messages)
			for rank, want := range test.want {
				if math.Abs(got[rank]-want) > 0.02 {
					t.Errorf("%v, packets of %.0f B: rank %d ends at %.3f µs, want %.3f", test.messages, float64(packet), rank, got[rank], want)
				}
			}
		}
	}
}

// A message that NICs interleave, on a network whose links are not shared, takes the time of its level.
func TestUnsharedTopology(t *testing.T) {
	ring, err := machine.ParseTopology("torus 4")
	if err != nil {
		t.Fatal(err)
	}
	m := machine.Machine{Levels: []machine.Level{{Name: "cluster", Arity: 4, Packet: 100, Topology: ring,
		Layer: &model.LogGP{LogP: model.LogP{Latency: 5}, GapPerByte: 0.001}}}}
	got := ends(t, m, 4, [][3]int{{0, 1, 10001}, {2, 1, 10001}})
	if math.Abs(got[1]-15) > 0.02 {
		t.Errorf("rank 1 ends at %.3f µs, want 15", got[1])
	}
}

// Two links out of a unit of four: messages to units of one number, modulo 2, share a link, and
// other ones do not, whether NICs interleave them or not.
func TestRoutesOfPort(t *testing.T) {
	for _, packet := range []quantity.Bytes{100, 1 << 30} {
		layer := &model.LogGP{LogP: model.LogP{Latency: 5}, GapPerByte: 0.001}
		m := machine.Machine{Levels: []machine.Level{
			{Name: "switch", Arity: 4, Packet: packet, Layer: layer, Port: machine.Port{&model.Linear{Tau: 0.0005}}, Routes: 2},
			{Name: "cluster", Arity: 2, Packet: packet, Layer: layer}}}
		for _, test := range []struct {
			messages [][3]int
			want     float64 // when the last one ends
		}{
			{[][3]int{{0, 4, 10001}}, 15},
			{[][3]int{{0, 4, 10001}, {1, 5, 10001}}, 15},
			{[][3]int{{0, 4, 10001}, {1, 6, 10001}}, 25},
			{[][3]int{{0, 4, 10001}, {1, 5, 10001}, {2, 6, 10001}, {3, 7, 10001}}, 25},
		} {
			if got := slices.Max(ends(t, m, 8, test.messages)); math.Abs(got-test.want) > 0.02 {
				t.Errorf("%v, packets of %.0f B: the last one ends at %.3f µs, want %.3f", test.messages, float64(packet), got, test.want)
			}
		}
	}
}

// A message of at most one packet has its share among flows: of 100 bytes, half of the port.
func TestPacketsAndFlows(t *testing.T) {
	got := ends(t, flowing(4, true), 8, [][3]int{{0, 2, 1000001}, {0, 4, 100}})
	if math.Abs(got[4]-5.2) > 0.02 || math.Abs(got[2]-1005) > 1 {
		t.Errorf("the packet ends at %.3f µs, the flow at %.3f", got[4], got[2])
	}
}

// Flows begin and end over random resources. After each change, all rates are those of a filling
// from nothing: no resource carries more than its capacity, and each flow has the rate that it has
// alone, or it is the fastest in a resource that is full.
func TestMaxMin(t *testing.T) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 3))
		const n = 8
		f := newTestRates(n)
		var going []*bundle
		for step := range 60 {
			if len(going) > 0 && random.IntN(3) == 0 {
				i := random.IntN(len(going))
				going[i].delivered++
				going[i].followed++
				f.end(going[i])
				going = slices.Delete(going, i, i+1)
			} else {
				b := f.bundle(drawBundle(random, n))
				f.begin(b, 0, 0)
				going = append(going, b)
			}
			f.share(0)
			used := make([]float64, n)
			for _, b := range going {
				for _, u := range b.uses {
					used[u.resource] += b.rate * u.ticks
				}
			}
			for _, b := range going {
				full := b.rate >= 1/b.alone*(1-1e-6)
				for _, u := range b.uses {
					if used[u.resource] > 1+1e-6 {
						t.Fatalf("seed %d, step %d: resource %d carries %v", seed, step, u.resource, used[u.resource])
					}
					fastest := true
					for _, other := range going {
						uses := slices.ContainsFunc(other.uses, func(o use) bool { return o.resource == u.resource })
						fastest = fastest && (!uses || other.rate*other.size <= b.rate*b.size*(1+1e-6))
					}
					full = full || used[u.resource] > 1-1e-6 && fastest
				}
				if !full {
					t.Fatalf("seed %d, step %d: a flow of rate %v (alone %v) could be faster", seed, step, b.rate, 1/b.alone)
				}
			}
		}
	}
}

// Messages between two ranks are received in the order sent, whichever of them flow, are delayed by
// shared resources, or ask first: no receive gets a message of another size. The path still adds
// up.
func TestOrderOfMessages(t *testing.T) {
	sizes := []uint64{0, 1, 20, 99, 100, 101, 167, 500, 3000, 20000}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		m := flowing(2, seed%2 == 0)
		for i := range m.Levels {
			if seed%3 == 0 {
				m.Levels[i].Packet = 0
			}
			m.Levels[i].Shared = &model.Linear{Beta: 0.7, Tau: 0.002}
		}
		b := schedule.NewBuilder(4)
		for from := range 4 { // each rank sends to two others, in a row
			b.NextRank()
			for _, step := range []int{1, 2} {
				chain := func(add func(size uint64, peer, tag uint32) uint32, other, sender int) {
					shuffled := rand.New(rand.NewPCG(seed, uint64(4*sender+step)))
					for n := range 12 {
						op := add(sizes[shuffled.IntN(len(sizes))], uint32(other), uint32(step))
						if n > 0 {
							b.IRequires(op, op-1)
						}
					}
				}
				chain(b.Send, (from+step)%4, from)
				chain(b.Recv, (from+4-step)%4, (from+4-step)%4)
			}
		}
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		p, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		places, err := m.Place(machine.Placement{}, 4)
		if err != nil {
			t.Fatal(err)
		}
		on, err := FromMachine(m, places, []quantity.Bytes{NoLimit, 150}[random.IntN(2)])
		if err != nil {
			t.Fatal(err)
		}
		r, err := p.Run(t.Context(), Setup{Machine: on, Record: true})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		path, err := r.Path()
		if err != nil {
			t.Fatal(err)
		}
		ComputedAsRecorded(t, p, Setup{Machine: on}, path)
		at := uint64(0)
		for _, g := range path.Segments {
			if g.From != at || g.Shares.Sum() != g.To-g.From {
				t.Fatalf("seed %d: segment %+v after %d ps", seed, g, at)
			}
			at = g.To
		}
	}
}

// A send whose flow ends before an earlier one to the same rank does not wait for that one, although
// its message does: the shares of each segment add up.
func TestPathOfEarlySend(t *testing.T) {
	b := schedule.NewBuilder(4)
	b.NextRank()
	b.Send(100000, 2, 1)
	second := b.Send(500, 2, 1)
	b.Requires(b.Calc(900000), second)
	b.NextRank()
	b.Send(100000, 3, 1)
	b.NextRank()
	b.Recv(100000, 0, 1)
	b.Recv(500, 0, 1)
	b.NextRank()
	b.Recv(100000, 1, 1)
	r, err := runOn(t, flowing(2, false), b)
	if err != nil {
		t.Fatal(err)
	}
	path, err := r.Path()
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range path.Segments {
		if g.Shares.Sum() != g.To-g.From {
			t.Errorf("segment %+v of %d ps has shares of %d ps", g, g.To-g.From, g.Shares.Sum())
		}
	}
}

// runOn runs a schedule of four ranks on a machine, recorded.
func runOn(t *testing.T, m machine.Machine, b *schedule.Builder) (*Result, error) {
	t.Helper()
	p, on := onFirstCores(t, m, b, 4)
	return p.Run(t.Context(), Setup{Machine: on, Record: true})
}

// Receives that accept any rank or any tag get messages in the order sent, too.
func TestOrderOfWildcards(t *testing.T) {
	for _, from := range []channel{{schedule.Any, 1, 0}, {0, schedule.Any, 0}} {
		for _, packet := range []quantity.Bytes{0, 100} {
			m := flowing(2, true)
			m.Levels[0].Packet, m.Levels[1].Packet = packet, packet
			m.Levels[0].Port = machine.Port{&model.Linear{Beta: 0.7, Tau: 0.1}}
			sizes := []uint64{90, 80, 2, 70, 1, 60, 3, 50, 1}
			b := schedule.NewBuilder(4)
			b.NextRank()
			for i, size := range sizes {
				if op := b.Send(size, 2, 1); i > 0 {
					b.IRequires(op, op-1)
				}
			}
			b.NextRank()
			b.Send(90, 3, 1)
			b.NextRank()
			for i, size := range sizes {
				if op := b.Recv(size, from.from, from.tag); i > 0 {
					b.IRequires(op, op-1)
				}
			}
			b.NextRank()
			b.Recv(90, 1, 1)
			if _, err := runOn(t, m, b); err != nil {
				t.Errorf("from %+v, packets of %v: %v", from, packet, err)
			}
		}
	}
}

// A request that takes no time does not overtake the eager message before it, on a machine that
// shares nothing.
func TestOrderOfRequests(t *testing.T) {
	m := flowing(2, true)
	for i := range m.Levels {
		m.Levels[i].Packet, m.Levels[i].Port, m.Levels[i].Eager = 0, nil, 100
	}
	b := schedule.NewBuilder(4)
	b.NextRank()
	first := b.Send(10, 2, 1)
	b.IRequires(b.Send(1000, 2, 1), first)
	b.NextRank()
	b.NextRank()
	first = b.Recv(10, 0, 1)
	b.IRequires(b.Recv(1000, 0, 1), first)
	b.NextRank()
	if _, err := runOn(t, m, b); err != nil {
		t.Error(err)
	}
}
