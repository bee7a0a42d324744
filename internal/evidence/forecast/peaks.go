package main

import (
	"maps"
	"math"
	"slices"
)

const (
	// wide is the smallest size at which a stream may have its highest rate.
	wide = 256 << 10
	// onePeak is the difference of the logarithms of rates of a machine that count as one.
	onePeak = 0.03
)

// peaks returns the highest rates of the curves that use selects and that are streams; each machine
// counts as one.
func peaks(curves []Curve, use func(*Curve) bool) (all [][2]float64) {
	by := map[string][]float64{}
	for i := range curves {
		c := &curves[i]
		if !use(c) || !Stream(c) || c.Points[len(c.Points)-2].Size < wide {
			continue
		}
		highest := 0.0
		for _, p := range c.Points {
			if p.Size >= wide {
				highest = max(highest, float64(p.Size)/float64(p.Time))
			}
		}
		rate := math.Log(highest)
		known := func(r float64) bool { return math.Abs(r-rate) < onePeak }
		if !slices.ContainsFunc(by[c.Machine], known) {
			by[c.Machine] = append(by[c.Machine], rate)
		}
	}
	for _, m := range slices.Sorted(maps.Keys(by)) {
		for _, r := range by[m] {
			all = append(all, [2]float64{1 / float64(len(by[m])*len(by)), r})
		}
	}
	return all
}
