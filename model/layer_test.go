package model

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// cut is l with another way to choose packets.
func cut(l *Pipeline, rule CutRule, size quantity.Bytes) *Pipeline {
	return &Pipeline{l.Stages, Cut{rule, size}}
}

var (
	hpLAM     = LogP{Latency: 5.3, SendOverhead: 2.9, ReceiveOverhead: 5.8, GapTime: 8.7}
	hpLAMLong = LogGP{hpLAM, 1. / 24}
	pio       = Linear{Beta: 9.9, Tau: 0.05}
	clipPaper = cut(clip(4), CutPaper, 0)
	clipAll   = Switch{Branches: []Branch{{"pio", 256, &Linear{Beta: 9.9, Tau: 0}}, {"dma", 0, clipPaper}}}
)

// layers is every implementation of Layer, nested too.
var layers = map[string]Layer{
	"linear":                   &Linear{Beta: 3, Tau: 7.6 / 1024},
	"linear, zero":             &Linear{},
	"linear, β alone":          &Linear{Beta: 3},
	"logp":                     &hpLAM,
	"loggp":                    &hpLAMLong,
	"pipeline, whole":          clip(4),
	"pipeline, fixed":          cut(clip(5), CutFixed, 4096),
	"pipeline, odd":            cut(clip(5), CutFixed, 1001),
	"pipeline, paper":          clipPaper,
	"pipeline, best":           cut(clip(4), CutBest, 0),
	"pipeline, no cost":        cut(&Pipeline{Stages: make([]Stage, 3)}, CutPaper, 0),
	"pipeline, one stage":      cut(&Pipeline{Stages: []Stage{{Beta: 1, Tau: 0.01}}}, CutBest, 0),
	"switch":                   &clipAll,
	"switch of switches":       &Switch{Branches: []Branch{{"short", 64, &hpLAM}, {"long", 0, &clipAll}}},
	"envelope":                 &Switch{Branches: []Branch{{Name: "pio", Layer: &pio}, {Name: "dma", Layer: clipPaper}}, Least: true},
	"fragmented":               &Fragmented{&hpLAMLong, 4096, 0},
	"fragmented, odd":          &Fragmented{&hpLAMLong, 1500, 0},
	"fragmented, window":       &Fragmented{&Linear{Beta: 20, Tau: 0.01}, 8132, 2},
	"fragmented, of pipelines": &Fragmented{clipPaper, 8132, 8},
	"table":                    aTable,
	"shared":                   &shared{3, 0.01, 4},
	"series":                   &Series{Below: &clipAll, Added: &Linear{Beta: 4, Tau: 0.002}},
	"series of another kind":   &Series{Below: &Linear{Beta: 4, Tau: 0.002}, Added: &shared{3, 0.01, 4}},
}

// Each kind of the registry has a layer here: of lines, three stages or three values, and 1 to 4 in
// each parameter.
func init() {
	for _, k := range Kinds {
		l := k.New()
		for i, p := range k.Parts {
			*p.At(l) = &Linear{Beta: quantity.Micros(2 + i), Tau: 0.01}
		}
		if k.Branches != nil {
			*k.Branches(l) = []Branch{{"short", 256, &Linear{Beta: 1, Tau: 0.02}}, {"long", 0, &Linear{Beta: 4, Tau: 0.01}}}
		}
		if k.Stages != nil {
			*k.Stages(l) = clip(3).Stages
		}
		for i := range k.Fields {
			f := &k.Fields[i]
			value := float64(1 + i%4)
			switch f.Measure {
			case PerByte:
				value /= 1024
			case Size:
				value *= 64
			}
			put(f.At(l), value, 16*value, 256*value)
		}
		layers[k.Name+", of the registry"] = l
	}
}

// put gives the field at a pointer the first value, or its list all values.
func put(at any, v ...float64) {
	switch at := at.(type) {
	case *quantity.Micros:
		*at = quantity.Micros(v[0])
	case *quantity.MicrosPerByte:
		*at = quantity.MicrosPerByte(v[0])
	case *quantity.Bytes:
		*at = quantity.Bytes(v[0])
	case *int:
		*at = int(v[0])
	case *float64:
		*at = v[0]
	case *Cut:
		*at = Cut{CutFixed, quantity.Bytes(v[0])}
	case *[]quantity.Micros:
		for _, v := range v {
			*at = append(*at, quantity.Micros(v))
		}
	case *[]quantity.Bytes:
		for _, v := range v {
			*at = append(*at, quantity.Bytes(v))
		}
	}
}

