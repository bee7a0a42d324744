package forecast

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/halfpeak/halfpeak/model/quantity"
)

// noises are forms of noise, each with the width of the narrowest interval about the true time that
// holds 95 % of its measurements.
var noises = []struct {
	name  string
	draw  func(random *rand.Rand) float64
	ideal float64
}{
	{"normal, 3 %", func(r *rand.Rand) float64 { return 1 + 0.03*r.NormFloat64() }, 2 * 1.96 * 0.03},
	// Of three degrees of freedom: the 97.5 % quantile is 3.182.
	{"t₃, 3 %", func(r *rand.Rand) float64 { return 1 + 0.03*student3(r) }, 2 * 3.182 * 0.03},
	{"lognormal, 10 %", func(r *rand.Rand) float64 { return math.Exp(0.1 * r.NormFloat64()) },
		math.Exp(0.196) - math.Exp(-0.196)},
	// 3 in 100 measurements are disturbed, so that 97.9 % of the others have to be held.
	{"spikes, 3 in 100", func(r *rand.Rand) float64 {
		v := 1 + 0.03*r.NormFloat64()
		if r.IntN(100) < 3 {
			v *= 1.5 + r.Float64()
		}
		return v
	}, 2 * 2.31 * 0.03},
}

func student3(r *rand.Rand) float64 {
	chi := 0.0
	for range 3 {
		z := r.NormFloat64()
		chi += z * z
	}
	return r.NormFloat64() / math.Sqrt(chi/3)
}

// plantedPoints are sizes of 1 B to 4 MiB of a planted line, an equal number of octaves apart.
func plantedPoints(sizes int, time func(n float64) float64) (points []Point) {
	n := 0.0
	for i := range sizes {
		n = max(n+1, math.Round(math.Exp2(22*float64(i)/float64(sizes-1))))
		points = append(points, Point{Size: quantity.Bytes(n), Time: quantity.Micros(time(n))})
	}
	return points
}

// The next measurement of any size of planted lines, under four forms of noise: 100 curves of each.
// The sizes of a curve go together, so that its share is one observation, whose deviation is about
// 10 %: the mean of 100 is within 2.5 % in 99 of 100 cases. 91 % is what published curves leave of
// 95 %, since most noise is less than 3 %: with more, a bend explains part of it.
func TestNoises(t *testing.T) {
	for _, noise := range noises {
		for _, sizes := range []int{20, 100} {
			random := rand.New(rand.NewPCG(3, uint64(sizes)))
			var held, all float64
			var widths []float64
			for range 100 {
				beta, half := math.Exp(random.Float64()*4-0.5), math.Exp2(9+6*random.Float64())
				truth := func(n float64) float64 { return beta * (1 + n/half) }
				c := curve(t, plantedPoints(sizes, func(n float64) float64 {
					return truth(n) * noise.draw(random)
				}))
				for range 20 {
					n := math.Round(math.Exp2(22 * random.Float64()))
					f := c.At(quantity.Bytes(n))
					next := truth(n) * noise.draw(random)
					if all++; f.Low <= next && next <= f.High {
						held++
					}
					widths = append(widths, (f.High-f.Low)/truth(n))
				}
			}
			slices.Sort(widths)
			share, wide := held/all, widths[len(widths)/2]/noise.ideal
			t.Logf("%s, %d sizes: %.1f %% held, width %.2f times the ideal",
				noise.name, sizes, 100*share, wide)
			if share < 0.885 || share > 0.995 || wide > 2.5 {
				t.Errorf("%s, %d sizes: %.1f %% held, width %.2f times the ideal",
					noise.name, sizes, 100*share, wide)
			}
		}
	}
}

// Between the sizes of a line with noise its own line is the prediction: at 1 % noise an interval is
// at most 7 % wide in the median (1.96 deviations on each side would be 3.9 %), and with 0.2 to 5 %
// it holds 90 to 100 % of 1,000 measurements, which is 93 to 98 % within the error of 100 curves.
// A curve with one protocol that takes half as long again is no line.
func TestStraight(t *testing.T) {
	for _, noise := range []float64{0.002, 0.01, 0.05} {
		random := rand.New(rand.NewPCG(7, uint64(1e4*noise)))
		var held float64
		var widths []float64
		for range 100 {
			beta, half := math.Exp(random.Float64()*4-0.5), math.Exp2(9+6*random.Float64())
			time := func(n float64) float64 {
				return beta * (1 + n/half) * math.Exp(noise*random.NormFloat64())
			}
			c := curve(t, plantedPoints(12, time))
			for range 10 {
				n := math.Round(math.Exp2(22 * random.Float64()))
				f := c.At(quantity.Bytes(n))
				if next := time(n); f.Low <= next && next <= f.High {
					held++
				}
				widths = append(widths, (f.High-f.Low)/f.Value)
			}
		}
		slices.Sort(widths)
		share, wide := held/1000, widths[500]
		t.Logf("%v %% noise: %.1f %% held, %.1f %% wide", 100*noise, 100*share, 100*wide)
		if share < 0.9 || noise == 0.01 && wide > 0.07 {
			t.Errorf("%v %% noise: %.1f %% held, %.1f %% wide", 100*noise, 100*share, 100*wide)
		}
	}
	c := curve(t, plantedPoints(23, func(n float64) float64 {
		if n > 1<<14 {
			return 1.5 * (2 + n/1000)
		}
		return 2 + n/1000
	}))
	if c.straight.half > 0 {
		t.Errorf("two protocols are a line: %+v", c.straight)
	}
}
