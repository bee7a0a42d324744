package programs

import (
	"bytes"
	"errors"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

var errDiffers = errors.New("the data received differs from the data sent")

// pattern fills data so that each byte identifies its offset and its sender.
func pattern(data []byte, seed int) {
	x := uint32(seed)*2654435761 + 1
	for i := range data {
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
}

// PingPong returns the round-trip time of a short request and its reply between nodes 0 and 1,
// averaged over rounds: RTT = total time / rounds.
func PingPong(ep *engine.Endpoint, rounds int) (rtt quantity.Micros, err error) {
	replies := 0
	pong := ep.Handle(func(*engine.Message) { replies++ })
	ping := ep.Handle(func(m *engine.Message) { must(m.Reply(pong, m.Words...)) })
	if ep.Node() != 0 {
		return 0, nil
	}
	start := ep.Now()
	for i := range rounds {
		if err := ep.Request(1, ping, uint32(i), 1, 2, 3); err != nil {
			return 0, err
		}
		if err := ep.WaitFor("the pong of node 1", func() bool { return replies > i }); err != nil {
			return 0, err
		}
	}
	return per(ep, start, rounds), nil
}

// Latency returns half of the round-trip time of n bytes in each direction between nodes 0 and 1,
// by messages without replies, averaged over rounds.
func Latency(ep *engine.Endpoint, n, rounds int) (oneWay quantity.Micros, err error) {
	data, want := make([]byte, n), make([]byte, n)
	pattern(want, n)
	got, same := 0, true
	var last quantity.Micros
	ping := ep.Handle(func(m *engine.Message) {
		last = ep.Now()
		same = same && bytes.Equal(m.Data, want[m.Offset:m.Offset+len(m.Data)])
		got += len(m.Data)
	})
	copy(data, want)
	switch ep.Node() {
	case 0:
		start := ep.Now()
		for i := range rounds {
			if err := ep.Send(1, ping, data); err != nil {
				return 0, err
			}
			if err := ep.WaitFor("the message back from node 1", func() bool { return got >= (i+1)*n }); err != nil {
				return 0, err
			}
		}
		oneWay = (last - start) / quantity.Micros(2*rounds)
	case 1:
		for i := range rounds {
			if err := ep.WaitFor("the message of node 0", func() bool { return got >= (i+1)*n }); err != nil {
				return 0, err
			}
			if err := ep.Send(0, ping, data); err != nil {
				return 0, err
			}
		}
	}
	if !same {
		return 0, errDiffers
	}
	return oneWay, nil
}

// Stream returns the interval between messages of n bytes, without replies, that node 0 sends to
// node 1 as fast as it can. The first third of them fills the path; the interval is that of the
// remaining messages at node 1.
func Stream(ep *engine.Endpoint, n, messages int) (gap quantity.Micros, err error) {
	data, want := make([]byte, n), make([]byte, n)
	pattern(want, n)
	copy(data, want)
	got, from, same := 0, 0, true
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		same = same && bytes.Equal(m.Data, want[m.Offset:m.Offset+len(m.Data)])
		if got += len(m.Data); got%n == 0 {
			if end = ep.Now(); start == 0 && got >= (messages+2)/3*n {
				start, from = end, got/n
			}
		}
	})
	return toNodeOne(ep, messages, func() error { return ep.Send(1, take, data) }, func() bool { return got >= messages*n }, func() (quantity.Micros, error) {
		if !same {
			return 0, errDiffers
		}
		return (end - start) / quantity.Micros(messages-from), nil
	})
}
