package platforms

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/pelletier/go-toml/v2"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// A platform of one layer, in five lines; and a stage.
const (
	oneLayer = "[layer.x]\nmodel = \"linear\"\nbeta = \"2us\"\ntau = \"1us/KB\"\nsource = \"s\"\n"
	oneStage = "[stage.a]\nbeta = \"1us\"\ntau = \"1us/KB\"\nsource = \"s\"\n"
)

// linear is a platform with the layer x, of the keys given besides model.
func linear(keys ...string) string {
	return "[layer.x]\nmodel = \"linear\"\n" + strings.Join(keys, "\n") + "\n"
}

// also is a platform with the layer x and another one.
func also(name string, keys ...string) string {
	return oneLayer + "[layer." + name + "]\nsource = \"s\"\n" + strings.Join(keys, "\n") + "\n"
}

// pipe is a platform with the stage a and a pipeline.
func pipe(keys ...string) string {
	return oneStage + "[layer.p]\nmodel = \"pipeline\"\nsource = \"s\"\n" +
		strings.Join(keys, "\n") + "\n"
}

func TestParseErrors(t *testing.T) {
	check := func(text, want string) {
		t.Helper()
		_, err := Parse("my.toml", []byte(text))
		if err == nil || err.Error() != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
	const beta, tau, source = `beta = "2us"`, `tau = "1us/KB"`, `source = "s"`

	// No platform at all.
	check("", "my.toml: the file is empty; a platform has at least a [layer.NAME] with a model")
	check(" \n\t\n",
		"my.toml: the file is empty; a platform has at least a [layer.NAME] with a model")
	check("\x7fELF\x00", "my.toml: this is a binary file; a platform is a TOML text")
	check("title = \"\xff\"", "my.toml: this is a binary file; a platform is a TOML text")
	check("title = \"x\"\n", "my.toml: no [layer.NAME]; a platform has at least one")
	// TOML itself.
	check("[layer.x\n", "my.toml:1:9: expected ']' to close table name")
	check(linear(beta, beta), "my.toml:4:1: layer.x.beta: is given twice; leave one out")
	check("[[layer.x]]\n",
		"my.toml:1:9: layer.x: a table in double brackets is a list; "+
			"write it in single ones, as in [layer.eager]")
	// What TOML allows once.
	const twice = ": is given twice; leave one out"
	check(oneLayer+"[layer.x]\n", "my.toml:6:8: layer.x"+twice)
	check("title = \"a\"\ntitle = \"b\"\n", "my.toml:2:1: title"+twice)
	check("layer.x = { beta = \"1us\", beta = \"2us\" }\n", "my.toml:1:27: layer.x.beta"+twice)
	check("layer.x = { beta = \"1us\" }\n[layer.x.sources]\n", "my.toml:2:8: layer.x"+twice)
	check("layer.x.beta = \"1us\"\n[layer.x]\n", "my.toml:2:8: layer.x"+twice)
	check("[layer.x]\nsources.beta = \"t\"\n[layer.x.sources]\n",
		"my.toml:3:10: layer.x.sources"+twice)
	check("[layer.x]\nbranches = []\n[[layer.x.branches]]\n",
		"my.toml:3:11: layer.x.branches"+twice)
	// Values of another form.
	check("layer = \"x\"\n", "my.toml:1:1: layer: must be a table; write [layer.NAME]")
	check("[title]\n",
		"my.toml:1:2: title: is not a table; write it as a key with a text")
	check("[layer.x]\nbeta.a = \"x\"\n",
		"my.toml:2:1: layer.x.beta: is not a table; write it as a key with a text")
	check("[layer.x]\nbeta = { a = \"x\" }\n",
		"my.toml:2:1: layer.x.beta: must be a text; write it in quotes")
	check("[layer.x]\nsources = \"x\"\n",
		`my.toml:2:1: layer.x.sources: must be a table, as in { G = "Table 4.2" }`)
	const branches = `must be a list, ` +
		`as in [{ layer = "pio", up_to = "256B" }, { layer = "dma" }]`
	check("[layer.x.branches]\n", "my.toml:1:10: layer.x.branches: "+branches)
	check("[layer.x]\nbranches = [\"a\"]\n", "my.toml:2:1: layer.x.branches: "+branches)
	check("layer.x.branches.0.layer = \"a\"\n", "my.toml:1:9: layer.x.branches: "+branches)
	check("\"\" = 1\n", "my.toml: unknown key; choose from "+
		strings.Join(topKind.names(), ", "))
	check("library = \"openmpy\"\n",
		`my.toml:1:1: library: no library "openmpy"; did you mean "openmpi"?`)
	// Keys.
	check("titel = \"x\"\n", `my.toml:1:1: titel: unknown key; did you mean "title"?`)
	check("[layers.x]\nmodel = \"linear\"\n",
		`my.toml:1:2: layers: unknown key; did you mean "layer"?`)
	check(linear(`tua = "3us"`), `my.toml:3:1: layer.x.tua: unknown key; did you mean "tau"?`)
	check(oneLayer+"[stage.a]\nhots = \"sender\"\n",
		`my.toml:7:1: stage.a.hots: unknown key; did you mean "host"?`)
	check(oneLayer+"[roof.a]\nrte = \"1us\"\n",
		`my.toml:7:1: roof.a.rte: unknown key; did you mean "rate"?`)
	check(oneLayer+"[constant.a]\nvalu = \"1us\"\n",
		`my.toml:7:1: constant.a.valu: unknown key; did you mean "value"?`)
	check(linear(beta, tau, `G = "1us/KB"`, source),
		"my.toml:5:1: layer.x.G: not a key of the model linear; it takes beta, tau")
	check("[layer.X]\nmodel = \"linear\"\n",
		`my.toml:1:8: layer.X: invalid name "X"; use small letters, digits, - and _`)
	check(oneLayer+"[stage.A]\n"+beta+"\n",
		`my.toml:6:8: stage.A: invalid name "A"; use small letters, digits, - and _`)
	check(oneLayer+"[constant.a-b]\nvalue = \"1us\"\nsource = \"s\"\n",
		`my.toml:6:11: constant.a-b: formulas cannot name "a-b"; use letters, digits and _`)
	// Models.
	check("[layer.x]\nmodel = \"linar\"\n",
		`my.toml:2:1: layer.x.model: no model "linar"; did you mean "linear"?`)
	var kinds []string
	for _, k := range model.Kinds {
		kinds = append(kinds, k.Name)
	}
	slices.Sort(kinds)
	check("[layer.x]\nsource = \"s\"\n",
		`my.toml:1:8: layer.x: no model; write model = "linear" or another of `+
			strings.Join(kinds, ", "))
	check("default = \"y\"\n"+oneLayer, `my.toml:1:1: default: no layer "y"; did you mean "x"?`)
	// Numbers.
	check(linear(`beta = 3`),
		`my.toml:3:1: layer.x.beta: write the number as text, with its unit if it has one, `+
			`as in "5.9us/KB" or "8"`)
	check(linear(`beta = 3.5`),
		`my.toml:3:1: layer.x.beta: write the number as text, with its unit if it has one, `+
			`as in "5.9us/KB" or "8"`)
	check(linear(`beta = "2"`, tau, source),
		`my.toml:3:1: layer.x.beta: "2": no unit; a time takes ns, µs (us), ms or s`)
	check(linear(beta, `tau = "1us"`, source),
		`my.toml:4:1: layer.x.tau: "1us": must be an inverse bandwidth with µs/KiB (us/KB), `+
			`µs/B, ns/B or µs/MiB (got a time)`)
	check(linear(`beta = "-2us"`, tau, source),
		`my.toml:3:1: layer.x.beta: "-2us": a time cannot be negative`)
	check(linear(`beta = "1us/0"`, tau, source),
		`my.toml:3:1: layer.x.beta: "1us/0": a time must be finite`)
	check(linear(beta, source), "my.toml:1:8: layer.x: no tau; it is needed, as text with a unit")
	check("clock = \"3us\"\n"+oneLayer,
		`my.toml:1:1: clock: "3us": a clock rate is above zero, in kHz, MHz or GHz`)
	check("clock = \"0MHz\"\n"+oneLayer,
		`my.toml:1:1: clock: "0MHz": a clock rate is above zero, in kHz, MHz or GHz`)
	check(oneLayer+"[roof.pci]\nrate = \"0MB/s\"\nsource = \"s\"\n",
		`my.toml:7:1: roof.pci.rate: "0MB/s": a roof is above zero`)
	check(oneLayer+"[roof.pci]\nrate = \"33MHz\"\nsource = \"s\"\n",
		`my.toml:7:1: roof.pci.rate: "33MHz": must be a rate with MB/s, GB/s, MiB/s, Mbit/s `+
			`(Mbps) or Gbit/s (got a clock rate)`)
	check(oneLayer+"[constant.a]\nsource = \"s\"\n",
		"my.toml:6:11: constant.a: no value; it is needed, as text with a unit")
	// Sources.
	check(linear(beta, tau, source, `sources = { gamma = "t" }`),
		`my.toml:6:13: layer.x.sources.gamma: no parameter "gamma" in this layer`)
	// Names of other tables.
	check(oneLayer+"roofs = [\"pci\"]\n[roof.pcie]\nrate = \"1GB/s\"\nsource = \"s\"\n",
		`my.toml:6:1: layer.x.roofs.0: no roof "pci"; did you mean "pcie"?`)
	check(oneLayer+"[stage.a]\n"+beta+"\n"+tau+"\nhost = \"sendr\"\nsource = \"s\"\n",
		`my.toml:9:1: stage.a.host: "sendr"; did you mean "sender"?`)
	// Pipelines.
	check(pipe(),
		`my.toml:5:8: layer.p: no stages; write stages = ["NAME", …], each with a table `+
			`[stage.NAME]`)
	check(pipe(`stages = ["b"]`), `my.toml:8:1: layer.p.stages.0: no stage "b"; did you mean "a"?`)
	check(pipe(`stages = ["a"]`, `packets = "eq10"`),
		`my.toml:9:1: layer.p.packets: eq10 needs three stages, but this pipeline has 1; use `+
			`"best"`)
	check(pipe(`stages = ["a"]`, `packets = "large"`),
		`my.toml:9:1: layer.p.packets: "large": packets are a size, as in "4096B", or "best", `+
			`"eq10" or "whole"`)
	check(pipe(`stages = ["a"]`, `packets = "0B"`),
		`my.toml:9:1: layer.p.packets: "0B": must be at least 1 byte`)
	check(pipe(`stages = ["a"]`, `packets = "1.5B"`),
		`my.toml:9:1: layer.p.packets: "1.5B": 1.5 B is not a whole number of bytes`)
	// Switches and envelopes.
	const two = `a switch must have at least two branches, as in branches = [{ layer = "pio", ` +
		`up_to = "256B" }, { layer = "dma" }]`
	sw := func(branches string) string {
		return also("s", `model = "switch"`, "branches = ["+branches+"]")
	}
	check(also("s", `model = "switch"`), "my.toml:6:8: layer.s: "+two)
	check(sw(`{ layer = "x" }`), "my.toml:6:8: layer.s: "+two)
	check(sw(`{ layer = "x", up_to = "2KB" }, { layer = "x", up_to = "1KB" }, { layer = "x" }`),
		`my.toml:9:60: layer.s.branches.1.up_to: "1KB" overlaps the previous branch, which `+
			`serves up to 2 KiB; thresholds must rise`)
	check(sw(`{ layer = "x", up_to = "2KB" }, { layer = "x", up_to = "4KB" }`),
		"my.toml:9:60: layer.s.branches.1.up_to: the last branch takes all larger sizes; leave "+
			"its up_to out")
	check(sw(`{ layer = "x" }, { layer = "x" }`),
		"my.toml:9:1: layer.s.branches.0: no up_to; only the last branch may omit it")
	check(sw(`{ layer = "y", up_to = "1KB" }, { layer = "x" }`),
		`my.toml:9:15: layer.s.branches.0.layer: no layer "y"; did you mean "x"?`)
	check(sw(`{ up_to = "1KB" }, { layer = "x" }`),
		`my.toml:9:1: layer.s.branches.0: no layer; a branch is { layer = "NAME", up_to = "256B" }`)
	check(sw(`{ layer = "x", upto = "1KB" }, { layer = "x" }`),
		`my.toml:9:28: layer.s.branches.0.upto: unknown key; did you mean "up_to"?`)
	check(sw(`{ layer = "s", up_to = "1KB" }, { layer = "x" }`),
		"my.toml:6:8: layer.s: is made of itself: s → s")
	check(also("e", `model = "envelope"`,
		`branches = [{ layer = "x", up_to = "1KB" }, { layer = "x" }]`),
		"my.toml:9:28: layer.e.branches.0.up_to: an envelope finds its thresholds itself; "+
			"leave up_to out, or make it a switch")
	check(also("e", `model = "envelope"`, `branches = [{ layer = "x" }]`),
		`my.toml:6:8: layer.e: an envelope must have at least two branches, as in branches = `+
			`[{ layer = "pio" }, { layer = "dma" }]`)
	// Segments and series.
	seg := func(keys ...string) string {
		return also("g", append([]string{`model = "fragmented"`}, keys...)...)
	}
	check(seg(`mtu = "4KB"`), "my.toml:6:8: layer.g.below: the name of a layer is missing")
	check(seg(`below = "x"`), "my.toml:6:8: layer.g: no mtu; it is needed, as text with a unit")
	check(seg(`below = "x"`, `mtu = "0B"`),
		`my.toml:10:1: layer.g.mtu: "0B": must be at least 1 byte`)
	for window, bound := range map[string]string{"0": "least 1", "2.5": "least 1",
		"1e12": "most 1073741824"} {
		check(seg(`below = "x"`, `mtu = "4KB"`, `window = "`+window+`"`),
			`my.toml:11:1: layer.g.window: "`+window+`": must be a whole number, at `+bound)
	}
	check(also("r", `model = "series"`, `below = "r"`, `added = "x"`),
		"my.toml:6:8: layer.r: is made of itself: r → r")
	check(also("r", `model = "series"`, `below = "q"`,
		`added = "x"`)+"[layer.q]\nmodel = \"series\"\nsource = \"s\"\nbelow = \"r\"\nadded = "+
		"\"x\"\n",
		"my.toml:6:8: layer.r: is made of itself: r → q → r")

	// What a formula lacks, whatever package quantity says of it.
	contains := func(text string, want ...string) {
		t.Helper()
		_, err := Parse("my.toml", []byte(text))
		for _, w := range want {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s\n got %v\nwant …%s…", text, err, w)
			}
		}
	}
	contains(linear(`beta = "2 us +"`, tau, source), "my.toml:3:1: layer.x.beta: ", `"2 us +"`)
	contains(linear(`beta = "2 parsec"`, tau, source), "my.toml:3:1: layer.x.beta: ",
		`unknown unit "parsec"`)
	contains(linear(`beta = "beta"`, tau, source), "my.toml:3:1: layer.x.beta: ",
		"beta is computed from itself: beta → beta")
	contains(linear(`beta = "tau*1KB"`, `tau = "beta/1KB"`, source), "my.toml:4:1: layer.x.tau: ",
		"beta is computed from itself: beta → tau → beta")
	contains(oneLayer+"[constant.a]\nvalue = \"b\"\nsource = \"s\"\n[constant.b]\nvalue = "+
		"\"2*a\"\nsource = \"s\"\n", "my.toml:10:1: constant.b.value: ",
		"a is computed from itself: a → b → a")
	contains(linear(`beta = "alfa"`, tau,
		source)+"[constant.alpha]\nvalue = \"3us\"\nsource = \"s\"\n",
		`no constant or parameter "alfa" here; did you mean "alpha"?`)
	contains(oneLayer+"[stage.a]\nbeta = 'stage(\"b\", \"beta\")'\ntau = \"1us/KB\"\nsource = "+
		"\"s\"\n"+strings.Replace(oneStage, ".a", ".b", 1), "my.toml:7:1: stage.a.beta: ",
		"no parameter stage.b.beta")
}

