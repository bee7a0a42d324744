package programs

import (
	"bytes"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// OneStore returns the one-way time of a store of n bytes from node 0 to node 1, averaged over
// rounds: from the call to the handler, which runs when all data has arrived. Each piece is a
// request, so a window of credits delays the sender. The next store begins when all credits have
// returned. Both nodes must read the same clock, as simulated nodes do.
func OneStore(ep *engine.Endpoint, n, rounds int) (oneWay quantity.Micros, err error) {
	memory, data := make([]byte, n), make([]byte, n)
	pattern(data, n)
	segment := ep.Register(memory)
	var spent quantity.Micros
	arrived := 0
	take := ep.Handle(func(m *engine.Message) {
		spent += ep.Now() - unpack(m.Words)
		arrived++
	})
	store := func() error {
		if err := ep.Store(1, take, segment, 0, data, pack(ep.Now())...); err != nil {
			return err
		}
		return ep.Flush()
	}
	return toNodeOne(ep, rounds, store, func() bool { return arrived == rounds }, func() (quantity.Micros, error) {
		if !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		return spent / quantity.Micros(rounds), nil
	})
}
