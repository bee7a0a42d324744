package fleet

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

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

// A Fault is what is planted in a synthetic fleet: τ of a pair, or of all pairs of a node, is larger
// by a part. The zero value is none.
type Fault struct {
	Pair bool
	Part float64
}

// Synthetic generates a fleet of all pairs of nodes, for measuring the power of a report.
type Synthetic struct {
	Nodes int
	Noise float64 // of a run, as a part; each size scatters by a third of that about its run
	Tails Tails
	Fault Fault
}

// Entries returns the measurements of the fleet, an entry for each pair.
func (m Synthetic) Entries(r *rand.Rand) []fileSummary {
	const beta, tau = 12.0, 4e-5 // µs, µs/B: 25 GB/s
	name := func(i int) string { return fmt.Sprintf("n%03d", i) }
	var entries []fileSummary
	for a := range m.Nodes {
		for b := a + 1; b < m.Nodes; b++ {
			slow := 1.0
			if m.Fault.Pair && a == 1 && b == 3 || !m.Fault.Pair && (a == 2 || b == 2) {
				slow += m.Fault.Part
			}
			run := math.Exp(m.Noise * m.Tails.draw(r))
			t := benchfile.Table{Format: "synthetic", Kind: benchfile.OneWay}
			for n := 8.0; n <= 32<<20; n *= 8 {
				time := quantity.Micros((beta + slow*tau*n) * run *
					math.Exp(m.Noise/3*m.Tails.draw(r)))
				t.Samples = append(t.Samples,
					benchfile.Sample{Size: quantity.Bytes(n), Count: 1, Mean: time, Min: time,
						Max: time, Median: time})
			}
			if c, ok := summarise(&t, []string{name(a), name(b)}, nil, nil); ok {
				entries = append(entries,
					fileSummary{path: name(a) + "-" + name(b), curves: []curveSummary{c}})
			}
		}
	}
	return entries
}

// Found generates the fleet and reports whether its fault was found; without a fault, whether
// anything was.
func (m Synthetic) Found(r *rand.Rand) bool {
	a, err := report(m.Entries(r), nil, Options{})
	if err != nil {
		return false
	}
	for _, f := range a.Findings {
		switch {
		case m.Fault.Part == 0,
			m.Fault.Pair && f.Pair && f.subject() == "n001 n003",
			!m.Fault.Pair && !f.Pair && f.subject() == "n002":
			return true
		}
	}
	return false
}

// Residuals are what the curves of a real fleet scatter beyond what makes them slow, to generate
// healthy fleets with the same structure of noise.
type Residuals struct {
	parts   []groupSummary
	pairs   []string // keys of those measured in every group, without those reported
	healthy []string // nodes that are not reported
	names   []string
}

// NewResiduals fits the entries of a fleet, of whose groups keep chooses some.
func NewResiduals(entries []fileSummary, keep func(Group) bool) (*Residuals, error) {
	kept := slices.Clone(entries)
	for i := range kept {
		kept[i].curves = slices.DeleteFunc(slices.Clone(kept[i].curves), func(c curveSummary) bool {
			return !keep(c.Group)
		})
	}
	a, err := report(kept, nil, Options{})
	if err != nil {
		return nil, err
	}
	x := &Residuals{}
	measured := map[string]int{}
	for _, p := range a.groups {
		if m := p.Spreads[len(p.Spreads)-1].model; m != nil && m.fit != nil {
			x.parts, x.names = append(x.parts, p), m.names
			for _, u := range m.units {
				measured[u.key]++
			}
		}
	}
	reported := map[string]bool{}
	for _, f := range a.Findings {
		reported[strings.Join(f.Nodes, between)] = true
	}
	for _, key := range slices.Sorted(maps.Keys(measured)) {
		if measured[key] == len(x.parts) && !reported[key] {
			x.pairs = append(x.pairs, key)
		}
	}
	for _, n := range x.names {
		if !reported[n] {
			x.healthy = append(x.healthy, n)
		}
	}
	if len(x.pairs) == 0 || len(x.healthy) == 0 {
		return nil, errors.New("no pair was measured in all groups")
	}
	return x, nil
}

// Entries returns a healthy fleet of the same nodes. In all groups alike, each node gets the
// effects of a healthy node, drawn at random, and each pair the residuals of a pair.
func (x *Residuals) Entries(r *rand.Rand) []fileSummary {
	nodes, pairs := map[string]string{}, map[string]string{}
	for i, a := range x.names {
		nodes[a] = x.healthy[r.IntN(len(x.healthy))]
		for _, b := range x.names[i+1:] {
			pairs[a+between+b] = x.pairs[r.IntN(len(x.pairs))]
		}
	}
	e := fileSummary{path: "resampled"}
	for _, p := range x.parts {
		m := p.Spreads[len(p.Spreads)-1].model
		u, rest := map[string]float64{}, map[string]float64{}
		for i, name := range m.names {
			u[name] = m.fit.u[i]
		}
		for i, unit := range m.units {
			rest[unit.key] = m.fit.e[i]
		}
		for i, a := range x.names {
			for _, b := range x.names[i+1:] {
				v := m.centre *
					(1 + m.effect(m.fit.mu+u[nodes[a]]+u[nodes[b]]+rest[pairs[a+between+b]]))
				e.curves = append(e.curves,
					curveSummary{Group: p.Group, Nodes: []string{a, b}, Latency: quantity.Micros(v),
						Tau: quantity.MicrosPerByte(v)})
			}
		}
	}
	return []fileSummary{e}
}
