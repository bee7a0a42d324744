package virtual

import (
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model"
)

// The parts of a route, and the sides of a message, for tests of package virtual_test.
type (
	Route = route
	Stage = stage
	Cost  = model.PacketCost
	Side  = model.Side
)

const (
	Sender   = model.AtSender
	Receiver = model.AtReceiver
	Network  = model.AtNetwork
)

// NewSystem returns a system with a single route, whose pieces have at most piece bytes (0: no
// bound).
func NewSystem(name string, r Route, piece int) *System {
	s := &System{Name: name, Interrupt: -1, Options: engine.Options{Checksums: true}}
	s.plan = s.leaf(r, nil)
	if piece > 0 {
		s.plan = &plan{piece: piece, below: s.plan}
	}
	s.setAck()
	return s
}
