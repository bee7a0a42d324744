package programs_test

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/engine"
	"github.com/halfpeak/halfpeak/engine/programs"
	"github.com/halfpeak/halfpeak/engine/virtual"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// sizes are those of the comparison: powers of two, and neighbours of boundaries.
var sizes = []int{1, 2, 16, 63, 256, 257, 1024, 4095, 4096, 4097, 16384, 65536, 1 << 20, 4 << 20}

func close(got, want quantity.Micros, tolerance float64) bool {
	return math.Abs(float64(got-want)) <= tolerance*math.Abs(float64(want))
}

// exact is the one-way time of n bytes. Where pieces follow each other through a pipeline, the
// formula starts the last when the slowest stage is free, whether or not it can be there by then:
// it is short where that piece is. The recurrence over all packets is exact.
func exact(l model.Layer, n quantity.Bytes) quantity.Micros {
	l = model.At(l, n)
	s, ok := l.(model.Segmented)
	if !ok || s.Window > 0 {
		return l.OneWay(n)
	}
	p, ok := model.At(s.Below, s.MTU).(model.Pipeline)
	if !ok || n <= s.MTU {
		return l.OneWay(n)
	}
	var plan model.Plan
	for at := quantity.Bytes(0); at < n; at += s.MTU {
		piece := min(s.MTU, n-at)
		plan = append(plan, model.EqualPlan(piece, p.PacketSize(piece))...)
	}
	return p.OneWayAs(plan)
}

// The engine takes as long as the exact model says, for each layer of each platform.
func TestOneWayIsTheModels(t *testing.T) {
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			s, err := virtual.Build(l.Ref(), l.Model)
			if err != nil {
				t.Error(err)
				continue
			}
			for _, n := range sizes {
				if piece := int(model.PacketSize(l.Model, quantity.Bytes(n))); n/piece > 3000 {
					continue
				}
				var got quantity.Micros
				_, err := virtual.Run(s, virtual.Config{Nodes: 2}, func(ep *engine.Endpoint) error {
					t, _, err := programs.Latency(ep, n, 1)
					if ep.Node() == 0 {
						got = t
					}
					return err
				})
				want := exact(l.Model, quantity.Bytes(n))
				if err != nil || !close(got, want, 1e-9) {
					t.Errorf("%s, %d bytes: one way %v, the model says %v (%+.3g), %v", l.Ref(), n, got, want, float64(got/want-1), err)
				}
			}
		}
	}
}
