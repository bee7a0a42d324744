package platforms

import (
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A series adds β + nτ without a layer of its own for it.
func TestSeriesAddsACost(t *testing.T) {
	const below = "[layer.put]\nmodel = \"linear\"\nbeta = \"4us\"\ntau = \"0.5us/B\"\nsource " +
		"= \"x\"\n"
	p, err := Parse("my.toml",
		[]byte(below+"[layer.slr]\nmodel = \"series\"\nbelow = \"put\"\nbeta = \"40us\"\ntau = "+
			"\"0.25us/B\"\nsource = \"x\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Layer("slr")
	if err != nil {
		t.Fatal(err)
	}
	if got := l.Model.OneWay(8); got != 4+40+8*0.75 {
		t.Errorf("8 bytes take %v; want 50 µs", got)
	}
	own := slices.DeleteFunc(paths(p.Params), func(path string) bool {
		return !strings.HasPrefix(path, "layer.slr.")
	})
	if !slices.Equal(own, []string{"layer.slr.beta", "layer.slr.tau"}) {
		t.Errorf("parameters %q; want beta and tau", own)
	}
	check := func(keys, want string) {
		t.Helper()
		_, err := Parse("my.toml",
			[]byte(below+"[layer.slr]\nmodel = \"series\"\nsource = \"x\"\nbelow = \"put\"\n"+keys))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v; want %s", keys, err, want)
		}
	}
	check("", `my.toml:6:8: layer.slr: nothing added; write added = "NAME", or beta and tau`)
	check("beta = \"1us\"\n", "layer.slr: no tau; it is needed")
	check("added = \"put\"\nbeta = \"1us\"\n",
		"my.toml:10:1: layer.slr.added: a series adds a layer or its own beta and tau; leave "+
			"one out")
	check("added = \"putt\"\n", `layer.slr.added: no layer "putt"; did you mean "put"?`)
}

func TestThresholdInFormulas(t *testing.T) {
	check := func(ref string, want quantity.Bytes) {
		t.Helper()
		_, l, err := find(ref)
		if err != nil {
			t.Fatal(err)
		}
		v, err := l.Eval("threshold()", 0)
		if err != nil || v != (quantity.Value{Num: float64(want), Dim: quantity.DimSize}) {
			t.Errorf("%s: %v, %v; want %s", ref, v, err, want)
		}
	}
	// 100 µs over 0.36 + 1/160 − (1/85.125 + 1/160 + 1/90.875) µs per byte = 296.5
	check("parnass/pio-or-dma", 296)
	check("mpc/mpi", 128)
	check("mpi-bip", 512)
	_, l, err := find("mpc/put")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Eval("threshold()", 0); err == nil ||
		!strings.Contains(err.Error(), "it must be a switch or an envelope") {
		t.Errorf("of a linear layer: %v", err)
	}
}

// No layer of the three papers is faster than the hardware that bounds it.
func TestRoofsHold(t *testing.T) {
	for _, name := range []string{"jam-1394", "jam-arctic", "startjr-tcp", "startjr-cm5",
		"startjr-fm", "parnass", "mpc", "mpi-bip"} {
		p, _, err := find(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range p.Layers {
			if len(l.Roofs) == 0 {
				continue
			}
			for n := quantity.Bytes(1); n <= 1<<30; n *= 2 {
				if b := model.Bandwidth(l.Model, n); b > l.Roofs[0].Rate {
					t.Errorf("%s: %s at %s, above the roof %s of %s", l.Ref(), b, n,
						l.Roofs[0].Name, l.Roofs[0].Rate)
				}
			}
			if r := model.Asymptote(l.Model); r > l.Roofs[0].Rate {
				t.Errorf("%s: r∞ %s is above the roof %s of %s", l.Ref(), r, l.Roofs[0].Name,
					l.Roofs[0].Rate)
			}
		}
	}
}
