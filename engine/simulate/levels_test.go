package simulate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func on(t testing.TB, m machine.Machine, by string, ranks int, eager quantity.Bytes) simulate.Machine {
	t.Helper()
	places, err := m.Place(machine.Placement{By: by}, ranks)
	if err != nil {
		t.Fatal(err)
	}
	of, err := simulate.FromMachine(m, places, eager)
	if err != nil {
		t.Fatal(err)
	}
	return of
}

// line has a latency of 1 µs and 1 ns for each byte; only the bytes make a gap.
func line(beta float64) machine.Level {
	return machine.Level{Layer: &model.LogGP{LogP: model.LogP{Latency: quantity.Micros(beta + 0.001), GapTime: 0.001}, GapPerByte: 0.001}}
}

// twoNodes is two nodes of two sockets of so many cores; messages take 1, 2 and 3 µs and 1 ns per
// byte.
func twoNodes(cores int) machine.Machine {
	m := machine.Machine{Levels: []machine.Level{line(1), line(2), line(3)}}
	for i, name := range []string{"socket", "node", "cluster"} {
		m.Levels[i].Name, m.Levels[i].Arity = name, 2
	}
	m.Levels[0].Arity = cores
	return m
}

// A receive into memory that was sent takes what the level's relay takes beyond its layer, at the
// receiver; a send of fresh memory takes it at the sender, eager or not.
func TestMemory(t *testing.T) {
	for _, c := range []struct {
		send, receive schedule.Memory
		want          [2]float64 // in µs: the last byte leaves; the receive is done
	}{
		{schedule.Plain, schedule.Plain, [2]float64{4.249, 5}},
		{schedule.Plain, schedule.Relay, [2]float64{4.249, 7}},
		{schedule.Fresh, schedule.Plain, [2]float64{5.249, 6}},
		{schedule.Fresh, schedule.Relay, [2]float64{5.249, 8}},
	} {
		for _, eager := range []quantity.Bytes{0, 100} {
			b := schedule.NewBuilder(2)
			b.NextRank()
			b.Add(schedule.Op{Kind: schedule.Send, Size: 4000, Peer: 1, Memory: c.send})
			b.NextRank()
			b.Add(schedule.Op{Kind: schedule.Recv, Size: 4000, Memory: c.receive})
			s, err := b.Build()
			if err != nil {
				t.Fatal(err)
			}
			p, err := simulate.New(s)
			if err != nil {
				t.Fatal(err)
			}
			m := machine.Machine{Levels: []machine.Level{{Name: "node", Arity: 2, Layer: &model.Linear{Beta: 1, Tau: 0.001},
				Send: &model.Linear{Beta: 0.25}, Receive: &model.Linear{Beta: 0.25}, Eager: eager,
				Relay: &model.Linear{Beta: 1, Tau: 0.0015}, Fresh: &model.Linear{Beta: 2, Tau: 0.001}}}}
			r, err := p.Run(t.Context(), simulate.Setup{Machine: on(t, m, "", 2, simulate.NoLimit), Record: true})
			if err != nil {
				t.Fatal(err)
			}
			want := c.want
			if eager > 0 { // a rendezvous ends at the sender when the last byte is at the receiver
				want[0] += 0.501 // the way of its first byte, without the overheads
			}
			for rank, ticks := range r.Ranks {
				if got := float64(r.Micros(ticks)); math.Abs(got-want[rank]) > 1e-5 { // some ticks
					t.Errorf("memory %v, %v, eager to %v: rank %d ends at %v, want %v", c.send, c.receive, eager, rank, got, want[rank])
				}
			}
			path, err := r.Path()
			if err != nil || path.Shares.Noise > 0 {
				t.Errorf("memory %v, %v: noise of %d on the path, %v", c.send, c.receive, path.Shares.Noise, err)
			}
		}
	}
}

