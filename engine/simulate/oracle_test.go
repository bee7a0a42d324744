package simulate_test

import (
	"cmp"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// The slow, plain way to run a schedule: everything is in one unsorted list, receives and messages
// are searched for in the order in which they came, and rules are written down as they read. It
// shares no code with the package.

// A thing is an entry of an oracle's list.
type thing struct {
	time, num uint64
	op        int
	kind      int
}

const (
	aSend = iota
	aRecv
	aCalc
	aMessage
	aGrant    // default rules from here: the receiver answers a request
	aGranted  // the grant comes to the sender's NIC
	aData     // the sender sends the data
	aDataIn   // the data comes to the receiver's NIC
	aReceived // the processor receives what is in
)

type oracle struct {
	s       *schedule.Schedule
	ops     []schedule.Op
	rank    []int
	waits   []int
	cpu     map[[2]int]uint64 // rank, label
	snd     map[[2]int]uint64
	rcv     map[[2]int]uint64
	list    []thing
	num     uint64
	posted  [][]int // receives, by rank
	arrived [][]int // sends, by rank
	freed   map[int][]int
	ready   []uint64
	came    []uint64
	partner []int
	out     []uint64
	ended   []bool
	hear    uint64 // overhead of a request or a grant
}

func newOracle(s *schedule.Schedule) *oracle {
	n := len(s.Ops())
	o := &oracle{s: s, ops: s.Ops(), rank: make([]int, n), waits: make([]int, n), cpu: map[[2]int]uint64{}, snd: map[[2]int]uint64{}, rcv: map[[2]int]uint64{},
		posted: make([][]int, s.Ranks()), arrived: make([][]int, s.Ranks()), freed: map[int][]int{}, ready: make([]uint64, n), came: make([]uint64, n),
		partner: make([]int, n), out: make([]uint64, s.Ranks()), ended: make([]bool, n)}
	for r := range s.Ranks() {
		lo, hi := s.Rank(r)
		for i := lo; i < hi; i++ {
			o.rank[i] = r
			for _, j := range s.AfterDone(i) {
				o.waits[j]++
			}
			for _, j := range s.AfterStarted(i) {
				o.waits[j]++
			}
		}
	}
	return o
}

func (o *oracle) insert(t uint64, kind, op int) {
	o.list = append(o.list, thing{t, o.num, op, kind})
	o.num++
}

func (o *oracle) least() thing {
	m := 0
	for k, e := range o.list {
		if e.time < o.list[m].time || e.time == o.list[m].time && e.num < o.list[m].num {
			m = k
		}
	}
	e := o.list[m]
	o.list = slices.Delete(o.list, m, m+1)
	return e
}

func (o *oracle) mark(successors []uint32, at uint64) {
	for _, j := range successors {
		o.ready[j] = max(o.ready[j], at)
		if o.waits[j]--; o.waits[j] == 0 {
			r := o.rank[j]
			o.freed[r] = append(o.freed[r], int(j))
		}
	}
}

func (o *oracle) matches(send, recv int) bool {
	const any = 0xffffffff
	s, r := o.ops[send], o.ops[recv]
	return s.Context == r.Context && (r.Peer == any || int(r.Peer) == o.rank[send]) && (r.Tag == any || s.Tag == any || r.Tag == s.Tag)
}

// meet searches the posted receives for a message, or the arrived messages for a receive.
func (o *oracle) meetMessage(send int) (int, bool) {
	h := int(o.ops[send].Peer)
	for k, j := range o.posted[h] {
		if o.matches(send, j) {
			o.posted[h] = slices.Delete(o.posted[h], k, k+1)
			return j, true
		}
	}
	o.arrived[h] = append(o.arrived[h], send)
	return 0, false
}

func (o *oracle) meetReceive(recv int) (int, bool) {
	h := o.rank[recv]
	for k, i := range o.arrived[h] {
		if o.matches(i, recv) {
			o.arrived[h] = slices.Delete(o.arrived[h], k, k+1)
			return i, true
		}
	}
	o.posted[h] = append(o.posted[h], recv)
	return 0, false
}

func (o *oracle) leftOver() bool {
	for r := range o.posted {
		if len(o.posted[r])+len(o.arrived[r]) > 0 {
			return true
		}
	}
	return false
}

func kindOf(op schedule.Op) int { return int(op.Kind) - 1 }

// peer are LogGOPSim's rules. It returns the finish times and the number of events.
func (o *oracle) peer(L, ov, g, G, O, S uint64) ([]uint64, uint64) {
	release := func() {
		var ranks []int
		for r := range o.freed {
			ranks = append(ranks, r)
		}
		slices.Sort(ranks)
		for _, r := range ranks {
			l := o.freed[r]
			slices.SortStableFunc(l, func(a, b int) int { return kindOf(o.ops[a]) - kindOf(o.ops[b]) })
			for _, i := range l {
				op := o.ops[i]
				t := o.cpu[[2]int{r, int(op.CPU)}]
				if op.Kind == schedule.Send {
					t = max(t, o.snd[[2]int{r, int(op.NIC)}])
				}
				o.insert(t, kindOf(op), i)
			}
			delete(o.freed, r)
		}
	}
	for r := range o.s.Ranks() {
		lo, hi := o.s.Rank(r)
		for i := lo; i < hi; i++ {
			if o.waits[i] == 0 {
				o.freed[r] = append(o.freed[r], int(i))
			}
		}
		release() // all clocks are 0
	}
	lift := func(rank int, op schedule.Op, t uint64) {
		c, k := [2]int{rank, int(op.CPU)}, [2]int{rank, int(op.NIC)}
		o.cpu[c], o.snd[k] = max(o.cpu[c], t), max(o.snd[k], t)
	}
	for len(o.list) > 0 {
		e := o.least()
		i, t, op := e.op, e.time, o.ops[e.op]
		h := o.rank[i]
		again := func(until uint64) { o.list = append(o.list, thing{until, e.num, i, e.kind}) }
		switch e.kind {
		case aCalc:
			c := [2]int{h, int(op.CPU)}
			if o.cpu[c] > t {
				again(o.cpu[c])
				continue
			}
			o.cpu[c] = t + op.Size
			o.mark(o.s.AfterStarted(uint32(i)), 0)
			o.mark(o.s.AfterDone(uint32(i)), 0)
		case aSend:
			c, k := [2]int{h, int(op.CPU)}, [2]int{h, int(op.NIC)}
			if m := max(o.cpu[c], o.snd[k]); m > t {
				again(m)
				continue
			}
			o.cpu[c] = t + ov + (op.Size-1)*O
			o.snd[k] = t + g + (op.Size-1)*G
			o.insert(t+ov+L, aMessage, i)
			o.mark(o.s.AfterStarted(uint32(i)), 0)
			if op.Size <= S {
				o.mark(o.s.AfterDone(uint32(i)), 0)
			}
		case aRecv:
			o.mark(o.s.AfterStarted(uint32(i)), 0)
			if s, ok := o.meetReceive(i); ok {
				if op.Size > S {
					lift(o.rank[s], op, t)
					o.mark(o.s.AfterDone(uint32(s)), 0)
				}
				o.mark(o.s.AfterDone(uint32(i)), 0)
			}
		case aMessage:
			h := int(op.Peer)
			c, k := [2]int{h, int(op.CPU)}, [2]int{h, int(op.NIC)}
			if m := max(o.cpu[c], o.rcv[k]); m > t {
				again(m)
				continue
			}
			o.cpu[c] = t + ov + max((op.Size-1)*O, (op.Size-1)*G)
			o.rcv[k] = t + g + (op.Size-1)*G
			if j, ok := o.meetMessage(i); ok {
				if op.Size > S {
					lift(o.rank[i], op, t)
					o.mark(o.s.AfterDone(uint32(i)), 0)
				}
				o.mark(o.s.AfterDone(uint32(j)), 0)
			}
		}
		release()
	}
	return o.ends(), o.num
}

// first takes the thing that happens next by the default rules, and returns when: when it is ready
// and what it needs is free. Of those at one moment, that is first which became ready first.
func (o *oracle) first() (first thing, at uint64) {
	start := func(e thing) uint64 {
		c, k := [2]int{o.rank[e.op], int(o.ops[e.op].CPU)}, [2]int{o.rank[e.op], int(o.ops[e.op].NIC)}
		switch e.kind {
		case aSend:
			return max(e.time, o.cpu[c], o.snd[k])
		case aGrant, aData: // the NIC is needed behind the overhead of the request or the grant
			return max(e.time, o.cpu[c], o.snd[k]-min(o.hear, o.snd[k]))
		case aCalc, aReceived:
			return max(e.time, o.cpu[c])
		}
		return e.time
	}
	earlier := func(a, b thing) int {
		return cmp.Or(cmp.Compare(start(a), start(b)), cmp.Compare(a.time, b.time), cmp.Compare(a.num, b.num))
	}
	m := 0
	for k, e := range o.list {
		if earlier(e, o.list[m]) < 0 {
			m = k
		}
	}
	e := o.list[m]
	o.list = slices.Delete(o.list, m, m+1)
	return e, start(e)
}

func (o *oracle) ends() []uint64 {
	ends := slices.Clone(o.out)
	for at, t := range o.cpu {
		ends[at[0]] = max(ends[at[0]], t)
	}
	return ends
}

// plain are the default rules under LogGOPS, in ps. Noise is so much for each part of an
// operation, if it is not nil.
func (o *oracle) plain(L, ov, g, G, O, S uint64) ([]uint64, uint64) {
	o.hear = ov
	bytes := func(n uint64) uint64 { return max(n, 1) - 1 }
	processor := func(n uint64) uint64 { return ov + bytes(n)*O }
	stream := func(n uint64) uint64 { return bytes(n) * G }
	gap := func(n uint64) uint64 { return g + bytes(n)*G }
	release := func() {
		for r, l := range o.freed { // there is one rank at most
			slices.SortStableFunc(l, func(a, b int) int { return kindOf(o.ops[a]) - kindOf(o.ops[b]) })
			for _, i := range l {
				o.insert(o.ready[i], kindOf(o.ops[i]), i)
			}
			delete(o.freed, r)
		}
	}
	// in lets a NIC take in a message that came then: it is there at the time that is returned,
	// or at now.
	in := func(rank int, label uint16, came, now, n uint64) uint64 {
		k := [2]int{rank, int(label)}
		begin := max(came, o.rcv[k])
		o.rcv[k] = begin + gap(n)
		return max(now, begin+stream(n))
	}
	matched := func(i, j int, came, now uint64) {
		o.partner[i], o.partner[j] = j, i
		r, label := o.rank[j], o.ops[j].NIC
		if n := o.ops[i].Size; n > S {
			o.insert(in(r, label, came, now, 1), aGrant, j)
		} else {
			o.ended[i] = true
			o.insert(in(r, label, came, now, n), aReceived, j)
		}
	}
	for r := range o.s.Ranks() {
		lo, hi := o.s.Rank(r)
		var roots []int
		for i := lo; i < hi; i++ {
			if o.waits[i] == 0 {
				roots = append(roots, int(i))
			}
		}
		slices.SortStableFunc(roots, func(a, b int) int { return kindOf(o.ops[a]) - kindOf(o.ops[b]) })
		for _, i := range roots {
			if o.ops[i].Kind == schedule.Recv { // before anything happens
				o.posted[r] = append(o.posted[r], i)
				o.mark(o.s.AfterStarted(uint32(i)), 0)
				o.num++
			} else {
				o.insert(0, kindOf(o.ops[i]), i)
			}
		}
		release()
	}
	for len(o.list) > 0 {
		e, t := o.first()
		i, op := e.op, o.ops[e.op]
		h := o.rank[i]
		c, k := [2]int{h, int(op.CPU)}, [2]int{h, int(op.NIC)}
		// leaves is a message of n bytes that the processor begins to send then.
		leaves := func(begin, n uint64) (end uint64) {
			end = begin + processor(n)
			o.cpu[c], o.snd[k] = end, begin+gap(n)
			o.out[h] = max(o.out[h], end+stream(n))
			return end
		}
		switch e.kind {
		case aCalc:
			o.cpu[c] = t + op.Size*1000
			o.ended[i] = true
			o.mark(o.s.AfterStarted(uint32(i)), t)
			o.mark(o.s.AfterDone(uint32(i)), o.cpu[c])
		case aSend:
			n := op.Size
			if n > S {
				n = 1
			}
			end := leaves(t, n)
			o.insert(end+L, aMessage, i)
			o.mark(o.s.AfterStarted(uint32(i)), t)
			if op.Size <= S {
				o.mark(o.s.AfterDone(uint32(i)), end)
			}
		case aMessage:
			if j, ok := o.meetMessage(i); ok {
				matched(i, j, t, t)
			} else {
				o.came[i] = t
			}
		case aRecv:
			o.mark(o.s.AfterStarted(uint32(i)), t)
			if s, ok := o.meetReceive(i); ok {
				matched(s, i, o.came[s], t)
			}
		case aGrant:
			o.insert(leaves(t+processor(1), 1)+L, aGranted, o.partner[i])
		case aGranted:
			o.insert(in(h, op.NIC, t, t, 1), aData, i)
		case aData:
			end := leaves(t+processor(1), op.Size)
			o.insert(end+L, aDataIn, i)
			o.ended[i] = true
			o.mark(o.s.AfterDone(uint32(i)), end+stream(op.Size))
		case aDataIn:
			j := o.partner[i]
			o.insert(in(o.rank[j], o.ops[j].NIC, t, t, op.Size), aReceived, j)
		case aReceived:
			o.cpu[c] = t + processor(o.ops[o.partner[i]].Size)
			o.ended[i] = true
			o.mark(o.s.AfterDone(uint32(i)), o.cpu[c])
		}
		release()
	}
	return o.ends(), o.num
}

func (o *oracle) allEnded() bool { return !slices.Contains(o.ended, false) }
