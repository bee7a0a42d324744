package programs

import (
	"slices"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// minTime, the clock's unit in µs, is the time of a stage that another stage hides: a socket's
// write may return after the other node has read.
const minTime = quantity.Micros(1e-3)

// runStages measures the median time of each stage over round trips of messages that travel as one
// packet. The clock is read around the stages of node 0, and its cost is subtracted; the round trip
// is measured without these readings.
func runStages(ep *engine.Endpoint, a Args) (r Result, err error) {
	whole, err := runPingBulk(ep, Args{Size: a.Size, Count: a.Count, Warm: a.Warm})
	if err != nil {
		return r, err
	}
	var sent, received []quantity.Micros
	e := newEcho(ep, a.Size)
	e.pong = ep.Handle(func(*engine.Message) {
		received = append(received, ep.Now()-a.Transport.Seen())
		e.back++
	})
	if ep.Node() != 0 {
		return r, nil
	}
	a.Transport.Watch(true)
	defer a.Transport.Watch(false)
	for range a.Count {
		start := ep.Now()
		if err := e.store(); err != nil {
			return r, err
		}
		sent = append(sent, ep.Now()-start)
		if err := e.wait(); err != nil {
			return r, err
		}
	}
	middle := func(t []quantity.Micros) quantity.Micros {
		slices.Sort(t)
		return max(minTime, (t[(len(t)-1)/2]+t[len(t)/2])/2-a.Transport.ClockCost())
	}
	send, receive := middle(sent), middle(received)
	r.Stages = StageTimes{send, max(minTime, whole.Time-send-receive), receive}
	r.Time = whole.Time
	return r, e.failed
}
