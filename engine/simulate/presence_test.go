package simulate_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/internal/calls"
	"github.com/halfpeak/halfpeak/model/machine"
)

// calling returns a schedule of calls: each rank's function adds those of the rank.
func calling(t testing.TB, ranks ...func(r *calls.Rank)) *simulate.Program {
	t.Helper()
	b := schedule.NewBuilder(len(ranks))
	b.Calls()
	for _, add := range ranks {
		b.NextRank()
		add(&calls.Rank{Builder: b})
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	return prepare(t, s)
}

// A large message takes 100 µs. Its ranks compute between the begin of their calls and the wait, or
// in the middle of it, in which a test lets them in for a moment.
func TestPresence(t *testing.T) {
	const size = 99_000
	send := schedule.Op{Kind: schedule.Send, Size: size, Peer: 1}
	receive := schedule.Op{Kind: schedule.Recv, Size: size, Peer: 0}
	// beside begins the message and computes for some µs, with a test behind each part.
	beside := func(op schedule.Op, parts ...uint64) func(r *calls.Rank) {
		return func(r *calls.Rank) {
			q := r.Begin(0, op)
			for _, µs := range parts {
				r.Compute(1000 * µs)
			}
			r.Wait(q...)
		}
	}
	for _, c := range []struct {
		handshake, data  machine.Presence
		sender, receiver []uint64
		want             string // finish of both in µs
	}{
		{machine.NotMeasured, machine.NotMeasured, []uint64{50}, nil, "100 100"},
		{machine.Independent, machine.Independent, []uint64{300}, []uint64{50}, "300 100"},
		{machine.Independent, machine.AtSender, []uint64{50}, nil, "150 150"},
		{machine.Independent, machine.AtReceiver, []uint64{50}, nil, "100 100"},
		{machine.Independent, machine.AtReceiver, nil, []uint64{50}, "150 150"},
		{machine.AtReceiver, machine.Independent, nil, []uint64{50}, "150 150"},
		// One test is enough for a hand-shake, and lets no bytes through.
		{machine.AtReceiver, machine.Independent, nil, []uint64{30, 30}, "130 130"},
		{machine.AtReceiver, machine.AtReceiver, nil, []uint64{30, 30}, "160 160"},
		{machine.AtSender, machine.Independent, []uint64{30, 200}, nil, "230 130"},
		{machine.AtBoth, machine.Independent, []uint64{30, 200}, []uint64{10}, "230 130"},
		{machine.AtBoth, machine.AtBoth, []uint64{50}, []uint64{80}, "180 180"},
		{machine.Independent, machine.AtBoth, []uint64{50}, []uint64{80}, "180 180"},
	} {
		m := machine.Machine{Levels: []machine.Level{line(1)}}
		l := &m.Levels[0]
		l.Name, l.Arity, l.Eager, l.Handshake, l.Data = "node", 2, 1000, c.handshake, c.data
		p := calling(t, beside(send, c.sender...), beside(receive, c.receiver...))
		r, err := p.Run(context.Background(), simulate.Setup{Record: true,
			Machine: on(t, m, "core", 2, simulate.NoLimit)})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%.6g %.6g", float64(r.Micros(r.Ranks[0])), float64(r.Micros(r.Ranks[1])))
		if got != c.want {
			t.Errorf("handshake %v, data %v, computing %v and %v: %s µs, want %s", c.handshake,
				c.data, c.sender, c.receiver, got, c.want)
		}
		path, err := r.Path()
		if err != nil {
			t.Fatal(err)
		}
		simulate.ComputedAsRecorded(t, p, simulate.Setup{Machine: on(t, m, "core", 2, simulate.NoLimit)}, path)
		if end, _ := r.Finish(); r.Micros(path.Shares.Sum()) != end {
			t.Errorf("the parts of the path sum to %v, want %v", r.Micros(path.Shares.Sum()), end)
		}
	}
}

// A receiver that leaves in the middle of a message stops it, if the bytes need it.
func TestPause(t *testing.T) {
	const size = 99_000
	for _, c := range []struct {
		data machine.Presence
		want string
	}{{machine.Independent, "100 150.004"}, {machine.AtReceiver, "190 190"}} {
		m := machine.Machine{Levels: []machine.Level{line(1)}}
		l := &m.Levels[0]
		l.Name, l.Arity, l.Eager, l.Packet, l.Data = "node", 3, 1000, 100, c.data
		p := calling(t, func(r *calls.Rank) {
			r.Blocking(schedule.Op{Kind: schedule.Send, Size: size, Peer: 1, Tag: 1})
		}, func(r *calls.Rank) {
			q := r.Begin(0, schedule.Op{Kind: schedule.Recv, Size: size, Peer: 0, Tag: 1})
			r.Blocking(schedule.Op{Kind: schedule.Recv, Size: 1, Peer: 2})
			r.Compute(90_000)
			r.Wait(q...)
		}, func(r *calls.Rank) { // ends the receiver's wait after 60 µs
			r.Compute(58_999)
			r.Blocking(schedule.Op{Kind: schedule.Send, Size: 1, Peer: 1})
		})
		r, err := p.Run(context.Background(), simulate.Setup{
			Machine: on(t, m, "core", 3, simulate.NoLimit)})
		if err != nil {
			t.Fatal(err)
		}
		got := fmt.Sprintf("%.6g %.6g", float64(r.Micros(r.Ranks[0])), float64(r.Micros(r.Ranks[1])))
		if got != c.want {
			t.Errorf("data %v: %s µs, want %s", c.data, got, c.want)
		}
	}
}

// A send that does not block returns after its overhead, and its message waits at the NIC for those
// before it. By GOAL's rule its start would wait there. The path follows the messages.
func TestQueueAtNIC(t *testing.T) {
	costs := simulate.LogGOPS{Latency: 1, Overhead: 0.3, GapTime: 0.3, GapPerByte: 0.001,
		EagerLimit: simulate.NoLimit}
	p := calling(t, func(r *calls.Rank) {
		var q []uint32
		for tag := range uint32(3) {
			q = append(q, r.Begin(0, schedule.Op{Kind: schedule.Send, Size: 10_001, Peer: 1,
				Tag: tag})...)
		}
		r.Compute(5000)
		r.Wait(q...)
	}, func(r *calls.Rank) {
		var q []uint32
		for tag := range uint32(3) {
			q = append(q, r.Begin(0, schedule.Op{Kind: schedule.Recv, Size: 10_001, Peer: 0,
				Tag: tag})...)
		}
		r.Wait(q...)
	})
	r, err := p.Run(context.Background(), simulate.Setup{LogGOPS: costs, Record: true})
	if err != nil {
		t.Fatal(err)
	}
	// Sends end after 0.3, 0.6 and 0.9 µs and the computation 5 µs later; the NIC has sent all
	// bytes after 0.3 + 2·10.3 + 10 µs; the last message is received 1.3 µs later.
	if got := fmt.Sprintf("%.6g %.6g", float64(r.Micros(r.Ranks[0])), float64(r.Micros(r.Ranks[1]))); got != "30.9 32.2" {
		t.Errorf("%s µs, want 30.9 32.2", got)
	}
	path, err := r.Path()
	if err != nil {
		t.Fatal(err)
	}
	if end, _ := r.Finish(); r.Micros(path.Shares.Sum()) != end || path.Slopes.GapPerByte != 30_000 {
		t.Errorf("a path of %v µs with %d bytes, want %v with 30000", r.Micros(path.Shares.Sum()),
			path.Slopes.GapPerByte, end)
	}
}
