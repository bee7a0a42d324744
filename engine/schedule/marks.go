package schedule

// Marks are what a schedule does not have of its program: operations that end at a mark, the names
// of the parts that begin there, and the work.
type Marks struct {
	Names []string
	// Ops holds the operations in ascending order, and Name the index in Names for each.
	Ops  []uint32
	Name []uint16
	// Computed is the computation that the program itself asks for, in ns over all ranks.
	// What its collectives copy and combine is not in it.
	Computed float64
}
