package collective

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/usage"
)

// Algorithms lists all algorithms. Collectives are in the order bcast, reduce, allreduce,
// reduce-scatter, reduce-scatter-block, allgather, alltoall, gather, scatter, barrier, scan. Within
// a collective, Open MPI's algorithms come first, by number. The caller must not change the slice.
//
// Blocks have equal sizes, so a schedule of reduce-scatter serves both of MPI's variants. If Open
// MPI has other numbers or algorithms for the block variant, that is listed separately. Where an
// algorithm consists of two other collectives (allreduce reduce-broadcast, reduce-scatter,
// allgather linear), Open MPI chooses each by its fixed rules for the size; here they are as in
// Help.
var Algorithms = []Entry{
	{Collective: "bcast", Name: "linear", OpenMPI: 1,
		Params: Root, Algorithm: linearBroadcast,
		Help: "the root sends to one after the other, by rank"},
	{Collective: "bcast", Name: "chain", OpenMPI: 2,
		Params: Root | Segment | Fanout, Algorithm: tree(chainTree).broadcast,
		Help: "fan-out chains (default 4) begin at the root"},
	{Collective: "bcast", Name: "pipeline", OpenMPI: 3, NCCL: "ring",
		Params: Root | Segment | Channels, Algorithm: tree(lineTree).broadcast,
		Help: "one chain, in segments"},
	{Collective: "bcast", Name: "split-binary", OpenMPI: 4,
		Params: Root | Segment, partition: halves, Algorithm: splitBinaryBroadcast,
		When: "pipeline below 3 ranks, below 2 elements, and if a segment is longer than half " +
			"of the message",
		Help: "half of the message down each half of a binary tree, then exchanged in pairs"},
	{Collective: "bcast", Name: "binary", OpenMPI: 5,
		Params: Root | Segment, Algorithm: tree(binaryTree).broadcast,
		Help: "a binary tree"},
	{Collective: "bcast", Name: "binomial", OpenMPI: 6, Intel: 1,
		Params: Root | Segment, Algorithm: binomialBroadcast,
		Help: "a binomial tree, the nearest child first"},
	{Collective: "bcast", Name: "k-nomial", OpenMPI: 7, Intel: 8,
		Params: Root | Segment | Fanout, Algorithm: tree(knomialTree).broadcast,
		Help: "a binomial tree in a radix, the fan-out (default 4)"},
	{Collective: "bcast", Name: "scatter-doubling",
		OpenMPI: 8, MPICH: "scatter_recursive_doubling_allgather", Intel: 2,
		Params: Root, partition: shares, Algorithm: doublingScatterBroadcast,
		When: "linear with fewer elements than ranks",
		Help: "binomial scatter, then allgather by recursive doubling"},
	{Collective: "bcast", Name: "scatter-ring",
		OpenMPI: 9, MPICH: "scatter_ring_allgather", Intel: 3,
		Params: Root, partition: shares, Algorithm: ringScatterBroadcast,
		When: "linear with fewer elements than ranks",
		Help: "binomial scatter, then allgather around the ring"},
	{Collective: "bcast", Name: "binomial-mpich", MPICH: "binomial",
		Params: Root | Segment, Algorithm: mpichBinomial,
		Help: "a binomial tree of contiguous subtrees, the farthest child first, by blocking " +
			"sends"},
	{Collective: "bcast", Name: "logp-optimal",
		Params: Root | Segment | Shape, Algorithm: optimalBroadcast,
		Help: "each rank that has it sends it at every gap: the optimum for one word in LogP"},

	{Collective: "reduce", Name: "linear", OpenMPI: 1,
		Params: Root | Gamma, Algorithm: linearReduce,
		Help: "the root receives and combines one after the other"},
	{Collective: "reduce", Name: "chain", OpenMPI: 2,
		Params: Root | Segment | Fanout | Gamma, Algorithm: tree(chainTree).reduce,
		Help: "fan-out chains (default 4) end at the root"},
	{Collective: "reduce", Name: "pipeline", OpenMPI: 3, NCCL: "ring",
		Params: Root | Segment | Gamma | Channels, Algorithm: tree(lineTree).reduce,
		Help: "one chain, in segments"},
	{Collective: "reduce", Name: "binary", OpenMPI: 4,
		Params: Root | Segment | Gamma, Algorithm: tree(binaryTree).reduce,
		Help: "a binary tree"},
	{Collective: "reduce", Name: "binomial", OpenMPI: 5, MPICH: "binomial", Intel: 2,
		Params: Root | Segment | Gamma, Algorithm: contiguousReduce,
		Help: "a binomial tree of contiguous subtrees"},
	{Collective: "reduce", Name: "in-order-binary", OpenMPI: 6,
		Params: Root | Segment | Gamma, Algorithm: inOrderReduce,
		Help: "a binary tree that keeps the order of the ranks; the last rank sends the " +
			"result to the root"},
	{Collective: "reduce", Name: "rabenseifner",
		OpenMPI: 7, MPICH: "reduce_scatter_gather", Intel: 5,
		Params: Root | Gamma, partition: shares, Algorithm: rabenseifnerReduce,
		When: "linear with fewer elements than 2^⌊lg p⌋",
		Help: "recursive halving, then a binomial gather"},
	{Collective: "reduce", Name: "binomial-schedgen",
		Params: Root | Segment | Gamma, Algorithm: binomialReduce,
		Help: "the binomial tree of Open MPI's broadcast, upwards, as LogGOPSim's schedgen has it"},
	{Collective: "reduce", Name: "logp-optimal",
		Params: Root | Segment | Gamma | Shape, Algorithm: optimalReduce,
		Help: "bcast's tree, upwards: the optimum for one word in LogP if combining takes no time"},

	{Collective: "allreduce", Name: "linear", OpenMPI: 1,
		Params: Gamma, Algorithm: linearAllreduce,
		Help: "linear reduce and linear broadcast"},
	{Collective: "allreduce", Name: "reduce-broadcast", OpenMPI: 2, Intel: 3,
		Params: Segment | Gamma, Algorithm: reduceBroadcast,
		Help: "binomial reduce and binomial broadcast"},
	{Collective: "allreduce", Name: "recursive-doubling",
		OpenMPI: 3, MPICH: "recursive_doubling", Intel: 1,
		Params: Gamma, symmetry: exchanged, Algorithm: recursiveDoubling,
		Help: "all exchange all, over distances 1, 2, 4 …"},
	{Collective: "allreduce", Name: "ring", OpenMPI: 4, MPICH: "ring", NCCL: "ring", Intel: 8,
		Params: Gamma | Channels, partition: shares, symmetry: shifted, Algorithm: ringAllreduce,
		When: "recursive-doubling with fewer elements than ranks",
		Help: "reduce-scatter and allgather around the ring"},
	{Collective: "allreduce", Name: "segmented-ring", OpenMPI: 5,
		Params: Segment | Gamma, partition: shares, symmetry: shifted, Algorithm: segmentedRing,
		When: "ring if the shares are smaller than a segment, recursive-doubling with fewer " +
			"elements than ranks",
		Help: "ring, its reduce-scatter in phases of a segment"},
	{Collective: "allreduce", Name: "rabenseifner", OpenMPI: 6,
		Params: Gamma, partition: shares, symmetry: exchanged, Algorithm: rabenseifnerAllreduce,
		When: "linear with fewer elements than 2^⌊lg p⌋",
		Help: "recursive halving, then doubling; ranks above a power of two trade halves"},
	{Collective: "allreduce", Name: "rabenseifner-mpich",
		MPICH: "reduce_scatter_allgather", Intel: 2,
		Params: Gamma, partition: shares, symmetry: exchanged, Algorithm: mpichRabenseifner,
		When: "recursive-doubling with fewer elements than 2^⌊lg p⌋",
		Help: "recursive halving, then doubling; ranks above a power of two hand in all"},
	{Collective: "allreduce", Name: "double-tree", NCCL: "tree",
		Params: Segment | Gamma | Channels, partition: halves, Algorithm: doubleTree,
		Help: "two binary trees at once, half of the message in each; over nodes, a chain in each"},
	{Collective: "allreduce", Name: "one-shot", Most: 16,
		Params: Gamma, symmetry: shifted, Algorithm: oneShot,
		Help: "each sends all to every other, in one step, as inference engines do over a switch"},
	{Collective: "allreduce", Name: "two-shot", Most: 16,
		Params: Gamma, partition: shares, symmetry: shifted, Algorithm: twoShot,
		Help: "direct reduce-scatter, then direct allgather"},
	{Collective: "allreduce", Name: "hierarchical",
		Params: Gamma | PerNode, partition: shares, Algorithm: hierarchicalAllreduce,
		When: "ring unless there are several nodes of equally many ranks",
		Help: "reduce-scatter inside nodes, allreduce by rail between them, allgather inside"},
	{Collective: "allreduce", Name: "in-network-bound", Bound: true,
		Params: PerNode, partition: shares, Algorithm: inNetworkBound,
		Help: "a lower bound: switches combine (NVLS, SHARP), and each byte of a rank leaves " +
			"and enters it once"},

	{Collective: "reduce-scatter", Name: "reduce-scatter", OpenMPI: 1, Intel: 4,
		Params: Gamma | Blocks, Algorithm: reduceThenScatter,
		Help: "binomial reduce and linear scatter"},
	{Collective: "reduce-scatter", Name: "recursive-halving",
		OpenMPI: 2, MPICH: "recursive_halving", Intel: 1,
		Params: Gamma | Blocks, symmetry: exchanged, Algorithm: halvingReduceScatter,
		Help: "exchange halves of the remaining blocks, over distances … 4, 2, 1"},
	{Collective: "reduce-scatter", Name: "ring", OpenMPI: 3, NCCL: "ring",
		Params: Gamma | Blocks | Channels, symmetry: shifted, Algorithm: ringReduceScatter,
		Help: "partial sums travel around the ring"},
	{Collective: "reduce-scatter", Name: "butterfly", OpenMPI: 4, MPICH: "noncommutative",
		Params: Gamma | Blocks, Algorithm: butterflyReduceScatter,
		Help: "exchange halves over distances 1, 2, 4 …, then put the blocks right"},
	{Collective: "reduce-scatter", Name: "pairwise", MPICH: "pairwise", Intel: 2,
		Params: Gamma | Blocks, symmetry: shifted, Algorithm: pairwiseReduceScatter,
		Help: "step s: to the rank s above, from the rank s below"},

	{Collective: "reduce-scatter-block", Name: "reduce-scatter", OpenMPI: 1,
		Params: Gamma, Algorithm: reduceThenScatter,
		Help: "binomial reduce and linear scatter"},
	{Collective: "reduce-scatter-block", Name: "recursive-doubling",
		OpenMPI: 2, MPICH: "recursive_doubling",
		Params: Gamma, Algorithm: doublingReduceScatter,
		Help: "all exchange the blocks that they still need, over distances 1, 2, 4 …"},
	{Collective: "reduce-scatter-block", Name: "recursive-halving",
		OpenMPI: 3, MPICH: "recursive_halving",
		Params: Gamma, symmetry: exchanged, Algorithm: halvingReduceScatter,
		Help: "exchange halves of the remaining blocks, over distances … 4, 2, 1"},
	{Collective: "reduce-scatter-block", Name: "butterfly", OpenMPI: 4, MPICH: "noncommutative",
		Params: Gamma, symmetry: exchanged, Algorithm: blockButterfly,
		Help: "butterfly whose blocks are put in order beforehand if the number of ranks is a " +
			"power of two"},

	{Collective: "allgather", Name: "linear", OpenMPI: 1,
		Params: Blocks, Algorithm: linearAllgather,
		Help: "linear gather and linear broadcast"},
	{Collective: "allgather", Name: "bruck", OpenMPI: 2, MPICH: "brucks", Intel: 2,
		Params: Blocks, symmetry: shifted, Algorithm: bruckAllgather,
		Help: "each rank sends all its blocks to the rank 1, 2, 4 … below"},
	{Collective: "allgather", Name: "recursive-doubling",
		OpenMPI: 3, MPICH: "recursive_doubling", Intel: 1,
		Params: Blocks, symmetry: exchanged, Algorithm: doublingAllgather,
		When: "bruck if the number of ranks is not a power of two",
		Help: "all exchange all that they have, over distances 1, 2, 4 …"},
	{Collective: "allgather", Name: "ring", OpenMPI: 4, MPICH: "ring", NCCL: "ring", Intel: 3,
		Params: Blocks | Channels, symmetry: shifted, Algorithm: ringAllgather,
		Help: "blocks travel around the ring"},
	{Collective: "allgather", Name: "neighbour-exchange", OpenMPI: 5,
		Params: Blocks, Algorithm: neighbourAllgather,
		When: "ring if the number of ranks is odd",
		Help: "two blocks to either neighbour in turns"},
	{Collective: "allgather", Name: "two-processes", OpenMPI: 6,
		Ranks: 2, Params: Blocks, Algorithm: ringAllgather,
		Help: "one exchange"},

	{Collective: "alltoall", Name: "linear", OpenMPI: 1, MPICH: "scattered", Intel: 2,
		Params: Blocks, symmetry: shifted, Algorithm: linearAlltoall,
		Help: "all messages at once"},
	{Collective: "alltoall", Name: "pairwise", OpenMPI: 2, MPICH: "pairwise", Intel: 3,
		Params: Blocks, symmetry: shifted, Algorithm: pairwiseAlltoall,
		Help: "step s: to the rank s above, from the rank s below"},
	{Collective: "alltoall", Name: "bruck", OpenMPI: 3, MPICH: "brucks", Intel: 1,
		symmetry: shifted, Algorithm: bruckAlltoall,
		Help: "blocks travel 1, 2, 4 … ranks, half of them in each round"},
	{Collective: "alltoall", Name: "linear-sync", OpenMPI: 4,
		Params: Fanout | Blocks, symmetry: shifted, Algorithm: syncAlltoall,
		Help: "linear, with at most fan-out messages (default 4) under way in each direction"},
	{Collective: "alltoall", Name: "two-processes", OpenMPI: 5,
		Ranks: 2, Params: Blocks, Algorithm: linearAlltoall,
		Help: "one exchange"},

	{Collective: "alltoall", Name: "two-level",
		Params: PerNode, Algorithm: twoLevelAlltoall,
		When: "pairwise unless there are several nodes of equally many ranks",
		Help: "blocks gathered inside nodes by the number of their receiver, then by rail " +
			"between nodes (PXN)"},

	{Collective: "gather", Name: "linear", OpenMPI: 1,
		Params: Root | Blocks, Algorithm: linearGather,
		Help: "all send to the root"},
	{Collective: "gather", Name: "binomial", OpenMPI: 2, MPICH: "binomial", Intel: 1,
		Params: Root | Blocks, Algorithm: binomialGather,
		Help: "up a binomial tree"},
	{Collective: "gather", Name: "linear-sync", OpenMPI: 3,
		Params: Root | Segment, partition: shares, Algorithm: syncGather,
		Help: "the root asks each; it answers with a segment (default 1024 bytes), then with " +
			"the rest"},

	{Collective: "scatter", Name: "linear", OpenMPI: 1,
		Params: Root | Blocks, Algorithm: linearScatter,
		Help: "the root sends to one after the other, by blocking sends"},
	{Collective: "scatter", Name: "binomial", OpenMPI: 2, MPICH: "binomial", Intel: 1,
		Params: Root | Blocks, Algorithm: binomialScatter,
		Help: "down a binomial tree, the farthest child first, by blocking sends"},
	{Collective: "scatter", Name: "linear-nonblocking", OpenMPI: 3,
		Params: Root | Blocks, Algorithm: nonblockingScatter,
		Help: "linear; its sends do not wait for each other"},

	{Collective: "barrier", Name: "linear", OpenMPI: 1,
		Algorithm: linearBarrier,
		Help:      "all report to rank 0, which answers all"},
	{Collective: "barrier", Name: "double-ring", OpenMPI: 2,
		Algorithm: doubleRingBarrier,
		Help:      "a token goes around twice"},
	{Collective: "barrier", Name: "recursive-doubling", OpenMPI: 3, Intel: 2,
		symmetry: exchanged, Algorithm: doublingBarrier,
		Help: "all exchange, over distances 1, 2, 4 …"},
	{Collective: "barrier", Name: "dissemination", OpenMPI: 4, MPICH: "k_dissemination", Intel: 1,
		symmetry: shifted, Algorithm: dissemination,
		Help: "to the rank 1, 2, 4 … above (Open MPI calls it Bruck)"},
	{Collective: "barrier", Name: "two-processes", OpenMPI: 5,
		Ranks: 2, Algorithm: dissemination,
		Help: "one exchange"},
	{Collective: "barrier", Name: "tree", OpenMPI: 6,
		Algorithm: treeBarrier,
		Help:      "up a binomial tree and down again"},

	{Collective: "scan", Name: "linear", OpenMPI: 1,
		Params: Segment | Gamma, Algorithm: linearScan,
		Help: "partial results travel along the ranks"},
	{Collective: "scan", Name: "recursive-doubling", OpenMPI: 2, MPICH: "recursive_doubling",
		Params: Gamma, Algorithm: doublingScan,
		Help: "all exchange totals of their blocks, over distances 1, 2, 4 …"},
}

