package message

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/internal/curves"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// The timeline that the engine runs is the recurrence's.
func TestTimelineIsTheSchedule(t *testing.T) {
	for _, ref := range []string{"clip/dma-system-buffer", "clip/dma-user-buffer",
		"clip/no-snoop"} {
		for _, n := range []quantity.Bytes{1, 1000, 16384, 65536} {
			d, err := platforms.Open(ref)
			if err != nil {
				t.Fatal(err)
			}
			pipe := d.Layer.Model.(*model.Pipeline)
			got, err := curves.Timeline(d, n)
			if err != nil {
				t.Fatal(err)
			}
			want := Planned(d.Layer, n, pipe, model.EqualPlan(n, pipe.PacketSize(n)))
			if got.Title != want.Title || len(got.Boxes) != len(want.Boxes) {
				t.Fatalf("%s, %v: %d boxes, want %d", ref, n, len(got.Boxes), len(want.Boxes))
			}
			for i, b := range got.Boxes {
				w := want.Boxes[i]
				if b.Stage != w.Stage || b.Packet != w.Packet ||
					math.Abs(b.Start-w.Start) > 1e-9*w.End || math.Abs(b.End-w.End) > 1e-9*w.End {
					t.Errorf("%s, %v: %+v, want %+v", ref, n, b, w)
				}
			}
		}
	}
}
