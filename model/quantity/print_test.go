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
	check(Bytes(245.27), "245 B")
	check(Bytes(999.95), "1000 B") // in binary a little above
	check(Bytes(below(999.95)), "1000 B")
	check(Bytes(below(1024)), "1024 B")
	check(Bytes(1e300), "1e+300 B")
	check(Bytes(math.Inf(1)), "+Inf B")
	check(Bytes(math.Copysign(0, -1)), "0 B")

	// Times and rates: three digits, or up to five if there are no more.
	check(Micros(589.3), "589.3 µs")
	check(Micros(14.7), "14.7 µs")
	check(Micros(0), "0 µs")
	check(Micros(math.Copysign(0, -1)), "0 µs")
	check(Micros(1), "1 µs")
	check(Micros(0.9995), "0.9995 µs")
	check(Micros(below(0.9995)), "0.9995 µs")
	check(Micros(0.183), "0.183 µs")
	check(Micros(0.1), "0.1 µs")
	check(Micros(0.09996), "0.09996 µs") // three digits, not four
	check(Micros(0.09994), "99.94 ns")
	check(Micros(0.009999), "9.999 ns")
	check(Micros(0.009994), "9.994 ns")
	check(Micros(0.001), "1 ns")
	check(Micros(1e-6), "0.001 ns")
	check(Micros(9.994e-7), "0.0009994 ns")
	check(Micros(-0.5), "-0.5 µs")
	check(Micros(4000), "4 ms")
	check(Micros(99999.99), "100 ms")
	check(Micros(99999.996), "100 ms") // it would print as 100000.00
	check(Micros(99999.994), "100 ms")
	check(Micros(99999994), "100 s")
	check(Micros(99999996), "100 s")
	check(Micros(9.9e14), "990000000 s")
	check(Micros(1e15), "1000000000 s")
	check(Micros(1e300), "1e+294 s")
	check(Micros(math.Inf(1)), "+Inf µs")
	check(Micros(math.NaN()), "NaN µs")
	check(Micros(1e-30), "1e-27 ns")
	check(Micros(1.234e-11), "0.0000000123 ns")
	check(MBps(131159.27), "131 GB/s")
	check(MBps(0.0305), "30.5 kB/s")
	check(MBps(0.00305), "3.05 kB/s")
	check(MBps(17264751.58), "17.3 TB/s")
	check(MBps(111.2099), "111 MB/s")
	check(MBps(0.5), "0.5 MB/s")

	// Times per byte: up to five digits, as many as there are.
	check(MicrosPerByte(7.6/1024), "7.6 µs/KiB")
	check(MicrosPerByte(1./24), "42.667 µs/KiB")
	check(MicrosPerByte(99999.95/1024), "100000 µs/KiB")
	check(MicrosPerByte(99999.4/1024), "99999 µs/KiB")
	check(MicrosPerByte(0), "0 µs/KiB")
	check(MicrosPerByte(math.Copysign(0, -1)), "0 µs/KiB")
	check(MicrosPerByte(1e-12), "0.0010737 µs/GiB")
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
	check("8 B over 2 µs", float64(Bytes(8).Over(2)), 4)
	check("n½ = β/τ", float64(Micros(3).Over(0.25)), 12)
	check("3 µs per 12 B", float64(Micros(3).Per(12)), 0.25)
}

// A column has one unit and one number of digits.
func TestScale(t *testing.T) {
	check := func(dim Dimension, asked string, want string, values ...float64) {
		t.Helper()
		var units UnitChoice
		if asked != "" {
			var err error
			if units, err = ParseUnits(asked); err != nil {
				t.Fatal(err)
			}
		}
		s := NewScale(dim, units, 3, values...)
		got := ""
		for _, v := range values {
			got += s.Format(v) + "|"
		}
		if got != want {
			t.Errorf("%v in %q print as %q, want %q", values, asked, got, want)
		}
	}
	// The largest chooses the unit; each value has three digits.
	check(DimTime, "", "9.90 µs|589 µs|", 9.9, 589.3)
	check(DimTime, "", "0.183 µs|589 µs|", 0.183, 589.3)
	check(DimTime, "", "0.183 µs|5893 µs|", 0.183, 5893) // else 5893.000
	check(DimTime, "", "0.00990 ms|1250 ms|", 9.9, 1.25e6)
	check(DimRate, "", "0.625 MB/s|12366 MB/s|", 0.625, 12366.37)
	check(DimRate, "", "0.0714 MB/s|134 MB/s|", 0.0714, 133.95)
	check(DimRate, "", "<0.001 GB/s|131 GB/s|", 0.1, 131159.27)
	check(DimTime, "", "5.96 ms|36.7 ms|", 5960, 36700)
	check(DimTime, "", "16.4 µs|1250 µs|", 16.4, 1250)
	check(DimTime, "", "0.0164 ms|12.5 ms|", 16.4, 12500)
	check(DimTime, "", "1.00 ms|", 999.96)
	check(DimInverse, "", "7.60 µs/KiB|", 7.6/1024)
	check(DimInverse, "", "5.54 µs/GiB|", 5.54/(1<<30))
	check(DimTime, "", "0 µs|1.00 µs|–|", 0, 1, math.NaN())
	check(DimTime, "", "<0.001 µs|100 µs|", 1e-12, 100)
	// What a person asked for.
	check(DimTime, "ms", "0.00990 ms|0.589 ms|", 9.9, 589.3)
	check(DimRate, "Gbit/s", "0.890 Gbit/s|", 111.2099)
	check(DimRate, "ms,MiB/s", "106 MiB/s|", 111.2099)
	check(DimInverse, "ns/B", "7.42 ns/B|", 7.6/1024)
	check(DimInverse, "", "7.60 µs/KiB|", 7.6/1024)
	for _, wrong := range []string{"", "GB", "MB/s,GB/s", "furlong", "KiB", "MHz"} {
		if u, err := ParseUnits(wrong); err == nil {
			t.Errorf("ParseUnits(%q) = %v", wrong, u)
		}
	}
}