func TestEveryLayer(t *testing.T) {
	var sizes []quantity.Bytes
	for k := range 31 {
		sizes = append(sizes, quantity.Bytes(int(1)<<k), quantity.Bytes(int(1)<<k+1), quantity.Bytes(int(3)<<k-1))
	}
	sizes = append(sizes, quantity.MaxBytes-1, quantity.MaxBytes, far)
	for name, l := range layers {
		t.Run(name, func(t *testing.T) {
			for _, n := range sizes {
				send, receive := l.Overheads(n)
				for what, v := range map[string]quantity.Micros{"one way": l.OneWay(n), "gap": l.Gap(n), "o_s": send, "o_r": receive} {
					if !(v >= 0) || math.IsInf(float64(v), 0) {
						t.Errorf("%v bytes: %s = %v", float64(n), what, v)
					}
				}
				if got, want := RTT(l, n), max(2*l.OneWay(n), l.Gap(n)); got != want {
					t.Errorf("%v bytes: RTT %v, want %v", float64(n), got, want)
				}
				// What a processor is busy with is part of the gap, or takes as long.
				if busiest := max(send, receive); float64(busiest) > float64(l.Gap(n))*(1+1e-9) {
					t.Errorf("%v bytes: a processor is busy for %v in a gap of %v", float64(n), busiest, l.Gap(n))
				}
				if p := PacketSize(l, n); !(p >= 1 && p <= n) {
					t.Errorf("%v bytes: packets of %v", float64(n), float64(p))
				}
			}
			if peak := Asymptote(l); !(peak > 0) {
				t.Errorf("r∞ = %v", peak)
			}
			if n, ok := HalfPeak(l); ok {
				half := Asymptote(l) / 2
				if float64(Bandwidth(l, n)) < float64(half)*(1-1e-9) || n > 1 && Bandwidth(l, n-1) > half {
					t.Errorf("n½ = %v: bandwidths %v and %v of %v", float64(n), Bandwidth(l, n-1), Bandwidth(l, n), 2*half)
				}
			}
		})
	}
}

// The slowest of a kind's resources is occupied for the gap. The stages of these pipelines have no
// names, so they would count as one resource; a window lengthens the gap beyond the occupation.
func TestResourcesMakeTheGap(t *testing.T) {
	for _, k := range Kinds {
		l := layers[k.Name+", of the registry"]
		for _, n := range []quantity.Bytes{1, 100, 256, 257, 4096, 1 << 20} {
			r := l.resources()
			if k.Stages != nil || WindowOf(r, n) > 0 {
				continue
			}
			// Rounding alone separates the two.
			if busy, gap := FanIn(r, 1, n), l.Gap(n); !closeTo(float64(busy), float64(gap), 1e-12) {
				t.Errorf("%s, %s: Resources occupy their slowest resource for %s, but Gap is %s", k.Name, n, busy, gap)
			}
		}
	}
}

// What a series adds to a pipeline lengthens the gap of messages of every size, also if the slowest
// stage of a small one is not that of a large one.
func TestSeriesLengthensTheGap(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 3))
	for range 500 {
		n := quantity.Bytes(1 + r.IntN(10000))
		pipe := cut(randomPipeline(r, 8), CutFixed, quantity.Bytes(1+r.IntN(10000)))
		for i := range pipe.Stages {
			pipe.Stages[i].Name = strconv.Itoa(i) // none shares its resource with another
		}
		var below Layer = pipe
		if r.IntN(2) > 0 {
			below = &Fragmented{Below: below, MTU: n}
			n *= quantity.Bytes(1 + r.IntN(5)) // full pieces alone have one slowest stage
		}
		l := &Series{Below: below, Added: &Linear{Beta: 5, Tau: 0.01}}
		busy, gap := FanIn(ResourcesOf(l), 1, n), l.Gap(n)
		if !closeTo(float64(busy), float64(gap), 1e-12) {
			t.Fatalf("%v: the slowest resource is occupied for %v, but the gap is %v\n%+v", n, busy, gap, below)
		}
	}
}

