package virtual

import "github.com/halfpeak/halfpeak/engine"

// NewSystem returns a system with a single route, whose pieces have at most piece bytes (0: no
// bound).
func NewSystem(name string, r Route, piece int) *System {
	s := &System{Name: name, Interrupt: -1, Options: engine.Options{Checksums: true}}
	s.plan = s.leaf(r)
	if piece > 0 {
		s.plan = &plan{piece: piece, below: s.plan}
	}
	s.setAck()
	return s
}
