package collectives

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
	"github.com/halfpeak/halfpeak/engine/simulate"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// No algorithm is faster than the bounds, on random LogGP parameters and lines; and a broadcast of
// a byte by Hockney's model takes ⌈log₂ p⌉α at least.
func TestBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(2007, 4))
	some := func(limit float64) quantity.Micros { return quantity.Micros(r.Float64() * limit) }
	for range 12 {
		var l model.Layer = &model.Linear{Beta: some(5), Tau: quantity.MicrosPerByte(some(0.01))}
		if r.IntN(3) > 0 {
			l = &model.LogGP{LogP: model.LogP{Latency: some(5), SendOverhead: some(2), ReceiveOverhead: some(2), GapTime: some(3)}, GapPerByte: quantity.MicrosPerByte(some(0.01))}
		}
		m, err := simulate.FromLayer(platforms.Layer{Model: l}, simulate.NoLimit)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range collective.Algorithms {
			if e.Bound {
				continue // a bound of algorithms that combine in switches
			}
			p := 2 + r.IntN(12)
			c := collective.Call{Bytes: []uint64{1, 100, 10_000}[r.IntN(3)]}
			if e.Ranks != 0 {
				p = e.Ranks
			}
			s, err := e.Schedule(p, c)
			if err != nil {
				t.Fatal(err)
			}
			program, err := simulate.New(s)
			if err != nil {
				t.Fatal(err)
			}
			got, err := program.Run(context.Background(), simulate.Setup{Machine: m})
			if err != nil {
				t.Fatal(err)
			}
			finish, _ := got.Finish()
			latency, bandwidth := latencyBound(m, p, c.Bytes, map[model.LogP]quantity.Micros{}), bandwidthBound(m, e.Collective, p, c.Bytes)
			if least := max(latency, bandwidth) * (1 - 1e-6); finish < least {
				t.Errorf("%+v: %s %s, %d ranks, %d B: %v, below its bounds %v and %v", l, e.Collective, e.Name, p, c.Bytes, finish, latency, bandwidth)
			}
		}
	}
	if m, err := simulate.FromLayer(platforms.Layer{Model: &model.Linear{Beta: 1}}, simulate.NoLimit); err != nil {
		t.Error(err)
	} else if latency := latencyBound(m, 9, 1, map[model.LogP]quantity.Micros{}); latency != 4 {
		t.Errorf("9 ranks: %v, want ⌈log₂ 9⌉ = 4 µs", latency)
	}
	// Of measured stages, 4 KiB may take less than 1 B, with one message as with several.
	d, err := platforms.Open("tcp-proxy")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []Calls{{Collective: "bcast", Algorithm: "all"}, {Collective: "gather", Algorithm: "all"}} {
		c.Ranks, c.Sizes = []int{2, 4}, []quantity.Bytes{1024, 3000, 4096}
		times, err := c.On(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range times.Times {
			if o.Time < o.LatencyBound*(1-1e-6) || o.Time < o.BandwidthBound*(1-1e-6) {
				t.Errorf("%s, %d ranks, %v: %v, below its bounds %v and %v", o.Name, o.Ranks, o.Call.Bytes, o.Time, o.LatencyBound, o.BandwidthBound)
			}
		}
	}
}
