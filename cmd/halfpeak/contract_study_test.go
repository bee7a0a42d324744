package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/internal/mpitrace"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
	themessage "github.com/halfpeak/halfpeak/reports/message"
	"github.com/halfpeak/halfpeak/reports/page"
	theprogram "github.com/halfpeak/halfpeak/reports/program"
	"github.com/halfpeak/halfpeak/reports/whatif"
)

// printed returns the rows of a command in JSON.
func printed(t *testing.T, args ...string) (rows []map[string]any) {
	t.Helper()
	if err := json.Unmarshal(runOutput(t, append(args, "--format", "json")...), &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

// equal reports whether a printed number, of 12 digits, is the number v; NaN is printed as null.
func equal(got any, v float64) bool {
	n, is := got.(float64)
	return is && math.Abs(n-v) <= 1e-11*math.Abs(v) || got == nil && math.IsNaN(v)
}

// opened opens a platform.
func opened(t *testing.T, ref string) halfpeak.Design {
	return sharedtest.Must(t, halfpeak.Open, ref)
}

// A study of the library answers with the digits of whatif, compare and the page.
func TestContractStudy(t *testing.T) {
	const size = 4096
	of := func(ref string) halfpeak.Study {
		s, err := opened(t, ref).Study(t.Context(), halfpeak.Message{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	sweep, err := of("hp-lam").Sweep("layer.gam.L=1us..10us/4")
	if err != nil {
		t.Fatal(err)
	}
	rows := printed(t, "whatif", "sweep", "hp-lam", "layer.gam.L=1us..10us/4", "--size", "4096B")
	keys := sweep.Keys()
	err = sweep.Run(t.Context(), nil, func(b *whatif.Block) error {
		for i, v := range b.Values {
			key := keys[i%len(keys)]
			if at := int(b.First) + i/len(keys); at >= len(rows) || !equal(rows[at][key], v) {
				return fmt.Errorf("row %d: %s is %v by the library; the command prints %v", at, key,
					v, rows)
			}
		}
		return nil
	})
	if err != nil || sweep.Count() != 4 || len(rows) != 4 {
		t.Errorf("sweep of %v rows, printed %d: %v", sweep.Count(), len(rows), err)
	}

	my := filepath.Join("..", "..", "reports", "table", "testdata", "my.toml")
	for ref, flags := range map[string][]string{"hp-lam": {"--assume", "10%"}, my: nil} {
		by := whatif.Sampling{Samples: 1000, Seed: 7, Context: t.Context()}
		if flags != nil {
			by.Assumed = 0.1
		}
		in, err := of(ref).Uncertainty(by)
		args := append([]string{"whatif", "uncertainty", ref, "--size", "4096B", "--samples", "1000",
			"--seed", "7", "--quantity", "one_way"}, flags...)
		row := printed(t, args...)[0]
		if err != nil || !equal(row["one_way_us"], in.Value) || !equal(row["one_way_low_us"], in.Low) ||
			!equal(row["one_way_high_us"], in.High) {
			t.Errorf("%s: %v by the library, %v; the command prints %v", ref, in, err, row)
		}
	}

	x := page.New()
	for _, ref := range []string{"clip/system-buffer", "hp-lam/gam", "mpc/mpi"} {
		parts, err := of(ref).Breakdown()
		if err != nil {
			t.Fatal(err)
		}
		request := fmt.Sprintf(`{"question": "shares", "request": {"ref": %q, "sizes": "4096B"}}`, ref)
		var file struct{ Text string }
		if err := json.Unmarshal(x.Ask("csv", []byte(request)), &file); err != nil {
			t.Fatal(err)
		}
		for _, row := range printed(t, "whatif", "breakdown", ref, "--size", "4096B") {
			for _, p := range parts {
				if p.Name == row["owner"] && !equal(row["one_way_us"], float64(p.Time)) {
					t.Errorf("%s: %v by the library; the command prints %v", ref, p, row)
				}
				line := fmt.Sprintf("%s,%.12g,", p.Name, float64(p.Time))
				if p.Name == row["owner"] && !strings.Contains(file.Text, line) {
					t.Errorf("%s: %q is not in the page's file:\n%s", ref, line, file.Text)
				}
			}
		}
		if len(parts) < 2 {
			t.Errorf("%s: %v", ref, parts)
		}
	}

	refs := []string{"clip/pio", "clip/dma-user-buffer"}
	crossings, err := whatif.CrossoverQuestion{Designs: []platforms.Design{
		opened(t, refs[0]).Design, opened(t, refs[1]).Design}}.Ask(t.Context())
	rows = printed(t, "compare", refs[0], refs[1], "--crossovers")
	if err != nil || len(crossings.Overtakings) != 1 || len(rows) != 1 {
		t.Fatalf("%v crossings, printed %v, %v", crossings, rows, err)
	}
	if o := crossings.Overtakings[0]; !equal(rows[0]["size_bytes"], float64(o.Size)) ||
		rows[0]["faster_below"] != o.Below ||
		!equal(rows[0]["close_from_bytes"], o.Near.Low) || !equal(rows[0]["close_to_bytes"], o.Near.High) {
		t.Errorf("%+v by the library; the command prints %v", o, rows[0])
	}
}

// The gaps of a stream are no times of messages: both say so, and both predict the gap.
func TestContractStream(t *testing.T) {
	saved := filepath.Join(t.TempDir(), "stream.toml")
	file := filepath.Join("..", "..", "internal", "demo", "files", "bandwidth.txt")
	runOutput(t, "fit", file, "--save", saved)
	d := opened(t, saved)
	if _, err := d.Ask(t.Context(), halfpeak.Message{Size: 4096}); err == nil {
		t.Error("a stream has the time of a message")
	}
	costs, err := themessage.CostQuestion{
		On: []platforms.Design{d.Design}, Sizes: []quantity.Bytes{4096}}.Ask(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	in := costs.Costs[0].Within()
	row := printed(t, "predict", saved, "--size", "4096B")[0]
	if row["one_way_us"] != nil || !equal(row["time_us"], in.Value) ||
		!equal(row["time_low_us"], in.Low) || !equal(row["time_high_us"], in.High) {
		t.Errorf("%v by the library; the command prints %v", in, row)
	}
}

// The output of calibrate.c is one machine for the library and for all commands.
func TestContractCalibrated(t *testing.T) {
	script, err := txtar.ParseFile(filepath.Join("testdata", "script", "calibrate.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(script.Files, func(f txtar.File) bool { return f.Name == "me.csv" })
	path := filepath.Join(t.TempDir(), "me.csv")
	if err := os.WriteFile(path, script.Files[i].Data, 0o600); err != nil {
		t.Fatal(err)
	}
	call := halfpeak.Collective{Name: "allreduce", Algorithm: "ring", Ranks: 8, Size: 3000}
	contract{t, path, call}.row("time_us", "time_low_us", "time_high_us", "collective", "allreduce",
		path, "--algorithm", "ring", "--ranks", "8", "--size", "3000B")
	level := opened(t, path).Platform.Levels[0].Name
	message := halfpeak.Message{Size: 5000, Level: level}
	contract{t, path, message}.row("one_way_us", "one_way_low_us", "one_way_high_us", "predict", path,
		"--level", level, "--size", "5000B")
}

// A program on changed parameters takes as long by whatif, by the library's study, and by simulate
// on the file that whatif saves: its schedule has the local work of the changed machine.
func TestContractChangedProgram(t *testing.T) {
	write := fileWriter(t)
	machine, saved := write("machine.toml", contractMachine), write("saved.toml", "")
	flat := write("flat.toml", "[constant.copy]\nvalue = \"0.1ns/B\"\nsource = \"s\"\n"+
		"[constant.combine]\nvalue = \"0.4ns/B\"\nsource = \"s\"\n"+
		"[layer.network]\nmodel = \"linear\"\nbeta = \"2us\"\ntau = \"1ns/B\"\nsource = \"s\"\n")
	star := write("ar.star", "def main(mpi):\n    mpi.allreduce(100000)\n    mpi.allgather(3000)\n")
	goal := write("own.goal", "num_ranks 2\nrank 0 {\n a: calc 500\n b: send 4096b to 1\n"+
		" b requires a\n}\nrank 1 {\n recv 4096b from 0\n}\n")
	var traces []string
	for rank := range 2 {
		traces = append(traces, write(fmt.Sprint("trace-", rank), fmt.Sprintf(
			"halfpeak-trace 2 rank %d of 2 run 7\nAllreduce 0 2000 9000 0 0\nFinalize 0 0\n",
			rank)))
	}
	for _, c := range []struct {
		files, ranks []string
		own          bool // the file has no collectives
	}{
		{files: []string{star}, ranks: []string{"--ranks", "4"}},
		{files: []string{"cg.star"}, ranks: []string{"--ranks", "8"}},
		{files: traces}, {files: []string{goal}, own: true},
	} {
		ask := []string{"whatif", "", "--save", saved}
		for _, file := range c.files {
			ask = append(ask, "--schedule", file)
		}
		for _, ref := range []string{machine, flat} {
			for _, change := range [][]string{
				{"constant.combine*=2"}, {"constant.copy*=7", "constant.combine*=0"},
			} {
				ask := append(slices.Clone(ask), c.ranks...)
				ask[1] = ref
				for _, set := range change {
					ask = append(ask, "--set", set)
				}
				row := printed(t, ask...)[0]
				simulated := printed(t, slices.Concat([]string{"simulate", "--machine", saved,
					"--summary"}, c.files, c.ranks)...)[0]["finish_us"]
				if finish, _ := simulated.(float64); !equal(row["after_us"], finish) ||
					(row["after_us"] == row["before_us"]) != c.own {
					t.Errorf("%s on %s with %s: %v by whatif; simulate of the changed file: %v",
						c.files, ref, change, row, simulated)
				}
				d, err := opened(t, ref).Set(change...)
				if err != nil {
					t.Fatal(err)
				}
				r := theprogram.Reading{Trace: mpitrace.Defaults}
				if len(c.ranks) > 0 {
					r.Ranks = []int{int(c.ranks[1][0] - '0')}
				}
				// The program is read for the machine as it was.
				p, err := halfpeak.Read(t.Context(), c.files, r, opened(t, ref))
				if err != nil {
					t.Fatal(err)
				}
				e, err := d.Ask(t.Context(), p)
				study, studied := d.Study(t.Context(), p)
				if err = errors.Join(err, studied); err != nil {
					t.Fatal(err)
				}
				now, err := study.Now()
				if err != nil || !equal(simulated, e.Value) || !equal(simulated, float64(now)) {
					t.Errorf("%s on %s with %s: %v and %v by the library, %v; by simulate %v",
						c.files, ref, change, e, now, err, simulated)
				}
			}
		}
	}
}
