package whatif

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/internal/remark"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

// measuredDesign is a layer of the line 2 µs + tau µs/KiB, fitted to times of a function.
func measuredDesign(t *testing.T, name string, tau float64, time func(n float64) float64) platforms.Design {
	t.Helper()
	sizes, times := "", ""
	for n := 1.; n <= 1<<20; n *= 2 {
		sizes += fmt.Sprintf("'%.0fB',", n)
		times += fmt.Sprintf("'%.6gus',", time(n))
	}
	text := fmt.Sprintf("[layer.fit]\nmodel = 'linear'\nbeta = '2us ± 0.1us'\ntau = '%gus/KiB ± 0.01us/KiB'\nmeasured = 'fit'\nsource = 'a fit'\n", tau) +
		"[measured.fit]\nsource = 'made up'\nsizes = [" + sizes + "]\ntimes = [" + times + "]\n"
	path := filepath.Join(t.TempDir(), name+".toml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return sharedtest.Must(t, platforms.Open, path)
}

// Crossings are those of the times that are predicted: lines that cross count for nothing where the
// measurements do not, and the other way round.
func TestCrossoverOfMeasurements(t *testing.T) {
	quick := func(n float64) float64 { return 2 + n/1024 }
	slow := func(n float64) float64 { return 3 + 2*n/1024 }
	steep := func(n float64) float64 { return 1 + 1.1*n/1024 } // crosses quick at 10 KiB
	sampling := &Sampling{Samples: 100, Seed: 1}
	found, err := crossover(sampling, measuredDesign(t, "quick", 1, quick), measuredDesign(t, "slow", 0.9, slow))
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Overtakings) > 0 || found.Notes[0].Text != "quick/fit is faster than slow/fit at all sizes up to 1 GiB." {
		t.Errorf("%+v", found)
	}
	found, err = crossover(sampling, measuredDesign(t, "quick", 1, quick), measuredDesign(t, "steep", 1, steep))
	if err != nil {
		t.Fatal(err)
	}
	if len(found.Overtakings) != 1 {
		t.Fatalf("%+v", found)
	}
	o := found.Overtakings[0]
	if o.Below != "steep/fit" || o.Beyond != "quick/fit" || o.Size < 9<<10 || o.Size > 11<<10 {
		t.Errorf("%+v", o)
	}
	// The interval ends where one is faster with 97.5 %; beyond the crossing the times differ by 10
	// % at most, which is within their intervals, so the probability is below that of sizes below.
	if in := o.Interval; !in.Known() || in.Low > float64(o.Size) || in.High < float64(o.Size) || quantity.Bytes(in.Low) < 64 || !(o.Probability > 0.5 && o.Probability < 1) {
		t.Errorf("%+v, %v", o, o.Interval)
	}
}

// 2 µs + 2 ns/B and 6 µs + 1 ns/B cost the same at 4000 bytes.
func TestCrossover(t *testing.T) {
	a, b := made("a", &model.Linear{Beta: 2, Tau: 0.002}), made("b", &model.Linear{Beta: 6, Tau: 0.001})
	c, err := crossover(nil, b, a)
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Overtakings) != 1 {
		t.Fatalf("%+v", c)
	}
	o := c.Overtakings[0]
	if o.Below != "a/x" || o.Beyond != "b/x" || o.Size < 3999 || o.Size > 4000 || o.Interval.Known() {
		t.Errorf("%+v", o)
	}
	if s := c.Sentences(); len(s) != 1 || !strings.HasPrefix(s[0], "a/x is faster up to ") {
		t.Errorf("%q", s)
	}
	slow := made("slow", &model.Linear{Beta: 7, Tau: 0.003})
	if c, err := crossover(nil, a, slow); err != nil || len(c.Overtakings) > 0 || !slices.Equal(remark.Texts(c.Notes), []string{"a/x is faster than slow/x at all sizes up to 1 GiB."}) {
		t.Errorf("%+v, %v", c, err)
	}
	if c, err := crossover(nil, a, a); err != nil || !slices.Equal(remark.Texts(c.Notes), []string{"a/x and a/x cost the same."}) {
		t.Errorf("%+v, %v", c, err)
	}
}