// Where a processor sets the pace below, what a series adds takes time that the network has left.
// The times were found by the engine: o_r of 5 µs hides a network of 2 + 1 µs, and not one of 2 + 4.
func TestSeriesOnProcessors(t *testing.T) {
	below := &LogP{SendOverhead: 1, Latency: 3, ReceiveOverhead: 5, GapTime: 2}
	near(t, "within o_r", (&Series{Below: below, Added: &Linear{Beta: 1}}).Gap(1), 5, 9)
	near(t, "beyond o_r", (&Series{Below: below, Added: &Linear{Beta: 4}}).Gap(1), 6, 9)
	near(t, "with overheads", (&Series{Below: below, Added: below}).Gap(1), 10, 9)
	window := &Fragmented{Below: below, MTU: 100, Window: 4}
	near(t, "behind a window", (&Series{Below: window, Added: &Linear{Beta: 1}}).Gap(1), 5+1, 9)
	curve := &Table{Sizes: []quantity.Bytes{1, 1000}, Times: []quantity.Micros{3, 5}, Gaps: []quantity.Micros{2, 4}}
	near(t, "on a curve", (&Series{Below: curve, Added: &Linear{Beta: 1}}).Gap(1000), 4+1, 9)
}

// A longer message takes no less time, and keeps the next one waiting no less.
func TestTimesRise(t *testing.T) {
	for _, name := range []string{"linear", "logp", "loggp", "pipeline, whole", "pipeline, fixed", "pipeline, odd", "pipeline, best", "fragmented"} {
		l := layers[name]
		for n := quantity.Bytes(2); n < 20000; n++ {
			if l.OneWay(n) < l.OneWay(n-1)-1e-9 {
				t.Errorf("%s: %v for %v, but %v for a byte less", name, l.OneWay(n), n, l.OneWay(n-1))
				break
			}
		}
	}
}

// Messages in a stream leave a pipeline no later than one after the other.
func TestGapOfPipelines(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	for range 2000 {
		n := quantity.Bytes(1 + r.IntN(10000))
		l := cut(randomPipeline(r, 8), CutFixed, quantity.Bytes(1+r.IntN(10000)))
		if gap, once := l.Gap(n), l.OneWay(n); float64(gap) > float64(once)*(1+1e-9) {
			t.Fatalf("gap %v, one way %v\n%+v", gap, once, l)
		}
		// The interval between many messages is the gap: they are one long train of packets.
		const many = 50
		plan := Plan{}
		for range many {
			plan = append(plan, EqualPlan(n, l.PacketSize(n))...)
		}
		first, all := l.OneWay(n), l.OneWayAs(plan)
		if rest := (all - first) / (many - 1); float64(rest) > float64(l.Gap(n))*(1+1e-9)+float64(first)/(many-1) {
			t.Fatalf("%v between messages in a stream, gap %v\n%+v", rest, l.Gap(n), l)
		}
	}
}

// [loggp]: one way o_s + (n−1)G + L + o_r, and G is the inverse of r∞.
func TestLogGP(t *testing.T) {
	l := hpLAMLong
	near(t, "one byte", l.OneWay(1), 14.0, 9)
	near(t, "25 bytes", l.OneWay(25), 15.0, 9)
	near(t, "gap of one byte", l.Gap(1), 8.7, 9)
	near(t, "gap of 25 bytes", l.Gap(25), 9.7, 9)
	near(t, "r∞", Asymptote(&l), 24, 9)
	slow := LogGP{LogP{Latency: 1, SendOverhead: 4, ReceiveOverhead: 5, GapTime: 2}, 0}
	near(t, "a gap that the receiver makes", slow.Gap(1), 5, 9)
	// Bytes stream while the processor prepares the next message.
	for _, c := range []struct {
		send, receive, g quantity.Micros
		n                quantity.Bytes
		want             quantity.Micros
	}{{10, 10, 1, 1, 10}, {10, 10, 1, 1001, 11}, {10, 10, 1, 801, 10}, {2, 30, 1, 1001, 30}, {30, 2, 1, 1001, 30}, {3, 4, 50, 1001, 60}} {
		l := LogGP{LogP{Latency: 1, SendOverhead: c.send, ReceiveOverhead: c.receive, GapTime: c.g}, 0.01}
		near(t, "gap", l.Gap(c.n), c.want, 9)
	}
	// A ping-pong is not faster than the gap.
	short := LogP{Latency: 1, SendOverhead: 0.3, ReceiveOverhead: 0.385, GapTime: 9.94}
	near(t, "RTT within the gap", RTT(&short, 1), 9.94, 9)
	short.GapTime = 3
	near(t, "RTT beyond the gap", RTT(&short, 1), 3.37, 9)
	copied := Series{Below: &LogP{SendOverhead: 1, Latency: 5, ReceiveOverhead: 1, GapTime: 100},
		Added: &Linear{Beta: 2, Tau: 0.001, GapUnknown: true}}
	near(t, "RTT without a gap that is known", RTT(&copied, 8), 18.016, 9)
	send, receive := l.Overheads(1 << 20)
	near(t, "o_s", send, 2.9, 9)
	near(t, "o_r", receive, 5.8, 9)
}

