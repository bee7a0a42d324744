package reports

import (
	"errors"
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A Timeline shows when each stage of a pipeline is busy with which packet:
// a row for each stage, the first on top, and a box for each packet in it.
// The end of the last box is marked with its time.
type Timeline struct {
	Title  string
	Stages []string // names, the first stage on top
	Boxes  []Box
	Notes  []string // remarks printed beneath
}

// A Box is the time that one packet spends in one stage.
type Box struct {
	Stage      int     // index into Stages
	Packet     int     // its number, printed where there is room
	Start, End float64 // µs, finite, 0 <= Start <= End
}

// Rows returns the boxes of the timeline, in its order.
func (t Timeline) Rows() Rows {
	r := Rows{
		Columns: []Column{
			{Key: "stage", Head: "stage"}, {Key: "packet", Head: "packet"},
			{Key: "start_us", Head: "start µs"}, {Key: "end_us", Head: "end µs"},
		},
		Notes: t.Notes,
	}
	for _, b := range t.Boxes {
		name := strconv.Itoa(b.Stage)
		if b.Stage >= 0 && b.Stage < len(t.Stages) {
			name = t.Stages[b.Stage]
		}
		r.Data = append(r.Data, []any{name, b.Packet, b.Start, b.End})
	}
	return r
}

// check returns the end of the last box, or the first fault of the timeline.
func (t Timeline) check() (end float64, err error) {
	for _, b := range t.Boxes {
		if b.Stage < 0 || b.Stage >= len(t.Stages) {
			return 0, fmt.Errorf("packet %d is in stage %d of %d", b.Packet, b.Stage, len(t.Stages))
		}
		if !(b.Start >= 0 && b.End >= b.Start && b.End <= largest) {
			return 0, fmt.Errorf("packet %d is in %s from %v to %v µs", b.Packet, t.Stages[b.Stage], b.Start, b.End)
		}
		end = max(end, b.End)
	}
	if end == 0 {
		return 0, errors.New("nothing to draw: no packet spends time in a stage")
	}
	return end, nil
}

// WriteImage draws the timeline; see Picture.
func (t Timeline) WriteImage(w io.Writer, ext string, width, height int) error {
	end, err := t.check()
	if err != nil {
		return err
	}
	return writeImage(w, ext, width, height, func(c draw.Canvas) {
		area := frame(c, t.Title, nil, t.Notes)
		p := newPlot("time (µs)", "")
		var ticks []plot.Tick
		for i, name := range t.Stages {
			name = shorten(p.Y.Tick.Label, name, (area.Max.X-area.Min.X)/4)
			ticks = append(ticks, plot.Tick{Value: t.row(i), Label: fmt.Sprintf("%s\n%.0f %% busy", name, 100*t.busy(i)/end)})
		}
		axis := Axis{Max: end * 1.02}
		limits{0, axis.Max}.apply(&p.X, axis, (area.Max.X-area.Min.X)*0.8, horizontal)
		p.Y.Min, p.Y.Max = 0, float64(len(t.Stages))+0.5
		p.Y.Tick.Marker = plot.ConstantTicks(ticks)
		p.Y.Tick.Length = 0
		p.Y.LineStyle.Width = 0
		p.Add(timelinePlotter{t, end})
		p.Draw(area)
	})
}

// row is where the middle of a stage is on the y axis.
func (t Timeline) row(stage int) float64 { return float64(len(t.Stages)-stage) - 0.5 }

// busy is the time that a stage spends on packets.
func (t Timeline) busy(stage int) float64 {
	var sum float64
	for _, b := range t.Boxes {
		if b.Stage == stage {
			sum += b.End - b.Start
		}
	}
	return sum
}

// timelinePlotter draws the inside of a timeline.
type timelinePlotter struct {
	Timeline
	end float64
}

// Plot draws the boxes, in two shades so that neighbours stay apart and a
// packet can be followed down, and the total.
func (t timelinePlotter) Plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	for _, tick := range p.X.Tick.Marker.Ticks(p.X.Min, p.X.Max) {
		c.StrokeLine2(draw.LineStyle{Color: faint, Width: 0.6}, tx(tick.Value), c.Min.Y, tx(tick.Value), c.Max.Y)
	}
	tall := min(0.36, 22/float64(ty(1)-ty(0)))
	number := textStyle(tickSize-1, ink)
	number.XAlign, number.YAlign = text.XCenter, text.YCenter
	for stage := range t.Stages {
		for _, b := range t.Boxes {
			if b.Stage != stage {
				continue
			}
			r := vg.Rectangle{
				Min: vg.Point{X: tx(b.Start), Y: ty(t.row(stage) - tall)},
				Max: vg.Point{X: tx(b.End), Y: ty(t.row(stage) + tall)},
			}
			shade := tint(palette[0], 0.18)
			if b.Packet%2 == 0 {
				shade = tint(palette[0], 0.42)
			}
			c.SetColor(shade)
			c.Fill(r.Path())
			c.SetLineStyle(draw.LineStyle{Color: palette[0], Width: 0.6})
			c.Stroke(r.Path())
			s := strconv.Itoa(b.Packet)
			if number.Width(s)+2 <= r.Max.X-r.Min.X {
				c.FillText(number, vg.Point{X: (r.Min.X + r.Max.X) / 2, Y: (r.Min.Y + r.Max.Y) / 2}, s)
			}
		}
	}
	x := tx(t.end)
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{3, 2}}, x, c.Min.Y, x, c.Max.Y)
	total := textStyle(tickSize, ink)
	total.XAlign, total.YAlign = text.XRight, text.YTop
	c.FillText(total, vg.Point{X: x - 4, Y: c.Max.Y}, quantity.Micros(t.end).String())
}
