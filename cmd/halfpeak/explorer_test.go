package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/halfpeak/halfpeak/internal/wasm"
	"github.com/halfpeak/halfpeak/platforms"
	"github.com/halfpeak/halfpeak/reports/page"
)

// A node runs the program of the page, cmd/explorer, under Node.js.
type node struct{ dir string }

// startNode builds the program, and skips the test where that cannot be.
func startNode(t *testing.T) (node, page.Program) {
	t.Helper()
	if testing.Short() {
		t.Skip("short: the WebAssembly is not built")
	}
	p, err := explorerProgram()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("no Node.js on this machine")
	}
	dir := t.TempDir()
	for name, text := range map[string][]byte{"explorer.wasm.gz": p.WASM, "wasm_exec.js": p.Exec, "ask.mjs": []byte(`import fs from "fs";
import zlib from "zlib";
import "./wasm_exec.js";
const go = new Go(), ready = new Promise(resolve => { globalThis.halfpeakReady = resolve; });
const { instance } = await WebAssembly.instantiate(zlib.gunzipSync(fs.readFileSync("explorer.wasm.gz")), go.importObject);
go.run(instance);
await ready;
const answers = JSON.parse(fs.readFileSync(0)).map(q => halfpeakAsk(q.question, q.request));
fs.writeFileSync(1, JSON.stringify(answers));
process.exit(0);
`)} {
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return node{dir}, p
}

// explorerProgram is built once: linking and packing it takes three seconds.
var explorerProgram = sync.OnceValues(func() (page.Program, error) {
	return wasm.Build(context.Background(), "../..")
})

type asked struct {
	Question string `json:"question"`
	Request  string `json:"request"`
}

// An object is a JSON object, written as the page's scripts do: without this program's types.
type object map[string]any

func ask(question string, request any) asked {
	text, err := json.Marshal(request)
	if err != nil {
		panic(err) // a request of this test
	}
	return asked{question, string(text)}
}

// ask puts all questions to one program.
func (n node) ask(t *testing.T, all []asked) []string {
	t.Helper()
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("node", "ask.mjs")
	cmd.Dir, cmd.Stdin = n.dir, bytes.NewReader(text)
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node: %v\n%s", err, said.Bytes())
	}
	var answers []string
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(all) {
		t.Fatalf("%d answers of %d: %v", len(answers), len(all), err)
	}
	return answers
}

// The numbers of the page are those of the command line, bit by bit: the rows of 1,000 predictions,
// half of them of changed designs, which the command line reads from files that it wrote itself.
func TestPredictionsAreThoseOfTheCommand(t *testing.T) {
	n, _ := startNode(t)
	dir := t.TempDir()
	x := page.New()
	var layers []string
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			if l.Messages() == nil {
				layers = append(layers, l.Ref())
			}
		}
	}
	r := rand.New(rand.NewPCG(16, 1))
	const designs, each = 40, 25
	var questions []asked
	var want [][]byte
	for i := range designs {
		layer := layers[r.IntN(len(layers))]
		d := object{"ref": layer}
		var sizes []string
		for range each {
			sizes = append(sizes, fmt.Sprintf("%dB", 1+int(math.Exp2(20*r.Float64()))))
		}
		ref, size := layer, strings.Join(sizes, ",")
		if i%2 == 1 {
			set := changes(t, x, layer, r)
			d["set"] = set
			ref = filepath.Join(dir, fmt.Sprintf("changed-%d.toml", i))
			args := []string{"whatif", layer, "--save", ref, "--size", "1B"}
			for _, s := range set {
				args = append(args, "--set", s)
			}
			runOutput(t, args...)
		}
		questions = append(questions, ask("predict", object{"designs": []object{d}, "sizes": size}))
		out := runOutput(t, "predict", ref, "--size", size, "--format", "json")
		// The file has its own name, and the page that of the platform.
		if name, layer, _ := strings.Cut(layer, "/"); i%2 == 1 {
			out = bytes.ReplaceAll(out, fmt.Appendf(nil, `"platform":"changed-%d","layer":"%s"`, i, layer), fmt.Appendf(nil, `"platform":"%s","layer":"%s"`, name, layer))
		}
		want = append(want, out)
	}
	rows := 0
	for i, answer := range n.ask(t, questions) {
		var table struct{ Rows json.RawMessage }
		if err := json.Unmarshal([]byte(answer), &table); err != nil {
			t.Fatalf("%s: %v", answer, err)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, want[i]); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(table.Rows, compact.Bytes()) {
			t.Errorf("%s:\npage    %.600s\ncommand %.600s", questions[i].Request, answer, compact.Bytes())
		}
		rows += bytes.Count(compact.Bytes(), []byte(`"size_bytes"`))
	}
	if rows < 950 { // of 1,000 sizes a few are the same
		t.Errorf("only %d predictions were compared", rows)
	}
}

