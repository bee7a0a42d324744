package predict

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports"
)

// fittedDesign is a layer with what it was fitted to: 2 µs + 1 µs/KiB times the factor, bent.
func fittedDesign(t *testing.T, name string, factor float64) platforms.Design {
	t.Helper()
	var sizes, times []string
	for n := 16.; n <= 1<<20; n *= 4 {
		sizes = append(sizes, "'"+quantity.Bytes(n).String()+"'")
		times = append(times,
			"'"+quantity.Micros(factor*(2+n/1024)*(1+0.03*math.Sin(math.Log(n)))).String()+"'")
	}
	text := "[layer.fit]\nmodel = 'linear'\nbeta = '2us ± 0.1us'\ntau = '1us/KiB ± " +
		"0.01us/KiB'\nmeasured = 'fit'\nsource = 'a fit'\n" +
		"[measured.fit]\nsource = 'made up'\nsizes = [" + strings.Join(sizes, ",") +
		"]\ntimes = [" + strings.Join(times, ",") + "]\n"
	path := filepath.Join(t.TempDir(), name+".toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return designOf(t, path)
}

// A figure's bands are the intervals of predict, and paler exactly where that says beyond.
func TestBandsArePredictions(t *testing.T) {
	d := fittedDesign(t, "my", 1)
	sizes := sizesOfText(t, "1..16MiB/4")
	for _, kind := range []CurveKind{Bandwidth, Latency} {
		f, err := Curves(kind, sizes, d)
		if err != nil {
			t.Fatal(err)
		}
		seen := map[float64]bool{}
		for _, s := range f.Series {
			if s.Kind != reports.Band && s.Kind != reports.Beyond {
				continue
			}
			for i, x := range s.X {
				p := Costs([]quantity.Bytes{quantity.Bytes(x)}, d)
				next := p.Costs[0].Next
				low, high := kind.value(quantity.Bytes(x), next.Low),
					kind.value(quantity.Bytes(x), next.High)
				if math.Abs(math.Min(low, high)-s.Low[i]) > 1e-9*low ||
					math.Abs(math.Max(low, high)-s.High[i]) > 1e-9*high {
					t.Errorf("%s, %v: %v to %v, predicted %v to %v", kind, x, s.Low[i], s.High[i],
						low, high)
				}
				edge := x == 16 || x == 1<<20 // where the bands meet
				if (s.Kind == reports.Beyond) != next.Beyond && !edge {
					t.Errorf("%s, %v: %s, but beyond is %v", kind, x, s.Kind, next.Beyond)
				}
				seen[x] = true
			}
		}
		for _, n := range sizes {
			if !seen[float64(n)] {
				t.Errorf("%s, %s: no band", kind, n)
			}
		}
		points := slices.IndexFunc(f.Series, func(s reports.Series) bool {
			return s.Kind == reports.Points
		})
		if points < 0 || len(f.Series[points].X) != len(d.Layer.Measured.Sizes) {
			t.Errorf("%s: the points measured are not all drawn", kind)
		}
		if len(f.Notes) != 3 || !strings.Contains(f.Notes[2], "beyond") {
			t.Errorf("%s: notes %q", kind, f.Notes)
		}
	}
	changed, err := d.Set("beta*=2")
	if err != nil {
		t.Fatal(err)
	}
	f, err := Curves(Latency, sizes, changed)
	if err != nil || len(f.Series) != 1 {
		t.Errorf("a changed design has no next measurement, but %d series, %v", len(f.Series), err)
	}
}
