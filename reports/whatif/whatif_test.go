package whatif

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
	"github.com/halfpeak/halfpeak/platforms"
)

func find(t testing.TB, ref string) Design {
	t.Helper()
	d, err := platforms.Open(ref)
	if err != nil {
		t.Fatal(err)
	}
	return Of(d)
}

func TestSet(t *testing.T) {
	check := func(ref, assignment, path, want string) {
		t.Helper()
		d, err := find(t, ref).Set(assignment)
		if err != nil {
			t.Error(err)
			return
		}
		p, err := d.Find(path)
		if err != nil {
			t.Fatal(err)
		}
		if p.Text != want {
			t.Errorf("%s: %s is %s, want %s", assignment, path, p.Text, want)
		}
	}
	check("clip", "stage.host-dma.tau=3.8us/KiB", "stage.host-dma.tau", "3.8 µs/KiB")
	check("clip", "host-dma.tau*=0.5", "stage.host-dma.tau", "3.8 µs/KiB")
	check("clip", "host-dma.beta += 0.4us", "stage.host-dma.beta", "1 µs")
	check("clip", "wire.beta-=300ns", "stage.wire.beta", "1 µs")
	check("clip", "copy-out.tau/=2", "stage.copy-out.tau", "2.95 µs/KiB")
	check("clip", "packets=4096", "packets", "4 KiB")
	check("clip", "packets=best", "packets", "best")
	check("clip", "up_to=1KiB", "up_to", "1 KiB")
	check("hp-lam", "logp.o_r*=0.5", "o_r", "2.9 µs")
	check("hp-lam", "L=o_s+o_r", "L", "8.7 µs")
	check("hp-lam/bulk", "mtu=8KiB", "mtu", "8 KiB")
}

func TestSetErrors(t *testing.T) {
	check := func(ref, assignment, want string) {
		t.Helper()
		_, err := find(t, ref).Set(assignment)
		if err == nil || err.Error() != assignment+": "+want {
			t.Errorf("got  %v\nwant %s: %s", err, assignment, want)
		}
	}
	check("clip", "tau=3us/KB", `"tau" matches several parameters: stage.copy-out.tau, stage.host-dma.tau, stage.wire.tau, stage.host-dma-in.tau, layer.pio.tau; write one of them`)
	check("clip", "hots-dma.tau=3us/KB", `clip/system-buffer has no parameter "hots-dma.tau"; did you mean "host-dma.tau"?`)
	check("clip", "host-dma.tau=3us", `"3us" is a time; stage.host-dma.tau takes an inverse bandwidth here`)
	check("clip", "host-dma.tau*=3us", `"3us" is a time; stage.host-dma.tau takes a plain number here`)
	check("clip", "host-dma.beta-=3us", `stage.host-dma.beta: "-2.4 µs": a time cannot be negative`)
	check("clip", "packets*=2", `packets is the word "eq10", which cannot be scaled; write packets=4KiB`)
	check("clip", "host-dma.tau", `nothing is set; write NAME=VALUE, as in "o_r=2us" or "o_r*=0.5"`)
}

// The shares are the times themselves where nothing overlaps, and along the
// slowest way where something does: CLIP sends 64 KiB through stages 0-3 in 19 packets of
// 3,490 bytes, the last of 2,716; the way goes through all stages once and waits in stage 1.
func TestShares(t *testing.T) {
	d := find(t, "hp-lam")
	shares, err := d.Shares(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range shares {
		want := map[string]quantity.Micros{"o_s": 2.9, "o_r": 5.8, "L": 5.3}[s.Owner]
		if math.Abs(float64(s.OneWay-want)) > 1e-6 {
			t.Errorf("%s owns %v, want %v", s.Owner, s.OneWay, want)
		}
	}
	for _, d := range designs(t) {
		for _, n := range []quantity.Bytes{1, 100, 4096, 65536, 1e6} {
			checkShares(t, d, n)
		}
	}
}

// designs are all layers of all platforms.
func designs(t *testing.T) (designs []Design) {
	t.Helper()
	all, err := platforms.All()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		for _, l := range p.Layers {
			designs = append(designs, Design{Design: platforms.Design{Platform: p, Layer: l}})
		}
	}
	return designs
}

func checkShares(t *testing.T, d Design, n quantity.Bytes) {
	t.Helper()
	shares, err := d.Shares(n)
	if err != nil {
		t.Fatal(err)
	}
	var oneWay, gap quantity.Micros
	for _, s := range shares {
		if s.OneWay < -1e-6 || s.Gap < -1e-6 {
			t.Errorf("%s at %s: %s owns %v and %v", d.Layer.Ref(), n, s.Path, s.OneWay, s.Gap)
		}
		oneWay, gap = oneWay+s.OneWay, gap+s.Gap
	}
	l := d.Layer.Model
	if math.Abs(float64(oneWay/l.OneWay(n))-1) > 1e-7 || math.Abs(float64(gap/l.Gap(n))-1) > 1e-7 {
		t.Errorf("%s at %s: shares add up to %v and %v, not %v and %v", d.Layer.Ref(), n, oneWay, gap, l.OneWay(n), l.Gap(n))
	}
}
