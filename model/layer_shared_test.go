package model

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Senders at one resource, each of which has its next message ready when it has passed the one
// before: a simulation that serves them in the order in which they come.
func TestShared(t *testing.T) {
	r := rand.New(rand.NewPCG(11, 9))
	for range 500 {
		l := &shared{quantity.Micros(randomCost(r)), quantity.MicrosPerByte(randomCost(r) / 300), 1 + r.IntN(8)}
		n := quantity.Bytes(1 + r.IntN(5000))
		takes := float64(l.OneWay(n))
		const rounds = 20
		ready := make([]float64, l.Senders) // when each has its next message
		var free, from, to float64
		for k := range rounds * l.Senders {
			s := 0
			for i := range ready {
				if ready[i] < ready[s] {
					s = i
				}
			}
			free = max(free, ready[s]) + takes
			ready[s] = free
			if k == l.Senders-1 {
				from = free
			}
			to = free
		}
		each := (to - from) / (rounds - 1) // in which every sender has one turn
		if got := l.Gap(n); !closeTo(float64(got), each, 1e-9) {
			t.Fatalf("%+v, %v bytes: gap %v, simulated %v", l, float64(n), got, each)
		}
		// Together they are a fan-in at a resource of the network.
		one := Route{Hops: []Hop{{Resource: "bus", Side: AtNetwork, Delay: PacketCost{Beta: l.Beta, Tau: l.Tau}, Busy: PacketCost{Beta: l.Beta, Tau: l.Tau}}}}
		if got := quantity.Micros(l.Senders) * FanIn(one, l.Senders, n); !closeTo(float64(got), float64(l.Gap(n)), 1e-12) {
			t.Fatalf("%+v, %v bytes: fan-in says %v for each sender, the gap is %v", l, float64(n), got, l.Gap(n))
		}
	}
}
