// Power finds out how small a fault a fleet's report can tell, and how often it sees one where there
// is none, by planting faults in made fleets:
//
//	go run ./tools/power -fleets 1000
//
// prints a table, of which docs/validation/fleet.md has rows, for 10 to 40 nodes. Each fleet has all
// pairs of its nodes. A curve has 8 sizes from
// 8 B to 32 MiB; its time is that of a line, times what the run scatters, times what each size
// scatters by itself, a third of that. The noise is normal, Student's t with 3 degrees of freedom, or
// lognormal (with a longer tail on the slow side), each with the median deviation of a normal one.
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"sync"

	"github.com/halfpeak/halfpeak/fleet"
	"github.com/halfpeak/halfpeak/internal/parallel"
)

func main() {
	fleets := flag.Int("fleets", 1000, "fleets without a fault for each row of the table; a tenth of them for each fault, and of those of 40 nodes a fifth")
	seed := flag.Uint64("seed", 1, "of the random numbers")
	flag.Parse()
	if flag.NArg() > 0 || *fleets < 1 {
		fmt.Fprintln(os.Stderr, "usage: power [-fleets N] [-seed N]")
		os.Exit(2)
	}
	fmt.Println("| nodes | noise | tails | fleets | false alarms | pair +5 % | +10 % | +20 % | node +5 % | +10 % | +20 % |")
	fmt.Println("|---|---|---|---|---|---|---|---|---|---|---|")
	for _, nodes := range []int{10, 17, 40} {
		for _, sigma := range []float64{0.005, 0.01, 0.02, 0.05} {
			for _, tails := range []fleet.Tails{fleet.Normal, fleet.Heavy, fleet.Skew} {
				n := *fleets
				if nodes > 20 {
					n = max(1, n/5) // each has 780 curves
				}
				row(fleet.Made{Nodes: nodes, Noise: sigma, Tails: tails}, n, *seed)
			}
		}
	}
}

// row prints the share of fleets in which each fault was found, and of those without one in which
// anything was.
func row(made fleet.Made, fleets int, seed uint64) {
	faults := []fleet.Fault{{}, {Pair: true, Part: 0.05}, {Pair: true, Part: 0.10}, {Pair: true, Part: 0.20}, {Part: 0.05}, {Part: 0.10}, {Part: 0.20}}
	found, of := make([]int, len(faults)), slices.Repeat([]int{max(1, fleets/10)}, len(faults))
	of[0] = fleets
	var lock sync.Mutex
	parallel.For(fleets, func(n int) {
		for i, f := range faults {
			if n >= of[i] {
				continue
			}
			m := made
			m.Fault = f
			yes := m.Found(rand.New(rand.NewPCG(seed, uint64(n))))
			lock.Lock()
			if yes {
				found[i]++
			}
			lock.Unlock()
		}
	})
	fmt.Printf("| %d | %.1f %% | %s | %d and %d |", made.Nodes, 100*made.Noise, made.Tails, fleets, of[1])
	for i, n := range found {
		fmt.Printf(" %.1f %% |", math.Round(1000*float64(n)/float64(of[i]))/10)
	}
	fmt.Println()
}
