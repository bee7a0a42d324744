package platforms

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A layer of another file is that layer, with its parts, its formulas' values and its measurements.
func TestLayerFromAnotherFile(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("fit.toml", fittedFile)
	for _, name := range names() {
		text, err := embedded.ReadFile(name + ".toml")
		if err != nil {
			t.Fatal(err)
		}
		write(name+".toml", string(text))
	}
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			mine := write("mine.toml",
				fmt.Sprintf("layer.taken.from = \"%s.toml/%s\"\n", p.Name, l.Name))
			_, taken, err := find(mine)
			if err != nil {
				t.Errorf("%s: %v", l.Ref(), err)
				continue
			}
			if len(taken.Roofs) != len(l.Roofs) || taken.Protocol != l.Protocol ||
				taken.Timed != l.Timed {
				t.Errorf("%s: %+v, want %+v", l.Ref(), taken, l)
			}
			for n := quantity.Bytes(1); n <= 1<<20; n *= 3 {
				if got, want := taken.Model.OneWay(n), l.Model.OneWay(n); got != want {
					t.Errorf("%s: %s take %v, want %v", l.Ref(), n, got, want)
					break
				}
			}
		}
	}

	// Written, the file needs no other.
	p, _, err := find(write("machine.toml",
		"level.all = { arity = \"4\", layer = \"node\", source = \"s\" }\nlayer.node = { from "+
			"= \"fit.toml\" }\n"+oneLayer))
	if err != nil {
		t.Fatal(err)
	}
	again := encoded(t, p)
	if l := again.Layers[0]; l.Name != "node" || l.Measured == nil || l.Correlation != -0.4 {
		t.Errorf("%+v", l)
	}

	fails := func(text, want string) {
		t.Helper()
		_, _, err := find(write("my.toml", text))
		if err == nil ||
			strings.ReplaceAll(err.Error(), dir+string(filepath.Separator), "") != want {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
	write("circle.toml", "layer.a.from = \"my.toml\"\n")
	write("bad.toml", "layer.a.model = \"linaer\"\n")
	const what = `must be a platform file, as in "intra.toml", or a layer of one, as in ` +
		`"intra.toml/fit-2" (got `
	fails(`layer.a.from = "none.toml"`, "my.toml:1:9: layer.a.from: none.toml: no such file")
	fails(`layer.a.from = "clip"`, "my.toml:1:9: layer.a.from: "+what+`"clip")`)
	fails(`layer.a.from = ""`, "my.toml:1:9: layer.a.from: "+what+`"")`)
	fails(`layer.a.from = "clip.toml/poi"`,
		`my.toml:1:9: layer.a.from: platform clip has no layer "poi"; did you mean "pio"?`)
	fails(`layer.a.from = "my.toml"`,
		"my.toml:1:9: layer.a.from: files take layers from each other in a circle: my.toml → "+
			"my.toml")
	fails(`layer.a.from = "circle.toml"`,
		"my.toml:1:9: layer.a.from: circle.toml:1:9: layer.a.from: files take layers from each "+
			"other in a circle: my.toml → circle.toml → my.toml")
	fails(`layer.a.from = "bad.toml"`,
		`my.toml:1:9: layer.a.from: bad.toml:1:9: layer.a.model: no model "linaer"; did you `+
			`mean "linear"?`)
	fails(`layer.a = { from = "fit.toml", title = "x" }`,
		"my.toml:1:13: layer.a.from: takes the whole layer from the other file; omit title")
	fails(`layer.a.from = "fit.toml"`+"\nmeasured.a-fit.source = \"s\"",
		"my.toml:1:9: layer.a.from: brings a table [measured.a-fit], which this file has too; "+
			"rename that one")
	if err := os.Mkdir(filepath.Join(dir, "folder.toml"), 0o700); err != nil {
		t.Fatal(err)
	}
	fails(`layer.a.from = "folder.toml"`,
		"my.toml:1:9: layer.a.from: folder.toml: not a regular file")
	_, err = Parse("my.toml", []byte(`layer.a.from = "fit.toml"`))
	if want := "my.toml:1:9: layer.a.from: other files cannot be read here; write the layer " +
		"itself into this file"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
