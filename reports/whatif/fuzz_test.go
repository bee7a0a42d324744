package whatif

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// Whatever is set, the design that comes out has finite costs, or there is none.
func FuzzSet(f *testing.F) {
	for _, text := range []string{"host-dma.tau*=0.5", "packets=best", "packets=4KiB", "up_to+=1", "wire.beta=3us ± 1us", "wire.beta=-1us", "copy-out.tau=1us/0B", "=", "tau=", "a=b=c", "wire.beta=1e300s", "packets=8192TiB"} {
		f.Add(text)
	}
	d := find(f, "clip")
	f.Fuzz(func(t *testing.T, text string) {
		next, err := d.Set(text)
		if err != nil {
			return
		}
		for _, n := range []quantity.Bytes{1, 4096, 1 << 20} {
			if v := float64(next.Layer.Model.OneWay(n)); !(v >= 0) || math.IsInf(v, 0) {
				t.Errorf("%q: one way of %s is %v", text, n, v)
			}
			if _, err := next.At(n); err != nil {
				t.Errorf("%q: %v", text, err)
			}
		}
	})
}

// Targets and ranges are errors or make sense, and never panic.
func FuzzParse(f *testing.F) {
	for _, text := range []string{"rtt(16B) <= rtt(16B)/2", "n_half=3000", "bandwidth(4KiB)>=100MB/s", "packets=256..16KiB/8/log", "host-dma.tau=1us/KiB..2us/KiB/1000000", "wire.beta=0us..1us/", "x", "..", "rtt(", "rtt()<1us"} {
		f.Add(text)
	}
	d := find(f, "clip")
	f.Fuzz(func(t *testing.T, text string) {
		if tg, err := d.ParseTarget(text); err == nil && tg.Quantity.String() == "" {
			t.Errorf("%q: a target without a quantity", text)
		}
		if r, err := d.Searched(text); err == nil {
			if r.At(0) != r.From && !r.Param.Whole() || r.At(r.Steps-1) != r.To || !(r.From < r.To) {
				t.Errorf("%q: from %v to %v, first %v, last %v", text, r.From, r.To, r.At(0), r.At(r.Steps-1))
			}
		}
	})
}
