package programs

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// All lists the programs, in the order of runs and of output. Cheap ones come first;
// test_xfer and test_med, which check all data, are the slowest of HP-LAM's.
var All = []Program{
	{Name: "hand_over", Help: "a frame without data or endpoint, the least that a message takes",
		On: Real, Nodes: 2, Sizes: Own, Bytes: 1, Measures: OneWay, Run: runHandOver},
	{Name: "ping_pong", Help: "a short request of 16 bytes and its reply (HP-LAM)",
		On: Simulated | Real, Nodes: 2, Sizes: Own, Bytes: 16, Measures: RoundTrip, Replies: true,
		Default: true, Run: runPingPong},
	{Name: "latency", Help: "messages back and forth without replies (CLIP)",
		On: Simulated, Nodes: 2, Sizes: AskedOrKept, Measures: OneWay,
		Run: timed(latency, oneStore)},
	{Name: "bandwidth", Help: "a stream of messages without replies (CLIP)",
		On: Simulated, Nodes: 2, Measures: Gap, Run: timed(stream, thruBulk)},
	{Name: "ping_bulk", Help: "data stored in the other node, which stores it back (HP-LAM)",
		On: Simulated | Real, Nodes: 2, Measures: OneWay, Replies: true, Default: true, Timed: true,
		Run: runPingBulk},
	{Name: "thru_bulk", Help: "a stream of stores that do not wait for each other (HP-LAM)",
		On: Simulated | Real, Nodes: 2, Measures: Interval, Replies: true, Default: true,
		Run: timed(thruBulk, thruBulk)},
	{Name: "all_to_1", Help: "messages from all other nodes to node 0, without replies",
		On: Simulated, Measures: FanInTime, Run: timed(fanIn, fanIn)},
	{Name: "test_xfer", Help: "stores and gets between nodes, with all data checked (HP-LAM)",
		On: Simulated | Real, Sizes: Largest, Measures: Exchange, Replies: true,
		Run: runTorture(testXfer)},
	{Name: "test_med", Help: "medium messages and answers, with all data checked (HP-LAM)",
		On: Simulated | Real, Sizes: Largest, Measures: Exchange, Replies: true,
		Run: runTorture(testMed)},
	{Name: "bcast", Help: "a message of node 0 to all, by binomial",
		On: Real, Measures: Exchange,
		Run: algorithm{"bcast", "binomial", false, bcastBinomial}.timed},
	{Name: "reduce", Help: "the sum of all at node 0, by binomial",
		On: Real, Measures: Exchange,
		Run: algorithm{"reduce", "binomial", false, reduceBinomial}.timed},
	{Name: "allreduce", Help: "the sum of all at all, by recursive doubling",
		On: Real, Measures: Exchange,
		Run: algorithm{"allreduce", "recursive-doubling", true, allreduceDoubling}.timed},
	{Name: "allgather", Help: "the block of each node at all, by ring",
		On: Real, Measures: Exchange,
		Run: algorithm{"allgather", "ring", false, allgatherRing}.timed},
	{Name: "alltoall", Help: "a block of each node for each, by pairwise",
		On: Real, Measures: Exchange,
		Run: algorithm{"alltoall", "pairwise", false, alltoallPairwise}.timed},
	{Name: "barrier", Help: "until all have come, by dissemination",
		On: Real, Sizes: Own, Bytes: 1, Measures: Exchange,
		Run: algorithm{"barrier", "dissemination", false, barrierDissemination}.timed},
	{Name: "combine", Help: "two messages added up, none sent: γ is its time per byte",
		On: Real, Nodes: 2, Measures: Exchange, Run: runCombine},
	{Name: "stages", Help: "one packet in each stage of its way: send, hand over, receive",
		On: Real, Nodes: 2, Measures: OneWay, Replies: true, Shape: ByStage, Run: runStages},
	{Name: "signature", Help: "bursts of requests with a computation Δ after each (HP-LAM)",
		On: Simulated | Real, Nodes: 2, Sizes: Own, Bytes: 1, Measures: LogP, Replies: true,
		Shape: BySignature, EachReplied: true, Run: runSignature},
	{Name: "packet", Help: "latency with one packet size after another, to find the best",
		On: Simulated, Nodes: 2, Sizes: AskedOrKept, Measures: Packet,
		Run: timed(latency, oneStore)},
}

// List returns the programs that run on the system.
func List(on Where) []Program {
	return slices.DeleteFunc(slices.Clone(All), func(p Program) bool { return p.On&on == 0 })
}

// Names returns the names of the programs that run on the system.
func Names(on Where) []string {
	return list.Map(List(on), func(p Program) string { return p.Name })
}

// Defaults returns the names of the programs that run on real transports if none is named.
func Defaults() []string {
	defaults := slices.DeleteFunc(List(Real), func(p Program) bool { return !p.Default })
	return list.Map(defaults, func(p Program) string { return p.Name })
}

// Find returns the program with the name that runs on the system. An unknown name is an error that
// lists the programs there.
func Find(name string, on Where) (Program, error) {
	for _, p := range List(on) {
		if p.Name == name {
			return p, nil
		}
	}
	choices := strings.Join(Names(on), ", ")
	return Program{}, fmt.Errorf("no program %q; choose from %s", name, choices)
}

func runHandOver(_ *engine.Endpoint, a Args) (r Result, err error) {
	r.Time = a.Transport.HandOver(a.Count)
	return r, nil
}

func runPingPong(ep *engine.Endpoint, a Args) (r Result, err error) {
	if _, err := PingPong(ep, a.Warm); err != nil {
		return r, err
	}
	r.Time, err = PingPong(ep, a.Count)
	return r, err
}

// timed adapts a program that returns a time and takes a message size and a number of messages.
// stores is the same program by stores.
func timed(
	run, stores func(ep *engine.Endpoint, n, messages int) (quantity.Micros, error),
) func(*engine.Endpoint, Args) (Result, error) {
	return func(ep *engine.Endpoint, a Args) (r Result, err error) {
		run := run
		if a.Stores {
			run = stores
		}
		r.Time, err = run(ep, a.Size, a.Count)
		return r, err
	}
}

func runTorture(
	test func(*engine.Endpoint, Traffic, int, int) (quantity.Micros, error),
) func(*engine.Endpoint, Args) (Result, error) {
	return func(ep *engine.Endpoint, a Args) (r Result, err error) {
		r.Time, err = test(ep, cmp.Or(a.Traffic, OneToOne), a.Size, a.Count)
		// The test returns its total time. An exchange is one round of it.
		r.Time /= quantity.Micros(a.Count)
		return r, err
	}
}

// warmBurst is the length of the unmeasured burst before the bursts of a Δ: four windows of
// live's 64 credits, after which credits return at their steady rate.
const warmBurst = 256

func runSignature(ep *engine.Endpoint, a Args) (r Result, err error) {
	messages := a.Messages
	if len(messages) == 0 {
		for n := 1; n <= a.Count; n *= 2 {
			messages = append(messages, n)
		}
	}
	// Simulated runs do not warm up, as their nodes have no caches.
	if a.Warm == 0 {
		r.Bursts, err = signature(ep, messages, a.Deltas)
		return r, err
	}
	all, err := signature(ep, append([]int{warmBurst}, messages...), a.Deltas)
	for i, b := range all {
		// The first burst of each Δ warmed up.
		if i%(len(messages)+1) > 0 {
			r.Bursts = append(r.Bursts, b)
		}
	}
	return r, err
}
