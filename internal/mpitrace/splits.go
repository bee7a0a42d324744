package mpitrace

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
)

// Traces of DUMPI say how a communicator is made, but not of which ranks: those follow from the
// colors and keys of all members. So the calls that make communicators are read from all files
// first, and the ranks' own files again in their turn.

// A making is a call that makes a communicator, as a split. A duplicate has one color, and a grid
// the color 0 for its ranks.
type making struct {
	of         int64 // number of the communicator
	color, key int64 // notMember: the rank is in no new communicator
	made       int64 // number of the new communicator
}

const (
	notMember   = -1
	worldNumber = 2 // DUMPI's of MPI_COMM_WORLD
)

// madeGroup is the new communicator of a making; its members are ranks of all.
type madeGroup struct {
	number  int // of all that are made; that of all ranks is 0
	members []uint32
	waiting map[uint32]making // of the members that have come to the next making
}

// handles are the communicators of a rank by their numbers.
type handles map[int64]*madeGroup

// splits are the new communicators of all makings, by rank.
type splits struct {
	world *madeGroup
	made  [][]*madeGroup
	count int
}

// newSplits follows the makings of all ranks. A rank waits at each until all members of the
// communicator are there.
func newSplits(all [][]making) *splits {
	world := &madeGroup{waiting: map[uint32]making{}}
	s := &splits{world: world, made: make([][]*madeGroup, len(all))}
	ranks := make([]handles, len(all))
	for r := range all {
		world.members = append(world.members, uint32(r))
		ranks[r] = handles{worldNumber: world}
	}
	asks := func(r uint32) *madeGroup { // the communicator whose members the rank waits for now
		n := len(s.made[r])
		if n == len(all[r]) {
			return nil
		}
		g := ranks[r][all[r][n].of]
		if g != nil {
			g.waiting[r] = all[r][n]
		}
		return g
	}
	queue := slices.Clone(world.members)
	for len(queue) > 0 {
		g := asks(queue[0])
		queue = queue[1:]
		if g == nil || len(g.waiting) < len(g.members) {
			continue
		}
		new := s.split(g)
		for _, r := range g.members {
			m := g.waiting[r]
			made := new[m.color]
			s.made[r] = append(s.made[r], made)
			if made != nil {
				ranks[r][m.made] = made
			}
		}
		clear(g.waiting)
		queue = append(queue, g.members...)
	}
	return s
}

// split returns the new communicators by color: members in the order of their keys.
func (s *splits) split(g *madeGroup) map[int64]*madeGroup {
	new := map[int64]*madeGroup{}
	for _, r := range g.members {
		if color := g.waiting[r].color; color != notMember {
			if new[color] == nil {
				s.count++
				new[color] = &madeGroup{number: s.count, waiting: map[uint32]making{}}
			}
			new[color].members = append(new[color].members, r)
		}
	}
	for _, made := range new {
		slices.SortStableFunc(made.members, func(a, b uint32) int {
			return cmp.Compare(g.waiting[a].key, g.waiting[b].key)
		})
	}
	return new
}

// A splitReader reads the makings of all ranks when the first rank needs them.
type splitReader struct {
	sources []Source
	makings func(f *file) ([]making, error) // of one rank
	made    *splits
}

func (x *splitReader) read() (*splits, error) {
	if x.made != nil {
		return x.made, nil
	}
	all := make([][]making, len(x.sources))
	for r, source := range x.sources {
		f, err := open(source, new(int64))
		if err != nil {
			return nil, err
		}
		all[r], err = x.makings(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, err
		}
	}
	x.made = newSplits(all)
	return x.made, nil
}

// A joiner gives a rank its communicators while its file is translated.
type joiner struct {
	reader  *splitReader
	splits  *splits
	handles handles
	count   int // makings so far
	members map[*madeGroup]*member
}

func (j *joiner) prepare(r *rank) (err error) {
	if j.splits == nil {
		if j.splits, err = j.reader.read(); err == nil {
			j.handles = handles{worldNumber: j.splits.world}
			j.members = map[*madeGroup]*member{j.splits.world: r.world}
		}
	}
	return err
}

// in returns the member of a number.
func (j *joiner) in(r *rank, number int64) (*member, error) {
	if err := j.prepare(r); err != nil {
		return nil, err
	}
	if m := j.members[j.handles[number]]; m != nil {
		return m, nil
	}
	return nil, fmt.Errorf("no call in the traces makes communicator %d; files may be missing "+
		"or in another order", number)
}

// make makes the communicator of the rank's next making.
func (j *joiner) make(r *rank, number int64) error {
	if err := j.prepare(r); err != nil {
		return err
	}
	all := j.splits.made[r.group.Place]
	if j.count == len(all) {
		if r.shared.cut() {
			return nil
		}
		return errors.New("not all ranks of the communicator call it")
	}
	g := all[j.count]
	j.count++
	if g == nil {
		return nil
	}
	b := birth{parent: noParent, members: fmt.Sprint("made ", g.number)}
	m, err := r.join(b, g.members, nil, "")
	j.members[g] = m
	j.handles[number] = g
	return err
}
