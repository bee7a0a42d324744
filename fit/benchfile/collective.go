package benchfile

import (
	"path/filepath"
	"regexp"
	"strings"
)

// A CollectiveOp describes a collective operation, as far as the file describes it.
type CollectiveOp struct {
	// Name is MPI's name in lower case: allreduce, allgather, alltoall, bcast, reduce,
	// reduce_scatter, gather, scatter, scan, exscan, with MPI's suffix v or w for varying counts
	// and prefix "i" or "neighbor_"; or sendrecv or hypercube of nccl-tests. It is empty if neither
	// the file nor its name gives the operation.
	Name string
	// Ranks is the number of ranks, PerNode the number on each node, Nodes the number of nodes; 0
	// if unknown.
	Ranks, PerNode, Nodes int
	// Algorithm is the file's name of the algorithm; empty if unknown.
	Algorithm string
	// PerRank is set if the size is the block of one rank, as OSU and IMB count it for allgather,
	// alltoall, gather and scatter. Otherwise the size is that of the whole buffer, Ranks times as
	// much, as in nccl-tests and for all other collectives. CSV and JSON files do not give this;
	// there it is not set.
	PerRank bool
	// Total is set if a column total_bytes gives the sizes, which then add up all ranks' blocks.
	Total bool
}

// place computes one of ranks, ranks on each node and nodes from the other two.
func (c *CollectiveOp) place() {
	switch {
	case c.Ranks == 0:
		c.Ranks = c.Nodes * c.PerNode
	case c.PerNode == 0 && c.Nodes > 0:
		c.PerNode = (c.Ranks + c.Nodes - 1) / c.Nodes
	case c.Nodes == 0 && c.PerNode > 0:
		c.Nodes = (c.Ranks + c.PerNode - 1) / c.PerNode
	}
}

// collectives maps the letters of collectives to [CollectiveOp.Name].
var collectives = func() map[string]string {
	all := map[string]string{"broadcast": "bcast", "ibroadcast": "ibcast"}
	for _, name := range []string{"allreduce", "allgather", "allgatherv", "alltoall", "alltoallv", "alltoallw", "reduce_scatter", "reduce_scatter_block",
		"bcast", "reduce", "gather", "gatherv", "scatter", "scatterv", "scan", "exscan", "barrier"} {
		all[letters.Replace(name)], all["i"+letters.Replace(name)] = name, "i"+name
	}
	return all
}()

var letters = strings.NewReplacer(" ", "", "_", "", "-", "")

// collectiveNamed returns the operation for a benchmark's name of it: "Allreduce", "MPI_Bcast",
// "osu_ialltoall", "all_reduce_perf", "Neighbor Allgather".
func collectiveNamed(text string) (CollectiveOp, bool) {
	name := letters.Replace(strings.ToLower(text))
	for _, prefix := range []string{"mpi", "osu", "nccl", "rccl"} {
		name = strings.TrimPrefix(name, prefix)
	}
	name = strings.TrimSuffix(strings.TrimSuffix(name, "perf"), "pure")
	name, near := strings.CutPrefix(strings.Replace(name, "neighborhood", "neighbor", 1), "neighbor")
	c, ok := collectives[name]
	if ok && near {
		c = "neighbor_" + c
	}
	return CollectiveOp{Name: c}, ok
}

// perRank returns c with PerRank set as MPI benchmarks count the size of the operation.
func (c CollectiveOp) perRank() CollectiveOp {
	base := strings.TrimPrefix(strings.TrimPrefix(c.Name, "neighbor_"), "i")
	for _, name := range []string{"allgather", "alltoall", "gather", "scatter"} {
		c.PerRank = c.PerRank || strings.HasPrefix(base, name)
	}
	return c
}

// nameWord finds the collective in the name of a file.
var nameWord = regexp.MustCompile(`(?i)(?:^|[^a-z])i?(all_?reduce|all_?gather|all_?to_?all|reduce_?scatter|bcast|broadcast)(?:[^a-z]|$)`)

func fromFileName(name string) (c CollectiveOp) {
	if m := nameWord.FindStringSubmatch(filepath.Base(name)); m != nil {
		c, _ = collectiveNamed(m[1])
	}
	return c
}
