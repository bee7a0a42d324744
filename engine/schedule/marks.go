package schedule

// Marks are the marks of a program: operations of a schedule that end at a mark, and the names of
// the parts that begin there.
type Marks struct {
	Names []string
	// Ops holds the operations in ascending order, and Name the index in Names for each.
	Ops  []uint32
	Name []uint16
}