func TestFind(t *testing.T) {
	check := func(ref, want string) {
		t.Helper()
		p, l, err := find(ref)
		if err != nil || p.Name+"/"+l.Name != want {
			t.Errorf("find(%q) = %s/%s, %v; want %s", ref, p.Name, l.Name, err, want)
		}
	}
	check("clip", "clip/system-buffer")
	check("clip/pio", "clip/pio")
	check("bip", "bip/bip")
	dir := t.TempDir()
	mine := filepath.Join(dir, "mine.toml")
	write := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(mine, oneLayer+strings.Replace(oneLayer, ".x", ".y", 1))
	check(mine, "mine/x")
	check(mine+"/y", "mine/y")
	t.Chdir(dir)
	check("mine.toml", "mine/x")
	check("mine.toml/y", "mine/y")
	check("./mine.toml/y", "mine/y")
	write("clip", "not what the name means") // a name is a platform's, even if there is such a file
	check("clip", "clip/system-buffer")

	fails := func(ref, want string) {
		t.Helper()
		_, _, err := find(ref)
		if err == nil || err.Error() != want {
			t.Errorf("find(%q)\n got %v\nwant %s", ref, err, want)
		}
	}
	fails("", `no platform: the name is empty; "halfpeak platforms" lists the platforms`)
	fails("clop", `no platform "clop"; did you mean "clip"?`)
	fails("clop/pio", `no platform "clop"; did you mean "clip"?`)
	fails("clip/poi", `platform clip has no layer "poi"; did you mean "pio"?`)
	fails("mine.toml/z", `platform mine has no layer "z"; did you mean "x"?`)
	fails("nosuch.toml",
		`nosuch.toml: no such file; halfpeak fit saves one, and "halfpeak platforms" lists those `+
			"that are built in")
	fails(dir, dir+": is a directory; give the path of a TOML file")
	write("empty.toml", "")
	fails("empty.toml",
		"empty.toml: the file is empty; a platform has at least a [layer.NAME] with a model")
	write("binary.toml", "\x7fELF\x02\x01\x01\x00")
	fails("binary.toml", "binary.toml: this is a binary file; a platform is a TOML text")
	write("large.toml", strings.Repeat("# padding\n", maxFile/10+1))
	fails("large.toml", "large.toml: larger than 4 MiB; this is not a platform file")
}

