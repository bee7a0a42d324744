package draw

import (
	"bytes"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/reports/table"
)

// Names in letters that the fonts lack stay apart in every format. An SVG file holds them as text
// in the room that was measured.
func TestForeignLetters(t *testing.T) {
	named := func(name string) table.Figure {
		return table.Figure{X: table.Axis{Label: "x"}, Y: table.Axis{Label: "y"}, Series: []table.Series{
			{Kind: table.Line, Name: "节" + name, X: []float64{1, 2}, Y: []float64{1, 2}},
			{Kind: table.Line, Name: "b", X: []float64{1, 2}, Y: []float64{2, 2}}}}
	}
	for _, ext := range ImageFormats {
		if a, b := drawn(t, named("点"), ext), drawn(t, named("🙂"), ext); bytes.Equal(a, b) {
			t.Errorf("%s: two names look alike", ext)
		}
	}
	svg := string(drawn(t, named("点"), "svg"))
	if !strings.Contains(svg, ">节点</text>") || strings.Count(svg, "textLength=") != 1 {
		t.Errorf("%s", svg)
	}
	if got := printable("a\u202eb\n"); got != "a?b " {
		t.Errorf("%q", got)
	}
}
