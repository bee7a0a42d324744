package draw

import (
	"cmp"
	"errors"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// setRows makes the y axis one of rows, each with a tick for its name.
func setRows(p *plot.Plot, ticks []plot.Tick, top float64) {
	p.Y.Min, p.Y.Max = 0, top
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	// The rows have names and no order of size, so the axis needs neither line nor ticks.
	p.Y.Tick.Length, p.Y.LineStyle.Width = 0, 0
}

// check returns the end of the last box, or the first fault of the timeline.
// Conditions on times are written so that NaN fails them, since every comparison with
// it is false.
func (t timeline) check() (end float64, err error) {
	for _, b := range t.Boxes {
		if b.Stage < 0 || b.Stage >= len(t.Stages) {
			return 0, fmt.Errorf("packet %d is in stage %d of %d", b.Packet, b.Stage, len(t.Stages))
		}
		if !(b.Start >= 0 && b.End >= b.Start && b.End <= largest) {
			return 0, fmt.Errorf("packet %d is in %s from %v to %v µs",
				b.Packet, t.Stages[b.Stage], b.Start, b.End)
		}
		if len(t.Kinds) > 0 && (b.Kind < 0 || b.Kind >= len(t.Kinds)) {
			return 0, fmt.Errorf("a box is of kind %d of %d", b.Kind, len(t.Kinds))
		}
		end = max(end, b.End)
	}
	for _, l := range slices.Concat(t.Messages, t.Path) {
		known := min(l.From, l.To) >= 0 && max(l.From, l.To) < len(t.Stages)
		timed := l.Start >= 0 && l.End >= l.Start && l.End <= largest // false for NaN
		if !known || !timed {
			return 0, fmt.Errorf("a line goes from stage %d to %d of %d, from %v to %v µs",
				l.From, l.To, len(t.Stages), l.Start, l.End)
		}
	}
	if end == 0 {
		return 0, errors.New("nothing to draw: no packet spends time in a stage")
	}
	return end, nil
}

// painter draws a row for each stage. What its tick says shrinks with the height of
// the row: the name and the load, then the name, then every second or third name.
func (t timeline) painter() (func(draw.Canvas) axes, error) {
	end, err := t.check()
	if err != nil {
		return nil, err
	}
	return func(c draw.Canvas) axes {
		area := frame(c, t.Title, t.legend(), t.Notes)
		p := newPlot()
		// How many lines of text a row has room for, the axis aside.
		lines := int((area.Max.Y - area.Min.Y - 40) / vg.Length(len(t.Stages)+1) / (tickSize * 1.1))
		// With many rows, every second or third name has room.
		every := int(tickSize*1.1*vg.Length(len(t.Stages)+1)/(area.Max.Y-area.Min.Y-40)) + 1
		var ticks []plot.Tick
		for i, name := range t.Stages {
			label := shorten(p.Y.Tick.Label, name, (area.Max.X-area.Min.X)/4)
			if lines >= 2 {
				label += fmt.Sprintf("\n%.0f %% busy", 100*t.busy(i)/end)
			}
			if lines >= 1 || i%every == 0 {
				ticks = append(ticks, plot.Tick{Value: t.row(i), Label: label})
			}
		}
		// 2 % beyond the end, so that the line there does not lie on the frame.
		ends := axis{Axis: table.Axis{Max: end * 1.02}}
		x := limits{0, ends.Max}
		x.apply(&p.X, ends, (area.Max.X-area.Min.X)*0.8, horizontal)
		rows := float64(len(t.Stages)) // and room for the total above them
		setRows(p, ticks, rows*(1+max(0.3/rows, float64(tickSize*1.3/(area.Max.Y-area.Min.Y-40)))))
		label := t.time.title()
		if label == "" {
			label = timeAxis.title()
		}
		at := drawPlot(area, p, label, "", func(c draw.Canvas, p *plot.Plot) {
			t.plot(c, p, end, lines >= 2 && len(t.Kinds) == 0)
		})
		return axes{at, x, limits{p.Y.Min, p.Y.Max}}
	}, nil
}

// leastBox is the least width of the box of an activity.
// Anything thinner is lost between two pixels on a screen of 96 dots an inch.
const leastBox = vg.Length(0.8)

// messageLine is thin and grey: hundreds of messages may cross the picture.
var messageLine = draw.LineStyle{Color: grey, Width: 0.6}

// kindColor returns the filling of boxes of a kind, and flightColor that of boxes in which bytes
// are on their way.
func kindColor(k int) color.NRGBA   { return tint(areaEdge(k), 0.65) }
func flightColor(k int) color.NRGBA { return tint(areaEdge(k), 0.2) }

// row returns the middle of a stage on the y axis, which rises while stages are
// listed downwards.
func (t timeline) row(stage int) float64 { return float64(len(t.Stages)-stage) - 0.5 }

// busy returns the µs that a stage spends on packets, without waiting.
func (t timeline) busy(stage int) float64 {
	var sum float64
	for _, b := range t.Boxes {
		// Bytes in flight occupy no stage, and a stage that waits for credits is idle: neither is
		// load.
		if b.Stage == stage && !b.Idle && !b.Flight {
			sum += b.End - b.Start
		}
	}
	return sum
}

// legend lists what the boxes do not say themselves: boxes of packets have their
// numbers inside.
func (t timeline) legend() []entry {
	var entries []entry
	for k, name := range t.Kinds {
		fill := kindColor(k)
		entries = append(entries, entry{name: name, style: style{color: areaEdge(k)}, fill: &fill})
	}
	if t.FlightName != "" {
		k := len(t.Kinds) - 1 // the last kind is what ends a flight
		fill := flightColor(k)
		entries = append(entries, entry{name: t.FlightName, style: style{color: fill}, fill: &fill})
	}
	if t.IdleName != "" {
		entries = append(entries, entry{name: t.IdleName, style: style{color: faint}, fill: &faint})
	}
	if len(t.Messages) > 0 {
		thin := style{color: messageLine.Color.(color.NRGBA)}
		entries = append(entries, entry{name: t.MessageName, style: thin, line: true})
	}
	if len(t.Path) > 0 {
		entries = append(entries, entry{name: t.PathName, style: style{color: ink}, line: true})
	}
	return entries
}

// plot draws the boxes, the path and the total. Boxes have the colours of their kinds or, without
// kinds, two shades by turns, so that neighbours differ and a packet can be followed down.
func (t timeline) plot(c draw.Canvas, p *plot.Plot, end float64, numbers bool) {
	tx, ty := p.Transforms(&c)
	drawUprights(c, p)
	// At most 22 points to either side: with two stages, boxes would otherwise fill the plot.
	tall := min(0.36, 22/float64(ty(1)-ty(0)))
	number := textStyle(tickSize-1, ink)
	number.XAlign, number.YAlign = text.XCenter, text.YCenter
	for _, b := range t.Boxes {
		r := rect(tx(b.Start), ty(t.row(b.Stage)-tall), tx(b.End), ty(t.row(b.Stage)+tall))
		shade := tint(palette[0], 0.18)
		if b.Packet%2 == 0 {
			shade = tint(palette[0], 0.42)
		}
		edge := palette[0]
		switch {
		case b.Idle:
			shade, edge = faint, faint
		case b.Flight:
			shade, edge = flightColor(b.Kind), flightColor(b.Kind)
		case len(t.Kinds) > 0:
			shade, edge = kindColor(b.Kind), areaEdge(b.Kind)
		}
		if !b.Idle && !b.Flight && len(t.Kinds) > 0 {
			// A step of 3 µs in a picture of 70 ms would not be seen.
			r.Max.X = max(r.Max.X, r.Min.X+leastBox)
		}
		fillBox(c, r, shade)
		if r.Max.X-r.Min.X > 2 { // else all would be edges
			strokeBox(c, r, edge, 0.6)
		}
	}
	for _, l := range t.Messages {
		// From the edge of the sender's boxes to that of the receiver's, as in Gantt charts of
		// traces: within the boxes a line would hide what the ranks do.
		side := tall
		if l.To > l.From { // downwards
			side = -tall
		}
		c.StrokeLine2(messageLine, tx(l.Start), ty(t.row(l.From)+side),
			tx(l.End), ty(t.row(l.To)-side))
	}
	leg := draw.LineStyle{Color: ink, Width: lineWidth}
	if room := (c.Max.X - c.Min.X) / 6; len(t.Path) > int(room) { // else it hides what it passes
		leg.Width = lineWidth / 3
	}
	for _, l := range t.Path {
		c.StrokeLine2(leg, tx(l.Start), ty(t.row(l.From)), tx(l.End), ty(t.row(l.To)))
	}
	if numbers { // the rows are high enough
		every := t.numbered(tx, number)
		for _, b := range t.Boxes {
			if every > 0 && b.Packet%every == 0 && fitsBox(b, tx, number) {
				middle := vg.Point{X: tx((b.Start + b.End) / 2), Y: ty(t.row(b.Stage))}
				c.FillText(number, middle, strconv.Itoa(b.Packet))
			}
		}
	}
	x := tx(end)
	finish := draw.LineStyle{Color: ink, Width: 1, Dashes: []vg.Length{3, 2}}
	c.StrokeLine2(finish, x, c.Min.Y, x, c.Max.Y)
	total := textStyle(tickSize, ink)
	total.XAlign, total.YAlign = text.XRight, text.YTop
	c.FillText(total, vg.Point{X: x - 4, Y: c.Max.Y},
		cmp.Or(t.total, quantity.Micros(end).String()))
}

// numbered returns the first n of 1, 2, 5, 10, … such that every n-th packet, but for the last,
// which may be short, has room for its number; 0 if there is none, since the numbers of some would
// look like all of them.
func (t timeline) numbered(tx func(float64) vg.Length, s text.Style) int {
	last := 0
	for _, b := range t.Boxes {
		last = max(last, b.Packet)
	}
	// Round distances, so that a reader can count on from a printed number.
	for _, every := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500, 1000} {
		numbers := 0
		room := !slices.ContainsFunc(t.Boxes, func(b table.TimelineBox) bool {
			if b.Packet%every != 0 || b.Packet == last && last > 1 {
				return false
			}
			numbers++
			return !fitsBox(b, tx, s)
		})
		if numbers > 0 && room {
			return every
		}
	}
	return 0
}

