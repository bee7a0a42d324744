package whatif

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// On LogGP the sensitivity to a time is its part of the whole: RTT = 2(o_s + L + o_r + 15G) at 16
// bytes.
func TestSensitivities(t *testing.T) {
	d := find(t, "hp-lam")
	q, err := Design{}.parseQuantity("rtt(16B)")
	if err != nil {
		t.Fatal(err)
	}
	now, err := d.ValueOf(q)
	if err != nil {
		t.Fatal(err)
	}
	all, err := d.sensitivities(q, now, 0.1)
	if err != nil {
		t.Fatal(err)
	}
	whole := 2.9 + 5.3 + 5.8 + 15/24.
	want := map[string]float64{"layer.gam.L": 5.3 / whole, "constant.bulk_bandwidth": -15 / 24. / whole, "layer.gam.g": 0,
		"constant.card_read": 8 * 0.691 / whole, "constant.card_write": 8 * 0.183 / whole, "constant.glue_write": 2 * 0.183 / whole,
		"constant.send_rest": 1.253 / whole, "constant.receive_rest": 0.089 / whole}
	last := math.Inf(1)
	found := 0
	for _, s := range all {
		if _, ok := want[s.Param.Path]; ok {
			found++
		}
		if w, ok := want[s.Param.Path]; ok && math.Abs(s.PerPercent-w) > 1e-4 {
			t.Errorf("%s: %v, want %v", s.Param.Path, s.PerPercent, w)
		}
		if weight(s) > last {
			t.Errorf("%s stands behind what matters less", s.Param.Path)
		}
		last = weight(s)
	}
	if found != len(want) {
		t.Errorf("%d of %d parameters", found, len(want))
	}
	// The queue entry's words count for both overheads, so they come first: 10 % of 8(691 + 183)
	// ns.
	if first := all[0]; first.Param.Path != "constant.entry_words" || math.Abs(first.More-2*(whole+0.6992)) > 1e-9 {
		t.Errorf("first is %s, 10 %% more of it make %v", first.Param.Path, first.More)
	}
}

// solved is the target, the parameter of the name, and its value between from and to that reaches
// the target.
func solved(t *testing.T, d Design, target, name string, from, to float64) (Target, platforms.Param, Solution) {
	t.Helper()
	tg, err := d.ParseTarget(target)
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Find(name)
	if err != nil {
		t.Fatal(err)
	}
	s, err := solveFor(d, tg, Range{Param: p, From: from, To: to})
	if err != nil {
		t.Fatal(err)
	}
	return tg, p, s
}

// A target that the parameter meets outside of the range is met up to where it ceases to be, not up
// to the range.
func TestSolveMetOutside(t *testing.T) {
	_, _, beyond := solved(t, find(t, "hp-lam"), "rtt(1B) <= 40us", "o_r", 20, 30)
	_, _, around := solved(t, find(t, "hp-lam"), "rtt(1B) <= 40us", "o_r", 1, 30)
	if !beyond.Met || !around.Met {
		t.Fatalf("not met: %+v, %+v", beyond, around)
	}
	near(t, "met up to", beyond.To, around.To, 1e-9)
}

