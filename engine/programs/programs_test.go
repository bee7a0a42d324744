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
				if piece := int(model.PacketSize(l.Model, quantity.Bytes(n))); n/piece > 20000 {
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
				want := l.Model.OneWay(quantity.Bytes(n))
				if err != nil || !close(got, want, 1e-9) {
					t.Errorf("%s, %d bytes: one way %v, the model says %v (%+.3g), %v", l.Ref(), n, got, want, float64(got/want-1), err)
				}
			}
		}
	}
}
