package collective

// Choices say which algorithm runs a collective for which the program names none. The zero value
// stands for the usual ones, see [Library.Default].
type Choices struct {
	Library Library // whose choices are taken as far as they are known
	// Named are algorithms that come before those of the library, by MPI's names in lower case.
	Named map[string]Algorithm
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
