package fits

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A library call has the command's number: the layer of a result predicts the same times and
// intervals as the file that is saved of it, within the 12 digits that the file has.
func TestLayerAsSaved(t *testing.T) {
	f, err := Question{
		Files:   []string{"../../fit/benchfile/testdata/netpipe-3.7.2-openmpi-4.1.4-sm.np.out"},
		Options: fit.Options{Model: "piecewise"},
	}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text, err := f.TOML()
	if err != nil {
		t.Fatal(err)
	}
	p, err := platforms.Parse("my.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	saved, err := p.Layer(p.Default)
	if err != nil {
		t.Fatal(err)
	}
	called, err := f.Curves()[0].Layer()
	if err != nil {
		t.Fatal(err)
	}
	same := func(a, b quantity.Micros) bool { return math.Abs(float64(a/b)-1) < 1e-9 }
	for _, n := range []quantity.Bytes{1, 1000, 64 * quantity.KiB, quantity.MiB, 8 * quantity.MiB} {
		want, err1 := saved.Next(n)
		got, err2 := called.Next(n)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if !same(called.OneWay(n), saved.OneWay(n)) || got.Unknown != want.Unknown ||
			want.Unknown == "" && math.Abs(got.Low/want.Low-1)+math.Abs(got.High/want.High-1) > 1e-9 {
			t.Errorf("%s: %v, %+v; saved %v, %+v", n, called.OneWay(n), got, saved.OneWay(n), want)
		}
	}
}
