package tune

import "math"

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
}

// place returns the candidate's place for smooth terms, in octaves: its size, its ranks, and the
// bytes of a message, in the mean over the schedule's longest path.
func (c *Candidate) place() [3]float64 {
	message := c.Parts[2] / perByte / max(1, c.Parts[0]/latency)
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
	least := map[int]Parts{}
	for _, c := range all {
		if l, known := least[c.Call]; c.Parts.sum() > 0 && (!known || c.Parts.sum() < l.sum()) {
			least[c.Call] = c.Parts
		}
	}
	for i, c := range all {
		if c.Parts.sum() > 0 {
			continue
		}
		all[i].Parts = least[c.Call]
		if all[i].Parts.sum() == 0 {
			all[i].Parts = Parts{latency * math.Log2(2*c.Ranks), overhead, perByte * c.Size}
		}
	}
}
