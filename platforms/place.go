package platforms

import (
	"slices"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Place is the place of a stage in the engine's pipeline. No formula depends on it.
type Place struct {
	Resource string // stages that name the same resource share it
	At       string // owner of the resource: "sender", "receiver" or "network"
	Queue    int    // packets that may wait for it; 0: no bound
	Drop     bool   // a packet that finds the queue full is lost; else it waits in the stage before
}

// Side returns the side of the place; the zero value is at the sender.
func (p Place) Side() model.Side { return model.Side(max(0, slices.Index(sides, p.At))) }

// sides are the names of those of [model.Side], in their order.
var sides = []string{"sender", "receiver", "network"}

// A Protocol configures the engine beyond moving packets when it runs a layer. The zero value
// disables all of it.
type Protocol struct {
	Credits        int             // requests to a node without a reply; 0: the engine's default
	EagerThreshold quantity.Bytes  // the largest message that is sent immediately; 0: all are
	Retry          quantity.Micros // time until a packet without acknowledgement is resent; 0: never
	Rounds         bool            // a receiver that misses a packet asks at once
	Inbox          int             // packets that a node has room for; 0: no bound
	Drop           bool            // a packet that finds no room is lost; else it waits in the network
	Poll           quantity.Micros // cost of a poll that finds nothing
	Interrupt      quantity.Micros // cost of an interrupt; negative: the processor polls
}
