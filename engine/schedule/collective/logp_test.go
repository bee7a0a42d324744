package collective_test

import (
	"container/heap"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// logP runs a schedule in the LogP model: a send takes a processor o_s, and the next cannot begin
// before max(g, o_s); the message is there L later; a receive takes o_r, and the next cannot begin
// before max(g, o_r); a calc takes its size. A processor does one thing at a time: of what it
// could do the one that could begin first, and of several the one with the lower index.
func logP(t *testing.T, s *schedule.Schedule, m model.LogP) quantity.Micros {
	n := s.Ranks()
	waits := s.Waits()
	ready := make([]quantity.Micros, len(waits)) // when an operation can begin for its dependencies
	open := make([]opHeap, n)                    // without dependencies left
	arrived := map[pair][]quantity.Micros{}
	free, sent, received := make([]quantity.Micros, n), make([]quantity.Micros, n), make([]quantity.Micros, n)
	for i := range n {
		never := quantity.Micros(math.Inf(-1))
		sent[i], received[i] = never, never
	}
	for op, w := range waits {
		if w == 0 {
			heap.Push(&open[s.RankOf(uint32(op))], uint32(op))
		}
	}
	last, done := quantity.Micros(0), 0
	for {
		// The next thing that happens anywhere.
		best, at, which := -1, quantity.Micros(math.Inf(1)), 0
		for rank := range n {
			for i, op := range open[rank] {
				o := s.Ops()[op]
				begin := max(ready[op], free[rank])
				switch o.Kind {
				case schedule.Send:
					begin = max(begin, sent[rank]+max(m.GapTime, m.SendOverhead))
				case schedule.Recv:
					from := arrived[pair{int(o.Peer), rank, o.Tag}]
					if len(from) == 0 {
						continue
					}
					begin = max(begin, from[0], received[rank]+max(m.GapTime, m.ReceiveOverhead))
				}
				if begin < at || begin == at && best == rank && op < open[rank][which] {
					best, at, which = rank, begin, i
				}
			}
		}
		if best < 0 {
			break
		}
		op := open[best][which]
		heap.Remove(&open[best], which)
		o, end := s.Ops()[op], at
		switch o.Kind {
		case schedule.Send:
			sent[best], end = at, at+m.SendOverhead
			p := pair{best, int(o.Peer), o.Tag}
			arrived[p] = append(arrived[p], end+m.Latency)
		case schedule.Recv:
			received[best], end = at, at+m.ReceiveOverhead
			p := pair{int(o.Peer), best, o.Tag}
			arrived[p] = arrived[p][1:]
		default:
			end += quantity.Micros(o.Size)
		}
		free[best], last = end, max(last, end)
		done++
		for _, next := range s.AfterDone(op) {
			ready[next] = max(ready[next], end)
			if waits[next]--; waits[next] == 0 {
				heap.Push(&open[best], next)
			}
		}
	}
	if done != len(s.Ops()) {
		t.Errorf("%d of %d operations done", done, len(s.Ops()))
	}
	return last
}

// The example of Culler and others 1993, figure 3, and Karp and others 1993: P = 8, L = 6,
// o = 2, g = 4 ends at 24.
func TestOptimalBroadcast(t *testing.T) {
	if got := collective.OptimalTime(model.LogP{Latency: 6, SendOverhead: 2, ReceiveOverhead: 2, GapTime: 4}, 8); got != 24 {
		t.Errorf("P = 8, L = 6, o = 2, g = 4: %v, want 24", got)
	}
	most := 64
	if testing.Short() {
		most = 16
	}
	for _, m := range []model.LogP{{Latency: 6, SendOverhead: 2, ReceiveOverhead: 2, GapTime: 4}, {Latency: 1}, {Latency: 10, SendOverhead: 1, ReceiveOverhead: 1, GapTime: 1},
		{Latency: 2, SendOverhead: 3, ReceiveOverhead: 3, GapTime: 1}, {Latency: 5, SendOverhead: 2, ReceiveOverhead: 2, GapTime: 17}, {Latency: 2, SendOverhead: 1, ReceiveOverhead: 40, GapTime: 2}, {Latency: 2, SendOverhead: 6, ReceiveOverhead: 1, GapTime: 2}} {
		for p := 1; p <= most; p++ {
			e, err := collective.Find("bcast", "logp-optimal")
			if err != nil {
				t.Fatal(err)
			}
			s, err := e.Schedule(p, collective.Call{Bytes: 1, LogP: m})
			if err != nil {
				t.Fatal(err)
			}
			want := collective.OptimalTime(m, p)
			if got := logP(t, s, m); got != want {
				t.Errorf("%+v, %d ranks: the schedule takes %v, the closed form says %v", m, p, got, want)
			}
			// A reduce without computation is a broadcast backwards in time: sends are receives.
			back := m
			back.SendOverhead, back.ReceiveOverhead = m.ReceiveOverhead, m.SendOverhead
			if e, err = collective.Find("reduce", "logp-optimal"); err != nil {
				t.Fatal(err)
			}
			up, err := e.Schedule(p, collective.Call{Bytes: 1, LogP: back})
			if err != nil {
				t.Fatal(err)
			}
			if got := logP(t, up, back); got != want {
				t.Errorf("%+v, %d ranks: the reduce takes %v, want %v", back, p, got, want)
			}
			// No other tree is better.
			for _, other := range collective.Of("bcast") {
				if p > 16 || other.Name == "scatter-doubling" || other.Name == "scatter-ring" {
					continue
				}
				s, err := other.Schedule(p, collective.Call{Bytes: 1})
				if err != nil {
					t.Fatal(err)
				}
				if got := logP(t, s, m); got < want {
					t.Errorf("%+v, %d ranks: %s takes %v, less than the optimum %v", m, p, other.Name, got, want)
				}
			}
		}
	}
}

// The example of Karp and others 1993. Both overheads are equal, so the bound is reached.
func ExampleLatencyBound() {
	m := model.LogP{Latency: 6, SendOverhead: 2, ReceiveOverhead: 2, GapTime: 4}
	fmt.Println(float64(collective.LatencyBound(m, 8)))
	// Output: 24
}

// No tree is better: of a few ranks all are tried, each as an order in which those that have the
// word send it to another one.
func TestOptimalBroadcastAgainstAllTrees(t *testing.T) {
	r := rand.New(rand.NewPCG(1993, 4))
	for range 40 {
		some := func() quantity.Micros { return quantity.Micros(r.IntN(4) * r.IntN(8)) }
		m := model.LogP{Latency: some(), SendOverhead: some(), ReceiveOverhead: some(), GapTime: some()}
		for p := 1; p <= 7; p++ {
			if got, want := collective.OptimalTime(m, p), bestTree(m, make([]quantity.Micros, 1, p), p, 0); got != want {
				t.Errorf("%+v, %d ranks: %v, the best of all trees %v", m, p, got, want)
			}
		}
	}
}

// bestTree is the least time until p ranks have the word, where those that have it can send at
// these times, and last is when the last of them got it.
func bestTree(m model.LogP, next []quantity.Micros, p int, last quantity.Micros) quantity.Micros {
	if len(next) == p {
		return last
	}
	best := quantity.Micros(math.Inf(1))
	for i, at := range next {
		got := at + m.SendOverhead + m.Latency + m.ReceiveOverhead
		then := append(slices.Clone(next), got)
		then[i] = at + max(m.GapTime, m.SendOverhead)
		best = min(best, bestTree(m, then, p, max(last, got)))
	}
	return best
}
