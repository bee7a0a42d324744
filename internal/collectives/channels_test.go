package collectives

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// gpus is a platform of nodes of eight GPUs; port is what a node has towards the network.
func gpus(t *testing.T, nodes int, port string) platforms.Design {
	t.Helper()
	return wholeDesign(t, "gpus", fmt.Appendf(nil, `
title = "GPUs"
library = "nccl"
level.node = { arity = "8", layer = "nvlink", %s, packet = "4KiB", source = "a" }
level.cluster = { arity = "%d", layer = "network", packet = "4KiB", source = "a" }
layer.nvlink = { model = "loggp", o = "0.5us", L = "2us", g = "0.5us", G = "1/(230GB/s)", source = "a" }
layer.network = { model = "loggp", o = "0.5us", L = "9us", g = "0.5us", G = "1/(25GB/s)", source = "a" }
layer.nic = { model = "linear", beta = "0us", tau = "1/(25GB/s)", source = "a" }
layer.slow-nic = { model = "linear", beta = "0us", tau = "1/(12.5GB/s)", source = "a" }
`, port, nodes))
}

// wholeDesign returns the whole machine of the text of a platform.
func wholeDesign(t *testing.T, name string, text []byte) platforms.Design {
	t.Helper()
	p, err := platforms.Parse(name, text)
	if err != nil {
		t.Fatal(err)
	}
	layer, err := p.Layer(p.Default)
	if err != nil {
		t.Fatal(err)
	}
	return platforms.Design{Platform: p, Layer: layer, Whole: true}
}

func timeOn(t *testing.T, d platforms.Design, calls Calls) quantity.Micros {
	t.Helper()
	times, err := calls.On(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	return times.Times[0].Time
}

// A ring of k channels over k rails of B each moves 2(p − 1)/p·n/k bytes over each rail, out of each
// node: no faster than the links allow, and at 8 GiB at most a percent slower, which leaves room for
// 2(p − 1) latencies of 10 µs and the way once around. That is 99 to 100 % of the links, and an
// engineer's 96 GB/s on 3 nodes with four ports of 25 GB/s is possible.
func TestRailsCarryARing(t *testing.T) {
	const bytes, rail = 8 << 30, 25e3 // MB/s
	for _, test := range []struct {
		port     string
		nodes    int
		channels int     // of the call; 0: by default
		rails    float64 // as fast as so many channels of the slowest one's
		share    float64 // of the message, of a channel
	}{
		{`ports = "4"`, 3, 0, 1, 4},
		{`ports = "4"`, 2, 0, 1, 4},
		{`ports = "4"`, 3, 1, 1, 1},
		{`ports = "4"`, 3, 2, 1, 2},
		{`ports = "4"`, 3, 8, 2, 8}, // two channels for each rail
		{`port = ["nic", "nic", "nic", "nic"]`, 3, 0, 1, 4},
		{`port = ["nic", "nic", "nic", "slow-nic"]`, 3, 0, 2, 4},
		{`port = ["nic", "nic", "nic", "slow-nic"]`, 3, 3, 1, 3},
	} {
		calls := Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{8 * test.nodes},
			Sizes: []quantity.Bytes{bytes}}
		calls.Call.Channels = test.channels
		p := float64(8 * test.nodes)
		least := 2 * (p - 1) / p * bytes / test.share * test.rails / rail
		got := float64(timeOn(t, gpus(t, test.nodes, test.port), calls))
		if got < least || got > 1.01*least {
			t.Errorf("%s, %d nodes, %d channels: %.0f µs, the links take %.0f", test.port,
				test.nodes, test.channels, got, least)
		}
	}
}

// The times of a ring in channels are those of a recurrence that knows no events: in step s of a
// channel a member sends when it has the message of step s − 1 and its last one has left, and a
// message over a rail, which no other channel uses, takes its latency and its bytes.
func TestRingsAreARecurrence(t *testing.T) {
	const nodes, perNode, channels, n = 3, 8, 4, 24 * 4 << 20
	const p = nodes * perNode
	got := float64(timeOn(t, gpus(t, nodes, `ports = "4"`), Calls{Collective: "allreduce",
		Algorithm: "ring", Ranks: []int{p}, Sizes: []quantity.Bytes{n}}))
	share := float64(n) / p / channels
	// Inside a node four channels are on the way of a GPU at once, which its NVLink carries at once.
	inside, between := channels*share/230e3, share/25e3
	done, free := make([]float64, p), make([]float64, p) // of a channel, by place: all are alike
	for range 2 * (p - 1) {
		next := make([]float64, p)
		for to := range p {
			from := (to + p - 1) % p
			latency, bytes := 3.0, inside
			if from/perNode != to/perNode {
				latency, bytes = 10, between
			}
			begin := max(done[from], free[from])
			free[from] = begin + 0.5 + bytes
			next[to] = max(begin+latency+bytes, done[to])
		}
		done = next
	}
	want := slices.Max(done)
	// Shares of NVLink change while channels are out of step, which the rails hide.
	if math.Abs(got/want-1) > 0.01 {
		t.Errorf("the ring takes %.1f µs, by the recurrence %.1f", got, want)
	}
}

