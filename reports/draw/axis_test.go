package draw

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/table"
)

// timed is a line of times at sizes 1 and 2, on a linear or logarithmic axis.
func timed(log bool, times ...float64) table.Figure {
	return table.Figure{X: table.Axis{Label: "size"}, Y: table.Axis{Label: "time", Dim: quantity.DimTime, Log: log},
		Series: []table.Series{{Kind: table.Line, X: []float64{1, 2}, Y: times}}}
}

// An axis has one unit: that of the choice, or ms above 1,000 µs and s above 10⁶ µs unless small
// values on a logarithmic axis would need more than one decimal. Then long numbers have their units
// at the ticks.
func TestUnitsOfAxes(t *testing.T) {
	for _, test := range []struct {
		f     table.Figure
		units string
		want  string
		last  float64
	}{
		{timed(false, 1, 900), "", "time (µs)", 900},
		{timed(false, 1, 1e4), "", "time (ms)", 10},
		{timed(false, 1, 3e6), "", "time (s)", 3},
		{timed(true, 200, 1e5), "", "time (ms)", 100},
		{timed(true, 20, 1e5), "", ">time<", 1e5},
		{timed(true, 20, 1500), "", "time (µs)", 1500},
		{timed(true, 0.3, 1e4), "", ">time<", 1e4}, // units at the ticks
		{timed(true, 0.3, 1e4), "us", "time (µs)", 1e4},
		{timed(true, 500, 2e6), "", "time (ms)", 2e3},
		{timed(false, 1, 1e4), "us", "time (µs)", 1e4},
		{timed(false, 1, 500), "GB/s,s", "time (s)", 5e-4},
	} {
		var units quantity.UnitChoice
		if test.units != "" {
			var err error
			if units, err = quantity.ParseUnits(test.units); err != nil {
				t.Fatal(err)
			}
		}
		f := figureOf(test.f).in(units).(figure)
		if got := f.Y.title(); got != strings.Trim(test.want, "><") {
			t.Errorf("%v in %q: %q, want %q", test.f.Series[0].Y, test.units, got, test.want)
		}
		if got := f.Series[0].Y[1]; math.Abs(got/test.last-1) > 1e-12 { // a division
			t.Errorf("%v in %q: ends at %v, want %v", test.f.Series[0].Y, test.units, got, test.last)
		}
		var svg bytes.Buffer
		if err := WriteImage(&svg, test.f, "svg", 400, 300, units); err != nil ||
			!strings.Contains(svg.String(), test.want) {
			t.Errorf("%q is not in the picture (%v)", test.want, err)
		}
	}
	for _, tick := range []string{">1 µs<", ">1 ms<", ">10 ms<"} {
		if svg := drawn(t, timed(true, 0.3, 1e4), "svg"); !bytes.Contains(svg, []byte(tick)) {
			t.Errorf("no tick %s", tick)
		}
	}
	// The caller's figure stays as it is.
	f := timed(false, 1, 1e4)
	if figureOf(f).in(nil); f.Series[0].Y[1] != 1e4 {
		t.Error("the figure itself was scaled")
	}
}

// The label of a roof and the total of a timeline have the unit of their axis.
func TestUnitsOfLabels(t *testing.T) {
	f := timed(false, 10, 100)
	f.Y.Dim = quantity.DimRate
	f.Marks = []table.Mark{{Kind: table.AtY, Y: 132, Label: "pci", Valued: true}}
	units, err := quantity.ParseUnits("Gbit/s")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		p     table.Picture
		units quantity.UnitChoice
		want  string
	}{
		{f, nil, "pci 132 MB/s"},
		{f, units, "pci 1.056 Gbit/s"},
		{table.Timeline{Stages: []string{"a"}, Boxes: []table.TimelineBox{{End: 4500}}}, nil, "4.5 ms"},
	} {
		var svg bytes.Buffer
		if err := WriteImage(&svg, test.p, "svg", 400, 300, test.units); err != nil ||
			!strings.Contains(svg.String(), ">"+test.want+"<") {
			t.Errorf("%q is not in the picture (%v)", test.want, err)
		}
	}
}

// Names stand beside the ends of their curves, apart and in their order, as near as they can.
func TestSpread(t *testing.T) {
	got := spread([]vg.Length{100, 95, 90, 40, 3}, 10, 0, 104)
	for i, want := range []vg.Length{104, 94, 84, 40, 3} {
		if math.Abs(float64(got[i]-want)) > 1e-9 {
			t.Errorf("%v; want 104, 94, 84, 40, 3", got)
			break
		}
	}
}

// No ground of a label is drawn over a curve: all boxes come before the first curve.
func TestLabelsEraseNothing(t *testing.T) {
	f := curves(systems, false)
	f.Notes = nil
	var svg bytes.Buffer
	if err := WriteImage(&svg, f, "svg", 400, 300, nil); err != nil {
		t.Fatal(err)
	}
	grounds := strings.LastIndex(svg.String(), "fill-opacity")
	curve := strings.Index(svg.String(), "stroke-width:1.5")
	if grounds < 0 || curve < 0 {
		t.Fatal("the picture has no grounds, or no curves")
	}
	// The samples of the legend are curves too, and are drawn first.
	if last := strings.LastIndex(svg.String(), "stroke:#7A4A2A;stroke-width:1.5"); last < grounds {
		t.Errorf("a ground at %d lies over the last curve at %d", grounds, last)
	}
}

// A bound that a logarithmic axis cannot show, such as 0 or infinity, is a short arm inside the frame
// without a cap, on both sides alike.
func TestArmsBeyondTheAxis(t *testing.T) {
	inf := math.Inf(1)
	f := timed(true, 10, 10)
	f.Series[0].Kind = table.Points
	f.Series[0].Low, f.Series[0].High = []float64{0, 5}, []float64{20, inf}
	p := figurePlotter{figureOf(f), figureOf(f).styles(), grey}
	at := func(x, y float64) vg.Point { return vg.Point{X: vg.Length(x), Y: vg.Length(y)} }
	area := rect(0, 1, 10, 50)
	for i, want := range [][2]bool{{false, true}, {true, false}} {
		bar, ended := p.errorBar(f.Series[0], i, at, area)
		edge := []vg.Length{1, 10 + openArm}[i] // the frame, and an arm
		if ended != want || bar[i].Y != edge {
			t.Errorf("point %d: bar %v, ends %v; want an arm to %v", i, bar, ended, edge)
		}
	}
}

// An axis near its values has no 0; one whose values are far apart has.
func TestNearAxis(t *testing.T) {
	for _, c := range []struct{ lo, hi, min, max float64 }{{107, 119, 106, 120}, {40, 100, 0, 120},
		{5, 5, 0, 6}} {
		got, err := axis{Axis: table.Axis{Near: true}}.limits([]float64{c.lo, c.hi})
		if err != nil || got.min != c.min || got.max != c.max {
			t.Errorf("%v to %v: %v, %v; want %v to %v", c.lo, c.hi, got, err, c.min, c.max)
		}
	}
}