// pairs is a schedule in which each pair of ranks exchanges nothing but one message of n bytes, at
// time 0.
func pairs(t testing.TB, ranks int, n int, list ...[2]int) *simulate.Program {
	t.Helper()
	text := fmt.Sprintf("num_ranks %d\n", ranks)
	for rank := range ranks {
		text += fmt.Sprintf("rank %d {\n", rank)
		for _, p := range list {
			if p[0] == rank {
				text += fmt.Sprintf("send %db to %d\n", n, p[1])
			}
			if p[1] == rank {
				text += fmt.Sprintf("recv %db from %d\n", n, p[0])
			}
		}
		text += "}\n"
	}
	return prepare(t, parse(t, text))
}

func timesOn(t testing.TB, p *simulate.Program, m simulate.Machine) string {
	t.Helper()
	r, err := p.Run(context.Background(), simulate.Setup{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, t := range r.Ranks {
		list = append(list, fmt.Sprint(t/1000)) // ns
	}
	return strings.Join(list, " ")
}

// A machine of one level is its layer between all ranks, to the last bit.
func TestOneLevelIsFlat(t *testing.T) {
	for _, ref := range []string{"clip", "hp-lam", "parnass", "startjr-fm"} {
		d, err := platforms.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		layer := d.Layer
		for seed := range programs(t, 200) {
			s := roomyProgram(uint64(seed), 1+seed%6, 2+seed%14)
			eager := []quantity.Bytes{simulate.NoLimit, 100}[seed%2]
			flat, err := simulate.FromLayer(layer, eager)
			if err != nil {
				t.Fatal(err)
			}
			m := machine.Machine{Levels: []machine.Level{{Name: "all", Arity: s.Ranks(), Layer: layer.Model}}}
			a, errA := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: flat})
			b, errB := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: on(t, m, "core", s.Ranks(), eager)})
			if fmt.Sprint(errA) != fmt.Sprint(errB) || a != nil && (!slices.Equal(a.Ranks, b.Ranks) || a.Events != b.Events) {
				t.Fatalf("%s, seed %d: %v %v, flat %v %v", ref, seed, b, errB, a, errA)
			}
		}
	}
}

// One message, between all pairs of ranks of a small machine: β of the level, by hand.
func TestLevelsOfPairs(t *testing.T) {
	for by, want := range map[string]string{
		"core":   "1 1 2 2 3 3 3 3",
		"socket": "1 2 1 2 3 3 3 3",
		"node":   "1 3 1 3 2 3 2 3",
	} {
		m := on(t, twoNodes(2), by, 8, simulate.NoLimit)
		var got []string
		for to := range 8 {
			r, err := pairs(t, 8, 1, [2]int{0, to}).Run(context.Background(), simulate.Setup{Machine: m})
			if err != nil {
				t.Fatal(err)
			}
			finish, _ := r.Finish()
			got = append(got, fmt.Sprint(int(finish)))
		}
		if text := strings.Join(got, " "); text != want {
			t.Errorf("by %s: %s, want %s", by, text, want)
		}
	}
}

// Equal transfers at once through one lane have fair shares: all of k end together, after k times
// the gap of one alone, but for the gap behind the last byte; through c lanes after k/c times. As
// many lanes as transfers are as good as any number.
func TestLanes(t *testing.T) {
	apart := [][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}}
	of := func(lanes float64) string {
		m := twoNodes(8)
		m.Levels[0].Lanes = lanes
		return timesOn(t, pairs(t, 8, 1001, apart...), on(t, m, "core", 8, simulate.NoLimit))
	}
	// One alone takes 1 µs and 1 ns for its first byte, then 1 µs; its gap is 1.001 µs.
	for lanes, want := range map[float64]string{
		0:   "1000 2001 1000 2001 1000 2001 1000 2001",
		1:   "4003 5004 4003 5004 4003 5004 4003 5004",
		2:   "2001 3002 2001 3002 2001 3002 2001 3002",
		2.5: "1600 2601 1600 2601 1600 2601 1600 2601",
		4:   "1000 2001 1000 2001 1000 2001 1000 2001",
		5:   "1000 2001 1000 2001 1000 2001 1000 2001",
	} {
		if got := of(lanes); got != want {
			t.Errorf("%v lanes: %s, want %s", lanes, got, want)
		}
	}
}

