package simulate

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// finishes builds a schedule, runs it on the first cores of a machine, and returns the finishes.
func finishes(t *testing.T, m machine.Machine, b *schedule.Builder, ranks int) (all []float64) {
	t.Helper()
	p, on := onFirstCores(t, m, b, ranks)
	r, err := p.Run(t.Context(), Setup{Machine: on})
	if err != nil {
		t.Fatal(err)
	}
	for _, ps := range r.Ranks {
		all = append(all, float64(ps)/picos)
	}
	return all
}

// Messages between two ranks follow each other a gap apart, or from Overlap on share their NICs: the
// first is then as late as the second.
func TestOverlap(t *testing.T) {
	const bytes, gap = 10000, 10.0 // µs
	for _, overlap := range []quantity.Bytes{0, bytes + 1, bytes} {
		m := flowing(2, true)
		m.Levels[1].Overlap = overlap
		b := schedule.NewBuilder(3)
		b.NextRank()
		b.Send(bytes, 2, 0)
		b.Send(bytes, 2, 1)
		b.NextRank()
		b.Recv(1, 2, 2)
		b.NextRank()
		b.Requires(b.Send(1, 1, 2), b.Recv(bytes, 0, 0)) // tells rank 1 of the first
		b.Recv(bytes, 0, 1)
		got := finishes(t, m, b, 3)
		second, first := 5+2*gap, 5+gap
		if overlap == bytes {
			first = second
		}
		if math.Abs(got[2]-second) > 0.1 || math.Abs(got[1]-first-5) > 0.1 {
			t.Errorf("overlap from %v: the first at %.2f, the second at %.2f; want %v and %v", overlap, got[1]-5, got[2], first, second)
		}
	}
}

// A root's messages to two clusters use the links to each of them. With one port, both share it; its
// NIC does not make one wait for the other, since it sends faster than a link.
func TestDirect(t *testing.T) {
	near := &model.LogGP{LogP: model.LogP{Latency: 1}, GapPerByte: 0.0001}
	far := &model.LogGP{LogP: model.LogP{Latency: 5}, GapPerByte: 0.001}
	for _, direct := range []int{0, 3} {
		m := machine.Machine{Levels: []machine.Level{
			{Name: "switch", Arity: 1, Packet: 100, Layer: near, Port: machine.Port{&model.Linear{Tau: 0.001}}, Direct: direct},
			{Name: "cluster", Arity: 3, Packet: 100, Layer: far},
		}}
		got := ends(t, m, 3, [][3]int{{0, 1, 10000}, {0, 2, 10000}})
		want := 25.0
		if direct > 0 {
			want = 15
		}
		if math.Abs(got[1]-want) > 0.1 || math.Abs(got[2]-want) > 0.1 {
			t.Errorf("links to %d: %.2f and %.2f, want %v", direct, got[1], got[2], want)
		}
	}
}
