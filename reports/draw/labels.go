package draw

import (
	"image/color"
	"math"
	"slices"
	"strings"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// labeller finds places for the labels of marks: inside the plot, apart from each
// other, and where they hide the least. First all obstacles are added, then draw
// places the labels, each at its best place beside those before it.
//
// The order of the labels decides: an earlier label never moves for a later one. The best places of
// all labels together would take a search over all combinations, for pictures that have a handful.
type labeller struct {
	area      vg.Rectangle
	obstacles []obstacle
	texts     []wordings
}

// wordings are labels that say the same, the best first; all labels of one of them are drawn. The
// next wording is taken if those before it would hide more of the curves.
type wordings [][]label

// obstacle is a point that labels should not hide. Weights compare what is hidden: 1
// for the level line of a mark, 3 for an upright one, a curve or an error bar, 6 for a measurement
// or a leader, 8 for a mark, 1000 for a name that must stay legible.
type obstacle struct {
	vg.Point
	weight float64
}

// label is a text with its possible places, the best first.
type label struct {
	text   string
	color  color.NRGBA
	anchor *vg.Point      // the mark, for a leader; nil: no leader
	places []vg.Rectangle // of the text
	each   float64        // what each place down the list costs, as a weight of an [obstacle]
}

func (l *labeller) avoid(pt vg.Point, weight float64) {
	l.obstacles = append(l.obstacles, obstacle{pt, weight})
}

// avoidLine makes obstacles of the points along a line, every 3 points: a label,
// about 12 points high, cannot slip between them.
func (l *labeller) avoidLine(line []vg.Point, weight float64) {
	const spacing = 3
	for i, pt := range line {
		l.avoid(pt, weight)
		if i == 0 {
			continue
		}
		from := line[i-1]
		d := pt.Sub(from)
		n := int(math.Hypot(float64(d.X), float64(d.Y)) / spacing)
		for k := 1; k < n; k++ {
			l.avoid(from.Add(d.Scale(vg.Length(k)/vg.Length(n))), weight)
		}
	}
}

// labelText returns the style of labels inside a plot, and the width and height of
// one. They are half a point smaller than ticks, since they stand between data.
func labelText(col color.NRGBA, s string) (draw.TextStyle, vg.Length, vg.Length) {
	st := textStyle(tickSize-0.5, col)
	return st, st.Width(s), st.Font.Size * 1.25 * vg.Length(1+strings.Count(s, "\n"))
}

// labelDistances are the distances in points at which a label is tried around its mark, the best
// first. At the larger ones it gets a leader, so that a reader sees which mark it belongs to.
var labelDistances = []vg.Length{7, 14, 24, 38, 56, 80, 110}

// labelDirections are the directions in which a label is tried, the best first. A curve of
// bandwidth rises and levels off, so it leaves room below to the right and above to the left.
var labelDirections = []vg.Point{
	{X: 1, Y: -1}, {X: -1, Y: 1}, // beside a rising curve
	{X: 1, Y: 0}, {X: -1, Y: 0},
	{X: 1, Y: 1}, {X: -1, Y: -1}, // on it
	{X: 0, Y: -1}, {X: 0, Y: 1},
	{X: -0.5, Y: 1}, {X: 0.5, Y: -1}, // between these, past the end of a text on a curve
	{X: 0.5, Y: 1}, {X: -0.5, Y: -1},
}

// around adds the label of a mark at pt: close to it, first below and to the right, where curves
// that rise and level off leave room.
func (l *labeller) around(m table.Mark, col color.NRGBA, pt vg.Point) {
	if m.Label == "" {
		return
	}
	text := printable(m.Label)
	_, w, h := labelText(col, text)
	// A whole turn of directions is as bad as hiding three points of a level line.
	lab := label{text: text, color: col, anchor: &pt, each: 3 / float64(len(labelDirections))}
	for _, r := range labelDistances {
		for _, dir := range labelDirections {
			// The distance is to the label's edge, whose half width and height come on top: a long
			// label is not farther from its mark than a short one.
			center := vg.Point{X: pt.X + dir.X*(r*0.8+w/2), Y: pt.Y + dir.Y*(r*0.8+h/2)}
			lab.places = append(lab.places, box(center, w, h))
		}
	}
	l.texts = append(l.texts, wordings{{lab}})
}

// A side is the side of a level line on which its label may stand.
type side int

const (
	eitherSide side = iota
	above
	below
)

// along adds the label of an upright or level line. The label of a line has no leader: it may move
// along all of the line, and stands beside it wherever that is.
func (l *labeller) along(
	name string, kind table.MarkKind, col color.NRGBA, line []vg.Point, at side,
) {
	if name != "" {
		l.texts = append(l.texts, wordings{{l.beside(name, kind, col, line, at)}})
	}
}

// beside returns a label with its places beside an upright or level line.
func (l *labeller) beside(
	name string, kind table.MarkKind, col color.NRGBA, line []vg.Point, at side,
) label {
	from, to := line[0], line[1]
	st, _, _ := labelText(col, "")
	// A longer text would have no place at all, and its label would be left out.
	text := name
	if !strings.Contains(name, "\n") {
		text = shorten(st, name, l.area.Max.X-l.area.Min.X-8)
	}
	_, w, h := labelText(col, text)
	lab := label{text: text, color: col}
	if kind == table.AtX {
		lab.places, lab.each = besideUpright(from, to, w, h), 0.4
	} else {
		lab.places, lab.each = besideLevel(from, to, w, h, at), 0.1
	}
	return lab
}

// besideUpright returns places for a text of w by h along the upright line between from and to, the
// best first: from the top down, right of the line first, since curves of bandwidth are low at the
// left. Steps of half a height find a gap between two other labels.
func besideUpright(from, to vg.Point, w, h vg.Length) (places []vg.Rectangle) {
	for y := to.Y - h/2 - 2; y > from.Y+h/2; y -= h / 2 {
		places = append(places,
			box(vg.Point{X: from.X + 3 + w/2, Y: y}, w, h),
			box(vg.Point{X: from.X - 3 - w/2, Y: y}, w, h))
	}
	return places
}

// besideLevel returns places for a text of w by h along the level line between from and to, on the
// side that is allowed, the best first: from the left, above the line first, as on a ruled page.
// Steps of a sixteenth of the text, at most of 5 points, find a gap that is little wider than it.
func besideLevel(from, to vg.Point, w, h vg.Length, at side) (places []vg.Rectangle) {
	for x := from.X + 4 + w/2; x < to.X-w/2; x += min(w/16, 5) {
		if at != below {
			places = append(places, box(vg.Point{X: x, Y: from.Y + 2 + h/2}, w, h))
		}
		if at != above {
			places = append(places, box(vg.Point{X: x, Y: from.Y - 2 - h/2}, w, h))
		}
	}
	return places
}

// box returns the rectangle of the given size about its center.
func box(center vg.Point, w, h vg.Length) vg.Rectangle {
	return rect(center.X-w/2, center.Y-h/2, center.X+w/2, center.Y+h/2)
}

// placedLabels are labels at their places.
type placedLabels []struct {
	label
	place vg.Rectangle
}

// mostHidden is how much of the curves labels may hide: a label along a curve, which nobody can
// read, hides more, and one across it a third.
const mostHidden = 15 * curveWeight

// place puts each label at the best free place. A label without a free place is omitted, and so is
// one that lies on curves: its mark is drawn, and its number is in the Rows of the figure.
func (l *labeller) place() (all placedLabels) {
	var taken []vg.Rectangle
	for _, words := range l.texts {
		var labels []label
		var places []vg.Rectangle
		missing, hidden := math.MaxInt, math.Inf(1)
		for _, wording := range words {
			found, at, hides := l.bests(wording, taken)
			if left := len(wording) - len(found); left < missing ||
				left == missing && hides < hidden {
				labels, places, missing, hidden = found, at, left, hides
			}
		}
		if hidden > mostHidden {
			continue
		}
		for i, lab := range labels {
			taken = append(taken, places[i])
			// A leader is an obstacle for the labels after it, which would cut it from its mark.
			if leader := lab.leader(places[i]); leader != nil {
				l.avoidLine(leader, 6)
			}
			all = append(all, struct {
				label
				place vg.Rectangle
			}{lab, places[i]})
		}
	}
	return all
}

// bests returns those of the labels that have a free place, with their best places, and how much of
// the curves these hide.
func (l *labeller) bests(all []label, taken []vg.Rectangle) (
	labels []label, places []vg.Rectangle, hidden float64,
) {
	taken = slices.Clone(taken)
	for _, lab := range all {
		place, ok := l.best(lab, taken)
		if !ok {
			continue
		}
		labels, places, taken = append(labels, lab), append(places, place), append(taken, place)
		for _, o := range l.obstacles {
			if o.weight >= curveWeight && hides(place, o) {
				hidden += o.weight
			}
		}
	}
	return labels, places, hidden
}

// curveWeight is the least weight of an obstacle that letters should not cross; see [obstacle].
const curveWeight = 3

// hides reports whether a label at a place hides an obstacle. Obstacles are points, while curves
// and glyphs have a width: two points more on each side, and a little less above and below, where
// the letters leave room anyway.
func hides(place vg.Rectangle, o obstacle) bool {
	return o.X > place.Min.X-2 && o.X < place.Max.X+2 &&
		o.Y > place.Min.Y-1.5 && o.Y < place.Max.Y+1.5
}

// grounds draws a pale ground behind each label, on which the grid fades, and its leader. Curves
// are drawn after it.
func (p placedLabels) grounds(c draw.Canvas) {
	for _, lab := range p {
		if leader := lab.leader(lab.place); leader != nil {
			c.StrokeLines(draw.LineStyle{Color: lab.color, Width: 0.6}, leader)
		}
		fillBox(c, lab.place, color.NRGBA{0xff, 0xff, 0xff, 0xd0})
	}
}

// texts writes the labels.
func (p placedLabels) texts(c draw.Canvas) {
	for _, lab := range p {
		st, _, _ := labelText(lab.color, lab.text)
		c.FillText(st, vg.Point{X: lab.place.Min.X, Y: lab.place.Min.Y + 1}, lab.text)
	}
}

// best returns the place that costs least: what it hides counts, and then how
// far down the list it is.
func (l *labeller) best(lab label, taken []vg.Rectangle) (place vg.Rectangle, ok bool) {
	least := math.Inf(1)
	for i, r := range lab.places {
		inX := r.Min.X >= l.area.Min.X && r.Max.X <= l.area.Max.X
		inY := r.Min.Y >= l.area.Min.Y && r.Max.Y <= l.area.Max.Y
		if !inX || !inY {
			continue
		}
		cost := float64(i) * lab.each
		// Two labels on each other are both illegible, which nothing else outweighs, and two of
		// lines without a blank between them are read as one.
		blank := vg.Length(0)
		if lab.anchor == nil {
			blank = 6
		}
		for _, t := range taken {
			if overlap(r, rect(t.Min.X-blank, t.Min.Y, t.Max.X+blank, t.Max.Y)) {
				cost = math.Inf(1)
			}
		}
		if line := lab.leader(r); line != nil {
			// A leader through another label is as bad as five hidden measurements, whose weight is
			// 6 each.
			cost += 30 * crossings(line[0], line[1], taken)
			// Four points of a leader are as bad as one of a level line: eyes follow a short one.
			d := line[1].Sub(line[0])
			cost += math.Hypot(float64(d.X), float64(d.Y)) / 4
		}
		touches := false
		for _, o := range l.obstacles {
			if hides(r, o) {
				cost += o.weight
				touches = touches || o.weight >= curveWeight
			}
		}
		if touches {
			// A curve at one letter is nearly as bad as one through all: as 40 points of a leader.
			cost += 10
		}
		if cost < least {
			place, least, ok = r, cost, true
		}
	}
	return place, ok
}

func overlap(a, b vg.Rectangle) bool {
	return a.Min.X < b.Max.X && b.Min.X < a.Max.X && a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y
}

// leader returns the line from the label, placed at place, to its mark; nil if they are side by
// side.
func (lab label) leader(place vg.Rectangle) []vg.Point {
	if lab.anchor == nil {
		return nil
	}
	pt := *lab.anchor
	end := vg.Point{ // the nearest point of the label
		X: max(place.Min.X, min(place.Max.X, pt.X)),
		Y: max(place.Min.Y, min(place.Max.Y, pt.Y)),
	}
	// A label within 12 points stands beside its mark, and needs no leader.
	if d := end.Sub(pt); math.Hypot(float64(d.X), float64(d.Y)) <= 12 {
		return nil
	}
	return []vg.Point{pt, end}
}

// crossings counts the rectangles that the line from a to b runs through.
func crossings(a, b vg.Point, rects []vg.Rectangle) float64 {
	const steps = 16 // of a leader of at most 110 points: finer than a label is high
	n := 0.0
	for _, r := range rects {
		for i := range steps + 1 {
			pt := a.Add(b.Sub(a).Scale(vg.Length(i) / steps))
			if pt.X > r.Min.X && pt.X < r.Max.X && pt.Y > r.Min.Y && pt.Y < r.Max.Y {
				n++
				break
			}
		}
	}
	return n
}
