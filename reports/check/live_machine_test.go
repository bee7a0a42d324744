//go:build linux

package check

import (
	"math"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// planted is what a machine of these parameters would measure, without noise: stages of which
// the same is the slowest at all sizes, lines by size, and HP-LAM's LogP of table 4.2.
func planted() (training, model.Pipeline, model.LogP) {
	pipe := model.Pipeline{Stages: []model.Stage{
		{Name: "send", Beta: 1.0, Tau: 5.9 / 1024}, {Name: "hand over", Beta: 1.3, Tau: 7.5 / 1024}, {Name: "receive", Beta: 0.5, Tau: 7.0 / 1024},
	}}
	logp := model.LogP{SendOverhead: 2.9, ReceiveOverhead: 5.8, Latency: 5.3, GapTime: 8.7}
	d := training{
		oneWay: &benchfile.Table{Title: "one way", Kind: benchfile.OneWay}, gap: &benchfile.Table{Title: "gap", Kind: benchfile.Gap},
		signature: &benchfile.Table{Title: "signature", Kind: benchfile.Interval}, short: 14,
	}
	for n := quantity.Bytes(1); n <= 1<<20; n *= 2 {
		addSample(d.oneWay, n, 14+quantity.MicrosPerByte(0.02).Times(n))
		addSample(d.gap, n, 8.7+quantity.MicrosPerByte(0.01).Times(n))
	}
	for _, p := range []quantity.Bytes{1 << 10, 4 << 10, 16 << 10} {
		times := packetTimes{size: p, message: pipe.OneWayAs(model.EqualPlan(32<<10, p)), count: int(32 << 10 / p)}
		for _, s := range pipe.Stages {
			times.stages = append(times.stages, s.Time(p))
			times.alone += s.Time(p)
		}
		d.packets = append(d.packets, times)
	}
	for _, delta := range []quantity.Micros{0, 4, 16, 32} {
		for m := 1; m <= 1024; m *= 2 {
			interval := logp.Interval(delta)
			if m == 1 {
				interval = logp.SendOverhead + delta
			}
			d.signature.Bursts = append(d.signature.Bursts, benchfile.Burst{Messages: m, Delta: delta, Interval: interval})
		}
	}
	return d, pipe, logp
}

func nearTime(t *testing.T, what string, got, want quantity.Micros, part float64) {
	t.Helper()
	if math.Abs(float64(got-want)) > part*float64(want) {
		t.Errorf("%s: %v; want %v", what, got, want)
	}
}

// A machine of planted parameters predicts what was not measured.
func TestFitMachine(t *testing.T) {
	d, pipe, logp := planted()
	m, err := fitMachine(d, "send", "hand over", "receive")
	if err != nil {
		t.Fatal(err)
	}
	// Exactly, but for the arithmetic of least squares.
	const exact = 1e-6
	for i, s := range m.Pipeline.Stages {
		nearTime(t, s.Name+" of 2 KiB", s.Time(2048), pipe.Stages[i].Time(2048), exact)
	}
	nearTime(t, "64 KiB in packets of 2 KiB", m.inPackets(64<<10, 2048), pipe.OneWayAs(model.EqualPlan(64<<10, 2048)), exact)
	nearTime(t, "one way of 3 KiB", m.OneWay.Time(3<<10), 14+0.02*3072, exact)
	// Two credits come back one by one: R = 14 + 14 + 0.02·4096 = 109.92 µs, and two messages in
	// it.
	nearTime(t, "4 KiB, 2 credits", m.inWindow(4<<10, 2), 109.92/2, exact)
	// 64 credits do not stop anybody: the gap, and a receive of 0.5 µs for each 32 messages.
	nearTime(t, "4 KiB, 64 credits", m.inWindow(4<<10, 64), 8.7+40.96+0.5/32, exact)
	if m.LogPError != nil {
		t.Fatal(m.LogPError)
	}
	nearTime(t, "bursts, Δ = 10 µs", m.LogP.Interval(10), logp.Interval(10), 0.01) // the fit extrapolates bursts to no end
	nearTime(t, "L", m.LogP.Latency, 14-m.LogP.SendOverhead-m.LogP.ReceiveOverhead, exact)
}

func TestFitMachineErrors(t *testing.T) {
	d, _, _ := planted()
	d.packets[0].count = 1
	if _, err := fitMachine(d, "send", "hand over", "receive"); err == nil {
		t.Error("a message of one packet tells nothing of the next")
	}
	d, _, _ = planted()
	if _, err := fitMachine(d, "send"); err == nil {
		t.Error("three times for one stage")
	}
	d, _, _ = planted()
	d.signature.Bursts = nil
	if m, err := fitMachine(d, "send", "hand over", "receive"); err != nil || m.LogPError == nil {
		t.Errorf("without a signature there is no LogP, and all else: %v", err)
	}
}
