package tuner

import (
	_ "embed"
	"fmt"
	"math"
	"strings"
)

// parts is the number of parts of a time.
const parts = 4

// Parts holds the parts of a schedule's time in µs: latency, overheads of messages, bytes, sums.
type Parts [parts]float64

// Sum returns the schedule's time.
func (p Parts) Sum() float64 { return p[0] + p[1] + p[2] + p[3] }

// The nominal network, in µs, µs and µs/B. Factors of the machine are fitted.
const Latency, Overhead, PerByte = 1.4, 0.3, 1e-4

// labels and shared are the lengths of a candidate's Labels and Shared.
const labels, shared = 4, 5

// A Candidate is an algorithm in a call, which can be measured and chosen.
type Candidate struct {
	Group string // the collective; candidates of different groups have only Shared in common
	Call  int    // one of the candidates with the same Call is chosen
	// Labels name what candidates of a group have in common: the schedule, the author of its code,
	// the algorithm, the variant of the algorithm.
	Labels [labels]string
	// Shared names the factors of the parts that candidates of all groups have in common: of the
	// network, the schedule, the author of its code, the ports, and the schedule of the collective,
	// the name in [Prior].Known for factors of other machines. Empty names have no factors.
	Shared [shared]string
	Ranks  float64
	Size   float64 // bytes, at least 1
	Parts  Parts   // of the schedule's time on a nominal machine
	// Library says that it is the library's own choice, which may differ from call to call.
	Library bool
}

// place returns the candidate's place for smooth terms, in octaves: its size, its ranks, and the
// bytes of a message, in the mean over the schedule's longest path.
func (c *Candidate) place() [3]float64 {
	// On the nominal network, Parts[2]/PerByte is the bytes of the longest path and
	// Parts[0]/Latency its number of messages.
	message := c.Parts[2] / PerByte / max(1, c.Parts[0]/Latency)
	return [3]float64{math.Log2(c.Size), math.Log2(c.Ranks), math.Log2(max(1, message))}
}

// A Measurement is the time of a candidate in µs.
type Measurement struct {
	Candidate int
	Time      float64
}

// Complete gives candidates without a schedule the parts of the fastest schedule of their call, so
// that they may be the best until they are measured.
func Complete(all []Candidate) {
	// An algorithm without a schedule that was given a long time would never be measured, and one
	// with a short time always.
	least := map[int]Parts{}
	for _, c := range all {
		if l, known := least[c.Call]; c.Parts.Sum() > 0 && (!known || c.Parts.Sum() < l.Sum()) {
			least[c.Call] = c.Parts
		}
	}
	for i, c := range all {
		if c.Parts.Sum() > 0 {
			continue
		}
		all[i].Parts = least[c.Call]
		if all[i].Parts.Sum() == 0 {
			// No algorithm of the call has a schedule: a tree's latency, one overhead, and the
			// bytes once.
			all[i].Parts = Parts{Latency * math.Log2(2*c.Ranks), Overhead, PerByte * c.Size}
		}
	}
}

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
	Library float64             // of a library's own choice alone, beside Own
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
		Call:    0.2, Own: 0.05, Library: 0.4, Noise: 0.05,
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
			// The file is part of the program, so an error in it is one of the program.
			panic("known.csv: " + err.Error())
		}
		all[name] = p
	}
	return all
}
