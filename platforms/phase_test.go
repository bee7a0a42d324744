package platforms

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// The three platforms of HP-LAM's table 4.3: clocks of §4.3, overheads of table 4.2.
var radixHosts = []struct {
	name string
	at   PhaseOn
}{
	{"HP 9000/J200", PhaseOn{Clock: 120, Layer: &model.LogP{SendOverhead: 2.9, ReceiveOverhead: 5.8}}},
	{"SS-20", PhaseOn{Clock: 50, Layer: &model.LogP{SendOverhead: 2.0, ReceiveOverhead: 2.6}}},
	{"Ultra-1", PhaseOn{Clock: 167, Layer: &model.LogP{SendOverhead: 2.0, ReceiveOverhead: 5.0}}},
}

// Radix sort, HP-LAM table 4.3, in seconds.
var radixSort = []struct {
	phase string
	times [3]float64
}{
	{"pass 1 fill", [3]float64{0.14, 0.56, 0.13}},
	{"pass 1 wave-scan", [3]float64{1.04, 0.88, 0.95}},
	{"pass 1 coalesce", [3]float64{9.84, 8.99, 7.78}},
	{"pass 2 fill", [3]float64{0.12, 0.25, 0.09}},
	{"pass 2 wave-scan", [3]float64{1.03, 0.80, 0.93}},
	{"pass 2 coalesce", [3]float64{0.65, 1.18, 0.27}},
}

// Radix sort on each platform, predicted from the two others. What the report calls
// unexpected, slower communication on the HP than on either Sun, the overheads
// explain within 15 %. PhaseOn the SS-20 they do not: with the least
// overhead of all, it should have been a third faster than it was, which its
// gap of 12.4 µs, not in the model, may explain in part. The short phases are off by up to 86 %.
func ExampleFitPhase() {
	for held, host := range radixHosts {
		var on []PhaseOn
		var of []int
		for i, h := range radixHosts {
			if i != held {
				on, of = append(on, h.at), append(of, i)
			}
		}
		var sum, measured float64
		fmt.Println(host.name)
		for _, row := range radixSort {
			on[0].Time, on[1].Time = quantity.Micros(row.times[of[0]]*1e6), quantity.Micros(row.times[of[1]]*1e6)
			p, err := FitPhase(on[0], on[1])
			if err != nil {
				fmt.Println(err)
				return
			}
			t := float64(p.Time(host.at.Clock, host.at.Layer)) / 1e6
			fmt.Printf("  %-16s %5.2f s, measured %5.2f: %+3.0f %%\n", row.phase, t, row.times[held], 100*(t/row.times[held]-1))
			sum, measured = sum+t, measured+row.times[held]
		}
		fmt.Printf("  %-16s %5.2f s, measured %5.2f: %+3.0f %%\n", "total", sum, measured, 100*(sum/measured-1))
	}
	// Output:
	// HP 9000/J200
	//   pass 1 fill       0.20 s, measured  0.14: +43 %
	//   pass 1 wave-scan  1.19 s, measured  1.04: +15 %
	//   pass 1 coalesce   9.88 s, measured  9.84:  +0 %
	//   pass 2 fill       0.12 s, measured  0.12:  +2 %
	//   pass 2 wave-scan  1.17 s, measured  1.03: +13 %
	//   pass 2 coalesce   0.42 s, measured  0.65: -36 %
	//   total            12.99 s, measured 12.82:  +1 %
	// SS-20
	//   pass 1 fill       0.08 s, measured  0.56: -86 %
	//   pass 1 wave-scan  0.58 s, measured  0.88: -34 %
	//   pass 1 coalesce   8.19 s, measured  8.99:  -9 %
	//   pass 2 fill       0.21 s, measured  0.25: -18 %
	//   pass 2 wave-scan  0.57 s, measured  0.80: -28 %
	//   pass 2 coalesce   1.07 s, measured  1.18: -10 %
	//   total            10.70 s, measured 12.66: -16 %
	// Ultra-1
	//   pass 1 fill       0.12 s, measured  0.13:  -9 %
	//   pass 1 wave-scan  0.82 s, measured  0.95: -14 %
	//   pass 1 coalesce   7.74 s, measured  7.78:  -0 %
	//   pass 2 fill       0.09 s, measured  0.09:  -2 %
	//   pass 2 wave-scan  0.82 s, measured  0.93: -12 %
	//   pass 2 coalesce   0.48 s, measured  0.27: +79 %
	//   total            10.07 s, measured 10.15:  -1 %
}

