package holdout

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/halfpeak/halfpeak/fit/benchfile"
	"github.com/halfpeak/halfpeak/fit/forecast"
	"github.com/halfpeak/halfpeak/model/quantity"
)

// PlantedCurves is the number of planted curves of a kind that a calibration learns from.
const PlantedCurves = 12

// planted begins the names of planted machines.
const planted = "planted: "

// Planted returns four runs each of so many curves of every kind, each kind as a machine of its
// own: straight lines with independent noise, and two protocols.
func Planted(as benchfile.Kind, count int, seed uint64) (all []Curve) {
	for k, kind := range []struct {
		name     string
		noise    float64
		protocol bool
	}{
		{planted + "a line, 1 % noise", 0.01, false},
		{planted + "a line, 3 % noise", 0.03, false},
		{planted + "a line, 5 % noise", 0.05, false},
		{planted + "two protocols, 3 % noise", 0.03, true},
	} {
		random := rand.New(rand.NewPCG(seed, uint64(k)))
		for i := range count {
			beta := math.Exp(random.Float64()*4 - 0.5) // 0.6 to 33 µs
			half := math.Exp2(9 + 6*random.Float64())  // n½ of 512 B to 32 KiB
			eager := math.Exp2(math.Floor(10 + 7*random.Float64()))
			jump, slower := 1.2+random.Float64(), 0.5+0.5*random.Float64()
			truth := func(n float64) float64 {
				if kind.protocol && n > eager {
					return beta*jump*(1+eager/half) + beta/half*slower*(n-eager)
				}
				return beta * (1 + n/half)
			}
			for run := range 4 {
				c := Curve{Machine: kind.name, Name: fmt.Sprintf("curve %d run_%d", i, run+1), Kind: as, Resolution: 0.01, Planted: true}
				for x := range 23 {
					n := math.Exp2(float64(x))
					v := truth(n) * math.Exp(kind.noise*random.NormFloat64())
					c.Points = append(c.Points, forecast.Point{Size: quantity.Bytes(n), Time: quantity.Micros(math.Round(v*100) / 100)})
				}
				all = append(all, c)
			}
		}
	}
	return all
}
