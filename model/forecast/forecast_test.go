package forecast

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// doubling are points at powers of two.
func doubling(first, last float64, time func(n float64) float64) (points []Point) {
	for n := first; n <= last; n *= 2 {
		points = append(points, Point{Size: quantity.Bytes(n), Time: quantity.Micros(time(n))})
	}
	return points
}

func curve(t testing.TB, points []Point) Curve {
	t.Helper()
	c, err := Latencies().New(points, 0.01)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// invariants of every forecast.
func checkInvariants(t testing.TB, n quantity.Bytes, f Forecast) {
	t.Helper()
	if !(f.Low > 0 && f.Low <= f.Middle && f.Middle <= f.High && !math.IsInf(float64(f.High), 1)) || f.From == "" {
		t.Fatalf("%v: %+v", n, f)
	}
}

// A straight line is predicted as one, to 0.1 % between its sizes and to 5 % up to four octaves
// beyond: other machines' curves, most of which bend, have a little weight in the middle. What is
// beyond is known less well.
func TestLine(t *testing.T) {
	line := func(n float64) float64 { return 2 + n/1000 }
	c := curve(t, doubling(1, 1<<20, line))
	for n := 1.0; n <= 1<<24; n *= 1.3 {
		f := c.At(quantity.Bytes(n))
		checkInvariants(t, quantity.Bytes(n), f)
		if got := float64(f.Middle); math.Abs(got/line(n)-1) > 1e-3 && !f.Beyond || math.Abs(got/line(n)-1) > 0.05 {
			t.Errorf("%v B: %v, want %v", n, got, line(n))
		}
		if f.Beyond != (n > 1<<20) {
			t.Errorf("%v B: beyond is %v", n, f.Beyond)
		}
	}
	inside, beyond := c.At(3<<17), c.At(3<<20)
	if width(inside) > 0.05 || width(beyond) < 4*width(inside) || width(c.At(1<<24)) < width(beyond) {
		t.Errorf("widths %v inside, %v and %v beyond", width(inside), width(beyond), width(c.At(1<<24)))
	}
	if f := c.At(0); !f.Beyond || f.From != Below {
		t.Errorf("the empty message: %+v", f)
	}
}

func width(f Forecast) float64 { return float64((f.High - f.Low) / f.Middle) }

// At a jump the interval holds both sides, on a smooth part of the same curve it is narrow, and
// where other curves jump is where this one is taken to.
func TestJump(t *testing.T) {
	time := func(n float64) float64 {
		if n > 65536 {
			return 40 + n/5000
		}
		return 2 + n/5000
	}
	c := curve(t, doubling(1, 4<<20, time))
	f := c.At(92_000)
	if f.From != Jump || f.Low > 2+92_000./5000 || f.High < 40+92_000./5000 {
		t.Errorf("across the jump %+v", f)
	}
	if f := c.At(700); f.From != Between || width(f) > 0.1 {
		t.Errorf("far from it %+v", f)
	}
	// Without 128 KiB: the curve jumps between 64 and 256 KiB. Latencies mostly do after 64 KiB.
	points := doubling(1, 4<<20, time)
	c = curve(t, append(points[:17:17], points[18:]...))
	f = c.At(131072)
	// 2 % are for the shapes of other machines, which jump after 128 KiB too.
	if middle := math.Sqrt(time(65536) * time(262144)); float64(f.Middle) < 0.98*middle || float64(f.High) < time(131072) {
		t.Errorf("the jump is taken to be before 128 KiB: %+v, time is %v", f, time(131072))
	}
}

// At a measured size the middle is what was measured; the curve is continuous there.
func TestMeasured(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 0))
	points := doubling(1, 1<<20, func(n float64) float64 { return (3 + n/2000) * (1 + 0.1*random.Float64()) })
	c := curve(t, points)
	for _, p := range points[1 : len(points)-1] {
		f := c.At(p.Size)
		checkInvariants(t, p.Size, f)
		if math.Abs(float64(f.Middle/p.Time)-1) > 1e-12 || f.From != Measured {
			t.Errorf("%v: %+v, measured %v", p.Size, f, p.Time)
		}
		for _, beside := range []quantity.Bytes{p.Size * (1 - 1e-9), p.Size * (1 + 1e-9)} {
			g := c.At(beside)
			for _, r := range []quantity.Micros{g.Middle / f.Middle, g.Low / f.Low, g.High / f.High} {
				if math.Abs(float64(r)-1) > 1e-3 {
					t.Errorf("beside %v: %+v, at it %+v", p.Size, g, f)
				}
			}
		}
	}
}

