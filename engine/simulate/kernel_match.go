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
	if n.channel < maxChannel {
		return m.match(i, posted, unexpected)
	}
	if n.channel == wildChannel {
		if receive, ok = m.wild[m.ops[i].Peer].arrive(m, i); ok {
			return receive, true
		}
	}
	n.waits = unexpected
	return 0, false
}

// post finds the send whose message receive j takes, or leaves the receive.
func (m *matching) post(j uint32) (send uint32, ok bool) {
	if m.wild != nil {
		n := &m.nodes[j]
		if l, is := m.wild[n.rank]; is {
			if send, ok = l.post(m, j); !ok {
				n.waits = posted
			}
			return send, ok
		}
	}
	return m.match(j, unexpected, posted)
}

// match takes the first member of the operation's list if the list's members have the state wanted.
// Otherwise it appends the operation, whose state becomes left.
func (m *matching) match(op, wanted, left uint32) (found uint32, ok bool) {
	n := &m.nodes[op]
	tail := &m.tail[n.channel]
	if *tail == 0 {
		n.waits, n.next, *tail = left, op, op+1
		return 0, false
	}
	last := &m.nodes[*tail-1]
	if last.waits != wanted {
		n.waits, n.next, last.next, *tail = left, last.next, op, op+1
		return 0, false
	}
	if found = last.next; found == *tail-1 {
		*tail = 0
	} else {
		last.next = m.nodes[found].next
	}
	return found, true
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
	message := sendChannel(m.nodes[i].rank, &m.ops[i])
	l.eachList(message, func(w *wildList) {
		if len(w.posted) > 0 && (best == nil || w.posted[0].number < best.posted[0].number) {
			best = w
		}
	})
	if best != nil {
		op := best.posted[0].op
		best.posted = best.posted[1:]
		return op, true
	}
	l.eachList(message, func(w *wildList) {
		w.arrived = append(w.arrived, i)
	})
	return 0, false
}

// eachList calls f with the list of each channel that accepts the message.
func (l *wildLists) eachList(message channel, f func(*wildList)) {
	from, tag, context := message.from, message.tag, message.context
	if tag == schedule.Any {
		for n, c := range l.list {
			if c.accepts(message) {
				f(&l.lists[n])
			}
		}
		return
	}
	for _, c := range [4]channel{
		message,
		{schedule.Any, tag, context},
		{from, schedule.Any, context},
		{schedule.Any, schedule.Any, context},
	} {
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
