package reports

import (
	"io"
	"strings"
	"testing"
)

// A map of things has their names in place of numbers, on its axes and in its rows.
func TestHeatMapNames(t *testing.T) {
	h := HeatMap{Names: []string{"n1", "n2"}, XS: []float64{0, 1}, YS: []float64{0, 1},
		Z: [][]float64{{1, 2}, {2, 1}}, Value: Axis{Label: "slower (%)"}}
	if row := h.Rows().Data[1]; row[0] != "n2" || row[1] != "n1" {
		t.Errorf("a row is %v", row)
	}
	var svg strings.Builder
	if err := WriteImage(&svg, h, "svg", 400, 300, nil); err != nil ||
		strings.Count(svg.String(), ">n2<") != 2 {
		t.Errorf("n2 is written %d times (%v), want twice", strings.Count(svg.String(), ">n2<"),
			err)
	}
	h.Names = h.Names[:1]
	if err := WriteImage(io.Discard, h, "png", 400, 300, nil); err == nil {
		t.Error("one name for two columns, and no error")
	}
}
