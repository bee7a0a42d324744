package calls

import "github.com/halfpeak/halfpeak/engine/schedule/collective"

// Collectives are the algorithms of collective calls, by MPI's names in lower case: barrier, bcast,
// reduce, allreduce, gather, scatter, allgather, alltoall, reduce-scatter and scan; and of calls
// with blocks of unequal sizes: gatherv, scatterv, allgatherv and alltoallv. The Bytes of a call is
// the message of a bcast or reduction, 0 in a barrier, the block of a rank in a reduce-scatter, and
// else the message from one rank to another.
type Collectives map[string]collective.Algorithm

// Usual holds simple algorithms of MPI libraries: dissemination for a barrier, binomial trees
// to and from a root, recursive doubling for an allreduce; gather, scatter, allgather and
// alltoall are linear. A user who knows the library of the simulated machine gives others.
var Usual = Collectives{
	"barrier":   algorithm("barrier", "dissemination"),
	"bcast":     algorithm("bcast", "binomial"),
	"reduce":    algorithm("reduce", "binomial-schedgen"),
	"allreduce": algorithm("allreduce", "recursive-doubling"),
	"gather":    algorithm("gather", "linear"),
	"scatter":   algorithm("scatter", "linear"),
	// An alltoall whose messages from one rank all have the same contents.
	"allgather": algorithm("alltoall", "linear"),
	"alltoall":  algorithm("alltoall", "linear"),
	// Those of Open MPI for any number of ranks.
	"reduce-scatter": algorithm("reduce-scatter", "ring"),
	"scan":           algorithm("scan", "linear"),
	"allgatherv":     algorithm("allgather", "ring"),
	"alltoallv":      algorithm("alltoall", "linear"),
	"gatherv":        algorithm("gather", "linear"),
	"scatterv":       algorithm("scatter", "linear"),
}

// algorithm returns a registered algorithm. A name that does not exist is a mistake in this file.
func algorithm(of, name string) collective.Algorithm {
	e, err := collective.Find(of, name)
	if err != nil {
		panic(err)
	}
	return e.Algorithm
}
