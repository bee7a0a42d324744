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
