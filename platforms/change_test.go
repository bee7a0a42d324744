package platforms

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

const changeable = `
[constant.read]
value = "0.5us ± 0.1us"
source = "here"
[stage.in]
beta = "1us ± 10%"
tau = "2us/KiB"
source = "here"
[stage.out]
beta = 'stage("in", "beta") + 2*read'
tau = "4us/KiB +/- 0.5us/KiB"
source = "here"
[layer.dma]
model = "pipeline"
stages = ["in", "out"]
packets = "best"
source = "here"
[layer.short]
model = "loggp"
o_s = "1us"
o_r = "4*read"
L = "10us - o_s - o_r"
g = "o_s + o_r"
G = "1us/KiB"
source = "here"
[layer.both]
model = "switch"
branches = [{ layer = "short", up_to = "256B" }, { layer = "dma" }]
source = "here"
[layer.cut]
model = "fragmented"
below = "short"
mtu = "4KiB"
window = "8"
source = "here"
`

func parsed(t *testing.T) Platform {
	t.Helper()
	p, err := Parse("design.toml", []byte(changeable))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What is computed from a changed parameter follows it: read = 0.25 µs makes o_r
// 1 µs, and L 10 - 1 - 1 µs.
func TestWith(t *testing.T) {
	p, err := parsed(t).with(domain{layer: "short"},
		Change{Path: "constant.read", Text: "0.25us",
			Value: quantity.Value{Num: 0.25, Dim: quantity.DimTime}})
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Layer("short")
	if err != nil {
		t.Fatal(err)
	}
	want := model.LogGP{LogP: model.LogP{SendOverhead: 1, ReceiveOverhead: 1, Latency: 8,
		GapTime: 2}, GapPerByte: 1. / 1024}
	if *l.Model.(*model.LogGP) != want {
		t.Errorf("got %+v, want %+v", l.Model, want)
	}
}

func TestWithErrors(t *testing.T) {
	check := func(layer, path string, num float64, dim quantity.Dimension, want string) {
		t.Helper()
		_, err := parsed(t).with(domain{layer: layer},
			Change{Path: path, Text: "new", Value: quantity.Value{Num: num, Dim: dim}})
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check("short", "constant.read", 1, quantity.DimSize, "constant.read is a time, not a size")
	check("short", "constant.write", 1, quantity.DimTime,
		`design/short has no parameter "constant.write"`)
	check("short", "layer.short.o_s", -1, quantity.DimTime,
		`layer.short.o_s: "new": a time cannot be negative`)
	// With o_r = 12 µs the latency is below zero; that is at fault in the file.
	check("both", "constant.read", 3, quantity.DimTime,
		`design.toml:22:1: layer.short.L: "10us - o_s - o_r": a time cannot be negative`)
	check("both", "layer.both.branches.0.up_to", 2.5, quantity.DimSize,
		`layer.both.branches.0.up_to: "new": 2.5 B is not a whole number of bytes`)
}

func TestPlusMinus(t *testing.T) {
	want := map[string]float64{"constant.read": 0.1, "stage.in.beta": 0.1,
		"stage.out.tau": 0.5 / 1024}
	for _, q := range parsed(t).Params {
		if math.Abs(q.PlusMinus-want[q.Path]) > 1e-12 {
			t.Errorf("%s ± %v, want %v", q.Path, q.PlusMinus, want[q.Path])
		}
	}
	check := func(value, want string) {
		t.Helper()
		_, err := Parse("x.toml", []byte(strings.Replace(changeable, "0.5us ± 0.1us", value, 1)))
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
	check("0.5us ± 1B",
		`x.toml:3:1: constant.read.value: "0.5us ± 1B": a time ± a size; both have one unit, `+
			`or the second is a percentage`)
	check("0.5us ± 0.1",
		`x.toml:3:1: constant.read.value: "0.5us ± 0.1": a time ± a plain number; both have `+
			`one unit, or the second is a percentage`)
	check("0.5us ± -1us",
		`x.toml:3:1: constant.read.value: "0.5us ± -1us": the half-width behind ± must be `+
			`finite and not negative`)
	check("0.5us ±",
		`x.toml:3:1: constant.read.value: "0.5us ±": behind ±: "", column 1: a number or a `+
			`name is missing at the end`)
}

func TestParamFind(t *testing.T) {
	p := parsed(t)
	check := func(layer, name, want string) {
		t.Helper()
		l, err := p.Layer(layer)
		if err != nil {
			t.Fatal(err)
		}
		q, err := Design{Platform: p, Layer: l}.Find(name)
		got := q.Path
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s, %s:\ngot  %s\nwant %s", layer, name, got, want)
		}
	}
	check("dma", "stage.in.tau", "stage.in.tau")
	check("dma", "in.tau", "stage.in.tau")
	check("dma", "packets", "layer.dma.packets")
	check("dma", "read", "constant.read")
	check("both", "o_r", "layer.short.o_r")
	check("both", "logp.o_r", "layer.short.o_r")
	check("both", "loggp.G", "layer.short.G")
	check("both", "up_to", "layer.both.branches.0.up_to")
	check("cut", "credits", "layer.cut.window")
	check("dma", "tau",
		`"tau" matches several parameters: stage.in.tau, stage.out.tau; write one of them`)
	check("dma", "o_r",
		"layer.short.o_r has no effect on design.toml/dma; these have: constant.read, "+
			"stage.in.beta, stage.in.tau, stage.out.beta, stage.out.tau, layer.dma.packets")
	check("dma", "paccets", `design.toml/dma has no parameter "paccets"; did you mean "packets"?`)
}

// A program gives what the file gives with the same changes, for every parameter of every layer.
func TestProgram(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range append(all, parsed(t)) {
		for _, l := range p.Layers {
			uses, err := p.uses(domain{layer: l.Name})
			if err != nil {
				t.Fatal(err)
			}
			for _, q := range uses {
				checkProgram(t, p, l, q)
			}
		}
	}
}

func checkProgram(t *testing.T, p Platform, l Layer, q Param) {
	t.Helper()
	v := q.Value
	v.Num = v.Num*2 + 4 // whole if it was
	prog, err := p.compile(domain{layer: l.Name}, q.Path)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := p.with(domain{layer: l.Name}, Change{Path: q.Path, Text: "8KiB", Value: v})
	if possible := prog.Set(v.Num); possible != (err == nil) {
		t.Errorf("%s, %s = %v: possible %v, but %v", l.Ref(), q.Path, v, possible, err)
		return
	} else if !possible {
		return
	}
	want, err := changed.Layer(l.Name)
	if err != nil {
		t.Fatal(err)
	}
	for n := quantity.Bytes(1); n <= 1<<20; n = n*5 + 1 {
		if got := prog.Layer(); got.OneWay(n) != want.Model.OneWay(n) ||
			got.Gap(n) != want.Model.Gap(n) {
			t.Errorf("%s, %s = %v, %s: one way %v, gap %v; want %v, %v", l.Ref(), q.Path, v, n,
				got.OneWay(n), got.Gap(n), want.Model.OneWay(n), want.Model.Gap(n))
			return
		}
	}
}

// Neither setting a parameter, with what is computed from it, nor asking the layer allocates.
func TestProgramDoesNotAllocate(t *testing.T) {
	check := func(platform, layer, path string) {
		t.Helper()
		p, err := load(platform)
		if err != nil {
			t.Fatal(err)
		}
		prog, err := p.compile(domain{layer: layer}, path)
		if err != nil {
			t.Fatal(err)
		}
		l, v := prog.Layer(), 0.001
		if n := testing.AllocsPerRun(100,
			func() { prog.Set(v); l.OneWay(65536); l.Gap(65536); v += 0.001 }); n > 0 {
			t.Errorf("%s/%s, %s: %v allocations", platform, layer, path, n)
		}
	}
	check("hp-lam", "gam", "constant.card_read")
	check("clip", "system-buffer", "stage.host-dma.tau")
	check("hp-lam", "bulk", "layer.segment.L")
}

// The ends of a table are parameters although its file does not give them. They follow the times
// until they are changed, and a saved change is read back as the same times.
func TestEndsOfTable(t *testing.T) {
	const text = `
[layer.net]
model = "table"
sizes = ["1B", "1KiB", "1MiB"]
times = ["2us", "3us", "90us"]
gaps = ["1us", "1.5us", "81us"]
source = "here"
[layer.falls]
model = "table"
sizes = ["1B", "1KiB"]
times = ["2us", "1us"]
source = "here"
`
	read := func(text string) Design {
		t.Helper()
		p, err := Parse("net.toml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return Design{Platform: p, Layer: p.Layers[0]}
	}
	set := func(d Design, assignments ...string) Design {
		t.Helper()
		d, err := d.Set(assignments...)
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	d := read(text)
	faster := set(d, "tau*=0.5", "beta=1us")
	saved, err := faster.Encode("")
	if err != nil {
		t.Fatal(err)
	}
	again := read(string(saved))
	for n, want := range map[quantity.Bytes]quantity.Micros{1: 1, 1 << 10: 1.5, 1 << 20: 45} {
		for what, d := range map[string]Design{"changed": faster, "read again": again} {
			if got := d.Layer.Model.OneWay(n); math.Abs(float64(got/want)-1) > 1e-12 {
				t.Errorf("%s: one way of %s is %v µs, want %v", what, n, got, want)
			}
		}
	}
	if got := again.Layer.Model.Gap(1 << 20); math.Abs(float64(got)-41) > 1e-9 {
		t.Errorf("the gap of 1 MiB is %v µs, want 41: its 80 µs of bytes are halved", got)
	}
	p, err := set(d, "times.2=178us").Find("tau")
	if want := 176. / (1<<20 - 1); err != nil || math.Abs(p.Value.Num/want-1) > 1e-12 {
		t.Errorf("τ is %v %v, want %v", p.Value.Num, err, want)
	}
	d.Layer = d.Platform.Layers[1]
	if _, err := d.Find("tau"); err == nil {
		t.Error("times that fall have a τ")
	}
}

// A factor changes a parameter of all branches of a layer, and a value is refused.
func TestBranches(t *testing.T) {
	p, err := Parse("my.toml", []byte(`
[constant.byte]
value = "1us/KiB"
source = "here"
[layer.net]
model = "switch"
branches = [{ layer = "short", up_to = "1KiB" }, { layer = "long" }]
source = "here"
[layer.short]
model = "linear"
beta = "1us"
tau = "2*byte"
source = "here"
[layer.long]
model = "linear"
beta = "4us"
tau = "byte"
source = "here"
`))
	if err != nil {
		t.Fatal(err)
	}
	l, err := p.Layer("net")
	if err != nil {
		t.Fatal(err)
	}
	d := Design{Platform: p, Layer: l}
	for _, text := range []string{"net.tau*=0.5", "layer.net.tau/=2", "tau*=0.5"} {
		changed, err := d.Set(text)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range []quantity.Bytes{1 << 10, 1 << 20} {
			beta := quantity.Micros(4)
			if n == 1<<10 {
				beta = 1
			}
			was, is := l.Model.OneWay(n)-beta, changed.Layer.Model.OneWay(n)-beta
			if math.Abs(float64(is/was)-0.5) > 1e-9 {
				t.Errorf("%s: the bytes of %v take %v, and %v before", text, n, is, was)
			}
		}
		if len(changed.Changes) != 2 {
			t.Errorf("%s: %+v", text, changed.Changes)
		}
	}
	const want = `"net.tau" is a parameter of each branch of net`
	if _, err := d.Set("net.tau=1us/KiB"); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
	if _, err := d.Find("net.tau"); err == nil || !strings.Contains(err.Error(), want) {
		t.Error(err)
	}
}