// Lanes carry what has both ends in their unit, and nothing else: one message within each socket,
// and others from socket to socket and from node to node, have a lane of a socket each for itself.
// A lane of a node has three of them.
func TestLanesAreOfOneUnit(t *testing.T) {
	list := [][2]int{{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 5}}
	of := func(level int, lanes float64) string {
		m := twoNodes(2)
		m.Levels[level].Lanes = lanes
		return timesOn(t, pairs(t, 8, 1001, list...), on(t, m, "core", 8, simulate.NoLimit))
	}
	free := of(0, 0)
	if got := of(0, 1); got != free {
		t.Errorf("lanes of sockets: %s; without any %s", got, free)
	}
	// In the first node the bytes of 0→1 and 2→3 share the lane from 1,001 to 3,002 ns. Then those
	// of 0→2 come. In the second node 4→5 and 6→7 do the same.
	if got, want := of(1, 1), "2002 3002 4003 3002 2001 4001 2001 3002"; got != want {
		t.Errorf("lanes of nodes: %s, want %s; without any %s", got, want, free)
	}
}

// What is shared may have times of its own, whatever a message takes otherwise: messages of one
// byte through a port that takes 0.1 µs for each. Four that come together leave it together, the
// last gap behind them.
func TestPortOfItsOwnTimes(t *testing.T) {
	m := twoNodes(2)
	m.Levels[1].Port = machine.Port{&model.Linear{Beta: 0.1}}
	list := [][2]int{{0, 4}, {1, 5}, {2, 6}, {3, 7}}
	got := timesOn(t, pairs(t, 8, 1, list...), on(t, m, "core", 8, simulate.NoLimit))
	if want := "300 300 300 300 3301 3301 3301 3301"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// A port carries bytes and gaps, not the work of processors, which are as many as ranks: eight
// messages of o + L + (n−1)G + o at once through it take 7·(g + (n−1)G) more.
func TestPortsAreFreeOfOverheads(t *testing.T) {
	layer := &model.LogGP{GapPerByte: 0.001, LogP: model.LogP{Latency: 1, GapTime: 0.1,
		SendOverhead: 2, ReceiveOverhead: 2}}
	m := machine.Machine{Levels: []machine.Level{
		{Name: "node", Arity: 8, Layer: layer, Ports: 1}, {Name: "cluster", Arity: 2, Layer: layer}}}
	var list [][2]int
	for rank := range 8 {
		list = append(list, [2]int{rank, 8 + rank})
	}
	got := timesOn(t, pairs(t, 16, 11, list...), on(t, m, "core", 16, simulate.NoLimit))
	last := strings.Fields(got)[15]
	// 5.01 µs alone and 7·0.11 µs behind the others.
	if want := "5780"; last != want {
		t.Errorf("the last of eight messages is received at %s ns, want %s: %s", last, want, got)
	}
}

// A level's own rendezvous waits for the receive, and costs nothing more: both ranks are done when
// the last byte is there.
func TestRendezvousOfALevel(t *testing.T) {
	m := twoNodes(2)
	m.Levels[0].Eager = 1000
	late := func(n int) string {
		text := fmt.Sprintf("num_ranks 2\nrank 0 {\nsend %db to 1\n}\nrank 1 {\na: calc 5000\nb: recv %db from 0\nb requires a\n}\n", n, n)
		return timesOn(t, prepare(t, parse(t, text)), on(t, m, "core", 2, simulate.NoLimit))
	}
	if got, want := late(1000), "999 5000"; got != want {
		t.Errorf("eager: %s, want %s", got, want)
	}
	if got, want := late(1001), "7001 7001"; got != want {
		t.Errorf("rendezvous: %s, want %s", got, want)
	}
}

// Ports carry what leaves a node, and apart from that what enters it. Four messages out of one
// node, to four ranks of the other, and one the other way.
func TestPorts(t *testing.T) {
	m := twoNodes(2)
	m.Levels[1].Ports = 1
	run := func(list ...[2]int) string {
		return timesOn(t, pairs(t, 8, 1001, list...), on(t, m, "core", 8, simulate.NoLimit))
	}
	if got, want := run([2]int{0, 4}, [2]int{1, 5}, [2]int{2, 6}, [2]int{3, 7}), "4003 4003 4003 4003 7004 7004 7004 7004"; got != want {
		t.Errorf("out: %s, want %s", got, want)
	}
	if got, want := run([2]int{0, 4}, [2]int{5, 1}), "1000 4001 0 0 4001 1000 0 0"; got != want {
		t.Errorf("out and in: %s, want %s", got, want)
	}
	if got, want := run([2]int{0, 1}, [2]int{2, 3}), "1000 2001 1000 2001 0 0 0 0"; got != want {
		t.Errorf("within: %s, want %s", got, want)
	}
	m.Levels[1].Ports, m.Levels[0].Ports = 0, 1 // the receivers' socket is what is narrow
	if got, want := run([2]int{0, 4}, [2]int{2, 5}), "2001 0 2001 0 5002 5002 0 0"; got != want {
		t.Errorf("in: %s, want %s", got, want)
	}
}

// A port carries a message each gap, however short messages are: 16 ranks of a node send a byte to
// each of 16 ranks of the other, 256 gaps of 0.4 µs. Through two ports it is half of that.
func TestPortsOfShortMessages(t *testing.T) {
	e, err := collective.Find("alltoall", "pairwise")
	if err != nil {
		t.Fatal(err)
	}
	s, err := e.Schedule(32, collective.Call{Bytes: 1})
	if err != nil {
		t.Fatal(err)
	}
	m := twoNodes(8)
	m.Levels[2].Layer = &model.LogGP{LogP: model.LogP{Latency: 0.7, SendOverhead: 0.3, ReceiveOverhead: 0.3, GapTime: 0.4}, GapPerByte: 8e-5}
	for ports, least := range map[float64]quantity.Micros{1: 256 * 0.4, 2: 256 * 0.4 / 2} {
		m.Levels[1].Ports = ports
		r, err := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: on(t, m, "node", 32, simulate.NoLimit)})
		if err != nil {
			t.Fatal(err)
		}
		if finish, _ := r.Finish(); finish < least || finish > 1.5*least {
			t.Errorf("%v ports: %v, which is not between %v and half as much more", ports, finish, least)
		}
	}
}

