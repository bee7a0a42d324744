package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/model/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// bounds of a protocol's score.
type bounds struct {
	protocol             string
	low, high            float64 // coverage
	median, p90, width   float64
	machines, leastCases int
}

func check(t *testing.T, curves []Curve, use func(*Curve) bool, of *forecast.Calibration, all []bounds) {
	t.Helper()
	for _, want := range all {
		for _, p := range Protocols {
			if p.Name != want.protocol {
				continue
			}
			s := Judge(p.Cases(curves, use), func(string) *forecast.Calibration { return of })
			t.Logf("%s: %d cases, coverage %.1f %%, median error %.1f %%, 90th percentile %.1f %%, median width %.0f %%",
				p.Name, s.Cases, 100*s.Coverage, 100*s.MedianError, 100*s.P90, 100*s.MedianWidth)
			if s.Cases < want.leastCases || s.Machines < want.machines || s.Coverage < want.low || s.Coverage > want.high ||
				s.MedianError > want.median || s.P90 > want.p90 || s.MedianWidth > want.width {
				t.Errorf("%s: %+v, want %+v", p.Name, s, want)
			}
		}
	}
}

// The repository's own measurements, which the calibration has not seen: NetPIPE over shared memory
// and over TCP loopback of a virtual machine. Their scatter at sizes 3 bytes apart is up to 31 %.
func TestOwn(t *testing.T) {
	curves, err := Load("../../../fit/benchfile/testdata")
	if err != nil {
		t.Fatal(err)
	}
	own := curves[:0]
	for _, c := range curves {
		if strings.HasPrefix(c.Machine, "netpipe-") && strings.HasSuffix(c.Machine, ".np.out") {
			own = append(own, c)
		}
	}
	check(t, own, Latency, forecast.Latencies(), []bounds{
		// The interval has the noise of sizes 3 bytes apart once in the curve's noise and once in
		// the residuals of its neighbours: 32 %.
		{"every third size held out", 0.90, 0.99, 0.04, 0.13, 0.33, 2, 200},
		// TCP loopback on two cores: neighbouring sizes differ by up to 31 %.
		{"cut anywhere from 4 KiB on, half an octave on", 0.86, 1.001, 0.20, 0.45, 1.3, 2, 40},
		// A last octave that rises by more than in proportion may go on, and here it is often noise.
		{"cut anywhere from 4 KiB on, one octave on", 0.88, 1.001, 0.20, 0.45, 1.5, 2, 80},
		{"cut anywhere from 4 KiB on, four octaves on", 0.90, 1.001, 0.40, 0.85, 4, 2, 40},
	})
}

// The published curves. The calibration has learned from them, so that most of this
// is in sample; one machine is judged by a calibration without it. All the others are in
// docs/validation/trust.md, and take minutes.
func TestPublished(t *testing.T) {
	if testing.Short() {
		t.Skip("500 curves")
	}
	curves, err := Published()
	if err != nil {
		t.Fatal(err)
	}
	check(t, curves, Latency, forecast.Latencies(), []bounds{
		// The library has the shapes of these very curves: more is held than of unseen machines.
		{"every third size held out", 0.93, 0.985, 0.03, 0.18, 0.30, 10, 6000},
		{"the two largest sizes held out", 0.90, 1.001, 0.10, 0.20, 0.80, 10, 600},
		{"all but five sizes held out", 0.93, 1, 0.05, 0.20, 1, 9, 5000},
		{"another run at the sizes measured, from two runs", 0.92, 0.99, 0.02, 0.10, 0.30, 4, 1000},
	})

	// Streams of up to 32 KiB, at 1 MiB: their rates still rise, and what they rise to is not in the
	// data.
	check(t, curves, Stream, forecast.Streams(), []bounds{
		{"up to 32 KiB given, 1 MiB", 0.93, 1.001, 0.15, 0.95, 2.2, 7, 30},
		{"the two largest sizes held out", 0.93, 1.001, 0.02, 0.35, 0.5, 10, 70},
	})

	// 324 cases of 12 curves: two standard errors of independent ones are 2.4 %, but those of a
	// curve go together.
	const leftOut = "orfeo-thin-imb"
	one := func(c *Curve) bool { return Latency(c) && c.Machine == leftOut }
	check(t, curves, one, Train(curves, Latency, func(m string) bool { return m == leftOut }, nil), []bounds{
		{"every third size held out", 0.86, 0.99, 0.06, 0.18, 0.40, 1, 300},
	})
}

