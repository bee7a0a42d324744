package papers

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func TestHPLAMIsWhole(t *testing.T) { checkFacts(t, "hplam") }

// computes fails the test unless the formula gives the number, in the unit, to 1e-9.
func computes(t *testing.T, layer, formula string, n quantity.Bytes, want float64, unit string) {
	t.Helper()
	d, err := platforms.Open(layer)
	if err != nil {
		t.Fatal(err)
	}
	l := d.Layer
	v, err := l.Eval(formula, n)
	if err != nil {
		t.Errorf("%s: %v", layer, err)
		return
	}
	u := quantity.Value{Num: 1}
	if unit != "" {
		u, _ = quantity.Unit(unit)
	}
	if got := v.Num / u.Num; v.Dim != u.Dim || math.Abs(got-want) > 1e-9*math.Abs(want) {
		t.Errorf("%s: %s = %v %s (%s); want %v", layer, formula, got, unit, v.Dim, want)
	}
}

func TestHPLAMNumbers(t *testing.T) {
	// §4.1: two enqueues of 183 + 8·183 ns and two dequeues of 183 + 8·691 ns.
	computes(t, "hp-lam", "2*(enqueue + dequeue)", 0, 14.716, "us")
	// Table 4.2: twice 2.9 + 5.3 + 5.8; printed 28.1.
	computes(t, "hp-lam", "rtt(n)", 1, 28.0, "us")
	computes(t, "sun-lam-ss20", "rtt(n)", 1, 31.6, "us")
	computes(t, "sun-lam-ultra1", "rtt(n)", 1, 25.0, "us")
	computes(t, "paragon", "rtt(n)", 1, 20.2, "us")
	computes(t, "meiko-cs2", "rtt(n)", 1, 21.6, "us")
	// §4.1: a stream of 4 KiB segments runs at the printed bandwidth.
	computes(t, "hp-lam/bulk", "throughput(n)", 64<<10, 24, "MB/s")
	computes(t, "hp-lam/bulk", "r_inf()", 0, 24, "MB/s")
	// A single segment costs the same in both layers of its size.
	computes(t, "hp-lam/bulk", `one_way(n) - one_way("segment", n)`, 4096, 0, "us")
}
