package model

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

var measured = &Table{Sizes: []quantity.Bytes{1, 4, 1024, 4096}, Times: []quantity.Micros{2, 3, 12, 30}}

func TestTable(t *testing.T) {
	for i, n := range measured.Sizes {
		near(t, n.String(), measured.OneWay(n), measured.Times[i], 12)
		near(t, "the gap of "+n.String(), measured.Gap(n), measured.Times[i], 12)
	}
	// Half-way in logarithms is the geometric mean of both neighbours.
	near(t, "2 bytes", measured.OneWay(2), quantity.Micros(math.Sqrt(2*3)), 9)
	near(t, "64 bytes", measured.OneWay(64), 6, 9) // √(4·1024) bytes, √(3·12) µs
	// Beyond, 18 µs for each 3 KiB more.
	near(t, "7 KiB", measured.OneWay(7168), 48, 9)
	near(t, "r∞", Asymptote(measured), quantity.Bytes(3072).Over(18), 9)
	gaps := &Table{
		Sizes: measured.Sizes, Times: measured.Times, Gaps: []quantity.Micros{1, 1, 10, 20},
	}
	near(t, "the gap of 64 bytes", gaps.Gap(64), quantity.Micros(math.Sqrt(10)), 9)
	falling := &Table{Sizes: []quantity.Bytes{1, 2}, Times: []quantity.Micros{3, 2}}
	near(t, "beyond times that fall", falling.OneWay(1000), 2, 12)
}

// A power of n is a line in logarithms: interpolation meets it between any sizes.
func TestTableOfAPower(t *testing.T) {
	l := &Table{}
	power := func(n quantity.Bytes) quantity.Micros { return quantity.Micros(3 * math.Pow(float64(n), 0.7)) }
	for n := quantity.Bytes(1); n <= 1<<20; n *= 8 {
		l.Sizes, l.Times = append(l.Sizes, n), append(l.Times, power(n))
	}
	for n := quantity.Bytes(1); n <= 1<<18; n = n*3 + 1 {
		if got := l.OneWay(n); !closeTo(float64(got), float64(power(n)), 1e-12) {
			t.Errorf("%s: %v, want %v", n, got, power(n))
		}
	}
}
