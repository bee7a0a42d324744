package machine_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/model/machine"
)

// Four nodes of two sockets of eight cores, and six ranks, one on each node in turn.
func Example() {
	m := machine.Machine{Levels: []machine.Level{{Name: "socket", Arity: 8}, {Name: "node", Arity: 2}, {Name: "cluster", Arity: 4}}}
	places, err := m.Place(machine.Placement{By: "node"}, 6)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Cores(), "cores; ranks are on", places)
	// Output:
	// 64 cores; ranks are on [0 16 32 48 1 17]
}
