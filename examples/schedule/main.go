// Schedule simulates a program of two ranks that send and compute, and prints when each rank is
// finished.
package main

import (
	"context"
	"fmt"
	"log"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

const program = `num_ranks 2
rank 0 {
there: send 1024b to 1
}
rank 1 {
there: recv 1024b from 0
work: calc 5000
work requires there
}`

func main() {
	s, err := schedule.Read(strings.NewReader(program), "program.goal")
	if err != nil {
		log.Fatal(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		log.Fatal(err)
	}
	times, err := p.Run(context.Background(), simulate.Options{LogGOPS: simulate.Defaults()})
	if err != nil {
		log.Fatal(err)
	}
	for rank, ticks := range times.Ranks {
		fmt.Printf("rank %d is finished after %v\n", rank, times.Micros(ticks))
	}
}
