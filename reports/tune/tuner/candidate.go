package tuner

import "math"

// parts is the number of parts of a time.
const parts = 4

// Parts holds the parts of a schedule's time in µs: latency, overheads of messages, bytes, sums.
type Parts [parts]float64

// Sum returns the schedule's time.
func (p Parts) Sum() (sum float64) {
	for _, v := range p {
		sum += v
	}
	return sum
}

// The nominal network, in µs, µs and µs/B: InfiniBand EDR, rounded. The machine's factors of them
// are fitted.
const Latency, Overhead, PerByte = 1.4, 0.3, 1e-4

// A Candidate is an algorithm in a call, which can be measured and chosen.
type Candidate struct {
	Group string // the collective; candidates of a call have the same
	Call  int    // one of the candidates with the same Call is chosen
	// Names of what candidates have in common. Those of one Author may be of different groups, and
	// those of one Schedule or Variant (of an algorithm) are of one group.
	Author, Schedule, Variant string
	Ranks                     float64
	Size                      float64 // bytes, at least 1
	Parts                     Parts   // of the schedule's time on the nominal network
	// Library says that it is the library's own choice, which may differ from call to call.
	Library bool
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
