package fleet

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// Tails names the distribution of the noise in a synthetic fleet.
type Tails string

// The tails.
const (
	Normal Tails = "normal"
	Heavy  Tails = "t, 3 degrees" // of Student's t
	Skew   Tails = "lognormal"    // σ = 0.5: the slow side has the longer tail
)

// draw is a random number of the median deviation of a standard normal one.
func (t Tails) draw(r *rand.Rand) float64 {
	z := r.NormFloat64()
	switch t {
	case Heavy:
		squares := 0.0
		for range 3 {
			x := r.NormFloat64()
			squares += x * x
		}
		return z / math.Sqrt(squares/3) * 0.6745 / 0.7649 // the quartiles of both
	case Skew:
		return (math.Exp(0.5*z) - 1) / 0.5
	}
	return z
}

// A Fault is what is planted in a made fleet: τ of a pair, of all pairs of a node, or of all pairs
// between the first Block nodes and the others, is larger by a part. The zero value is none.
type Fault struct {
	Pair  bool
	Block int
	Part  float64
}

// Made is a fleet of all pairs of some nodes, to find out what a report can tell.
type Made struct {
	Nodes int
	Noise float64 // of a run, as a part; each size scatters by a third of that about its run
	Tails Tails
	Fault Fault
}

// Entries returns the measurements of the fleet, an entry for each pair.
func (m Made) Entries(r *rand.Rand) []Entry {
	const beta, tau = 12.0, 4e-5 // µs, µs/B: 25 GB/s
	name := func(i int) string { return fmt.Sprintf("n%03d", i) }
	var entries []Entry
	for a := range m.Nodes {
		for b := a + 1; b < m.Nodes; b++ {
			slow := 1.0
			switch k := m.Fault.Block; {
			case k > 0 && (a < k) != (b < k), k == 0 && m.Fault.Pair && a == 1 && b == 3, k == 0 && !m.Fault.Pair && (a == 2 || b == 2):
				slow += m.Fault.Part
			}
			run := math.Exp(m.Noise * m.Tails.draw(r))
			t := benchfile.Table{Format: "made", Kind: benchfile.OneWay}
			for n := 8.0; n <= 32<<20; n *= 8 {
				time := quantity.Micros((beta + slow*tau*n) * run * math.Exp(m.Noise/3*m.Tails.draw(r)))
				t.Samples = append(t.Samples, benchfile.Sample{Size: quantity.Bytes(n), Count: 1, Mean: time, Min: time, Max: time, Median: time})
			}
			if c, ok := summarise(&t, []string{name(a), name(b)}, nil, nil); ok {
				entries = append(entries, Entry{Path: name(a) + "-" + name(b), Curves: []Curve{c}})
			}
		}
	}
	return entries
}

// Found makes the fleet and reports whether its fault was found; of a fleet without one, whether
// anything was.
func (m Made) Found(r *rand.Rand) bool {
	a, err := Report(m.Entries(r), nil, Options{})
	if err != nil {
		return false
	}
	for _, f := range a.Findings {
		switch {
		case m.Fault.Part == 0,
			m.Fault.Pair && f.Pair && f.Who() == "n001 n003",
			!m.Fault.Pair && !f.Pair && f.Who() == "n002":
			return true
		}
	}
	return false
}
