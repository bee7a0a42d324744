package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// A slow link between two blocks of nodes is found as that, with its effect, and no node or pair is
// blamed; a slow node, or some that are as slow among themselves, is no link.
func TestBlocks(t *testing.T) {
	for _, c := range []struct {
		made Synthetic
		want string
	}{
		{Synthetic{Nodes: 20, Fault: Fault{Block: 10, Part: 0.2}}, "link n000, n001, n002 … (10 nodes) to n010, n011, n012 … (10 nodes)"},
		{Synthetic{Nodes: 20, Fault: Fault{Block: 10, Part: 3}}, "link n000, n001, n002 … (10 nodes) to n010, n011, n012 … (10 nodes)"},
		{Synthetic{Nodes: 17, Fault: Fault{Block: 8, Part: 2.8}}, "link n000, n001, n002 … (8 nodes) to n008, n009, n010 … (9 nodes)"},
		{Synthetic{Nodes: 12, Fault: Fault{Block: 4, Part: 0.5}}, "link n000, n001, n002 … (4 nodes) to n004, n005, n006 … (8 nodes)"},
		{Synthetic{Nodes: 20, Fault: Fault{Part: 0.2}}, "node n002"},
	} {
		for seed := range uint64(3) {
			c.made.Noise, c.made.Tails = 0.02, Normal
			a, err := Report(c.made.Entries(rand.New(rand.NewPCG(seed, 1))), nil, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]bool{}
			for _, f := range a.Findings {
				if got[kindOfFinding(f)+" "+f.Who()] = true; f.Across != nil && (f.Low > c.made.Fault.Part || f.High < c.made.Fault.Part || math.Abs(f.Effect/c.made.Fault.Part-1) > 0.1) {
					t.Errorf("%+v: effect %v (%v to %v)", c.made, f.Effect, f.Low, f.High)
				}
			}
			if !got[c.want] || len(got) > 2 { // one more by chance
				t.Errorf("%+v, seed %d: %v, want %s", c.made, seed, got, c.want)
			}
		}
	}
}

// Slow nodes that are no slower among themselves than with others are slow nodes. Healthy fleets have
// no blocks, also with heavy tails.
func TestNoBlocks(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	links := func(n int, y func(a, b int) float64) (all []link) {
		for a := range n {
			for b := a + 1; b < n; b++ {
				all = append(all, link{a, b, y(a, b)})
			}
		}
		return all
	}
	check := func(what string, n int, y func(a, b int) float64) {
		all := links(n, y)
		if b, _ := findBlocks(n, all, fitTwoWay(n, all)); b != nil {
			t.Errorf("%s: blocks %v by %v, p %v", what, b.across, b.y, b.p)
		}
	}
	for k := range 4 {
		check(fmt.Sprintf("%d slow nodes", k+1), 20, func(a, b int) float64 {
			if a <= k || b <= k {
				return 0.3 + 0.01*r.NormFloat64()
			}
			return 0.01 * r.NormFloat64()
		})
	}
	for i := range 200 {
		tails := []Tails{Normal, Heavy, Skew}[i%3]
		check(string(tails), 6+i%25, func(a, b int) float64 { return 0.02 * tails.draw(r) })
	}
}