func linearBroadcast(p *member) {
	p.Segment = 0
	p.star().broadcast(p)
}

// Find returns the algorithm of that name, or of that name in NCCL; without one, the entry of the
// collective alone. It also accepts "broadcast" for bcast, and underscores for hyphens. The error
// of an unknown name suggests the closest one, or lists all.
func Find(collective, name string) (Entry, error) {
	all := Of(collective)
	if all != nil && name == "" {
		return Entry{Collective: all[0].Collective}, nil
	}
	name = strings.ReplaceAll(strings.ToLower(name), "_", "-")
	at := slices.IndexFunc(all, func(e Entry) bool { return e.Name == name })
	if at < 0 && name != "" {
		at = slices.IndexFunc(all, func(e Entry) bool { return e.NCCL == name })
	}
	if at >= 0 {
		return all[at], nil
	}
	if all != nil {
		names := list.Map(all, func(e Entry) string { return e.Name })
		return Entry{}, fmt.Errorf("%s has no algorithm %q%s", all[0].Collective, name,
			usage.Hint(name, names))
	}
	if of, algorithm, both := strings.Cut(collective, "/"); both && Of(of) != nil {
		return Entry{}, usage.Fields(fmt.Errorf("no collective %q; give %s, and the algorithm %q "+
			"by itself", collective, of, algorithm), "algorithm")
	}
	collectives := list.Map(Algorithms, func(e Entry) string { return e.Collective })
	return Entry{}, fmt.Errorf("no collective %q%s", collective,
		usage.Hint(collective, slices.Compact(collectives)))
}

