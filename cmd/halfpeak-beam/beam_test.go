package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.LogLevel = "warn" // otherwise Prism reports each step
	beam.Init()
	os.Exit(m.Run())
}

// command runs halfpeak-beam in this process, on Beam's local runner.
func command(t *testing.T, args ...string) error {
	t.Helper()
	q, path, err := parse(args)
	if err == nil {
		err = q.check(path)
	}
	if err == nil {
		err = run(t.Context(), q, path)
	}
	return err
}

// pingPong has 5 µs of work between two messages of 1 KiB.
const pingPong = `num_ranks 2
rank 0 {
l1: send 1024b to 1 tag 1
l2: recv 1024b from 1 tag 2
l2 requires l1
}
rank 1 {
l1: recv 1024b from 0 tag 1
l2: calc 5000
l3: send 1024b to 0 tag 2
l2 requires l1
l3 requires l2
}
`

// The pipeline writes the file of "halfpeak whatif sweep", byte for byte.
func TestSameAsOneMachine(t *testing.T) {
	dir := t.TempDir()
	halfpeak := filepath.Join(dir, "halfpeak")
	build := exec.Command("go", "build", "-o", halfpeak, "./cmd/halfpeak")
	build.Dir = "../.."
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	goal := filepath.Join(dir, "a.goal")
	if err := os.WriteFile(goal, []byte(pingPong), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, args := range map[string][]string{
		"collective.csv": {"clip", "--collective", "allreduce", "--ranks", "2,4",
			"--size", "1KiB,64KiB", "--sweep", "host-dma.tau=1us/KiB..8us/KiB/9",
			"--sweep", "wire.tau=1us/KiB..8us/KiB/7/log"},
		"algorithm.csv": {"hp-lam", "--collective", "bcast/all", "--ranks", "8",
			"--set", "g=20us", "--sweep", "L=5.3..15.3us/11"},
		"schedule.csv": {"hp-lam", "--schedule", goal, "--quantity", "finish,one_way",
			"--size", "16,1KiB", "--sweep", "L=1us..9us/101"},
		"schedule.jsonl": {"hp-lam", "--schedule", goal, "--sweep", "L=1us..9us/50/log"},
	} {
		t.Run(name, func(t *testing.T) {
			whole, pieces := filepath.Join(dir, "whole-"+name), filepath.Join(dir, name)
			asked := []string{"whatif", "sweep", args[0]} // whose ranges are arguments
			for i := 1; i < len(args); i++ {
				if args[i] != "--sweep" {
					asked = append(asked, args[i])
				}
			}
			asked = append(asked, "-o", whole)
			one := exec.Command(halfpeak, asked...)
			if out, err := one.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			if err := command(t, append(args, "-o", pieces)...); err != nil {
				t.Fatal(err)
			}
			want, err := os.ReadFile(whole)
			got, errGot := os.ReadFile(pieces)
			if err = errors.Join(err, errGot); err != nil {
				t.Fatal(err)
			}
			if len(want) == 0 || string(got) != string(want) {
				t.Errorf("another file than on one machine:\n%.500s\nwant\n%.500s", got, want)
			}
		})
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*.partial")); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.csv")
	sweep := []string{"clip", "--sweep", "host-dma.tau=1us/KiB..8us/KiB"}
	simulated := slices.Clip(append(sweep, "--collective", "bcast", "--ranks", "4"))
	many := []string{"--sweep", "wire.tau=1..2us/KiB/90909091"} // beside 11 values
	for want, args := range map[string][]string{
		"give one platform":                    append(simulated, "hp-lam", "-o", path),
		"--sweep is missing":                   {"clip", "-o", path},
		"--schedule or --collective":           append(sweep, "-o", path),
		"cannot be combined":                   append(simulated, "--schedule", "a", "-o", path),
		"--collective requires --ranks":        append(sweep, "--collective", "bcast", "-o", path),
		"must end in .csv or .jsonl (got \"\"": simulated,
		"is a file that the command reads":     append(sweep, "--schedule", path, "-o", path),
		"no such file":                         append(sweep, "--schedule", "none", "-o", path),
		"no collective":                        append(simulated, "--collective", "cast", "-o", path),
		"--quantity: no quantity \"none\"":     append(simulated, "--quantity", "none", "-o", path),
		"two ranges":                           append(simulated, "--sweep", sweep[2], "-o", path),
		"at most 50000000 rows (got 1e+09)":    append(simulated, append(many, "-o", path)...),
		"unknown flag: --parts":                append(simulated, "--parts", "4", "-o", path),
	} {
		if err := command(t, args...); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", args, err, want)
		}
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("a file was written")
	}
}

// Pieces cover the rows without gaps, and are few enough for a job.
func TestDivide(t *testing.T) {
	for _, rows := range []int64{2, maxPieces, maxPieces + 1, maxRows} {
		next := int64(0)
		pieces := divide(rows)
		for _, p := range pieces {
			if p.First != next || p.Count < 1 {
				t.Fatalf("%d rows: piece %+v, want it to begin with row %d", rows, p, next)
			}
			next += p.Count
		}
		if next != rows || len(pieces) > maxPieces {
			t.Errorf("%d rows: %d pieces with %d rows", rows, len(pieces), next)
		}
	}
}

// Pieces are written by row, whatever their order; one that is missing or there twice is an error,
// and no file is written.
func TestWrite(t *testing.T) {
	a := piece{First: 0, Count: 2, Text: []byte("1\n2\n")}
	b := piece{First: 2, Count: 1, Text: []byte("3\n")}
	c := piece{First: 3, Count: 1, Text: []byte("4\n")}
	for want, pieces := range map[string][]piece{
		"":                             {c, a, b},
		"row 2 is missing":             {c, a},
		"row 0 is missing":             {b, c},
		"row 3 is missing or came twi": {b, a, b, c},
	} {
		path := filepath.Join(t.TempDir(), "rows.csv")
		w := write{Path: path, Header: []byte("n\n")}
		err := w.ProcessElement(t.Context(), 0, func(p *piece) bool {
			if len(pieces) == 0 {
				return false
			}
			*p, pieces = pieces[0], pieces[1:]
			return true
		})
		text, _ := os.ReadFile(path)
		switch {
		case want == "" && (err != nil || string(text) != "n\n1\n2\n3\n4\n"):
			t.Errorf("%q, %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) || text != nil):
			t.Errorf("%v, want %s; the file has %q", err, want, text)
		}
	}
}
