package whatif

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/message"
)

// All commands tell the same of the next measurement.
func TestOnePrediction(t *testing.T) {
	d := Of(sharedtest.Must(t, platforms.Open, "../table/testdata/my.toml"))
	sizes := []quantity.Bytes{1, 100, 4096, 4 << 20}
	p, err := message.CostQuestion{On: []platforms.Design{d.Design}, Sizes: sizes}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	both := []platforms.Design{sharedtest.Must(t, platforms.Open, "clip"), d.Design}
	compared, err := message.CompareQuestion{On: both, Sizes: sizes}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c := compared.Costs
	names := []string{"one_way", "bandwidth", "gap"}
	all, err := d.Quantities(names...)
	if err != nil {
		t.Fatal(err)
	}
	u, err := predictAll([]NamedDesign{{"as it is", d}}, all, sizes, Sampling{Samples: 10, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range p.Costs {
		got := c[len(sizes)+i]
		if got.OneWay != want.OneWay || got.Bandwidth != want.Bandwidth || *got.Next != *want.Next {
			t.Errorf("%s: compare says %+v, predict %+v", want.Size, got.Predicted, want)
		}
		for k, value := range []float64{float64(want.OneWay), float64(want.Bandwidth), float64(want.Gap)} {
			if in := u.Intervals[0][k][i]; math.Abs(in.Value-value) > 1e-9*value || !(in.Low <= value && value <= in.High) {
				t.Errorf("%s, %s: what-if says %+v, predict %v", want.Size, names[k], in, value)
			}
		}
	}
	for i := range sizes {
		if c[i].Next != nil {
			t.Errorf("clip was not fitted, but has %v", c[i].Next)
		}
	}
}
