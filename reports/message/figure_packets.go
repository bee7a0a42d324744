package message

import (
	"slices"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// Figure draws the one-way time of messages against their equal packets, with the cuts of the
// layer, and below it the time per byte of the stage that limits a stream of packets. It is nil if
// the question did not ask for it.
func (a *Cuttings) Figure() (table.Picture, error) {
	if a.curves == nil {
		return nil, nil
	}
	return table.Stack{a.timeFigure(), a.curves.limitFigure()}, nil
}

// timeFigure draws the times, with the cuts as points.
func (a *Cuttings) timeFigure() table.Figure {
	c := a.curves
	largest := c.sizes[len(c.sizes)-1]
	f := table.Figure{
		Title: c.layer + ": " + largest.String() + " in equal packets",
		X:     table.Axis{Dim: quantity.DimSize, Log: true, Bytes: true}, // as below
		Y:     table.Axis{Label: "one-way time", Dim: quantity.DimTime, Log: true},
		Notes: []string{c.reason,
			"Below: the time of the slowest stage for a KiB; it limits a stream of packets."},
	}
	if len(c.sizes) > 1 {
		f.Title = c.layer + ": messages in equal packets"
	}
	for i, n := range c.sizes {
		line := table.Series{Name: n.String(), Kind: table.Line}
		for j, t := range c.times[i] {
			line.X = append(line.X, float64(c.packets[j]))
			line.Y = append(line.Y, float64(t))
		}
		f.Series = append(f.Series, line)
	}
	words := map[string]string{"paper": "equation 10", "equal": "best", "round": "best round",
		"default": "default"}
	for _, method := range []string{"paper", "equal", "round", "default"} {
		at := table.Series{Name: words[method], Kind: table.Points}
		for _, cut := range a.Cuts {
			if cut.Method == method && slices.Contains(c.sizes, cut.Size) {
				at.X = append(at.X, float64(cut.Plan.Largest()))
				at.Y = append(at.Y, float64(cut.OneWay))
			}
		}
		if len(at.X) == 1 {
			at.Name += ", " + quantity.Bytes(at.X[0]).String()
		}
		if at.X != nil {
			f.Series = append(f.Series, at)
		}
	}
	for _, cut := range a.Cuts {
		if cut.Method == "unequal" && len(c.sizes) == 1 {
			f.Marks = append(f.Marks, table.Mark{Kind: table.AtY, Y: float64(cut.OneWay),
				Label: "unequal packets", Valued: true})
		}
	}
	return f
}

// limitFigure draws the time per byte of the slowest stage for each packet, with marks where
// another one is.
func (c *packetCurves) limitFigure() table.Figure {
	f := table.Figure{
		X: table.Axis{Label: "packet", Dim: quantity.DimSize, Log: true, Bytes: true},
		Y: table.Axis{Label: "µs/KiB"},
	}
	line := table.Series{Kind: table.Line}
	last := -1
	for i, p := range c.packets {
		s := c.slowest[i]
		line.X, line.Y = append(line.X, float64(p)), append(line.Y, s.perKiB)
		if s.index != last {
			f.Marks = append(f.Marks, table.Mark{Kind: table.AtX, X: float64(p), Label: s.name})
		}
		last = s.index
	}
	f.Series = []table.Series{line}
	return f
}
