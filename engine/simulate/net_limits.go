package simulate

import "slices"

// limits hold messages back at their sender's processor: those of LogP and the credits of windows.
type limits struct {
	// by receiver, when the last messages left that may still be in transit to it, ascending
	transit map[uint32][]uint64
	windows map[[2]uint32]*window // by sender and receiver
}

// wait returns for how long a message, which could leave at a time and begin at another, waits.
func (l *limits) wait(c *cost, from, to uint32, begin, end uint64) (stall uint64) {
	if c.capacity > 0 {
		stall = l.stall(c.capacity, uint64(max(c.latency, 0)), to, end)
	}
	if c.credits != nil {
		stall = max(stall, l.awaitCredits(c.credits, from, to, begin))
	}
	return stall
}

// stall returns for how long a processor waits that could send a message to a rank from time end
// on (LogP, 1993, section 3). Of the messages to one rank, only the capacity can be in transit at
// once, in the order in which their sends began. A sender's own messages are a gap apart and need
// no limit: within L there are at most ⌈L/g⌉.
func (l *limits) stall(capacity int, latency uint64, to uint32, end uint64) uint64 {
	left := l.transit[to]
	begin := end
	if n := len(left); n >= capacity {
		begin = max(end, left[n-capacity]+latency)
		left = left[n-capacity+1:] // messages before are there when the next one may leave
	}
	if l.transit == nil {
		l.transit = map[uint32][]uint64{}
	}
	at, _ := slices.BinarySearch(left, begin) // noise may delay the sends that began before
	l.transit[to] = slices.Insert(left, at, begin)
	return begin - end
}

// awaitCredits returns for how long the credits that are not back delay a message that could begin
// at a time: how much later its last piece starts than if no message were before it.
func (l *limits) awaitCredits(c *credits, from, to uint32, begin uint64) uint64 {
	if l.windows == nil {
		l.windows = map[[2]uint32]*window{}
	}
	pair := [2]uint32{from, to}
	w := l.windows[pair]
	if w == nil {
		w = &window{}
		l.windows[pair] = w
	}
	missing := c.window - min(c.window, uint64(len(w.back))) // credits that were never used
	used := w.back[uint64(len(w.back))-(c.window-missing):]
	var first []uint64 // starts of the pieces of a first window
	start := max(begin, w.next)
	for i := range min(c.pieces, c.window) {
		if i > 0 {
			start += c.gap
		}
		if i >= missing {
			start = max(start, used[i-missing])
		}
		first = append(first, start)
	}
	for j := c.pieces - min(c.pieces, c.window); j < c.pieces; j++ {
		start = c.startOf(j, first)
		back := start + c.round
		if j == c.pieces-1 {
			back = start + c.last
		}
		w.back = append(w.back, back)
	}
	w.back = w.back[uint64(len(w.back))-min(uint64(len(w.back)), c.window):]
	w.next = start + c.gap
	return start - min(start, begin+c.start)
}

// A window is what the messages from one rank to another leave of the window of their layer.
type window struct {
	next uint64   // when the next piece may start, a gap after the last
	back []uint64 // when the credits of the latest pieces are back, in their order
}
