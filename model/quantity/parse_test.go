package quantity

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseBytes(t *testing.T) {
	check := func(text string, want Bytes) {
		t.Helper()
		got, err := ParseBytes(text)
		if err != nil {
			t.Errorf("ParseBytes(%q): %v", text, err)
		} else if got != want {
			t.Errorf("ParseBytes(%q) = %v, want %v", text, float64(got), float64(want))
		}
	}
	// The field's habit: all are powers of two.
	check("64KiB", 65536)
	check("64KB", 65536)
	check("64kB", 65536)
	check("64K", 65536)
	check("64k", 65536)
	check("1M", 1<<20)
	check("1GB", 1<<30)
	check("1TiB", 1<<40)
	// Numbers without a unit are bytes.
	check("3490", 3490)
	check("1", 1)
	check("0", 0)
	check("+5", 5)
	check("1e3", 1000)
	// White space, fractions, bits.
	check(" 64 KiB ", 65536)
	check("0.5K", 512)
	check("5e-1KiB", 512)
	check("32bit", 4)
	// The largest.
	check("9007199254740992", 1<<53)
	check("8192TiB", 1<<53)

	if n, _ := ParseBytes("-0"); math.Signbit(float64(n)) {
		t.Error("ParseBytes(-0) keeps the sign")
	}
}

func TestParseOthers(t *testing.T) {
	near := func(text string, got, want float64, err error) {
		t.Helper()
		if err != nil {
			t.Errorf("%q: %v", text, err)
		} else if math.Abs(got-want) > 1e-15*want {
			t.Errorf("%q = %v, want %v", text, got, want)
		}
	}
	micros := func(text string, want float64) {
		t.Helper()
		v, err := ParseMicros(text)
		near(text, float64(v), want, err)
	}
	rate := func(text string, want float64) {
		t.Helper()
		v, err := parseAs[MBps](text, DimRate)
		near(text, float64(v), want, err)
	}
	inverse := func(text string, want float64) {
		t.Helper()
		v, err := ParseMicrosPerByte(text)
		near(text, float64(v), want, err)
	}
	// The three letters that look like µ, and what the papers write.
	micros("9.9us", 9.9)
	micros("9.9µs", 9.9) // U+00B5
	micros("9.9μs", 9.9) // U+03BC
	micros("28.1 μsec", 28.1)
	micros("28.1 µsec", 28.1)
	micros("28.1usec", 28.1)
	micros("183 nsec", 0.183)
	micros("1ms", 1000)
	micros("2s", 2e6)
	// Rates are decimal, but for those that say otherwise.
	rate("111.2MB/s", 111.2)
	rate("24 MB/sec", 24)
	rate("1005 Mbps", 125.625)
	rate("1.28Gbit/s", 160)
	rate("1MiB/s", 1.048576)
	rate("1KiB/s", 0.001024)
	rate("1KB/s", 0.001)
	// Inverse bandwidths are per 1,024 bytes.
	inverse("7.6us/KB", 7.6/1024)
	inverse("7.6 µs/KiB", 7.6/1024)
	inverse("7.6μs/kB", 7.6/1024)
	inverse("7.6 usec/KB", 7.6/1024)
	inverse("0.42us/B", 0.42)
	inverse("5ns/B", 0.005)
	inverse("8us/MiB", 8./(1<<20))
	inverse("1ns/bit", 0.008)
}

// Every name in the table is read, with and without white space, and what is
// printed under it comes back.
func TestEveryUnit(t *testing.T) {
	parse := func(text string, d Dimension) (float64, error) {
		switch d {
		case DimTime:
			v, err := ParseMicros(text)
			return float64(v), err
		case DimSize:
			v, err := ParseBytes(text)
			return float64(v), err
		case DimRate:
			v, err := parseAs[MBps](text, DimRate)
			return float64(v), err
		}
		v, err := parseAs[Micros](text, d)
		return float64(v), err
	}
	for _, u := range unitTable {
		for _, name := range append([]string{u.Name}, u.Aliases...) {
			for _, text := range []string{"8" + name, "8 " + name} {
				got, err := parse(text, u.Value.Dim)
				if err != nil || got != 8*u.Value.Num {
					t.Errorf("%q = %v, %v; want %v", text, got, err, 8*u.Value.Num)
				}
			}
		}
	}
	for _, time := range timeUnits {
		for _, size := range sizeUnits {
			name := time.Name + "/" + size.Name
			if got, err := ParseMicrosPerByte("3" + name); err != nil || float64(got) != 3*(time.Value.Num/size.Value.Num) {
				t.Errorf("3%s = %v, %v", name, float64(got), err)
			}
		}
	}
}

