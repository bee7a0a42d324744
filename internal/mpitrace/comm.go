package mpitrace

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A communicator is the same value for all of its members. Communicator k has the contexts 2k, of
// messages, and 2k+1, of collectives; MPI_COMM_WORLD is number 0.
type communicator struct {
	context uint16
	size    int
	members []uint32 // ranks by place; nil if each place is its rank
	remote  []uint32 // ranks of the other group of an intercommunicator; else nil
	// calls are the collectives of the member that was translated first, in their order, which MPI
	// demands to be the same on all members. Without this check, a message of the simulation would
	// wait for one that does not come.
	calls []collectiveCall
	first int // rank of that member
	// chosen are the algorithms of calls, which are the same on all members.
	chosen map[choice]chosen
}

// A choice is what an algorithm depends on, beside the members.
type choice struct {
	name  string
	bytes uint64
}

type chosen struct {
	collective.Entry
	collective.Call // with the channels and nodes of the algorithm
}

// choose returns the algorithm of a call, by MPI's name.
func (c *communicator) choose(from collective.Choices, name string, g collective.Group,
	call collective.Call) (chosen, error) {
	key := choice{name, call.Bytes}
	if use, known := c.chosen[key]; known {
		return use, nil
	}
	e, call, err := from.Choose(name, "", g, call)
	if err != nil {
		return chosen{}, err
	}
	if c.chosen == nil {
		c.chosen = map[choice]chosen{}
	}
	use := chosen{e, call}
	c.chosen[key] = use
	return use, nil
}

// A collectiveCall is a collective with its line in the trace of its rank.
type collectiveCall struct {
	name, call string
	root       int64
	line       int
}

// A member is a rank of a communicator.
type member struct {
	*communicator
	place  int
	called uint32 // collectives so far
}

func (m *member) group() collective.Group {
	return collective.Group{Size: m.size, Place: m.place, Members: m.members}
}

// peers returns the number of ranks with which the member exchanges messages, and their ranks by
// place; nil if each place is its rank.
func (m *member) peers() (int, []uint32) {
	if m.remote != nil {
		return len(m.remote), m.remote
	}
	return m.size, m.members
}

// of names the communicator, unless it is that of all ranks.
func (m *member) of() string {
	if m.context == 0 {
		return ""
	}
	return fmt.Sprintf(" in a communicator of %d ranks", m.size)
}

// maxContexts is the number of communicators with contexts of their own, beside that of all ranks.
const maxContexts = math.MaxUint16 / 2

// A birth identifies a communicator by what its members agree on: the context of the communicator
// that it was made of, its members, and how many with these members were made of that one before.
type birth struct {
	parent  uint16
	members string
	number  int
}

// noParent stands for the parent of a communicator of two groups, or of one whose making is not in
// the trace. The contexts of communicators are even.
const noParent = math.MaxUint16
