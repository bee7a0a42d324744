package platforms

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
	text, err := p.Document().Encode("")
	if err != nil {
		t.Fatal(err)
	}
	again, err := Parse("my.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, again.Layers[0].Measured); diff != "" {
		t.Error(diff)
	}
}

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
	check(`correlation = "-0.4"`, `correlation = "-1.4"`, `a correlation is a number from -1 to 1`)
	check(`tau = "1us/KiB ± 0.02us/KiB"`, `tau = "1us/KiB"`,
		`correlates the errors of beta and tau`)
}
