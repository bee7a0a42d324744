package program

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// Options say how a program is run.
type Options struct {
	Ranks int // 1 to 2²⁰
	// Collectives are the algorithms of collectives for which the program names none, and the
	// local work of all.
	Collectives collective.Choices
	// Time, unless it is nil, returns the time in ns of a collective that ranks run as one joint
	// operation, see [schedule.Joint]; if joint is false, it is made of messages.
	Time func(c Collective) (ns uint64, joint bool, err error)
	// Mesh, unless it is nil, returns that time for the others along an axis of a mesh.
	Mesh func(c Collective) (ns uint64, err error)
	// PerNode is the number of ranks that fill a node, one node after the other; 0: not known.
	// Joint operations of a rank follow each other on the same links, and overlap on others: those
	// of groups within a node use its links inside, others those between nodes. Without nodes, all
	// use the same.
	PerNode int
	// MaxCalls is the largest number of calls of all ranks, above 0; 0 stands for no limit.
	MaxCalls int
	// Print, unless it is nil, is called for each print of the program.
	Print func(rank int, text string)
}

// A Collective is a collective as a program calls it.
type Collective struct {
	Name      string // of the collective in package collective; empty: a communicator is made
	Algorithm string // that the program names, or empty
	Bytes     uint64 // of the message, or of a rank's block
	Unequal   bool   // blocks have several sizes
	Ranks     []uint32
	// Groups are the ranks of the communicators that were made by one call with this one, which are
	// taken to call it at once, and of this one.
	Groups [][]uint32
}

// Calls are those of a program that its ranks run one after the other, with the options of the run.
// A rank that needs to know what others call, as at a split, waits as a coroutine until they have
// come there.
type Calls struct {
	Options
	guard
	program     *Program
	ranks       []*rank // that have run, for themselves or for a class
	of          []*rank // by number, the one that has run for it
	printed     bool
	groups      []*group
	joints      uint32 // joint operations so far
	calls       int
	marks       []string
	markNumbers map[string]uint16
}

// A rank runs the program.
type rank struct {
	*Calls
	number   int
	class    *class // for which it runs, as its first rank; nil if for itself alone
	tape     tape
	counts   []count    // of the program's units of work
	requests int        // operations with a request so far
	open     []*request // requests without a wait
	members  []*member  // of the groups that it is in
	thread   *starlark.Thread
	next     func() (struct{}, bool) // runs the rank until it waits or ends
	stop     func()
	yield    func(struct{}) bool
	at       *split // where the rank waits; nil if it does not
	err      error
}

// A count is a number of units of work that a rank has done.
type count struct {
	name   string
	number float64
}

// errStopped ends a rank whose run has failed elsewhere.
var errStopped = errors.New("stopped")

// threadRank is the name by which a thread has its rank.
const threadRank = "rank"

// failed returns an error with its line, then its rank.
func (r *rank) failed(err error) error {
	text := located(err).Error()
	place, message, found := strings.Cut(text, ": ")
	if !found {
		return fmt.Errorf("%s: rank %d: %s", r.program.name, r.number, text)
	}
	return fmt.Errorf("%s: rank %d: %s", place, r.number, message)
}

// count counts a call against the limit, and notes that it is in the tape.
func (r *rank) count(c code, line uint32) error {
	r.calls++
	if r.class != nil {
		r.calls += len(r.class.ranks) - 1
	}
	if r.MaxCalls > 0 && r.calls > r.MaxCalls {
		return fmt.Errorf("more than %d calls; take fewer ranks or steps", r.MaxCalls)
	}
	r.tape.call(c, line)
	return nil
}

// contextPairs is the number of pairs of contexts. A program that makes more communicators uses
// those of the first ones again, which must have other ranks.
const contextPairs = 1 << 15

// addGroup numbers a group and gives it contexts.
func (x *Calls) addGroup(g *group) *group {
	if g.family == nil {
		g.family = &family{}
	}
	g.family.groups = append(g.family.groups, g)
	g.number = len(x.groups)
	g.context = uint16(2 * (g.number % contextPairs))
	x.groups = append(x.groups, g)
	return g
}

// child returns the communicator of a call and colour, which the first member that asks makes.
func (x *Calls) child(g *group, key childKey, members func() []uint32) *group {
	if made, ok := g.children[key]; ok {
		return made
	}
	if g.children == nil {
		g.children, g.families = map[childKey]*group{}, map[int]*family{}
	}
	if g.families[key.call] == nil {
		g.families[key.call] = &family{}
	}
	list := members()
	made := x.addGroup(&group{size: len(list), members: list, family: g.families[key.call]})
	g.children[key] = made
	return made
}

// arrive notes the colour and key of a place; the last one makes the communicators.
func (x *Calls) arrive(s *split, place int, colour, key int64) {
	s.colour[place], s.keys[place], s.here[place] = colour, key, true
	if s.count++; !s.complete() {
		return
	}
	order := make([]int, s.group.size)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(s.colour[a], s.colour[b]), cmp.Compare(s.keys[a], s.keys[b]))
	})
	s.made, s.places = map[int64]*group{}, make([]int, s.group.size)
	of := &family{}
	context := -1 // communicators of one split have no rank in common, so they share contexts
	for _, place := range order {
		colour := s.colour[place]
		if colour == noColour {
			continue
		}
		g := s.made[colour]
		if g == nil {
			g = x.addGroup(&group{family: of})
			if context >= 0 {
				g.context = uint16(context)
			}
			context = int(g.context)
			s.made[colour] = g
		}
		s.places[place] = g.size
		g.members = append(g.members, uint32(s.group.rankAt(place)))
		g.size++
	}
	s.group.split = nil
}

// A request is that of a non-blocking call.
type request struct {
	rank   *rank
	number int    // among the rank's requests; none if nothing is sent
	line   uint32 // of its call
	index  int    // in rank.open; done if it was waited for
}

const (
	noRequest = -1
	waitedFor = -1
)

func (q *request) String() string        { return fmt.Sprintf("<request of line %d>", q.line) }
func (q *request) Type() string          { return "request" }
func (q *request) Freeze()               {}
func (q *request) Truth() starlark.Bool  { return true }
func (q *request) Hash() (uint32, error) { return 0, errors.New("unhashable type: request") }

// newRequest adds a request of the operation that was added last.
func (r *rank) newRequest(line uint32) *request {
	q := &request{rank: r, number: r.requests, line: line, index: len(r.open)}
	r.requests++
	r.open = append(r.open, q)
	return q
}

// settle notes that a request was waited for, and reports whether an operation must be.
func (q *request) settle() bool {
	if q.number == noRequest || q.index == waitedFor {
		return false
	}
	open := q.rank.open
	last := open[len(open)-1]
	open[q.index], last.index = last, q.index
	q.rank.open = open[:len(open)-1]
	q.index = waitedFor
	return true
}

// single returns an error that lets the ranks of a class run alone; nil for one rank.
func (r *rank) single() error {
	if r.class == nil {
		return nil
	}
	return r.class.giveUp(r.thread, nil)
}