// fitsBox reports whether the number of the packet has room in its box, with two points at either
// side.
func fitsBox(b table.TimelineBox, tx func(float64) vg.Length, s text.Style) bool {
	return s.Width(strconv.Itoa(b.Packet))+4 <= tx(b.End)-tx(b.Start)
}

func (t timeline) title() string { return t.Title }

// tornadoShades are the colours of half bars with less and with more.
var tornadoShades = [2]color.NRGBA{tint(palette[0], 0.25), tint(palette[0], 0.75)}

// painter draws as many bars as have room, and says in a note how many it leaves out:
// those with the smallest effect, since the widest bars come first.
func (t tornado) painter() (func(draw.Canvas) axes, error) {
	if len(t.Bars) == 0 {
		return nil, errors.New("nothing to draw: no bars")
	}
	lo, hi := t.ends()
	if !t.X.usable(t.Base) {
		return nil, fmt.Errorf("the axis %q cannot show %v", t.X.Label, t.Base)
	}
	// The numbers at the ends of bars need room. Where no bar has a length, the axis still does.
	room := max((hi-lo)*0.12, math.Abs(t.Base)*0.001, 1e-9)
	x := limits{lo - room, hi + room}
	return func(c draw.Canvas) axes {
		// A bar needs 17 points to be told from the next one and to have its name beside it. The
		// title, the legend and the axis take about 105 points, and each note 14.
		const rowHeight, rest, noteHeight = 17, 105, 14
		bars, notes := t.Bars, t.Notes
		room := c.Max.Y - c.Min.Y - rest - vg.Length(len(notes))*noteHeight
		if most := max(1, int(room/rowHeight)); len(bars) > most {
			// The full slice expression below makes append copy: the notes belong to
			// the caller.
			omitted := fmt.Sprintf("Left out: %d with a smaller effect.", len(bars)-most)
			notes = append(notes[:len(notes):len(notes)], omitted)
			bars = bars[:most]
		}
		st := style{color: palette[0]}
		area := frame(c, t.Title, []entry{
			{name: t.Less, style: st, fill: &tornadoShades[0]},
			{name: t.More, style: st, fill: &tornadoShades[1]},
		}, notes)
		p := newPlot()
		var ticks []plot.Tick
		for i, b := range bars {
			label := shorten(p.Y.Tick.Label, b.Name, (area.Max.X-area.Min.X)*0.45)
			ticks = append(ticks, plot.Tick{Value: float64(len(bars)-i) - 0.5, Label: label})
		}
		x.apply(&p.X, t.X, (area.Max.X-area.Min.X)*0.6, horizontal)
		// 0.9 of a row above the bars is for the label of the base.
		setRows(p, ticks, float64(len(bars))+0.9)
		t.Bars = bars
		drawPlot(area, p, t.X.title(), "", t.plot)
		return axes{}
	}, nil
}