func TestPhaseFindsWhatWasPlanted(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		want := Phase{Cycles: math.Floor(r.Float64() * 1e9), Messages: math.Floor(r.Float64() * 1e6)}
		a := PhaseOn{Clock: 20 + 500*r.Float64(), Layer: &model.LogP{SendOverhead: quantity.Micros(1 + 10*r.Float64()), ReceiveOverhead: 2}}
		b := PhaseOn{Clock: a.Clock * 2, Layer: &model.LogP{SendOverhead: 5, ReceiveOverhead: quantity.Micros(1 + 10*r.Float64())}}
		if ratio := 2 * overheads(b.Layer) / overheads(a.Layer); math.Abs(float64(ratio)-1) < 0.01 {
			continue // the two systems are too much alike to tell cycles from messages
		}
		a.Time, b.Time = want.Time(a.Clock, a.Layer), want.Time(b.Clock, b.Layer)
		if a.Time == 0 {
			continue
		}
		got, err := FitPhase(a, b)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range []PhaseOn{a, b} {
			if again := got.Time(s.Clock, s.Layer); math.Abs(float64(again/s.Time-1)) > 1e-9 {
				t.Errorf("%v fitted to %v takes %v on %v", got, want, again, s)
			}
		}
		if math.Abs(got.Cycles-want.Cycles) > 1e-6*(want.Cycles+1e6) || math.Abs(got.Messages-want.Messages) > 1e-6*(want.Messages+1e6) {
			t.Errorf("got %v, planted %v", got, want)
		}
	}
}

func TestPhaseIsNeverNegative(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		at := func() PhaseOn {
			return PhaseOn{Clock: 20 + 500*r.Float64(), Layer: &model.LogP{SendOverhead: quantity.Micros(10 * r.Float64()), ReceiveOverhead: 1}, Time: quantity.Micros(1 + 1e6*r.Float64())}
		}
		a, b := at(), at()
		p, err := FitPhase(a, b)
		if err != nil {
			t.Fatal(err)
		}
		if !(p.Cycles >= 0) || !(p.Messages >= 0) || p.Cycles+p.Messages == 0 {
			t.Fatalf("%v for %v and %v", p, a, b)
		}
		// No step within the allowed is better than the fit.
		worse := func(q Phase) float64 {
			var sum float64
			for _, s := range []PhaseOn{a, b} {
				e := float64(q.Time(s.Clock, s.Layer)/s.Time) - 1
				sum += e * e
			}
			return sum
		}
		best := worse(p)
		for _, f := range []float64{0.99, 1.01} {
			for _, q := range []Phase{{p.Cycles * f, p.Messages}, {p.Cycles, p.Messages * f}} {
				if worse(q) < best-1e-12 {
					t.Errorf("%v is nearer than %v to %v and %v", q, p, a, b)
				}
			}
		}
	}
}

func TestPhaseErrors(t *testing.T) {
	check := func(a, b PhaseOn, want string) {
		t.Helper()
		_, err := FitPhase(a, b)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("FitPhase(%v, %v) = %v; want …%s…", a, b, err, want)
		}
	}
	l := model.LogP{SendOverhead: 2, ReceiveOverhead: 2}
	good := PhaseOn{Clock: 100, Layer: &l, Time: 5}
	check(good, good, "same ratio of clock to overhead")
	check(good, PhaseOn{Clock: 200, Layer: &model.LogP{SendOverhead: 1, ReceiveOverhead: 1}, Time: 7}, "same ratio of clock to overhead") // twice as fast in both
	check(good, PhaseOn{Clock: 0, Layer: &l, Time: 5}, "above zero")
	check(good, PhaseOn{Clock: 100, Layer: &l, Time: 0}, "above zero")
	check(good, PhaseOn{Clock: 100, Layer: &l, Time: quantity.Micros(math.NaN())}, "above zero")
	check(PhaseOn{Clock: math.Inf(1), Layer: &l, Time: 5}, good, "above zero")
	linear := PhaseOn{Clock: 100, Layer: &model.Linear{Beta: 1}, Time: 5} // whose overheads are not known
	check(linear, linear, "same ratio of clock to overhead")
}