// As many lanes and ports as there are messages are as good as any number, whatever their sizes and
// overheads are.
func TestEnoughLanes(t *testing.T) {
	slower, all := 0, programs(t, 500)
	for seed := range all {
		s := roomyProgram(uint64(seed), 1+seed%6, 2+seed%14)
		of := func(lanes float64) *simulate.Result {
			m := twoNodes(2)
			m.Levels[2].Layer = &model.LogGP{LogP: model.LogP{Latency: 1, SendOverhead: 2, ReceiveOverhead: 1, GapTime: 1}, GapPerByte: 0.002}
			for i := range m.Levels[:2] {
				if m.Levels[i].Lanes = lanes; s.NICs() == 1 { // further NICs are rails of one transfer each
					m.Levels[i].Ports = lanes
				}
			}
			r, err := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: on(t, m, "core", s.Ranks(), simulate.NoLimit)})
			if err != nil {
				return nil // stuck
			}
			return r
		}
		free, enough, one := of(0), of(float64(len(s.Ops())+1)), of(1)
		if free == nil || one == nil || enough == nil {
			continue
		}
		if !slices.Equal(free.Ranks, enough.Ranks) {
			t.Fatalf("seed %d: %v with enough lanes, %v with any number", seed, enough.Ranks, free.Ranks)
		}
		if last(one) > last(free) {
			slower++
		}
	}
	if slower < all/25 { // few would say that nothing was shared
		t.Errorf("one lane is slower in %d of %d programs only", slower, all)
	}
}

