package shard_test

import (
	"fmt"

	"github.com/halfpeak/halfpeak/shard"
)

// Task 2 of an array of 3 does its part of the work.
func Example() {
	s, err := shard.Parse("2/3")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("shard", s.Index, "of", s.Count)
	// Output:
	// shard 2 of 3
}
