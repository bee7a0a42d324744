package simulate

import "slices"

// progress holds when ranks compute, in a schedule that was made of calls. A rank that computes is
// outside of the messaging library: see [machine.Presence].
type progress struct {
	calls     bool
	computing []uint64     // by clock of a processor: the end of its last computation
	outside   [][]interval // by rank: computations; nil where no message stops for them
	holds     map[uint32]stopping
	assumed   bool // see Result.Assumed
}

type interval struct{ from, to uint64 }

// A stopping is a message whose bytes stop while a rank is outside.
type stopping struct {
	since, paused uint64 // when the bytes began, and the pauses that were counted
	sent          link   // the step that sent the data
}

// outsideWithin returns for how long between two moments at least one of two ranks computes. The
// intervals of each are in order and do not overlap.
func outsideWithin(all [2][]interval, since, until uint64) (sum uint64) {
	for k, list := range all {
		first, _ := slices.BinarySearchFunc(list, since, func(x interval, t uint64) int {
			if x.to <= t {
				return -1
			}
			return 1
		})
		all[k] = list[first:]
	}
	for at := since; ; {
		k := 0
		if len(all[0]) == 0 || len(all[1]) > 0 && all[1][0].from < all[0][0].from {
			k = 1
		}
		if len(all[k]) == 0 || all[k][0].from >= until {
			return sum
		}
		x := all[k][0]
		all[k] = all[k][1:]
		from, to := max(x.from, at), min(x.to, until)
		if to > from {
			sum += to - from
			at = to
		}
	}
}