// A short message does not wait for two long ones that go before it: it has its fair share, a third
// of the lanes. Alone its bytes flow for 100 ns.
func TestShortBehindLong(t *testing.T) {
	for lanes, want := range map[float64]string{3: "100 1101", 2: "150 1151", 1: "302 1303"} {
		m := twoNodes(8)
		m.Levels[0].Lanes = lanes
		p := prepare(t, parse(t, "num_ranks 6\nrank 0 {\nsend 100001b to 1\n}\nrank 1 {\nrecv 100001b from 0\n}\n"+
			"rank 2 {\nsend 100001b to 3\n}\nrank 3 {\nrecv 100001b from 2\n}\nrank 4 {\nsend 101b to 5\n}\nrank 5 {\nrecv 101b from 4\n}\n"))
		got := strings.Fields(timesOn(t, p, on(t, m, "core", 6, simulate.NoLimit)))
		if text := got[4] + " " + got[5]; text != want {
			t.Errorf("%v lanes: %s, want %s", lanes, text, want)
		}
	}
}

// The parts of the path of the last rank add up to its finish, whatever is shared; without noise
// and with.
func TestPathOfSharing(t *testing.T) {
	shared := 0
	for seed := range programs(t, 1000) {
		r := rand.New(rand.NewPCG(uint64(seed), 2))
		s := roomyProgram(uint64(seed), 1+seed%6, 2+seed%14)
		m := twoNodes(2)
		for i := range m.Levels[:2] {
			m.Levels[i].Lanes, m.Levels[i].Ports = 1+2*r.Float64(), 1+r.Float64()
		}
		if seed%3 == 0 {
			m.Levels[seed%2].Eager = 50
		}
		eager := []quantity.Bytes{simulate.NoLimit, 100}[seed%2]
		got, err := prepare(t, s).Run(context.Background(), simulate.Setup{Machine: on(t, m, "core", s.Ranks(), eager), Record: true})
		if err != nil {
			continue // stuck
		}
		path, err := got.Path()
		if err != nil {
			t.Fatal(err)
		}
		if finish := last(got); path.Shares.Sum() != finish {
			t.Fatalf("seed %d: the parts %+v are %d in sum; the finish is %d", seed, path.Shares, path.Shares.Sum(), finish)
		}
		if path.Shares.Sharing > 0 {
			shared++
		}
	}
	if shared < 10 {
		t.Errorf("only %d paths with sharing", shared)
	}
}

func TestMachineErrors(t *testing.T) {
	m := twoNodes(2)
	if _, err := simulate.FromMachine(m, machine.Places{0, 8}, simulate.NoLimit); err == nil || !strings.Contains(err.Error(), "rank 1 on core 8") {
		t.Error(err)
	}
	if _, err := simulate.FromMachine(machine.Machine{}, nil, simulate.NoLimit); err == nil {
		t.Error("a machine without levels")
	}
	m.Levels[1].Layer = &model.Linear{Beta: -1}
	if _, err := simulate.FromMachine(m, machine.Places{0, 1}, simulate.NoLimit); err == nil || !strings.Contains(err.Error(), "level node") {
		t.Error(err)
	}
	_, err := pairs(t, 4, 1).Run(context.Background(), simulate.Setup{Machine: on(t, twoNodes(2), "core", 3, simulate.NoLimit)})
	if err == nil || !strings.Contains(err.Error(), "4 ranks, but only 3 have a place") {
		t.Error(err)
	}
}