// The curve's own runs tell how far another one may be: planted noise of 5 % is found, and held in
// about 95 of 100.
func TestRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 0))
	for _, runs := range []int{2, 3, 10} {
		in, all := 0.0, 0.0
		for range 200 {
			points := doubling(1, 1<<20, func(n float64) float64 { return 3 + n/2000 })
			truth := make([]float64, len(points))
			for i := range points {
				truth[i] = float64(points[i].Time)
				var v []float64
				mean := 0.0
				for range runs {
					x := truth[i] * (1 + 0.05*random.NormFloat64())
					v = append(v, x)
					mean += x / float64(runs)
				}
				ss := 0.0
				for _, x := range v {
					ss += (x/mean - 1) * (x/mean - 1)
				}
				points[i].Time, points[i].Runs, points[i].Deviation = quantity.Micros(mean), runs, math.Sqrt(ss/float64(runs-1))
			}
			c := curve(t, points)
			for i, p := range points {
				f := c.At(p.Size)
				all++
				if again := quantity.Micros(truth[i] * (1 + 0.05*random.NormFloat64())); f.Low <= again && again <= f.High {
					in++
				}
			}
		}
		t.Logf("%d runs: another one is held in %.1f %%", runs, 100*in/all)
		// Sizes are independent here, and the deviation is pooled over neighbours, but no size
		// counts as another run: more than 95 % are held.
		if in/all < 0.90 || in/all > 0.99 {
			t.Errorf("%d runs: another one is held in %.1f %%", runs, 100*in/all)
		}
	}
}

// The interval of another run is a closed form of the runs' deviation d: with the quantile t of as
// many degrees of freedom as there are runs r, ln(High/Middle) = t √(((r−1) d² + s²)/r · (1 +
// 1/r)), where s = 0.002 is that of published machines, and half a step of the printed times comes
// on top.
func TestRunInterval(t *testing.T) {
	for _, c := range []struct {
		runs       int
		t, d, want float64
	}{
		{2, 4.302653, 0.05, 4.302653 * math.Sqrt((0.0025+4e-6)/2*1.5)},
		{4, 2.776445, 0.05, 2.776445 * math.Sqrt((3*0.0025+4e-6)/4*1.25)},
		{10, 2.228139, 0.01, 2.228139 * math.Sqrt((9*1e-4+4e-6)/10*1.1)},
		{2, 4.302653, 0, 4.302653 * math.Sqrt(2e-6*1.5)}, // two runs that agree may do so by chance
	} {
		points := doubling(1, 1<<20, func(float64) float64 { return 10 })
		for i := range points {
			points[i].Runs, points[i].Deviation = c.runs, c.d
		}
		f := curve(t, points).At(1024)
		want := c.want + 0.005/10
		if up, down := math.Log(float64(f.High/f.Middle)), math.Log(float64(f.Middle/f.Low)); math.Abs(up-want) > 1e-6 || math.Abs(down-want) > 1e-6 {
			t.Errorf("%d runs that differ by %v: %.6f up, %.6f down; want %.6f", c.runs, c.d, up, down, want)
		}
	}
}

// Noise is not taken for bends, nor bends for noise: 95 of 100 sizes that are held out are held on
// planted lines with noise of 1, 3 and 5 %, and on two protocols; so is the next run at the sizes
// that were measured.
func TestPlanted(t *testing.T) {
	const curves = 400
	for _, kind := range []struct {
		name  string
		noise float64
		eager float64
	}{{"line", 0.01, 0}, {"line", 0.03, 0}, {"line", 0.05, 0}, {"two protocols", 0.03, 8192}} {
		random := rand.New(rand.NewPCG(4, 0))
		var held, next, cases, runs float64
		for k := range curves {
			truth := func(n float64) float64 {
				if kind.eager > 0 && n > kind.eager {
					return 8 + n/1500
				}
				return 2 + n/1000
			}
			measure := func(n float64) float64 { return truth(n) * (1 + kind.noise*random.NormFloat64()) }
			var given, out []Point
			for i, p := range doubling(1, 4<<20, measure) {
				if i%3 == 1+k%2 {
					out = append(out, p)
				} else {
					given = append(given, p)
				}
			}
			c := curve(t, given)
			for _, p := range out {
				if p.Size > given[len(given)-1].Size {
					continue
				}
				cases++
				if f := c.At(p.Size); f.Low <= p.Time && p.Time <= f.High {
					held++
				}
			}
			for _, p := range given {
				runs++
				again := quantity.Micros(measure(float64(p.Size)))
				if f := c.At(p.Size); f.Low <= again && again <= f.High {
					next++
				}
			}
		}
		t.Logf("%s, noise of %v: held out %.1f %%, next run %.1f %%", kind.name, kind.noise, 100*held/cases, 100*next/runs)
		// One run does not tell how far the next one drifts: machines do by more than by this
		// noise, so that the interval of the next run is too wide for planted ones, whose runs do
		// not drift.
		if held/cases < 0.93 || held/cases > 0.99 || next/runs < 0.93 {
			t.Errorf("%s, noise of %v: held out %.1f %%, next run %.1f %%", kind.name, kind.noise, 100*held/cases, 100*next/runs)
		}
	}
}

