package schedule

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
)

// A tagged is the tag of an operation with its context.
type tagged struct {
	context uint16
	tag     uint32
}

// goalTags returns the tags by which GOAL, which has no contexts, matches the same messages: those
// of context 0 keep theirs, and another one does if it is free. It is nil if all operations have
// context 0. It returns an error if a rank receives in several contexts and accepts any tag: no
// choice of tags keeps such a receive to its context.
func (s *Schedule) goalTags() (map[tagged]uint32, error) {
	if s.joints > 0 {
		return nil, errors.New("schedule: GOAL has no word for collectives that take measured " +
			"times; write the program for a library or a layer, without the measured machine")
	}
	if !slices.ContainsFunc(s.ops, func(o Op) bool { return o.Context != 0 }) {
		return nil, nil
	}
	if rank, several := s.anyTagInContexts(); several {
		return nil, fmt.Errorf("schedule: rank %d receives with any tag in one of several "+
			"communicators, and GOAL has no word for communicators; give that receive a tag, "+
			"or simulate the program itself", rank)
	}
	tags, used := map[tagged]uint32{}, map[uint32]bool{}
	for i := range s.ops {
		if o := &s.ops[i]; o.Kind != Calc && o.Tag != Any {
			tags[tagged{o.Context, o.Tag}] = o.Tag
			used[o.Tag] = used[o.Tag] || o.Context == 0
		}
	}
	order := slices.SortedFunc(maps.Keys(tags), func(a, b tagged) int {
		return cmp.Or(cmp.Compare(a.context, b.context), cmp.Compare(a.tag, b.tag))
	})
	next := uint32(0)
	for _, t := range order {
		if t.context == 0 {
			continue
		}
		number := t.tag
		for ; used[number]; next++ {
			number = next
		}
		tags[t], used[number] = number, true
	}
	return tags, nil
}

// anyTagInContexts returns the first rank to which messages of several contexts belong and whose
// receives, or messages, have any tag.
func (s *Schedule) anyTagInContexts() (rank uint32, several bool) {
	const none, many = -1, -2
	contexts := slices.Repeat([]int32{none}, s.Ranks())
	wild := make([]bool, s.Ranks())
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		for i := lo; i < hi; i++ {
			o, at := &s.ops[i], rank
			switch o.Kind {
			case Calc:
				continue
			case Send:
				at = int(o.Peer)
			}
			switch c := int32(o.Context); contexts[at] {
			case none, c:
				contexts[at] = c
			default:
				contexts[at] = many
			}
			wild[at] = wild[at] || o.Tag == Any
		}
	}
	for rank := range wild {
		if wild[rank] && contexts[rank] == many {
			return uint32(rank), true
		}
	}
	return 0, false
}

// inGOAL returns the operation with its tag in GOAL; tags are those of goalTags.
func (o Op) inGOAL(tags map[tagged]uint32) Op {
	if tags != nil && o.Kind != Calc && o.Tag != Any {
		o.Tag = tags[tagged{o.Context, o.Tag}]
	}
	return o
}
