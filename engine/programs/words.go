package programs

import (
	"math"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// must panics if the first reply to a request fails, which is impossible for a valid reply.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// pack converts a time to words, unpack converts it back.
func pack(t quantity.Micros) []uint32 {
	b := math.Float64bits(float64(t))
	return []uint32{uint32(b), uint32(b >> 32)}
}

func unpack(words []uint32) quantity.Micros {
	return quantity.Micros(math.Float64frombits(uint64(words[0]) | uint64(words[1])<<32))
}

func per(ep *engine.Endpoint, start quantity.Micros, count int) quantity.Micros {
	return (ep.Now() - start) / quantity.Micros(count)
}

// toNodeOne runs a program of messages from node 0 to node 1, which reports a time to node 0 when
// all messages have arrived.
func toNodeOne(ep *engine.Endpoint, messages int, send func() error, arrived func() bool, result func() (quantity.Micros, error)) (t quantity.Micros, err error) {
	reported := false
	report := ep.Handle(func(m *engine.Message) { t, reported = unpack(m.Words), true })
	switch ep.Node() {
	case 0:
		for range messages {
			if err := send(); err != nil {
				return 0, err
			}
		}
		err = ep.WaitFor("the result of node 1", func() bool { return reported })
	case 1:
		if err := ep.WaitFor("the messages of node 0", arrived); err != nil {
			return 0, err
		}
		measured, err := result()
		if err != nil {
			return 0, err
		}
		return 0, ep.Request(0, report, pack(measured)...)
	}
	return t, err
}
