package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/platforms"
)

// contractMachine has levels, a port, and local work of both kinds.
const contractMachine = `
[level.node]
arity = "8"
layer = "bus"
lanes = "2"
ports = "1.5"
source = "s"
[level.cluster]
arity = "4"
layer = "network"
source = "s"
[constant.copy]
value = "0.05ns/B"
source = "s"
[constant.combine]
value = "0.2ns/B"
source = "s"
[layer.bus]
model = "linear"
beta = "0.3us"
tau = "0.07us/KiB"
source = "s"
[layer.network]
model = "loggp"
o_s = "0.3us"
o_r = "0.4us"
L = "0.7us"
g = "0.5us"
G = "0.08us/KiB"
source = "s"
`

// contractCollective has a measured allreduce and no layer.
const contractCollective = `
[collective.a]
collective = "allreduce"
algorithm = "ring"
statistic = "slowest"
ranks = ["2", "4", "8", "16"]
sizes = ["8B", "1KiB", "64KiB"]
times = ["9us 14us 90us", "12us 17us 120us", "20us 25us 150us", "36us 44us 190us"]
source = "s"
`

// fileWriter returns a function that writes a file into a new folder and returns its path.
func fileWriter(t *testing.T) func(name, text string) string {
	dir := t.TempDir()
	return func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
}

// The library answers with the digits of the command, whatever the file says.
func TestContract(t *testing.T) {
	file := fileWriter(t)
	fitted := filepath.Join("..", "..", "reports", "table", "testdata", "my.toml")
	machine := file("machine.toml", contractMachine)
	measured := file("measured.toml", contractCollective)

	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	refs := []string{fitted, machine + "/bus", machine + "/network"}
	for _, p := range all {
		for _, l := range p.Layers {
			if l.Messages() == nil {
				refs = append(refs, l.Ref())
			}
		}
	}
	for _, ref := range refs {
		check := contract{t, ref, halfpeak.Message{Size: 5000}}
		check.row("one_way_us", "one_way_low_us", "one_way_high_us", "predict", ref, "--size", "5000B")
	}
	chosen := file("chosen.toml", "library = \"openmpi\"\n"+contractMachine)
	for _, c := range []halfpeak.Collective{
		{Name: "allreduce", Algorithm: "default", Ranks: 12, Size: 100_000},
		{Name: "allreduce", Algorithm: "best", Ranks: 12, Size: 100_000},
		{Name: "alltoall", Algorithm: "pairwise", Ranks: 9, Size: 4096},
		{Name: "bcast", Algorithm: "binomial", Ranks: 32, Size: 1, Place: "node"},
	} {
		for _, ref := range []string{machine, chosen, machine + "/network", fitted, "clip"} {
			if c.Place != "" && ref != machine {
				continue
			}
			args := []string{"collective", c.Name, ref, "--algorithm", c.Algorithm, "--ranks",
				strconv.Itoa(c.Ranks), "--size", fmt.Sprintf("%.0fB", float64(c.Size))}
			if c.Place != "" {
				args = append(args, "--map-by", c.Place)
			}
			asked := c
			if asked.Algorithm == "default" {
				asked.Algorithm = ""
			}
			contract{t, ref, asked}.row("time_us", "time_low_us", "time_high_us", args...)
		}
	}
	c := halfpeak.Collective{Name: "allreduce", Algorithm: "ring", Ranks: 12, Size: 3000}
	contract{t, measured, c}.row("time_us", "time_low_us", "time_high_us", "collective", "allreduce",
		measured, "--algorithm", "ring", "--ranks", "12", "--size", "3000B")

	const goal = "num_ranks 2\nrank 0 {\n a: calc 500\n b: send 4096b to 1\n b requires a\n}\n" +
		"rank 1 {\n recv 4096b from 0\n}\n"
	s, err := schedule.Read(strings.NewReader(goal), "a.goal")
	if err != nil {
		t.Fatal(err)
	}
	for _, ref := range []string{machine, "hp-lam"} {
		contract{t, ref, halfpeak.Program{Schedule: s}}.row("finish_us", "", "", "simulate",
			file("a.goal", goal), "--machine", ref, "--summary")
	}
}

