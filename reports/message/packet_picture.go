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
	"github.com/halfpeak/halfpeak/reports/table"
)

// CutPicture draws the one-way time of messages against their equal packets, with the cuts of a
// layer, and below it the time per byte of the stage that limits a stream of packets. It is an
// error if the cuts are of several layers.
func CutPicture(cuts []Cut, layers ...platforms.Layer) (table.Picture, error) {
	if len(layers) != 1 {
		return nil, usage.Fields(fmt.Errorf("the picture is of one layer, and these are %d",
			len(layers)), "plot")
	}
	// More curves would hide each other.
	const maxPictured = 4
	l := layers[0]
	var sizes []quantity.Bytes // in ascending order, since they are asked for in any
	for _, c := range cuts {
		sizes = append(sizes, c.Size)
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	for len(sizes) > maxPictured { // every second one from the largest
		var kept []quantity.Bytes
		for i := (len(sizes) - 1) % 2; i < len(sizes); i += 2 {
			kept = append(kept, sizes[i])
		}
		sizes = kept
	}
	largest := sizes[len(sizes)-1]
	first := largest // of the packets that are drawn
	for _, c := range cuts {
		if slices.Contains(sizes, c.Size) && c.Method != "unequal" && c.Method != "unequal-whole" {
			first = min(first, c.Plan.Largest())
		}
	}
	packets, limits := limitingStage(l, first, largest)
	top := table.Figure{
		Title: l.Ref() + ": " + largest.String() + " in equal packets",
		X:     table.Axis{Dim: quantity.DimSize, Log: true, Bytes: true}, // as below
		Y:     table.Axis{Label: "one-way time", Dim: quantity.DimTime, Log: true},
		Notes: []string{cutReason(l, largest),
			"Below: the time of the slowest stage for a KiB; it limits a stream of packets."},
	}
	if len(sizes) > 1 {
		top.Title = l.Ref() + ": messages in equal packets"
	}
	for _, n := range sizes {
		pipe := model.At(l.Model, n).(*model.Pipeline)
		line := table.Series{Name: n.String(), Kind: table.Line}
		for _, p := range packets {
			if p <= n {
				line.X = append(line.X, float64(p))
				line.Y = append(line.Y, float64(pipe.OneWayAs(model.EqualPlan(n, p))))
			}
		}
		top.Series = append(top.Series, line)
	}
	words := map[string]string{"paper": "equation 10", "equal": "best", "round": "best round",
		"default": "default"}
	for _, method := range []string{"paper", "equal", "round", "default"} {
		at := table.Series{Name: words[method], Kind: table.Points}
		for _, c := range cuts {
			if c.Method == method && slices.Contains(sizes, c.Size) {
				at.X = append(at.X, float64(c.Plan.Largest()))
				at.Y = append(at.Y, float64(c.OneWay))
			}
		}
		if len(at.X) == 1 {
			at.Name += ", " + quantity.Bytes(at.X[0]).String()
		}
		if at.X != nil {
			top.Series = append(top.Series, at)
		}
	}
	for _, c := range cuts {
		if c.Method == "unequal" && len(sizes) == 1 {
			top.Marks = append(top.Marks, table.Mark{Kind: table.AtY, Y: float64(c.OneWay),
				Label: "unequal packets", Valued: true})
		}
	}
	return table.Stack{top, limits}, nil
}

// limitingStage returns packets from at most first up to n bytes, in steps of a sixteenth of an
// octave, and a figure of the time per byte of the stage that is slowest for each, with marks where
// another one is.
func limitingStage(l platforms.Layer, first, n quantity.Bytes) ([]quantity.Bytes, table.Figure) {
	pipe := model.At(l.Model, n).(*model.Pipeline)
	// Below a sixteenth of the best packet, the time is that of the β of many packets.
	best, _ := pipe.BestPacket(n)
	begin := max(1, math.Floor(float64(min(best/16, first/2))))
	var packets []quantity.Bytes
	for x := begin; x < float64(n); x *= math.Exp2(1. / 16) {
		packets = append(packets, quantity.Bytes(math.Round(x)))
	}
	packets = slices.Compact(append(packets, n))
	f := table.Figure{
		X: table.Axis{Label: "packet", Dim: quantity.DimSize, Log: true, Bytes: true},
		Y: table.Axis{Label: "µs/KiB"},
	}
	line := table.Series{Kind: table.Line}
	last := -1
	for _, p := range packets {
		at := pipe.Bottleneck(p)
		s := pipe.Stages[at]
		perByte := float64(s.Time(p)) / float64(p/quantity.KiB)
		line.X, line.Y = append(line.X, float64(p)), append(line.Y, perByte)
		if at != last {
			f.Marks = append(f.Marks, table.Mark{Kind: table.AtX, X: float64(p),
				Label: s.Name})
		}
		last = at
	}
	f.Series = []table.Series{line}
	return packets, f
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