// A tree of nodes keeps its chains if the last node is not full: a chain that is shorter takes no
// longer, so the time is between those of full nodes, without the last one and with it, but for 2 %
// by which chunks meet otherwise (1.2 in these cases). As a tree of ranks it took 3 to 5 times as
// long.
func TestTreeOfNodesNotFull(t *testing.T) {
	tree := func(d platforms.Design, ranks int) quantity.Micros {
		return timeOn(t, d, Calls{Collective: "allreduce", Algorithm: "double-tree",
			Ranks: []int{ranks}, Sizes: []quantity.Bytes{25 << 20}})
	}
	for _, test := range []struct {
		port  string
		nodes int // that are full
	}{{`ports = "4"`, 2}, {`ports = "1"`, 2}, {`ports = "1"`, 12}} {
		d := gpus(t, test.nodes+1, test.port)
		least, most := tree(d, 8*test.nodes), tree(d, 8*test.nodes+8)
		for _, more := range []int{1, 4, 7} {
			if got := tree(d, 8*test.nodes+more); got < least || got > 1.02*most {
				t.Errorf("%s, %d nodes and %d ranks: %.0f µs, want %.0f to %.0f", test.port, test.nodes,
					more, float64(got), float64(least), float64(most))
			}
		}
	}
}

// NCCL takes ranks node by node, so ranks that take turns on the nodes cost what ranks in blocks
// cost, but for 2 %: with other numbers, messages of one moment come in another order. Taken by
// their numbers, each message left its node, and they took 4 to 8 times as long.
func TestNCCLTakesRanksNodeByNode(t *testing.T) {
	for _, test := range []struct {
		name, algorithm string
		ranks           int
	}{{"allreduce", "ring", 32}, {"allreduce", "double-tree", 32}, {"allgather", "ring", 32},
		{"bcast", "pipeline", 32}, {"reduce", "pipeline", 32}, {"reduce-scatter", "ring", 32}} {
		by := func(by string) quantity.Micros {
			calls := Calls{Collective: test.name, Algorithm: test.algorithm, Ranks: []int{test.ranks},
				Sizes: []quantity.Bytes{4 << 20}, Map: machine.Placement{By: by}}
			return timeOn(t, gpus(t, 4, `ports = "4"`), calls)
		}
		if core, node := by("core"), by("node"); math.Abs(float64(node/core)-1) > 0.02 {
			t.Errorf("%+v: %.0f µs in turns, %.0f in blocks", test, float64(node), float64(core))
		}
	}
}

// A ring with too many operations has its time from its first steps. If these are too many too,
// no algorithm of its place is the best, and there is no rule.
func TestRingsFromTheirFirstSteps(t *testing.T) {
	d := gpus(t, 8, `ports = "4"`)
	calls := Calls{Collective: "allreduce", Algorithm: "ring", Ranks: []int{64},
		Sizes: []quantity.Bytes{64 << 20}}
	whole := timeOn(t, d, calls)
	calls.Operations = 40000 // of 64,512
	if got := timeOn(t, d, calls); math.Abs(float64(got/whole)-1) > 0.02 {
		t.Errorf("%.3f µs from the first steps, %.3f in all", float64(got), float64(whole))
	}
	calls.Algorithm, calls.Operations = "best", 20000 // enough for a tree alone
	calls.Sizes = []quantity.Bytes{1 << 20}
	times, err := calls.On(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(times.TooLarge) != 1 || times.Undecided() == nil || times.Best().Best ||
		len(Rules(times.Times)) > 0 {
		t.Errorf("left out %q, undecided %v, rules %v", times.TooLarge, times.Undecided(),
			Rules(times.Times))
	}
	if _, _, err := calls.Prepare(context.Background(), d); err == nil ||
		err.Error() != times.Undecided().Error() {
		t.Errorf("prepared: %v, want %v", err, times.Undecided())
	}
}

// Ranks that take turns on the nodes have an order, node by node; nodes of several sizes have no
// rotation, and each channel still keeps to its rail.
func TestNodesOf(t *testing.T) {
	d := gpus(t, 3, `ports = "4"`)
	for _, test := range []struct {
		by      string
		ranks   int
		perNode int
		turns   bool
	}{{"", 24, 8, false}, {"core", 12, 8, false}, {"", 6, 6, false}, {"node", 24, 8, true},
		{"node", 7, 0, true}, {"node", 5, 2, true}, {"0,1,8,9,16,17", 6, 2, false},
		{"0,8,9,16,17", 5, 0, false}, {"0,8,1,9", 4, 2, true}} {
		s := Calls{Collective: "allreduce", Ranks: []int{test.ranks},
			Map: machine.Placement{By: test.by}}.describe(d, d.Costs())
		if err := s.place(); err != nil {
			t.Fatal(err)
		}
		n := nodes(s.costs.Machine, s.Map, test.ranks)
		if turns := n.Order != (collective.Numbers{}); n.PerNode != test.perNode || n.Rails != 4 ||
			turns != test.turns {
			t.Errorf("%q, %d ranks: %+v, in turns %v; want %d, 4 rails and %v", test.by, test.ranks,
				n, turns, test.perNode, test.turns)
		}
	}
}
