package fit

import (
	"math"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// hiddenSignature is that of o_s = o_r = 2 µs and g = 50 µs, without noise: M requests take
// (M−1)·max(g, o_s + o_r + Δ) + o_s + Δ.
func hiddenSignature() *benchfile.Table {
	t := &benchfile.Table{Title: "signature"}
	for _, delta := range []float64{0, 2, 5, 10, 40, 60, 100, 200} {
		for m := 1; m <= 256; m *= 2 {
			time := float64(m-1)*max(50, 4+delta) + 2 + delta
			t.Bursts = append(t.Bursts, benchfile.Burst{
				Messages: m, Delta: quantity.Micros(delta),
				Interval: quantity.Micros(time / float64(m)),
			})
		}
	}
	return t
}

// A processor of a ping-pong sends once in a round trip, so that it takes at least g. If it takes g,
// L is at most g/2 − o_s − o_r; if it takes longer, L = RTT/2 − o_s − o_r; less is impossible.
func TestLogPHidden(t *testing.T) {
	table := hiddenSignature()
	logP := func(rtt quantity.Micros) (*LogPResult, error) {
		r, err := LogP(table, rtt)
		if err == nil {
			err = r.PingPong(rtt)
		}
		return r, err
	}
	r, err := logP(50)
	if err != nil {
		t.Fatal(err)
	}
	if r.Low.Latency != 0 || math.Abs(float64(r.Value.Latency)-21) > 1e-6 ||
		!strings.Contains(strings.Join(r.Warnings, "\n"), "L is not identifiable") {
		t.Errorf("L = %v (%v to %v), %q", r.Value.Latency, r.Low.Latency, r.High.Latency, r.Warnings)
	}
	if r, err = logP(60); err != nil || math.Abs(float64(r.Value.Latency)-26) > 1e-6 ||
		r.Low.Latency < 25.9 || len(r.Warnings) > 0 {
		t.Errorf("60 µs: %+v, %v", r, err)
	}
	if _, err = logP(48); err == nil || !strings.Contains(err.Error(), "shorter than g") {
		t.Errorf("48 µs: %v", err)
	}
}

// Small messages of a ping-pong show half of g, and not o_s + L + o_r: that is then known from
// larger ones, or not at all.
func TestLogGPHidden(t *testing.T) {
	const sum, g, perByte = 5., 20., 0.001
	tables := func(largest float64) []*benchfile.Table {
		latency := table(doublings(largest), func(n float64) float64 {
			return max(sum+(n-1)*perByte, (g+(n-1)*perByte)/2)
		})
		stream := table(doublings(largest), func(n float64) float64 { return g + (n-1)*perByte })
		return []*benchfile.Table{kind(latency, benchfile.OneWay), kind(stream, benchfile.Gap)}
	}
	r, err := LogGP(tables(1 << 20)...)
	if err != nil {
		t.Fatal(err)
	}
	if v := r.Protocols[0].Value; math.Abs(float64(v.Latency)-sum) > 1e-6 ||
		math.Abs(float64(v.GapTime)-g) > 1e-6 || !strings.Contains(r.Warnings[0], "show g") {
		t.Errorf("%+v, %q", v, r.Warnings)
	}
	if r, err = LogGP(tables(4096)...); err != nil ||
		!strings.Contains(r.Warnings[0], "L is not identifiable") {
		t.Errorf("%+v, %v", r, err)
	}
}

func doublings(largest float64) (sizes []float64) {
	for n := 1.0; n <= largest; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// What is measured beyond a jump may be two or three sizes, at either end: they are a protocol and
// no outliers. A single one may be either, and no boundary that leaves one is excluded.
func TestFewBeyondJump(t *testing.T) {
	round := func(v float64) float64 { return math.Round(100*v) / 100 }
	for few := 2; few <= 3; few++ {
		ends := doublings(math.Exp2(17 + float64(few)))
		upper := table(ends, func(n float64) float64 {
			if n > 1<<17 {
				return round(10 + n/1e4)
			}
			return round(1 + n/1e3)
		})
		first := ends[few-1]
		lower := table(ends, func(n float64) float64 {
			if n > first {
				return round(20 + n/1e3)
			}
			return round(2 + n/1e2)
		})
		for name, table := range map[string]*benchfile.Table{"above": upper, "below": lower} {
			r, err := Auto(table)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Segments) != 2 || r.Worst > 0.01 {
				t.Errorf("%d sizes %s the jump: %d segments by %s, off by up to %.1f %%", few, name,
					len(r.Segments), r.Method, 100*r.Worst)
				continue
			}
			if s := r.Segments[1]; name == "above" && math.Abs(float64(s.RInf())/1e4-1) > 0.01 {
				t.Errorf("%d sizes above the jump: r∞ is %v", few, s.RInf())
			}
		}
	}
	one := table(doublings(1<<18), func(n float64) float64 {
		if n > 1<<17 {
			return 10 + n/1e4
		}
		return 1 + n/1e3
	})
	r, err := Piecewise(one, 2)
	if err != nil {
		t.Fatal(err)
	}
	if b := r.Breaks[0]; b.Within.High < 1<<17 {
		t.Errorf("one size above the jump: the boundary is at most at %v", b.Within.High)
	}
}
