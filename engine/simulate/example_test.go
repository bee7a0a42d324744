package simulate_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/platforms"
)

// Rank 0 sends 1 KiB, rank 1 works on it for 5 µs and sends it back, as in
// docs/simulate.md.
const thereAndBack = `num_ranks 2
rank 0 {
there: send 1024b to 1
back: recv 1024b from 1
back requires there
}
rank 1 {
there: recv 1024b from 0
work: calc 5000
work requires there
back: send 1024b to 0
back requires work
}
`

func Example() {
	s, err := schedule.Read(strings.NewReader(thereAndBack), "there-and-back.goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := simulate.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	w, err := p.Why(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults}, 0.10)
	if err != nil {
		fmt.Println(err)
		return
	}
	finish, rank := w.Result.Finish()
	fmt.Printf("rank %d finishes last, after %v\n", rank, finish)
	for _, part := range w.Path.Shares.Parts() {
		if part.Ticks > 0 {
			fmt.Printf("%-12s %v\n", part.Name, w.Result.Micros(part.Ticks))
		}
	}
	latency := w.Tolerances[0][0]
	fmt.Printf("∂T/∂L = %d; with L = %.2f µs it is 10 %% later\n", w.Path.Slopes.L, latency.Value)
	// Output:
	// rank 0 finishes last, after 28.3 µs
	// L            5 µs
	// o_s          3 µs
	// o_r          3 µs
	// G·bytes      12.3 µs
	// computation  5 µs
	// ∂T/∂L = 2; with L = 3.91 µs it is 10 % later
}

// The same program between hosts of a published cluster.
func ExampleFromLayer() {
	d, err := platforms.Open("clip")
	if err != nil {
		fmt.Println(err)
		return
	}
	layer := d.Layer
	machine, err := simulate.FromLayer(layer, simulate.NoLimit)
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := schedule.Read(strings.NewReader(thereAndBack), "there-and-back.goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := simulate.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := p.Run(context.Background(), simulate.Setup{Machine: machine})
	if err != nil {
		fmt.Println(err)
		return
	}
	finish, _ := r.Finish()
	fmt.Println(finish, "of which 5 µs are work; the model says", 2*layer.OneWay(1024), "for the messages")
	// Output:
	// 54.4 µs of which 5 µs are work; the model says 49.4 µs for the messages
}

// A program of two ranks that send and compute, and when each rank is finished.
func ExampleProgram_Run() {
	const program = `num_ranks 2
rank 0 {
there: send 1024b to 1
}
rank 1 {
there: recv 1024b from 0
work: calc 5000
work requires there
}`
	s, err := schedule.Read(strings.NewReader(program), "program.goal")
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := simulate.New(s)
	if err != nil {
		fmt.Println(err)
		return
	}
	times, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults})
	if err != nil {
		fmt.Println(err)
		return
	}
	for rank, ticks := range times.Ranks {
		fmt.Printf("rank %d is finished after %v\n", rank, times.Micros(ticks))
	}
	// Output:
	// rank 0 is finished after 7.638 µs
	// rank 1 is finished after 16.6 µs
}

// Algorithms of a broadcast of 64 KiB among 64 ranks, by their schedules.
func Example_collective() {
	for _, algorithm := range []string{"linear", "binomial", "scatter-ring"} {
		entry, err := collective.Find("bcast", algorithm)
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := entry.Schedule(64, collective.Call{Bytes: 64 << 10})
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := simulate.New(s)
		if err != nil {
			fmt.Println(err)
			return
		}
		times, err := p.Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults})
		if err != nil {
			fmt.Println(err)
			return
		}
		finish, _ := times.Finish()
		fmt.Printf("%-12s %v\n", algorithm, finish)
	}
	// Output:
	// linear       24.9 ms
	// binomial     2.46 ms
	// scatter-ring 1.15 ms
}