// What every error tells: the text, the reason, and the units that would do.
func TestParseErrors(t *testing.T) {
	check := func(parse func(string) error, text string, parts ...string) {
		t.Helper()
		err := parse(text)
		if err == nil {
			t.Errorf("%q: no error", text)
			return
		}
		for _, part := range append(parts, fmt.Sprintf("%q", text)) {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%q: error %q lacks %q", text, err, part)
			}
		}
	}
	size := func(text string) error { _, err := ParseBytes(text); return err }
	time := func(text string) error { _, err := ParseMicros(text); return err }
	rate := func(text string) error { _, err := parseAs[MBps](text, DimRate); return err }
	inverse := func(text string) error { _, err := ParseMicrosPerByte(text); return err }

	check(size, "10GBB", `unknown unit "GBB"`, "KiB", "GiB")
	check(size, "", "empty", "KiB")
	check(size, "  ", "empty", "KiB")
	check(size, "-1", "cannot be negative")
	check(size, "NaN", "no number", "KiB")
	check(size, "Inf", "no number", "KiB")
	check(size, "-Inf", "no number", "KiB")
	check(size, "KiB", "no number", "KiB")
	check(size, "1e400", "too large", "KiB")
	check(size, "9223372036854775808", "at most 8192 TiB")
	check(size, "9007199254740994", "at most 8192 TiB")
	check(size, "2^63", `unknown unit "^63"`, "KiB")
	check(size, "0.3B", "not a whole number")
	check(size, "0.1K", "102.4 B is not a whole number")
	check(size, "5us", `"us" is the unit of a time`, "KiB")
	check(size, "5us/KB", "unit of an inverse bandwidth", "KiB")
	check(size, "1.2.3", "no number")
	check(size, "0x10", `unknown unit "x10"`)
	check(size, "1,5", "a decimal point and not a comma, as in 1.5")
	check(size, "8\xff", `unknown unit "\xff"`)

	check(time, "5", "no unit", "µs (us)")
	check(time, "", "empty", "µs (us)")
	check(time, "-3us", "cannot be negative")
	check(time, "5KB", `"KB" is the unit of a size`, "µs (us)")
	check(time, "1e308s", "must be finite")
	check(time, "5 seks", `unknown unit "seks"`, "µs (us)")

	check(rate, "5", "no unit", "MB/s")
	check(rate, "5MB", "unit of a size", "MB/s")
	check(rate, "5us/KB", "unit of an inverse bandwidth", "MB/s")

	check(inverse, "5", "no unit", "us/KB")
	check(inverse, "5MB/s", "unit of a rate", "us/KB")
	check(inverse, "5us/g", `unknown unit "us/g"`, "us/KB")
}

func TestParseSizes(t *testing.T) {
	check := func(text string, want ...Bytes) {
		t.Helper()
		got, err := ParseSizes(text)
		if err != nil {
			t.Errorf("ParseSizes(%q): %v", text, err)
		} else if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("ParseSizes(%q): (-want +got)\n%s", text, diff)
		}
	}
	// Lists keep their order, and what is there twice.
	check("64KiB", 65536)
	check("1,64,4KiB", 1, 64, 4096)
	check("8, 4 ,8", 8, 4, 8)
	// Ranges double, and end with their end.
	check("1..8", 1, 2, 4, 8)
	check("1 .. 8", 1, 2, 4, 8)
	check("1..3", 1, 2, 3)
	check("5..40", 5, 10, 20, 40)
	check("7..7", 7)
	check("2..4,2..4", 2, 4, 2, 4)
	// Points per doubling: no size twice where steps are less than a byte.
	check("256..512/4", 256, 304, 362, 431, 512)
	check("1..4/16", 1, 2, 3, 4)
	check("1..8/1", 1, 2, 4, 8)

	count := func(text string, want int) {
		t.Helper()
		got, err := ParseSizes(text)
		if err != nil || len(got) != want {
			t.Errorf("ParseSizes(%q): %d sizes, %v; want %d", text, len(got), err, want)
		}
	}
	count("1..1MiB", 21)
	count("1KiB..64KiB/16", 97)
	count("1..8192TiB", 54)
}

func TestParseSizesErrors(t *testing.T) {
	check := func(text string, parts ...string) {
		t.Helper()
		sizes, err := ParseSizes(text)
		if err == nil {
			t.Errorf("%.40q: no error but %d sizes", text, len(sizes))
			return
		}
		for _, part := range parts {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.40q: error %q lacks %q", text, err, part)
			}
		}
	}
	check("", "empty")
	check("1,,2", `"1,,2"`, "empty")
	check("1,2,", `"1,2,"`, "empty")
	check("..", `".."`, "empty")
	check("1..", `"1.."`, "empty")
	check("..5", `"..5"`, "empty")
	check("1..2..3", `"2..3"`)
	check("0", "sizes begin at 1 B")
	check("0..4", "sizes begin at 1 B")
	check("-1", "cannot be negative")
	check("8..1", "runs backwards; write 1..8")
	check("64KiB..1/4", "runs backwards; write 1..64KiB")
	check("1..8/0", `"0" points per doubling`, "1 to 1000")
	check("1..8/1001", `"1001" points per doubling`, "1 to 1000")
	check("1..8/-1", `"-1" points per doubling`)
	check("1..8/", `"" points per doubling`)
	check("1..8/99999999999999999999", "points per doubling")
	check("1..2^63", `unknown unit "^63"`)
	check("1..9223372036854775808", "at most 8192 TiB")
	// Too many: two of the longest range there is, and a long list.
	check("1..8192TiB/1000,1..8192TiB/1000", "more than 65536", "fewer points")
	check(strings.Repeat("1,", MaxSizes)+"1", "more than 65536")
}