// [hockney]: r∞ = 1/τ and n½ = β/τ.
func TestHalfPeakLinear(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 1))
	for k := range 2000 {
		l := Linear{Beta: quantity.Micros(math.Exp2(20*r.Float64() - 5)), Tau: quantity.MicrosPerByte(math.Exp2(10*r.Float64() - 10))}
		if k%2 == 0 { // β/τ is a whole number, but for rounding
			l.Beta = l.Tau.Times(quantity.Bytes(1 + r.IntN(1<<20)))
		}
		if got, want := Asymptote(&l), l.Tau.Rate(); !closeTo(float64(got), float64(want), 1e-12) {
			t.Errorf("%+v: r∞ = %v, want %v", l, got, want)
		}
		exact := float64(l.Beta.Over(l.Tau))
		want := math.Ceil(exact * (1 - 1e-11))
		if got, ok := HalfPeak(&l); !ok || float64(got) != max(1, want) {
			t.Errorf("%+v: n½ = %v, %v; want %v", l, float64(got), ok, want)
		}
	}
	for name, l := range map[string]Layer{"no cost": &Linear{}, "no cost per byte": &Linear{Beta: 3}, "logp": &hpLAM} {
		if n, ok := HalfPeak(l); ok {
			t.Errorf("%s: n½ = %v, want none", name, n)
		}
		if peak := Asymptote(l); !math.IsInf(float64(peak), 1) {
			t.Errorf("%s: r∞ = %v, want +Inf", name, peak)
		}
	}
	if n, ok := HalfPeak(&Linear{Tau: 0.01}); !ok || n != 1 {
		t.Errorf("no fixed cost: n½ = %v, %v; want 1", n, ok)
	}
}

// The slope far out: a pipeline approaches the rate of its busiest stage per
// byte, with the fixed cost of each packet if those do not grow.
func TestAsymptote(t *testing.T) {
	slowest := quantity.KiB.Over(7.6)
	near(t, "r∞ in packets of eq. 10", Asymptote(clipPaper), slowest, 9)
	near(t, "r∞ in best packets", Asymptote(cut(clip(4), CutBest, 0)), slowest, 6)
	near(t, "r∞ in packets of 4 KiB", Asymptote(cut(clip(4), CutFixed, 4096)), quantity.Bytes(4096).Over(1.3+4*7.5), 9)
	near(t, "r∞ of the whole", Asymptote(clip(4)), quantity.KiB.Over(5.9+7.6+7.5+7.6), 9)
	near(t, "r∞ of the switch", Asymptote(&clipAll), slowest, 9)
	// 8 pieces of 4 KiB under way at a round trip of 400 µs: 81.92 MB/s.
	window := Fragmented{&LogP{Latency: 200}, 4096, 8}
	near(t, "r∞ of a window", Asymptote(&window), 81.92, 9)
}

