package simulate

import (
	"errors"
	"slices"
)

// ErrOverlap is the error of a sequence whose parts overlap: an early rank sends a message of the
// next part while the messages of others are on their way, or what is left of a part is more than
// the times of processors and NICs.
var ErrOverlap = errors.New("parts of the schedule overlap")

// beginFrom sets the state from which a run of a part begins. It returns false if a NIC is busy
// that the part does not have.
func (r *run) beginFrom(s *partState) bool {
	for _, n := range s.busy {
		i := slices.Index(r.nics.list, n.label)
		if i < 0 {
			return false
		}
		if i += len(r.cpus.list); n.takes {
			i += len(r.nics.list)
		}
		r.clock[int(n.rank)*r.stride+i] = n.until
	}
	for i := range r.ready {
		if r.nodes[i].waits == 0 {
			r.ready[i] = s.ready[r.nodes[i].rank]
		}
	}
	for _, rank := range s.order {
		r.startRank(int(rank), nil)
	}
	return true
}

// noteLeave notes the end of the last operation of a rank in a run of a part.
func (r *run) noteLeave(i uint32, end uint64) {
	if r.leaves == nil {
		return
	}
	if _, hi := r.s.Rank(int(r.nodes[i].rank)); i == hi-1 {
		r.leaves = append(r.leaves, leave{r.nodes[i].rank, end})
	}
}
