package simulate_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

// What random detours add to a computation is mean/every of it, in the mean.
func TestDetours(t *testing.T) {
	p := prepare(t, parse(t, "num_ranks 1\nrank 0 {\ncalc 10000000\n}\n")) // 10 ms
	n, err := simulate.ParseNoise("exponential mean=2us every=50us")
	if err != nil {
		t.Fatal(err)
	}
	o := simulate.Setup{LogGOPS: simulate.Defaults, Noise: n, Seed: 7}
	times, err := p.Runs(context.Background(), o, 400)
	if err != nil {
		t.Fatal(err)
	}
	sum := 0.0
	for _, x := range times {
		sum += float64(x)
	}
	// 200 detours of 2 µs in each of 400 runs: their number and lengths deviate by a mean each, so
	// the sum of 80,000 is known to √2/√80000 = 0.5 %.
	if got, want := sum/400-10000, 400.0; math.Abs(got-want) > 0.02*want {
		t.Errorf("%v µs of noise in 10 ms, want %v", got, want)
	}
	for _, wrong := range []string{
		"",
		"gauss mean=1us every=1ms",
		"exponential",
		"exponential mean=1us",
		"exponential mean=1 every=1ms",
		"exponential mean=1us every=1ms sd=1",
		"exponential mean=1s every=1us",
	} {
		if _, err := simulate.ParseNoise(wrong); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
}

// The same runs whatever the number of processors.
func TestRunsAreDeterministic(t *testing.T) {
	p := prepare(t, randomProgram(5, 20, 200))
	n, err := simulate.ParseNoise("exponential mean=5us every=20us")
	if err != nil {
		t.Fatal(err)
	}
	o := simulate.Setup{LogGOPS: simulate.Defaults, Noise: n, Seed: 3}
	many, err := p.Runs(context.Background(), o, 40)
	if err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	one, err := p.Runs(context.Background(), o, 40)
	if err != nil || !slices.Equal(one, many) {
		t.Errorf("%v\n%v %v", one, many, err)
	}
	if slices.Min(one) == slices.Max(one) {
		t.Error("all runs are the same")
	}
}

// slowTrace adds up the detours of a trace one by one, as section 3.7 of the notes on LogGOPSim
// says.
func slowTrace(start, length []uint64, offset, at, size uint64) uint64 {
	last := len(start) - 1
	T := start[last]
	x := (at + offset) % (T - size)
	e := x + size
	pos, sum := 0, uint64(0)
	if x > start[0] {
		for pos < last && start[pos+1] <= x {
			pos++
		}
		if start[pos]+length[pos] > x {
			sum += start[pos] + length[pos] - x
		}
	}
	if pos == last {
		e -= T
		pos = 0
	}
	for e > start[pos+1] {
		pos++
		sum += length[pos]
		if pos == last {
			e -= T
			pos = 0
		}
	}
	return sum
}

func TestNoiseTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 300 {
		var start, length []uint64
		var text strings.Builder
		at := uint64(r.IntN(5))
		for range 2 + r.IntN(10) {
			start, length = append(start, at), append(length, uint64(r.IntN(8)))
			fmt.Fprintf(&text, "%d %d\n", at, length[len(length)-1])
			at += uint64(1 + r.IntN(30))
		}
		n, err := simulate.ReadDetours(strings.NewReader(text.String()), "noise", r.IntN(2) == 0)
		if err != nil {
			t.Fatal(err)
		}
		T := start[len(start)-1]
		size := uint64(r.IntN(int(T)))
		b := schedule.NewBuilder(1)
		b.NextRank()
		b.Calc(size)
		s, err := b.Build()
		if err != nil {
			t.Fatal(err)
		}
		for _, rules := range []simulate.Rules{simulate.Default, simulate.LogGOPSim} {
			res, err := prepare(t, s).Run(context.Background(), simulate.Setup{Rules: rules, LogGOPS: simulate.Defaults, Noise: n, Seed: 9})
			if err != nil {
				t.Fatal(err)
			}
			noise := uint64(1000*float64(res.Micros(res.Ranks[0]))+0.5) - size
			var possible []uint64 // by where in the trace the rank began
			for offset := range T + 1 {
				possible = append(possible, slowTrace(start, length, offset, 0, size))
			}
			if !slices.Contains(possible, noise) {
				t.Errorf("%d ns with %q: noise %d, possible are %v", size, text.String(), noise, possible)
			}
		}
	}
	for _, wrong := range []string{"", "1", "1 2 3", "5 1\n3 1\n", "a b", "0 1\n0 1\n", "-1 2\n4 5"} {
		if _, err := simulate.ReadDetours(strings.NewReader(wrong), "noise", false); err == nil {
			t.Errorf("%q is read", wrong)
		}
	}
	if _, err := simulate.ReadDetours(strings.NewReader("0 1\n"+strings.Repeat("x", 1<<17)), "noise", false); err == nil ||
		err.Error() != "noise:2: the line is longer than 65536 bytes: write start and length of a detour on each line" {
		t.Errorf("error of a long line: %v", err)
	}
	// A computation of a year in a trace of 10 ns: no walk through all of it.
	n, err := simulate.ReadDetours(strings.NewReader("0 1\n10 1\n"), "noise", false)
	if err != nil {
		t.Fatal(err)
	}
	p := prepare(t, parse(t, "num_ranks 1\nrank 0 {\ncalc 30000000000000000\n}\n"))
	if _, err := p.Run(context.Background(), simulate.Setup{Rules: simulate.LogGOPSim, LogGOPS: simulate.Defaults, Noise: n}); err != nil {
		t.Error(err)
	}
}
