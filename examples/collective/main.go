// Collective compares algorithms of a broadcast of 64 KiB among 64 ranks, by their schedules.
package main

import (
	"context"
	"fmt"
	"log"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

func main() {
	for _, algorithm := range []string{"linear", "binomial", "scatter-ring"} {
		entry, err := collective.Find("bcast", algorithm)
		if err != nil {
			log.Fatal(err)
		}
		schedule, err := entry.Schedule(64, collective.Call{Bytes: 64 << 10})
		if err != nil {
			log.Fatal(err)
		}
		program, err := simulate.New(schedule)
		if err != nil {
			log.Fatal(err)
		}
		times, err := program.Run(context.Background(), simulate.Options{LogGOPS: simulate.Defaults()})
		if err != nil {
			log.Fatal(err)
		}
		finish, _ := times.Finish()
		fmt.Printf("%-12s %v\n", algorithm, finish)
	}
}
