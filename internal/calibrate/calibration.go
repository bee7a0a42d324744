package calibrate

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Calibration is the output of calibrate.c: the levels of a machine, and measurements of
// messages between ranks that meet at each of them.
type Calibration struct {
	// Levels are the kinds of units that calibrate.c found, from inside out, with a name, an arity
	// and an eager threshold alone. The threshold is the largest message that does not wait for a
	// late receiver, or −1 if that was not measured.
	Levels []machine.Level
	Places []int // core of each rank
	// Distances has the one-way times in µs of a byte between each host and those before it, in
	// the order of their first ranks; empty if not measured.
	Distances []float64
	Rows      []Measurement // in the order of the file
	Job       string        // date, ranks and host, as printed
	Library   string        // the MPI library
	Notes     []remark.Note // doubts

	// network has the topology that explains the distances of hosts, and what its links cost. Its
	// topology is empty if levels describe the hosts as well.
	network machine.Level
	// near is the latency of two neighbouring hosts beyond that of the closest ones.
	near      quantity.Micros
	byLatency float64 // machine.Level.ByLatency of messages between hosts
	// computing has by level the shorter computation of the rows of [Beside].
	computing map[int]quantity.Micros
}

// A Measurement is a case that was measured, in all passes.
type Measurement struct {
	Measure string
	Level   int  // index of the level; −1 for collectives and local sums
	Out     bool // pairs leave a unit of the level; otherwise they meet at it
	Pairs   int  // pairs at once; leaves of a root; ranks of a collective
	Size    quantity.Bytes
	Variant int // distinguishes pairs of the same kind
	// Time is the lower quartile of the passes' medians, since disturbances make a pass longer;
	// for a collective, that of its slowest rank. Average is likewise the mean over ranks.
	Time, Average quantity.Micros
	Least         quantity.Micros // of the passes' medians
}

// Measures of calibrate.c, as its column "measure" names them. Times are in µs.
const (
	PingPong    = "pingpong"     // half of a round trip
	Stream      = "stream"       // gap between messages of a burst, of each of Pairs at once
	Mixed       = "mixed_stream" // the same, of hosts in drawn pairs
	Send        = "send"         // call of a sender whose receiver waits
	Receive     = "receive"      // wait for a message that has come to a posted receive
	LateReceive = "late_receive" // receive of a message that has come before
	LateSend    = "late_send"    // call of a sender whose receiver is late
	Exchange    = "exchange"     // messages in both directions at once
	Relay       = "relay"        // half of a round trip between buffers that are sent and received
	Fresh       = "fresh"        // message of memory that was just written, and an answer of 0 B
	Beside      = "beside"       // large message beside computations, and an answer of 0 B
	FanOut      = "fan_out"      // a root sends to Pairs ranks, which answer
	fanFirst    = "fan_first"    // until the first of them has answered
	twoFirst    = "two_first"    // two messages to a rank, until the answer to the first
	nearFar     = "near_far"     // message to the nearest host, alone, or beside the farthest
	FanIn       = "fan_in"       // a root requests messages from Pairs ranks
	Combine     = "combine"      // local sum of doubles
	Copy        = "copy"         // local copy
)

// ofLevels are the measures of messages between ranks that meet at a level.
var ofLevels = []string{PingPong, Stream, Mixed, Send, Receive, LateReceive, LateSend, Exchange,
	Relay, Fresh, Beside, FanOut, fanFirst, twoFirst, nearFar, FanIn}

// networked reports whether a topology, not levels, connects the hosts. The outermost
// level then stands for all of it.
func (c *Calibration) networked() bool { return c.network.Topology.Units() > 1 }

// pair reports whether a unit of the level is two ranks. There no two pairs can share
// it, so what the inside carries is known from exchanges alone; see bothWays.
func (c *Calibration) pair(level int) bool { return level == 0 && c.Levels[0].Arity == 2 }

// outside returns the index of the innermost level outside the hosts; −1 if there is none.
func (c *Calibration) outside() int {
	return slices.IndexFunc(c.Levels, func(l machine.Level) bool {
		return slices.Contains(hostLevels, l.Name)
	})
}

// hosts returns the hosts, of a number of cores each, by their first ranks.
func (c *Calibration) hosts(cores int) (hosts []int) {
	for _, core := range c.Places {
		if !slices.Contains(hosts, core/cores) {
			hosts = append(hosts, core/cores)
		}
	}
	return hosts
}

// cores returns the number of ranks in a unit that a number of levels, from inside out, make up.
func (c *Calibration) cores(levels int) int {
	n := 1
	for _, l := range c.Levels[:levels] {
		n *= l.Arity
	}
	return n
}

// level returns the index of a level by its name, as rows of the file call it; −1 if
// there is none.
func (c *Calibration) level(name string) int {
	return slices.IndexFunc(c.Levels, func(l machine.Level) bool { return l.Name == name })
}

// IsCollective reports whether all ranks took part.
func (m Measurement) IsCollective() bool {
	return m.Level < 0 && m.Measure != Combine && m.Measure != Copy
}

// distant reports whether pairs of units at a distance were measured, all of a unit
// at once. Such rows show what blocks of units share; they must stay out of curves,
// which are of one pair or neighbours.
func (m Measurement) distant() bool { return m.Measure == Stream && m.Variant > 0 && !m.Out }

// Variants of streams out of a unit: to several other ones in turn, and from these into it.
const (
	scattered = 1
	gathered  = 2
)

// severalUnits reports whether pairs leave a unit for several other ones in turn, or the other way.
func (m Measurement) severalUnits() bool { return m.Out && m.Variant > 0 }

// hostLevels are the names of levels outside the hosts, as calibrate.c names them.
// Only these may be a network: inside a host, levels are caches and sockets.
var hostLevels = []string{"switch", "group", "cluster"}

// ChoicesKnown reports whether the algorithms are known that the library takes by default.
func (c *Calibration) ChoicesKnown() bool {
	_, known := collective.LibraryOf(c.Library)
	return known
}
