package program

import (
	"fmt"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/internal/list"
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
	families map[int]*family // of the children, by call
	family   *family
	mesh     bool // it lies along an axis of a mesh
}

// asGroup returns the members as package collective has them.
func (g *group) asGroup() collective.Group {
	return collective.Group{Size: g.size, Members: g.members}
}

// ranks returns the ranks by place.
func (g *group) ranks() []uint32 {
	if g.members == nil {
		g.members = make([]uint32, g.size)
		for place := range g.members {
			g.members[place] = uint32(place)
		}
	}
	return g.members
}

// A family holds the groups that were made by one call.
type family struct {
	groups []*group
	all    [][]uint32 // their ranks, once they are wanted
}

func (f *family) ranks() [][]uint32 {
	if f.all == nil {
		f.all = list.Map(f.groups, (*group).ranks)
	}
	return f.all
}

// A childKey identifies a communicator that members of a group make without asking each other.
type childKey struct {
	call   int // index in the group's calls
	colour int
}

// ordered reports whether each place of the group is its rank.
func (g *group) ordered() bool {
	for place, rank := range g.members {
		if place != int(rank) {
			return false
		}
	}
	return true
}

// A groupCall is a collective call, or one that makes a communicator, which all members must make
// with the same arguments.
type groupCall struct {
	callArguments
	line   uint32 // of the member that came first
	rank   int
	kind   string // the collective in package collective; empty: it makes a communicator
	entry  collective.Entry
	chosen collective.Call // with the channels and nodes of the algorithm
	joint  *joint
	blocks []uint64   // by place; nil if all have bytes
	rows   [][]uint64 // of an alltoall: the blocks that each place sends; nil if all have bytes
}

// A joint is a collective that is a joint operation.
type joint struct {
	number uint32
	ns     uint64
	links  uint16 // see Options.PerNode
}

// callArguments are the arguments that must be the same on all members.
type callArguments struct {
	name, of string // of the call, and of its algorithm
	root     int
	bytes    uint64
	segment  uint64
	stream   uint16
	times    uint32 // of equal calls in a row, at least 1; 0 of a call that makes a communicator
	unequal  bool   // there are blocks
}

func (g *group) rankAt(place int) int {
	if g.members == nil {
		return place
	}
	return int(g.members[place])
}

// A member is a rank of a group.
type member struct {
	group *group
	place int
	calls int // of the group's calls so far
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
