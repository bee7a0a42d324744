package export

import (
	"fmt"
	"math"

	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// loggopsim writes integers, since the program has no other numbers. Their unit is 1 ns, as for
// calc in GOAL, unless rounding would change a parameter too much.
func loggopsim(f *File, m Machine, s Sizes) error {
	l := m.outer().Layer
	f.loseInnerLevels(m)
	best, off := oneLine(l, s)
	send, receive := l.Overheads(s.Low)
	overhead := float64(send+receive) / 2
	if send != receive {
		f.lose("o is the mean of o_s = %s and o_r = %s, also between the messages of a stream", send, receive)
	}
	gap := max(float64(interfaceGap(l, s.Low))-best.per*float64(s.Low-1), 0)
	latency := best.at + best.per - 2*overhead // b = n−1
	if latency < 0 {
		f.lose("L would be %s: the overheads overlap with the transfer, and are reduced here", quantity.Micros(latency))
		overhead, latency = (best.at+best.per)/2, 0
	}
	f.loseCurvature(off, s)
	if send2, receive2 := l.Overheads(s.High); send2+receive2 > send+receive {
		f.lose("O is 0: o_s + o_r grow from %s to %s with the size", send+receive, send2+receive2)
	}
	unit, scale := unitFor(mostRounding, latency, overhead, gap, best.per)
	if most := max(latency, overhead, gap, best.per) * scale; most >= 1<<31 {
		return fmt.Errorf("a parameter of %s is more than its 32 bits hold in ns", quantity.Micros(most/scale))
	}
	f.Text = fmt.Sprintf("-L %.0f -o %.0f -g %.0f -G %.0f -O 0 -S 2147483647\n", latency*scale, overhead*scale, gap*scale, best.per*scale)
	if scale != 1e3 {
		f.lose("ns: times are integers, and 1 is %s, also in what LogGOPSim prints: multiply calc in GOAL, which is in ns, by %.0f", unit, scale/1e3)
	}
	for _, p := range []struct {
		name  string
		value float64
	}{{"L", latency}, {"o", overhead}, {"g", gap}, {"G", best.per}} {
		if r := rounding(p.value * scale); r > 1e-6 {
			f.lose("digits of %s, which is rounded by %s", p.name, percent(r))
		}
	}
	f.lose("S is above all sizes: the times include the platform's rendezvous, if any")
	return nil
}

// mostRounding is the maximum relative rounding error of a parameter in whole nanoseconds. With
// more, another unit is better, although GOAL's calc has nanoseconds.
const mostRounding = 0.05

// interfaceGap returns the longest time in µs that a message of n bytes occupies a resource
// other than a processor. Processors are covered by o.
func interfaceGap(l model.Layer, n quantity.Bytes) quantity.Micros {
	var gap quantity.Micros
	for _, load := range model.Loads(l.Resources(), n) {
		if load.Resource != model.Processor {
			gap = max(gap, load.Busy)
		}
	}
	return gap
}

// unitFor returns the longest unit of time in which all times, in µs, are integers within the
// relative tolerance, or the shortest unit in which they stay below 10⁹. scale is units per µs.
func unitFor(tolerance float64, times ...float64) (name string, scale float64) {
	names := []string{"1 ns", "100 ps", "10 ps", "1 ps", "100 fs", "10 fs", "1 fs"}
	largest, worst := 0.0, 1.0
	at := -1
	for worst > tolerance && at < len(names)-1 && (at < 0 || largest*10 < 1e9) {
		at++
		scale = 1e3 * math.Pow10(at)
		largest, worst = 0, 0
		for _, t := range times {
			largest, worst = max(largest, t*scale), max(worst, rounding(t*scale))
		}
	}
	return names[at], scale
}

func rounding(x float64) float64 {
	if x == 0 {
		return 0
	}
	return math.Abs(math.Round(x)/x - 1)
}
