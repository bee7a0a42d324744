package collective

import (
	"fmt"
	"slices"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A value is what a slot holds: contributions to something.
type value struct {
	of   int    // which block
	from uint64 // whose contributions, by place
	err  string // one came twice, or two blocks were mixed
}

// A version is a slot's contents between two operations that change them.
type version struct {
	bytes   uint64
	needs   []uint32 // the operations that have to be done for it
	known   bool
	running bool
	value   value
	// If it is not known: a part of a message, or that combined with an older version.
	from, to, tag, message, part int
	received                     bool
	a, b                         *version
}

// memoryOf follows the data of a run, member by member, as the algorithm says it moves.
type memoryOf struct {
	p       int
	initial func(place, slot, slots int) value
	once    bool // contributions must not come twice
	at      []func(int) uint64
	slots   [][]*version
	place   int
	sends   map[[3]int][][]*version
	sendOps map[[3]int][]uint32
	recvOps map[[3]int][]uint32
	checks  []check
	errs    []string
}

// A check says that op must wait for all that come before.
type check struct {
	op     uint32
	before []uint32
}

func (m *memoryOf) begin(place, slots int, at func(int) uint64) {
	m.place = place
	m.at[place] = at
	if m.slots[place] != nil {
		m.errs = append(m.errs, fmt.Sprintf("place %d is cut twice", place))
	}
	m.slots[place] = make([]*version, slots)
	all := make([]version, slots)
	for i := range slots {
		m.slots[place][i] = &all[i]
		all[i] = version{known: true, bytes: at(i+1) - at(i), value: m.initial(place, i, slots)}
	}
}

func (m *memoryOf) each(spans []span, f func(i, slot int)) {
	i := 0
	for _, s := range spans {
		for ; s.first < s.end; s.first++ {
			f(i, s.first)
			i++
		}
	}
}

func (m *memoryOf) sent(op, tag uint32, to int, from []span) {
	pair := [3]int{m.place, to, int(tag)}
	var out []*version
	var before []uint32
	m.each(from, func(_, s int) {
		v := m.slots[m.place][s]
		out = append(out, v)
		before = union(before, v.needs)
	})
	m.checks = append(m.checks, check{op, before})
	m.sends[pair] = append(m.sends[pair], out)
	m.sendOps[pair] = append(m.sendOps[pair], op)
}

func (m *memoryOf) received(op, tag uint32, from int, to []span, fold bool, calc uint32) {
	pair := [3]int{from, m.place, int(tag)}
	m.recvOps[pair] = append(m.recvOps[pair], op)
	message := len(m.recvOps[pair]) - 1
	before := []uint32{op}
	m.each(to, func(i, s int) {
		old := m.slots[m.place][s]
		v := &version{bytes: old.bytes, from: from, to: m.place, tag: int(tag), message: message, part: i, received: true, needs: []uint32{op}}
		if fold {
			before = union(before, old.needs)
			v = &version{bytes: old.bytes, a: old, b: v, needs: union(slices.Clone(old.needs), []uint32{op})}
			if calc != none {
				v.needs = []uint32{calc}
			}
		}
		m.slots[m.place][s] = v
	})
	if calc != none {
		m.checks = append(m.checks, check{calc, before})
	}
}

func (m *memoryOf) moved(to, from span, fold bool, calc uint32) {
	now := slices.Clone(m.slots[m.place])
	for i := range to.end - to.first {
		v := now[from.first+i]
		if fold {
			old := now[to.first+i]
			v = &version{bytes: old.bytes, a: old, b: v, needs: union(slices.Clone(old.needs), v.needs)}
			if calc != none {
				m.checks = append(m.checks, check{calc, v.needs})
				v.needs = []uint32{calc}
			}
		}
		m.slots[m.place][to.first+i] = v
	}
}

func union(a, b []uint32) []uint32 {
	for _, op := range b {
		if !slices.Contains(a, op) {
			a = append(a, op)
		}
	}
	return a
}

func (m *memoryOf) eval(v *version) value {
	switch {
	case v.known:
		return v.value
	case v.running:
		return value{err: "needs itself"}
	}
	v.running = true
	if v.received {
		sends := m.sends[[3]int{v.from, v.to, v.tag}]
		if v.message >= len(sends) || v.part >= len(sends[v.message]) {
			v.value = value{err: fmt.Sprintf("nothing comes in message %d from %d to %d", v.message, v.from, v.to)}
		} else {
			sent := sends[v.message][v.part]
			v.value = m.eval(sent)
			if sent.bytes != v.bytes {
				v.value.err = fmt.Sprintf("%d bytes come into a slot of %d", sent.bytes, v.bytes)
			}
		}
	} else {
		a, b := m.eval(v.a), m.eval(v.b)
		v.value = value{of: a.of, from: a.from | b.from, err: a.err + b.err}
		switch {
		case a.from == 0 || b.from == 0:
			v.value.err += "nothing is combined; "
		case a.of != b.of:
			v.value.err += fmt.Sprintf("block %d is combined with %d; ", a.of, b.of)
		case m.once && a.from&b.from != 0:
			v.value.err += fmt.Sprintf("contributions %b come twice; ", a.from&b.from)
		}
	}
	v.known, v.running = true, false
	return v.value
}

// finish checks that the schedule does what the algorithm says: messages match, nothing
// waits in a circle, and all that an operation needs is done before it begins.
func (m *memoryOf) finish(s *schedule.Schedule) {
	ops := s.Ops()
	after := make(map[uint32]uint32, len(ops)/2)
	waits := s.Waits()
	for pair, sends := range m.sendOps {
		recvs := m.recvOps[pair]
		if len(sends) != len(recvs) {
			m.errs = append(m.errs, fmt.Sprintf("%d messages from %d to %d, but %d receives", len(sends), pair[0], pair[1], len(recvs)))
			continue
		}
		for i := range sends {
			if ops[sends[i]].Size != ops[recvs[i]].Size {
				m.errs = append(m.errs, fmt.Sprintf("message %d from %d to %d has %d bytes, its receive %d",
					i, pair[0], pair[1], ops[sends[i]].Size, ops[recvs[i]].Size))
			}
			after[sends[i]] = recvs[i]
			waits[recvs[i]]++
		}
	}
	for pair := range m.recvOps {
		if m.sendOps[pair] == nil {
			m.errs = append(m.errs, fmt.Sprintf("no message from %d to %d", pair[0], pair[1]))
		}
	}
	// What each operation waits for within its rank, as bits from the rank's first on.
	before := make([][]uint64, len(ops))
	for r := range s.Ranks() {
		lo, hi := s.Rank(r)
		words := (int(hi-lo) + 63) / 64
		bits := make([]uint64, words*int(hi-lo))
		for op := lo; op < hi; op++ {
			before[op], bits = bits[:words:words], bits[words:]
		}
	}
	var free []uint32
	for op, n := range waits {
		if n == 0 {
			free = append(free, uint32(op))
		}
	}
	done := 0
	for len(free) > 0 {
		op := free[len(free)-1]
		free = free[:len(free)-1]
		done++
		lo, _ := s.Rank(s.RankOf(op))
		for _, next := range s.AfterStarted(op) {
			if waits[next]--; waits[next] == 0 {
				free = append(free, next)
			}
		}
		for _, next := range s.AfterDone(op) {
			for i, w := range before[op] {
				before[next][i] |= w
			}
			before[next][(op-lo)/64] |= 1 << ((op - lo) % 64)
			if waits[next]--; waits[next] == 0 {
				free = append(free, next)
			}
		}
		if recv, ok := after[op]; ok {
			if waits[recv]--; waits[recv] == 0 {
				free = append(free, recv)
			}
		}
	}
	if done != len(ops) {
		m.errs = append(m.errs, fmt.Sprintf("%d of %d operations can begin", done, len(ops)))
	}
	if m.p <= 12 {
		m.overtaking(s, before)
	}
	for _, c := range m.checks {
		lo, _ := s.Rank(s.RankOf(c.op))
		for _, b := range c.before {
			if before[c.op][(b-lo)/64]>>((b-lo)%64)&1 == 0 {
				m.errs = append(m.errs, fmt.Sprintf("operation %d (%s) does not wait for %d (%s)", c.op, ops[c.op], b, ops[b]))
			}
		}
	}
}

// overtaking checks that messages of a pair come into the receives that they are meant for, in
// a network and a processor that are first in, first out: a send cannot begin before an earlier
// one to the same member, nor a receive before an earlier one from there.
func (m *memoryOf) overtaking(s *schedule.Schedule, before [][]uint64) {
	ops := s.Ops()
	preds, started := make([][]uint32, len(ops)), make([][]uint32, len(ops))
	for op := range ops {
		for _, next := range s.AfterDone(uint32(op)) {
			preds[next] = append(preds[next], uint32(op))
		}
		for _, next := range s.AfterStarted(uint32(op)) {
			started[next] = append(started[next], uint32(op))
		}
	}
	known := map[[2]uint32]bool{}
	var done func(a, b uint32) bool
	// begun says that a can begin when b can, at the latest.
	begun := func(a, b uint32) bool {
		return slices.Contains(started[b], a) || !slices.ContainsFunc(preds[a], func(x uint32) bool {
			return !slices.ContainsFunc(preds[b], func(y uint32) bool { return done(x, y) })
		})
	}
	// done says that a is done when b is, at the latest.
	done = func(a, b uint32) bool {
		lo, _ := s.Rank(s.RankOf(a))
		if a == b || before[b][(a-lo)/64]>>((a-lo)%64)&1 != 0 {
			return true
		}
		key := [2]uint32{a, b}
		if is, ok := known[key]; ok {
			return is
		}
		is := slices.ContainsFunc(preds[b], func(y uint32) bool { return done(a, y) })
		if !is && a < b && ops[a].Kind == ops[b].Kind && ops[a].Peer == ops[b].Peer {
			// Receives are checked below; the processor takes calcs in their order.
			is = ops[a].Kind == schedule.Calc && begun(a, b)
		}
		known[key] = is
		return is
	}
	for _, all := range []map[[3]int][]uint32{m.sendOps, m.recvOps} {
		for pair, same := range all {
			for i := 1; i < len(same); i++ {
				if a, b := same[i-1], same[i]; !begun(a, b) {
					m.errs = append(m.errs, fmt.Sprintf("from %d to %d operation %d (%s) can begin before %d (%s)", pair[0], pair[1], b, ops[b], a, ops[a]))
				}
			}
		}
	}
}
