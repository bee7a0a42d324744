package mpitrace

import (
	"errors"
	"fmt"
	"io"
	"slices"
)

// next notes the next collective of the first member, or returns an error if it is not that of the
// first member.
func (r *rank) next(m *member, name string, root int64) error {
	if m.remote != nil {
		return errors.New("collectives between the two groups of an intercommunicator are not " +
			"supported")
	}
	n := int(m.called)
	m.called++
	if m.first == r.group.Place || n >= len(m.calls) && r.shared.cut() {
		m.calls = append(m.calls, collectiveCall{name, r.call, root, r.line})
		return nil
	}
	which := func() string {
		return fmt.Sprintf("collective %d of rank %d%s", n+1, r.group.Place, m.of())
	}
	if n >= len(m.calls) {
		return fmt.Errorf("%s, but rank %d calls %d collectives; all ranks must call the same "+
			"ones in the same order", which(), m.first, len(m.calls))
	}
	if c := m.calls[n]; c.name != name || c.root != root {
		return fmt.Errorf("%s with root %d, but that of rank %d, in line %d of its trace, is %s "+
			"with root %d; all ranks must call the same ones in the same order",
			which(), root, m.first, c.line, c.call, c.root)
	}
	return nil
}

// sameNumber returns an error if the rank, whose calls have ended, has called fewer collectives
// than the first members of its communicators.
func (r *rank) sameNumber() error {
	if r.shared.cut() {
		return nil
	}
	for _, m := range r.members {
		if n := int(m.called); n < len(m.calls) {
			c := m.calls[n]
			return fmt.Errorf("rank %d calls %d collectives%s, but rank %d calls %d; the next, "+
				"in line %d of its trace, is %s", r.group.Place, n, m.of(), m.first, len(m.calls),
				c.line, c.call)
		}
	}
	return nil
}

// join returns the rank's member of the communicator of a birth; the number is counted here. With
// remote, the communicator joins two groups; remoteText is how the trace writes the other one.
func (r *rank) join(b birth, members, remote []uint32, remoteText string) (*member, error) {
	place := slices.Index(members, uint32(r.group.Place))
	if place < 0 {
		return nil, fmt.Errorf("rank %d is not one of its members", r.group.Place)
	}
	local := b.members
	if remote != nil {
		b.parent, b.members = noParent, local+"|"+remoteText
	}
	n := r.born[b]
	r.born[b]++
	b.number = n
	c := r.shared.made[b]
	if c == nil {
		// A context is given again after the last one: communicators so far apart have no messages
		// under way at the same time, since all members take part in making one.
		k := len(r.shared.made)%maxContexts + 1
		c = &communicator{context: uint16(2 * k), size: len(members), members: members,
			remote: remote, first: r.group.Place}
		r.shared.made[b] = c
		if remote != nil { // the same, seen from the other group
			b.members = remoteText + "|" + local
			r.shared.made[b] = &communicator{context: c.context, size: len(remote),
				members: remote, remote: members, first: int(remote[0])}
		}
	}
	m := &member{communicator: c, place: place}
	r.members = append(r.members, m)
	return m, nil
}

// endEarly notes that the trace of a rank ends before its time, at a line.
func (r *rank) endEarly(f *file, line int) {
	r.shared.ends = append(r.shared.ends,
		fmt.Sprintf("rank %d (%s:%d)", r.group.Place, f.name, line))
}

// nextLine returns the next line of a trace of calls, of whose next call among MPI_Init and
// MPI_Finalize the name is given; ended if there is none, which is noted of a trace that was cut.
// finalizes tells whether a line is part of MPI_Finalize.
func (r *rank) nextLine(f *file, next string, finalizes func([]byte) bool) (
	l []byte, ended bool, err error) {
	l, err = f.next()
	switch {
	case err == io.EOF && next == "":
		return nil, true, nil
	case err == io.EOF && next == "MPI_Init":
		return nil, false, f.errorf("the trace ends without %s; is it truncated?", next)
	// A line without its end is the last one of a trace that was cut, or of a whole one.
	case err == io.EOF, err == nil && f.cut && next == "MPI_Finalize" && !finalizes(l):
		r.endEarly(f, f.line-1)
		return nil, true, nil
	}
	return l, false, err
}
