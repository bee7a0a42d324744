package fits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Eager 1 + n/1000 µs and rendezvous 5 + n/3000 µs cross at 6000 B: the threshold is close, its
// interval covers it, and a wrong one costs what the two lines differ by.
func TestThreshold(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	write := func(name string, beta, rate, noise float64) string {
		var b strings.Builder
		b.WriteString("# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n")
		for n := 1.; n <= 1<<20; n *= 2 {
			fmt.Fprintf(&b, "%.0f  %.4f\n", n, (beta+n/rate)*math.Exp(noise*r.NormFloat64()))
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return path
	}
	covered := 0
	for i := range 40 {
		noise := []float64{0, 0.05}[i%2]
		x, err := Against(write("eager", 1, 1000, noise), write("rendezvous", 5, 3000, noise), Options{})
		if err != nil {
			t.Fatal(err)
		}
		if noise == 0 && (x.Best < 5700 || x.Best > 6300) {
			t.Errorf("threshold %v, want 6000 B", x.Best)
		}
		if x.Low <= 6300 && x.High >= 5700 {
			covered++
		}
		if noise == 0 {
			for _, s := range x.Sizes {
				if s.Size == 65536 { // eager at 64 KiB: 66.536 for 26.845 µs
					if want := 66.536/26.8453 - 1; math.Abs(s.Worst-want) > 0.001 || s.WorstAt != 65536 {
						t.Errorf("a threshold of 64 KiB costs %v at %v, want %v there", s.Worst, s.WorstAt, want)
					}
				}
			}
		}
	}
	if covered < 37 {
		t.Errorf("%d of 40 intervals cover the threshold", covered)
	}
	fast, slow := write("fast", 1, 3000, 0), write("slow", 5, 1000, 0)
	if x, err := Against(fast, slow, Options{}); err != nil || !x.Always || x.Best != quantity.Bytes(1<<20) {
		t.Errorf("the first is always faster: %+v, %v", x, err)
	}
	if x, err := Against(slow, fast, Options{}); err != nil || x.Best != 0 || !strings.HasPrefix(x.Rows().Notes[0], "Threshold: 0.") {
		t.Errorf("the second is always faster: %+v, %v", x, err)
	}
}

// One file that changes from 1 + n/1000 µs to 5 + n/3000 µs at 1 KiB: the lines cross at 6000 B, so
// the threshold in use is too low.
func TestThresholdAcrossBreak(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	path := filepath.Join(t.TempDir(), "one")
	var b strings.Builder
	b.WriteString("# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n")
	for n := 16.; n <= 1<<20; n *= math.Sqrt2 {
		size := math.Round(n)
		time := 1 + size/1000
		if size > 1024 {
			time = 5 + size/3000
		}
		fmt.Fprintf(&b, "%.0f  %.4f\n", size, time*math.Exp(0.01*r.NormFloat64()))
	}
	if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	x, err := Against(path, path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if x.InUse != 1024 || x.Low > 6000 || x.High < 6000 || x.High > 2*x.Low {
		t.Errorf("in use %v, best %v (%v to %v); want 1 KiB and 6000 B", x.InUse, x.Best, x.Low, x.High)
	}
	if err := os.WriteFile(path, []byte("# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n1 1.0\n2 1.01\n4 1.02\n8 1.04\n16 1.08\n32 1.16\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Against(path, path, Options{}); err == nil || !strings.Contains(err.Error(), "no break") {
		t.Errorf("a line: %v", err)
	}
}
