package tuner

import (
	"context"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// algorithms returns one call of a group. It has an algorithm for each of these logarithms of
// schedules' times, which are all latency.
func algorithms(call int, logs ...float64) (all []Candidate) {
	for i, log := range logs {
		name := fmt.Sprint(i)
		all = append(all, Candidate{Group: "g", Call: call, Author: name, Schedule: name,
			Variant: name, Ranks: 2, Size: 8, Parts: Parts{math.Exp(log)}})
	}
	return all
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s = %v, want %v ± %v", what, got, want, tolerance)
	}
}

func measurements(times ...float64) (all []Measurement) {
	for i, time := range times {
		all = append(all, Measurement{i, time})
	}
	return all
}

// The posterior after two measurements, by hand: candidates in calls with other sizes and ranks
// that share the network, and the names of the group, or all four.
func TestPosterior(t *testing.T) {
	all := slices.Concat(algorithms(0, 1, 2), algorithms(1, 1.5))
	all[2].Size, all[2].Ranks = 16, 8
	all[1].Parts = Parts{0, 0, 3, 1}
	tune := New(all, Default())
	tune.Add(measurements(5, 7))
	p := Default()
	network, own := p.Network*p.Network, p.Noise*p.Noise
	far := math.Exp(-1/p.Size - 2/p.Ranks) // candidate 2 against the rest
	same := p.Shared * p.Shared * 4
	k := [3][3]float64{ // the shares of parts are 1 and, of candidate 1, ¾ and ¼
		{network + same + own, same / 8, 0},
		{same / 8, (network+same/2)*10/16 + same/2 + own, 0},
		{network + same*(1+far)/2, same * far / 8, network + same + own},
	}
	a, b, c := k[0][0]+own, k[0][1], k[1][1]+own
	det := a*c - b*b
	r := [2]float64{math.Log(5) - 1, math.Log(7) - math.Log(4)}
	solved := [2]float64{(c*r[0] - b*r[1]) / det, (a*r[1] - b*r[0]) / det}
	near(t, "mean", tune.mean[2], 1.5+k[2][0]*solved[0]+k[2][1]*solved[1], 1e-9)
	less := (c*k[2][0]*k[2][0] - 2*b*k[2][0]*k[2][1] + a*k[2][1]*k[2][1]) / det
	near(t, "covariance", tune.covariance(2, 2), k[2][2]-less, 1e-9)
	// Each measurement beside its prediction by the other one alone.
	first := r[0] - b/c*r[1]
	second := r[1] - b/a*r[0]
	squares := first*first/(a-b*b/c) + second*second/(c-b*b/a)
	near(t, "scale", tune.scaled(), (p.Weight+squares)/(p.Weight+2), 1e-9)
}

// A measurement of one collective says how far the network is from the nominal one for others.
func TestNetwork(t *testing.T) {
	all := slices.Concat(algorithms(0, 0), algorithms(1, 0))
	all[1].Group, all[1].Author = "other", "other"
	tune := New(all, Default())
	tune.Add(measurements(3))
	p := Default()
	v := p.Network*p.Network + 4*p.Shared*p.Shared + 2*p.Noise*p.Noise
	near(t, "mean", tune.mean[1], math.Log(3)*p.Network*p.Network/v, 1e-9)
}

// two returns a tuner of two algorithms of a call whose logarithmic times differ by this mean and
// standard deviation.
func two(mean, deviation float64) *Tuner {
	t := New(algorithms(0, 1+mean, 1), Default())
	t.scale = deviation * deviation /
		(t.covariance(0, 0) + t.covariance(1, 1) - 2*t.covariance(0, 1))
	return t
}

// gainOf returns E(e^d − 1)⁺ of a normal d, as the price of an option.
func gainOf(mean, s float64) float64 {
	normal := distuv.UnitNormal
	return math.Exp(mean+s*s/2)*normal.CDF(mean/s+s) - normal.CDF(mean/s)
}

// The expected loss of one of two log-normal times is E(e^d − 1)⁺ with a normal difference d.
func TestLoss(t *testing.T) {
	const s = 0.4
	for _, mean := range []float64{-0.3, 0, 0.4} {
		tune := two(mean, s)
		near(t, "loss", tune.Loss(0)/Default().Real, gainOf(mean, s), 0.06) // 3 deviations of the draws
		if want := map[bool]int{true: 0, false: 1}[mean < 0]; mean != 0 && tune.Choose(0) != want {
			t.Errorf("%v: candidate %d is chosen, want %d", mean, tune.Choose(0), want)
		}
	}
}

// Of candidates that are expected to lose the same, the library's own is chosen; one that is faster
// by more than the margin replaces it.
func TestKeepsLibrarys(t *testing.T) {
	for _, faster := range []bool{false, true} {
		all := algorithms(0, 1, 1, 1)
		all[2].Library = true
		tune := New(all, Default())
		want := 2
		tune.Add([]Measurement{{0, 3}, {1, 3}, {2, 3}})
		if faster {
			tune.Add([]Measurement{{1, 1}, {1, 1}})
			want = 1
		}
		if got := tune.Choose(0); got != want {
			t.Errorf("faster %v: choice %d, want %d", faster, got, want)
		}
	}
}

