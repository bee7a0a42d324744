package whatif

import (
	"slices"
	"strings"
)

// Finish is the name of the quantity that [simulations.Scheduled] adds, and how those of
// [collectives.Finishes] begin.
const Finish = "finish"

// finishes reports whether a quantity is the finish of a schedule, each time by another simulation.
func finishes(name string) bool { return strings.HasPrefix(name, Finish) }

// sized reports whether one of the quantities is of messages of some size.
func sized(d Design, names []string) bool {
	return slices.ContainsFunc(names, func(name string) bool {
		q, err := d.Quantity(name, 1)
		return err != nil || q.Sized()
	})
}
