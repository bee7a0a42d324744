package tuner

import (
	"math"
	"testing"
)

// The trial of a call is that of a tuner without its measurements. Here b is measured to be faster
// in two calls, so that it is chosen in the third, where a is. The library's own choice, c, is the
// fastest there.
func TestHeldOut(t *testing.T) {
	var all []Candidate
	var times []float64
	for call, took := range [][]float64{{9, 3, 3}, {9, 3, 3}, {4, 6, 3}} {
		for k, name := range []string{"a", "b", "c"} {
			all = append(all, Candidate{Group: "g", Call: call,
				Labels: [labels]string{name, name, name, name}, Ranks: 2, Size: 8,
				Parts: Parts{5}, Library: name == "c"})
			times = append(times, took[k])
		}
	}
	p := Default()
	p.Known = nil
	tune, without := New(all, p), New(all, p)
	for i, us := range times {
		tune.Add([]Measurement{{i, us}})
		if all[i].Call < 2 {
			without.Add([]Measurement{{i, us}})
		}
	}
	real := times[without.best([]int{6, 7, 8})]/3 - 1
	sum, longer, squares := 0.0, 0.0, 0.0
	for call := range 3 { // by hand, where the other calls predict each
		others := New(all, p)
		for i, us := range times {
			if all[i].Call != call {
				others.Add([]Measurement{{i, us}})
			}
		}
		of := []int{3 * call, 3*call + 1, 3*call + 2}
		time := times[others.best(of)]
		log := math.Log(time / times[of[2]])
		sum, longer, squares = sum+time/3-1, longer+log, squares+log*log
	}
	got := tune.Trial("g")
	near(t, "real loss", got.Real, sum/3, 1e-9)
	near(t, "logarithms", got.longer, longer, 1e-9)
	near(t, "squares", got.squares, squares, 1e-9)
	if got.Calls != 3 || got.Owned != 3 || got.Library != 0 || real < 0 {
		t.Errorf("%+v", got)
	}
}

// pairs returns the trial of these logarithms of the choices' times over the library's own, which
// is the fastest.
func pairs(logs ...float64) (x Trial) {
	for _, log := range logs {
		x.join(Trial{Owned: 1, Beside: math.Expm1(log), longer: log, squares: log * log})
	}
	return x
}

// Choices are worse than the library's own by more than chance: a loss of 30 % at one of six calls
// is not, as the mean over them is not certain to be above 0; losses of 10 to 30 % at all six are.
// With a power of 0.8, choices that lose twice as much take 2^1.25 times the measurements.
func TestWorse(t *testing.T) {
	for _, c := range []struct {
		trial Trial
		worse bool
	}{
		{pairs(0, 0, 0, 0, 0, 0.3), false},
		{pairs(0.1, 0.2, 0.3, 0.2, 0.1, 0.3), true},
		{pairs(0.2, 0.2, 0.2), true},
		{pairs(0.2, 0.2), false}, // too few
		{pairs(0.4, -0.4, 0.5, -0.4), false},
		{pairs(-0.1, -0.2, -0.1), false},
	} {
		if c.trial.Worse() != c.worse {
			t.Errorf("%+v: worse %v", c.trial, c.trial.Worse())
		}
	}
	near(t, "measurements", Trial{Library: 0.1, Beside: 0.2}.Suffices(100), 237.8, 0.1)
	if n := (Trial{Beside: 0.2}).Suffices(100); !math.IsInf(n, 1) {
		t.Errorf("%v measurements suffice against no loss", n)
	}
}

// The library's own choice replaces a faster one if held-out choices lost, unless both were
// measured, and one that is within the margin.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		trial    Trial
		measured []Measurement
		want     int
	}{
		{Trial{}, []Measurement{{1, 1}}, 1},
		{pairs(0.2, 0.3, 0.2), []Measurement{{1, 1}}, 0},
		{pairs(0.2, 0.3, 0.2), []Measurement{{1, 1}, {0, 2}}, 1},
		{Trial{}, []Measurement{{1, 1}, {0, 1.01}}, 0},
	} {
		all := pair(2, 1)
		for i := range all {
			all[i].Call, all[i].Library = 0, i == 0
		}
		tune := New(all, Default())
		tune.Add(c.measured)
		tune.posterior(0)
		tune.groups[0].trial = &c.trial
		if got := tune.Choose(0); got != c.want {
			t.Errorf("%+v, %v: %d is chosen, want %d", c.trial, c.measured, got, c.want)
		}
	}
}

// A library's own choice may be another algorithm in each call: its time in one call says less of
// the others than an algorithm's does. It is measured before an algorithm that is as fast.
func TestLibrary(t *testing.T) {
	all := make([]Candidate, 4) // an algorithm and the library's choice, in two calls
	for i := range all {
		name := []string{"a", "default"}[i%2]
		all[i] = Candidate{Group: "g", Call: i / 2, Labels: [labels]string{name, "", name, name},
			Ranks: 2, Size: 8, Parts: Parts{5}, Library: i%2 == 1}
	}
	tune := New(all, Default())
	tune.Add([]Measurement{{0, 6}, {1, 6}})
	_, algorithm := tune.predict(2)
	if _, own := tune.predict(3); own < math.Hypot(algorithm, 0.3) {
		t.Errorf("deviations %.2f of the algorithm, %.2f of the library's choice", algorithm, own)
	}
	if next := tune.Next(1); len(next) != 1 || next[0] != 3 {
		t.Errorf("next %v, want the library's choice", next)
	}
}
