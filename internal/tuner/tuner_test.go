package tuner

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/halfpeak/halfpeak/engine/schedule/collective"
)

// pair is two algorithms of one call whose logarithmic times are m and n before a measurement.
func pair(m, n float64) []Candidate {
	return []Candidate{
		{Group: "g", Labels: [labels]string{"a", "a", "a", "a"}, Shared: [shared]string{"n"},
			Ranks: 2, Size: 8, Parts: Parts{math.Exp(m)}},
		{Group: "g", Labels: [labels]string{"a", "a", "b", "b"}, Shared: [shared]string{"n"},
			Ranks: 2, Size: 16, Parts: Parts{math.Exp(n)}},
	}
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

// The posterior of two candidates by hand: they share the group, the call, and
// the first two labels.
func TestPosterior(t *testing.T) {
	p := Prior{
		Shared: [shared]float64{1e-6}, Factor: [5]float64{0.5, 0.4, 0.3, 0.2, 0.1},
		Smooth: [5]float64{0.3, 0, 0, 0.2, 0},
		Call:   0.2, Own: 0.1, Noise: 0.05, Octaves: [3]float64{2, 1, 1},
	}
	tune := New(pair(1, 2), p)
	tune.Add([]Measurement{{0, math.Exp(1.7)}})
	own := 0.25 + 0.16 + 0.09 + 0.04 + 0.01 + 0.09 + 0.04 + 0.04 + 0.01
	cross := 0.25 + 0.16 + 0.09 + 0.04 + 0.09*math.Exp(-0.5) // an octave of two
	seen := own + 0.0025
	for i, want := range [][2]float64{{1 + own/seen*0.7, own - own*own/seen},
		{2 + cross/seen*0.7, own - cross*cross/seen}} {
		mean, deviation := tune.predict(i)
		near(t, "mean", mean, want[0], 1e-9)
		near(t, "variance", deviation*deviation, want[1], 1e-9)
	}
}

// Half of the time of the first is bytes, of messages of 16 and of 32 KiB: an octave of four.
func TestMessage(t *testing.T) {
	all := pair(0, 0)
	all[0].Parts = Parts{Latency, 0, PerByte * 16384}
	all[1].Parts = Parts{2 * Latency, 0, PerByte * 65536}
	p := Prior{Shared: [shared]float64{1}, Message: [2]float64{0.5, 0.3}, Noise: 0.1,
		Octaves: [3]float64{1, 1, 4}}
	tune := New(all, p)
	_, a := tune.base(0)
	_, b := tune.base(1)
	near(t, "covariance", tune.kernel(0, 1, &a, &b), 0.34*a[2]*b[2]*math.Exp(-0.25), 1e-12)
}

// Deviations are as large as measurements say: those of a group three times as far from the
// schedules' times as its prior expects grow.
func TestScale(t *testing.T) {
	p := Prior{Shared: [shared]float64{1e-6}, Own: 0.1, Noise: 1e-6, Octaves: [3]float64{1, 1, 1},
		Freedom: 4}
	all := append(pair(0, 0), pair(0, 0)[0])
	tune := New(all, p)
	tune.Add([]Measurement{{0, math.Exp(0.3)}, {1, math.Exp(-0.3)}})
	_, deviation := tune.predict(2)
	near(t, "deviation", deviation, 0.1*math.Sqrt((4+9+9)/6.), 1e-6)
}

// Factors of other machines are in a schedule's expected time.
func TestKnown(t *testing.T) {
	p := Default()
	p.Known = map[string]Parts{"bcast/linear": {0.5}}
	all := pair(0, 0)
	all[1].Shared[4] = "bcast/linear"
	if mean, _ := New(all, p).predict(1); mean != 0.5 {
		t.Errorf("expected logarithm %v, want 0.5", mean)
	}
	if strings.Contains(knownText, "-0.00") {
		t.Error("known.csv has a negative zero")
	}
	for name := range Default().Known {
		if group, schedule, ok := strings.Cut(name, "/"); !ok || collective.Of(group) == nil {
			t.Errorf("known.csv: %s: no collective %q", name, group)
		} else if _, err := collective.Find(group, schedule); err != nil && schedule != "?" {
			t.Errorf("known.csv: %v", err)
		}
	}
}

// Candidates without shared factors have those of their group alone.
func TestNothingShared(t *testing.T) {
	all := pair(0, 0)
	all[0].Shared, all[1].Shared = [shared]string{}, [shared]string{}
	tune := New(all, Default())
	tune.Add([]Measurement{{0, 3}})
	if mean, _ := tune.predict(1); !(mean > 0.1 && mean < math.Log(3)) {
		t.Errorf("the other algorithm takes e^%.2f, want between e^0.1 and 3", mean)
	}
}

// The machine's factors follow measurements of several collectives, and so do those without one.
func TestMachineFactor(t *testing.T) {
	all := pair(0, 0)
	all[1].Group, all[1].Call = "other", 1
	tune := New(all, Default())
	tune.Add([]Measurement{{0, 3}})
	if mean, _ := tune.predict(1); mean < 0.5 || mean > math.Log(3) {
		t.Errorf("the other collective takes e^%.2f, want between e^0.5 and 3", mean)
	}
}

// The expected loss of one of two independent log-normal times is E(e^d − 1)⁺ with normal d.
func TestLoss(t *testing.T) {
	normal := distuv.UnitNormal
	for _, by := range []float64{-0.3, 0, 0.4} {
		tune := New(pair(1+by, 1),
			Prior{Shared: [shared]float64{1}, Own: 0.3, Noise: 0.1, Octaves: [3]float64{1, 1, 1}})
		s := 0.3 * math.Sqrt2
		want := math.Exp(by+s*s/2)*normal.CDF(by/s+s) - normal.CDF(by/s)
		// Without held-out calls, the loss is as on other machines.
		loss := tune.Loss(0) / (unmeasuredPart * usualPart)
		near(t, "loss", loss, want, 0.06) // 3 deviations of 1,000 draws
	}
}

// A contrast is believed as far as it is more certain than the model: of two independent times with
// deviations of 0.3, the difference that was measured with one of s counts 0.18/(0.18 + s²).
func TestContrast(t *testing.T) {
	prior := Prior{Shared: [shared]float64{1}, Own: 0.3, Noise: 0.1, Octaves: [3]float64{1, 1, 1}}
	tune := New(pair(1, 1), prior)
	factor := unmeasuredPart * usualPart
	for _, s := range []float64{0.05, 0.3} {
		const log = 0.4
		v := 0.3 * 0.3 * 2
		mean, deviation := log*v/(v+s*s), math.Sqrt(v*s*s/(v+s*s))
		normal := distuv.UnitNormal
		at := mean / deviation
		want := math.Exp(mean+deviation*deviation/2)*normal.CDF(at+deviation) - normal.CDF(at)
		got := tune.Loss(0, Contrast{Slow: 0, Fast: 1, Log: log, Deviation: s}) / factor
		near(t, "loss", got, want, 0.05) // 3 deviations of 1,000 draws
	}
	if faster := tune.Loss(1, Contrast{Slow: 0, Fast: 1, Log: 2, Deviation: 0.01}); faster > 1e-6 {
		t.Errorf("the faster of two loses %v", faster)
	}
}

// The knowledge gradient of an uncertain time beside a known one is 1 − E min(1, e^x)/1.
func TestGain(t *testing.T) {
	for _, s := range []float64{0.2, 0.6} {
		got := gain([]int{0, 1}, []float64{0, 0}, []float64{0, -s * s / 2}, []float64{0, s})
		want := 2*distuv.UnitNormal.CDF(s/2) - 1 // as the price of an option at the money
		near(t, "gain", got, want, 0.12*want)    // seven points at a bend
	}
}

// Two algorithms of one schedule differ little however uncertain the schedule is, so that the
// gradient prefers a call whose algorithms differ; the fourth measurement is of the uncertain
// choice.
func TestVerify(t *testing.T) {
	p := Prior{Shared: [shared]float64{1}, Factor: [5]float64{0, 2, 0, 0, 0.2}, Own: 0.01,
		Noise: 0.01, Octaves: [3]float64{1, 1, 1}}
	all := []Candidate{
		{Group: "certain", Labels: [labels]string{"a", "", "", "a"}, Ranks: 2, Size: 8,
			Parts: Parts{1}},
		{Group: "uncertain", Call: 1, Labels: [labels]string{"b", "", "", "b"}, Ranks: 2, Size: 8,
			Parts: Parts{1}},
		{Group: "uncertain", Call: 1, Labels: [labels]string{"b", "", "", "c"}, Ranks: 2, Size: 8,
			Parts: Parts{5}},
	}
	for i := range 6 {
		c := all[0]
		c.Labels = [labels]string{fmt.Sprint(i), "", "", fmt.Sprint(i)}
		all = append(all, c)
	}
	if next := New(all, p).Next(verify); len(next) != verify || next[verify-1] != 1 ||
		slices.Contains(next[:verify-1], 1) {
		t.Errorf("next %v, want candidate 1 last", next)
	}
}

// Of two groups, the choice of one call is the least certain, and the choices of two similar calls
// have more variance together.
func TestVerified(t *testing.T) {
	p := Prior{Shared: [shared]float64{1}, Factor: [5]float64{2, 0.5}, Own: 0.01, Noise: 0.01,
		Octaves: [3]float64{1, 1, 1}}
	var all []Candidate
	for call, group := range []string{"alone", "both", "both"} {
		all = append(all,
			Candidate{Group: group, Call: call, Labels: [labels]string{"a"}, Ranks: 2, Size: 8,
				Parts: Parts{1}})
	}
	tune := New(all, p)
	covs := []*mat.SymDense{mat.NewSymDense(1, []float64{5}),
		mat.NewSymDense(2, []float64{4, 3.9, 3.9, 4})}
	if a, b := tune.verified(covs, nil, false), tune.verified(covs, nil, true); a != 0 || b != 1 {
		t.Errorf("the least certain choice is %d, the one that reduces variances most %d; want "+
			"0, 1", a, b)
	}
	if tune.verified(covs, map[int]bool{0: true, 1: true, 2: true}, true) != -1 {
		t.Error("a choice that is left out is verified")
	}
}
