//go:build linux

package simulate_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/engine/schedule"
	"github.com/halfpeak/halfpeak/engine/simulate"
)

// Processor time and memory of the whole way from text, in shapes that are hard on one part of it
// each: one rank or a million of them, long chains, operations that all wait for one, a tag for
// each message, labels of the program's own. The environment's OPERATIONS is their number.
func BenchmarkText(b *testing.B) {
	n := 1 << 20
	if text := os.Getenv("OPERATIONS"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			b.Fatal(err)
		}
	}
	for _, shape := range []struct {
		name  string
		ranks int
		line  func(w io.Writer, rank, i int)
	}{
		{"chain", 1, func(w io.Writer, _, i int) {
			fmt.Fprintf(w, "l%d: calc 5\n", i)
			if i > 1 {
				fmt.Fprintf(w, "l%d requires l%d\n", i, i-1)
			}
		}},
		{"wide", 1, func(w io.Writer, _, i int) {
			fmt.Fprintf(w, "l%d: calc 5\n", i)
			if i > 1 {
				fmt.Fprintf(w, "l%d requires l1\n", i)
			}
		}},
		{"named", 1, func(w io.Writer, _, i int) {
			fmt.Fprintf(w, "compute_%d: calc 5\n", i)
			if i > 1 {
				fmt.Fprintf(w, "compute_%d irequires compute_%d\n", i, i-1)
			}
		}},
		{"tags", 2, func(w io.Writer, rank, i int) {
			fmt.Fprintf(w, "l%d: %s %d tag %d\n", i, [...]string{"send 8b to", "recv 8b from"}[rank], 1-rank, i)
		}},
		{"ping-pong", 2, func(w io.Writer, rank, i int) {
			fmt.Fprintf(w, "l%d: %s %d\n", i, [...]string{"send 8b to", "recv 8b from"}[(i+rank)%2], 1-rank)
			if i > 1 {
				fmt.Fprintf(w, "l%d requires l%d\n", i, i-1)
			}
		}},
		{"ranks", n / 10, func(w io.Writer, rank, i int) {
			ranks, away := n/10, 1<<((i-1)/2)
			if i%2 == 1 {
				fmt.Fprintf(w, "l%d: send 8b to %d\n", i, (rank+away)%ranks)
			} else {
				fmt.Fprintf(w, "l%d: recv 8b from %d\n", i, (rank+ranks-away)%ranks)
			}
			if i%2 == 1 && i > 1 {
				fmt.Fprintf(w, "l%d requires l%d\n", i, i-1)
			}
		}},
	} {
		b.Run(shape.name, func(b *testing.B) {
			var text bytes.Buffer
			fmt.Fprintf(&text, "num_ranks %d\n", shape.ranks)
			for rank := range shape.ranks {
				fmt.Fprintf(&text, "rank %d {\n", rank)
				for i := range n / shape.ranks {
					shape.line(&text, rank, i+1)
				}
				text.WriteString("}\n")
			}
			file := b.TempDir() + "/goal"
			if err := os.WriteFile(file, text.Bytes(), 0o666); err != nil {
				b.Fatal(err)
			}
			text = bytes.Buffer{}
			debug.FreeOSMemory()
			resident(b)
			base := resident(b)
			var read, run float64
			for b.Loop() {
				begin := processorTime(b)
				f, err := os.Open(file)
				if err != nil {
					b.Fatal(err)
				}
				s, err := schedule.Read(f, "f")
				f.Close()
				if err != nil {
					b.Fatal(err)
				}
				middle := processorTime(b)
				if _, err := prepare(b, s).Run(context.Background(), simulate.Setup{LogGOPS: simulate.Defaults}); err != nil {
					b.Fatal(err)
				}
				read, run = read+middle-begin, run+processorTime(b)-middle
			}
			b.ReportMetric(float64(b.N*n)/read/1e6, "Mops/s-read")
			b.ReportMetric(float64(b.N*n)/(read+run)/1e6, "Mops/s")
			b.ReportMetric(float64(resident(b)-base)/float64(n), "B/op-peak")
		})
	}
}

var peak = regexp.MustCompile(`VmHWM:\s*(\d+) kB`)

// resident returns the largest resident memory since the last call, in bytes.
func resident(b *testing.B) int {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Fatal(err)
	}
	kib, err := strconv.Atoi(string(peak.FindSubmatch(status)[1]))
	if err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		b.Fatal(err)
	}
	return kib << 10
}
