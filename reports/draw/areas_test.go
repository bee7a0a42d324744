package draw

import (
	"image/color"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/plot/vg"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Areas of two rounds of the palette look different, and each differs in its shade from the next.
func TestAreaColors(t *testing.T) {
	seen := map[color.NRGBA]int{}
	for k := range 2 * len(palette) {
		if j, ok := seen[areaColor(k)]; ok {
			t.Errorf("areas %d and %d have one colour", j, k)
		}
		seen[areaColor(k)] = k
	}
}

// The name of a part stands in the middle of its stretch, and a part that is nowhere a hundredth of
// the height is not in the legend.
func TestNamesOfParts(t *testing.T) {
	a := table.Areas{X: table.Axis{Label: "x"}, Y: table.Axis{Label: "part (%)", Max: 100},
		Parts: []table.AreaPart{{Name: "left"}, {Name: "right"}, {Name: "unseen"}}}
	for i := range 101 {
		left := 100.
		if i > 50 {
			left = 0
		}
		a.XS = append(a.XS, float64(i))
		a.Parts[0].Y = append(a.Parts[0].Y, left)
		a.Parts[1].Y = append(a.Parts[1].Y, 99.5-left*0.995)
		a.Parts[2].Y = append(a.Parts[2].Y, 0.5-left*0.005)
	}
	var names, ticks []vg.Length
	for _, text := range recordTexts(t, a) {
		middle := (text.box.Min.X + text.box.Max.X) / 2
		switch text.s {
		case "left", "right":
			names = append(names, middle)
		case "0", "50", "100": // of x, but for those at the y axis
			ticks = append(ticks, middle)
		case "unseen":
			t.Error("the legend names a part that is not seen")
		}
	}
	slices.Sort(ticks)
	end, width := ticks[len(ticks)-1], ticks[len(ticks)-1]-ticks[len(ticks)-2]
	// The names in the picture come last. A fiftieth of the axis is a step of the data.
	for i, name := range names[2:] {
		if want := end - width*vg.Length([]float64{1.5, 0.5}[i]); math.Abs(float64(name-want)) > float64(width)/25 {
			t.Errorf("name %d stands at %v, want %v", i, name, want)
		}
	}
}
