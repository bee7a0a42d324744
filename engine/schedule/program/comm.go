package program

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A group holds the ranks of a communicator, and what they have called on it.
type group struct {
	number   int
	context  uint16 // of messages; collectives have the next one
	size     int
	members  []uint32 // ranks by place; nil if each place is its rank
	calls    []groupCall
	split    *split // at which members wait
	children map[childKey]*group
}

// A childKey identifies a communicator that members of a group make without asking each other.
type childKey struct {
	call   int // index in the group's calls
	colour int
}

// A groupCall is a collective call, or one that makes a communicator, which all members must make
// with the same arguments.
type groupCall struct {
	callArguments
	line      uint32 // of the member that came first
	rank      int
	algorithm collective.Algorithm
	blocks    []uint64   // by place; nil if all have bytes
	rows      [][]uint64 // of an alltoall: the blocks that each place sends; nil if all have bytes
}

// callArguments are the arguments that must be the same on all members.
type callArguments struct {
	name, of string // of the call, and of its algorithm
	root     int
	bytes    uint64
	segment  uint64
	stream   uint16
	unequal  bool // there are blocks
}

func (g *group) rankAt(place int) int {
	if g.members == nil {
		return place
	}
	return int(g.members[place])
}

// contextPairs is the number of pairs of contexts. A program that makes more communicators uses
// those of the first ones again, which it has freed by then, or whose messages have other peers.
const contextPairs = 1 << 15

// addGroup numbers a group and gives it contexts.
func (x *run) addGroup(g *group) *group {
	g.number = len(x.groups)
	g.context = uint16(2 * (g.number % contextPairs))
	x.groups = append(x.groups, g)
	return g
}

// child returns the communicator of a call and colour, which the first member that asks makes.
func (x *run) child(g *group, key childKey, members func() []uint32) *group {
	if made, ok := g.children[key]; ok {
		return made
	}
	list := members()
	made := x.addGroup(&group{size: len(list), members: list})
	if g.children == nil {
		g.children = map[childKey]*group{}
	}
	g.children[key] = made
	return made
}

// A comm is a communicator, seen from one of its ranks.
type comm struct {
	r       *rank
	group   *group
	place   int
	calls   int // of the group's calls so far
	grid    *grid
	methods []*starlark.Builtin // by method; nil if it was not used
}

func (r *rank) newComm(g *group, place int) *comm {
	c := &comm{r: r, group: g, place: place}
	r.comms = append(r.comms, c)
	return c
}

func (c *comm) String() string {
	return fmt.Sprintf("<communicator of %d ranks>", c.group.size)
}
func (c *comm) Type() string          { return "communicator" }
func (c *comm) Freeze()               {}
func (c *comm) Truth() starlark.Bool  { return true }
func (c *comm) Hash() (uint32, error) { return 0, errors.New("unhashable type: communicator") }

// same checks that the call is the one that other members make at this place of their order, and
// returns its index.
func (c *comm) same(a callArguments, line uint32) (int, error) {
	g, index := c.group, c.calls
	c.calls++
	if index == len(g.calls) {
		g.calls = append(g.calls, groupCall{callArguments: a, line: line, rank: c.r.number})
		return index, nil
	}
	if first := &g.calls[index]; first.callArguments != a {
		return 0, fmt.Errorf("%s, but rank %d calls %s in line %d; all ranks of a communicator "+
			"must call the same collectives in the same order, with the same arguments", a,
			first.rank, first.callArguments, first.line)
	}
	return index, nil
}

// String returns the call as its author wrote it, without arguments that were left out.
func (a callArguments) String() string {
	text := a.name + "("
	switch {
	case a.unequal:
		text += "sizes = …"
	case a.name != "barrier" && a.bytes > 0:
		text += fmt.Sprint(a.bytes)
	}
	if a.root > 0 {
		text += fmt.Sprintf(", root = %d", a.root)
	}
	if a.of != "" {
		text += fmt.Sprintf(", algorithm = %q", a.of)
	}
	return text + ")"
}

// A split is a call of split that ranks of a group have come to.
type split struct {
	group        *group
	call         int
	line         uint32
	colour, keys []int64
	here         []bool
	count        int
	made         map[int64]*group
	places       []int // of each member of the group in its new communicator
}

func (s *split) complete() bool { return s.count == s.group.size }

// noColour is the colour of a rank that becomes no member.
const noColour = -1

// arrive notes the colour and key of a place; the last one makes the communicators.
func (x *run) arrive(s *split, place int, colour, key int64) {
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
	context := -1 // communicators of one split have no rank in common, so they share contexts
	for _, place := range order {
		colour := s.colour[place]
		if colour == noColour {
			continue
		}
		g := s.made[colour]
		if g == nil {
			g = x.addGroup(&group{})
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

// doSplit divides the communicator by colour, in the order of keys.
func (c *comm) doSplit(a *arguments) (starlark.Value, error) {
	colour, err := colourOf(a.values[0])
	if err != nil {
		return nil, err
	}
	key := int64(0)
	if a.values[1] != nil {
		if key, err = wholeNumber(a.values[1], "the key"); err != nil {
			return nil, err
		}
	}
	index, err := c.creates("split", a)
	if err != nil {
		return nil, err
	}
	g := c.group
	if g.split == nil {
		g.split = &split{group: g, call: index, line: a.line, colour: make([]int64, g.size),
			keys: make([]int64, g.size), here: make([]bool, g.size)}
	}
	s := g.split
	c.r.arrive(s, c.place, colour, key)
	if !s.complete() {
		c.r.at = s
		if !c.r.yield(struct{}{}) {
			return nil, errStopped
		}
	}
	if colour == noColour {
		return starlark.None, nil
	}
	return c.r.newComm(s.made[colour], s.places[c.place]), nil
}

// colourOf returns the colour of a split.
func colourOf(v starlark.Value) (int64, error) {
	if v == starlark.None {
		return noColour, nil
	}
	colour, err := wholeNumber(v, "the color")
	if err == nil && colour < 0 {
		err = fmt.Errorf("the color must be at least 0, or None (got %d)", colour)
	}
	return colour, err
}

// creates records a call that makes a communicator, which synchronizes its members as a barrier
// does.
func (c *comm) creates(name string, a *arguments) (int, error) {
	index, err := c.same(callArguments{name: name}, a.line)
	if err != nil {
		return 0, err
	}
	c.group.calls[index].algorithm = c.r.Collectives["barrier"]
	return index, c.record(index, a.line, 0)
}

// record puts a collective call into the tape; on stream 0 it is a blocking one.
func (c *comm) record(index int, line uint32, stream uint16) error {
	code := runCollective
	if stream > 0 {
		code = beginRun
	}
	if err := c.r.count(code, line); err != nil {
		return err
	}
	if stream > 0 {
		c.r.tape.number(uint64(stream))
	}
	for _, n := range [...]int{c.group.number, index, c.place} {
		c.r.tape.number(uint64(n))
	}
	return nil
}

// doDup makes a communicator of the same ranks.
func (c *comm) doDup(a *arguments) (starlark.Value, error) {
	index, err := c.creates("dup", a)
	if err != nil {
		return nil, err
	}
	g := c.r.child(c.group, childKey{call: index}, func() []uint32 {
		list := make([]uint32, c.group.size)
		for place := range list {
			list[place] = uint32(c.group.rankAt(place))
		}
		return list
	})
	made := c.r.newComm(g, c.place)
	made.grid = c.grid
	return made, nil
}
