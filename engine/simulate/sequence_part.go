package simulate

import (
	"errors"
	"slices"
)

// ErrOverlap is the error of a sequence whose parts overlap: an early rank sends a message of the
// next part while the messages of others are on their way, or what is left of a part is more than
// the times of processors and NICs.
var ErrOverlap = errors.New("parts of the schedule overlap")

// ErrUneven is the error of a sequence with a part whose ranks stand for others that are in another
// state than they.
var ErrUneven = errors.New("ranks that stand for others are in another state")

// A busyNIC is one that is not free when its rank is ready.
type busyNIC struct {
	rank  uint32
	label uint16
	takes bool // as a receiver
	until uint64
}

// A partState is that from which a part runs: ticks since the first rank is ready.
type partState struct {
	ready []uint64 // by rank
	busy  []busyNIC
	order []uint32 // ranks, in the order of their readiness
	slack uint64   // by which times of equal states may differ
	skew  uint64   // the same of times of ranks that are alike
}

// near reports whether two times of states are equal.
func (s *partState) near(a, b uint64) bool { return max(a, b)-min(a, b) <= s.slack }

// even reports whether two times of ranks that are alike are equal.
func (s *partState) even(a, b uint64) bool { return max(a, b)-min(a, b) <= max(s.slack, s.skew) }

// equals reports whether a part from either state takes as long.
func (s *partState) equals(o *partState) bool {
	if s == nil || o == nil {
		return s == o
	}
	return slices.EqualFunc(s.ready, o.ready, s.near) &&
		slices.EqualFunc(s.busy, o.busy, sameNIC(s.near)) &&
		(s.slack > 0 || slices.Equal(s.order, o.order))
}

// apart returns by how many ticks a rank begins earlier or later in one state than in the other, at
// most. At the begin of a program all ranks are ready.
func (s *partState) apart(o *partState) float64 {
	most := uint64(0)
	for rank, b := range o.ready {
		a := uint64(0)
		if s != nil {
			a = s.ready[rank]
		}
		most = max(most, max(a, b)-min(a, b))
	}
	return float64(most)
}

// sameNIC returns a function that reports whether two NICs are busy until equal times.
func sameNIC(equal func(a, b uint64) bool) func(a, b busyNIC) bool {
	return func(a, b busyNIC) bool {
		return a.rank == b.rank && a.label == b.label && a.takes == b.takes &&
			equal(a.until, b.until)
	}
}

// among returns the state among so many ranks: of the first ones, if the others are in the state of
// those that are equal to them modulo their number, else nil; or of more.
func (s *partState) among(ranks int) *partState {
	switch {
	case s == nil || len(s.ready) == ranks:
		return s
	case len(s.ready) < ranks:
		return s.repeated(ranks)
	}
	few := &partState{ready: s.ready[:ranks], slack: s.slack, skew: s.skew}
	for _, n := range s.busy {
		if int(n.rank) < ranks {
			few.busy = append(few.busy, n)
		}
	}
	for _, rank := range s.order {
		if int(rank) < ranks {
			few.order = append(few.order, rank)
		}
	}
	all := few.repeated(len(s.ready))
	if !slices.EqualFunc(all.ready, s.ready, s.even) ||
		!slices.EqualFunc(all.busy, s.busy, sameNIC(s.even)) {
		return nil
	}
	return few
}

// repeated returns the state among more ranks, a multiple of its own.
func (s *partState) repeated(ranks int) *partState {
	all := &partState{slack: s.slack, skew: s.skew}
	for first := 0; first < ranks; first += len(s.ready) {
		all.ready = append(all.ready, s.ready...)
		for _, n := range s.busy { // in the order of ranks
			n.rank += uint32(first)
			all.busy = append(all.busy, n)
		}
	}
	for _, rank := range s.order {
		for first := 0; first < ranks; first += len(s.ready) {
			all.order = append(all.order, uint32(first)+rank)
		}
	}
	return all
}

// beginFrom sets the state from which a run of a part begins. It returns false if a NIC is busy
// that the part does not have.
func (r *run) beginFrom(s *partState) bool {
	for _, n := range s.busy {
		i, ok := clockOf(r.Program, n)
		if !ok {
			return false
		}
		if r.clock[i] = n.until; r.record != nil {
			r.record.clockBy[i] = link{at: atNIC}
		}
	}
	for i := range r.ready {
		if r.nodes[i].waits == 0 {
			r.ready[i] = s.ready[r.nodes[i].rank]
		}
	}
	for _, rank := range s.order {
		r.startRank(int(rank), r.queue)
	}
	return true
}

// clockOf returns the index of the clock of a NIC; false if the part does not have it.
func clockOf(p *Program, n busyNIC) (int, bool) {
	i := slices.Index(p.nics.list, n.label)
	at := int(n.rank)*p.stride() + len(p.cpus.list) + i
	if n.takes {
		at += len(p.nics.list)
	}
	return at, i >= 0
}
