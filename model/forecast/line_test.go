package forecast

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A line of 20 sizes with two disturbed ones is found from the other 18. Three in a row are another
// protocol, and stay.
func TestLineLeavesOutDisturbed(t *testing.T) {
	times := func(sizes int, spikes ...int) (n, v []float64) {
		for i := range sizes {
			n = append(n, math.Exp2(20*float64(i)/float64(sizes)))
			v = append(v, (5+0.002*n[i])*(1+0.01*float64(i%2*2-1)))
		}
		for _, i := range spikes {
			v[i] *= 2
		}
		return n, v
	}
	f := fitLine(times(20, 4, 15))
	if f.disturbed != 2 || math.Abs(f.beta/5-1) > 0.01 || math.Abs(f.tau/0.002-1) > 0.01 ||
		f.deviation > 0.012 || f.free != 16 {
		t.Errorf("%+v", f)
	}
	if f := fitLine(times(40, 4, 5, 6)); f.disturbed != 0 || f.deviation < 0.1 {
		t.Errorf("three disturbed sizes in a row: %+v", f)
	}
}

// Noise about a line is taken for that, but neither a bend nor the shapes of published curves are.
func TestLineWeight(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 1))
	noisy := func(v float64) float64 { return v * math.Exp(0.02*random.NormFloat64()) }
	weight := func(time func(n float64) float64) float64 {
		return curve(t, plantedPoints(23, time)).line.weight
	}
	line := func(n float64) float64 { return noisy(5 + 0.002*n) }
	if w := weight(line); w < 0.95 {
		t.Errorf("a line with noise: weight %v", w)
	}
	bend := func(n float64) float64 { return 5 + 0.002*n + 0.4*math.Log(1+n/64) }
	if w := weight(bend); w > 0 {
		t.Errorf("a bend: weight %v", w)
	}
	for _, s := range Latencies().Library {
		shape := func(n float64) float64 { return 5 * math.Exp(s.at(math.Log2(n))) }
		if w := weight(func(n float64) float64 { return noisy(shape(n)) }); w > 0.2 {
			t.Errorf("a shape from 2^%d B, %.2f: weight %.2f", s.First, s.Rise, w)
		}
	}
}

// Of a line that is certain, the interval is that of its noise and of its own error; one that is
// improbable changes nothing.
func TestLineMix(t *testing.T) {
	s := singleLine{half: 0.06}
	s.ray = ray{5, 0.002}
	for i := range 20 {
		n := math.Exp2(float64(i))
		v := 5 + 0.002*n
		s.moments.Add(n, v, 1/v/v)
	}
	s.weight = 1
	m, up, down := s.mix(64, 1, 2, 0.5, 0.5, 0)
	if math.Abs(m-math.Log(5.128)) > 1e-9 || math.Abs(up-down) > 1e-9 || up < 0.06 || up > 0.064 {
		t.Errorf("certain: %v + %v − %v", m, up, down)
	}
	s.weight = 1e-9
	m, up, down = s.mix(64, 1, 2, 0.5, 0.3, 0)
	if math.Abs(m-2)+math.Abs(up-0.5)+math.Abs(down-0.3) > 1e-6 {
		t.Errorf("improbable: %v + %v − %v", m, up, down)
	}
}
