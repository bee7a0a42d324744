package message

import (
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/table"
)

// A file that fit saved can be predicted, whatever its points are: where they make no curve, by the
// model.
func TestPredictWithoutCurve(t *testing.T) {
	for name, text := range map[string]string{
		"less than a factor of 2": `sizes = ["1000B", "1100B", "1200B", "1300B", "1400B"]
times = ["11us", "12us", "13us", "14us", "15us"]`,
		"takes 2e+15": `sizes = ["1000B", "2000B", "4000B", "8000B", "16000B"]
times = ["11us", "12us", "13us", "14us", "2000000000s"]`,
	} {
		p, err := platforms.Parse("x", []byte(`default = "fit"
[layer.fit]
model = "linear"
beta = "1us"
tau = "10us/KiB"
measured = "fit"
source = "made up"
[measured.fit]
`+text+`
source = "made up"
`))
		if err != nil {
			t.Fatal(err)
		}
		all, err := CostQuestion{Sizes: []quantity.Bytes{1024},
			On: []platforms.Design{{Platform: p, Layer: p.Layers[0]}}}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c := all.Costs[0]; c.Next != nil || c.OneWay != 11 {
			t.Errorf("%s: %+v; want 11 µs by the model", name, c)
		}
		if notes := strings.Join(all.Rows().Remarks(),
			"\n"); !strings.Contains(notes, "no curve to predict from") {
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
}

// A layer whose r∞ is above its roof is remarked upon once, as its share alone reads like a
// success.
func TestCompareAboveTheRoof(t *testing.T) {
	d, err := platforms.Open("clip/system-buffer")
	if err != nil {
		t.Fatal(err)
	}
	c, err := CompareQuestion{On: []platforms.Design{d},
		Sizes: []quantity.Bytes{64, 1024}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if notes := remark.Of(remark.Doubt, c.Rows().Notes); c.Costs[0].RoofShare <= 1.005 || len(notes) != 1 ||
		!strings.Contains(notes[0].Text,
			"clip/system-buffer: r∞ is above its roof, the 132 MB/s that pci carries at most") {
		t.Errorf("%.3f of the roof, notes %q", c.Costs[0].RoofShare, notes)
	}
}

// An interval that is wider than 4 times says first that it is not to plan with, and which half of
// the way to measure: from 4 KiB, 16 KiB of 64 KiB. A narrower one says how to narrow it, and one
// that is none only that.
func TestNotToPlanWith(t *testing.T) {
	p, err := platforms.Parse("x", []byte(`default = "fit"
[layer.fit]
model = "linear"
beta = "1us"
tau = "1us/KiB"
measured = "fit"
source = "made up"
[measured.fit]
sizes = ["1B", "64B", "256B", "512B", "1KiB", "2KiB", "4KiB"]
times = ["1us", "1.0625us", "1.25us", "1.5us", "2us", "3us", "5us"]
source = "made up"
`))
	if err != nil {
		t.Fatal(err)
	}
	for size, want := range map[quantity.Bytes]string{
		5 << 10:  "5 KiB: ",
		64 << 10: "not an answer to plan with, measure up to 16 KiB first: 64 KiB: ",
		64 << 20: "64 MiB: ",
	} {
		all, err := CostQuestion{Sizes: []quantity.Bytes{size},
			On: []platforms.Design{{Platform: p, Layer: p.Layers[0]}}}.Ask(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		rows := table.Rows{Verdict: verdict(all.Costs)}
		if err := (table.Printer{}).Write(&b, rows); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimLeft(b.String(), "─\n "); !strings.HasPrefix(got, want) {
			t.Errorf("%v: %q, want %q", size, got, want)
		}
	}
}
