package platforms

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

const fittedFile = `
[measured.fit]
sizes = ["1B", "1KiB", "64KiB"]
times = ["2us", "5us", "70us"]
runs = "3"
deviations = ["0us", "0.1us", "2us"]
resolution = "0.01us"
source = "a benchmark"

[layer.fit]
model = "linear"
measured = "fit"
beta = "2us ± 0.1us"
tau = "1us/KiB ± 0.02us/KiB"
correlation = "-0.4"
source = "a fit"
`

// What a layer was fitted to goes with it, and comes back when the platform is written.
func TestMeasured(t *testing.T) {
	p, err := Parse("my.toml", []byte(fittedFile))
	if err != nil {
		t.Fatal(err)
	}
	want := &Measured{
		Sizes: []quantity.Bytes{1, 1024, 65536}, Times: []quantity.Micros{2, 5, 70},
		Deviations: []quantity.Micros{0, 0.1, 2},
		Runs:       3, Resolution: 0.01, Source: "a benchmark",
	}
	if diff := cmp.Diff(want, p.Layers[0].Measured); diff != "" || p.Layers[0].Correlation != -0.4 {
		t.Errorf("correlation %v, measured (-want +got)\n%s", p.Layers[0].Correlation, diff)
	}
	text := p.Encode("")
	again, err := Parse("my.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Layers[0].Measured); diff != "" {
		t.Error(diff)
	}
}

// A changed layer is written with the lines that its points were fitted by, so that all its times are
// the same when it is read again, also where the changed value is a constant. Without an interval, β and
// τ have no correlation. A value that was set to what it is changes nothing.
func TestMeasuredChanged(t *testing.T) {
	text := strings.NewReplacer(`"1KiB", "64KiB"`, `"1KiB", "4KiB", "16KiB", "64KiB"`,
		`"5us", "70us"`, `"5us", "6us", "20us", "70us"`, `"0.1us", "2us"`, `"0.1us", "0.1us", "0.1us", "2us"`,
		`beta = "2us ± 0.1us"`, `beta = "2*half ± 0.1us"`).Replace(fittedFile) +
		"[constant.half]\nvalue = \"1us\"\nsource = \"made\"\n[layer.whole]\nmodel = \"fragmented\"\n" +
		"mtu = \"4KiB\"\nbelow = \"fit\"\nsource = \"made\"\n"
	p, err := Parse("my.toml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		layer, set string
		points     bool
	}{{"fit", "half=3us", false}, {"fit", "tau*=2", false}, {"whole", "beta=1us", false}, {"fit", "tau*=1", true}} {
		l, err := p.Layer(c.layer)
		if err != nil {
			t.Fatal(err)
		}
		d, err := Design{Platform: p, Layer: l}.Set(c.set)
		if err != nil {
			t.Fatal(err)
		}
		text, err := d.Encode("")
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse("my.toml", text)
		if err != nil {
			t.Fatalf("%s: %v\n%s", c.set, err, text)
		}
		read, err := again.Layer(again.Default)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []quantity.Bytes{1, 700, 4096, 10000, 1 << 20} {
			if got, want := read.Model.OneWay(n), d.Layer.Model.OneWay(n); !near(float64(got/want), 1) {
				t.Errorf("%s: %v takes %v, read again %v", c.set, n, want, got)
			}
		}
		if next, err := read.Next(1024); (next != nil) != c.points || err != nil {
			t.Errorf("%s: the next measurement is %v, %v", c.set, next, err)
		}
	}
}

func near(a, b float64) bool { return math.Abs(a-b) < 1e-12 }

func TestMeasuredErrors(t *testing.T) {
	check := func(old, replacement, want string) {
		t.Helper()
		text := strings.Replace(fittedFile, old, replacement, 1)
		if _, err := Parse("my.toml", []byte(text)); text == fittedFile || err == nil ||
			!strings.Contains(fmt.Sprint(err), want) {
			t.Errorf("%s: %v, want %q", replacement, err, want)
		}
	}
	check(`"1KiB", "64KiB"`, `"64KiB", "1KiB"`, `"1KiB": sizes are at least 1 B, and ascend`)
	check(`sizes = ["1B", "1KiB", "64KiB"]`, `sizes = ["1B"]`, `1 sizes; give at least 2`)
	check(`"5us", "70us"]`, `"5us"]`, `2 times for 3 sizes`)
	check(`"2us", "5us"`, `"0us", "5us"`, `"0us": a measured time must be above zero`)
	check(`runs = "3"`, `runs = "many"`, `"many": runs must be a whole number from 1`)
	check(`runs = "3"`, ``, `runs and deviations go together`)
	check(`measured = "fit"`, `measured = "fits"`, `no [measured.fits]; did you mean "fit"?`)
	check(`source = "a benchmark"`, "layer = \"fits\"\nsource = \"a benchmark\"", `no layer "fits"; did you mean "fit"?`)
	check(`correlation = "-0.4"`, `correlation = "-1.4"`, `a correlation is a number from -1 to 1`)
	check(`tau = "1us/KiB ± 0.02us/KiB"`, `tau = "1us/KiB"`,
		`correlates the errors of beta and tau`)
}