// The boundary belongs to the lower branch, and the last branch takes the rest.
func TestSwitch(t *testing.T) {
	s := Switch{Branches: []Branch{{"short", 64, &hpLAM}, {"long", 7, &clipAll}}}
	check := func(n quantity.Bytes, regime string, want Layer) {
		t.Helper()
		if got := Regime(&s, n); got != regime {
			t.Errorf("%s goes by %q, want %q", n, got, regime)
		}
		if got := s.OneWay(n); got != want.OneWay(n) {
			t.Errorf("%s takes %v, want %v", n, got, want.OneWay(n))
		}
		if got := s.Gap(n); got != want.Gap(n) {
			t.Errorf("%s has a gap of %v, want %v", n, got, want.Gap(n))
		}
		if got := PacketSize(&s, n); got != PacketSize(want, n) {
			t.Errorf("%s goes in packets of %s, want %s", n, got, PacketSize(want, n))
		}
	}
	check(1, "short", &hpLAM)
	check(64, "short", &hpLAM)
	check(65, "long/pio", &Linear{Beta: 9.9, Tau: 0})
	check(256, "long/pio", &Linear{Beta: 9.9, Tau: 0})
	check(257, "long/dma", clipPaper)
	check(1<<20, "long/dma", clipPaper)
	// Series and pieces have the protocols of their parts; those of a full piece are the message's.
	for regime, l := range map[string]Layer{
		"long/pio":   &Series{Below: &s, Added: &hpLAM},
		"long/pio+a": &Series{Below: &s, Added: &Switch{Branches: []Branch{{"a", 0, &hpLAM}}}},
		"short":      &Fragmented{Below: &s, MTU: 64},
	} {
		if got := Regime(l, 65); got != regime {
			t.Errorf("%T of a switch goes by %q, want %q", l, got, regime)
		}
	}
	in := &Fragmented{Below: &Series{Below: &s, Added: &Linear{}}, MTU: 1024}
	if diff := cmp.Diff([]quantity.Bytes{64, 256}, Boundaries(in, 1, 1<<20)); diff != "" {
		t.Errorf("boundaries in pieces: (-want +got)\n%s", diff)
	}
	if got := Regime(&hpLAM, 1); got != "" {
		t.Errorf("nothing switches, but the regime is %q", got)
	}
	if diff := cmp.Diff([]quantity.Bytes{64, 256}, Boundaries(&s, 1, 1<<20)); diff != "" {
		t.Errorf("boundaries: (-want +got)\n%s", diff)
	}
	one := Switch{Branches: []Branch{{"all", 1, &hpLAM}}}
	if got := Regime(&one, 1<<20); got != "all" {
		t.Errorf("a single branch does not take all: %q", got)
	}
}

func TestFragmented(t *testing.T) {
	below := Linear{Beta: 10, Tau: 0.01}
	s := Fragmented{&below, 1000, 0}
	near(t, "one piece", s.OneWay(1000), 20, 9)
	near(t, "two pieces", s.OneWay(1001), 20+10.01, 9)
	near(t, "three pieces", s.OneWay(3000), 60, 9)
	near(t, "the gap", s.Gap(3000), 60, 9)
	s.Window = 1 // each piece waits for the credit: 20 µs there, 10.01 µs back
	near(t, "a window of one", s.OneWay(3000), 2*30.01+20, 9)
	s.Window = 8
	near(t, "a window of eight", s.OneWay(3000), 60, 9)
	for _, n := range []quantity.Bytes{1, 1000, 1001, quantity.MaxBytes, far, 2 * far} {
		if _, last := (&Fragmented{&below, 1500, 0}).pieces(n); !(last >= 1 && last <= 1500) {
			t.Errorf("the last piece of %v bytes has %v", float64(n), float64(last))
		}
	}
	if got := s.PacketSize(5000); got != 1000 {
		t.Errorf("packets of %s, want 1000 B", got)
	}
}

func TestRecut(t *testing.T) {
	l, err := Recut(&Series{Below: &clipAll, Added: &Linear{Beta: 4, Tau: 0}}, Cut{CutFixed, 4096})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "64 KiB in packets of 4 KiB", l.OneWay(64<<10), 593.30, 2)
	near(t, "before", (&Series{Below: &clipAll, Added: &Linear{Beta: 4, Tau: 0}}).OneWay(64<<10), 584.18, 2)
	if _, err := Recut(&hpLAM, Cut{}); err == nil {
		t.Error("LogP has no packets, but was recut")
	}
	if _, err := Recut(&Pipeline{Stages: make([]Stage, 2)}, Cut{Rule: CutPaper}); err == nil {
		t.Error("two stages were recut by eq. 10")
	}
}

// A prediction is pure arithmetic. The gap of a series adds up the loads of its resources instead.
func TestPredictionsDoNotAllocate(t *testing.T) {
	for name, l := range layers {
		if _, series := l.(*Series); series {
			continue
		}
		allocs := testing.AllocsPerRun(100, func() {
			l.OneWay(65537)
			l.Gap(65537)
			l.Overheads(65537)
			PacketSize(l, 65537)
		})
		if allocs != 0 {
			t.Errorf("%s: %v allocations", name, allocs)
		}
	}
}