// What a search finds is what a sweep in small steps finds, to the step.
func TestSolveIsSweep(t *testing.T) {
	check := func(ref, target, name string, from, to float64) {
		t.Helper()
		d := find(t, ref)
		tg, p, s := solved(t, d, target, name, 0, 0)
		prog, _ := d.Compile(p)
		const steps = 500
		step := (to - from) / float64(steps)
		nearest := math.NaN()
		for i := range steps + 1 {
			v := from + float64(i)*step
			if p.Whole() {
				v = math.Round(v)
			}
			if prog.Set(v) && tg.met(tg.Quantity.In(prog.Costs())) && !(math.Abs(v-p.Value.Num) >= math.Abs(nearest-p.Value.Num)) {
				nearest = v
			}
		}
		if s.Reached == math.IsNaN(nearest) || s.Reached && math.Abs(s.Value-nearest) > step+1e-9 {
			t.Errorf("%s, %s by %s: %v (%v), the sweep finds %v", ref, target, name, s.Value, s.Reached, nearest)
		}
		if s.Reached && !tg.met(s.At) {
			t.Errorf("%s, %s by %s: %v gives %v", ref, target, name, s.Value, s.At)
		}
	}
	check("hp-lam", "rtt(16B) <= 20us", "o_r", 0, 20)
	check("hp-lam", "rtt(16B) <= rtt(16B)/2", "o_r", 0, 20)
	check("hp-lam", "rtt(16B) <= rtt(16B)*0.8", "L", 0, 20)
	check("hp-lam", "throughput(64KiB) >= 30MB/s", "bulk_bandwidth", 1, 100)
	check("clip", "bandwidth(64KiB) >= 115MB/s", "wire.tau", 0, 0.02)
	check("clip", "bandwidth(64KiB) >= 114MB/s", "host-dma-in.tau", 0, 0.02)
	check("clip", "bandwidth(64KiB) >= 120MB/s", "host-dma.tau", 0, 0.02)
	check("clip", "n_half <= 3000", "copy-out.beta", 0, 10)
	check("hp-lam/bulk", "bandwidth(64KiB) >= 24.5MB/s", "mtu", 1, 100000)
	check("sun-lam-ss20", "rtt(1B) <= 15us", "o_s", 0, 20)
}

func TestSolve(t *testing.T) {
	from, to := 0.0, 0.0
	solve := func(ref, target, name string) Solution {
		t.Helper()
		_, _, s := solved(t, find(t, ref), target, name, from, to)
		return s
	}
	// Without o_r, 2(2.9 + 5.3) = 16.4 µs are left for one byte, more than half of 28.
	s := solve("hp-lam", "rtt(1B) <= rtt(1B)/2", "o_r")
	if s.Reached || s.Value != 0 || math.Abs(s.At-16.4) > 1e-9 || s.Limits[0].Owner != "L" {
		t.Errorf("half of the RTT by o_r: %+v", s)
	}
	// It is met up to 2(2.9 + 5.3 + o_r) = 40 µs.
	s = solve("hp-lam", "rtt(1B) <= 40us", "o_r")
	if !s.Met || math.Abs(s.To-11.8) > 1e-9 || !math.IsInf(s.From, -1) {
		t.Errorf("40 µs by o_r: %+v", s)
	}
	// What is left when a target is just met without the parameter is rounding, so the value is 0.
	if s = solve("hp-lam", "rtt(1B) <= 16.4us", "o_r"); !s.Reached || s.Value != 0 {
		t.Errorf("all but o_r: %+v", s)
	}
	// A target with = is what the value has to cross.
	if s = solve("hp-lam", "rtt(1B) = 20us", "o_r"); math.Abs(s.Value-1.8) > 1e-9 {
		t.Errorf("20 µs by o_r: %+v", s)
	}
	// Within a range, the parameter stays there.
	for _, c := range []struct{ from, to, want float64 }{{0, 1, 1}, {1, 2, 1.8}, {0, 10, 1.8}} {
		from, to = c.from, c.to
		if s = solve("hp-lam", "rtt(1B) <= 20us", "o_r"); !s.Reached || math.Abs(s.Value-c.want) > 1e-9 {
			t.Errorf("20 µs by o_r from %v to %v: %+v", from, to, s)
		}
	}
	from, to = 2, 20
	if s = solve("hp-lam", "rtt(1B) <= 20us", "o_r"); s.Reached || s.Value != 2 {
		t.Errorf("20 µs by o_r from 2 to 20: %+v", s)
	}
}

