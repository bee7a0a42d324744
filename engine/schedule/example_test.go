package schedule_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
)

// A ping-pong of 8 bytes. Rank 1 answers when it has the message.
func ExampleBuilder() {
	b := schedule.NewBuilder(2)
	b.NextRank()
	b.Send(8, 1, 0)
	b.Recv(8, 1, 0)
	b.NextRank()
	ping := b.Recv(8, 0, 0)
	pong := b.Send(8, 0, 0)
	b.Requires(pong, ping)
	s, err := b.Build()
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := s.WriteText(os.Stdout); err != nil {
		fmt.Println(err)
	}
	// Output:
	// num_ranks 2
	//
	// rank 0 {
	// l1: send 8b to 1 tag 0
	// l2: recv 8b from 1 tag 0
	// }
	//
	// rank 1 {
	// l1: recv 8b from 0 tag 0
	// l2: send 8b to 0 tag 0
	// l2 requires l1
	// }
}

// What is in a schedule: each operation, and who waits for it.
func ExampleRead() {
	const file = `num_ranks 2
rank 0 {
  work: calc 5000 cpu 1
  out: send 1024b to 1 tag 7
  out requires work
}
rank 1 {
  recv 1024b from -1 tag 7
}
`
	s, err := schedule.Read(strings.NewReader(file), "app.goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	for rank := range s.Ranks() {
		lo, hi := s.Rank(rank)
		for op := lo; op < hi; op++ {
			fmt.Printf("rank %d, %q: %s\n", rank, s.Label(op), s.Ops()[op])
			for _, next := range s.AfterDone(op) {
				fmt.Printf("  then %q\n", s.Label(next))
			}
		}
	}
	// Output:
	// rank 0, "work": calc 5000 cpu 1
	//   then "out"
	// rank 0, "out": send 1024b to 1 tag 7
	// rank 1, "": recv 1024b from -1 tag 7
}

// Errors name the place.
func ExampleRead_errors() {
	_, err := schedule.Read(strings.NewReader("num_ranks 2\nrank 0 {\n send 8b to 2\n}\n"), "app.goal")
	fmt.Println(err)
	// Output:
	// app.goal:3:13: there is no rank 2, only 0 to 1 (num_ranks is 2)
}