// Sizes that are nearly the same, as NetPIPE measures them, and sizes far apart are curves too;
// whatever is asked, forecasts are in order.
func TestAnyCurve(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 0))
	for range 300 {
		var points []Point
		seen := map[quantity.Bytes]bool{}
		for range 5 + random.IntN(60) {
			n := quantity.Bytes(math.Trunc(math.Exp2(40 * random.Float64())))
			for range 1 + random.IntN(3) {
				if !seen[n] {
					seen[n] = true
					points = append(points, Point{Size: n, Time: quantity.Micros(math.Exp(20*random.Float64() - 5))})
				}
				n++
			}
		}
		c, err := Latencies().New(points, quantity.Micros(random.Float64()))
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			n := quantity.Bytes(math.Exp2(45*random.Float64() - 1))
			checkInvariants(t, n, c.At(n))
		}
		for _, p := range points {
			checkInvariants(t, p.Size, c.At(p.Size))
		}
	}
}

func TestRefuses(t *testing.T) {
	line := doubling(1, 1<<10, func(n float64) float64 { return 1 + n })
	check := func(points []Point, resolution quantity.Micros, want string) {
		t.Helper()
		if _, err := Latencies().New(points, resolution); !errors.Is(err, ErrNoCurve) || err.Error() != "no curve to predict from: "+want {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	check(line[:4], 0, "it needs 5 sizes (got 4)")
	check(append(line[:8:8], line[3]), 0, "size 8 B comes twice; give the mean and the deviation of its runs")
	check(append(line[:8:8], Point{Size: 0, Time: 1}), 0, "size 0 B takes 1.00 µs, ± 0 in 0 runs")
	check(line, -1, "the times have a resolution of -1.00 µs")
	check([]Point{{Size: 100, Time: 1}, {Size: 101, Time: 1}, {Size: 102, Time: 1}, {Size: 103, Time: 1}, {Size: 104, Time: 1}}, 0, "the sizes span less than a factor of 2, from 100 B to 104 B")
}

func BenchmarkAt(b *testing.B) {
	c := curve(b, doubling(1, 4<<20, func(n float64) float64 { return 2 + n/1000 }))
	for i := 0; b.Loop(); i++ {
		c.At(quantity.Bytes(1 + i%(8<<20)))
	}
}

func BenchmarkNew(b *testing.B) {
	points := doubling(1, 4<<20, func(n float64) float64 { return 2 + n/1000 })
	for b.Loop() {
		curve(b, points)
	}
}

// As many sizes as a table holds.
func BenchmarkNewLargest(b *testing.B) {
	var points []Point
	for n := range 1 << 16 {
		points = append(points, Point{Size: quantity.Bytes(n + 1), Time: quantity.Micros(2 + float64(n)/1000)})
	}
	for b.Loop() {
		curve(b, points)
	}
}

// Forecasts of a bent curve by the frozen calibrations, in each of their classes: what
// docs/validation/trust.md reports the coverage of. A new calibration changes these numbers and
// that report together.
func TestFrozen(t *testing.T) {
	points := doubling(1, 1<<20, func(n float64) float64 {
		v := 2 + n/4000
		if n > 8192 {
			v *= 1.2
		}
		return v * (1 + 0.02*math.Sin(3*math.Log(n)))
	})
	few := []Point{points[0], points[5], points[10], points[15], points[20]}
	for _, c := range []struct {
		name      string
		k         *Calibration
		points    []Point
		n         quantity.Bytes
		low, high float64 // logarithms of the middle over the low end, and of the high end over the middle
	}{
		{"inside", Latencies(), points, 3000, 0.0630, 0.0570},
		{"across the jump", Latencies(), points, 12000, 0.1024, 0.1152},
		{"wide", Latencies(), few, 4096, 0.2258, 0.3529},
		{"above", Latencies(), points, 2 << 20, 0.1424, 0.1118},
		{"far", Latencies(), points, 16 << 20, 0.4515, 0.1473},
		{"below", Latencies(), points[6:], 8, 0.4415, 0.1664},
		{"measured", Latencies(), points, 4096, 0.0865, 0.0865},
		{"inside", Streams(), points, 3000, 0.0678, 0.0509},
		{"above", Streams(), points, 2 << 20, 0.1241, 0.1455},
		{"far", Streams(), points, 16 << 20, 0.6637, 0.2676},
		{"inside", Operations(), points, 3000, 0.0598, 0.0615},
		{"wide", Operations(), few, 4096, 0.1927, 0.4444},
		{"above", Operations(), points, 2 << 20, 0.3510, 0.1441},
		{"far", Operations(), points, 16 << 20, 1.2454, 0.3112},
		{"below", Operations(), points[6:], 8, 0.4617, 0.1410},
	} {
		curve, err := c.k.New(c.points, 0.01)
		if err != nil {
			t.Fatal(err)
		}
		curve.line.weight = 0 // the calibration is about curves
		f := curve.At(c.n)
		low, high := math.Log(float64(f.Middle/f.Low)), math.Log(float64(f.High/f.Middle))
		if math.Abs(low/c.low-1) > 0.005 || math.Abs(high/c.high-1) > 0.005 {
			t.Errorf("%s: %.4f, %.4f; calibrated %.4f, %.4f", c.name, low, high, c.low, c.high)
		}
	}
}