// A contrast is believed as far as it is more certain than the model: a difference with variance v
// that was measured with one of s² counts v/(v + s²).
func TestContrast(t *testing.T) {
	const prior, log = 0.4, 0.4
	for _, s := range []float64{0.05, 0.3} {
		v := prior * prior
		want := gainOf(log*v/(v+s*s), math.Sqrt(v*s*s/(v+s*s)))
		got := two(0, prior).Loss(0, Contrast{Slow: 0, Fast: 1, Log: log, Deviation: s}) / Default().Real
		near(t, "loss", got, want, 0.06) // 3 deviations of the draws
	}
	faster := two(0, prior).Loss(1, Contrast{Slow: 0, Fast: 1, Log: 2, Deviation: 0.01})
	if faster > 1e-6 {
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
	if got := gain([]int{0, 1}, []float64{0, 9}, []float64{0, 9}, []float64{1, 1.1}); got != 0 {
		t.Errorf("a candidate that says nothing of a choice has a gain of %v", got)
	}
}

// One algorithm alone is no choice, and its measurement is worth nothing to the gradient. So it is
// selected to be verified, after those of a call with a choice.
func TestVerify(t *testing.T) {
	all := append(algorithms(0, 1, 1, 1, 1, 1, 1), algorithms(1, 1)...)
	all[6].Group, all[6].Author, all[6].Parts = "alone", "alone", Parts{0, 0, 1}
	verify := Default().Verify
	next, err := New(all, Default()).Next(t.Context(), verify, nil)
	if err != nil || len(next) != verify || next[verify-1] != 6 || slices.Contains(next[:3], 6) {
		t.Errorf("next %v, %v; want candidate 6 last", next, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	some, err := New(all, Default()).Next(ctx, verify, func(done, total int) {
		if done == 2 {
			cancel()
		}
	})
	if err == nil || !slices.Equal(some, next[:2]) {
		t.Errorf("interrupted after two: %v, %v; want %v and an error", some, err, next[:2])
	}
}

// All candidates are selected once, but those that were measured, or are slower beyond doubt.
func TestNext(t *testing.T) {
	all := slices.Concat(algorithms(0, 0, 0, 0), algorithms(1, 0, 0, 0))
	tune := New(all, Default())
	tune.Add([]Measurement{{0, 1}, {1, 9}, {4, 9}})
	next, err := tune.Next(t.Context(), len(all), nil)
	slices.Sort(next)
	if err != nil || !slices.Equal(next, []int{2, 3, 5}) {
		t.Errorf("next %v, %v", next, err)
	}
	tune.Add([]Measurement{{3, 1}, {2, 1e6}})
	if !tune.Excluded(2) || tune.Excluded(3) {
		t.Error("a time that is a million times longer is not excluded, or the least one is")
	}
}

// Without a schedule, an algorithm has the fastest one of its call.
func TestComplete(t *testing.T) {
	all := slices.Concat(algorithms(0, 1, 0, 2), algorithms(1, 0))
	all[0].Parts, all[3].Parts = Parts{}, Parts{}
	Complete(all)
	near(t, "fastest", all[0].Parts.Sum(), 1, 1e-9)
	near(t, "alone", all[3].Parts.Sum(), 2*Latency+Overhead+8*PerByte, 1e-9)
}

// The numbers of ranks at which another collective was measured displace none of the call's own,
// and it says nothing of a call whose own collective was not measured.
func TestNearestOfGroup(t *testing.T) {
	all := []Candidate{
		{Group: "allreduce", Ranks: 24, Size: 1024}, {Group: "allreduce", Ranks: 20, Size: 1024},
		{Group: "bcast", Ranks: 24, Size: 1024}, {Group: "barrier", Ranks: 24, Size: 1},
	}
	seen := []Measurement{{1, 30}, {2, 5}}
	near := Nearest(all[0], all, seen, Default())
	if len(near) != 1 || near[0].Candidate != 1 {
		t.Errorf("%v", near)
	}
	if near := Nearest(all[3], all, seen, Default()); len(near) != 0 {
		t.Errorf("another collective: %v", near)
	}
}

// Stated losses are those of measured calls: smaller where one algorithm always wins by as much as its
// schedule says than where the winner changes from call to call, and as expected without calls.
func TestPart(t *testing.T) {
	part := func(time func(call, algorithm int) float64) float64 {
		var all []Candidate
		var seen []Measurement
		var calls [][]int
		for call := range 8 {
			of := algorithms(call, 1, 1)
			calls = append(calls, []int{len(all), len(all) + 1})
			for i := range of {
				of[i].Size = math.Exp2(float64(2 * call))
				seen = append(seen, Measurement{len(all) + i, time(call, i)})
			}
			all = append(all, of...)
		}
		return Part(calls, all, seen, Default())
	}
	steady := part(func(_, algorithm int) float64 { return 3 * float64(1+algorithm) })
	changing := part(func(call, algorithm int) float64 { return 3 * float64(1+(algorithm+call)%2) })
	if !(steady < 0.5) || !(changing > 1) {
		t.Errorf("parts %.2f and %.2f", steady, changing)
	}
	if none := Part(nil, nil, nil, Default()); none != 1 {
		t.Errorf("without calls %v", none)
	}
}
