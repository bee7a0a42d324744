package platforms

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Subject is what takes the times of a layer.
type Subject string

const (
	// Message is a message from its start to its arrival, one way.
	Message Subject = "message"
	// Stream is a message of a stream: the time is the gap to the next one; the one-way time is
	// unknown.
	Stream Subject = "stream"
	// Operation is neither one message nor a collective: an exchange, a call on one side.
	Operation Subject = "operation"
	// Collective is a collective operation.
	Collective Subject = "collective"
)

var subjects = []string{string(Message), string(Stream), string(Operation), string(Collective)}

// Timed describes the subject of a layer's times.
type Timed struct {
	Of Subject
	// Collective is the name that MPI gives the collective, in lower case ("allreduce", "bcast");
	// empty for other subjects, or if unknown.
	Collective string
	Ranks      int  // of the collective; 0: unknown
	PerRank    bool // the size is the block of one rank, as for MPI's allgather
}

func (t Timed) String() string {
	switch t.Of {
	case Stream:
		return "gap of a stream"
	case Collective:
		text := cmp.Or(t.Collective, "collective")
		switch {
		case t.Ranks == 1:
			text += ", 1 rank"
		case t.Ranks > 1:
			text += fmt.Sprintf(", %d ranks", t.Ranks)
		}
		return text
	}
	return string(t.Of)
}

// Bandwidths returns the bandwidths of a collective of n bytes that takes the time, as nccl-tests
// defines them:
//
//	algbw = S / t        busbw = f algbw
//
// Where: S = bytes of the whole buffer, n or, if n is the block of one rank, n times the ranks;
// f = 2(p−1)/p for allreduce, (p−1)/p for allgather, reduce_scatter and alltoall, 1 for bcast,
// reduce and sendrecv; p = Ranks. (NVIDIA/nccl-tests, doc/PERFORMANCE.md.) A bandwidth is 0 if
// the ranks or f are unknown, or if t is not a collective.
func (t Timed) Bandwidths(n quantity.Bytes, time quantity.Micros) (alg, bus quantity.MBps) {
	if t.Of != Collective || t.PerRank && t.Ranks == 0 {
		return 0, 0
	}
	p := float64(t.Ranks)
	if alg = quantity.MBps(float64(n) / float64(time)); t.PerRank {
		alg *= quantity.MBps(p)
	}
	factor := 0.0
	switch strings.TrimPrefix(t.Collective, "i") { // MPI's non-blocking ones
	case "allreduce":
		factor = 2 * (p - 1) / p
	case "allgather", "reduce_scatter", "reduce_scatter_block", "alltoall":
		factor = (p - 1) / p
	case "bcast", "reduce", "sendrecv":
		return alg, alg
	}
	if t.Ranks == 0 {
		factor = 0
	}
	return alg, alg * quantity.MBps(factor)
}
