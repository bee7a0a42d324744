package collective_test

import (
	"context"
	"math"
	"math/bits"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	engine "github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A wire is a machine on which messages cost whole nanoseconds: fixed parts, and parts for each
// byte. Whole numbers leave nothing to rounding.
type wire struct {
	name                                       string
	send, latency, receive, gap                float64
	sendByte, streamByte, receiveByte, gapByte float64
	slower                                     float64 // how much longer the way in takes than the way out
}

func (w wire) Level(from, to int) int { return 0 }

func (w wire) Cost(_ int, n uint64) machine.Cost {
	us := func(fixed, perByte float64) quantity.Micros {
		return quantity.Micros((fixed + perByte*float64(n)) / 1e3)
	}
	return machine.Cost{
		Send:          us(w.send, w.sendByte),
		Latency:       us(w.latency, 0),
		Serialization: us(0, w.streamByte),
		Receive:       us(w.receive, w.receiveByte),
		Gap:           us(w.gap, w.gapByte),
		ReceiveGap:    us(w.gap+w.slower, w.gapByte),
	}
}

var wires = []wire{
	{name: "hockney", latency: 1000, gap: 1000, streamByte: 3, gapByte: 3},
	{name: "LogGP", send: 200, latency: 900, receive: 300, gap: 700, streamByte: 2, gapByte: 2},
	{name: "busy processors", send: 500, latency: 1500, receive: 600, gap: 100,
		sendByte: 1, streamByte: 1, receiveByte: 1, gapByte: 1},
	{name: "slow way in", send: 100, latency: 1200, receive: 100, gap: 300, streamByte: 2, gapByte: 2, slower: 400},
	{name: "copies of two", send: 300, latency: 700, gap: 400, sendByte: 2, streamByte: 1, gapByte: 3},
	{name: "a slow copy", send: 800, latency: 300, gap: 500, sendByte: 4, streamByte: 1, gapByte: 2},
	{name: "one copy", latency: 1000, gap: 400, receive: 50, streamByte: 2, receiveByte: 1, gapByte: 2},
}

func programOf(t *testing.T, e collective.Entry, p int, c collective.Call) *engine.Program {
	t.Helper()
	s, err := e.Schedule(p, c)
	if err != nil {
		t.Fatal(err)
	}
	program, err := engine.New(s)
	if err != nil {
		t.Fatal(err)
	}
	return program
}

// timeOf is how long a program takes, in ns.
func timeOf(t *testing.T, p *engine.Program, m engine.Machine) float64 {
	t.Helper()
	r, err := p.Run(context.Background(), engine.Setup{Machine: m})
	if err != nil {
		t.Fatal(err)
	}
	return float64(slices.Max(r.Ranks)) / 1e3
}

// The simulated schedules take as long as the literature says, in Hockney's model: a message of n
// bytes takes α + nβ, and combining n bytes takes nγ. n is Call.Bytes, the whole message or a block;
// the papers also write n for all p blocks together. The sources:
//
//   - [trg] Thakur, Rabenseifner, Gropp, Optimization of collective communication operations in
//     MPICH, 2005, sections 4.1 to 4.5
//   - [pg] Pjesivac-Grbovic and others, Performance analysis of MPI collective operations, 2007,
//     the tables of Hockney's model
func TestFormulas(t *testing.T) {
	const alpha, beta, gamma = 1000, 3, 2 // ns and ns/B, as in the first wire
	lg := func(p float64) float64 { return float64(bits.Len(uint(p - 1))) }
	power := func(p int) bool { return p&(p-1) == 0 }
	always := func(int) bool { return true }
	const segments = 4 // of the pipelines
	for _, f := range []struct {
		source, collective, name string
		holds                    func(ranks int) bool
		time                     func(p, n float64) float64
	}{
		{"[pg]", "bcast", "linear", always, func(p, n float64) float64 {
			return (p - 1) * (alpha + n*beta)
		}},
		{"[pg]", "bcast", "pipeline", always, func(p, n float64) float64 {
			return (p - 2 + segments) * (alpha + n/segments*beta)
		}},
		{"[trg] 4.1", "bcast", "binomial-mpich", always, func(p, n float64) float64 {
			return lg(p) * (alpha + n*beta)
		}},
		{"[trg] 4.1", "bcast", "scatter-doubling", power, func(p, n float64) float64 {
			return 2*lg(p)*alpha + 2*n*(p-1)/p*beta
		}},
		{"[trg] 4.1", "bcast", "scatter-ring", power, func(p, n float64) float64 {
			return (lg(p)+p-1)*alpha + 2*n*(p-1)/p*beta
		}},
		{"[trg] 4.1", "scatter", "binomial", power, func(p, n float64) float64 {
			return lg(p)*alpha + n*(p-1)*beta
		}},
		{"[pg]", "gather", "linear", always, func(p, n float64) float64 {
			return (p - 1) * (alpha + n*beta)
		}},
		{"[trg] 4.2", "allgather", "ring", always, func(p, n float64) float64 {
			return (p-1)*alpha + n*(p-1)*beta
		}},
		{"[trg] 4.2", "allgather", "recursive-doubling", power, func(p, n float64) float64 {
			return lg(p)*alpha + n*(p-1)*beta
		}},
		{"[trg] 4.2", "allgather", "bruck", always, func(p, n float64) float64 {
			return lg(p)*alpha + n*(p-1)*beta
		}},
		{"[trg] 4.3", "reduce-scatter", "recursive-halving", power, func(p, n float64) float64 {
			return lg(p)*alpha + n*(p-1)*(beta+gamma)
		}},
		{"[trg] 4.3", "reduce-scatter", "pairwise", always, func(p, n float64) float64 {
			return (p-1)*alpha + n*(p-1)*(beta+gamma)
		}},
		{"[trg] 4.4", "reduce", "binomial", power, func(p, n float64) float64 {
			return lg(p) * (alpha + n*beta + n*gamma)
		}},
		{"[trg] 4.4", "reduce", "rabenseifner", power, func(p, n float64) float64 {
			return 2*lg(p)*alpha + 2*n*(p-1)/p*beta + n*(p-1)/p*gamma
		}},
		{"[trg] 4.5", "allreduce", "recursive-doubling", power, func(p, n float64) float64 {
			return lg(p) * (alpha + n*beta + n*gamma)
		}},
		{"[trg] 4.5", "allreduce", "rabenseifner-mpich", power, func(p, n float64) float64 {
			return 2*lg(p)*alpha + 2*n*(p-1)/p*beta + n*(p-1)/p*gamma
		}},
		{"[pg]", "allreduce", "ring", always, func(p, n float64) float64 {
			return 2*(p-1)*alpha + 2*n*(p-1)/p*beta + n*(p-1)/p*gamma
		}},
		{"steps of all ports", "allreduce", "one-shot", always, func(p, n float64) float64 {
			return (p-1)*(alpha+n*beta) + n*gamma
		}},
		{"steps of all ports", "allreduce", "two-shot", always, func(p, n float64) float64 {
			return 2*(p-1)*(alpha+n/p*beta) + n/p*gamma
		}},
		{"one way out and in", "allreduce", "in-network-bound", always, func(p, n float64) float64 {
			return alpha + n*beta
		}},
		{"[pg]", "barrier", "double-ring", always, func(p, n float64) float64 {
			return 2 * p * alpha
		}},
	} {
		e, err := collective.Find(f.collective, f.name)
		if err != nil {
			t.Fatal(err)
		}
		for p := 2; p <= 33; p++ {
			if !f.holds(p) {
				continue
			}
			c := collective.Call{Bytes: uint64(segments * p)}
			if e.Params&collective.Gamma != 0 {
				c.Gamma = gamma
			}
			if f.name == "pipeline" {
				c.Segment = c.Bytes / segments
			}
			if f.collective == "barrier" {
				c.Bytes = 0
			}
			want := f.time(float64(p), float64(c.Bytes))
			if got := timeOf(t, programOf(t, e, p, c), wires[0]); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s %s, %d ranks: the schedule takes %v ns, %s says %v",
					f.collective, f.name, p, got, f.source, want)
			}
		}
	}
}

