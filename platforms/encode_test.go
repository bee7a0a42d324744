package platforms

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/machine"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// samePlatform is an option of cmp: what a user of a platform sees.
var samePlatform = cmp.Options{
	cmpopts.IgnoreUnexported(Platform{}, Layer{}, Param{}),
	cmp.AllowUnexported(machine.Topology{}), cmpopts.EquateEmpty(),
}

func encoded(t *testing.T, p Platform) Platform {
	t.Helper()
	text := p.Encode("")
	again, err := Parse(p.Name+".toml", text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return again
}

// What is read of a file that Encode wrote is what Encode was given: values, sources, notes,
// intervals, formulas, order.
func TestEncodeIsTheIdentity(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{changeable, runs, everything, rack, shared} {
		p, err := Parse("mine.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	for _, p := range all {
		again := encoded(t, p)
		if diff := cmp.Diff(p, again, samePlatform); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", p.Name, diff)
		}
		was, _ := p.Machine()
		is, _ := again.Machine()
		if diff := cmp.Diff(was, is, samePlatform); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", p.Name, diff)
		}
		if diff := cmp.Diff(p.file(false), again.file(false), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: (-written +read)\n%s", p.Name, diff)
		}
		made, err := p.Complete()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(p, made, samePlatform); diff != "" {
			t.Errorf("%s: (-read +made without a text)\n%s", p.Name, diff)
		}
	}
}

// everything has each form of key, and texts that need quoting.
const everything = `
title = "a \"quoted\" title with a tab\tand 'quotes'"
paper = "C:\\papers"
note = """two
lines"""
clock = "266MHz"
default = "both"
[constant.read]
value = "2*write"
source = "forward"
[constant.write]
value = "0.5us ± 10%"
source = "é\u0007"
[roof.pci]
rate = "33MHz*32bit"
source = "s"
[layer.short]
model = "logp"
o = "1us"
L = "5us"
g = "3us"
P = "16"
source = "s"
sources = { L = "Table 1", g = "Table 2" }
[layer.long]
model = "linear"
beta = "read ± 0.1us"
tau = "1us/KiB +/- 2%"
source = "s"
roofs = ["pci"]
[layer.both]
model = "switch"
branches = [{ layer = "short", up_to = "256B" }, { layer = "long" }]
source = "s"
`

// A platform with changed parameters is written with them, to the last bit.
func TestEncodeChanges(t *testing.T) {
	p := parsed(t)
	check := func(layer string, c Change) {
		t.Helper()
		changed, err := p.with(domain{layer: layer}, c)
		if err != nil {
			t.Fatal(err)
		}
		again := encoded(t, changed)
		was, err := changed.Layer(layer)
		if err != nil {
			t.Fatal(err)
		}
		is, err := again.Layer(again.Default)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(was.Model, is.Model); diff != "" || is.Name != layer {
			t.Errorf("%s of %s: (-changed +written)\n%s", c.Path, is.Name, diff)
		}
		before, err := Design{Platform: changed, Layer: was}.Find(c.Path)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Design{Platform: again, Layer: is}.Find(c.Path)
		if err != nil || after.PlusMinus != before.PlusMinus {
			t.Errorf("%s: ± %v, %v; want %v", c.Path, after.PlusMinus, err, before.PlusMinus)
		}
	}
	us := func(v float64) quantity.Value { return quantity.Value{Num: v, Dim: quantity.DimTime} }
	check("both", Change{Path: "constant.read", Text: "new", Value: us(1. / 3)})
	check("both",
		Change{Path: "layer.short.o_s", Text: "new", Value: us(1. / 7), PlusMinus: 1. / 30})
	check("dma",
		Change{Path: "stage.in.tau", Text: "new",
			Value: quantity.Value{Num: 1. / 1023, Dim: quantity.DimInverse}})
	check("dma", Change{Path: "layer.dma.packets", Text: "whole"})
	check("dma",
		Change{Path: "layer.dma.packets", Text: "new",
			Value: quantity.Value{Num: 777, Dim: quantity.DimSize}})
	check("both",
		Change{Path: "layer.both.branches.0.up_to", Text: "new",
			Value: quantity.Value{Num: 300, Dim: quantity.DimSize}})
	check("cut", Change{Path: "layer.cut.window", Text: "new", Value: quantity.Value{Num: 3}})
}

// A program builds a file as a person writes it.
func TestFile(t *testing.T) {
	made := Platform{Name: "fit", Title: "fit of x.txt", Layers: []Layer{{Name: "fit",
		Model: &model.Linear{}, Source: "x.txt"}}, Params: []Param{
		{Path: "layer.fit.beta", Text: "2us ± 0.1us"}, {Path: "layer.fit.tau", Text: "1us/KiB"}}}
	text := made.Encode("Written by halfpeak fit.\nOf two\x1blines.")
	if want := "# Written by halfpeak fit.\n# Of two lines.\n\n"; !strings.HasPrefix(string(text),
		want) {
		t.Errorf("got %q, want %q first", text, want)
	}
	p, err := Parse("fit.toml", text)
	if err != nil {
		t.Fatal(err)
	}
	if l := p.Layers[0]; l.Model.OneWay(1024) != 3 || p.Params[0].PlusMinus != 0.1 ||
		p.Title != "fit of x.txt" {
		t.Errorf("%+v", l)
	}
	made.Params[1].Text = "3"
	_, err = made.Complete()
	want := "fit: layer.fit.tau: \"3\": no unit; an inverse bandwidth takes µs/KiB (us/KB), " +
		"µs/B, ns/B or µs/MiB"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// LogP's o stands for both overheads, and P is told.
func TestLogPKeys(t *testing.T) {
	logp := func(keys ...string) string {
		return "[layer.x]\nmodel = \"logp\"\nL = \"5us\"\ng = \"3us\"\nsource = \"s\"\n" +
			strings.Join(keys, "\n") + "\n"
	}
	p, err := Parse("my.toml", []byte(logp(`o = "1us"`, `P = "16"`)))
	if err != nil {
		t.Fatal(err)
	}
	if want := (model.LogP{Latency: 5, SendOverhead: 1, ReceiveOverhead: 1, GapTime: 3,
		Processors: 16}); *p.Layers[0].Model.(*model.LogP) != want {
		t.Errorf("%+v, want %+v", p.Layers[0].Model, want)
	}
	check := func(want string, keys ...string) {
		t.Helper()
		_, err := Parse("my.toml", []byte(logp(keys...)))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check("my.toml:6:1: layer.x.o: stands for o_s and o_r; leave it out, or leave out those",
		`o = "1us"`, `o_s = "1us"`)
	check(`my.toml:6:1: layer.x.o_s: "-1us": a time cannot be negative`, `o = "-1us"`)
	check(`my.toml:7:1: layer.x.P: "1.5": must be a whole number, at least 1`, `o = "1us"`,
		`P = "1.5"`)
}
