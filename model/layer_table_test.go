package model

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

var aTable = &Table{Sizes: []quantity.Bytes{1, 4, 1024, 4096}, Times: []quantity.Micros{2, 3, 12, 30}}

func TestTable(t *testing.T) {
	for i, n := range aTable.Sizes {
		near(t, n.String(), aTable.OneWay(n), aTable.Times[i], 12)
		near(t, "the gap of "+n.String(), aTable.Gap(n), aTable.Times[i], 12)
	}
	// Half-way in logarithms is the geometric mean of both neighbours.
	near(t, "2 bytes", aTable.OneWay(2), quantity.Micros(math.Sqrt(2*3)), 9)
	near(t, "64 bytes", aTable.OneWay(64), 6, 9) // √(4·1024) bytes, √(3·12) µs
	// Beyond, 18 µs for each 3 KiB more.
	near(t, "7 KiB", aTable.OneWay(7168), 48, 9)
	near(t, "r∞", Asymptote(aTable), quantity.Bytes(3072).Over(18), 9)
	gaps := &Table{
		Sizes: aTable.Sizes, Times: aTable.Times, Gaps: []quantity.Micros{1, 1, 10, 20},
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

// A measured line with another β or τ is that line; its gaps follow τ alone.
func TestTableOnAnotherLine(t *testing.T) {
	line := func(beta, tau float64) (l *Table) {
		l = &Table{}
		for n := quantity.Bytes(8); n <= 1<<20; n *= 4 {
			l.Sizes = append(l.Sizes, n)
			l.Times = append(l.Times, quantity.Micros(beta+tau*float64(n-8)))
			l.Gaps = append(l.Gaps, quantity.Micros(0.5+0.8*tau*float64(n-8)))
		}
		return l
	}
	for _, test := range []struct{ beta, tau float64 }{{2, 0.01}, {2, 0.0025}, {0.7, 0.01}, {5, 0.03}} {
		changed, want := line(2, 0.01), line(test.beta, test.tau)
		changed.Beta, changed.Tau = quantity.Micros(test.beta), quantity.MicrosPerByte(test.tau)
		for _, n := range append([]quantity.Bytes{1, 1 << 21, 1 << 30}, changed.Sizes...) {
			if got, want := changed.OneWay(n), want.OneWay(n); !closeTo(float64(got), float64(want), 1e-12) {
				t.Errorf("%v: one way of %s is %v, want %v", test, n, got, want)
			}
			if got, want := changed.Gap(n), want.Gap(n); !closeTo(float64(got), float64(want), 1e-12) {
				t.Errorf("%v: the gap of %s is %v, want %v", test, n, got, want)
			}
		}
	}
	none := line(2, 0.01)
	none.Tau = 0.01 // and no latency, of which there is no logarithm
	near(t, "a byte without latency", none.OneWay(1), minCost, 12)
	// A handshake beyond 64 KiB adds two latencies, which a faster link does not shorten.
	step := func(beta, tau float64) *Table {
		l := line(beta, tau)
		for i, n := range l.Sizes {
			if n > 1<<16 {
				l.Times[i] += quantity.Micros(2 * beta)
			}
		}
		return l
	}
	for _, to := range []struct{ beta, tau float64 }{{2, 0.0025}, {1, 0.01}, {1, 0.005}} {
		changed, want := step(2, 0.01), step(to.beta, to.tau)
		beta, tau := changed.times().line()
		changed.Beta = beta * quantity.Micros(to.beta/2)
		changed.Tau = tau * quantity.MicrosPerByte(to.tau/0.01)
		for _, n := range changed.Sizes {
			if got, want := changed.OneWay(n), want.OneWay(n); !closeTo(float64(got), float64(want), 5e-3) { // the step is in τ
				t.Errorf("%v: one way of %s with a handshake is %v, want %v", to, n, got, want)
			}
		}
	}
	bent := &Table{Sizes: aTable.Sizes, Times: aTable.Times, Beta: 4, Tau: 2 * 28. / 4095}
	near(t, "twice all", bent.OneWay(1024), 24, 12)
	near(t, "twice all, between the sizes", bent.OneWay(64), 12, 9)
	flat := &Table{Sizes: []quantity.Bytes{1, 2, 4}, Times: []quantity.Micros{3, 4, 2}, Beta: 1.5, Tau: 7}
	near(t, "times that fall have no τ", flat.OneWay(2), 2, 12)
	fine := testing.AllocsPerRun(10, func() { bent.OneWay(700); bent.Gap(700) })
	if fine > 0 {
		t.Errorf("%v allocations for a time; a sweep takes millions", fine)
	}
}
