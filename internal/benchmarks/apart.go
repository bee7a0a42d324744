package benchmarks

import (
	"fmt"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/internal/fitted"
	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A run is one table of a series.
type run struct {
	name   string // of its file
	points []fitted.Point
}

// maxNamed is the number of files that a note names.
const maxNamed = 3

// apart returns a note on runs of the same calls that in the median take more than
// [fitted.AnotherSetting] times as long as the fastest; empty if there are none.
func apart(runs []run) remark.Note {
	type call struct {
		fitted.Placement
		size float64
	}
	callOf := func(p fitted.Point) call {
		return call{fitted.Placement{Ranks: p.Ranks, PerNode: p.PerNode}, float64(p.Size)}
	}
	least, count := map[call]float64{}, map[call]int{}
	for _, r := range runs {
		for _, p := range r.points {
			c, t := callOf(p), float64(p.Time)
			if count[c]++; count[c] == 1 || t < least[c] {
				least[c] = t
			}
		}
	}
	var factors []float64
	var slow []string
	repeated := 0
	for _, r := range runs {
		var ratios []float64
		for _, p := range r.points {
			if c := callOf(p); count[c] > 1 {
				ratios = append(ratios, float64(p.Time)/least[c])
			}
		}
		if len(ratios) == 0 {
			continue
		}
		repeated++
		if factor := stats.Median(ratios); factor > fitted.AnotherSetting {
			factors, slow = append(factors, factor), append(slow, r.name)
		}
	}
	if len(slow) == 0 {
		return remark.Note{}
	}
	times := fmt.Sprintf("%.0f", slices.Min(factors))
	if most := fmt.Sprintf("%.0f", slices.Max(factors)); most != times {
		times += " to " + most
	}
	names := strings.Join(slow[:min(maxNamed, len(slow))], ", ")
	if len(slow) > maxNamed {
		names += ", …"
	}
	return remark.Apart(len(slow), repeated, times, names)
}
