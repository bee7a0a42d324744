package collective

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
)

// An Entry describes one algorithm of a collective.
type Entry struct {
	Collective string // MPI's word, in lower case: bcast, reduce, reduce-scatter …
	Name       string
	Help       string // its messages and options, in one line
	When       string // conditions, and the algorithm that runs otherwise; empty if unconditional

	// Names and numbers of the same algorithm in libraries. OpenMPI is the number in coll/tuned
	// (4.1), Intel that in I_MPI_ADJUST_…; 0 for none. MPICH is the value of
	// MPIR_CVAR_…_INTRA_ALGORITHM, NCCL that of NCCL_ALGO; empty for none.
	OpenMPI, Intel int
	MPICH, NCCL    string

	Params ParamSet
	Ranks  int // the only number of ranks that it supports; 0: any

	// Most is the largest number of ranks for which programs have it, so that more are tried by its
	// name alone; 0: any.
	Most int
	// Bound says that it is no algorithm but a lower bound, which no library can run.
	Bound bool

	Algorithm Algorithm
	partition partition
	symmetry  symmetry // see SymmetricSchedule
	pads      bool     // see Padded
}

// ParamSet is a set of the parameters of a Call that an algorithm reads besides Bytes.
type ParamSet uint8

const (
	Root     ParamSet = 1 << iota // Call.Root
	Segment                       // Call.Segment
	Fanout                        // Call.Fanout
	Gamma                         // Call.Gamma
	Shape                         // Call.LogP
	Blocks                        // Group.Blocks
	Channels                      // Call.Channels, and for them Call.PerNode
	PerNode                       // Call.PerNode
)

// inChunks reports whether a call may go in chunks of its own, see doubleTree.
func (e Entry) inChunks(c Call) bool {
	return e.Collective == "allreduce" && e.Name == "double-tree" && c.PerNode > 1
}

// striped reports whether a call goes by several channels.
func (e Entry) striped(c Call) bool { return e.Params&Channels != 0 && c.Channels > 1 }

// A partition describes how message sizes derive from Bytes, without segments.
type partition uint8

const (
	multiples partition = iota // multiples of Bytes
	halves                     // one half of Bytes each, or the whole
	shares                     // other parts of Bytes
)

// Padded returns e for a library that runs it even for messages with fewer elements than ranks: if
// it cuts a message into a share for each rank, a message counts as at least one element for each.
func (e Entry) Padded() Entry {
	if e.partition == shares {
		algorithm := e.Algorithm
		e.pads, e.Algorithm = true, func(p *member) {
			p.Call = e.padded(p.Size, p.Call)
			algorithm(p)
		}
	}
	return e
}

func (e Entry) padded(ranks int, c Call) Call {
	if e.pads {
		c.Bytes = max(c.Bytes, uint64(ranks)*max(c.Element, 1))
	}
	return c
}

// InBlocks reports whether Call.Bytes is the size of a member's block, and not of a message.
func (e Entry) InBlocks() bool {
	switch e.Collective {
	case "reduce-scatter", "reduce-scatter-block", "allgather", "alltoall", "gather", "scatter":
		return true
	}
	return false
}

// Check returns an error with the parameter and its range if a call among ranks is
// invalid. It ignores parameters that the algorithm does not use.
func (e Entry) Check(ranks int, c Call) error {
	fail := e.errorf
	switch {
	case ranks < 1 || ranks > maxRanks:
		return fail("the number of ranks must be 1 to %d (got %d)", maxRanks, ranks)
	case e.Ranks != 0 && ranks != e.Ranks:
		return fail("it runs on %d ranks only (got %d)", e.Ranks, ranks)
	case e.Params&Root != 0 && (c.Root < 0 || c.Root >= ranks):
		return fail("the root must be 0 to %d (got %d)", ranks-1, c.Root)
	case c.Bytes > math.MaxInt64/(2*uint64(ranks)+1):
		return fail("%d bytes for each of %d ranks are too many", c.Bytes, ranks)
	case c.Tag > maxTag:
		return fail("the tag must be 0 to %d (got %d)", uint32(maxTag), c.Tag)
	case c.Element > max(c.Bytes, 1):
		return fail("an element of %d bytes is larger than the message of %d", c.Element, c.Bytes)
	case e.Params&Segment != 0 && c.Segment > 0 &&
		c.Bytes/max(c.Segment, c.Element) > maxPieces/uint64(ranks):
		return fail("the message has more than %d segments of %d bytes, too many for %d ranks; "+
			"use larger ones",
			maxPieces/ranks, c.Segment, ranks)
	}
	return e.checkOptions(ranks, c)
}

func (e Entry) errorf(format string, args ...any) error {
	return fmt.Errorf("%s %s: "+format, append([]any{e.Collective, e.Name}, args...)...)
}

