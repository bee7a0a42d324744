package fit

import (
	"math"
	"math/rand/v2"
	"testing"
)

// studentT draws from t with 3 degrees of freedom, scaled to a deviation of 1.
func studentT(random *rand.Rand) float64 {
	var c float64
	for range 3 {
		v := random.NormFloat64()
		c += v * v
	}
	return random.NormFloat64() / math.Sqrt(c/3) / math.Sqrt(3)
}

// forms are the forms of noise of the table of parameters: what a true time is measured as.
var forms = []struct {
	name string
	noise
}{
	{"normal, 0.5 µs", func(random *rand.Rand) func(float64) float64 {
		return func(v float64) float64 { return v + 0.5*random.NormFloat64() }
	}},
	{"normal, 0.5 µs and 1 %", func(random *rand.Rand) func(float64) float64 {
		return func(v float64) float64 { return v + math.Hypot(0.5, 0.01*v)*random.NormFloat64() }
	}},
	{"normal, 3 %", proportional(0.03)},
	{"lognormal, 10 %", func(random *rand.Rand) func(float64) float64 {
		return func(v float64) float64 { return v * math.Exp(0.1*random.NormFloat64()-0.005) }
	}},
	{"t₃, 3 %", func(random *rand.Rand) func(float64) float64 {
		return func(v float64) float64 { return v * (1 + 0.03*studentT(random)) }
	}},
	{"normal, 3 %, and 5 % of spikes", func(random *rand.Rand) func(float64) float64 {
		clean := proportional(0.03)(random)
		return func(v float64) float64 {
			if v = clean(v); random.IntN(20) == 0 {
				v *= 1.5 + random.Float64()
			}
			return v
		}
	}},
}

// The intervals of a line hold its planted parameters whatever the method and the form of the noise:
// 92 of 100 and more, so that of 100 lines at least 84 are held, three standard errors less.
func TestForms(t *testing.T) {
	const lines, least = 100, 84
	for _, m := range Methods {
		for _, f := range forms {
			for _, n := range []int{5, 20} {
				random := rand.New(rand.NewPCG(96, uint64(n)))
				var beta, tau int
				for range lines {
					spoil := f.noise(random)
					r, err := Linear(table(sizes(n, 1, 1<<16), func(n float64) float64 {
						return spoil(plantedBeta + plantedTau*n)
					}), m)
					if err != nil {
						t.Fatal(err)
					}
					if holds(r.Segments[0].Beta, plantedBeta) {
						beta++
					}
					if holds(r.Segments[0].Tau, plantedTau) {
						tau++
					}
				}
				if min(beta, tau) < least {
					t.Errorf("%s, %s, %d sizes: β in %d, τ in %d of %d", m, f.name, n, beta, tau,
						lines)
				}
			}
		}
	}
}

// The method ordinary is the papers' regression, and the noise of benchmarks grows with the time:
// its intervals hold the truth there too.
func TestOrdinaryUnderProportionalNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(97, 0))
	held := 0
	for range 100 {
		spoil := proportional(0.03)(random)
		r, err := Linear(table(sizes(20, 1, 1<<16), func(n float64) float64 {
			return spoil(plantedBeta + plantedTau*n)
		}), Ordinary)
		if err != nil {
			t.Fatal(err)
		}
		if holds(r.Segments[0].Tau, plantedTau) {
			held++
		}
	}
	if held < 88 { // 95 % less three standard errors
		t.Errorf("the interval of τ holds the truth in %d of 100 fits", held)
	}
}
