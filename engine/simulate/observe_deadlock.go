package simulate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// Deadlock reports a schedule that deadlocks or leaves messages unreceived.
type Deadlock struct {
	Unfinished int       // operations that never end
	Operations int       // number of operations in the schedule
	Ranks      int       // number of ranks with unfinished operations
	Waits      []stuckOp // operations that wait for another rank, by rank; without their successors
	// Cycle holds operations that each wait for the next one, and the last one for the first.
	// It is nil if there is none.
	Cycle    []stuckOp
	Messages []unreceived // messages that arrived and were not received
}

// A stuckOp is an operation that never ends.
type stuckOp struct {
	Rank int
	Op   uint32
	Text string // the label and the operation: "l3 (recv 8b from 0 tag 2)"
	For  string // description of the event that it waits for
}

// An unreceived is a set of unreceived messages with one tag and size.
type unreceived struct {
	Tag      uint32
	Size     uint64
	Count    int
	From, To int // ranks of the first message
}

const (
	shownWaits = 3    // waits that an error message lists
	keptWaits  = 1000 // waits that a Deadlock holds
	// cycleSteps bounds the search for a cycle. A rank with many open receives can wait for as many
	// sends, so an unbounded search could take the square of the operations. Without a cycle the
	// error still lists waits.
	cycleSteps = 4 << 20
)

// Error returns a line that says what is wrong and where, and an indented list of the rest, of
// bounded length.
func (s *Deadlock) Error() string {
	waits := firstOf(s.Waits, shownWaits, "and %d more wait", func(w stuckOp) string {
		return fmt.Sprintf("rank %d: %s waits for %s", w.Rank, w.Text, w.For)
	})
	cycle := firstOf(s.Cycle, 2*shownWaits, "  (%d more)", func(w stuckOp) string {
		return fmt.Sprintf("  rank %d: %s", w.Rank, w.Text)
	})
	const moreKinds = "and %d more kinds of messages"
	messages := firstOf(s.Messages, shownWaits, moreKinds, unreceived.text)
	head := "the schedule leaves messages unreceived"
	if s.Unfinished > 0 {
		head = fmt.Sprintf("the schedule cannot end: %d of %d operations, of %s, never finish",
			s.Unfinished, s.Operations, count(s.Ranks, "rank"))
	}
	// A cycle says more than one of its waits, which comes first if there is no cycle.
	var rest []string
	switch {
	case len(s.Cycle) > 0:
		w := s.Cycle[0]
		head += fmt.Sprintf("; rank %d: %s waits for itself, through %s", w.Rank, w.Text,
			count(len(s.Cycle)-1, "other operation"))
		rest = slices.Concat([]string{"each of these waits for the next, and the last for the " +
			"first:"}, cycle, waits, messages)
	default:
		all := slices.Concat(waits, messages)
		head, rest = head+": "+all[0], all[1:]
	}
	return strings.Join(append([]string{head}, rest...), "\n  ")
}

func (g unreceived) text() string {
	return fmt.Sprintf("%s of %d B %s, not received (the first from rank %d to rank %d)",
		count(g.Count, "message"), g.Size, tagText(g.Tag), g.From, g.To)
}

// firstOf describes the first items, and says how many more there are.
func firstOf[T any](items []T, shown int, more string, text func(T) string) (list []string) {
	for i, item := range items {
		if i == shown {
			return append(list, fmt.Sprintf(more, len(items)-i))
		}
		list = append(list, text(item))
	}
	return list
}

// count returns a number with its noun, in the plural unless the number is 1.
func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// collectiveTag is the tag of the first collective of a trace of MPI, whose own tags have 31 bits;
// the next ones count up (see package mpitrace).
const collectiveTag = 1 << 31

// tagText describes a tag as the user knows it. The tag of a collective was made by the reader of
// the trace, so its number means nothing to the program's author; the number of the call does.
func tagText(tag uint32) string {
	switch {
	case tag == schedule.Any:
		return "with tag any"
	case tag >= collectiveTag:
		return fmt.Sprintf("of collective %d of the trace", tag-collectiveTag+1)
	}
	return "with tag " + strconv.FormatUint(uint64(tag), 10)
}

