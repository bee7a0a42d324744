package calibrate_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/internal/calibrate"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// A machine whose levels take their layers from latencies has the interval of the machines that
// were measured both ways, for as many ranks as those had. Without a word on what its cores share,
// or with a level that was not measured, it has none.
func TestKnownFromLatencies(t *testing.T) {
	const (
		fit = `title = "a"
[layer.lines]
model = "linear"
beta = "1us"
tau = "0.14ns/B"
gap = "unknown"
measured = "m"
source = "x"
[measured.m]
sizes = ["1B", "1KiB", "64KiB", "1MiB"]
times = ["1us", "2us", "10us", "150us"]
source = "osu_latency"
`
		node    = `level.node = { arity = "8", layer = "node", source = "x" }` + "\n"
		sharing = `level.node = { arity = "8", layer = "node", lanes = "3", source = "x" }` + "\n"
		rest    = `title = "cluster"
level.cluster = { arity = "8", layer = "network", source = "x" }
layer.network = { from = "a.toml" }
`
		from  = `layer.node = { from = "a.toml" }`
		typed = `layer.node = { model = "linear", beta = "1us", tau = "1ns/B", source = "x" }`
	)
	folder := t.TempDir()
	of := func(text string) calibrate.Deviation {
		t.Helper()
		for name, text := range map[string]string{"a.toml": fit, "cluster.toml": text} {
			if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		d, err := platforms.Open(filepath.Join(folder, "cluster.toml"))
		if err != nil {
			t.Fatal(err)
		}
		return calibrate.DeviationOf(d.Platform)
	}
	within := of(rest + sharing + from)
	if r := within.Ratio; r.Low < 0.3 || r.Low > 0.5 || r.High < 3 || r.High > 5 {
		t.Errorf("%v", within)
	}
	want := quantity.Interval{Value: 10, Low: 10 * within.Ratio.Low, High: 10 * within.Ratio.High}
	if in := within.Of(256, 10); in != want {
		t.Errorf("256 ranks: %v", in)
	}
	if in := within.Of(257, 10); in.Known() {
		t.Errorf("257 ranks: %v", in)
	}
	for name, text := range map[string]string{
		"nothing shared": rest + node + from,
		"a typed level":  rest + sharing + typed,
	} {
		if i := of(text); i != (calibrate.Deviation{}) {
			t.Errorf("%s: %v", name, i)
		}
	}
}