// A contract asks a call of a design, through the library and by the command.
type contract struct {
	*testing.T
	ref  string
	call halfpeak.Call
}

// row compares the estimate with the only row that the command prints; keys of "" are left out.
func (c contract) row(value, low, high string, args ...string) {
	c.Helper()
	d, err := halfpeak.Open(c.ref)
	if err != nil {
		c.Fatal(err)
	}
	e, err := d.Ask(c.Context(), c.call)
	if err != nil {
		c.Errorf("%s, %+v: %v", c.ref, c.call, err)
		return
	}
	var rows []map[string]any
	if err := json.Unmarshal(runOutput(c.T, append(args, "--format", "json")...), &rows); err != nil {
		c.Fatal(err)
	}
	// Of several algorithms, the best one counts.
	at := max(0, slices.IndexFunc(rows, func(r map[string]any) bool { return r["best"] == true }))
	for key, v := range map[string]float64{value: e.Value, low: e.Low, high: e.High} {
		want, printed := rows[at][key].(float64)
		if key == "" || !printed && (v != v || math.IsInf(v, 1)) {
			continue
		}
		if got, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64); got != want {
			c.Errorf("%s, %+v: %s is %v, and the command prints %v", c.ref, c.call, key, got,
				rows[at][key])
		}
	}
}

// A machine of levels has no message without a level, and says so instead of answering with one.
func TestContractLevels(t *testing.T) {
	path := filepath.Join(t.TempDir(), "machine.toml")
	if err := os.WriteFile(path, []byte(contractMachine), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := halfpeak.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = d.Ask(t.Context(), halfpeak.Message{Size: 8})
	if err == nil || !strings.Contains(err.Error(), "node, cluster") {
		t.Errorf("%v, want the levels", err)
	}
	for level, between := range map[string]halfpeak.Message{
		"node": {From: 9, To: 15}, "cluster": {From: 7, To: 8},
	} {
		between.Size = 4096
		a, err := d.Ask(t.Context(), between)
		if err != nil {
			t.Fatal(err)
		}
		b, err := d.Ask(t.Context(), halfpeak.Message{Size: 4096, Level: level})
		if err != nil || a.Value != b.Value {
			t.Errorf("%s: %v between ranks, %v by its name, %v", level, a, b, err)
		}
	}
	// A fixed level has its row, as the layer has by its name.
	for _, args := range [][]string{
		{"predict"}, {"compare"}, {"whatif", "--set", "network.g*=0.5"}, {"plot"},
	} {
		args = append(args, "--size", "4096B", "--format", "csv")
		between := append(slices.Clone(args), path, "--from", "0", "--to", "31")
		named := append(slices.Clone(args), path+"/network")
		if a, b := runOutput(t, between...), runOutput(t, named...); string(a) != string(b) {
			t.Errorf("%q:\n%s, and of the layer\n%s", args, a, b)
		}
	}
	for _, args := range [][]string{{"packet", path}, {"whatif", "thresholds", path},
		{"plot", path, "--kind", "timeline"}} {
		var stderr strings.Builder
		if run(args, strings.NewReader(""), io.Discard, &stderr) == 0 ||
			!strings.Contains(stderr.String(), "node, cluster") {
			t.Errorf("%q: %s, want the levels", args, &stderr)
		}
	}
	// The command has a row for each level.
	var rows []struct {
		Layer  string
		OneWay float64 `json:"one_way_us"`
	}
	out := runOutput(t, "predict", path, "--size", "4096B", "--format", "json")
	if err := json.Unmarshal(out, &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%s, %v", out, err)
	}
	for i, level := range []string{"node", "cluster"} {
		e, err := d.Ask(t.Context(), halfpeak.Message{Size: 4096, Level: level})
		if err != nil || math.Abs(rows[i].OneWay/e.Value-1) > 1e-11 {
			t.Errorf("%s: %v by the library, %+v by the command, %v", level, e, rows[i], err)
		}
	}
}
