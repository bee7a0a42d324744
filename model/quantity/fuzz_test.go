package quantity

import (
	"math"
	"strings"
	"testing"
)

// checkSize holds for every size that was read.
func checkSize(t *testing.T, n Bytes) {
	t.Helper()
	if !(n >= 0 && n <= MaxBytes) || n != Bytes(math.Trunc(float64(n))) {
		t.Fatalf("read %v, not a whole number from 0 to 2^53", float64(n))
	}
	if again, err := ParseBytes(n.String()); err != nil || again != n {
		t.Fatalf("%v prints as %q, which reads as %v, %v", float64(n), n.String(), float64(again), err)
	}
}

// What is printed reads as what was printed, to the digits shown, and prints the same again.
func checkTime(t *testing.T, v Micros) {
	t.Helper()
	text := v.String()
	again, err := ParseMicros(text)
	if err != nil {
		t.Fatalf("%v prints as %q: %v", float64(v), text, err)
	}
	if again.String() != text {
		t.Fatalf("%v prints as %q, and that as %q", float64(v), text, again.String())
	}
	if d := math.Abs(float64(again - v)); d > 0.00501*math.Max(1, float64(v)) {
		t.Fatalf("%v prints as %q: %v off", float64(v), text, d)
	}
}

func FuzzParseBytes(f *testing.F) {
	for _, text := range []string{"64KiB", "10GBB", "", "-1", "NaN", "1e400", "2^63", "0.3B", "5us", "9007199254740992", "-0", "1e", "8\xff", "١"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if n, err := ParseBytes(text); err == nil {
			checkSize(t, n)
		} else if n != 0 {
			t.Fatalf("%v beside an error", n)
		}
	})
}

func FuzzPrint(f *testing.F) {
	for _, v := range []float64{0, 1, 0.9995, 0.09996, 1e-6, 1e-9, 589.3, 1e15, 1e300} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		v = math.Abs(v)
		if math.IsNaN(v) || v > 1e300 {
			return
		}
		checkTime(t, Micros(v))
		tau := MicrosPerByte(v)
		again, err := ParseMicrosPerByte(tau.String())
		if err != nil || math.Abs(float64(again-tau)) > 6e-5*v+1e-320 {
			t.Fatalf("%v prints as %q, which reads as %v, %v", v, tau.String(), float64(again), err)
		}
		if v <= float64(MaxBytes) {
			checkSize(t, Bytes(math.Floor(v)))
		}
	})
}

func FuzzParseSizes(f *testing.F) {
	for _, text := range []string{"1,64,4KiB", "1..1MiB", "1..64KiB/16", "..", "8..1", "1..8192TiB/1000", "1..2^63", "1,,2", "1..8/0", "7..7/3,1"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sizes, err := ParseSizes(text)
		if err != nil {
			return
		}
		if len(sizes) == 0 || len(sizes) > MaxSizes {
			t.Fatalf("%d sizes", len(sizes))
		}
		for _, n := range sizes {
			if n < 1 {
				t.Fatalf("size %v", n)
			}
			checkSize(t, n)
		}
		if !strings.Contains(text, ",") {
			for i, n := range sizes[1:] {
				if n <= sizes[i] {
					t.Fatalf("a range does not rise: %v after %v", n, sizes[i])
				}
			}
		}
	})
}
