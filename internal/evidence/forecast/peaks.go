package main

import (
	"cmp"
	"maps"
	"math"
	"slices"
)

const (
	// wide is the smallest size at which a stream may have its highest rate.
	wide = 256 << 10
	// onePeak is the difference of the logarithms of rates of a machine that count as one.
	onePeak = 0.03
	// samePeak is the difference of the logarithms of rates of several machines that count as one
	// link: the deviation that calibrations take for a link's rate.
	samePeak = 0.08
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
	slices.SortFunc(all, func(a, b [2]float64) int { return cmp.Compare(a[1], b[1]) })
	return merged(all)
}

// merged joins neighbouring peaks that are less than samePeak apart, at their mean.
func merged(peaks [][2]float64) (all [][2]float64) {
	for _, p := range peaks {
		last := len(all) - 1
		if last < 0 || p[1]-all[last][1] > samePeak {
			all = append(all, p)
			continue
		}
		weight := all[last][0] + p[0]
		all[last] = [2]float64{weight, (all[last][0]*all[last][1] + p[0]*p[1]) / weight}
	}
	return all
}
