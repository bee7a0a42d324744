package virtual_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/engine/programs"
	"github.com/halfpeak/halfpeak/internal/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A definition is a model as its paper defines it, run message by message: nothing of package model
// is in it but parameters. send lets node from begin a message of n bytes to node to as soon as it
// can, and returns when the receiver has it.
type definition interface {
	send(from, to int, n float64) (done float64)
}

// logGP is Alexandrov and others 1995: a processor is busy for o_s or o_r; between two messages of
// an interface, in or out, are g + (n−1)G; the first byte takes L, and the last (n−1)G more.
type logGP struct {
	L, os, or, g, G             float64
	processor, out, in, takesIn [8]float64
}

func (d *logGP) send(from, to int, n float64) float64 {
	d.processor[from] += d.os
	leaves := max(d.processor[from], d.out[from])
	d.out[from] = leaves + d.g + (n-1)*d.G
	comes := max(leaves+d.L, d.in[to])
	d.in[to] = comes + d.g + (n-1)*d.G
	d.takesIn[to] = max(d.takesIn[to], comes+(n-1)*d.G) + d.or
	return d.takesIn[to]
}

// hockney is β + nτ, one message after the other.
type hockney struct {
	beta, tau float64
	way       [8]float64
}

func (d *hockney) send(from, _ int, n float64) float64 {
	d.way[from] += d.beta + n*d.tau
	return d.way[from]
}

// clip is the recurrence of CLIP, §4.2.2.2: a packet enters a stage when it has left the one
// before, and the packet before it has left this one.
type clip struct {
	beta, tau []float64
	packet    float64
	free      [8][]float64
}

func (d *clip) send(from, _ int, n float64) (left float64) {
	if d.free[from] == nil {
		d.free[from] = make([]float64, len(d.beta))
	}
	for ; n > 0; n -= d.packet {
		left = 0
		for i := range d.beta {
			left = max(left, d.free[from][i]) + d.beta[i] + min(n, d.packet)*d.tau[i]
			d.free[from][i] = left
		}
	}
	return left
}

// defined returns a random layer, and its definition for messages of n bytes.
func defined(r *rand.Rand, n int) (l model.Layer, fresh func() definition) {
	some := func(limit float64) float64 {
		return []float64{0.5, r.Float64() * limit, r.Float64() * limit / 10}[r.IntN(3)]
	}
	switch r.IntN(7) {
	case 0, 1:
		L, os, or, g, G := some(10), some(10), some(10), some(10), some(0.05)
		l = &model.LogGP{LogP: model.LogP{Latency: quantity.Micros(L), SendOverhead: quantity.Micros(os), ReceiveOverhead: quantity.Micros(or),
			GapTime: quantity.Micros(g)}, GapPerByte: quantity.MicrosPerByte(G)}
		fresh = func() definition { return &logGP{L: L, os: os, or: or, g: g, G: G} }
	case 2:
		beta, tau := some(10), some(0.05)
		l = &model.Linear{Beta: quantity.Micros(beta), Tau: quantity.MicrosPerByte(tau)}
		fresh = func() definition { return &hockney{beta: beta, tau: tau} }
	case 3:
		p := &model.Pipeline{Cut: model.Cut{Rule: model.CutFixed, Size: quantity.Bytes(20 + r.IntN(300))}}
		var beta, tau []float64
		for i := range 1 + r.IntN(5) {
			beta, tau = append(beta, some(3)), append(tau, some(0.05))
			p.Stages = append(p.Stages, model.Stage{Name: fmt.Sprint("s", i), Beta: quantity.Micros(beta[i]), Tau: quantity.MicrosPerByte(tau[i])})
		}
		l = p
		fresh = func() definition { return &clip{beta: beta, tau: tau, packet: float64(p.Cut.Size)} }
	case 4: // LogP has no bytes: Culler and others 1993
		L, os, or, g := some(10), some(10), some(10), some(10)
		l = &model.LogP{Latency: quantity.Micros(L), SendOverhead: quantity.Micros(os), ReceiveOverhead: quantity.Micros(or), GapTime: quantity.Micros(g)}
		fresh = func() definition { return &logGP{L: L, os: os, or: or, g: g} }
	case 5: // eager up to a size, then another line; or the quicker of two
		a, b := hockney{beta: some(10), tau: some(0.05)}, hockney{beta: some(10), tau: some(0.05)}
		line := func(h hockney) *model.Linear {
			return &model.Linear{Beta: quantity.Micros(h.beta), Tau: quantity.MicrosPerByte(h.tau)}
		}
		branches := []model.Branch{{Name: "a", UpTo: quantity.Bytes(1 + r.IntN(1000)), Layer: line(a)}, {Name: "b", Layer: line(b)}}
		second := float64(n) > float64(branches[0].UpTo)
		l = &model.Switch{Branches: branches}
		if r.IntN(2) == 0 {
			l, second = &model.Switch{Branches: branches, Least: true}, b.beta+float64(n)*b.tau < a.beta+float64(n)*a.tau
		}
		fresh = func() definition {
			way := a
			if second {
				way = b
			}
			return &way
		}
	case 6: // what was measured, straight between two sizes in logarithms
		from, to := 1+some(10), 20+some(100)
		l = &model.Table{Sizes: []quantity.Bytes{1, 1024}, Times: []quantity.Micros{quantity.Micros(from), quantity.Micros(to)}}
		fresh = func() definition {
			return &hockney{beta: math.Exp(math.Log(from) + math.Log(to/from)*math.Log(float64(n))/math.Log(1024))}
		}
	}
	return l, fresh
}

// The engine, which runs what a layer's Resources describe, gives the intervals of streams and the
// one-way times that the papers' definitions give.
func TestByDefinition(t *testing.T) {
	r := rand.New(rand.NewPCG(1993, 6))
	for range 500 {
		n := 1 + r.IntN(1000)
		l, fresh := defined(r, n)
		s := virtual.Build("defined", l)
		check := func(what, program string, count int, want float64) {
			p, err := programs.Find(program, programs.Simulated)
			if err != nil {
				t.Fatal(err)
			}
			got, _, err := virtual.Measure(s, virtual.Config{Nodes: 2}, p, programs.Args{Size: n, Count: count})
			if err != nil {
				t.Fatal(err)
			}
			if math.Abs(float64(got.Time)-want) > 1e-9*(1+want) {
				t.Errorf("%#v: %d B: %s is %v in the engine, %v by definition", l, n, what, float64(got.Time), want)
			}
		}
		check("one way", "latency", 1, fresh().send(0, 1, float64(n)))
		const messages = 12
		d, from, first, last := fresh(), (messages+2)/3, 0.0, 0.0
		for i := range messages {
			if last = d.send(0, 1, float64(n)); i == from-1 {
				first = last
			}
		}
		check("the gap", "bandwidth", messages, (last-first)/float64(messages-from))
	}
}
