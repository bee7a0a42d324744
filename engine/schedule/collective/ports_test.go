package collective_test

import (
	"container/heap"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// ports runs a schedule on members each with one way out, one way in and one processor: a message
// of n bytes takes alpha + beta·n, from when it and its receive can begin and both ways are free; a
// calc takes its size. A member begins what it has in the order of its operations, but goes on to
// the next whose receiver is ready. Messages of a pair match in the order in which their operations
// become free, and the run fails if that is not the order of the operations.
type ports struct {
	t           *testing.T
	alpha, beta float64
	s           *schedule.Schedule
	waits       []uint32
	sends       []opHeap              // that can begin, by rank
	posted      map[pair][]uint32     // receives that can begin, in order
	freed       map[pair]map[bool]int // how many sends (true) and receives of a pair became free
	order       map[uint32]int        // place of an operation among those of its pair and kind
	calcs       []opHeap
	busy        [][3]bool // out, in, processor
	ends        ends
	now         float64
	touched     map[int]bool
}

// A pair of ranks: what goes from one to the other with a tag.
type pair struct {
	from, to int
	tag      uint32
}

type opHeap []uint32

func (h opHeap) Len() int           { return len(h) }
func (h opHeap) Less(i, j int) bool { return h[i] < h[j] }
func (h opHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *opHeap) Push(x any)        { *h = append(*h, x.(uint32)) }
func (h *opHeap) Pop() any          { x := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return x }

// An end is a message or a calc that ends; a calc has no receive.
type end struct {
	at      float64
	op      uint32
	receive uint32
}
type ends []end

func (h ends) Len() int           { return len(h) }
func (h ends) Less(i, j int) bool { return h[i].at < h[j].at }
func (h ends) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *ends) Push(x any)        { *h = append(*h, x.(end)) }
func (h *ends) Pop() any          { x := (*h)[len(*h)-1]; *h = (*h)[:len(*h)-1]; return x }

func simulate(t *testing.T, s *schedule.Schedule, alpha, beta float64) float64 {
	n := s.Ranks()
	r := &ports{t: t, alpha: alpha, beta: beta, s: s, waits: s.Waits(), sends: make([]opHeap, n), calcs: make([]opHeap, n),
		posted: map[pair][]uint32{}, freed: map[pair]map[bool]int{}, order: map[uint32]int{}, busy: make([][3]bool, n), touched: map[int]bool{}}
	count := map[pair]map[bool]int{}
	for op, o := range s.Ops() {
		if o.Kind == schedule.Calc {
			continue
		}
		p := r.pairOf(uint32(op))
		if count[p] == nil {
			count[p], r.freed[p] = map[bool]int{}, map[bool]int{}
		}
		r.order[uint32(op)] = count[p][o.Kind == schedule.Send]
		count[p][o.Kind == schedule.Send]++
	}
	for op, w := range r.waits {
		if w == 0 {
			r.free(uint32(op))
		}
	}
	done := 0
	for {
		r.start()
		if len(r.ends) == 0 {
			break
		}
		r.now = r.ends[0].at
		for len(r.ends) > 0 && r.ends[0].at == r.now {
			e := heap.Pop(&r.ends).(end)
			rank := s.RankOf(e.op)
			done++
			r.touched[rank] = true
			if s.Ops()[e.op].Kind == schedule.Calc {
				r.busy[rank][2] = false
			} else {
				done++
				to := s.RankOf(e.receive)
				r.busy[rank][0], r.busy[to][1] = false, false
				// All that may want to send there.
				for from := range n {
					if len(r.sends[from]) > 0 {
						r.touched[from] = true
					}
				}
				r.finish(e.receive)
			}
			r.finish(e.op)
		}
	}
	if done != len(s.Ops()) {
		t.Errorf("%d of %d operations done", done, len(s.Ops()))
	}
	return r.now
}

func (r *ports) pairOf(op uint32) pair {
	o, rank := r.s.Ops()[op], r.s.RankOf(op)
	if o.Kind == schedule.Send {
		return pair{rank, int(o.Peer), o.Tag}
	}
	return pair{int(o.Peer), rank, o.Tag}
}

func (r *ports) finish(op uint32) { r.release(r.s.AfterDone(op)) }

func (r *ports) release(ops []uint32) {
	for _, next := range ops {
		if r.waits[next]--; r.waits[next] == 0 {
			r.free(next)
		}
	}
}

func (r *ports) free(op uint32) {
	rank, kind := r.s.RankOf(op), r.s.Ops()[op].Kind
	r.touched[rank] = true
	if kind == schedule.Calc {
		heap.Push(&r.calcs[rank], op)
		return
	}
	p := r.pairOf(op)
	if n := r.freed[p][kind == schedule.Send]; n != r.order[op] {
		r.t.Errorf("operation %d is number %d from %d to %d, but becomes free as number %d", op, r.order[op], p.from, p.to, n)
	}
	r.freed[p][kind == schedule.Send]++
	if kind == schedule.Send {
		heap.Push(&r.sends[rank], op)
	} else {
		r.posted[p] = append(r.posted[p], op)
		r.touched[p.from] = true
	}
}

func (r *ports) start() {
	for rank := range r.busy {
		if !r.touched[rank] {
			continue
		}
		if !r.busy[rank][2] && len(r.calcs[rank]) > 0 {
			op := heap.Pop(&r.calcs[rank]).(uint32)
			r.busy[rank][2] = true
			heap.Push(&r.ends, end{at: r.now + float64(r.s.Ops()[op].Size), op: op})
		}
		if r.busy[rank][0] {
			continue
		}
		var later []uint32
		for len(r.sends[rank]) > 0 {
			op := heap.Pop(&r.sends[rank]).(uint32)
			p := r.pairOf(op)
			if len(r.posted[p]) == 0 || r.busy[p.to][1] {
				later = append(later, op)
				continue
			}
			receive := r.posted[p][0]
			r.posted[p] = r.posted[p][1:]
			if r.order[receive] != r.order[op] {
				r.t.Errorf("message %d from %d to %d comes into receive %d", r.order[op], p.from, p.to, r.order[receive])
			}
			r.busy[rank][0], r.busy[p.to][1] = true, true
			r.release(r.s.AfterStarted(op))
			heap.Push(&r.ends, end{r.now + r.alpha + r.beta*float64(r.s.Ops()[op].Size), op, receive})
			break
		}
		for _, op := range later {
			heap.Push(&r.sends[rank], op)
		}
	}
	clear(r.touched)
}

// Each schedule ends, and its messages come into the receives that are meant, with fast and
// with slow combinations; simulate says what is wrong.
func TestEnds(t *testing.T) {
	most := 20
	if testing.Short() {
		most = 9
	}
	for _, e := range collective.Algorithms {
		for p := 1; p <= most; p++ {
			if e.Ranks != 0 && e.Ranks != p {
				continue
			}
			for _, c := range []collective.Call{{Bytes: 1000}, {Bytes: 1000, Segment: 80, Gamma: 1}, {Bytes: 1000, Segment: 300, Fanout: 3, Gamma: 90}} {
				c.Root = p / 2
				s, err := e.Schedule(p, c)
				if err != nil {
					t.Fatal(err)
				}
				if end := simulate(t, s, 1000, 3); (end > 0) != (p > 1) {
					t.Errorf("%s %s on %d ranks ends at %v", e.Collective, e.Name, p, end)
				}
				if t.Failed() {
					t.Fatalf("%s %s on %d ranks, %+v", e.Collective, e.Name, p, c)
				}
			}
		}
	}
}