// checkInvariants holds a platform against what is true of each: every parameter
// has a value and a source, every layer finds its parts.
func checkInvariants(t *testing.T, p Platform) {
	t.Helper()
	if len(p.Layers) == 0 {
		t.Errorf("%s has no layer", p.Name)
	}
	if _, err := p.Layer(p.Default); err != nil {
		t.Errorf("%s: default: %v", p.Name, err)
	}
	for _, l := range p.Layers {
		for _, part := range l.Parts {
			if _, err := p.Layer(part); err != nil {
				t.Errorf("%s: %v", l.Ref(), err)
			}
		}
		if !slices.IsSortedFunc(l.Roofs,
			func(a, b Roof) int { return int(math.Copysign(1, float64(a.Rate-b.Rate))) }) {
			t.Errorf("%s: the lowest roof is not the first: %v", l.Ref(), l.Roofs)
		}
	}
	for _, r := range p.Roofs {
		if !(r.Rate > 0) || strings.TrimSpace(r.Source) == "" {
			t.Errorf("%s: roof %+v", p.Name, r)
		}
	}
	for _, c := range p.Params {
		if math.IsNaN(c.Value.Num) || strings.TrimSpace(c.Text) == "" ||
			strings.TrimSpace(c.Source) == "" {
			t.Errorf("%s: %+v", p.Name, c)
		}
	}
}