// A run that is kept in two folders counts once, and a machine once that two files of an index
// name.
func TestLoadOnce(t *testing.T) {
	latency := func(factor float64) string {
		text := "# OSU MPI Latency Test v5.8\n# Size          Latency (us)\n"
		for i := range 14 {
			n := 1 << i
			text += fmt.Sprintf("%-16d %.2f\n", n, factor*(2+float64(n)/1000))
		}
		return text
	}
	root := t.TempDir()
	for name, text := range map[string]string{
		"a/INDEX.tsv":         "file\tformat\tmachine/network\nosu/ib.txt\tosu\tTestbed birch, InfiniBand\nosu/roce.txt\tosu\tTestbed birch, RoCE \"25\"\nosu/x.txt\tosu\tnot stated\n",
		"a/osu/ib.txt":        latency(1),
		"a/osu/roce.txt":      latency(1.5),
		"a/osu/x.txt":         latency(1.7),
		"b/oak/latency-1.out": latency(2),
		"c/oak/latency-1.out": latency(2),
		"c/oak/latency-2.out": latency(2.1),
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	curves, err := Load(filepath.Join(root, "a"), filepath.Join(root, "b"), filepath.Join(root, "c"))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range curves {
		got = append(got, c.Machine)
	}
	if want := []string{"Testbed birch", "Testbed birch", "x.txt", "oak", "oak"}; !slices.Equal(got, want) {
		t.Errorf("curves of %q, want %q", got, want)
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

// The level is that at which factors of the others hold 95 % of each machine: of two whose factors
// are even from 0 to 1 and from 0 to 1.1, the second is held in l/1.1 of its cases at level l, and
// the first in all, so that l = 0.9 · 1.1 = 0.99.
func TestNestedLevel(t *testing.T) {
	var all []outcome
	for k := range 1000 {
		all = append(all, outcome{"a", float64(k) / 1000, 0, 1}, outcome{"b", 1.1 * float64(k) / 1000, 0, 1})
	}
	if got := nestedLevel(all, 1); math.Abs(got-0.99) > 0.0051 { // levels are tried in steps of 0.005
		t.Errorf("level %v, want 0.99", got)
	}
	for i := range all { // machines that are alike need no more than 95 %
		all[i].up = float64(i/2) / 1000
	}
	if got := nestedLevel(all, 1); math.Abs(got-0.95) > 0.0051 {
		t.Errorf("level %v of machines that are alike, want 0.95", got)
	}
}

// Changes are the means of machines, with three times that of all octaves, and a quarter for
// neighbouring octaves; the machine that is left out, planted ones and other distances do not count.
func TestChanges(t *testing.T) {
	at := func(machine string, octave, off, width float64) sample {
		s := sample{machine: machine, size: math.Exp2(octave), y: off, weight: 1}
		s.parts.Width = width
		return s
	}
	all := []sample{
		at("a", 14, 0.4, 1), at("a", 20, 0.2, 1), at("b", 14, -0.2, 1),
		at("c", 14, 9, 1), at("planted: a line", 14, 9, 1), at("b", 14, 9, 2),
	}
	got := changes(all, "c")
	// All octaves: 0.6/3 up, 0.2/3 down. At 16 KiB a and b count, at 1 MiB a, at 512 KiB a too.
	for i, want := range map[int][2]float64{
		14: {(3*0.2 + 0.4) / 5, 2 * 0.2 / 5}, 20: {0.2, 0.05}, 19: {0.2, 0.05}, 17: {0.2, 0.2 / 3},
	} {
		if math.Abs(got[0][i]-want[0]) > 1e-12 || math.Abs(got[1][i]-want[1]) > 1e-12 {
			t.Errorf("octave %d: %v, %v, want %v", i, got[0][i], got[1][i], want)
		}
	}
}

// Of 100 errors, each side may miss some: the narrowest interval leaves out the five that lengthen it
// most.
func TestNarrowest(t *testing.T) {
	var all []miss
	for i := range 100 {
		off := 0.01 * float64(i%10-5)
		if i < 5 {
			off = 1 + float64(i)
		}
		all = append(all, miss{off, 2})
	}
	if got, want := narrowest(all), math.Exp(0.04)-math.Exp(-0.05); math.Abs(got-want) > 1e-12 {
		t.Errorf("%v, want %v", got, want)
	}
}

// More terms are taken if they make machines likelier; one that is missed by far does not decide.
func TestLikelier(t *testing.T) {
	judged := func(losses ...float64) (all []judgedSample) {
		for i, v := range losses {
			j := judgedSample{loss: v}
			j.sample.machine = string(rune('a' + i/2)) // two samples each
			all = append(all, j)
		}
		return all
	}
	few := judged(1, 1, 1, 1, 1, 1, 1, 1)
	if !likelier(judged(1, 0.9, 2, -0.5, 1, 0.9, 9, 9), few) {
		t.Error("three of four are likelier")
	}
	if likelier(judged(-9, -9, 1, 1.1, 1, 1.1, 1, 1.1), few) {
		t.Error("one of four is likelier")
	}
}

// A machine's peaks are the highest rates of its streams from 256 KiB on; equal ones count once.
func TestPeaks(t *testing.T) {
	stream := func(machine string, rate float64) Curve {
		c := Curve{Machine: machine, Kind: benchfile.Gap}
		for n := 1.0; n <= 1<<20; n *= 2 {
			c.Points = append(c.Points, forecast.Point{
				Size: quantity.Bytes(n), Time: quantity.Micros(2 + n/rate)})
		}
		return c
	}
	short := stream("c", 1e4)
	short.Points = short.Points[:16]
	got := peaks([]Curve{stream("a", 1e4), stream("a", 1.01e4), stream("a", 2e4), stream("b", 5e3), short}, Stream)
	peak := func(rate float64) float64 { return math.Log((1 << 20) / (2 + (1<<20)/rate)) }
	want := [][2]float64{{0.25, peak(1e4)}, {0.25, peak(2e4)}, {0.5, peak(5e3)}}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// On a line, both the curve and the line that is fitted to it predict the stream's larger messages.
// No rate is above both r∞ and the last one measured.
func TestCompare(t *testing.T) {
	c := Curve{Machine: "a", Kind: benchfile.Gap}
	for n := 1.0; n <= 1<<20; n *= 2 {
		c.Points = append(c.Points, forecast.Point{
			Size: quantity.Bytes(n), Time: quantity.Micros(0.5 + n/1e4)})
	}
	curves := []Curve{c}
	all := upTo(32<<10, 1<<20).Cases(curves, Stream)
	got, err := Compare(all, func(string) *forecast.Calibration { return forecast.Streams() })
	if err != nil || got.Cases != 1 || got.Machines != 1 || got.Over != 0 {
		t.Fatalf("%+v, %v", got, err)
	}
	if got.Line > 1e-6 || got.LineByMachine != got.Line || got.Curve > 0.1 || got.CurveByMachine != got.Curve {
		t.Errorf("%+v", got)
	}
}

// Calibration finds what is planted: curves whose jumps are after 8 KiB, and of noise that others
// have.
func TestTrain(t *testing.T) {
	var curves []Curve
	for m := range 4 {
		c := Curve{Machine: string(rune('a' + m)), Kind: benchfile.OneWay}
		for i := range 20 {
			n := float64(int(1) << i)
			v := 1 + n/1000
			if n > 8192 {
				v *= 1.5
			}
			if i%2 == m%2 {
				v *= 1.02
			}
			c.Points = append(c.Points, forecast.Point{Size: quantity.Bytes(n), Time: quantity.Micros(v)})
		}
		curves = append(curves, c)
	}
	k := Train(curves, Latency, func(m string) bool { return m == "a" }, nil)
	if k.Breaks[13] != 3+anywhere || k.Breaks[12] != anywhere || k.Breaks[5] != anywhere {
		t.Errorf("jumps are learned at %v", k.Breaks)
	}
	p := Protocols[0]
	cases := p.Cases(curves, func(c *Curve) bool { return c.Machine == "a" })
	if s := Judge(cases, func(string) *forecast.Calibration { return k }); s.Coverage < 0.9 || s.MedianWidth > 0.3 {
		t.Errorf("on the machine that was left out: %+v", s)
	}
	if err := Report(io.Discard, curves, Latency, LeaveOut(curves, Latency, nil), false, true); err != nil {
		t.Error(err)
	}
}