// checkOptions is Check for what only some algorithms use, beside the root and the segments.
func (e Entry) checkOptions(ranks int, c Call) error {
	fail := e.errorf
	switch {
	case e.Params&Fanout != 0 && (c.Fanout < 0 || c.Fanout > math.MaxInt32):
		return fail("the fan-out must be 1 to %d (got %d)", math.MaxInt32, c.Fanout)
	case c.Channels < 0 || c.Channels > MaxChannels:
		return fail("the channels must be 1 to %d (got %d)", MaxChannels, c.Channels)
	case c.PerNode < 0:
		return fail("the ranks of a node must be at least 1 (got %d)", c.PerNode)
	case e.Params&Gamma != 0 && !(c.Gamma >= 0 && c.Gamma*float64(c.Bytes)*float64(ranks) <= 1<<62):
		return fail("the time to combine a byte must be at least 0 and finite "+
			"(got %v ns)", c.Gamma)
	case e.Params&Shape != 0 && !finite(c.LogP):
		m := c.LogP
		return fail("L, o_s, o_r and g must be at least 0 and finite (got %v, %v, %v and %v)",
			float64(m.Latency), float64(m.SendOverhead), float64(m.ReceiveOverhead),
			float64(m.GapTime))
	}
	return nil
}

// finite reports whether all times of m are at least 0 and finite. A NaN makes the minimum NaN,
// which is not at least 0.
func finite(m model.LogP) bool {
	smallest := min(m.Latency, m.SendOverhead, m.ReceiveOverhead, m.GapTime)
	sum := m.Latency + m.SendOverhead + m.ReceiveOverhead + m.GapTime
	return smallest >= 0 && !math.IsInf(float64(sum), 0)
}

// Bounds of what Entry.Schedule makes: ranks, pieces of the message times ranks, and the tag, above
// which channels and barriers have theirs.
const (
	maxTag    = math.MaxUint32 - 4*MaxChannels
	maxRanks  = 1 << 20
	maxPieces = 1 << 26
)

// substitute returns the name of the algorithm that runs: e.Name, or what e.When gives.
func (e Entry) substitute(ranks int, c Call) string {
	c = e.padded(ranks, c)
	n, size := c.elements(), c.element()
	few := n < uint64(ranks)
	other, replaced := "", false
	switch e.Collective + " " + e.Name {
	case "bcast split-binary":
		// Open MPI does not split a message either if a segment exceeds a half, or a half is empty.
		first := min((n+1)/2*size, c.Bytes)
		other, replaced = "pipeline", ranks < 3 || n < 2 || c.Segment > c.Bytes-first
	case "bcast scatter-doubling", "bcast scatter-ring":
		other, replaced = "linear", few
	case "reduce rabenseifner", "allreduce rabenseifner":
		other, replaced = "linear", n < uint64(highest(ranks))
	case "allreduce rabenseifner-mpich":
		other, replaced = "recursive-doubling", n < uint64(highest(ranks))
	case "alltoall two-level":
		other, replaced = "pairwise", !twoLevels(ranks, c.PerNode)
	case "allreduce ring":
		other, replaced = "recursive-doubling", few
	case "allreduce segmented-ring":
		other, replaced = "ring", c.unsegmented() || n < uint64(ranks)*max(c.Segment/size, 1)
	case "allreduce hierarchical":
		other, replaced = "ring", !twoLevels(ranks, c.PerNode)
	case "allgather recursive-doubling":
		other, replaced = "bruck", !isPower(ranks)
	case "allgather neighbour-exchange":
		other, replaced = "ring", ranks%2 == 1
	}
	if !replaced {
		return e.Name
	}
	if e.Collective == "allreduce" && other == "ring" && few {
		return "recursive-doubling" // as a ring would be
	}
	return other
}

// Pattern returns a call that has the same schedule as c except for the sizes of messages, and that
// many calls share; size converts its sizes to those of c. ok is false for calls with segments,
// combinations or elements, and for those that cut a message into parts other than halves.
func (e Entry) Pattern(c Call) (pattern Call, size func(uint64) uint64, ok bool) {
	if e.Params&Segment != 0 && c.Segment > 0 || e.Params&Gamma != 0 && c.Gamma > 0 ||
		e.Params&Shape != 0 || e.inChunks(c) || c.Element > 1 || c.Bytes == 0 || e.striped(c) {
		return c, nil, false
	}
	pattern, n := c, c.Bytes
	switch {
	case e.partition == multiples:
		pattern.Bytes = 1
		return pattern, func(times uint64) uint64 { return times * n }, true
	case e.partition == halves && n >= 2:
		// The halves of an odd size differ by a byte, and every such size has the pattern of 3
		// bytes: messages of nothing, of either half, or of all.
		if pattern.Bytes = 2 + n%2; n%2 == 0 {
			return pattern, func(halves uint64) uint64 { return halves * (n / 2) }, true
		}
		parts := [...]uint64{0, n / 2, n - n/2, n}
		return pattern, func(part uint64) uint64 { return parts[part] }, true
	}
	return c, nil, false
}
