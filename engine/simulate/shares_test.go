package simulate_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A sent is one message of a test.
type sent struct {
	from, to int
	size     uint64
	nic      uint16 // 0, or 1 + its channel
}

// together is a schedule in which all messages are sent at time 0, in order.
func together(t testing.TB, ranks int, messages []sent) *simulate.Program {
	t.Helper()
	b := schedule.NewBuilder(ranks)
	for rank := range ranks {
		b.NextRank()
		for i, m := range messages {
			if m.from == rank {
				b.Add(schedule.Op{Kind: schedule.Send, Size: m.size, Peer: uint32(m.to), Tag: uint32(i), NIC: m.nic})
			}
			if m.to == rank {
				b.Add(schedule.Op{Kind: schedule.Recv, Size: m.size, Peer: uint32(m.from), Tag: uint32(i), NIC: m.nic})
			}
		}
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return prepare(t, s)
}

// rack is the machine in docs/machines.md.
func rack() machine.Machine {
	linear := func(beta quantity.Micros, perKiB float64) model.Layer {
		return &model.Linear{Beta: beta, Tau: quantity.MicrosPerByte(perKiB / 1024)}
	}
	network := &model.LogGP{LogP: model.LogP{Latency: 0.7, SendOverhead: 0.3, ReceiveOverhead: 0.3,
		GapTime: 0.4}, GapPerByte: 1. / 12500}
	return machine.Machine{Levels: []machine.Level{
		{Name: "socket", Arity: 64, Layer: linear(0.3, 0.07)},
		{Name: "node", Arity: 2, Layer: linear(0.6, 0.09), Lanes: 8, Ports: 1},
		{Name: "cluster", Arity: 2, Layer: network},
	}}
}

// A node of 128 ranks sends 1 MiB/i by rank i to the other node of the machine in docs/machines.md,
// whose port has 12.5 GB/s. The bytes need 456 µs there, and the gaps 51 µs.
func TestPortOfManySizes(t *testing.T) {
	var messages []sent
	work := 0.0
	for i := range 128 {
		size := uint64(1<<20) / uint64(i+1)
		messages = append(messages, sent{from: i, to: 128 + i, size: size})
		work += 0.4 + float64(size-1)/12500
	}
	r, err := together(t, 256, messages).Run(context.Background(),
		simulate.Setup{Machine: on(t, rack(), "core", 256, simulate.NoLimit)})
	if err != nil {
		t.Fatal(err)
	}
	// A message takes 1.3 µs besides its bytes, and no gap follows the last one.
	finish, _ := r.Finish()
	if want := work + 1.3 - 0.4; math.Abs(float64(finish)-want) > 1e-3 {
		t.Errorf("the last message ends at %.3f µs, want %.3f", float64(finish), want)
	}
}

// Messages inside a node do not pass its port, so they do not occupy the backbone of a cluster.
func TestInsideOfAPort(t *testing.T) {
	layer := &model.LogGP{LogP: model.LogP{Latency: 1}, GapPerByte: 0.001}
	for _, test := range []struct {
		port model.Layer
		want float64 // of two messages of 10 kB inside nodes and one between nodes, at 0.001 µs/B
	}{{&model.Linear{Tau: 0.001}, 1 + 10}, {nil, 1 + 30}} {
		m := machine.Machine{Levels: []machine.Level{{Name: "node", Arity: 2, Layer: layer, Port: portOf(test.port)},
			{Name: "cluster", Arity: 4, Layer: layer, Shared: &model.Linear{Tau: 0.001}}}}
		messages := []sent{{0, 1, 10001, 0}, {2, 3, 10001, 0}, {4, 6, 10001, 0}}
		r, err := together(t, 8, messages).Run(context.Background(),
			simulate.Setup{Machine: on(t, m, "core", 8, simulate.NoLimit)})
		if err != nil {
			t.Fatal(err)
		}
		if finish, _ := r.Finish(); math.Abs(float64(finish)-test.want) > 0.01 {
			t.Errorf("port %v: the last message ends at %.3f µs, want %.3f", test.port, float64(finish), test.want)
		}
	}
}

// portOf returns a port of one rail; none without a layer.
func portOf(l model.Layer) machine.Port {
	if l == nil {
		return nil
	}
	return machine.Port{l}
}

// A drawn machine has random levels whose costs this test computes on its own: a message of n bytes
// between ranks of level l has the latency and occupies a rank for gap + (n−1)·perByte.
type drawn struct {
	machine.Machine
	latency, gap, perByte []float64
}

// drawMachine makes a machine of two or three levels, each with shared memory, lanes, ports, several of
// them or none.
func drawMachine(random *rand.Rand, gaps bool) drawn {
	var d drawn
	// Half to three times of what a byte may take at a level.
	slower := func() quantity.MicrosPerByte { return quantity.MicrosPerByte(5e-4 * (1 + 5*random.Float64())) }
	for range 2 + random.IntN(2) {
		gap := 0.0
		if gaps {
			gap = 0.2 * random.Float64()
		}
		latency, perByte := random.Float64(), 1e-3*(1+random.Float64())
		d.latency, d.gap = append(d.latency, latency), append(d.gap, gap)
		d.perByte = append(d.perByte, perByte)
		l := machine.Level{Name: "level", Arity: 2 + random.IntN(3), Layer: &model.LogGP{
			LogP:       model.LogP{Latency: quantity.Micros(latency), GapTime: quantity.Micros(gap)},
			GapPerByte: quantity.MicrosPerByte(perByte)}}
		switch random.IntN(3) {
		case 0:
			l.Lanes = 1 + 2*random.Float64()
		case 1:
			l.Shared = &model.Linear{Tau: slower()}
		}
		d.Levels = append(d.Levels, l)
	}
	for i := range d.Levels[:len(d.Levels)-1] {
		switch random.IntN(4) {
		case 0:
			d.Levels[i].Ports = 1 + 3*random.Float64()
		case 1:
			d.Levels[i].Port = machine.Port{&model.Linear{Tau: slower()}}
		case 2:
			for range 2 + random.IntN(2) {
				d.Levels[i].Port = append(d.Levels[i].Port, &model.Linear{Tau: slower()})
			}
		}
		if random.IntN(4) == 0 {
			d.Levels[i].Packet = 500
		}
	}
	return d
}

// A unit that ranks share: its level, number and part (0 inside, 1 its port out, 2 its port in), and
// the rail of the port, from 1; 0 is all of it.
type unit struct{ level, number, part, rail int }

// uses returns how long a message between two cores occupies each unit, how long the slowest unit
// needs for its bytes, and the gap by which the longest occupancy exceeds that.
func (d drawn) uses(m sent) (all map[unit]float64, stream, excess float64) {
	size := 1
	common := 0
	for i, l := range d.Levels {
		if size *= l.Arity; m.from/size == m.to/size {
			common = i
			break
		}
	}
	n := float64(max(m.size, 1))
	stream = (n - 1) * d.perByte[common]
	gap := d.gap[common] + stream
	all, size = map[unit]float64{}, 1
	alone, slowest := stream, stream
	add := func(u unit, number float64, layer model.Layer) {
		if layer != nil { // a line without a constant
			all[u] = n * float64(layer.(*model.Linear).Tau)
			alone = max(alone, all[u])
			slowest = max(slowest, (n-1)*float64(layer.(*model.Linear).Tau))
		} else if number > 0 {
			all[u] = gap / number
			alone = max(alone, gap)
		}
	}
	// All rails together carry the sum of their rates, and a channel keeps to one of them.
	port := func(u unit, l machine.Level) {
		rate, rails := 0.0, int(l.Ports)
		fastest := math.Inf(1)
		for _, rail := range l.Port {
			tau := float64(rail.(*model.Linear).Tau)
			rate, rails, fastest = rate+1/tau, len(l.Port), min(fastest, tau)
		}
		if l.Port == nil {
			add(u, l.Ports, nil)
		} else {
			add(u, 0, &model.Linear{Tau: quantity.MicrosPerByte(1 / rate)})
			alone, slowest = max(alone, n*fastest), max(slowest, (n-1)/rate)
		}
		if m.nic == 0 || rails < 2 {
			return
		}
		u.rail = 1 + int(m.nic-1)%rails
		if l.Port == nil {
			add(u, 1, nil)
		} else {
			add(u, 0, l.Port[u.rail-1])
		}
	}
	for i, l := range d.Levels {
		size *= l.Arity
		if i < common {
			for part, core := range []int{m.from, m.to} {
				port(unit{i, core / size, part + 1, 0}, l)
			}
		} else {
			add(unit{i, m.from / size, 0, 0}, l.Lanes, l.Shared)
			if len(l.Port) > 0 || l.Ports > 0 { // the message stays inside it
				break
			}
		}
	}
	return all, slowest, alone - slowest
}

// No program finishes before the work of any shared unit is done at its capacity: 500 random
// programs on random machines. With gaps, the last message of each size may have a gap after it,
// which no one waits for.
func TestWorkOverCapacity(t *testing.T) {
	tight := 0
	all := programs(t, 500)
	for seed := range all {
		random := rand.New(rand.NewPCG(uint64(seed), 7))
		d := drawMachine(random, seed%2 == 0)
		ranks := d.Cores()
		var messages []sent
		for range 1 + random.IntN(40) {
			m := sent{random.IntN(ranks), random.IntN(ranks), uint64(1 + random.IntN(1<<(3+random.IntN(10)))),
				uint16(random.IntN(4))}
			if m.from != m.to {
				messages = append(messages, m)
			}
		}
		r, err := together(t, ranks, messages).Run(context.Background(), simulate.Setup{
			Machine: on(t, d.Machine, "core", ranks, simulate.NoLimit), Seed: uint64(seed)})
		if err != nil {
			t.Fatal(err)
		}
		work := map[unit]float64{}
		gaps := map[uint64]float64{} // by size
		for _, m := range messages {
			uses, _, excess := d.uses(m)
			gaps[m.size] = max(gaps[m.size], excess)
			for u, occupied := range uses {
				work[u] += occupied
			}
		}
		after := 0.0
		for _, gap := range gaps {
			after += gap
		}
		finish, _ := r.Finish()
		for u, needed := range work {
			// Ticks of 1 ps, and demands of 2⁻²⁴.
			if float64(finish) < (needed-after)*(1-1e-6)-1e-5 {
				t.Fatalf("seed %d: finished at %v, unit %+v needs %v µs", seed, finish, u, needed-after)
			}
			if float64(finish) < 1.2*needed+1 {
				tight++
			}
		}
	}
	if tight < all/10 {
		t.Errorf("a unit was full nearly all the time in %d of %d programs only", tight, all)
	}
}

// filled returns when each message has arrived if all begin at their latency: a plain progressive
// filling, which raises all rates in small equal steps from one event to the next.
func (d drawn) filled(messages []sent) []float64 {
	type state struct {
		uses             map[unit]float64
		left, top, begin float64 // bytes, bytes per µs, µs
	}
	flows := make([]state, len(messages))
	for i, m := range messages {
		uses, stream, excess := d.uses(m)
		common, size := 0, d.Levels[0].Arity
		for m.from/size != m.to/size {
			common++
			size *= d.Levels[common].Arity
		}
		flows[i] = state{uses, float64(m.size), float64(m.size) / (stream + excess), d.latency[common]}
	}
	ends := make([]float64, len(messages))
	for now, open := 0.0, len(messages); open > 0; {
		rate := make([]float64, len(flows))
		fixed := make([]bool, len(flows))
		active := func(i int) bool { return flows[i].left > 0 && flows[i].begin <= now }
		for {
			// The largest step by which all rates that are not fixed can rise.
			step := math.Inf(1)
			load, used := map[unit]float64{}, map[unit]float64{}
			for i, f := range flows {
				if !active(i) {
					continue
				}
				for u, occupied := range f.uses {
					used[u] += rate[i] * occupied / float64(messages[i].size)
					if !fixed[i] {
						load[u] += occupied / float64(messages[i].size)
					}
				}
				if !fixed[i] {
					step = min(step, f.top-rate[i])
				}
			}
			for u, l := range load {
				step = min(step, (1-used[u])/l)
			}
			if math.IsInf(step, 1) {
				break
			}
			for i, f := range flows {
				if !active(i) || fixed[i] {
					continue
				}
				rate[i] += step
				fixed[i] = rate[i] >= f.top*(1-1e-12)
				for u := range f.uses {
					fixed[i] = fixed[i] || used[u]+step*load[u] >= 1-1e-12
				}
			}
		}
		next := math.Inf(1)
		for i, f := range flows {
			switch {
			case active(i):
				next = min(next, now+f.left/rate[i])
			case f.begin > now:
				next = min(next, f.begin)
			}
		}
		for i := range flows {
			if !active(i) {
				continue
			}
			if flows[i].left -= rate[i] * (next - now); flows[i].left < 1e-9*float64(messages[i].size) {
				flows[i].left, ends[i] = 0, next
				open--
			}
		}
		now = next
	}
	return ends
}

// The finishes are those of a progressive filling that shares no code with the engine.
func TestFinishesOfFilling(t *testing.T) {
	compared := 0
	for seed := range programs(t, 300) {
		random := rand.New(rand.NewPCG(uint64(seed), 8))
		d := drawMachine(random, false)
		for i := range d.Levels {
			d.Levels[i].Packet = 0
			// As long as the bytes, so that nothing follows them.
			d.Levels[i].Shared, d.Levels[i].Port = nil, nil
		}
		ranks := d.Cores()
		var messages []sent
		to := random.Perm(ranks) // one message for each rank: NICs of ranks hold nothing back
		for from := range ranks {
			if from != to[from] {
				messages = append(messages, sent{from, to[from], uint64(2 + random.IntN(5000)), uint16(random.IntN(4))})
			}
		}
		r, err := together(t, ranks, messages).Run(context.Background(), simulate.Setup{
			Machine: on(t, d.Machine, "core", ranks, simulate.NoLimit), Record: true})
		if err != nil {
			t.Fatal(err)
		}
		times, err := r.Timeline()
		if err != nil {
			t.Fatal(err)
		}
		want := d.filled(messages)
		for m := range times.Messages {
			compared++
			// The engine rounds each event to 1 ps.
			if got := float64(m.Received); math.Abs(got-want[m.Tag]) > 1e-3 {
				t.Fatalf("seed %d: %d→%d arrives at %.6f µs, by the filling at %.6f",
					seed, m.From, m.To, got, want[m.Tag])
			}
		}
	}
	if compared < 500 {
		t.Errorf("only %d messages", compared)
	}
}

// A crowd's rates wait for begins and ends, and times stay near those of rates that are computed at
// each: 1,000 random programs, of which the test logs the largest differences.
func TestTimesOfCrowds(t *testing.T) {
	crowds, worst, worstRank := 0, 0.0, 0.0
	for seed := range programs(t, 300) {
		random := rand.New(rand.NewPCG(uint64(seed), 9))
		d := drawMachine(random, seed%2 == 0)
		ranks := d.Cores()
		var messages []sent
		for range 70 + random.IntN(120) {
			m := sent{random.IntN(ranks), random.IntN(ranks), uint64(1 + random.IntN(1<<(3+random.IntN(10)))),
				uint16(random.IntN(4))}
			if m.from != m.to {
				messages = append(messages, m)
			}
		}
		p := together(t, ranks, messages)
		setup := simulate.Setup{Machine: on(t, d.Machine, "core", ranks, simulate.NoLimit), Seed: uint64(seed)}
		run := func() *simulate.Result {
			r, err := p.Run(context.Background(), setup)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		got := run()
		before := simulate.SetCrowd(math.MaxInt)
		exact := run()
		simulate.SetCrowd(before)
		if slices.Equal(got.Ranks, exact.Ranks) {
			continue
		}
		crowds++
		for rank, want := range exact.Ranks {
			worstRank = max(worstRank, math.Abs(float64(got.Ranks[rank])-float64(want))/max(float64(want), 1))
		}
		finish, _ := got.Finish()
		want, _ := exact.Finish()
		if off := math.Abs(float64(finish/want) - 1); off > 1e-3 {
			t.Errorf("seed %d: finishes at %v, with exact rates at %v", seed, finish, want)
		} else {
			worst = max(worst, off)
		}
	}
	t.Logf("%d programs with crowds: finishes within %.2g %%, ranks within %.2g %%", crowds, 100*worst, 100*worstRank)
	if crowds < programs(t, 300)/10 {
		t.Errorf("only %d programs have crowds", crowds)
	}
}
