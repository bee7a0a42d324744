package message

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/usage"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// packetCurves are what the picture of cuts shows: the one-way times of messages in equal packets,
// and the stage that limits a stream of packets.
type packetCurves struct {
	layer   string
	sizes   []quantity.Bytes    // of messages, ascending
	packets []quantity.Bytes    // ascending, up to the largest message
	times   [][]quantity.Micros // by size, in packets up to it
	slowest []slowStage         // by packet
	reason  string
}

// A slowStage is the slowest one of a pipeline for a packet.
type slowStage struct {
	index  int
	name   string
	perKiB float64 // µs/KiB
}

// packetCurvesOf returns the curves of the layer that the cuts are of. It is an error if there are
// several.
func packetCurvesOf(cuts []Cut, designs []platforms.Design) (*packetCurves, error) {
	if len(designs) != 1 {
		return nil, usage.Fields(fmt.Errorf("the picture is of one layer, and these are %d",
			len(designs)), "plot")
	}
	// More curves would hide each other.
	const maxPictured = 4
	l := designs[0].Layer
	c := &packetCurves{layer: l.Ref()}
	for _, cut := range cuts { // in ascending order, since they are asked for in any
		c.sizes = append(c.sizes, cut.Size)
	}
	slices.Sort(c.sizes)
	c.sizes = slices.Compact(c.sizes)
	for len(c.sizes) > maxPictured { // every second one from the largest
		var kept []quantity.Bytes
		for i := (len(c.sizes) - 1) % 2; i < len(c.sizes); i += 2 {
			kept = append(kept, c.sizes[i])
		}
		c.sizes = kept
	}
	largest := c.sizes[len(c.sizes)-1]
	first := largest // of the packets that are drawn
	for _, cut := range cuts {
		if slices.Contains(c.sizes, cut.Size) && cut.Method != "unequal" &&
			cut.Method != "unequal-whole" {
			first = min(first, cut.Plan.Largest())
		}
	}
	c.reason = cutReason(l, largest)
	c.limit(model.At(l.Model, largest).(*model.Pipeline), first, largest)
	for _, n := range c.sizes {
		pipe := model.At(l.Model, n).(*model.Pipeline)
		var times []quantity.Micros
		for _, p := range c.packets {
			if p <= n {
				times = append(times, pipe.OneWayAs(model.EqualPlan(n, p)))
			}
		}
		c.times = append(c.times, times)
	}
	return c, nil
}

// limit chooses packets from at most first up to n bytes, in steps of a sixteenth of an octave, and
// finds the slowest stage for each.
func (c *packetCurves) limit(pipe *model.Pipeline, first, n quantity.Bytes) {
	// Below a sixteenth of the best packet, the time is that of the β of many packets.
	best, _ := pipe.BestPacket(n)
	begin := max(1, math.Floor(float64(min(best/16, first/2))))
	for x := begin; x < float64(n); x *= math.Exp2(1. / 16) {
		c.packets = append(c.packets, quantity.Bytes(math.Round(x)))
	}
	c.packets = slices.Compact(append(c.packets, n))
	for _, p := range c.packets {
		at := pipe.Bottleneck(p)
		s := pipe.Stages[at]
		c.slowest = append(c.slowest,
			slowStage{at, s.Name, float64(s.Time(p)) / float64(p/quantity.KiB)})
	}
}

// cutReason says in a sentence why the best packet is neither small nor large.
func cutReason(l platforms.Layer, n quantity.Bytes) string {
	pipe := model.At(l.Model, n).(*model.Pipeline)
	best, _ := pipe.BestPacket(n)
	limit := pipe.Stages[pipe.Bottleneck(best)].Name
	if best >= n {
		return fmt.Sprintf("%v is fastest whole: a packet costs more than the overlap of stages "+
			"gains.", n)
	}
	most := slices.MaxFunc(pipe.Stages, func(a, b model.Stage) int {
		return cmp.Compare(a.Beta, b.Beta)
	})
	return fmt.Sprintf("%v: packets smaller than %v pay fixed costs more often (%s: %v each), "+
		"larger ones fill and drain the pipeline more slowly; there, %s limits.", n, best,
		most.Name, most.Beta, limit)
}