// One suite over every layer that comes with halfpeak.
func TestEmbedded(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		checkInvariants(t, p)
		if p.Title == "" || p.Paper == "" {
			t.Errorf("%s: title %q, paper %q; a platform of this folder needs both", p.Name,
				p.Title, p.Paper)
		}
		for _, of := range p.Params {
			if of.Source == byUser {
				t.Errorf("%s: %s has no source, where a paper has it", p.Name, of.Path)
			}
		}
		for _, l := range p.Layers {
			if l.Title == "" {
				t.Errorf("%s: no title; each layer of a platform of this folder needs one",
					l.Ref())
			}
			checkCosts(t, l)
		}
	}
}

// checkCosts asks the model of a layer for everything, at sizes from 1 byte to 1 GiB.
func checkCosts(t *testing.T, l Layer) {
	t.Helper()
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	var before quantity.Micros
	for n := quantity.Bytes(1); n <= 1<<30; n *= 2 {
		for _, n := range []quantity.Bytes{n, n + n/2 + 1} {
			n = quantity.Bytes(math.Floor(float64(n)))
			one, gap := l.Model.OneWay(n), l.Model.Gap(n)
			send, receive := l.Model.Overheads(n)
			if !(one > 0) || !finite(float64(one)) || !(gap >= 0) || !finite(float64(gap)) ||
				!(send >= 0) || !(receive >= 0) || !finite(float64(send+receive)) {
				t.Errorf("%s at %s: one way %v, gap %v, overheads %v and %v", l.Ref(), n, one, gap,
					send, receive)
			}
			if packet := model.PacketSize(l.Model, n); !(packet >= 1 && packet <= n) {
				t.Errorf("%s at %s: packets of %s", l.Ref(), n, packet)
			}
			// A larger message takes no less, where nothing switches or cuts to fit.
			if one < before && slices.Contains([]string{"linear", "logp", "loggp"}, l.Kind) {
				t.Errorf("%s: %s take %v, fewer %v", l.Ref(), n, one, before)
			}
			before = one
		}
	}
	if r := model.Asymptote(l.Model); !(r > 0) {
		t.Errorf("%s: r∞ is %v", l.Ref(), r)
	} else if half, ok := model.HalfPeak(l.Model); ok != !math.IsInf(float64(r), 0) || ok &&
		!(half >= 1) {
		t.Errorf("%s: n½ is %v, %t, at r∞ of %v", l.Ref(), half, ok, r)
	}
	if len(l.Roofs) > 0 {
		// 64 KiB is the largest message that the papers measured.
		if b := model.Bandwidth(l.Model, 64<<10); b > l.Roofs[0].Rate &&
			!math.IsInf(float64(model.Asymptote(l.Model)), 0) {
			t.Errorf("%s: %v at 64 KiB is above the roof %s, %v", l.Ref(), b, l.Roofs[0].Name,
				l.Roofs[0].Rate)
		}
	}
}

