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
	sum := 0.0
	for call := range 3 { // by hand, where the first two calls predict each other
		others := New(all, p)
		for i, us := range times {
			if all[i].Call != call {
				others.Add([]Measurement{{i, us}})
			}
		}
		of := []int{3 * call, 3*call + 1, 3*call + 2}
		sum += times[others.best(of)]/3 - 1
	}
	got := tune.Trial("g")
	near(t, "real loss", got.Real, sum/3, 1e-9)
	if got.Calls != 3 || got.Owned != 3 || got.Library != 0 || real < 0 {
		t.Errorf("%+v", got)
	}
	// Choices that lose where the library's own loses nothing are worse.
	if lost := got.Beside > 0; lost != got.Worse() || got.Better() {
		t.Errorf("%+v: worse %v, better %v", got, got.Worse(), got.Better())
	}
}

// Choices are worse than the library's own by more than chance: 12 and 10 % at 4 calls are alike,
// 19 and 10 % are not, nor are 12 and 10 % at 40. With a power of 0.8, choices that lose twice as much
// take 2^1.25 times the measurements.
func TestWorse(t *testing.T) {
	for _, c := range []struct {
		calls  int
		beside float64
		worse  bool
	}{{4, 0.12, false}, {4, 0.19, true}, {40, 0.12, true}, {2, 0.9, false}} {
		x := Trial{Owned: c.calls, Library: 0.1, Beside: c.beside}
		if x.Worse() != c.worse || x.Better() {
			t.Errorf("%+v: worse %v", x, x.Worse())
		}
	}
	near(t, "measurements", Trial{Library: 0.1, Beside: 0.2}.Suffices(100), 237.8, 0.1)
	if n := (Trial{Beside: 0.2}).Suffices(100); !math.IsInf(n, 1) {
		t.Errorf("%v measurements suffice against no loss", n)
	}
}

// Without a measurement of the library's own choice, it is kept, unless held-out calls show that the
// choices lose less.
func TestChoose(t *testing.T) {
	all := pair(2, 1)
	for i := range all {
		all[i].Call, all[i].Library = 0, i == 0
	}
	tune := New(all, Default())
	tune.Add([]Measurement{{1, 1}})
	if got := tune.Choose(0); got != 0 {
		t.Errorf("%d is chosen without a measured library's choice", got)
	}
	tune.posterior(0)
	for _, c := range []struct {
		trial Trial
		want  int
	}{{Trial{Owned: 5, Library: 0.3, Beside: 0.1}, 1}, {Trial{Owned: 5, Library: 0.1, Beside: 0.5}, 0}} {
		tune.groups[0].trial = &c.trial
		if got := tune.Choose(0); got != c.want {
			t.Errorf("%+v: %d is chosen, want %d", c.trial, got, c.want)
		}
	}
}
