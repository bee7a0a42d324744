package main

import (
	"io"
	"math"
	"path/filepath"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/internal/evidence/judge"
	"github.com/halfpeak/halfpeak/internal/forecast"
	"github.com/halfpeak/halfpeak/internal/published"
)

// The repository's own measurements, which the calibration has not seen: NetPIPE over shared memory
// and over TCP loopback of a virtual machine. Their scatter at sizes 3 bytes apart is up to 31 %.
func TestOwn(t *testing.T) {
	files, err := filepath.Glob("../../../fit/benchfile/testdata/*.out")
	if err != nil {
		t.Fatal(err)
	}
	var curves []Curve
	for _, file := range files {
		for _, table := range published.Read(file) {
			curves = add(curves, file, filepath.Base(file), &table)
		}
	}
	own := Latency
	latencies := func(string) *forecast.Calibration { return forecast.Latencies() }
	for _, p := range Protocols {
		all, _ := Judge(p.Name, p.Cases(curves, own), latencies)
		s := judge.Of(p.Name, all)
		if p.Name != "every third size held out" && p.Name != "one octave above" {
			continue
		}
		t.Logf("%s: %+v", p.Name, s)
		if s.Answers < 50 || s.Right < 0.85 || s.Median > 0.15 {
			t.Errorf("%s: %+v", p.Name, s)
		}
	}
}

// Every curve that a layer can be saved of has a calibration: nothing would be learned from a kind
// of times that is neither a latency nor a stream nor an operation.
func TestKinds(t *testing.T) {
	for kind, want := range map[benchfile.Kind][3]bool{
		benchfile.OneWay: {true, false, false}, benchfile.RoundTrip: {true, false, false},
		benchfile.Gap: {false, true, false}, benchfile.Operation: {false, false, true},
		benchfile.Collective: {false, false, true}, benchfile.Stage: {false, false, false},
	} {
		c := Curve{Kind: kind}
		if got := [3]bool{Latency(&c), Stream(&c), Operation(&c)}; got != want {
			t.Errorf("%v: latency, stream, operation = %v, want %v", kind, got, want)
		}
	}
}

// Factors hold 95 % of a machine that they do not come from: of two machines whose errors are even
// up to 1 and up to 1.1 scales, 95 % of the second are held up to 1.045.
func TestFactors(t *testing.T) {
	var all []sample
	for k := range 1000 {
		off := float64(k%500) / 500
		if k%2 == 1 {
			off = -off
		}
		p := forecast.Parts{Share: 1, Most: math.Inf(1), Terms: [2]forecast.Terms{{1}, {1}}}
		all = append(all, sample{machine: "a", off: off, parts: p, weight: 1},
			sample{machine: "b", off: 1.1 * off, parts: p, weight: 1})
	}
	got := factors(all, &[2]forecast.Terms{{1}, {1}})
	// Levels are tried in steps of 0.005; a level of l holds the mean of 1 and l/1.1.
	for side, f := range got {
		if f < 0.9 || f > 1.1 {
			t.Errorf("side %d: %v", side, f)
		}
	}
}

// Calibration finds what is planted: of noise that other machines have, 95 % are held.
func TestTrain(t *testing.T) {
	curves := Planted(benchfile.OneWay, 8, 3)
	for i := range curves { // as if measured
		curves[i].Machine, curves[i].Planted = string(rune('a'+i%6)), false
	}
	k := Train(curves, Latency, func(m string) bool { return m == "a" })
	cases := Protocols[0].Cases(curves, func(c *Curve) bool { return c.Machine == "a" })
	all, _ := Judge("a", cases, func(string) *forecast.Calibration { return k })
	s := judge.Of("a", all)
	if s.Right < 0.9 || s.Width > 1.8 {
		t.Errorf("on the machine that was left out: %+v", s)
	}
	latencies := kind{name: "Latencies", use: Latency}
	if err := Report(io.Discard, curves, latencies, LeaveOut(curves, Latency), true); err != nil {
		t.Error(err)
	}
}
