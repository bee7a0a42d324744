package draw

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/reports/table"
	"gonum.org/v1/plot/vg"
)

// A band has a gap where an end is not known, and reaches to the frame where its axis cannot show
// an end, such as 0 on a logarithmic one.
func TestBandOutlines(t *testing.T) {
	nan := math.NaN()
	f := table.Figure{Y: table.Axis{Log: true}}
	s := table.Series{Kind: table.Band, X: table.Numbers{1, 2, 3, 4, 5, 6}, Y: table.Numbers{2, 2, 2, 2, 2, 2},
		Low: table.Numbers{1, 1, nan, 1, 0, 1}, High: table.Numbers{3, 3, 3, 3, 3, math.Inf(1)}}
	at := func(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(y)} }
	area := rect(0, 0, 10, 50)
	all := figureOf(f).bands(s, at, area)
	if len(all) != 2 || len(all[0].under) != 2 || len(all[1].under) != 3 {
		t.Fatalf("%+v; want outlines of two and of three places", all)
	}
	if low := all[1].under[1].Y; low >= area.Min.Y {
		t.Errorf("a band down to 0 ends at %v, inside the frame", low)
	}
	if high := all[1].over[2].Y; high <= area.Max.Y {
		t.Errorf("a band without a high end ends at %v, inside the frame", high)
	}
	if s.High = nil; len(figureOf(f).bands(s, at, area)) > 0 {
		t.Error("a band without high ends is drawn")
	}
}

// A narrow band is drawn over a wide one, in either order.
func TestNarrowBandsLieAbove(t *testing.T) {
	x := table.Numbers{1, 2}
	wide := table.Series{Name: "wide", Kind: table.Band, X: x, Y: x, Low: table.Numbers{1, 1}, High: table.Numbers{99, 99}}
	narrow := table.Series{Name: "narrow", Kind: table.Band, X: x, Y: x, Low: table.Numbers{40, 40},
		High: table.Numbers{60, 60}}
	for _, all := range [][]table.Series{{wide, narrow}, {narrow, wide}} {
		svg := string(drawn(t, table.Figure{Series: all}, "svg"))
		place := func(of string) int {
			for i, s := range all {
				if s.Name == of {
					c := filling(table.Band, newStyle(i).color)
					return strings.LastIndex(svg, "fill:"+hex(c))
				}
			}
			return -1
		}
		if place("narrow") < place("wide") || place("wide") < 0 {
			t.Errorf("%s is drawn last", all[1].Name)
		}
	}
}

// Roofs of several curves that lie close together have a label each, in the colours of the curves.
func TestRoofsApart(t *testing.T) {
	l := labeller{area: rect(0, 0, 400, 100)}
	line := func(y vg.Length) []vg.Point { return []vg.Point{{X: 0, Y: y}, {X: 400, Y: y}} }
	l.levels([]level{{"one: pci 132 MB/s", newStyle(0).color, line(50)},
		{"two: bus 120 MB/s", newStyle(1).color, line(46)},
		{"three: pci 131 MB/s", newStyle(2).color, line(48)},
		{"three: link 118 MB/s", newStyle(2).color, line(44)}})
	colors := map[string]any{}
	for _, p := range l.place() {
		colors[p.text] = p.color
	}
	if len(colors) != 4 || colors["one: pci 132 MB/s"] != newStyle(0).color ||
		colors["two: bus 120 MB/s"] != newStyle(1).color {
		t.Errorf("%v", colors)
	}
}

// Cells of a map reach at most twice as far as its outer values: two values say nothing of others.
func TestEdgesOfFewCells(t *testing.T) {
	got := edges([]float64{2, 1024}, axis{Axis: table.Axis{Log: true}})
	for i, want := range []float64{1, math.Sqrt(2048), 2048} {
		if math.Abs(got[i]/want-1) > 1e-9 {
			t.Errorf("edge %d is at %v, want %v", i, got[i], want)
		}
	}
}

// Boxes narrower than their edges have none, or a stage that is seldom busy would look busy always.
func TestNarrowBoxesHaveNoEdges(t *testing.T) {
	tl := table.Timeline{Stages: []string{"wire"}}
	for i := range 2000 {
		tl.Boxes = append(tl.Boxes, table.TimelineBox{Packet: i + 1, Start: float64(3 * i),
			End: float64(3*i + 1)})
	}
	if svg := string(drawn(t, tl, "svg")); strings.Contains(svg, "stroke:"+hex(palette[0])) {
		t.Error("2000 boxes have edges")
	}
}

// All notes of a figure are read: those that have no line of their own follow each other.
func TestNotesFlow(t *testing.T) {
	f := table.Figure{Series: []table.Series{{Kind: table.Line, X: table.Numbers{1, 2}, Y: table.Numbers{1, 2}}}}
	for i := range 6 {
		f.Notes = append(f.Notes, "Note number "+string(rune('A'+i))+".")
	}
	if texts := strings.Join(record(t, f, 800, 500), " "); !strings.Contains(texts, "number F.") {
		t.Errorf("%q", texts)
	}
}

func TestNumberLabels(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 5e-7: "5e−7", 1e-5: "0.00001", 0.25: "0.25",
		5e6: "5000000", 1e7: "1e7", 1e10: "1e10", -2.5e8: "−2.5e8", 1e100: "1e100", -1: "−1"} {
		if got := numberLabel(v); got != want || lacksGlyphs(got) {
			t.Errorf("%v is %q, want %q", v, got, want)
		}
	}
}

// A label that has only places along a curve is left out, and one across it is not.
func TestLabelsAlongCurves(t *testing.T) {
	for _, c := range []struct {
		curves [][]vg.Point
		labels int
	}{
		{[][]vg.Point{{{X: 60, Y: 0}, {X: 60, Y: 60}}, {{X: 100, Y: 0}, {X: 100, Y: 60}}}, 1},
		{[][]vg.Point{{{X: 0, Y: 24}, {X: 160, Y: 24}}, {{X: 0, Y: 36}, {X: 160, Y: 36}}}, 0},
	} {
		l := labeller{area: rect(0, 0, 160, 60)}
		for _, curve := range c.curves {
			l.avoidLine(curve, curveWeight)
		}
		l.levels([]level{{"an owner: link 80 MB/s", grey, []vg.Point{{X: 0, Y: 30}, {X: 160, Y: 30}}}})
		if placed := l.place(); len(placed) != c.labels {
			t.Errorf("%d labels, want %d: %+v", len(placed), c.labels, placed)
		}
	}
}
