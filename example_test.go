package halfpeak_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/fit"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
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
	// 580 µs, model, limited by wire
	// 574 µs, model, limited by wire
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
	// 1.06 ms (398 µs to 4.42 ms), simulated
	// 752 µs (282 µs to 3.13 ms), simulated
}

// The output of a benchmark, fitted, and the next measurement of a size that it does not have.
func ExampleFit() {
	d, err := halfpeak.Fit([]string{"internal/demo/files/latency.txt"}, fit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := d.Ask(context.Background(), halfpeak.Message{Size: 100_000})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e)
	// Output:
	// 11.7 µs (11.1 µs to 12.3 µs), measured curve
}

// A benchmark's output that is not in a file, fitted.
func ExampleFitReader() {
	text := "size,time_us\n1024,5\n2048,7\n4096,11\n8192,19\n"
	d, err := halfpeak.FitReader(strings.NewReader(text), "times.csv", fit.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	e, err := d.Ask(context.Background(), halfpeak.Message{Size: 6000})
	fmt.Println(d.Name(), e.Time(), err)
	// Output: times/fit 14.7 µs <nil>
}

// A program in Starlark, which runs on each rank, on two machines.
func ExampleProgram() {
	ctx := context.Background()
	p, err := halfpeak.Read(ctx, []string{"internal/demo/files/jacobi.star"},
		theprogram.Reading{Ranks: []int{16}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ref := range []string{"hp-lam", "mpc"} {
		d, err := halfpeak.Open(ref)
		if err != nil {
			fmt.Println(err)
			return
		}
		e, err := d.Ask(ctx, p)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(ref, e)
	}
	// Output:
	// hp-lam 200 ms, simulated
	// mpc 109 ms, simulated
}

// What limits a collective, and what would make it 20 % faster.
func ExampleDesign_Study() {
	d, err := halfpeak.Open("hp-lam")
	if err != nil {
		fmt.Println(err)
		return
	}
	s, err := d.Study(context.Background(),
		halfpeak.Collective{Name: "allreduce", Algorithm: "ring", Ranks: 16, Size: 8 << 10})
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := s.Sensitivities()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, one := range all[:2] {
		fmt.Printf("%s: %+.2f %% for each percent\n", one.Param.Path, one.PerPercent)
	}
	now, err := s.Now()
	if err != nil {
		fmt.Println(err)
		return
	}
	changes, err := s.Target(0.8 * now)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range changes.Found {
		if c.Reached {
			fmt.Printf("%s from %s to %s\n", c.Param.Path, c.Param.Value, c.Text(c.Value))
		}
	}
	// Output:
	// constant.bulk_bandwidth: -0.60 % for each percent
	// constant.entry_words: +0.20 % for each percent
	// constant.bulk_bandwidth from 24 MB/s to 35.9 MB/s
}
