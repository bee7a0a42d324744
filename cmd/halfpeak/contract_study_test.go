package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/halfpeak/halfpeak"
	"github.com/halfpeak/halfpeak/ask/whatif"
	"github.com/halfpeak/halfpeak/internal/reports/page"
	"github.com/halfpeak/halfpeak/internal/sharedtest"
	"github.com/halfpeak/halfpeak/model/quantity"
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
	rows := printed(t, "whatif", "hp-lam", "--size", "4096B", "--sweep", "layer.gam.L=1us..10us/4")
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
	if err != nil || sweep.Rows() != 4 || len(rows) != 4 {
		t.Errorf("sweep of %v rows, printed %d: %v", sweep.Rows(), len(rows), err)
	}

	my := filepath.Join("..", "..", "internal", "reports", "testdata", "my.toml")
	for ref, flags := range map[string][]string{"hp-lam": {"--assume", "10%"}, my: nil} {
		by := whatif.Sampling{Samples: 1000, Seed: 7, Context: t.Context()}
		if flags != nil {
			by.Assumed = 0.1
		}
		in, err := of(ref).Uncertainty(by)
		args := append([]string{"whatif", ref, "--size", "4096B", "--uncertainty", "--samples", "1000",
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
		for _, row := range printed(t, "whatif", ref, "--size", "4096B", "--breakdown") {
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
	crossings, err := halfpeak.Crossovers(nil, opened(t, refs[0]), opened(t, refs[1]))
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
	in := halfpeak.Costs([]quantity.Bytes{4096}, d).Costs[0].Within()
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