// readable returns the text of an operation, in which a tag that no program has given is the
// collective that it belongs to.
func readable(text string, tag uint32) string {
	if tag < collectiveTag || tag == schedule.Any {
		return text
	}
	return strings.Replace(text, fmt.Sprintf("tag %d", tag), tagText(tag), 1)
}

// An ending is a run that can go no further.
type ending struct {
	*kernel
	joined []gathering // by joint operation
	// isRendezvous reports whether a send waits for its receive. An eager send ends when its bytes
	// have left, so that only its message is left over.
	isRendezvous func(send uint32) bool
}

// deadlock returns a *Deadlock with the unfinished operations and unreceived messages; nil if
// there are none.
func (r ending) deadlock() error {
	s := &Deadlock{Operations: len(r.ops)}
	groups := map[[2]uint64]int{}
	lastRank := uint32(schedule.Any)
	for i := range r.nodes {
		n, op := &r.nodes[i], &r.ops[i]
		if n.waits == done {
			continue
		}
		if n.waits == unexpected {
			k := [2]uint64{uint64(op.Context)<<32 | uint64(op.Tag), op.Size}
			g, known := groups[k]
			if !known {
				g = len(s.Messages)
				groups[k] = g
				s.Messages = append(s.Messages, unreceived{
					Tag: op.Tag, Size: op.Size, From: int(n.rank), To: int(op.Peer),
				})
			}
			s.Messages[g].Count++
			if !r.isRendezvous(uint32(i)) {
				continue // the send itself has ended
			}
		}
		s.Unfinished++
		if n.rank != lastRank {
			lastRank = n.rank
			s.Ranks++
		}
		if n.waits >= lastState && len(s.Waits) < keptWaits {
			s.Waits = append(s.Waits, r.wait(uint32(i)))
		}
	}
	if s.Unfinished == 0 && len(s.Messages) == 0 {
		return nil
	}
	if s.Unfinished > 0 {
		s.Cycle = r.cycle()
		if len(s.Waits) == 0 && len(s.Cycle) == 0 {
			// Without a wait for another rank, operations wait for the mark of a send that
			// LogGOPSim forgets.
			for i := range r.nodes {
				if w := r.nodes[i].waits; w < lastState && len(s.Waits) < keptWaits {
					s.Waits = append(s.Waits, r.wait(uint32(i)))
				}
			}
		}
	}
	return s
}

// wait describes what operation i waits for. The state alone says it: a run that has ended changes
// no state any more.
func (r ending) wait(i uint32) stuckOp {
	n, op := &r.nodes[i], &r.ops[i]
	w := stuckOp{Rank: int(n.rank), Op: i, Text: readable(r.name(i), op.Tag)}
	switch n.waits {
	case posted:
		w.For = "a message that does not come"
	case unexpected:
		w.For = fmt.Sprintf("a receive of rank %d that is not posted", op.Peer)
	case meeting:
		w.For = fmt.Sprintf("%d of the %d ranks of its collective", r.joined[op.Peer].left,
			r.joints[op.Peer])
	default:
		w.For = "operations of its rank that do not finish"
	}
	return w
}

// predecessors holds the operations that each operation requires: list[first[i]:first[i+1]] are
// those of i. One list serves all, since a schedule may have millions of operations, and a slice
// for each would take more memory than the run.
type predecessors struct{ first, list []uint32 }

func (p predecessors) blockersOf(op uint32) []uint32 { return p.list[p.first[op]:p.first[op+1]] }

