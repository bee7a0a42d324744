package quantity

import (
	"fmt"
	"math"
	"testing"
)

func TestPrint(t *testing.T) {
	check := func(v fmt.Stringer, want string) {
		t.Helper()
		if got := v.String(); got != want {
			t.Errorf("%#v prints %q, want %q", v, got, want)
		}
	}
	below := func(v float64) float64 { return math.Nextafter(v, 0) }

	// Sizes: the largest unit that leaves a whole number.
	check(Bytes(0), "0 B")
	check(Bytes(1), "1 B")
	check(Bytes(1023), "1023 B")
	check(Bytes(1024), "1 KiB")
	check(Bytes(1025), "1025 B")
	check(Bytes(65536), "64 KiB")
	check(Bytes(3490), "3490 B")
	check(Bytes(1<<20), "1 MiB")
	check(Bytes(3<<29), "1536 MiB")
	check(MaxBytes, "8192 TiB")
	check(MaxBytes-1, "9007199254740991 B")
	// Derived sizes need not be whole, and can be beyond all that is read.
	check(Bytes(245.27), "245.3 B")
	check(Bytes(999.95), "1000 B") // in binary a little above
	check(Bytes(below(999.95)), "999.9 B")
	check(Bytes(below(1024)), "1024 B")
	check(Bytes(1e300), "1e+300 B")
	check(Bytes(math.Inf(1)), "+Inf B")
	check(Bytes(math.Copysign(0, -1)), "0 B")

	// Times and rates: two decimals, three digits below 1.
	check(Micros(589.3), "589.30 µs")
	check(Micros(14.7), "14.70 µs")
	check(Micros(0), "0.00 µs")
	check(Micros(math.Copysign(0, -1)), "0.00 µs")
	check(Micros(1), "1.00 µs")
	check(Micros(0.9995), "1.00 µs")
	check(Micros(below(0.9995)), "0.999 µs")
	check(Micros(0.183), "0.183 µs")
	check(Micros(0.1), "0.100 µs")
	check(Micros(0.09996), "0.100 µs") // three digits, not four
	check(Micros(0.09994), "0.0999 µs")
	check(Micros(0.009999), "0.0100 µs")
	check(Micros(0.001), "0.00100 µs")
	check(Micros(1e-6), "0.00000100 µs")
	check(Micros(9.994e-7), "9.99e-07 µs")
	check(Micros(-0.5), "-0.500 µs")
	check(Micros(9.9e14), "990000000000000.00 µs")
	check(Micros(1e15), "1e+15 µs")
	check(Micros(1e300), "1e+300 µs")
	check(Micros(math.Inf(1)), "+Inf µs")
	check(Micros(math.NaN()), "NaN µs")
	check(MBps(111.2099), "111.21 MB/s")
	check(MBps(0.5), "0.500 MB/s")

	// Times per byte: up to five digits, as many as there are.
	check(MicrosPerByte(7.6/1024), "7.6 µs/KiB")
	check(MicrosPerByte(1./24), "42.667 µs/KiB")
	check(MicrosPerByte(99999.95/1024), "100000 µs/KiB")
	check(MicrosPerByte(99999.4/1024), "99999 µs/KiB")
	check(MicrosPerByte(0), "0 µs/KiB")
	check(MicrosPerByte(math.Copysign(0, -1)), "0 µs/KiB")
	check(MicrosPerByte(1e-12), "1.024e-09 µs/KiB")
}

func TestSteps(t *testing.T) {
	check := func(what string, got, want float64) {
		t.Helper()
		if got != want {
			t.Errorf("%s = %v, want %v", what, got, want)
		}
	}
	check("0.25 µs/B · 8 B", float64(MicrosPerByte(0.25).Times(8)), 2)
	check("1/(0.25 µs/B)", float64(MicrosPerByte(0.25).Rate()), 4)
	check("1/0", float64(MicrosPerByte(0).Rate()), math.Inf(1))
	check("1/(4 MB/s)", float64(MBps(4).Inverse()), 0.25)
	check("8 B over 2 µs", float64(Bytes(8).Over(2)), 4)
	check("n½ = β/τ", float64(Micros(3).Over(0.25)), 12)
	check("3 µs per 12 B", float64(Micros(3).Per(12)), 0.25)
}
