package shard_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/shard"
)

// Task 2 of an array of 3 does its part of 100 units of work.
func Example() {
	s, err := shard.Parse("2/3")
	if err != nil {
		fmt.Println(err)
		return
	}
	from, to := s.Range(100)
	fmt.Println(s, "does units", from, "to", to-1)
	// Output:
	// 2/3 does units 34 to 66
}
