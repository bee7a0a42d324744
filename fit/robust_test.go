package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
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

// TestForms measures how often the intervals of a line hold its planted parameters, by method, form
// of the noise and number of sizes, and compares docs/validation/trust.md with it: all cells with
// -update, else every third one. Each method, form and number has some of these, and a change of
// fits or intervals changes nearly all cells.
func TestForms(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of fits")
	}
	const runs = 1000
	numbers := []int{5, 8, 20, 100}
	page := filepath.Join("..", "docs", "validation", "trust.md")
	known := strings.Split(section(t, page, "forms of noise"), "\n")
	known = known[min(2, len(known)):] // below the heads
	var b strings.Builder
	fmt.Fprintln(&b, "| method | noise | 5 sizes | 8 sizes | 20 sizes | 100 sizes |")
	fmt.Fprintln(&b, "|---|---|---|---|---|---|")
	for i, m := range Methods {
		for j, f := range forms {
			var cells []string
			for k, n := range numbers {
				if row := i*len(forms) + j; !*update && (i+j+k)%3 > 0 && row < len(known) {
					old := strings.Split(known[row], " | ")
					cells = append(cells, strings.TrimSuffix(old[min(2+k, len(old)-1)], " |"))
					continue
				}
				random := rand.New(rand.NewPCG(96, 0))
				var beta, tau float64
				for range runs {
					spoil := f.noise(random)
					r, err := Linear(table(sizes(n, 1, 1<<16), func(n float64) float64 {
						return spoil(plantedBeta + plantedTau*n)
					}), m)
					if err != nil {
						t.Fatal(err)
					}
					s := r.Segments[0]
					if holds(s.Beta, plantedBeta) {
						beta++
					}
					if holds(s.Tau, plantedTau) {
						tau++
					}
				}
				beta, tau = 100*beta/runs, 100*tau/runs
				cells = append(cells, fmt.Sprintf("β %.1f, τ %.1f", beta, tau))
				// 1.4 is two standard errors of a share of 1,000.
				least := 92 - 1.4
				if min(beta, tau) < least {
					t.Errorf("%s, %s, %d sizes: β %.1f %%, τ %.1f %%", m, f.name, n, beta, tau)
				}
			}
			fmt.Fprintf(&b, "| %s | %s | %s |\n", m, f.name, strings.Join(cells, " | "))
		}
	}
	compareSection(t, page, "forms of noise", b.String())
}

// The method ordinary is the papers' regression, and the noise of benchmarks grows with the time:
// its intervals hold the truth there too.
func TestOrdinaryUnderProportionalNoise(t *testing.T) {
	random := rand.New(rand.NewPCG(97, 0))
	held := 0
	for range 200 {
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
	if held < 182 { // 95 % less 2.6 standard errors
		t.Errorf("the interval of τ holds the truth in %d of 200 fits", held)
	}
}
