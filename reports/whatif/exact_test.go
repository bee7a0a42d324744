package whatif

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// sawtooth is a pipeline of random stages in fixed packets.
func sawtooth(t *testing.T, random *rand.Rand) Design {
	t.Helper()
	text := "title = \"x\"\n"
	for i := range 4 {
		text += fmt.Sprintf("stage.s%d = { beta = \"%.3gus\", tau = \"%.3gus/KiB\", source = \"x\" }\n",
			i, 3*random.Float64(), 4*random.Float64())
	}
	return parsed(t, text+fmt.Sprintf(
		"layer.l = { model = \"pipeline\", stages = [\"s0\", \"s1\", \"s2\", \"s3\"], packets = \"%dB\", source = \"x\" }\n",
		300+random.IntN(1500)))
}

// A target that some packets meet is reached, by the nearest of them: of all that are tried.
func TestTargetOnPackets(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 9))
	for range 20 {
		d := sawtooth(t, random)
		n := quantity.Bytes(2000 + random.IntN(8000))
		packets, err := d.Find("packets")
		if err != nil {
			t.Fatal(err)
		}
		prog, _ := d.Compile(packets)
		time := func(p float64) float64 {
			if !prog.Set(p) {
				t.Fatalf("packets of %v B", p)
			}
			return float64(prog.Layer().OneWay(n))
		}
		least := math.Inf(1)
		for p := 1.0; p <= float64(n); p++ {
			least = min(least, time(p))
		}
		if least >= time(packets.Value.Num) {
			continue
		}
		// A little above the least time: few packets reach it.
		most := least + 0.001*(time(packets.Value.Num)-least)
		target, err := d.ParseTarget(fmt.Sprintf("one_way(%.0fB) <= %.9gus", float64(n), most))
		if err != nil {
			t.Fatal(err)
		}
		nearest := math.Inf(1)
		for p := 1.0; p <= float64(n); p++ {
			if away := math.Abs(p - packets.Value.Num); time(p) <= target.Value && away < math.Abs(nearest-packets.Value.Num) {
				nearest = p
			}
		}
		s, err := solveFor(d, target, Range{Param: packets})
		if err != nil {
			t.Fatal(err)
		}
		if !s.Reached || math.Abs(s.Value-packets.Value.Num) != math.Abs(nearest-packets.Value.Num) {
			t.Errorf("%v: reached %v by %v B, nearest %v B", target, s.Reached, s.Value, nearest)
		}
	}
}

// Shares are whole numbers of the parameters where they are, and add up to the cost.
func TestSharesAreExact(t *testing.T) {
	d := parsed(t, "title = \"x\"\nlayer.l = { model = \"linear\", beta = \"38.8us\", tau = \"6.49us/KiB\", source = \"x\" }\n")
	shares, err := d.Shares(1)
	if err != nil {
		t.Fatal(err)
	}
	if len(shares) != 2 || shares[0].OneWay != 38.8 || shares[1].OneWay != 6.49/1024 {
		t.Errorf("shares of β = 38.8 µs and of a byte: %v", shares)
	}
	for _, d := range designs(t) {
		for _, n := range []quantity.Bytes{1, 4096, 1e6} {
			shares, err := d.Shares(n)
			if err != nil {
				t.Fatal(err)
			}
			var oneWay, gap float64
			for _, s := range shares {
				oneWay, gap = oneWay+float64(s.OneWay), gap+float64(s.Gap)
			}
			near(t, fmt.Sprintf("%s, %v: sum of shares", d.Layer.Ref(), n), oneWay, float64(d.Layer.Model.OneWay(n)), 3e-12)
			near(t, fmt.Sprintf("%s, %v: sum of shares of the gap", d.Layer.Ref(), n), gap, float64(d.Layer.Model.Gap(n)), 3e-12)
		}
	}
}

// A quantity is limited by the parameter that most of it is made of.
func TestLimiting(t *testing.T) {
	d := parsed(t, "title = \"x\"\nlayer.l = { model = \"linear\", beta = \"38.8us\", tau = \"6.49us/KiB\", source = \"x\" }\n")
	for quantity, want := range map[string]string{"one_way(1B)": "layer.l.beta", "one_way(1MiB)": "layer.l.tau"} {
		target, err := d.ParseTarget(quantity + " <= 1us")
		if err != nil {
			t.Fatal(err)
		}
		now, err := d.ValueOf(target.Quantity)
		if err != nil {
			t.Fatal(err)
		}
		l, ok := d.limiting(target.Quantity, now)
		if !ok || l.Param.Path != want || l.Resource != "layer l" {
			t.Errorf("%s is limited by %s of %s, %v; want %s", quantity, l.Param.Path, l.Resource, ok, want)
		}
	}
}
