package fleet_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/reports/fleet"
)

// The names of files say which nodes a measurement is of.
func ExampleCheckPattern() {
	fmt.Println(fleet.CheckPattern("nccl_*_G{gpus}_{a}_{b}.log"))
	fmt.Println(fleet.CheckPattern("{a}{b}.log"))
	// Output:
	// <nil>
	// {a} and {b} need a letter between them, to show where one ends
}
