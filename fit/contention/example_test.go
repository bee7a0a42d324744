package contention_test

import (
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/fit/contention"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Two nodes of four cores, from the one-way times within a node and between nodes.
func ExampleNew() {
	sizes := []quantity.Bytes{8, 1024, 65536}
	e, err := contention.New([]contention.Level{
		{Name: "node", Holds: 4, Sizes: sizes, OneWay: []quantity.Micros{0.4, 0.6, 8}},
		{Name: "cluster", Holds: 2, Sizes: sizes, OneWay: []quantity.Micros{1.4, 2, 9}},
	}, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range e.Machine(contention.Plain()).Levels {
		fmt.Println(l.Name, l.Layer.OneWay(8))
	}
	// Output:
	// node 0.400 µs
	// cluster 1.40 µs
}