// Algorithms in two levels, of N nodes of g ranks: a ring of g, one of N, and one of g; g − 1
// messages of N blocks, and N − 1 of g.
func TestFormulasOfNodes(t *testing.T) {
	const alpha, beta, gamma = 1000, 3, 2
	for _, f := range []struct {
		collective, name string
		time             func(g, nodes, n float64) float64
	}{
		{"allreduce", "hierarchical", func(g, nodes, n float64) float64 {
			share := n / g
			return 2*(g-1)*(alpha+share*beta) + 2*(nodes-1)*(alpha+share/nodes*beta) +
				((g-1)*share+(nodes-1)*share/nodes)*gamma
		}},
		{"alltoall", "two-level", func(g, nodes, n float64) float64 {
			return (g-1)*(alpha+nodes*n*beta) + (nodes-1)*(alpha+g*n*beta)
		}},
	} {
		e, err := collective.Find(f.collective, f.name)
		if err != nil {
			t.Fatal(err)
		}
		for _, shape := range [][2]int{{2, 2}, {8, 3}, {4, 7}, {3, 16}} {
			g, nodes := shape[0], shape[1]
			c := collective.Call{Bytes: uint64(4 * g * nodes), PerNode: g}
			if e.Params&collective.Gamma != 0 {
				c.Gamma = gamma
			}
			want := f.time(float64(g), float64(nodes), float64(c.Bytes))
			if got := timeOf(t, programOf(t, e, g*nodes, c), wires[0]); math.Abs(got-want) > 1e-9*want {
				t.Errorf("%s %s, %d × %d ranks: %v ns, want %v", f.collective, f.name, nodes, g, got, want)
			}
		}
	}
}
