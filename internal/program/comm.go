package program

import (
	"errors"
	"fmt"
	"slices"

	"go.starlark.net/starlark"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A comm is a communicator, seen from one of its ranks.
type comm struct {
	*member
	r       *rank
	grid    *grid
	axes    map[string]*comm    // of a mesh
	methods []*starlark.Builtin // by method; nil if it was not used
}

// newComm makes the rank a member of a group. Its messages must not match those of another group of
// the rank.
func (r *rank) newComm(g *group, place int) (*comm, error) {
	same := func(m *member) bool { return m.group.context == g.context }
	if len(r.groups) > contextPairs && slices.ContainsFunc(r.members, same) {
		return nil, fmt.Errorf("more than %d communicators: messages of this one would match "+
			"those of an earlier one; make a communicator once, and use it again", contextPairs)
	}
	if r.class != nil && !g.ordered() {
		return nil, r.single()
	}
	m := &member{group: g, place: place}
	r.members = append(r.members, m)
	return &comm{member: m, r: r}, nil
}

func (c *comm) String() string {
	return fmt.Sprintf("<communicator of %d ranks>", c.group.size)
}
func (c *comm) Type() string          { return "communicator" }
func (c *comm) Freeze()               {}
func (c *comm) Truth() starlark.Bool  { return true }
func (c *comm) Hash() (uint32, error) { return 0, errors.New("unhashable type: communicator") }

// placeValue returns a number that depends on the place in the communicator.
func (c *comm) placeValue(f func(place int) int64) starlark.Value {
	if c.r.class == nil {
		return starlark.MakeInt64(f(c.place))
	}
	return newEach(c.r, c.r.class.perRank(f))
}

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

// doSplit divides the communicator by colour, in the order of keys.
func (c *comm) doSplit(a *arguments) (starlark.Value, error) {
	if err := c.r.single(); err != nil {
		return nil, err
	}
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
	if _, err := c.creates("split", a); err != nil {
		return nil, err
	}
	g := c.group
	if g.split == nil {
		g.split = &split{group: g, line: a.line, colour: make([]int64, g.size),
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
	made, err := c.r.newComm(s.made[colour], s.places[c.place])
	if err != nil {
		return nil, err
	}
	return made, nil
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
	call := &c.group.calls[index]
	call.entry, call.chosen, err = c.r.Collectives.Choose("barrier", "", c.group.asGroup(),
		collective.Call{})
	if err != nil {
		return 0, err
	}
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
	made, err := c.r.newComm(g, c.place)
	if err != nil {
		return nil, err
	}
	made.grid = c.grid
	return made, nil
}
