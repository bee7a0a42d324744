package mpitrace

import (
	"strconv"
	"strings"
)

// SMPI 3.32 writes −333 both for MPI_PROC_NULL and for MPI_ANY_SOURCE, and no line at all for a
// blocking receive from the null process, or for an MPI_Sendrecv with it on one side. Rank 1 of
// three:
//
//	1 sendRecv 10 2 10 0 0 0      10 elements to rank 2, 10 from rank 0, of type 0 each
//	1 irecv -333 3 7 2
//	1 isend -333 3 7 2
//	1 reducescatter 3 3 3 0 0     3 elements for each rank, no flops, type 0
//	1 recv -333 -444 1 0          from any source, with any tag
//
// A send to −333 sends nothing. A receive from −333 takes a message as long as there are more
// messages to its rank than receives from known ranks; else it is one from the null process. An
// exchange that was left out makes the simulation end in a deadlock, as SimGrid's replay does.
const smpiUnknown = -333

// unknownPeers counts the messages without a receive that names their source, by rank and tag. It
// reads the trace when the first receive from −333 comes.
type unknownPeers struct {
	sources []Source
	open    map[[2]int64]int // by rank and tag; with smpi.anyTag those of all tags
}

// take reports whether a receive of a rank from −333 takes a message.
func (u *unknownPeers) take(rank, tag int64) (bool, error) {
	if u.open == nil {
		u.open = map[[2]int64]int{}
		for _, s := range u.sources {
			if err := u.count(s); err != nil {
				return false, err
			}
		}
	}
	if u.open[[2]int64{rank, tag}] <= 0 {
		return false, nil
	}
	u.add(rank, tag, -1)
	return true, nil
}

func (u *unknownPeers) add(rank, tag int64, n int) {
	u.open[[2]int64{rank, smpi.anyTag}] += n
	if tag != smpi.anyTag {
		u.open[[2]int64{rank, tag}] += n
	}
}

// count adds the messages of a file. Invalid lines are left to the translation.
func (u *unknownPeers) count(s Source) error {
	f, err := open(s)
	if err != nil {
		return err
	}
	defer f.Close()
	for l, err := range f.lines() {
		if err != nil {
			return err
		}
		words := strings.Fields(string(l))
		if len(words) < 5 {
			continue
		}
		n := make([]int64, len(words))
		for i, word := range words {
			n[i], _ = strconv.ParseInt(word, 10, 64)
		}
		switch name := strings.ToLower(words[1]); {
		case name == "sendrecv" && len(n) >= 6:
			u.add(n[3], 0, 1)
			if n[5] != smpiUnknown {
				u.add(n[0], 0, -1)
			}
		case strings.HasSuffix(name, "send"):
			u.add(n[2], n[3], 1)
		case strings.HasSuffix(name, "recv") && n[2] != smpiUnknown:
			u.add(n[0], n[3], -1)
		}
	}
	return nil
}