// Of returns all algorithms of a collective, under any name that Find accepts; nil if it is
// unknown. The caller must not change the slice.
func Of(collective string) []Entry { return byCollective()[canonical(collective)] }

var byCollective = sync.OnceValue(func() map[string][]Entry {
	all := map[string][]Entry{}
	for _, e := range Algorithms {
		all[e.Collective] = append(all[e.Collective], e)
	}
	for c := range all {
		all[c] = slices.Clip(all[c])
	}
	return all
})

func canonical(collective string) string {
	c := strings.ReplaceAll(strings.ToLower(collective), "_", "-")
	if c == "broadcast" {
		return "bcast"
	}
	return c
}

// An algorithm with conditions calls the one that Runs returns, in each of its channels.
func init() {
	for i := range Algorithms {
		if e := &Algorithms[i]; e.When != "" {
			own := e.Algorithm
			e.Algorithm = func(p *member) {
				if other := e.Runs(p.Size, p.Call); other.Name != e.Name {
					other.Algorithm(p)
				} else {
					own(p)
				}
			}
		}
		if e := &Algorithms[i]; e.Params&Channels != 0 {
			e.Algorithm = striped(e.Algorithm, e.InBlocks())
		}
	}
}

// Runs returns the algorithm that the schedule follows: e, or the substitute that e.When gives.
func (e Entry) Runs(ranks int, c Call) Entry {
	name := e.substitute(ranks, c)
	if name == e.Name {
		return e
	}
	other, _ := Find(e.Collective, name) // the registry has every substitute
	return other
}
