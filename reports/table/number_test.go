package table

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// slowly is what appendFloat stands for: v rounded to 12 digits, in the shortest text that is read
// as that number.
func slowly(v float64) string {
	v, _ = strconv.ParseFloat(strconv.FormatFloat(v, 'g', 12, 64), 64)
	abs := math.Abs(v)
	switch {
	case abs == 0:
		return "0"
	case abs < 1e-6 || abs >= 1e21:
		return strconv.FormatFloat(v, 'e', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func TestBareFloat(t *testing.T) {
	check := func(v float64) {
		t.Helper()
		if math.IsNaN(v) || math.IsInf(v, 0) {
			if got := string(AppendNumber(nil, v)); got != "null" {
				t.Errorf("%v: %s", v, got)
			}
			return
		}
		if got, want := bareFloat(v), slowly(v); got != want {
			t.Errorf("%v: %s, want %s", v, got, want)
		}
	}
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1, 0.1, 1e-6, 9.999999999999e-7, 1e21,
		9.999999999999e20, 1e12, 1e12 + 1, 999999999999.5,
		123456789012, 1234567890123, 0.000001234567890123, 12.5, -12.5, math.MaxFloat64,
		math.SmallestNonzeroFloat64, math.Inf(1), math.NaN()} {
		check(v)
		check(math.Nextafter(v, math.Inf(1)))
		check(math.Nextafter(v, math.Inf(-1)))
	}
	r := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		check(math.Float64frombits(r.Uint64()))
		check((r.Float64() - 0.5) * math.Pow(10, float64(r.IntN(40)-12)))
		check(math.Round(r.Float64()*1e4) / math.Pow(10, float64(r.IntN(8))))
	}
}

// What rounds to nothing has no sign of less.
func TestPercentChange(t *testing.T) {
	for part, want := range map[float64]string{-0.0001: "+0.0 %", 0: "+0.0 %", 0.0001: "+0.0 %",
		-0.251: "−25.1 %"} {
		if got := PercentChange(part); got != want {
			t.Errorf("%v: %q, want %q", part, got, want)
		}
	}
}

func TestAbout(t *testing.T) {
	for n, want := range map[quantity.Bytes]string{46441: "45.4 KiB", 3755: "3755 B", 65536: "64 KiB",
		100000: "97.7 KiB", 58554.3: "57.2 KiB", 245.27: "245 B", 1234567890123: "1.12 TiB",
		quantity.MaxBytes - 1: "8192 TiB"} {
		if got := About(n); got != want {
			t.Errorf("About(%v) = %q, want %q", float64(n), got, want)
		}
	}
}
