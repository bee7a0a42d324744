package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/fit"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/reports/page"
)

// contractStaged is a pipeline with a measured stage.
const contractStaged = `
[layer.staged]
model = "pipeline"
stages = ["copy", "wire"]
packets = "4KiB"
source = "s"
[stage.copy]
beta = "0.5us"
tau = "0.2us/KiB"
source = "s"
[stage.wire]
beta = "0.5us"
tau = "0.6us/KiB"
sizes = ["64B", "1KiB", "4KiB", "16KiB"]
times = ["0.7us", "1.1us", "2.9us", "10us"]
source = "s"
`

// The page answers with the digits of the library: messages of layers, and collectives on layers.
func TestContractPage(t *testing.T) {
	dir, x := t.TempDir(), page.New()
	refs := []string{"clip", "hp-lam", "mpc/mpi"}
	for name, text := range map[string]string{
		"machine": contractMachine, "staged": contractStaged,
		"chosen": "library = \"openmpi\"\n" + contractMachine,
	} {
		path := filepath.Join(dir, name+".toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		request, _ := json.Marshal(page.NewPlatform{Name: name, TOML: text})
		if answer := x.Ask("add", request); bytes.HasPrefix(answer, []byte(`{"error"`)) {
			t.Fatalf("%s: %s", name, answer)
		}
		layer := "/network"
		if name == "staged" {
			layer = "/staged"
		}
		refs = append(refs, path+layer)
	}
	ask := func(question string, request any) []map[string]any {
		text, _ := json.Marshal(request)
		var table struct{ Rows []map[string]any }
		answer := x.Ask(question, text)
		if err := json.Unmarshal(answer, &table); err != nil || len(table.Rows) == 0 {
			t.Fatalf("%s of %s: %s", question, text, answer)
		}
		return table.Rows
	}
	same := func(ref string, e halfpeak.Estimate, v any) {
		if n, ok := v.(float64); !ok || math.Abs(n/e.Value-1) > 1e-11 {
			t.Errorf("%s: the page says %v, the library %v", ref, v, e.Value)
		}
	}
	for _, ref := range refs {
		d, err := halfpeak.Open(ref)
		if err != nil {
			t.Fatal(err)
		}
		inPage := object{"ref": strings.TrimPrefix(ref, dir+string(filepath.Separator))}
		e, err := d.Ask(t.Context(), halfpeak.Message{Size: 5000})
		if err != nil {
			t.Fatal(err)
		}
		same(ref, e, ask("predict", object{"designs": []object{inPage}, "sizes": "5000B"})[0]["one_way_us"])
		call := halfpeak.Collective{Name: "allreduce", Algorithm: "ring", Ranks: 12, Size: 3000}
		if e, err = d.Ask(t.Context(), call); err != nil {
			t.Fatal(err)
		}
		inPage["collective"], inPage["ranks"], inPage["sizes"] = "allreduce", "12", "3000B"
		for _, row := range ask("places", inPage) {
			if row["algorithm"] == "ring" {
				same(ref+" ring", e, row["time_us"])
			}
		}
	}
}

// A file that was fitted is the same design by the library, and by fit --save and predict.
func TestContractFit(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "saved.toml")
	for _, file := range []string{
		filepath.Join("..", "..", "internal", "demo", "files", "latency.txt"),
		sharedtest.Path(t, "data/formats/osu/omb571_latency_gcp_impi.txt"),
	} {
		d, err := halfpeak.Fit([]string{file}, fit.Options{})
		if err != nil {
			t.Fatal(err)
		}
		runOutput(t, "fit", file, "--save", saved)
		for _, size := range []quantity.Bytes{1, 5000, 1 << 24} {
			e, err := d.Ask(t.Context(), halfpeak.Message{Size: size})
			if err != nil {
				t.Fatal(err)
			}
			contract{t, saved, halfpeak.Message{Size: size}}.row("one_way_us", "one_way_low_us",
				"one_way_high_us", "predict", saved, "--size", fmt.Sprintf("%.0fB", float64(size)))
			of, err := halfpeak.Open(saved)
			if err != nil {
				t.Fatal(err)
			}
			if opened, err := of.Ask(t.Context(), halfpeak.Message{Size: size}); err != nil ||
				fmt.Sprint(opened.Interval) != fmt.Sprint(e.Interval) { // NaN too
				t.Errorf("%s, %v: %v, and from the saved file %v, %v", file, size, e, opened, err)
			}
		}
	}
}
