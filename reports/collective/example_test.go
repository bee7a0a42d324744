package collective_test

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/collective"
)

// Every algorithm of a broadcast of 1 KiB among 16 ranks; the best is marked.
func ExampleQuestion_Ask() {
	d, err := platforms.Open("clip")
	if err != nil {
		log.Fatal(err)
	}
	a, err := collective.Question{
		On: []collective.Subject{{Design: d, Calls: collective.Calls{Collective: "bcast",
			Algorithm: "all", Ranks: []int{16}, Sizes: []quantity.Bytes{quantity.KiB}}}}}.Ask(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range a.Times[0].Times {
		if t.Best {
			fmt.Println(t.Name, t.Time)
		}
	}
	// Output:
	// logp-optimal 89.1 µs
}
