package whatif

import (
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// One of two designs may be exact: only the other has intervals.
func TestUncertainBesideExact(t *testing.T) {
	before := Of(sharedtest.Must(t, platforms.Open, "clip"))
	after, err := before.Set("host-dma.tau = 3us/KiB ± 1us/KiB")
	if err != nil {
		t.Fatal(err)
	}
	sizes := []quantity.Bytes{65536}
	sampling := Sampling{Samples: 100, Seed: 1}
	all, err := before.Quantities("one_way")
	if err != nil {
		t.Fatal(err)
	}
	u, err := predictAll([]NamedDesign{{Name: "as it is", Design: before}, {Name: "changed", Design: after}}, all, sizes, sampling)
	if err != nil {
		t.Fatal(err)
	}
	v := float64(before.Layer.Model.OneWay(sizes[0]))
	first, second := u.Intervals[0][0][0], u.Intervals[1][0][0]
	if first != (quantity.Interval{Value: v, Low: v, High: v}) || !(second.Low < second.High) || len(u.Rows().Data) != 2 {
		t.Errorf("before %+v, want %v; after %+v", first, v, second)
	}
	if err := u.addCurve(all[0], sizes); err != nil {
		t.Error(err)
	}
}

func TestProbabilityText(t *testing.T) {
	for p, want := range map[float64]string{
		0: "0.0 %", 0.0001: "< 0.1 %", 0.5: "50.0 %", 0.9999: "> 99.9 %", 1: "100.0 %",
	} {
		if got := probabilityText(p); got != want {
			t.Errorf("%v is printed as %q, want %q", p, got, want)
		}
	}
}

// A threshold that a fit suggests beyond the one in use is an extrapolation of the lower branch, and
// below it of the upper one. A branch of given parameters is not measured, and so not extrapolated.
func TestExtrapolatedThreshold(t *testing.T) {
	d := Of(sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml"))
	l := Landmark{Size: 64 << 10, Threshold: Threshold{Below: "a", Above: "b", InUse: 8 << 10}}
	if got := extrapolation(d, l); got != "a was measured up to 8 KiB, and is extrapolated 8 × to 64 KiB" {
		t.Error(got)
	}
	l.Size = 2 << 10
	if got := extrapolation(d, l); got != "b was measured above 8 KiB, and is extrapolated 4 × to 2 KiB" {
		t.Error(got)
	}
	if got := extrapolation(Of(sharedtest.Must(t, platforms.Open, "clip")), l); got != "" {
		t.Error(got)
	}
}
