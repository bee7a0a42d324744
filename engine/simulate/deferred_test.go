package simulate_test

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A deferred message leaves when its receive is posted, and its send ends at once, whether messages
// share anything or not. Smaller messages leave when they are sent.
func TestDeferred(t *testing.T) {
	const bytes, way, late, work = 1000, 2.0, 10.0, 3.0 // µs
	for _, packet := range []quantity.Bytes{0, 1} {
		for _, deferred := range []quantity.Bytes{0, 1, bytes + 1} {
			for _, posted := range []bool{false, true} {
				m := machine.Machine{Levels: []machine.Level{{Name: "cluster", Arity: 2, Packet: packet,
					Deferred: deferred, Layer: &model.Linear{Beta: 1, Tau: 1e-3}}}}
				on, err := simulate.FromMachine(m, machine.Places{0, 1}, simulate.NoLimit)
				if err != nil {
					t.Fatal(err)
				}
				b := schedule.NewBuilder(2)
				b.NextRank()
				b.Requires(b.Calc(1e3*work), b.Send(bytes, 1, 0))
				b.NextRank()
				wait := b.Calc(1e3 * late)
				got := b.Recv(bytes, 0, 0)
				if !posted {
					b.Requires(got, wait)
				}
				s, err := b.Build()
				if err != nil {
					t.Fatal(err)
				}
				p, err := simulate.New(s)
				if err != nil {
					t.Fatal(err)
				}
				r, err := p.Run(t.Context(), simulate.Setup{Machine: on, Record: true})
				if err != nil {
					t.Fatal(err)
				}
				want := late
				if deferred == 1 && !posted {
					want = late + way
				}
				if got, _ := r.Finish(); math.Abs(float64(got)-want) > 0.02 {
					t.Errorf("packet %v, deferred from %v, posted %v: %v, want %v", packet, deferred, posted, got, want)
				}
				path, err := r.Path()
				if err != nil {
					t.Fatal(err)
				}
				last := path.Segments[len(path.Segments)-1].To
				if sum := path.Shares.Sum(); sum != last {
					t.Errorf("packet %v, deferred from %v, posted %v: shares of the path are %d of %d", packet, deferred, posted, sum, last)
				}
				if sender := float64(r.Ranks[0]) / 1e6; deferred == 1 && !posted && sender < late {
					t.Errorf("the last byte left at %v µs, before its receive", sender)
				}
			}
		}
	}
}

// Of messages that share a NIC, each of which occupies it for less than its bytes take, the last
// arrives one way and the gaps of the others after the start.
func TestFanOfLongWays(t *testing.T) {
	const bytes = 100000
	layer := &model.Table{Sizes: []quantity.Bytes{1, bytes}, Times: []quantity.Micros{1, 20},
		Gaps: []quantity.Micros{0.001, 10}}
	m := machine.Machine{Levels: []machine.Level{{Name: "cluster", Arity: 4, Packet: 1, Layer: layer}}}
	on, err := simulate.FromMachine(m, machine.Places{0, 1, 2, 3}, simulate.NoLimit)
	if err != nil {
		t.Fatal(err)
	}
	b := schedule.NewBuilder(4)
	b.NextRank()
	for to := range uint32(3) {
		b.Send(bytes, to+1, 0)
	}
	for range 3 {
		b.NextRank()
		b.Recv(bytes, 0, 0)
	}
	s, err := b.Build()
	if err != nil {
		t.Fatal(err)
	}
	p, err := simulate.New(s)
	if err != nil {
		t.Fatal(err)
	}
	r, err := p.Run(t.Context(), simulate.Setup{Machine: on})
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := r.Finish(); math.Abs(float64(got)-40) > 0.1 {
		t.Errorf("%v, want 20 + 2·10 µs", got)
	}
}
