package tune

import (
	_ "embed"
	"fmt"
	"strings"
)

// Prior holds the standard deviations of the terms of a logarithmic time before any measurement,
// and the distances over which the terms change. Index 0 is for a group, and index l+1 for
// candidates with the same label l.
type Prior struct {
	Shared  [shared]float64     // factor of each part, by index in [Candidate].Shared
	Known   map[string]Parts    // expected logarithms of shared factors; 0 for other names
	Factor  [labels + 1]float64 // factor of each part
	Smooth  [labels + 1]float64 // term that changes with size and ranks
	Message [2]float64          // term of bytes that changes with the bytes of a message
	Call    float64             // of all candidates of a call
	Own     float64             // of a candidate alone
	Noise   float64             // of a measurement
	Octaves [3]float64          // distances in sizes, ranks, and bytes of a message
	// Freedom is the weight of Prior in the scale of a group's deviations, in measurements.
	Freedom float64
}

// Default returns a prior of round numbers, with factors of published machines.
// docs/validation/tune.md says how they were chosen.
func Default() Prior {
	return Prior{
		Shared:  [shared]float64{1.5, 0.3, 0.5, 0.3, 0.15},
		Known:   known(),
		Factor:  [labels + 1]float64{0.3, 0.4, 0.3, 0.2, 0.4},
		Smooth:  [labels + 1]float64{0.4, 0.25, 0.2, 0.2, 0.2},
		Message: [2]float64{0.6, 0.3},
		Call:    0.2, Own: 0.05, Noise: 0.05,
		Octaves: [3]float64{8, 3, 8},
		Freedom: 5,
	}
}

//go:embed known.csv
var knownText string

// known returns the shared factors that were learned from published measurements.
func known() map[string]Parts {
	all := map[string]Parts{}
	for line := range strings.Lines(knownText) {
		name, logs, _ := strings.Cut(line, ",")
		var p Parts
		if _, err := fmt.Sscanf(logs, "%g,%g,%g,%g", &p[0], &p[1], &p[2], &p[3]); err != nil {
			panic("known.csv: " + err.Error())
		}
		all[name] = p
	}
	return all
}
