package collective_test

import (
	"container/heap"
	"fmt"
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// logP runs a schedule in the LogP model: a send takes a processor o, and the next cannot begin
// before max(g, o); the message is there L later; a receive takes o, and the next cannot begin
// before max(g, o); a calc takes its size. A processor does one thing at a time: of what it
// could do the one that could begin first, and of several the one with the lower index.
func logP(t *testing.T, s *schedule.Schedule, m collective.LogP) float64 {
	n := s.Ranks()
	waits := s.Waits()
	ready := make([]float64, len(waits)) // when an operation can begin for its dependencies
	open := make([]opHeap, n)            // without dependencies left
	arrived := map[pair][]float64{}
	free, sent, received := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range n {
		sent[i], received[i] = math.Inf(-1), math.Inf(-1)
	}
	for op, w := range waits {
		if w == 0 {
			heap.Push(&open[s.RankOf(uint32(op))], uint32(op))
		}
	}
	last, done := 0.0, 0
	for {
		// The next thing that happens anywhere.
		best, at, which := -1, math.Inf(1), 0
		for rank := range n {
			for i, op := range open[rank] {
				o := s.Ops()[op]
				begin := max(ready[op], free[rank])
				switch o.Kind {
				case schedule.Send:
					begin = max(begin, sent[rank]+max(m.G, m.O))
				case schedule.Recv:
					from := arrived[pair{int(o.Peer), rank, o.Tag}]
					if len(from) == 0 {
						continue
					}
					begin = max(begin, from[0], received[rank]+max(m.G, m.O))
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
			sent[best], end = at, at+m.O
			p := pair{best, int(o.Peer), o.Tag}
			arrived[p] = append(arrived[p], end+m.L)
		case schedule.Recv:
			received[best], end = at, at+m.O
			p := pair{int(o.Peer), best, o.Tag}
			arrived[p] = arrived[p][1:]
		default:
			end += float64(o.Size)
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
	if got := (collective.LogP{L: 6, O: 2, G: 4}).OptimalBroadcast(8); got != 24 {
		t.Errorf("P = 8, L = 6, o = 2, g = 4: %v, want 24", got)
	}
	most := 64
	if testing.Short() {
		most = 16
	}
	for _, m := range []collective.LogP{{L: 6, O: 2, G: 4}, {L: 1}, {L: 10, O: 1, G: 1}, {L: 2, O: 3, G: 1}, {L: 5, O: 2, G: 17}} {
		for p := 1; p <= most; p++ {
			e, err := collective.Find("bcast", "logp-optimal")
			if err != nil {
				t.Fatal(err)
			}
			s, err := e.Schedule(p, collective.Call{Bytes: 1, LogP: m})
			if err != nil {
				t.Fatal(err)
			}
			want := m.OptimalBroadcast(p)
			if got := logP(t, s, m); got != want {
				t.Errorf("%+v, %d ranks: the schedule takes %v, the closed form says %v", m, p, got, want)
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

// most values is how many can be summed within T by p processors, by trying: f(T, p) is the
// best over how many processors the first child has, and so on; children end at
// T − (2o + L + 1), and each further one max(g, o + 1) before.
func bestSum(t, p, l, o, g int, known map[[2]int]int) int {
	if t < 0 {
		return math.MinInt32
	}
	if v, ok := known[[2]int{t, p}]; ok {
		return v
	}
	best := t + 1 // alone
	// with[k][q] would be the best with k children and q processors among them.
	have := map[int]int{0: t + 1}
	for k := 0; ; k++ {
		end := t - (2*o + l + 1) - k*max(g, o+1)
		if end < 0 {
			break
		}
		next := map[int]int{}
		for q, v := range have {
			for c := 1; q+c < p; c++ {
				next[q+c] = max(next[q+c], v-(o+1)+bestSum(end, c, l, o, g, known))
			}
		}
		for _, v := range next {
			best = max(best, v)
		}
		have = next
	}
	known[[2]int{t, p}] = best
	return best
}

// The example of Culler and others 1993, figure 4, and Karp and others 1993: P = 8, L = 5, o = 2,
// g = 4 sums 79 values in T = 28.
func TestOptimalSummation(t *testing.T) {
	if got, _, err := collective.OptimalSummation(28, 8, 5, 2, 4); err != nil || got != 79 {
		t.Errorf("P = 8, L = 5, o = 2, g = 4, T = 28: %d values, want 79 (%v)", got, err)
	}
	for _, m := range [][3]int{{5, 2, 4}, {1, 0, 1}, {3, 1, 1}, {0, 0, 0}, {4, 3, 9}} {
		l, o, g := m[0], m[1], m[2]
		known := map[[2]int]int{}
		for T := 0; T <= 34; T += 2 {
			for p := 1; p <= 9; p++ {
				got, s, err := collective.OptimalSummation(T, p, l, o, g)
				if err != nil {
					t.Fatal(err)
				}
				if want := bestSum(T, p, l, o, g, known); got != want {
					t.Errorf("L, o, g = %v, T = %d, %d processors: %d values, the best is %d", m, T, p, got, want)
				}
				// The gap of receives is at least o + 1, with the addition.
				if end := logP(t, s, collective.LogP{L: float64(l), O: float64(o), G: float64(g)}); end != float64(T) {
					t.Errorf("L, o, g = %v, T = %d, %d processors: the schedule ends at %v", m, T, p, end)
				}
			}
		}
	}
	for _, wrong := range [][5]int{{-1, 8, 5, 2, 4}, {28, 0, 5, 2, 4}, {28, 8, -1, 2, 4}, {1 << 40, 8, 5, 2, 4}} {
		if _, _, err := collective.OptimalSummation(wrong[0], wrong[1], wrong[2], wrong[3], wrong[4]); err == nil {
			t.Errorf("%v: no error", wrong)
		}
	}
}

func ExampleLogP_OptimalBroadcast() {
	fmt.Println(collective.LogP{L: 6, O: 2, G: 4}.OptimalBroadcast(8))
	// Output: 24
}

func ExampleOptimalSummation() {
	values, s, err := collective.OptimalSummation(28, 8, 5, 2, 4)
	fmt.Println(values, "values on", s.Ranks(), "processors", err)
	// Output: 79 values on 8 processors <nil>
}
