package fleet

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/halfpeak/halfpeak/internal/parallel"
)

var (
	powerFleets = flag.Int("fleets", 0,
		"fleets without a fault for each row of TestPower; a tenth of them for each fault, and "+
			"of those of 40 nodes a fifth")
	powerFolder = flag.String("resample", "",
		"folder of a real fleet, whose residuals make the healthy fleets of TestPower")
	powerSeed = flag.Uint64("seed", 1, "of the random numbers of TestPower")
)

// TestPower measures how small a fault a report finds, and how often it reports one where there is
// none, in synthetic fleets with planted faults:
//
//	go test ./reports/fleet -run TestPower -v -timeout 0 -fleets 1000
//	go test ./reports/fleet -run TestPower -v -timeout 0 -fleets 1000 -resample DIR
//
// The first prints a table, of which docs/tables/fleet.csv has rows, for 10 to 40 nodes. Each
// fleet has all pairs of its nodes. A curve has 8 sizes from 8 B to 32 MiB; its time is that of a
// line, times the noise of the run, times noise of a third of that at each size. The noise is
// normal, Student's t with 3 degrees of freedom, or lognormal (with a longer tail on the slow
// side), each with the median deviation of a normal one. The second generates healthy fleets from
// the residuals of the fleet in DIR, and prints in how many of them anything is reported.
func TestPower(t *testing.T) {
	switch {
	case *powerFleets < 1:
		t.Skip("it takes minutes; -fleets 1000 runs it")
	case *powerFolder != "":
		if err := printHealthy(*powerFolder, *powerFleets, *powerSeed); err != nil {
			t.Fatal(err)
		}
		return
	}
	fmt.Println("nodes,noise_percent,tails,healthy_fleets,faulty_fleets,false_alarm_percent," +
		"pair_5_percent,pair_10_percent,pair_20_percent," +
		"node_5_percent,node_10_percent,node_20_percent")
	for _, nodes := range []int{10, 17, 40} {
		for _, sigma := range []float64{0.005, 0.01, 0.02, 0.05} {
			for _, tails := range []Tails{Normal, Heavy, Skew} {
				n := *powerFleets
				if nodes > 20 {
					n = max(1, n/5) // each has 780 curves
				}
				printPower(Synthetic{Nodes: nodes, Noise: sigma, Tails: tails}, n, *powerSeed)
			}
		}
	}
}

// printHealthy prints the share of alarms among fleets with the residuals of a real one: of its
// groups with each number of ranks a node, and of all together.
func printHealthy(dir string, fleets int, seed uint64) error {
	entries, _, err := readFiles(context.Background(), []string{dir}, Options{}, nil)
	if err != nil {
		return err
	}
	ranks := map[int]bool{0: true} // 0: all
	for _, e := range entries {
		for _, c := range e.curves {
			ranks[c.Group.ranksPerNode()] = true
		}
	}
	fmt.Println("| ranks a node | fleets | alarms |")
	fmt.Println("|---|---|---|")
	for _, k := range slices.Sorted(maps.Keys(ranks)) {
		x, err := NewResiduals(entries, func(g Group) bool {
			return k == 0 || g.ranksPerNode() == k
		})
		if err != nil {
			return err
		}
		var alarms atomic.Int32
		parallel.For(fleets, func(n int) {
			a, err := report(x.Entries(rand.New(rand.NewPCG(seed, uint64(n)))), nil, Options{})
			if err == nil && len(a.Findings) > 0 {
				alarms.Add(1)
			}
		})
		name := strconv.Itoa(k)
		if k == 0 {
			name = "all"
		}
		fmt.Printf("| %s | %d | %.1f %% |\n", name, fleets,
			100*float64(alarms.Load())/float64(fleets))
	}
	return nil
}

// printPower prints the share of fleets in which each fault was found, and of those without one in
// which anything was.
func printPower(made Synthetic, fleets int, seed uint64) {
	faults := []Fault{{}, {Pair: true, Part: 0.05}, {Pair: true, Part: 0.10},
		{Pair: true, Part: 0.20}, {Part: 0.05}, {Part: 0.10}, {Part: 0.20}}
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
	fmt.Printf("%d,%.1f,%q,%d,%d", made.Nodes, 100*made.Noise, made.Tails, fleets, of[1])
	for i, n := range found {
		fmt.Printf(",%.1f", math.Round(1000*float64(n)/float64(of[i]))/10)
	}
	fmt.Println()
}
