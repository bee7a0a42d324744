package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/stats"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// curveOf returns the points of a result as a curve.
func curveOf(r *Result) (forecast.Curve, error) {
	var points []forecast.Point
	for _, p := range r.Points {
		points = append(points, forecast.Point{Size: p.Size, Time: p.Time, Runs: int(p.Count), Deviation: p.Deviation})
	}
	return forecast.Latencies().New(points, r.resolution())
}

// The project's own files: every third size is predicted from the others.
func TestCurve(t *testing.T) {
	for name, want := range map[string]struct{ coverage, median, p90 float64 }{
		// The scatter of these files between sizes 3 bytes apart: see TestOwnFiles. With their 104
		// sizes, a share is known to 2 to 3 %.
		"netpipe-3.7.2-openmpi-4.1.4-sm.np.out": {0.91, 0.04, 0.15},
		"netpipe-3.7.2-tcp-loopback.np.out":     {0.85, 0.05, 0.15},
	} {
		tab := readTable(t, name)
		var in, all float64
		var off []float64
		for phase := range 3 {
			rest := *tab
			rest.Samples = nil
			for i, s := range tab.Samples {
				if i%3 != phase || i == 0 || i == len(tab.Samples)-1 {
					rest.Samples = append(rest.Samples, s)
				}
			}
			c, err := curveOf(fitted(t)(Linear(&rest, Relative)))
			if err != nil {
				t.Fatal(err)
			}
			for i, s := range tab.Samples {
				if i%3 == phase && i > 0 && i < len(tab.Samples)-1 {
					f := c.At(s.Size)
					if all++; f.Low <= float64(s.Mean) && float64(s.Mean) <= f.High {
						in++
					}
					off = append(off, math.Abs(f.Value/float64(s.Mean)-1))
				}
			}
		}
		slices.Sort(off)
		median, p90 := stats.Quantile(off, 0.5), stats.Quantile(off, 0.9)
		t.Logf("%s: %.1f %% held, median error %.1f %%, 90th percentile %.1f %%", name, 100*in/all, 100*median, 100*p90)
		if in/all < want.coverage || median > want.median || p90 > want.p90 {
			t.Errorf("%s: %.1f %% held, median error %.1f %%, 90th percentile %.1f %%", name, 100*in/all, 100*median, 100*p90)
		}
	}
	few := fitted(t)(Linear(table([]float64{1, 10, 100}, func(n float64) float64 { return n }), Relative))
	if _, err := curveOf(few); !errors.Is(err, forecast.ErrNoCurve) {
		t.Errorf("3 sizes: %v", err)
	}
}

// Runs give their mean and what they differ by, at the sizes that all have.
func TestRuns(t *testing.T) {
	ns := sizes(10, 1, 1<<16)
	run := func(f float64) *benchfile.Table {
		return table(ns, func(n float64) float64 { return f * (1 + n/1000) })
	}
	short := run(1.2)
	short.Samples = short.Samples[:8]
	all, err := Runs(run(1), run(1.1), short)
	if err != nil || len(all.Samples) != 8 {
		t.Fatal(all, err)
	}
	r := fitted(t)(Linear(all, Relative))
	for _, p := range r.Points { // 1, 1.1, 1.2: mean 1.1, deviation 0.1
		if p.Count != 3 || !near(float64(p.Time), 1.1*(1+float64(p.Size)/1000), 1e-12) || !near(p.Deviation, 0.1/1.1, 1e-9) {
			t.Errorf("%+v", p)
		}
	}
	c, err := curveOf(r)
	if err != nil {
		t.Fatal(err)
	}
	if f := c.At(quantity.Bytes(ns[3])); f.High/f.Value < 1.2 || f.High/f.Value > 1.6 {
		t.Errorf("a run is 9 %% off: %+v", f)
	}
	if _, err := Runs(run(1), kind(run(1), benchfile.Gap)); err == nil || !strings.Contains(err.Error(), "not runs of one measurement") {
		t.Error(err)
	}
}

// The correlation of β and τ is that of many fits of the same line.
func TestCorrelation(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 0))
	var told, xx, xy, yy float64
	const tries = 300
	for range tries {
		s := fitted(t)(Linear(table(sizes(20, 1000, 1<<16), func(n float64) float64 { return (5 + n/500) * (1 + 0.01*random.NormFloat64()) }), Relative)).Segments[0]
		b, d := float64(s.Beta.Value)-5, float64(s.Tau.Value)-1./500
		xx, xy, yy = xx+b*b, xy+b*d, yy+d*d
		told += s.Correlation / tries
	}
	// 300 tries tell a correlation to ±0.04.
	if found := xy / math.Sqrt(xx*yy); math.Abs(found-told) > 0.12 || told > -0.3 {
		t.Errorf("the correlation is %.3f, and told is %.3f", found, told)
	}
}

// Where β or τ is held at 0 nothing is said of how they go together: what is told of the free line
// is not of this one.
func TestCorrelationAtBound(t *testing.T) {
	for name, time := range map[string]func(n float64) float64{
		"β": func(n float64) float64 { return n * n / 1000 },
		"τ": func(n float64) float64 { return 100 - n/1000 },
	} {
		for _, m := range Methods {
			s := fitted(t)(Linear(table(sizes(20, 1000, 1<<14), time), m)).Segments[0]
			if min(float64(s.Beta.Value), float64(s.Tau.Value)) != 0 {
				t.Fatalf("%s, %s: β = %v, τ = %v: none is held at 0", name, m, s.Beta.Value, s.Tau.Value)
			}
			if s.Correlation != 0 {
				t.Errorf("%s, %s: held at 0 with a correlation of %v", name, m, s.Correlation)
			}
		}
	}
}
