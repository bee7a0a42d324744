package sharedtest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// Fans writes a table of one-way times on a node of 1 µs and 10 kB/µs and a network of 5 µs and 1
// kB/µs, and a table of fans: roots hand over in 0.3 µs up to 1 KiB, with a gap of 0.5 µs among
// many.
func Fans(t testing.TB) (times, fans string) {
	t.Helper()
	ways, roots := "where,size,latency\n", "where,to,size,latency,max\n"
	for _, l := range []struct {
		name          string
		latency, rate float64
	}{{"in", 1, 10e3}, {"out", 5, 1e3}} {
		for n := 1.0; n <= 1<<16; n *= 4 {
			way := l.latency + n/l.rate
			ways += fmt.Sprintf("%s,%.0f,%.5f\n", l.name, n, way)
			for k := 1; k <= 16; k++ {
				slowest, average := way+float64(k)*0.5, way
				switch {
				case k == 1 && n <= 1024:
					slowest, average = 2*way, way+0.15
				case k == 1:
					slowest, average = way+1, way+1
				case n > 1024:
					slowest = 1 + max(1, float64(k)/2)*n/l.rate
				}
				roots += fmt.Sprintf("%s,%d,%.0f,%.5f,%.5f\n", l.name, k, n, average, slowest)
			}
		}
	}
	folder := t.TempDir()
	times, fans = filepath.Join(folder, "times.csv"), filepath.Join(folder, "fans.csv")
	for path, text := range map[string]string{times: ways, fans: roots} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return times, fans
}
