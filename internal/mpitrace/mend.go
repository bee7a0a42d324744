package mpitrace

import "github.com/halfpeak/halfpeak/engine/schedule"

// mend makes a schedule run to its end: the operations that wait forever, since a message does not
// come, and messages without a receive become computations of no time. It runs the schedule without
// times, with all messages eager. Receives that the program has cancelled take no message.
func mend(s *schedule.Schedule, cancelled []uint32) {
	// Nobody else has the schedule yet, so its operations may change.
	ops := s.Ops()
	m := mender{ops: ops, s: s, waits: s.Waits(), done: make([]bool, len(ops)),
		matched: make([]bool, len(ops)), rank: make([]uint32, len(ops)),
		sent: map[channel][]uint32{}, posted: map[inbox][]uint32{},
		arrived: map[inbox][]uint32{}, cancelled: map[uint32]bool{}}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		for op := lo; op < hi; op++ {
			m.rank[op] = uint32(rank)
			if m.waits[op] == 0 {
				m.ready = append(m.ready, op)
			}
		}
	}
	for _, op := range cancelled {
		m.cancelled[op] = true
	}
	for len(m.ready) > 0 {
		op := m.ready[len(m.ready)-1]
		m.ready = m.ready[:len(m.ready)-1]
		m.start(op)
	}
	for i := range ops {
		if o := &ops[i]; o.Kind != schedule.Calc && !m.matched[i] || !m.done[i] {
			*o = schedule.Op{Kind: schedule.Calc, CPU: o.CPU}
		}
	}
}

// A channel has the messages that one receive without wildcards can take, in their order.
type channel struct {
	to, from, tag uint32
	context       uint16
}

// An inbox has all messages to a rank in one context.
type inbox struct {
	to      uint32
	context uint16
}

type mender struct {
	ops           []schedule.Op
	s             *schedule.Schedule
	waits, ready  []uint32
	rank          []uint32
	done, matched []bool
	cancelled     map[uint32]bool
	sent          map[channel][]uint32
	// Messages and receives that have no partner yet; those with one are dropped when they are met.
	arrived, posted map[inbox][]uint32
}

func (m *mender) start(op uint32) {
	for _, next := range m.s.AfterStarted(op) {
		m.release(next)
	}
	switch o := m.ops[op]; o.Kind {
	case schedule.Calc:
		m.end(op)
	case schedule.Send:
		m.end(op)
		at := inbox{o.Peer, o.Context}
		if recv, found := m.first(m.posted, at, func(r schedule.Op) bool {
			return accepts(r, m.rank[op], o.Tag)
		}); found {
			m.match(op, recv)
			return
		}
		c := channel{o.Peer, m.rank[op], o.Tag, o.Context}
		m.sent[c] = append(m.sent[c], op)
		m.arrived[at] = append(m.arrived[at], op)
	case schedule.Recv:
		if m.cancelled[op] {
			m.end(op)
			return
		}
		at := inbox{m.rank[op], o.Context}
		if send, found := m.take(op, at); found {
			m.match(send, op)
			return
		}
		m.posted[at] = append(m.posted[at], op)
	}
}

// take returns the first message that a receive takes.
func (m *mender) take(op uint32, at inbox) (send uint32, found bool) {
	o := m.ops[op]
	if o.Peer == schedule.Any || o.Tag == schedule.Any {
		all := m.arrived[at]
		for len(all) > 0 && m.matched[all[0]] {
			all = all[1:]
		}
		m.arrived[at] = all
		for _, send := range all {
			if !m.matched[send] && accepts(o, m.rank[send], m.ops[send].Tag) {
				return send, true
			}
		}
		return 0, false
	}
	c := channel{at.to, o.Peer, o.Tag, o.Context}
	all := m.sent[c]
	for len(all) > 0 && m.matched[all[0]] { // by a receive with a wildcard
		all = all[1:]
	}
	if len(all) == 0 {
		m.sent[c] = nil
		return 0, false
	}
	m.sent[c] = all[1:]
	return all[0], true
}

// first returns the first receive of a list that accepts a message, and drops those that have one.
func (m *mender) first(lists map[inbox][]uint32, at inbox, is func(schedule.Op) bool) (uint32,
	bool) {
	open := lists[at][:0]
	found, at0 := false, uint32(0)
	for _, op := range lists[at] {
		if m.matched[op] {
			continue
		}
		if !found && is(m.ops[op]) {
			found, at0 = true, op
			continue
		}
		open = append(open, op)
	}
	lists[at] = open
	return at0, found
}

func accepts(r schedule.Op, from, tag uint32) bool {
	return (r.Peer == schedule.Any || r.Peer == from) &&
		(r.Tag == schedule.Any || tag == schedule.Any || r.Tag == tag)
}

func (m *mender) match(send, recv uint32) {
	m.matched[send], m.matched[recv] = true, true
	m.end(recv)
}

func (m *mender) end(op uint32) {
	m.done[op] = true
	for _, next := range m.s.AfterDone(op) {
		m.release(next)
	}
}

func (m *mender) release(op uint32) {
	if m.waits[op]--; m.waits[op] == 0 {
		m.ready = append(m.ready, op)
	}
}
