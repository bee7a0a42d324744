package predict

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*math.Abs(want)) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// HP-LAM, table 4.2: o_s 2.9, o_r 5.8, L 5.3, g 8.7 µs, 24 MB/s, of a link of 80 MB/s.
func TestCompare(t *testing.T) {
	all := Compare([]quantity.Bytes{1, 4096}, sharedtest.Must(t, platforms.FindDesign, "hp-lam"),
		sharedtest.Must(t, platforms.FindDesign, "clip/user-buffer"))
	if len(all) != 4 {
		t.Fatalf("%d rows; want two sizes of two layers", len(all))
	}
	hp := all[0]
	near(t, "o_s", float64(hp.SendOverhead), 2.9, 1e-9)
	near(t, "o_r", float64(hp.ReceiveOverhead), 5.8, 1e-9)
	near(t, "RTT", float64(hp.RTT), 28.0, 1e-9)
	near(t, "gap", float64(hp.Gap), 8.7, 1e-9)
	near(t, "r∞", float64(hp.Peak.Asymptote), 24, 1e-9)
	near(t, "share of the roof", hp.RoofShare, 24./80, 1e-9)
	if hp.BestPacket != 0 || hp.Roof.Name != "link" {
		t.Errorf("%+v", hp)
	}
	// The best equal packet of 4 KiB through five stages is 683 bytes, by a search over whole
	// bytes.
	if clip := all[3]; clip.Size != 4096 || clip.BestPacket != 683 || clip.SendOverhead != 0 &&
		clip.ReceiveOverhead == 0 {
		t.Errorf("%+v", clip)
	}
}

// CLIP at 64 KiB through five stages, as searched over whole bytes: 3490 bytes by eq. 10 take
// 601.28 µs, the best equal ones, 1875 bytes, 580.95 µs, and no plan beats 568.93 µs.
func TestCuts(t *testing.T) {
	clip := sharedtest.Must(t, platforms.FindDesign, "clip/user-buffer")
	cuts, err := Cuts([]quantity.Bytes{64 << 10}, clip)
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		method  string
		largest quantity.Bytes
		time    float64
	}{{"paper", 3490, 601.28}, {"equal", 1875, 580.95}, {"unequal", 0, 568.93},
		{"unequal-whole", 0, 568.93}, {"single", 64 << 10, 2216.4}}
	for i, w := range want {
		if cuts[i].Method != w.method || w.largest > 0 && cuts[i].Plan.Largest() != w.largest {
			t.Errorf("%+v; want %+v", cuts[i], w)
		}
		near(t, w.method, float64(cuts[i].OneWay), w.time, 2e-5) // printed digits
	}
	hp := sharedtest.Must(t, platforms.FindDesign, "hp-lam")
	if _, err := Cuts([]quantity.Bytes{1 << 10}, hp); err == nil ||
		!strings.Contains(err.Error(),
			"hp-lam/gam sends no message of these sizes through a pipeline") {
		t.Errorf("a layer without a pipeline: %v", err)
	}
}

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
		all := Costs([]quantity.Bytes{1024}, platforms.Design{Platform: p, Layer: p.Layers[0]})
		if c := all.Costs[0]; c.Next != nil || c.OneWay != 11 {
			t.Errorf("%s: %+v; want 11 µs by the model", name, c)
		}
		if notes := strings.Join(all.Rows(quantity.UnitChoice{}).Notes,
			"\n"); !strings.Contains(notes, "no curve to predict from") {
			t.Errorf("%s: the notes are %q", name, notes)
		}
	}
}

// A layer whose r∞ is above its roof is remarked upon once, as its share alone reads like a
// success.
func TestCompareAboveTheRoof(t *testing.T) {
	d, err := platforms.FindDesign("clip/system-buffer")
	if err != nil {
		t.Fatal(err)
	}
	c := Compare([]quantity.Bytes{64, 1024}, d)
	if notes := c.Rows().Notes; c[0].RoofShare <= 1.005 || len(notes) != 1 ||
		!strings.Contains(notes[0],
			"clip/system-buffer: r∞ is above the roof pci of 132.00 MB/s") {
		t.Errorf("%.3f of the roof, notes %q", c[0].RoofShare, notes)
	}
}
