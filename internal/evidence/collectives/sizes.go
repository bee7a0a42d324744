package main

import (
	"fmt"
	"math"

	fitted "github.com/halfpeak/halfpeak/fit/collective"
)

// larger fits the sizes up to a quarter and a half of the octaves of each series, with all numbers
// of nodes, and asks for larger ones.
func (r *report) larger(s series) {
	low, high := math.Inf(1), 0.0
	for _, p := range s.points {
		low, high = min(low, octave(p)), max(high, octave(p))
	}
	for _, part := range []float64{0.25, 0.5} {
		last := low + part*(high-low)
		kept := s.sub(func(p fitted.Point) bool { return octave(p) <= last })
		predict, err := fit(kept)
		if err != nil {
			continue
		}
		most := 0.0
		for _, p := range kept.points {
			most = max(most, octave(p))
		}
		for _, p := range s.points {
			beyond := math.Round(octave(p) - most)
			if beyond < 1 {
				continue
			}
			// Distances of 2 to 2^12, in steps of four.
			group := math.Exp2(2 * math.Ceil(min(beyond, 12)/2))
			q := question{s.machine, "", fmt.Sprintf("size ×%.0f", group)}
			if r.by[q] == nil {
				r.order, r.by[q] = append(r.order, q), &tally{}
			}
			r.by[q].add(predict, p)
		}
	}
}
