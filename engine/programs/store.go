package programs

import (
	"bytes"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// OneStore is the one-way time of a store of n bytes from node 0 to node 1, averaged over rounds:
// from the call to the handler, which runs when all data is there. Each piece is a request, so
// that a window of credits holds the sender back. The next store begins when all credits are
// home. Both nodes must read the same clock, as simulated ones do.
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
	reported := false
	report := ep.Handle(func(m *engine.Message) { oneWay, reported = unpack(m.Words), true })
	switch ep.Node() {
	case 0:
		for range rounds {
			if err := ep.Store(1, take, segment, 0, data, pack(ep.Now())...); err != nil {
				return 0, err
			}
			if err := ep.Flush(); err != nil {
				return 0, err
			}
		}
		return oneWay, ep.WaitFor("the result of node 1", func() bool { return reported })
	case 1:
		if err := ep.WaitFor("the stores of node 0", func() bool { return arrived == rounds }); err != nil {
			return 0, err
		}
		if !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		return 0, ep.Request(0, report, pack(spent/quantity.Micros(rounds))...)
	}
	return 0, nil
}