func TestParseTargetErrors(t *testing.T) {
	check := func(ref, text, want string) {
		t.Helper()
		_, err := find(t, ref).ParseTarget(text)
		if err == nil || err.Error() != text+": "+want {
			t.Errorf("got  %v\nwant %s: %s", err, text, want)
		}
	}
	check("hp-lam", "rtt(16B) <= rtt(16B)/0", `"rtt(16B)/0": a time must be finite`)
	check("hp-lam", "rtt(16B)", `no condition; write it as "bandwidth(4KiB) >= 100MB/s"`)
	check("hp-lam", "rtt >= 3us", `"rtt" lacks the size of the messages; write rtt(64KiB)`)
	check("hp-lam", "rt(1B) >= 3us", `no quantity "rt"; did you mean "rtt"?`)
	check("hp-lam", "rtt(16B) <= 3MB/s", "rtt must be a time with ns, µs (us), ms or s (got a rate)")
	check("hp-lam", "packet(4KiB) <= 3B", "hp-lam/gam has no packet(4KiB): its messages are not cut into packets")
	check("hp-lam/card-accesses", "n_half <= 3B", "hp-lam/card-accesses has no n_half: no cost is per byte, so bandwidth has no peak")
}

// On the curve the target is just met: on one side it is, on the other it is not.
func TestCurve(t *testing.T) {
	d := find(t, "clip")
	tg, err := d.ParseTarget("bandwidth(64KiB) >= 105MB/s")
	if err != nil {
		t.Fatal(err)
	}
	ranges := sweep(t, "clip", nil, nil, "host-dma.tau=1us/KiB..12us/KiB/45", "wire.tau=1us/KiB..12us/KiB").Ranges
	curve, err := d.tradeCurve(t.Context(), tg, ranges[0], ranges[1])
	if err != nil {
		t.Fatal(err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := d.tradeCurve(ended, tg, ranges[0], ranges[1]); !errors.Is(err, context.Canceled) {
		t.Errorf("an ended context gives %v", err)
	}
	prog, _ := d.Compile(ranges[0].Param, ranges[1].Param)
	found := 0
	met := func(x, y float64) bool { return prog.Set(x, y) && tg.met(tg.Quantity.In(prog.Costs())) }
	for i, x := range curve.X {
		if math.IsNaN(curve.Y[i]) {
			continue
		}
		found++
		if y := curve.Y[i]; met(x, y*(1-1e-9)) == met(x, y*(1+1e-9)) {
			t.Errorf("at %v nothing changes at %v", x, y)
		}
	}
	if found < 20 {
		t.Errorf("the curve has %d points", found)
	}
	// A time below 0 neither meets nor misses a target: of one that all others meet, there is no curve.
	tg.Value = 1e-6
	y := ranges[1]
	y.From, y.Param = -y.To, ranges[1].Param
	if curve, _ := d.tradeCurve(t.Context(), tg, ranges[0], y); slices.ContainsFunc(curve.Y, func(y float64) bool { return !math.IsNaN(y) }) {
		t.Errorf("a target that is always met is just met at %v", curve.Y)
	}
}

// Crossings are where walking every size finds them.
func TestCrossings(t *testing.T) {
	check := func(a, b string, hi int) {
		t.Helper()
		x, y := find(t, a).Layer.Model, find(t, b).Layer.Model
		var want []string
		last := 0.0
		for n := quantity.Bytes(1); n <= quantity.Bytes(hi); n++ {
			lead := float64(y.OneWay(n) - x.OneWay(n))
			if last*lead < 0 {
				want = append(want, fmt.Sprint(n-1, lead < 0))
			}
			if lead != 0 {
				last = lead
			}
		}
		var got []string
		for _, c := range model.Crossings(x, y, 1, quantity.Bytes(hi)) {
			got = append(got, fmt.Sprint(c.Size, c.Beyond))
			if !(c.Near.Low <= c.Near.Value && c.Near.Value <= c.Near.High) {
				t.Errorf("%s is not between %s and %s", c.Size, quantity.Bytes(c.Near.Low), quantity.Bytes(c.Near.High))
			}
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("%s, %s: got %v, want %v", a, b, got, want)
		}
	}
	check("clip", "mpc", 20000)
	check("hp-lam", "paragon", 20000)
	check("meiko-cs2", "sun-lam-ss20", 20000)
	check("clip/pio", "clip/dma-system-buffer", 5000)
	check("hp-lam", "hp-lam", 1000)
}

func TestSizeFor(t *testing.T) {
	for _, d := range designs(t) {
		l := d.Layer
		n, ok := model.SizeFor(l.Model, 0.5, 0)
		want, known := model.HalfPeak(l.Model)
		half := model.Asymptote(l.Model) / 2
		if ok != known || ok && (n > want || model.Bandwidth(l.Model, n) < half || n > 1 && model.Bandwidth(l.Model, n-1) >= half) {
			t.Errorf("%s: %s (%v), n½ is %s (%v)", l.Ref(), n, ok, want, known)
		}
	}
	// β + nτ reaches 90 % of 1/τ at 9β/τ.
	if n, _ := model.SizeFor(&model.Linear{Beta: 10, Tau: 0.01}, 0.9, 0); n != 9000 {
		t.Errorf("90 %% at %s", n)
	}
}

// design is a platform with one layer, for tests with intervals.
func design(t *testing.T, name, layer string) Design {
	t.Helper()
	p, err := platforms.Parse(name+".toml", []byte("[layer.x]\n"+layer+"\nsource = \"test\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	return Design{Design: platforms.Design{Platform: p, Layer: p.Layers[0]}}
}

// Sampling ends soon after its context, whatever the number of samples.
func TestSamplingEnds(t *testing.T) {
	d := design(t, "d", `model = "linear"
beta = "10us ± 1us"
tau = "10us/KiB ± 5%"`)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	s := Sampling{Samples: 1e8, Seed: 1, Context: ctx}
	if _, err := d.Predict("one_way", []quantity.Bytes{1}, s); !errors.Is(err, context.Canceled) {
		t.Errorf("Predict: %v", err)
	}
	if _, err := faster(d, d, sized(1), s); !errors.Is(err, context.Canceled) {
		t.Errorf("Faster: %v", err)
	}
}

// The interval of a linear cost is that of a sum of normal numbers: √(h_β² + (n·h_τ)²).
func TestPredict(t *testing.T) {
	d := design(t, "d", `model = "linear"
beta = "10us ± 1us"
tau = "10us/KiB ± 5%"`)
	sizes := []quantity.Bytes{1, 1024, 65536}
	in, err := d.Predict("one_way", sizes, Sampling{Samples: 100000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i, n := range sizes {
		k := float64(n) / 1024
		want := math.Hypot(1, k*0.5)
		if math.Abs(in[i].Low-(10+10*k-want)) > 0.02*want || math.Abs(in[i].High-(10+10*k+want)) > 0.02*want {
			t.Errorf("%s: %+v, want ± %v", n, in[i], want)
		}
	}
	again, err := d.Predict("one_way", sizes, Sampling{Samples: 100000, Seed: 1})
	if err != nil || again[2] != in[2] {
		t.Errorf("the same seed gives %v and %v", in[2], again[2])
	}
	exact := find(t, "clip")
	in, err = exact.Predict("one_way", sizes, Sampling{Samples: 10})
	if !errors.Is(err, ErrExact) || len(in) != len(sizes) {
		t.Fatalf("without intervals: %v, %v", in, err)
	}
	for i, n := range sizes {
		if v := float64(exact.Layer.Model.OneWay(n)); in[i] != (quantity.Interval{Value: v, Low: v, High: v}) {
			t.Errorf("%s without intervals: %+v, want %v", n, in[i], v)
		}
	}
}

// What a fit knows of β and τ together narrows the interval of a size between those that were
// measured: half of it is √(h_β² + (n·h_τ)² + 2·r·n·h_β·h_τ).
func TestPredictCorrelated(t *testing.T) {
	if testing.Short() {
		t.Skip("millions of samples, on one goroutine")
	}
	const lines = `model = "linear"
beta = "10us ± 1us"
tau = "10us/KiB ± 0.5us/KiB"`
	const samples = 100000
	half := func(layer string, n quantity.Bytes) float64 {
		in, err := design(t, "d", layer).Predict("one_way", []quantity.Bytes{n}, Sampling{Samples: samples, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		if k := float64(n) / 1024; math.Abs(in[0].Value-(10+10*k)) > 1e-9 {
			t.Errorf("%s: the median is %v, the line %v", n, in[0].Value, 10+10*k)
		}
		return (in[0].High - in[0].Low) / 2
	}
	for _, r := range []float64{-0.9, -0.5, 0.5, 0.9} {
		for _, n := range []quantity.Bytes{1, 1024, 2048, 65536} {
			k := float64(n) / 1024 * 0.5
			want := math.Sqrt(1 + k*k + 2*r*k)
			got := half(fmt.Sprintf("%s\ncorrelation = \"%v\"", lines, r), n)
			// A quantile p of N normal samples has the standard error √(p(1−p)/N)/φ(z) of a
			// standard deviation: 0.0084 at 2.5 % and N = 100000, 0.0043 of h. Four of them.
			if math.Abs(got-want) > 4*0.0043*want {
				t.Errorf("r = %v, %s: ± %v, want ± %v", r, n, got, want)
			}
			if n != 2048 {
				continue // elsewhere one parameter alone makes nearly all of the interval
			}
			if alone := half(lines, n); (got < alone) != (r < 0) {
				t.Errorf("r = %v, %s: ± %v, independent ± %v", r, n, got, alone)
			}
		}
	}
}

// The value of a prediction is the median of its samples: of two stages as slow as each other, one
// is above its own median in three of four cases, and the model's time is not in the middle.
func TestPredictMedian(t *testing.T) {
	d := find(t, "clip")
	s := Sampling{Samples: 4001, Seed: 1, Assumed: 0.05}
	const n = 65536
	in, err := d.Predict("one_way", []quantity.Bytes{n}, s)
	if err != nil {
		t.Fatal(err)
	}
	below := 0
	if err := s.run([]Design{d}, func(of []platforms.Costs) {
		if float64(of[0].Layer.OneWay(n)) < in[0].Value {
			below++
		}
	}); err != nil {
		t.Fatal(err)
	}
	if below != s.Samples/2 || in[0].Value < float64(d.Layer.Model.OneWay(n)) {
		t.Errorf("%d of %d samples are below %v; the model says %v", below, s.Samples, in[0].Value, d.Layer.Model.OneWay(n))
	}
}

// Every platform has intervals if they are assumed: of a fifth at most, unless its file has wider
// ones of its own.
func TestAssumed(t *testing.T) {
	for _, d := range designs(t) {
		low, high := 0.8, 1.2
		for _, p := range d.Platform.Params {
			if p.PlusMinus > 0.1*p.Value.Num {
				low, high = 0.5, 1.7 // measured stages differ by up to a third between launches
			}
		}
		in, err := d.Predict("one_way", []quantity.Bytes{65536}, Sampling{Samples: 200, Seed: 1, Assumed: 0.05})
		if err != nil || !(in[0].Low <= in[0].Value && in[0].Value <= in[0].High) || in[0].Low < low*in[0].Value || in[0].High > high*in[0].Value {
			t.Errorf("%s: %v, %v", d.Layer.Ref(), in, err)
		}
	}
}

// The probability that one of two linear costs is the faster one is known: Φ(Δ/σ).
func TestFaster(t *testing.T) {
	a := design(t, "a", "model = \"linear\"\nbeta = \"10us ± 1.959964us\"\ntau = \"0us/KiB\"")
	b := design(t, "b", "model = \"linear\"\nbeta = \"11us ± 1.959964us\"\ntau = \"0us/KiB\"")
	p, err := faster(a, b, sized(1), Sampling{Samples: 100000, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	want := 0.5 * math.Erfc(-1/math.Sqrt2/math.Sqrt2) // σ = √2 µs, Δ = 1 µs
	if math.Abs(p[0]-want) > 0.005 {
		t.Errorf("probability %v, want %v", p[0], want)
	}
	// What both have in common is the same number in both: with 5 % less o_r one is faster, however
	// uncertain L is.
	c := find(t, "hp-lam")
	e, err := c.Set("o_r*=0.95", "L=5.3us ± 2us")
	if err != nil {
		t.Fatal(err)
	}
	f, err := c.Set("L=5.3us ± 2us")
	if err != nil {
		t.Fatal(err)
	}
	if p, err = faster(e, f, sized(1), Sampling{Samples: 1000, Seed: 1}); err != nil || p[0] != 1 {
		t.Errorf("probability %v, %v", p, err)
	}
}

// β and τ of a design are correlated, changed or not. T = β + τ at 1 KiB has σ² = 2σ_β²(1 + ρ).
func TestFasterCorrelated(t *testing.T) {
	const rho, sigma = -0.95, 1 / 1.959964
	a := design(t, "a", `model = "linear"
beta = "10us ± 1us"
tau = "10us/KiB ± 1us/KiB"
correlation = "-0.95"`)
	for _, c := range []struct {
		set         []string
		less, sigma float64 // of the difference
	}{
		{[]string{"beta=9.9us ± 1us", "tau=9.9us/KiB ± 1us/KiB"}, 0.2, sigma * math.Sqrt(4*(1+rho))},
		// τ is one number in both, of which each β has the part ρ.
		{[]string{"beta=9.9us ± 1us"}, 0.1, sigma * math.Sqrt(2*(1-rho*rho))},
		{[]string{"tau=9.9us/KiB ± 1us/KiB"}, 0.1, sigma * math.Sqrt(2*(1-rho*rho))},
	} {
		b, err := a.Set(c.set...)
		if err != nil {
			t.Fatal(err)
		}
		p, err := faster(b, a, sized(1024), Sampling{Samples: 100000, Seed: 1})
		if want := 0.5 * math.Erfc(-c.less/c.sigma/math.Sqrt2); err != nil || math.Abs(p[0]-want) > 0.005 {
			t.Errorf("%v: probability %v, want %v; %v", c.set, p, want, err)
		}
	}
}

// Intervals cover the truth in 95 % of cases: in each, parameters have been measured with an
// error, and the prediction from them has an interval. Of 300 cases the part that is covered has a
// standard error of 1.3 %; it may be off by three.
func TestCoverage(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of predictions, on one goroutine")
	}
	check := func(layer string, truth []float64) {
		t.Helper()
		random := rand.New(rand.NewPCG(7, 7))
		sizes := []quantity.Bytes{16, 4096, 65536}
		exact := design(t, "truth", fmt.Sprintf(layer, pairs(truth, truth)...))
		covered := make([]int, len(sizes))
		const cases = 300
		for k := range cases {
			measured, half := make([]float64, len(truth)), make([]float64, len(truth))
			for i, v := range truth {
				half[i] = 0.06 * v
				measured[i] = v + random.NormFloat64()*half[i]/1.959964
			}
			d := design(t, "measured", fmt.Sprintf(layer, pairs(measured, half)...))
			in, err := d.Predict("one_way", sizes, Sampling{Samples: 1000, Seed: uint64(k)})
			if err != nil {
				t.Fatal(err)
			}
			for i, n := range sizes {
				if v := float64(exact.Layer.Model.OneWay(n)); in[i].Low <= v && v <= in[i].High {
					covered[i]++
				}
			}
		}
		for i, n := range sizes {
			if part := float64(covered[i]) / cases; part < 0.912 || part > 0.988 {
				t.Errorf("%s: %.1f %% of the intervals cover the truth", n, 100*part)
			}
		}
	}
	check("model = \"linear\"\nbeta = \"%vus ± %vus\"\ntau = \"%vus/KiB ± %vus/KiB\"", []float64{10, 8})
	check("model = \"loggp\"\no_s = \"%vus ± %vus\"\no_r = \"%vus ± %vus\"\nL = \"%vus ± %vus\"\nG = \"%vus/KiB ± %vus/KiB\"\ng = \"9us\"", []float64{3, 6, 5, 40})
}

func pairs(a, b []float64) []any {
	var all []any
	for i := range a {
		all = append(all, a[i], b[i])
	}
	return all
}

// Costs of 1 µs + 100 µs/KiB and 5 µs + 10 µs/KiB cross at 4/(90/1024) = 45.5 bytes. Their
// interval, if the 5 µs are ± 0.9 µs, is that of (4 ± 0.9)/(90/1024).
func TestThresholds(t *testing.T) {
	p, err := platforms.Parse("t.toml", []byte(`
[layer.pio]
model = "linear"
beta = "1us"
tau = "100us/KiB"
source = "test"
[layer.dma]
model = "linear"
beta = "5us ± 0.9us"
tau = "10us/KiB"
source = "test"
[layer.both]
model = "switch"
branches = [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]
source = "test"
`))
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Layer("both")
	if err != nil {
		t.Fatal(err)
	}
	d := Design{Design: platforms.Design{Platform: p, Layer: l}}
	all := d.Thresholds()
	if len(all) != 1 || all[0].InUse != 256 || !all[0].Crosses || all[0].Suggested.Size != 45 || all[0].Path != "layer.both.branches.0.up_to" {
		t.Fatalf("got %+v", all)
	}
	in, crosses, err := d.thresholdInterval(0, Sampling{Samples: 1000, Seed: 1})
	if err != nil || crosses != 1 || math.Abs(in.Low-35.2) > 1.5 || math.Abs(in.High-55.7) > 1.5 {
		t.Errorf("%+v, %v, %v", in, crosses, err)
	}
}

// A protocol that is faster at all sizes up to its threshold should begin lower, and the answer says
// what that gains: 10 + n/10 µs against 5 + n/1000 µs, at no size crossing.
func TestLowerThreshold(t *testing.T) {
	d := design(t, "both", `model = "switch"
branches = [{ layer = "slow", up_to = "1000B" }, { layer = "fast" }]
source = "test"
[layer.slow]
model = "linear"
beta = "10us"
tau = "0.1us/B"
source = "test"
[layer.fast]
model = "linear"
beta = "5us"
tau = "0.001us/B"`)
	all := d.Thresholds()
	if len(all) != 1 || all[0].Crosses || all[0].Better != "fast" {
		t.Fatalf("got %+v", all)
	}
	want := []Gain{{125, 22.5, 5.125}, {250, 35, 5.25}, {500, 60, 5.5}, {1000, 110, 6}}
	if !slices.EqualFunc(want, all[0].Gains, func(a, b Gain) bool {
		return a.Size == b.Size && math.Abs(float64(a.Below-b.Below)) < 1e-9 &&
			math.Abs(float64(a.Above-b.Above)) < 1e-9
	}) {
		t.Errorf("got %v, want %v", all[0].Gains, want)
	}
	m := &Landmarks{Case: Case{After: d}, All: []Landmark{{Threshold: all[0]}}}
	if said := fmt.Sprint(m.Rows().Verdict); !strings.Contains(said,
		"lower the threshold of 1000 B: by its line, fast is faster from 125 B") {
		t.Error(said)
	}
}

// A target that only a cost of nothing meets asks for zero, and not for what rounding leaves of it.
func TestSolveZero(t *testing.T) {
	d := design(t, "d", `model = "linear"
beta = "10us"
tau = "10us/KiB"`)
	target, err := d.ParseTarget("one_way(1KiB) <= 10us")
	if err != nil {
		t.Fatal(err)
	}
	p, err := d.Find("tau")
	if err != nil {
		t.Fatal(err)
	}
	s, err := solveFor(d, target, Range{Param: p})
	if err != nil || !s.Reached || s.Value != 0 {
		t.Errorf("%+v, %v; want 0", s, err)
	}
}
