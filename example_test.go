package halfpeak_test

import (
	"context"
	"fmt"

	"github.com/halfpeak/halfpeak"
)

// A message before and after a change.
func ExampleDesign_Ask() {
	d, err := halfpeak.Open("clip")
	if err != nil {
		fmt.Println(err)
		return
	}
	faster, err := d.Set("host-dma.tau*=0.5")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, d := range []halfpeak.Design{d, faster} {
		e, err := d.Ask(context.Background(), halfpeak.Message{Size: 64 << 10})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v, limited by %s\n", e, e.Limit)
	}
	// Output:
	// 580.18 µs, model, limited by wire
	// 574.02 µs, model, limited by wire
}

// A collective on a layer, by an algorithm and by the best one.
func ExampleCollective() {
	d, err := halfpeak.Open("hp-lam")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, algorithm := range []string{"ring", "best"} {
		e, err := d.Ask(context.Background(),
			halfpeak.Collective{Name: "allreduce", Algorithm: algorithm, Ranks: 16, Size: 8 << 10})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e)
	}
	// Output:
	// 1058.75 µs, simulated
	// 751.67 µs, simulated
}
