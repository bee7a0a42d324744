package model

import (
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// A measured layer costs its curve. A change of its lines changes the time in proportion, and r∞
// and n½ stay those of the lines.
func TestMeasured(t *testing.T) {
	curve := func(n quantity.Bytes) quantity.Micros { return 3 + quantity.Micros(n)/500 }
	fitted := &Switch{Branches: []Branch{{Name: "short", UpTo: 100, Layer: &Linear{Beta: 2, Tau: 0.002}}, {Name: "long", Layer: &Linear{Beta: 4, Tau: 0.001}}}}
	m := &measured{Lines: fitted, Fitted: fitted, Curve: curve}
	for _, n := range []quantity.Bytes{1, 100, 101, 1 << 20} {
		if m.OneWay(n) != curve(n) || m.Gap(n) != curve(n) || RTT(m, n) != 2*curve(n) {
			t.Errorf("%v: %v, gap %v; measured %v", n, m.OneWay(n), m.Gap(n), curve(n))
		}
		if Regime(m, n) != Regime(fitted, n) || At(m, n) != At(fitted, n) {
			t.Errorf("%v: regime %q", n, Regime(m, n))
		}
		if busy := FanIn(m.resources(), 2, n); busy != curve(n)/2 {
			t.Errorf("%v: occupies its path for %v, measured %v", n, 2*busy, curve(n))
		}
	}
	if r := Asymptote(m); r != Asymptote(fitted) {
		t.Errorf("r∞ = %v, the lines' is %v", r, Asymptote(fitted))
	}
	changed := clone(m).(*measured)
	changed.Lines.(*Switch).Branches[1].Layer.(*Linear).Beta = 2
	// At 1,000 bytes the line falls from 5 to 3 µs, and the curve's 5 µs in proportion.
	if got := changed.OneWay(1000); got != 3 || m.OneWay(1000) != 5 {
		t.Errorf("changed: %v; as it was: %v", got, m.OneWay(1000))
	}
	// Gaps and overheads that are not the one-way time are the lines'.
	lines := &LogP{Latency: 5, SendOverhead: 1, ReceiveOverhead: 2, GapTime: 4}
	p := &measured{Lines: lines, Fitted: lines, Curve: curve}
	send, receive := p.Overheads(1)
	if p.Gap(1) != lines.Gap(1) || send != 1 || receive != 2 || p.OneWay(1000) != 5 {
		t.Errorf("gap %v, overheads %v and %v, one way %v", p.Gap(1), send, receive, p.OneWay(1000))
	}
	free := &measured{Lines: &Linear{Beta: 1}, Fitted: &Linear{}, Curve: curve}
	if got := free.OneWay(1000); got != 6 {
		t.Errorf("1 µs more than lines that cost nothing is %v", got)
	}
	// The delays of the lines' hops are in proportion to the curve.
	var way quantity.Micros
	route := p.resources().(Route)
	for _, hop := range route.Hops {
		way += hop.Delay.of(1000)
	}
	if way += route.Send.of(1000) + route.Receive.of(1000); way != 5 {
		t.Errorf("the route of 1000 bytes takes %v, measured 5 µs", way)
	}
}
