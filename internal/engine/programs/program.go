// Package programs contains the benchmark programs: HP-LAM's suite (§4.1), CLIP's one-way runs,
// and programs that time the stages of a packet's path. [All] lists them. A program runs on all
// nodes, as any program of package engine does, and uses the endpoint's clock. Node 0 returns the
// result, which is empty on other nodes. If a program measures two nodes, the other nodes return
// immediately and only serve requests, since a barrier would add messages.
//
// Read program.go for what a program is, latency.go for the simplest ones, then bulk.go (stores,
// and the stages of a packet), torture.go (all data checked), team.go and collectives.go
// (collectives on active messages), and registry.go, which lists them all.
//
// Three rules hold for every program, so that a time can be compared with a model:
//
//   - Its code is the same on the virtual clock and on a real transport. It asks the endpoint alone
//     for the time, and only [Args.Transport], if there is one, for parts of the port.
//   - It registers its handlers and segments in the same order on all nodes, before the first call
//     that polls.
//   - It compares the data that it receives, outside of the measured time where that is possible. A
//     transport that is fast and wrong is an error, not a result.
package programs

import (
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Program is a benchmark program with its description.
type Program struct {
	Name string
	Help string // description in one line, without a full stop
	On   Where
	// Nodes is the number of nodes; 0: any number, at least 2.
	Nodes int
	// Sizes selects the message sizes; Bytes is the program's own size, if any.
	Sizes Sizes
	Bytes int
	// Measures is the quantity of a model that corresponds to the measured time.
	Measures Quantity
	Shape    Shape
	// Replies means that its messages are requests, whose replies share the path with them.
	Replies bool
	// Default means that the program runs if none is named.
	Default bool
	// EachReplied means that every request needs its own reply, since credits returned in batches
	// would change the result.
	EachReplied bool
	// Timed means that it can time every round trip, for Args.Each.
	Timed bool
	// Run runs the program on a node. Node 0 returns the result; it is empty on other nodes, and a
	// node that only serves requests returns immediately.
	Run func(ep *engine.Endpoint, a Args) (Result, error)
}

// Where is the set of systems that a program runs on.
type Where uint8

// The systems.
const (
	Simulated Where = 1 << iota // nodes on the virtual clock
	Real                        // a transport between two processes
)

// Sizes selects the message sizes of a program.
type Sizes uint8

// The sizes of a program.
const (
	Asked       Sizes = iota // those asked for
	AskedOrKept              // those asked for, by default those with measurements
	Largest                  // the largest of those asked for
	Own                      // Program.Bytes, always
)

// Quantity is the quantity that a time measures.
type Quantity string

// The quantities of a model that programs measure.
const (
	OneWay    Quantity = "one way"
	RoundTrip Quantity = "round trip"
	Gap       Quantity = "gap"                // between messages without replies
	Interval  Quantity = "interval"           // between requests, whose replies share the way
	FanInTime Quantity = "interval at node 0" // between messages of all senders
	Exchange  Quantity = "exchange"           // of many messages; not part of any model
	LogP      Quantity = "LogP"               // the parameters o_s, o_r, L and g
	Packet    Quantity = "best packet"        // the packet size with the least one-way time
)

// Shape lists the fields of a result that are set.
type Shape uint8

// The shapes of results.
const (
	OneTime     Shape = iota // Result.Time
	ByStage                  // Result.Stages, and their sum in Time
	BySignature              // Result.Bursts
)

// Args holds the arguments of all programs. Each program reads those that it needs.
type Args struct {
	Size    int     // of a message, in bytes
	Count   int     // messages or round trips, at least 1
	Warm    int     // further ones before these, not measured
	Traffic Traffic // of test_xfer and test_med; "": OneToOne
	// Messages holds the lengths of a signature's bursts, and Deltas the computations after each
	// message in µs. Without Messages, the lengths are the powers of two up to Count.
	Messages []int
	Deltas   []quantity.Micros
	// Stores makes the messages of latency and bandwidth stores, which take credits.
	Stores bool
	// Each requests the time of every round trip, from a program that is Timed.
	Each bool
	// Within is the size of the message, in bytes, whose packets of Size the program of stages
	// sends in portions, so that caches hold what they hold in a message. 0: one packet at a time.
	Within int
	// Transport is the transport below the endpoint, for programs that run on Real only.
	Transport Transport
}

// A Result is the measurement on node 0.
type Result struct {
	Time   quantity.Micros   // measured quantity, averaged over messages
	Each   []quantity.Micros // half of each round trip, if Args.Each is set
	Stages StageTimes
	Bursts []benchfile.Burst
}

// Stages lists the stages of a packet's path, in order. Send and receive keep a processor busy;
// they are LogP's overheads, with the copies of the data. Hand over is the rest of the one-way
// time: from the write of the flag or the socket until the other node sees it.
var Stages = [...]string{"send", "hand over", "receive"}

// StageTimes holds the times of one packet in each of [Stages], as in CLIP's figure 4.9.
type StageTimes [len(Stages)]quantity.Micros

// A Transport is a port on real time, whose parts programs time without the endpoint above it.
type Transport interface {
	// HandOver returns the one-way time of a frame without data that goes back and forth between
	// the ports of two nodes, rounds times.
	HandOver(rounds int) quantity.Micros
	// Watch makes the port read the clock before each poll. Seen returns its reading before the
	// poll that ended the last wait.
	Watch(on bool)
	Seen() quantity.Micros
	// ClockCost returns the cost of reading the clock.
	ClockCost() quantity.Micros
}