// crossover asks for the crossings of designs.
func crossover(by *Sampling, designs ...platforms.Design) (*Crossover, error) {
	return CrossoverQuestion{designs, by}.Ask(context.Background())
}

func made(name string, l model.Layer) platforms.Design {
	return platforms.Design{
		Platform: platforms.Platform{Name: name},
		Layer:    platforms.Layer{Platform: name, Name: "x", Model: l},
	}
}

// Layers that share a branch are equal there, and differ elsewhere.
func TestNeverCross(t *testing.T) {
	p, err := platforms.Parse("a.toml", []byte(`
layer.slow = {model = "switch", branches = [{layer="p", up_to="64KiB"}, {layer="p"}], source = "t"}
layer.middle = {model = "switch", branches = [{layer="p", up_to="1KiB"}, {layer="q", up_to="64KiB"}, {layer="p"}], source = "t"}
layer.fast = {model = "switch", branches = [{layer="q", up_to="64KiB"}, {layer="q"}], source = "t"}
layer.p = {model = "linear", beta = "1us", tau = "1us/KiB", source = "t"}
layer.q = {model = "linear", beta = "0.5us", tau = "0.5us/KiB", source = "t"}
`))
	if err != nil {
		t.Fatal(err)
	}
	of := func(i int) platforms.Design { return platforms.Design{Platform: p, Layer: p.Layers[i]} }
	for i, want := range []string{"a/slow and a/p cost the same.",
		"a/middle is never slower than a/p up to 1 GiB, and as fast at some sizes.",
		"a/fast is faster than a/p at all sizes up to 1 GiB."} {
		if got := neverCross(of(3), of(i)).Text; i > 0 && got != want {
			t.Errorf("%s; want %s", got, want)
		}
		if got := neverCross(of(i), of(3)).Text; got != want {
			t.Errorf("%s; want %s", got, want)
		}
	}
}

// A fit of two sizes shows no interval: neither its crossings nor its comparison have a
// probability, and both say why.
func TestTooFewSizes(t *testing.T) {
	parsed := func(name, text string) platforms.Design {
		p, err := platforms.Parse(name, []byte("[layer.x]\nmodel = \"linear\"\nsource = \"here\"\ngap = \"unknown\"\n"+text))
		if err != nil {
			t.Fatal(err)
		}
		d, err := p.Design("")
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	few := parsed("few", "beta = \"25us\"\ntau = \"0us/KiB\"\nmeasured = \"x\"\n"+
		"[measured.x]\nsizes = [\"4B\", \"8B\"]\ntimes = [\"25.2us\", \"24.8us\"]\nsource = \"here\"\n")
	known := parsed("known", "beta = \"5us ± 0.1us\"\ntau = \"0.3us/KiB ± 0.01us/KiB\"\n")
	c, err := crossover(&Sampling{Samples: 200, Seed: 1}, known, few)
	if err != nil || len(c.Overtakings) != 1 || !math.IsNaN(c.Overtakings[0].Probability) {
		t.Fatalf("%+v, %v", c, err)
	}
	const why = "few/x was fitted to 2 sizes, which show no interval"
	if s := c.Sentences()[0]; !strings.Contains(s, why) {
		t.Error(s)
	}
	both := []NamedDesign{{"few", Of(few)}, {"known", Of(known)}}
	quantities, err := both[1].Quantities("one_way")
	if err != nil {
		t.Fatal(err)
	}
	u, err := predictAll(both, quantities, []quantity.Bytes{8}, Sampling{Samples: 200, Seed: 1})
	if err != nil || !math.IsNaN(u.Faster[0]) || u.TooFew != why {
		t.Errorf("%+v, %v", u, err)
	}
	if _, err := predictAll(both, quantities, nil, Sampling{Samples: 200, Seed: 1}); err == nil {
		t.Error("no sizes, and no error")
	}
}
