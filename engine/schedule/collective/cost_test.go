package collective_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	engine "github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A wire is a machine on which messages cost whole nanoseconds: fixed parts, and parts for each
// byte.
type wire struct {
	name                                       string
	send, latency, receive, gap                float64
	sendByte, streamByte, receiveByte, gapByte float64
	slower                                     float64 // how much longer the way in takes than the way out
}

func (w wire) Level(from, to int) int { return 0 }

func (w wire) Cost(_ int, n uint64) engine.Cost {
	us := func(fixed, perByte float64) quantity.Micros {
		return quantity.Micros((fixed + perByte*float64(n)) / 1e3)
	}
	return engine.Cost{Send: us(w.send, w.sendByte), Latency: us(w.latency, 0), Serialization: us(0, w.streamByte),
		Receive: us(w.receive, w.receiveByte), Gap: us(w.gap, w.gapByte), ReceiveGap: us(w.gap+w.slower, w.gapByte)}
}

// model is the wire as closed forms see it, in ns.
func (w wire) model(gamma float64) collective.Model {
	if w.name == "hockney" {
		return collective.Model{Alpha: w.latency, Beta: w.streamByte, Gamma: gamma}
	}
	return collective.Model{Gamma: gamma, Messages: func(n uint64) collective.Message {
		send, receive, gap := w.send+w.sendByte*float64(n), w.receive+w.receiveByte*float64(n), w.gap+w.gapByte*float64(n)
		return collective.Message{Send: send, Latency: w.latency, Serialization: w.streamByte * float64(n), Receive: receive, Gap: gap, ReceiveGap: gap + w.slower}
	}}
}

var wires = []wire{
	{name: "hockney", latency: 1000, gap: 1000, streamByte: 3, gapByte: 3},
	{name: "LogGP", send: 200, latency: 900, receive: 300, gap: 700, streamByte: 2, gapByte: 2},
	{name: "busy processors", send: 500, latency: 1500, receive: 600, gap: 100, sendByte: 1, streamByte: 1, receiveByte: 1, gapByte: 1},
	{name: "slow way in", send: 100, latency: 1200, receive: 100, gap: 300, streamByte: 2, gapByte: 2, slower: 400},
	{name: "copies of two", send: 300, latency: 700, gap: 400, sendByte: 2, streamByte: 1, gapByte: 3},
	{name: "a slow copy", send: 800, latency: 300, gap: 500, sendByte: 4, streamByte: 1, gapByte: 2},
	{name: "one copy", latency: 1000, gap: 400, receive: 50, streamByte: 2, receiveByte: 1, gapByte: 2},
}

// calls are calls among p members: whole and cut, parts that are equal and others.
func calls(p int) []collective.Call {
	all := []collective.Call{{Bytes: uint64(64 * p)}, {Bytes: uint64(7*p + 3), Gamma: 3}}
	if p <= 17 || p == 64 {
		all = append(all, collective.Call{Bytes: uint64(64*p) + 1}, collective.Call{Bytes: uint64(64 * p), Gamma: 2},
			collective.Call{Bytes: uint64(24 * p), Segment: uint64(4 * p), Gamma: 7, Fanout: 2},
			collective.Call{Bytes: uint64(24 * p), Segment: uint64(4 * p), Fanout: 3, Gamma: 1},
			collective.Call{Bytes: 40, Gamma: 500, Fanout: 1}, collective.Call{}, collective.Call{Bytes: 5}, collective.Call{Bytes: 1000, Element: 8, Root: p / 2},
			collective.Call{Bytes: uint64(p - 1), Root: p - 1}, collective.Call{Bytes: 4099, LogP: collective.LogP{L: 3, Send: 1, Receive: 1, G: 1}})
	}
	return all
}

func programOf(t *testing.T, e collective.Entry, p int, c collective.Call) *engine.Program {
	t.Helper()
	s, err := e.Schedule(p, c)
	if err != nil {
		t.Fatal(err)
	}
	program, err := engine.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// timeOf is how long a program takes, in ns.
func timeOf(t *testing.T, p *engine.Program, m engine.Machine) float64 {
	t.Helper()
	r, err := p.Run(context.Background(), engine.Options{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	return float64(slices.Max(r.Ranks)) / 1e3
}

// Every closed form is the time of its schedule, for all numbers of ranks to 64 for which
// it says that it holds. All times are whole nanoseconds, so that nothing is decided by rounding;
// 1e-12 leaves room for sums of floats.
func TestCosts(t *testing.T) {
	most := 64
	if testing.Short() {
		most = 17
	}
	for _, e := range collective.Algorithms {
		if e.Cost == nil {
			continue
		}
		t.Run(e.Collective+"/"+e.Name, func(t *testing.T) {
			t.Parallel()
			held := map[string]int{}
			for p := 1; p <= most; p++ {
				if e.Ranks != 0 && e.Ranks != p {
					continue
				}
				for _, c := range calls(p) {
					if _, ok := e.Time(wires[0].model(c.Gamma), p, c); !ok {
						c.Gamma = 0 // some hold for messages alone
					}
					program := programOf(t, e, p, c)
					for _, w := range wires {
						want, ok := e.Time(w.model(c.Gamma), p, c)
						if !ok {
							continue
						}
						held[w.name]++
						if got := timeOf(t, program, w); math.Abs(got-want) > 1e-12*want {
							t.Errorf("%s, %d ranks, %+v: the schedule takes %v, the closed form says %v", w.name, p, c, got, want)
							if held["failed"]++; held["failed"] > 8 {
								t.FailNow()
							}
						}
					}
				}
			}
			t.Log(held)
			if held["hockney"] == 0 {
				t.Error("it never holds")
			}
		})
	}
}
