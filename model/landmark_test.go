package model

import (
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// The smallest size that reaches a part of r∞ is that of trying all sizes, where bandwidth is a
// sawtooth: in fixed packets, pieces of a message, and behind a switch to them.
func TestSizeForOfSawtooth(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 9))
	part := func(most int) quantity.Micros { return quantity.Micros(random.IntN(most)) / 8 }
	tau := func() quantity.MicrosPerByte { return quantity.MicrosPerByte(1+random.IntN(8)) / 1024 }
	for i := range 60 {
		pipe := &Pipeline{Cut: Cut{CutFixed, quantity.Bytes(50 + random.IntN(1500))}}
		for range 2 + random.IntN(3) {
			pipe.Stages = append(pipe.Stages, Stage{Beta: part(60), Tau: tau()})
		}
		var l Layer = pipe
		switch i % 7 {
		case 5: // times that fall, of packets that are alone and among others
			for j := range pipe.Stages {
				s := &pipe.Stages[j]
				s.Measured = &StageCurve{falling(random), falling(random), s.Beta, s.Tau * 2}
			}
		case 6:
			c := falling(random)
			l = &Table{Sizes: c.Sizes, Times: c.Costs}
		case 1:
			below := &LogGP{LogP: LogP{Latency: part(100), SendOverhead: part(16), GapTime: part(30)}, GapPerByte: tau()}
			l = &Fragmented{Below: below, MTU: quantity.Bytes(50 + random.IntN(1500)), Window: random.IntN(4)}
		case 2:
			l = &Switch{Branches: []Branch{
				{"short", quantity.Bytes(1 + random.IntN(9000)), &Linear{Beta: part(40), Tau: tau()}}, {"long", 0, pipe}}}
		case 3:
			pipe.Stages = append(pipe.Stages, Stage{Beta: part(60), Tau: tau()}, Stage{Beta: 1, Tau: tau()})
			pipe.Cut.Rule = CutPaper
		case 4:
			l = &Series{Below: pipe, Added: &Linear{Beta: part(100), Tau: tau()}}
		}
		for _, share := range []float64{0.5, 0.8, 0.9} {
			got, ok := SizeFor(l, share, 0)
			want := quantity.Bytes(0)
			most := quantity.Bytes(200000)
			for n := quantity.Bytes(1); n <= most && want == 0; n++ {
				if float64(Bandwidth(l, n)) >= share*float64(Asymptote(l))*(1-1e-12) {
					want = n
				}
			}
			if want > 0 && (!ok || got != want) || want == 0 && ok && got <= most {
				t.Errorf("%d: %.0f %% of r∞ from %v (%v), by all sizes %v", i, 100*share, float64(got), ok, float64(want))
			}
		}
	}
}

// falling returns a curve that rises by and large.
func falling(random *rand.Rand) (c Curve) {
	for n := quantity.Bytes(64); n <= 65536; n *= 4 {
		c.Sizes = append(c.Sizes, n)
		c.Costs = append(c.Costs, quantity.Micros(2+float64(n)/500)*
			quantity.Micros(0.7+0.6*random.Float64()))
	}
	return c
}

// The smallest size that reaches a part of r∞ is that of trying all sizes, for series, pieces and
// switches in each other, whose times fall at the boundaries of switches.
func TestSizeForOfNestedLayers(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const most = quantity.Bytes(1500)
	reached := 0
	for i := range 2000 {
		l := nested(random, 3)
		share := []float64{0.5, 0.8, 0.9}[i%3]
		want := quantity.Bytes(1)
		enough := share * float64(Asymptote(l)) * (1 - 1e-12)
		for want <= most && float64(Bandwidth(l, want)) < enough {
			want++
		}
		got, ok := SizeFor(l, share, 0)
		if got != want && (want <= most || ok && got <= most) {
			t.Errorf("%d: %.0f %% of r∞ from %v (%v), by all sizes %v",
				i, 100*share, float64(got), ok, float64(want))
		}
		if 1 < want && want <= most {
			reached++
		}
	}
	if reached < 1000 {
		t.Errorf("only %d of 2000 layers reach the share at sizes that are tried", reached)
	}
}

// A series of 1 µs and a switch from 60 µs to 5 µs + 1 ns/B is 6 µs + 1 ns/B above 16 bytes: n½ is
// β/τ, and 90 % of r∞ come at 9·β/τ.
func TestSizeForWhereASwitchSavesTime(t *testing.T) {
	long := &Linear{Beta: 5, Tau: 0.001}
	s := &Series{Added: &Linear{Beta: 1}, Below: &Switch{Branches: []Branch{
		{"slow", 16, &Linear{Beta: 60}}, {"fast", 0, long}}}}
	half, _ := SizeFor(s, 0.5, 0)
	most, _ := SizeFor(s, 0.9, 0.001)
	if half != 6000 || most != 54000 {
		t.Errorf("50 %% of r∞ from %v and 90 %% from %v, want 6000 and 54000",
			float64(half), float64(most))
	}
}

// nested returns a layer of at most the depth; each has a cost per byte.
func nested(random *rand.Rand, depth int) Layer {
	part := func(most int) quantity.Micros { return quantity.Micros(random.IntN(most)) / 8 }
	tau := quantity.MicrosPerByte(1+random.IntN(8)) / 64
	kind := random.IntN(6)
	if depth == 0 {
		kind %= 2
	}
	switch kind {
	case 0:
		return &Linear{Beta: part(300), Tau: tau}
	case 1:
		overhead := part(20)
		return &LogGP{GapPerByte: tau, LogP: LogP{Latency: part(200), GapTime: part(30),
			SendOverhead: overhead, ReceiveOverhead: overhead}}
	case 2:
		return &Series{Below: nested(random, depth-1), Added: nested(random, depth-1)}
	case 3:
		return &Fragmented{nested(random, depth-1), quantity.Bytes(1 + random.IntN(400)),
			random.IntN(4)}
	default:
		s := &Switch{Least: kind == 5}
		upTo := quantity.Bytes(0)
		for range 2 + random.IntN(2) {
			upTo += quantity.Bytes(1 + random.IntN(300))
			s.Branches = append(s.Branches, Branch{UpTo: upTo, Layer: nested(random, depth-1)})
		}
		return s
	}
}
