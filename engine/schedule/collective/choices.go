package collective

// Choices say which algorithm runs a collective for which the program names none, and what local
// work it takes. The zero value stands for the usual ones, see [Library.Default], and no work.
type Choices struct {
	Library Library // whose choices are taken as far as they are known
	// Named are algorithms that come before those of the library, by MPI's names in lower case.
	Named map[string]Algorithm
	// Combine is the time of reductions to combine a byte, see [Call], and Copy that of a rank to
	// copy a byte of its own data, both in ns/B and at least 0.
	Combine, Copy float64
}

// CopiesOwn reports whether each rank of a collective begins with a copy of its own data from the
// send into the receive buffer, as Open MPI and MPICH do: its block, or in an allreduce its vector.
func CopiesOwn(name string) bool {
	return name == "allgather" || name == "allreduce" || name == "alltoall"
}

// Of returns the algorithm of a collective by MPI's name in lower case, such as allgather, or
// allgatherv with blocks of unequal sizes; nil if there is none. Bytes is the message of a bcast or
// reduction, 0 in a barrier, the block of a rank in a reduce-scatter, and else the message from one
// rank to another.
func (c Choices) Of(name string, ranks int, bytes uint64) Algorithm {
	if a := c.Named[name]; a != nil {
		return a
	}
	e, _ := c.Library.Default(name, ranks, bytes)
	return e.Algorithm
}