// A stream's forecast above its sizes is not faster than the upper end of its r∞: 10 GB/s ± 10 % is
// at most 1/(0.1 − 0.01) ns/B. A latency has no such bound.
func TestStreamBound(t *testing.T) {
	var sizes, times []string
	for n := 1; n <= 1<<15; n *= 2 {
		sizes = append(sizes, fmt.Sprintf(`"%dB"`, n))
		// The last octaves look faster than the line: 16 GB/s.
		times = append(times, fmt.Sprintf(`"%.3fus"`, 3+float64(n)/16e3))
	}
	file := func(of string) string {
		return fmt.Sprintf("[measured.bw]\nsizes = [%s]\ntimes = [%s]\nsource = \"a benchmark\"\n"+
			"[layer.bw]\nmodel = \"linear\"\nmeasured = \"bw\"\ntimes_of = %q\nbeta = \"3us\"\n"+
			"tau = \"0.0001us/B ± 0.00001us/B\"\nsource = \"a fit\"\n",
			strings.Join(sizes, ", "), strings.Join(times, ", "), of)
	}
	rate := func(of string, n quantity.Bytes) quantity.MBps {
		p, err := Parse("my.toml", []byte(file(of)))
		if err != nil {
			t.Fatal(err)
		}
		return n.Over(p.Layers[0].Model.OneWay(n))
	}
	const fastest = quantity.MBps(1e4 / 0.9)
	for n := quantity.Bytes(1 << 16); n <= 1<<30; n *= 4 {
		if got := rate("stream", n); got > fastest*(1+1e-9) {
			t.Errorf("%v at %v, above %v", n, got, fastest)
		}
	}
	if got := rate("message", 1<<30); got < fastest {
		t.Errorf("a message at %v: bounded by the line as a stream is", got)
	}
}

// n½ is the smallest size with half of r∞, also where further packets let the bandwidth fall again.
func TestHalfPeakSmallest(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			got, ok := model.HalfPeak(l.Model)
			half := model.Asymptote(l.Model) / 2 * (1 - 1e-9) // rounding
			for n := quantity.Bytes(1); ok && n < got; n++ {
				if model.Bandwidth(l.Model, n) >= half*(1+2e-9) {
					t.Errorf("%s: n½ = %v, but %v has half of r∞", l.Ref(), got, n)
					break
				}
			}
		}
	}
}

// A value that makes a parameter overflow is an error, which gives the limit and the value.
func TestSetFinite(t *testing.T) {
	d, err := Open("clip")
	if err != nil {
		t.Fatal(err)
	}
	for assignment, got := range map[string]string{
		"wire.tau*=1e308": "7.32e+305", "wire.tau*=1e290": "7.32e+287", "wire.beta=-1e300us": "-1e+300", "wire.beta/=0": "+Inf",
	} {
		_, err := d.Set(assignment)
		if err == nil || !strings.Contains(err.Error(), "must be within ±1e+280 in µs and bytes (got "+got+"); ") {
			t.Errorf("%s: %v", assignment, err)
		}
	}
}

// Between the last measured size of one protocol and the first of the next, the time is the line of
// the protocol that serves the size, also if the threshold is moved there; and the interval covers
// both lines. Values: 1 µs + n µs/KiB up to 8 KiB, 21 µs + n µs/KiB above.
func TestRamp(t *testing.T) {
	p, err := Parse("my.toml", []byte(`
[measured.fit]
sizes = ["1KiB", "2KiB", "4KiB", "8KiB", "16KiB", "32KiB", "64KiB"]
times = ["2us", "3us", "5us", "9us", "37us", "53us", "85us"]
source = "a benchmark"
[layer.fit]
model = "switch"
measured = "fit"
branches = [{ layer = "eager", up_to = "8KiB" }, { layer = "rendezvous" }]
source = "a fit"
[layer.eager]
model = "linear"
beta = "1us"
tau = "1us/KiB"
source = "a fit"
[layer.rendezvous]
model = "linear"
beta = "21us"
tau = "1us/KiB"
source = "a fit"
`))
	if err != nil {
		t.Fatal(err)
	}
	check := func(set string, want map[quantity.Bytes]quantity.Micros) {
		t.Helper()
		d, err := p.Design("")
		if err != nil {
			t.Fatal(err)
		}
		if set != "" {
			if d, err = d.Set(set); err != nil {
				t.Fatal(err)
			}
		}
		for n, us := range want {
			if got := d.Layer.OneWay(n); math.Abs(float64(got-us)) > 1e-9 {
				t.Errorf("%s: %v takes %v, want %v", set, n, got, us)
			}
			next, err := d.Layer.Next(n)
			low, high := float64(1+n/1024), float64(21+n/1024)
			if err != nil || set == "" && n > 8<<10 && n < 16<<10 &&
				(next.Low > low || next.High < high) {
				t.Errorf("%v: %+v, %v; want %v to %v inside", n, next, err, low, high)
			}
		}
	}
	const KiB = 1 << 10
	check("", map[quantity.Bytes]quantity.Micros{8 * KiB: 9, 8*KiB + 1: 29 + 1./KiB,
		12 * KiB: 33, 16*KiB - 1: 37 - 1./KiB, 16 * KiB: 37})
	// The rows of what-ifs: the other line, and never a value between.
	check("layer.fit.branches.0.up_to=16KiB", map[quantity.Bytes]quantity.Micros{8 * KiB: 9,
		8*KiB + 1: 9 + 1./KiB, 12 * KiB: 13, 16 * KiB: 17, 16*KiB + 1: 37 + 1./KiB})
	check("layer.fit.branches.0.up_to=4KiB", map[quantity.Bytes]quantity.Micros{4 * KiB: 5,
		4*KiB + 1: 25 + 1./KiB, 8 * KiB: 29, 12 * KiB: 33})
	check("layer.fit.branches.0.up_to=12KiB", map[quantity.Bytes]quantity.Micros{
		12 * KiB: 13, 12*KiB + 1: 33 + 1./KiB})
}
