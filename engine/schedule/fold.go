package schedule

import "errors"

// ErrFold is the error of a schedule that cannot be folded.
var ErrFold = errors.New("schedule: messages of a folded schedule would be other ones")

// A fold maps the ranks of a large schedule to those of a small one, modulo the number of the small
// one's.
type fold struct {
	all, ranks, unit uint32
	seen             [2][]uint32 // sends and receives of the current rank: 1 + a peer, by its rank
}

func (f *fold) nextRank() {
	if f != nil {
		clear(f.seen[0])
		clear(f.seen[1])
	}
}

// peer returns the rank that stands for the peer of a message.
func (f *fold) peer(rank int, op Op) (uint32, error) {
	if op.Peer >= f.all {
		return 0, ErrFold // of any source
	}
	peer := op.Peer % f.ranks
	inside := op.Peer/f.unit == uint32(rank)/f.unit
	seen := &f.seen[op.Kind-Send][peer]
	if inside != (peer/f.unit == uint32(rank)/f.unit) || *seen != 0 && *seen != op.Peer+1 {
		return 0, ErrFold
	}
	*seen = op.Peer + 1
	return peer, nil
}
