package fleet_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/reports/fleet"
)

// The names of files say which nodes a measurement is of.
func ExampleParsePattern() {
	p, err := fleet.ParsePattern("nccl_*_G{gpus}_{a}_{b}.log")
	if err != nil {
		fmt.Println(err)
		return
	}
	nodes, labels, ok := p.Match("nccl_2026_G8_node01_node17.log")
	fmt.Println(nodes, labels, ok)
	// Output:
	// [node01 node17] [gpus=8] true
}
