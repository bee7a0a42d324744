//go:build !js

package reports

import (
	"errors"
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// tornadoShades are the colours of half bars with less and with more.
var tornadoShades = [2]color.NRGBA{tint(palette[0], 0.25), tint(palette[0], 0.75)}

func (t Tornado) painter() (func(draw.Canvas) axes, error) {
	if len(t.Bars) == 0 {
		return nil, errors.New("nothing to draw: no bars")
	}
	lo, hi := t.Base, t.Base
	for _, b := range t.Bars {
		for _, v := range []float64{b.Low, b.High} {
			if math.Abs(v) <= largest {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	if !t.X.usable(t.Base) {
		return nil, fmt.Errorf("the axis %q cannot show %v", t.X.Label, t.Base)
	}
	room := max((hi-lo)*0.12, math.Abs(t.Base)*0.001, 1e-9) // for the numbers at the ends
	x := limits{lo - room, hi + room}
	return func(c draw.Canvas) axes {
		const row = 17
		bars, notes := t.Bars, t.Notes
		if most := max(1, int((c.Max.Y-c.Min.Y-105-vg.Length(len(notes))*14)/row)); len(bars) > most {
			notes = append(notes[:len(notes):len(notes)], fmt.Sprintf("Left out: %d with a smaller effect.", len(bars)-most))
			bars = bars[:most]
		}
		st := style{color: palette[0]}
		area := frame(c, t.Title, []entry{{name: t.Less, style: st, fill: &tornadoShades[0]}, {name: t.More, style: st, fill: &tornadoShades[1]}}, notes)
		p := newPlot()
		var ticks []plot.Tick
		for i, b := range bars {
			ticks = append(ticks, plot.Tick{Value: float64(len(bars)-i) - 0.5, Label: shorten(p.Y.Tick.Label, b.Name, (area.Max.X-area.Min.X)*0.45)})
		}
		x.apply(&p.X, t.X, (area.Max.X-area.Min.X)*0.6, horizontal)
		setRows(p, ticks, float64(len(bars))+0.9)
		t.Bars = bars
		drawPlot(area, p, t.X.Label, "", t.plot)
		return axes{}
	}, nil
}

// plot draws the bars, the line at the base, and the number at the end of each half bar.
func (t Tornado) plot(c draw.Canvas, p *plot.Plot) {
	tx, ty := p.Transforms(&c)
	drawUprights(c, p)
	tall := min((ty(1)-ty(0))*0.36, 12)
	number := textStyle(tickSize-1, ink)
	number.YAlign = text.YCenter
	base := tx(t.Base)
	for i, b := range t.Bars {
		y := ty(float64(len(t.Bars)-i) - 0.5)
		ends := [2]vg.Length{} // where numbers stand already: left and right of the base
		for k, v := range []float64{b.Low, b.High} {
			if !(math.Abs(v) <= largest) {
				continue
			}
			r := rect(base, y-tall, tx(v), y+tall)
			fillBox(c, r, tornadoShades[k])
			strokeBox(c, r, palette[0], 0.8)
			label := significant(v, 4)
			at, side := r.Max.X+3, 1
			number.XAlign = text.XLeft
			if v < t.Base {
				at, side, number.XAlign = r.Min.X-3, 0, text.XRight
			}
			w := number.Width(label)
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
		if at.X+s.Width(label) > c.Max.X {
			s.XAlign, at.X = text.XRight, base-4
		}
		c.FillText(s, at, label)
	}
}

func (t Tornado) title() string { return t.Title }