// The format's own example, in its documentation, is a platform.
func TestFormatExample(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(text), "```toml\n")
	example, _, closed := strings.Cut(rest, "```\n")
	if !found || !closed {
		t.Fatal("FORMAT.md has no example")
	}
	p, err := Parse("my.toml", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	checkInvariants(t, p)
	// 2.1 µs and 64 times 0.4 µs/KiB.
	if one := p.Layers[0].Model.OneWay(64 << 10); math.Abs(float64(one)-27.7) > 1e-9 {
		t.Errorf("64 KiB take %v; want 27.7 µs", one)
	}
}

var update = flag.Bool("update", false, "write the rows that FORMAT.md lacks")

// FORMAT.md has a row for each kind of model, with its keys. The first row of a kind is written
// from the registry.
func TestFormatHasAllKinds(t *testing.T) {
	text, err := os.ReadFile("FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	table, rows, _ := strings.Cut(string(text), "| model | keys | cost of n bytes, one way |\n")
	rows, rest, _ := strings.Cut(rows, "\n\n")
	for _, k := range model.Kinds {
		_, row, found := strings.Cut("\n"+rows, "\n| `"+k.Name+"` |")
		row, _, _ = strings.Cut(row, "\n")
		if !found && *update {
			row = "`" + strings.Join(k.Keys(), "`, `") + "`"
			rows += fmt.Sprintf("\n| `%s` | %s | %s |", k.Name, row, k.Cost)
		} else if !found {
			t.Errorf("no row for the model %s; write it: go test ./platforms -update", k.Name)
			continue
		}
		for _, key := range k.Keys() {
			if !strings.Contains(row, "`"+key) {
				t.Errorf("the row of %s does not name %s", k.Name, key)
			}
		}
	}
	all := table + "| model | keys | cost of n bytes, one way |\n" + rows + "\n\n" + rest
	if *update && all != string(text) {
		if err := os.WriteFile("FORMAT.md", []byte(all), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFormulas(t *testing.T) {
	check := func(ref, formula string, n quantity.Bytes, want quantity.Value) {
		t.Helper()
		_, l, err := find(ref)
		if err != nil {
			t.Fatal(err)
		}
		got, err := l.Eval(formula, n)
		isNear := math.Abs(got.Num-want.Num) <= 1e-9*math.Abs(want.Num)
		if err != nil || got.Dim != want.Dim || !isNear {
			t.Errorf("%s: %s = %v, %v; want %v", ref, formula, got, err, want)
		}
	}
	us := func(v float64) quantity.Value { return quantity.Value{Num: v, Dim: quantity.DimTime} }
	bytes := func(v float64) quantity.Value { return quantity.Value{Num: v, Dim: quantity.DimSize} }
	mbps := func(v float64) quantity.Value { return quantity.Value{Num: v, Dim: quantity.DimRate} }
	check("hp-lam", "n", 16, bytes(16))
	check("hp-lam", "o_s + o_r", 0, us(8.7))
	check("hp-lam", "rtt(1B)/2 - L", 0, us(8.7))
	check("hp-lam", "gap(n)", 1, us(8.7))
	check("hp-lam", "send_overhead(1B) + 2*receive_overhead(1B)", 0, us(2.9+2*5.8))
	check("hp-lam", "clock", 0, quantity.Value{Num: 120, Dim: quantity.DimClock})
	check("hp-lam", "glue_write", 0, us(0.183))
	check("hp-lam", `roof("gsc")`, 0, mbps(160))
	check("clip", `stage("wire", "beta")`, 0, us(1.3))
	check("clip", `one_way("pio", n)`, 4, us(9.9))
	check("clip", `rtt("hp-lam/gam", 1B)`, 0, us(28))
	check("clip", "one_way_in(n, 4096B)", 64<<10, us(589.3))
	check("clip", "branches.0.up_to", 0, bytes(256))
	check("clip/user-buffer", "packet(n)", 64<<10, bytes(3490))
	check("clip/user-buffer", "best_packet(n)", 64<<10, bytes(1875))
	check("bip/mpi-bip-ip", "r_inf()", 0, mbps(205./8))
	check("bip/mpi-bip-ip", "n_half()", 0, bytes(2563)) // 100 µs at 25.625 MB/s are 2562.5 bytes
	// A million cycles and a thousand messages: 20 + 4.6 ms, 5.99 + 7 ms, and here 8.33 + 8.7 ms.
	check("hp-lam", `phase(24.6ms, "sun-lam-ss20", 1000ms/167 + 7ms, "sun-lam-ultra1")`, 0,
		us(1e6/120.+8700))

	fails := func(ref, formula, want string) {
		t.Helper()
		_, l, err := find(ref)
		if err != nil {
			t.Fatal(err)
		}
		if v, err := l.Eval(formula, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %s = %v, %v; want …%s…", ref, formula, v, err, want)
		}
	}
	fails("clip", "rt(3B)", `no parameter, constant or function "rt"; did you mean "rtt"?`)
	fails("clip", "n", `no parameter, constant or function "n"`)
	fails("clip", "one_way()", "one_way takes 1 sizes, not 0")
	fails("clip", "one_way(3us)", "one_way: must be a size with")
	fails("clip", "one_way(0B)", "a message has at least 1 byte")
	fails("clip", `one_way("clip", "pio")`, `one_way takes sizes, not "pio"`)
	fails("clip", `one_way("nosuch/x", 1B)`, `no platform "nosuch"`)
	fails("clip", `stage("wire", "gamma")`, "no parameter stage.wire.gamma")
	fails("clip", `roof("sbus")`, `no roof "sbus"`)
	fails("clip/pio", "best_packet(4KiB)", "the layer has no pipeline of 3 stages at 4 KiB")
	fails("clip/pio", "n_half()", "bandwidth has no peak")
	fails("paragon", "clock", `no parameter, constant or function "clock"`)
	fails("paragon", `phase(1s, "hp-lam", 1s, "sun-lam-ss20")`, "platform paragon has no clock")
	fails("hp-lam", `phase(1s, "paragon", 1s, "sun-lam-ss20")`, "platform paragon has no clock")
	fails("hp-lam", `phase(1s, "hp-lam")`, "phase takes a time and a layer, twice")
	fails("hp-lam", `phase("hp-lam", 1s, "hp-lam", 1s)`, "phase takes a time and a layer, twice")
	fails("hp-lam", `phase(1s, "hp-lam", 1s, "hp-lam/bulk")`,
		"cycles and messages are not identifiable")
	fails("hp-lam", `phase(1B, "hp-lam", 1s, "sun-lam-ss20")`, "must be a time")
}

// FuzzParse: no file makes Parse panic or hang. It is refused in one line that names
// it, or keeps what is true of every platform.
func FuzzParse(f *testing.F) {
	for _, name := range names() {
		text, err := embedded.ReadFile(name + ".toml")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, text := range []string{
		"", "[", "[layer.x]\n", "[[layer.x]]\n",
		"a.b.c = { d = [1, { e = '''x''' }] }\n",
		oneLayer,
		also("r", `model = "series"`, `below = "r"`),
		`layer.x = { model = "linear", beta = "((((1us))))", tau = "0us/B", source = "s" }` + "\n",
		linear(`beta = "tau*1KB"`, `tau = "beta/1KB"`, `source = "s"`),
		pipe(`stages = ["a", "a", "a", "a"]`, `packets = "eq10"`),
		rack,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 1<<14 {
			return // what is slow in proportion is no hang
		}
		p, err := Parse("my.toml", text)
		if err != nil {
			if s := err.Error(); !strings.HasPrefix(s, "my.toml:") || strings.Contains(s, "\n") {
				t.Errorf("%q", s)
			}
			return
		}
		// The reader's rules about what may be given twice are go-toml's.
		if err := toml.Unmarshal(text, &map[string]any{}); err != nil {
			t.Errorf("not TOML, but read: %v", err)
		}
		checkInvariants(t, p)
		again := encoded(t, p)
		if diff := cmp.Diff(p.file(false), again.file(false), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("written and read: %s", diff)
		}
	})
}

// Files of one name have as much of their paths in their names as tells them apart.
func TestTellApart(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{"old", "new", filepath.Join("deep", "old")} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, folder, "my.toml")
		if err := os.WriteFile(path, []byte(oneLayer), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	at := func(parts ...string) string { return filepath.Join(append([]string{dir}, parts...)...) }
	for _, c := range []struct{ refs, names []string }{
		{[]string{at("old", "my.toml"), at("new", "my.toml/x")}, []string{"old/my/x", "new/my/x"}},
		{[]string{at("old", "my.toml"), at("old", "my.toml")}, []string{"my/x", "my/x"}},
		{[]string{at("new", "my.toml"), at("deep", "old", "my.toml"), "clip"},
			[]string{"new/my/x", "old/my/x", "clip/system-buffer"}},
		{[]string{at("old", "my.toml"), at("deep", "old", "my.toml")},
			[]string{filepath.Base(dir) + "/old/my/x", "deep/old/my/x"}},
	} {
		var all []Design
		for _, ref := range c.refs {
			d, err := Open(ref)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, d)
		}
		TellApart(c.refs, all)
		for i, d := range all {
			if d.Name() != c.names[i] {
				t.Errorf("%s among %s is called %s, want %s", c.refs[i], c.refs, d.Name(), c.names[i])
			}
			changed, err := d.Set("layer.x.beta*=2")
			if err != nil && i < 2 {
				t.Error(err)
			}
			if err == nil && changed.Name() != d.Name() {
				t.Errorf("%s is called %s once changed", d.Name(), changed.Name())
			}
		}
	}
}