// ends returns the least and the largest value. An infinite one must not stretch the axis.
func (t tornado) ends() (lo, hi float64) {
	lo, hi = t.Base, t.Base
	for _, b := range t.Bars {
		for _, v := range []float64{b.Less, b.More} {
			if math.Abs(v) <= largest {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return lo, hi
}

// plot draws the bars, the line at the base, and the number at the end of each half bar.
func (t tornado) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	drawUprights(c, p)
	// Bars leave a quarter of their row free, so that they do not merge; with few rows they stay
	// bars and do not become blocks.
	tall := min((ty(1)-ty(0))*0.36, 12)
	number := textStyle(tickSize-1, ink)
	number.YAlign = text.YCenter
	base := tx(t.Base)
	for i, b := range t.Bars {
		y := ty(float64(len(t.Bars)-i) - 0.5)
		ends := [2]vg.Length{} // where numbers stand already: left and right of the base
		for k, v := range []float64{b.Less, b.More} {
			if !(math.Abs(v) <= largest) {
				continue
			}
			r := rect(base, y-tall, tx(v), y+tall)
			fillBox(c, r, tornadoShades[k])
			strokeBox(c, r, palette[0], 0.8)
			label := table.Significant(v, 4)
			at, side := r.Max.X+3, 1
			number.XAlign = text.XLeft
			if v < t.Base {
				at, side, number.XAlign = r.Min.X-3, 0, text.XRight
			}
			w := number.Width(label)
			// Both values may lie on one side of the base, and there is room for one
			// number beside a bar.
			if v != t.Base && ends[side] == 0 && at-w > c.Min.X && at+w < c.Max.X {
				c.FillText(number, vg.Point{X: at, Y: y}, label)
				ends[side] = at
			}
		}
	}
	c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1}, base, c.Min.Y, base, c.Max.Y)
	if t.BaseLabel != "" {
		s := textStyle(tickSize, ink)
		s.YAlign = text.YTop
		label := printable(t.BaseLabel)
		at := vg.Point{X: base + 4, Y: c.Max.Y}
		// The label of a base near the right edge stands on its left.
		if at.X+s.Width(label) > c.Max.X {
			s.XAlign, at.X = text.XRight, base-4
		}
		c.FillText(s, at, label)
	}
}

func (t tornado) title() string { return t.Title }