// blocking returns, for each operation, the required operations that have not finished (or not
// begun).
func (r ending) blocking() predecessors {
	p := predecessors{first: make([]uint32, len(r.nodes)+1)}
	// The dependencies are walked twice, once to count and once to fill, because the schedule
	// stores successors and this needs predecessors.
	each := func(f func(after, op uint32)) {
		for i := range r.nodes {
			n := &r.nodes[i]
			if n.waits == done || n.waits == unexpected && !r.isRendezvous(uint32(i)) {
				continue
			}
			for _, after := range r.s.AfterDone(uint32(i)) {
				f(after, uint32(i))
			}
			// An operation that has begun holds up nobody who waits for its start.
			if n.waits < lastState {
				for _, after := range r.s.AfterStarted(uint32(i)) {
					f(after, uint32(i))
				}
			}
		}
	}
	each(func(after, _ uint32) { p.first[after+1]++ })
	for i := range r.nodes {
		p.first[i+1] += p.first[i]
	}
	p.list = make([]uint32, p.first[len(r.nodes)])
	next := slices.Clone(p.first)
	each(func(after, op uint32) {
		p.list[next[after]] = op
		next[after]++
	})
	return p
}

// cycle returns operations that wait for each other in a cycle, or nil.
func (r ending) cycle() []stuckOp {
	g := waiting{
		ending:   r,
		blocks:   r.blocking(),
		sends:    map[uint32][]uint32{},
		receives: map[uint32][]uint32{},
		state:    make([]uint8, len(r.nodes)),
	}
	for i := range r.nodes {
		if n := &r.nodes[i]; n.waits < lastState {
			switch op := &r.ops[i]; op.Kind {
			case schedule.Send:
				g.sends[op.Peer] = append(g.sends[op.Peer], uint32(i))
			case schedule.Recv:
				g.receives[n.rank] = append(g.receives[n.rank], uint32(i))
			}
		}
	}
	for i := range r.nodes {
		if g.state[i] != unseen || r.nodes[i].waits == done {
			continue
		}
		if cycle := g.search(uint32(i)); cycle != nil || g.steps > cycleSteps {
			return cycle
		}
	}
	return nil
}

// waiting is the graph of operations that wait: by dependencies, receives for sends that have not
// begun, and sends for receives that are not posted.
type waiting struct {
	ending
	blocks          predecessors
	sends, receives map[uint32][]uint32 // not begun, by the rank that would match them
	state           []uint8             // of a depth-first search
	steps           int
}

const (
	// onPath marks the operations of the present path: to meet one of them again closes a cycle.
	// An operation that was left leads to none, so no later search enters it.
	unseen = iota
	onPath
	left
)

// waitsFor returns the operations that operation i waits for.
func (g *waiting) waitsFor(i uint32) (found []uint32) {
	n, op := &g.nodes[i], &g.ops[i]
	var candidates []uint32
	switch {
	case n.waits < lastState:
		return g.blocks.blockersOf(i)
	case n.waits == posted:
		candidates = g.sends[n.rank]
	case n.waits == unexpected:
		candidates = g.receives[op.Peer]
	}
	for _, c := range candidates {
		send, receive := c, i
		if n.waits == unexpected {
			send, receive = i, c
		}
		wanted := receiveChannel(&g.ops[receive])
		if wanted.accepts(sendChannel(g.nodes[send].rank, &g.ops[send])) {
			found = append(found, c)
		}
		if g.steps++; g.steps > cycleSteps {
			break
		}
	}
	return found
}

// search looks for a cycle from operation i, depth first. It keeps its own stack, since a chain of
// waiting operations can have millions of links, and a recursion would need a frame for each.
func (g *waiting) search(i uint32) (cycle []stuckOp) {
	type level struct {
		op   uint32
		next []uint32
	}
	path := []level{{i, g.waitsFor(i)}}
	g.state[i] = onPath
	for len(path) > 0 && g.steps <= cycleSteps {
		g.steps++
		top := &path[len(path)-1]
		if len(top.next) == 0 {
			g.state[top.op] = left
			path = path[:len(path)-1]
			continue
		}
		op := top.next[0]
		top.next = top.next[1:]
		switch g.state[op] {
		case unseen:
			g.state[op] = onPath
			path = append(path, level{op, g.waitsFor(op)})
		case onPath:
			start := slices.IndexFunc(path, func(l level) bool { return l.op == op })
			for _, l := range path[start:min(len(path), start+keptWaits)] {
				w := g.wait(l.op)
				w.For = "the next one"
				cycle = append(cycle, w)
			}
			return cycle
		}
	}
	return nil
}
