package simulate

import "github.com/halfpeak/halfpeak/engine/schedule"

// matching pairs receives with messages. A channel has a list of posted receives or of unexpected
// messages, never both, in order of arrival. The list is a circle through node.next, and tail has
// its last member plus 1. A rank with wildcards has lists of its own.
type matching struct {
	*Program
	nodes []node   // the program's, or a copy of them
	tail  []uint32 // by channel
	wild  map[uint32]*wildLists
}

// arrive finds the receive that takes the message of send i, or leaves the message.
func (m *matching) arrive(i uint32) (receive uint32, ok bool) {
	n := &m.nodes[i]
	if n.channel >= maxChannel {
		if n.channel == wildChannel {
			if receive, ok = m.wild[m.ops[i].Peer].arrive(m, i); ok {
				return receive, true
			}
		}
		n.waits = unexpected
		return 0, false
	}
	tail := m.tail[n.channel]
	if tail != 0 && m.nodes[tail-1].waits == posted {
		return m.takeFirst(n.channel, tail-1), true
	}
	n.waits = unexpected
	m.append(n, i, tail)
	return 0, false
}

// post finds the send whose message receive j takes, or leaves the receive.
func (m *matching) post(j uint32) (send uint32, ok bool) {
	n := &m.nodes[j]
	if m.wild != nil {
		if l, is := m.wild[n.rank]; is {
			if send, ok = l.post(m, j); !ok {
				n.waits = posted
			}
			return send, ok
		}
	}
	tail := m.tail[n.channel]
	if tail != 0 && m.nodes[tail-1].waits == unexpected {
		return m.takeFirst(n.channel, tail-1), true
	}
	n.waits = posted
	m.append(n, j, tail)
	return 0, false
}

// takeFirst removes and returns the first member of the list that ends with last.
func (m *matching) takeFirst(channel, last uint32) uint32 {
	head := m.nodes[last].next
	if head == last {
		m.tail[channel] = 0
	} else {
		m.nodes[last].next = m.nodes[head].next
	}
	return head
}

func (m *matching) append(n *node, op, tail uint32) {
	if tail == 0 {
		n.next = op
	} else {
		last := &m.nodes[tail-1]
		n.next = last.next
		last.next = op
	}
	m.tail[n.channel] = op + 1
}

// wildLists holds the channels of a rank with wildcards. A message is in the list of each channel
// that accepts it. When one channel has taken it, it stays in the other lists until a search finds
// and drops it there. A receive is in one list, with its sequence number among all receives of the
// rank.
type wildLists struct {
	*wildRank
	lists []wildList
	turns uint32
}

type wildList struct {
	posted  []turn
	arrived []uint32
}

type turn struct{ number, op uint32 }

// arrive does the same as matching.arrive: it finds the earliest receive that accepts the message.
func (l *wildLists) arrive(m *matching, i uint32) (uint32, bool) {
	var best *wildList
	l.eachList(m.nodes[i].rank, m.ops[i].Tag, func(w *wildList) {
		if len(w.posted) > 0 && (best == nil || w.posted[0].number < best.posted[0].number) {
			best = w
		}
	})
	if best != nil {
		op := best.posted[0].op
		best.posted = best.posted[1:]
		return op, true
	}
	l.eachList(m.nodes[i].rank, m.ops[i].Tag, func(w *wildList) { w.arrived = append(w.arrived, i) })
	return 0, false
}

// eachList calls f with the list of each channel that accepts a message from that rank with that
// tag.
func (l *wildLists) eachList(from, tag uint32, f func(*wildList)) {
	if tag == schedule.Any {
		for n, c := range l.list {
			if c.accepts(from, tag) {
				f(&l.lists[n])
			}
		}
		return
	}
	for _, c := range [4]channel{{from, tag}, {schedule.Any, tag}, {from, schedule.Any}, {schedule.Any, schedule.Any}} {
		if n, ok := l.at[c]; ok {
			f(&l.lists[n])
		}
	}
}

// post does the same as matching.post: it finds the earliest message that the receive accepts.
func (l *wildLists) post(m *matching, j uint32) (uint32, bool) {
	w := &l.lists[m.nodes[j].channel]
	for len(w.arrived) > 0 {
		i := w.arrived[0]
		w.arrived = w.arrived[1:]
		if m.nodes[i].waits == unexpected {
			return i, true
		}
	}
	w.posted = append(w.posted, turn{l.turns, j})
	l.turns++
	return 0, false
}
