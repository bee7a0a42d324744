package collective_test

import (
	"fmt"
	"os"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// A broadcast of 1 MiB among 3 ranks.
func ExampleAlgorithm_Schedule() {
	broadcast, err := collective.Find("bcast", "binomial")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := broadcast.Schedule(3, collective.Call{Bytes: 1 << 20})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// num_ranks 3
	//
	// rank 0 {
	// l1: send 1048576b to 1 tag 0
	// l2: send 1048576b to 2 tag 0
	// }
	//
	// rank 1 {
	// l1: recv 1048576b from 0 tag 0
	// }
	//
	// rank 2 {
	// l1: recv 1048576b from 0 tag 0
	// }
}

// Two ranks of three meet between two computations.
func ExampleAlgorithm_Add() {
	barrier, err := collective.Find("barrier", "dissemination")
	if err != nil {
		fmt.Println(err)
		return
	}
	members := []uint32{0, 2}
	b := schedule.NewBuilder(3)
	for range 3 {
		rank := b.NextRank()
		if rank == 1 {
			continue
		}
		before := b.Calc(1000)
		group := collective.Group{Size: 2, Place: rank / 2, Members: members}
		end := barrier.Algorithm.Add(b, group, collective.Call{}, before)
		after := b.Calc(2000)
		for _, op := range end {
			b.Requires(after, op)
		}
	}
	s, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// num_ranks 3
	//
	// rank 0 {
	// l1: calc 1000
	// l2: send 0b to 2 tag 0
	// l2 requires l1
	// l3: recv 0b from 2 tag 0
	// l3 requires l1
	// l4: calc 2000
	// l4 requires l2
	// l4 requires l3
	// }
	//
	// rank 1 {
	// }
	//
	// rank 2 {
	// l1: calc 1000
	// l2: send 0b to 0 tag 0
	// l2 requires l1
	// l3: recv 0b from 0 tag 0
	// l3 requires l1
	// l4: calc 2000
	// l4 requires l2
	// l4 requires l3
	// }
}
