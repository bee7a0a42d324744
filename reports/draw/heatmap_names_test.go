package draw

import (
	"io"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/halfpeak/halfpeak/reports/table"
)

// A map of things has their names in place of numbers, on its axes and in its rows.
func TestHeatMapNames(t *testing.T) {
	h := table.HeatMap{Names: []string{"n1", "n2"}, XS: []float64{0, 1}, YS: []float64{0, 1},
		Z: [][]float64{{1, 2}, {2, 1}}, Value: table.Axis{Label: "slower (%)"}}
	if row := h.Rows().Data[1]; row[0] != "n2" || row[1] != "n1" {
		t.Errorf("a row is %v", row)
	}
	var svg strings.Builder
	err := WriteImage(&svg, h, "svg", 400, 300, nil)
	// The space of an upright name keeps it from its tick.
	n := strings.Count(strings.ReplaceAll(svg.String(), " <", "<"), ">n2<")
	if err != nil || n != 2 {
		t.Errorf("n2 is written %d times (%v), want twice", n, err)
	}
	h.Names = h.Names[:1]
	if err := WriteImage(io.Discard, h, "png", 400, 300, nil); err == nil {
		t.Error("one name for two columns, and no error")
	}
}

// The colours of two maps of changes compare: the same change has the same colour in both, 0 is
// white, and less and more differ.
func TestChangesCompare(t *testing.T) {
	small, large := changeSteps(-1.5, 8), changeSteps(-30, 400)
	for _, v := range []float64{-1.2, 0, 1.5, 4, 7} {
		a, b := small.color(small.index(v)), large.color(large.index(v))
		if a != b || (a == white) != (math.Abs(v) < 1) {
			t.Errorf("%v %%: %v in one map, %v in the other", v, a, b)
		}
	}
	if less, more := large.color(large.index(-15)), large.color(large.index(15)); less == more {
		t.Errorf("15 %% less and more are both %v", less)
	}
	for _, s := range []steps{small, large} {
		for i := range len(s.ends) - 1 {
			if s.ends[i] >= s.ends[i+1] {
				t.Errorf("ends %v do not rise", s.ends)
			}
		}
	}
}

// The label of a mark stands below the map, where it covers no cell; a mark beside the map has none.
func TestMarksCoverNoCell(t *testing.T) {
	h := table.HeatMap{X: table.Axis{Label: "across"}, XS: []float64{0, 1, 2}, YS: []float64{0, 1},
		Z: [][]float64{{1, 2, 3}, {2, 1, 3}}, Value: table.Axis{Label: "time"},
		Marks: []table.Mark{{Kind: table.AtPoint, X: 1, Y: 1, Label: "as it is"},
			{Kind: table.AtPoint, X: 9, Y: 1, Label: "elsewhere"}}}
	at := map[string]vg.Rectangle{}
	for _, text := range recordTexts(t, h) {
		at[text.s] = text.box
	}
	if label, axis := at["as it is"], at["across"]; label.Max.Y == 0 || label.Min.Y < axis.Max.Y {
		t.Errorf("the label is at %v, the axis at %v: y runs down", label, axis)
	}
	if _, drawn := at["elsewhere"]; drawn {
		t.Error("a label without a mark")
	}
}

// recordTexts returns the texts of a picture of 800 by 500 pixels with their places.
func recordTexts(t *testing.T, p table.Picture) []inked {
	t.Helper()
	paint, err := of(t, p).in(nil).painter()
	if err != nil {
		t.Fatal(err)
	}
	r := newRecorder(800, 500)
	paint(draw.New(r))
	return r.texts
}