// changes are changes of one or two parameters of a layer, which it takes.
func changes(t *testing.T, x *page.Explorer, ref string, r *rand.Rand) []string {
	t.Helper()
	request, _ := json.Marshal(object{"ref": ref})
	var p struct {
		Parameters []struct {
			Path, Unit      string
			Value           *float64
			Whole, Constant bool
		}
	}
	if err := json.Unmarshal(x.Ask("platform", request), &p); err != nil {
		t.Fatal(err)
	}
	for {
		var set []string
		for _, q := range p.Parameters {
			if v := q.Value; v != nil && *v > 0 && !q.Whole && !q.Constant && r.IntN(len(p.Parameters)) < 2 {
				set = append(set, fmt.Sprintf("%s=%v%s", q.Path, *v*math.Exp2(2*r.Float64()-1), q.Unit))
			}
		}
		request, _ := json.Marshal(object{"designs": []object{{"ref": ref, "set": set}}, "sizes": "1B"})
		if len(set) > 0 && !bytes.HasPrefix(x.Ask("predict", request), []byte(`{"error"`)) {
			return set
		}
	}
}

// The program under Node.js answers as the package does, to every question.
func TestAnswersAreThoseOfThePackage(t *testing.T) {
	n, _ := startNode(t)
	const ref, set = "clip", "stage.host-dma.tau=3.8us/KiB"
	clip := object{"ref": ref, "set": []string{set}}
	changed := func(rest object) object {
		maps.Copy(rest, clip)
		return rest
	}
	file := object{"name": "times.csv", "data": []byte("size_bytes,time_us\n1,5\n64,5.5\n1024,7\n4096,13\n16384,40\n65536,150\n")}
	all := []asked{
		ask("platforms", nil), ask("platform", clip), ask("shares", changed(object{"sizes": "1KiB,64KiB"})),
		ask("curves", object{"designs": []object{clip, {"ref": ref}}, "quantity": "throughput", "sizes": "1..1MiB/4"}),
		ask("pipeline", changed(object{"size": "16KiB", "packet": "2048"})),
		ask("places", changed(object{"collective": "allreduce", "ranks": "8", "sizes": "64KiB"})),
		ask("schedule", changed(object{"collective": "bcast", "algorithm": "binomial", "ranks": 8, "size": "64KiB"})),
		ask("fit", file), ask("platform", object{"ref": "times.toml"}), ask("toml", clip),
	}
	x := page.New()
	for i, answer := range n.ask(t, all) {
		if want := string(x.Ask(all[i].Question, []byte(all[i].Request))); answer != want || strings.HasPrefix(answer, `{"error"`) {
			t.Errorf("%s %s:\npage    %.500s\npackage %.500s", all[i].Question, all[i].Request, answer, want)
		}
	}
}

// The page stays small enough for mail.
func TestPageIsSmall(t *testing.T) {
	_, p := startNode(t)
	var b bytes.Buffer
	if err := page.Write(&b, p, page.Start{}); err != nil {
		t.Fatal(err)
	}
	const most = 4_000_000
	if b.Len() > most {
		t.Errorf("the page has %d bytes; at most %d", b.Len(), most)
	}
	t.Logf("the page has %d bytes, the program %d, packed", b.Len(), len(p.WASM))
}
