package programs

import (
	"bytes"
	"errors"
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

var errDiffers = errors.New("the data received differs from the data sent")

// pattern fills data so that each byte identifies its offset and its sender.
func pattern(data []byte, seed int) {
	// A linear congruential generator: its high byte depends on all bits before it.
	x := uint32(seed)*2654435761 + 1
	for i := range data {
		// Numerical Recipes' numbers; 2654435761 is Knuth's multiplicative hash, which spreads
		// seeds that follow each other.
		x = x*1664525 + 1013904223
		data[i] = byte(x >> 24)
	}
}

// PingPong returns the round-trip time of a short request and its reply between nodes 0 and 1,
// averaged over rounds ≥ 1: RTT = total time / rounds, in µs. Other nodes get 0. An error is the
// endpoint's.
func PingPong(ep *engine.Endpoint, rounds int) (rtt quantity.Micros, err error) {
	replies := 0
	pong := ep.Handle(func(*engine.Message) { replies++ })
	ping := ep.Handle(func(m *engine.Message) { must(m.Reply(pong, m.Words...)) })
	if ep.Node() != 0 {
		return 0, nil
	}
	start := ep.Now()
	for i := range rounds {
		// Four words fill a header: the 16 bytes of HP-LAM's ping.
		if err := ep.Request(1, ping, uint32(i), 1, 2, 3); err != nil {
			return 0, err
		}
		if err := ep.WaitFor("the pong of node 1", func() bool { return replies > i }); err != nil {
			return 0, err
		}
	}
	return per(ep, start, rounds), nil
}

// latency returns half of the round-trip time of n bytes in each direction between nodes 0 and 1,
// by messages without replies, averaged over rounds.
func latency(ep *engine.Endpoint, n, rounds int) (oneWay quantity.Micros, err error) {
	data := make([]byte, n)
	pattern(data, n)
	got, same := 0, true
	var last quantity.Micros
	ping := ep.Handle(func(m *engine.Message) {
		// The time of the last arrival, not of the end of the loop: polls that follow are not part
		// of it.
		last = ep.Now()
		same = same && bytes.Equal(m.Data, data[m.Offset:m.Offset+len(m.Data)])
		got += len(m.Data)
	})
	me := ep.Node()
	if me > 1 {
		return 0, nil
	}
	awaited := []string{"the message back from node 1", "the message of node 0"}[me]
	start := ep.Now()
	for i := range rounds {
		// Node 0 sends first. One program for both nodes keeps the two directions alike.
		for sender := range 2 {
			if sender == me {
				err = ep.Send(1-me, ping, data)
			} else {
				err = ep.WaitFor(awaited, func() bool { return got >= (i+1)*n })
			}
			if err != nil {
				return 0, err
			}
		}
	}
	if !same {
		return 0, errDiffers
	}
	if me == 0 {
		oneWay = (last - start) / quantity.Micros(2*rounds)
	}
	return oneWay, nil
}

// stream returns the interval between messages of n bytes, without replies, that node 0 sends to
// node 1 as fast as it can. The first third of them fills the path; the interval is that of the
// remaining messages at node 1.
func stream(ep *engine.Endpoint, n, messages int) (gap quantity.Micros, err error) {
	data := make([]byte, n)
	pattern(data, n)
	// A stream in a pipeline of S stages is steady after S messages, fewer than a third of any
	// run.
	got, from, same := 0, 0, true
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		same = same && bytes.Equal(m.Data, data[m.Offset:m.Offset+len(m.Data)])
		if got += len(m.Data); got%n == 0 {
			// A third is a whole number of messages, at least one, so that the clock starts at the
			// end of one.
			if end = ep.Now(); start == 0 && got >= (messages+2)/3*n {
				start, from = end, got/n
			}
		}
	})
	send := func() error { return ep.Send(1, take, data) }
	done := func() bool { return got >= messages*n }
	return toNodeOne(ep, messages, send, done, func() (quantity.Micros, error) {
		if !same {
			return 0, errDiffers
		}
		return (end - start) / quantity.Micros(messages-from), nil
	})
}

// fanIn returns the interval between messages of n bytes, without replies, at node 0, if all other
// nodes send to it as fast as they can. The first third of the messages fills the paths.
func fanIn(ep *engine.Endpoint, n, messages int) (interval quantity.Micros, err error) {
	senders := ep.Nodes() - 1
	all := senders * messages
	full := (messages + 2) / 3 * senders // one from each sender in turn
	got := 0
	came := make([]int, ep.Nodes()) // bytes from each sender; pieces may overtake each other
	var start, end quantity.Micros
	take := ep.Handle(func(m *engine.Message) {
		// A message has come when its sender's bytes reach the next multiple of n.
		before := came[m.From] / n
		if came[m.From] += len(m.Data); came[m.From]/n == before {
			return
		}
		end = ep.Now()
		if got++; got == full {
			start = end
		}
	})
	if ep.Node() > 0 {
		data := make([]byte, n)
		pattern(data, n) // memory that nobody wrote is the kernel's one page of zeros, in the cache
		for range messages {
			if err := ep.Send(0, take, data); err != nil {
				return 0, err
			}
		}
		return 0, nil
	}
	done := func() bool { return got == all }
	if err := ep.WaitFor("the messages of all other nodes", done); err != nil {
		return 0, err
	}
	return (end - start) / quantity.Micros(all-full), nil
}

// signature measures the LogP signature [hplam, §4.2; figure 4.1]: node 0 issues bursts of
// requests to node 1, one burst for each number of messages and each Δ. The clock of a burst
// stops when its last request is issued, whether or not the reply has arrived. All replies arrive
// before the next burst.
func signature(
	ep *engine.Endpoint, messages []int, deltas []quantity.Micros,
) (bursts []benchfile.Burst, err error) {
	// The handler replies nothing, so the library replies for it: each request takes o_r at both
	// ends, as in the paper's program.
	take := ep.Handle(func(*engine.Message) {})
	if ep.Node() != 0 {
		return nil, nil
	}
	for _, delta := range deltas {
		for _, count := range messages {
			if count < 1 {
				return nil, fmt.Errorf("a burst must have at least 1 message (got %d)", count)
			}
			start := ep.Now()
			for range count {
				if err := ep.Request(1, take); err != nil {
					return nil, err
				}
				ep.Compute(delta)
			}
			burst := benchfile.Burst{Messages: count, Delta: delta, Interval: per(ep, start, count)}
			bursts = append(bursts, burst)
			// Replies that are still on their way would slow the next burst down.
			if err := ep.Flush(); err != nil {
				return nil, err
			}
		}
	}
	return bursts, nil
}

// must panics if the first reply to a request fails, which is impossible for a valid reply.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// pack converts a time to words, unpack converts it back.
func pack(t quantity.Micros) []uint32 {
	b := math.Float64bits(float64(t))
	// A word has 32 bits; a time is exact to the last bit in two of them.
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
func toNodeOne(
	ep *engine.Endpoint, messages int, send func() error, arrived func() bool,
	result func() (quantity.Micros, error),
) (t quantity.Micros, err error) {
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
