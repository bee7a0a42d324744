package collective

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// minSizes is the number of common sizes from which on regimes are looked for: two lines take three
// each.
const minSizes = 6

// regimes cuts points where the line over sizes changes: by protocol, or by the algorithm that a
// library chooses. Every T(p, n) of a regime is linear in n, and so is the mean over ranks of the
// times, each relative to those of its ranks; its lines are found as those of any other curve.
func regimes(points []Point) [][]Point {
	bySize := map[quantity.Bytes][]Point{}
	level := map[int]float64{} // mean log of the times of a number of ranks
	for _, p := range points {
		bySize[p.Size] = append(bySize[p.Size], p)
		level[p.Ranks] = 0
	}
	var common []quantity.Bytes
	for n, here := range bySize {
		if len(here) == len(level) && n > 0 {
			common = append(common, n)
		}
	}
	slices.Sort(common)
	if len(common) < minSizes {
		return [][]Point{points}
	}
	for _, n := range common {
		for _, p := range bySize[n] {
			level[p.Ranks] += math.Log(float64(p.Time)) / float64(len(common))
		}
	}
	t := benchfile.Table{Format: "collective", Kind: benchfile.Operation}
	for _, n := range common {
		s := benchfile.Sample{Size: n, Count: 1}
		for _, p := range bySize[n] {
			s.Mean += 1000 * p.Time / quantity.Micros(math.Exp(level[p.Ranks])*float64(len(level)))
		}
		t.Samples = append(t.Samples, s)
	}
	lines, err := fit.Piecewise(&t, 0)
	if err != nil {
		return [][]Point{points}
	}
	parts := make([][]Point, len(lines.Segments))
	for _, p := range points {
		i := 0
		for i < len(parts)-1 && p.Size > lines.Segments[i].To {
			i++
		}
		parts[i] = append(parts[i], p)
	}
	return parts
}
