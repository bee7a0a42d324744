package collectives_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/ask/collectives"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Every algorithm of a broadcast of 1 KiB among 16 ranks; the best is marked.
func ExampleQuestion() {
	d, err := whatif.Find("clip")
	if err != nil {
		log.Fatal(err)
	}
	times, err := collectives.Question{
		Calls: collectives.Calls{Collective: "bcast", Algorithm: "all", Ranks: []int{16}, Sizes: []quantity.Bytes{quantity.KiB}},
		Layer: d.Layer,
	}.Compute(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range times.Times {
		if t.Best {
			fmt.Println(t.Name, t.Time)
		}
	}
	// Output:
	// logp-optimal 89.05 µs
}
