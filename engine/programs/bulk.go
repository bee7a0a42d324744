package programs

import (
	"bytes"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// PingBulk is half of the time in which n bytes are stored from node 0 to node 1, whose handler
// stores them back, averaged over rounds. Hence the bandwidth of HP-LAM's ping_bulk is n over it.
func PingBulk(ep *engine.Endpoint, n, rounds int) (oneWay quantity.Micros, err error) {
	memory, data := make([]byte, n), make([]byte, n)
	segment := ep.Register(memory)
	back := 0
	pong := ep.Handle(func(*engine.Message) { back++ })
	ping := ep.Handle(func(m *engine.Message) { must(m.ReplyStore(pong, segment, 0, memory)) })
	if ep.Node() != 0 {
		return 0, nil
	}
	var spent quantity.Micros
	for i := range rounds {
		pattern(data, i)
		start := ep.Now()
		if err := ep.Store(1, ping, segment, 0, data); err != nil {
			return 0, err
		}
		if err := ep.WaitFor("the data back from node 1", func() bool { return back > i }); err != nil {
			return 0, err
		}
		spent += ep.Now() - start
		if !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
	}
	return spent / quantity.Micros(2*rounds), nil
}

// ThruBulk is the time per store of n bytes from node 0 to node 1, when node 0 does not wait for one
// to complete before the next. The network takes them as fast as it can: HP-LAM's
// thru_bulk has the bandwidth n over it. The first third fills the way, and is compared as it
// arrives; then the time of the others is taken, and what the last has left is compared.
func ThruBulk(ep *engine.Endpoint, n, messages int) (interval quantity.Micros, err error) {
	memory, data := make([]byte, n), make([]byte, n)
	pattern(data, n)
	segment := ep.Register(memory)
	arrived, from := 0, (messages+2)/3
	differs := false
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		arrived++
		if arrived <= from && !bytes.Equal(m.Data, data) {
			differs = true
		}
		if arrived == from {
			start = ep.Now()
			clear(memory)
		}
		if arrived == messages {
			end = ep.Now()
		}
	})
	reported := false
	report := ep.Handle(func(m *engine.Message) { interval, reported = unpack(m.Words), true })
	switch ep.Node() {
	case 0:
		for range messages {
			if err := ep.Store(1, take, segment, 0, data); err != nil {
				return 0, err
			}
		}
		return interval, ep.WaitFor("the result of node 1", func() bool { return reported })
	case 1:
		if err := ep.WaitFor("the stores of node 0", func() bool { return arrived == messages }); err != nil {
			return 0, err
		}
		if differs || !bytes.Equal(memory, data) {
			return 0, errDiffers
		}
		interval = (end - start) / quantity.Micros(messages-from)
		return 0, ep.Request(0, report, pack(interval)...)
	}
	return 0, nil
}
