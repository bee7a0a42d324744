package simulate

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A Machine returns the costs of messages. A run calls Cost once for each level and size.
type Machine interface {
	// Level returns the distance of two ranks as a small number that the machine defines (the same
	// socket, the same node, …). Costs depend on the ranks only through their level.
	Level(from, to int) int
	// Cost returns the cost of a message of n ≥ 0 bytes between ranks of that level. All times
	// are finite; only Latency may be negative, and is then at least −Send. If Rendezvous is set,
	// a request and a grant of one byte each come before the message.
	Cost(level int, n uint64) machine.Cost
}

// Level returns 0, since LogGOPS has no distances.
func (m LogGOPS) Level(from, to int) int { return 0 }

// Cost returns, with b = max(n−1, 0) bytes after the first: o + bO for each of the processors, L,
// bG for the bytes on their way, and g + bG for each NIC. Hence one way takes o + L + bG + o
// without O, as in LogGP [loggp].
func (m LogGOPS) Cost(_ int, n uint64) machine.Cost {
	more := quantity.Bytes(0)
	if n > 1 {
		more = quantity.Bytes(n - 1)
	}
	processor := m.Overhead + m.OverheadPerByte.Times(more)
	stream := m.GapPerByte.Times(more)
	gap := m.GapTime + stream
	return machine.Cost{
		Send: processor, Latency: m.Latency, Serialization: stream, Receive: processor,
		Gap: gap, ReceiveGap: gap, GapBytes: stream, ReceiveGapBytes: stream,
		Rendezvous: quantity.Bytes(n) > m.EagerLimit,
	}
}

// A layerMachine connects all pairs of ranks by one layer of a platform.
type layerMachine struct {
	model.Layer
	eager quantity.Bytes
}

// FromLayer returns a machine that connects every pair of ranks by the platform's layer. A message
// has the layer's one-way time, overheads and gap of its size. Of its network time, the part that
// one byte has too, by the same branches, is latency, and the rest is serialization. A size of 0
// costs the same as 1 byte.
//
// Messages above the eager threshold wait for their receive, with a request and a grant. If the
// layer's times already include the rendezvous, as measured ones do, use [NoLimit].
//
// It is an error if the layer predicts an invalid time, or a one-way time shorter than the receive
// overhead.
func FromLayer(l platforms.Layer, eager quantity.Bytes) (Machine, error) {
	if !(eager >= 0) {
		return nil,
			fmt.Errorf("%s: the eager threshold must be at least 0 bytes (got %v)", l.Ref(),
				float64(eager))
	}
	m := layerMachine{l.Model, eager}
	for _, n := range probes {
		if err := check(m.Cost(0, n)); err != nil {
			return nil, fmt.Errorf("%s: a message of %d bytes: %w", l.Ref(), n, err)
		}
	}
	return m, nil
}

// probes are the message sizes whose costs are validated before a run.
// A negative or infinite time is a fault of a layer's parameters, which shows at one of these; a
// run checks each other size when it first meets it.
var probes = []uint64{1, 64, 4 << 10, 1 << 20}

// NoLimit is the eager threshold of a machine that never uses rendezvous.
const NoLimit = quantity.MaxBytes

func (m layerMachine) Level(from, to int) int { return 0 }

func (m layerMachine) Cost(_ int, n uint64) machine.Cost {
	return costAt(machine.Level{Layer: m.Layer}, n, m.eager)
}

// check returns an error that names the part of a cost that is negative, NaN, or too long. Clocks
// are unsigned, so a negative time would wrap to the end of all time without it.
func check(c machine.Cost) error {
	for _, part := range []struct {
		name string
		time quantity.Micros
	}{
		{"o_s", c.Send},
		{"o_s + L", c.Send + c.Latency}, // L alone may be negative, down to −o_s
		{"L", max(c.Latency, 0)},
		{"the bytes", c.Serialization},
		{"o_r", c.Receive},
		{"g", c.Gap},
		{"g of the receiver", c.ReceiveGap},
		{"o_r of a relay", c.Receive + c.Relay},
		{"o_s of fresh memory", c.Send + c.Fresh},
	} {
		if !(part.time >= 0 && part.time <= longest) {
			return fmt.Errorf("%s = %v µs; times must be 0 to %v µs",
				part.name, float64(part.time), float64(longest))
		}
	}
	return nil
}

// longest is the maximum time of a part of a message, or of a computation: about 12 days. It keeps
// sums of a few such times from overflowing.
const longest quantity.Micros = 1 << 60 / picos

// costAt returns the cost of a message at a level. Layers have no cost of 0 bytes, since
// benchmarks print none or that of a header; a message of 0 bytes has a header too, and takes the
// time of 1 byte.
func costAt(l machine.Level, n uint64, eager quantity.Bytes) machine.Cost {
	size := quantity.Bytes(max(n, 1))
	c := l.Cost(size)
	c.Rendezvous = c.Rendezvous || size > eager
	return c
}
