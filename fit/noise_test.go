package fit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/halfpeak/halfpeak/internal/stats"
)

func TestPriors(t *testing.T) {
	var sum float64
	for _, f := range noiseForms {
		sum += f.prior
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the priors of the forms of noise sum to %v", sum)
	}
}

// The ends of an interval leave 2.5 % on each side. With the method's value outside, it is one end,
// and 95 % are inside.
func TestMixtureInterval(t *testing.T) {
	at := func(tau, sd, probability, degrees float64) hypothesis {
		return hypothesis{line{freeTau: tau, varTau: sd * sd}, probability, degrees}
	}
	all := []hypothesis{at(1, 0.1, 0.7, 5), at(1.2, 0.02, 0.3, 3)}
	for _, v := range []float64{0.5, 1.1, 9} {
		low, high := interval(all, tauOf, v)
		if v < low || v > high {
			t.Errorf("%v is outside of %v to %v", v, low, high)
		}
		if held := below(all, tauOf, high) - below(all, tauOf, low); math.Abs(held-0.95) > 1e-5 {
			t.Errorf("%v to %v hold %v", low, high, held)
		}
	}
	if low, _ := interval(all, tauOf, 1.1); math.Abs(below(all, tauOf, low)-0.025) > 1e-5 {
		t.Errorf("%v are below the low end", below(all, tauOf, low))
	}
	low, high := interval([]hypothesis{at(1, 0.1, 1, 5)}, tauOf, 1)
	if d := 0.1 * stats.T95(5); !near(low, 1-d, 1e-6) || !near(high, 1+d, 1e-6) {
		t.Errorf("one form of noise: %v to %v, Student's t has 1 ± %v", low, high, d)
	}
	if low, high := interval([]hypothesis{at(1, 0, 1, 5)}, tauOf, 1); low != 1 || high != 1 {
		t.Errorf("without errors: %v to %v", low, high)
	}
}

// Of 100 sizes, the intervals are nearly those of least squares under the true form of the noise, as
// if it were known, whatever the method.
func TestFormIsSeen(t *testing.T) {
	for _, c := range []struct {
		exponent float64
		spoil    func(v, z float64) float64
	}{
		{0, func(v, z float64) float64 { return v + 0.2*z }},
		{1, func(v, z float64) float64 { return v * (1 + 0.03*z) }},
	} {
		random := rand.New(rand.NewPCG(99, 0))
		var found, known float64
		for range 50 {
			points, _, _, err := prepare(table(sizes(100, 1, 1<<16), func(n float64) float64 {
				return c.spoil(plantedBeta+plantedTau*n, random.NormFloat64())
			}))
			if err != nil {
				t.Fatal(err)
			}
			l := fitHuber(points)
			l.addIntervals(points)
			found += l.tauHigh - l.tauLow
			form := noiseForm{exponent: c.exponent}
			w := make([]float64, len(points))
			for i, d := range form.deviations(points, &l) {
				w[i] = 1 / (d * d)
			}
			o := solve(points, w)
			_, squares := correlation(o.residuals(points, w))
			o.setVariances(0, squares, points, w)
			known += 2 * stats.T95(98) * math.Sqrt(o.varTau)
		}
		if r := found / known; r < 0.95 || r > 1.5 {
			t.Errorf("exponent %v: intervals of τ are %.2f times as wide as with a known form",
				c.exponent, r)
		}
	}
}

// Under noise of one deviation, large relative errors of small sizes are no outliers. A time that
// is twice too long is one, at any size.
func TestUndisturbed(t *testing.T) {
	random := rand.New(rand.NewPCG(100, 0))
	for at := range 30 {
		i := -1
		spoil := func(v float64) float64 { return v + 0.3*random.NormFloat64() }
		points, _, _, err := prepare(table(sizes(30, 1, 1<<16), func(n float64) float64 {
			v := spoil(plantedBeta + plantedTau*n)
			if i++; i == at {
				v *= 2
			}
			return v
		}))
		if err != nil {
			t.Fatal(err)
		}
		rest, l := undisturbed(points)
		if len(rest) != 29 || rest[min(at, 28)].Size == points[at].Size {
			t.Errorf("%d of 30 points are left, of which number %d is disturbed", len(rest), at)
		}
		if !near(l.tau, plantedTau, 0.05) {
			t.Errorf("τ is %v, planted %v", l.tau, plantedTau)
		}
	}
}

// TestOtherLines measures intervals on other lines, sizes and noises than those of
// docs/validation/trust.md and those that the priors were chosen on. With -v it prints the shares
// that hold the truth.
func TestOtherLines(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of fits")
	}
	runs := 100.
	if testing.Verbose() {
		runs = 300 // the numbers of docs/validation/trust.md
	}
	normal := func(sd func(v float64) float64) noise {
		return func(random *rand.Rand) func(float64) float64 {
			return func(v float64) float64 { return v + sd(v)*random.NormFloat64() }
		}
	}
	for _, p := range []struct{ beta, tau, from, to float64 }{
		{8, 0.0008, 1, 1 << 20}, {1.5, 0.003, 8, 1 << 15}, {30, 0.002, 1, 1 << 17},
	} {
		for _, f := range []struct {
			name string
			noise
		}{
			{"6 % of β", normal(func(float64) float64 { return 0.06 * p.beta })},
			{"5 %", proportional(0.05)},
			{"∝ T^0.7", normal(func(v float64) float64 {
				return 0.05 * p.beta * math.Pow(v/p.beta, 0.7)
			})},
			{"5 % of β and 0.6 %", normal(func(v float64) float64 {
				return math.Hypot(0.05*p.beta, 0.006*v)
			})},
		} {
			for _, n := range []int{5, 7, 30} {
				random := rand.New(rand.NewPCG(101, uint64(n)))
				var beta, tau float64
				for range int(runs) {
					spoil := f.noise(random)
					r, err := Linear(table(sizes(n, p.from, p.to), func(n float64) float64 {
						return max(p.beta/20, spoil(p.beta+p.tau*n))
					}), Relative)
					if err != nil {
						t.Fatal(err)
					}
					if s := r.Segments[0]; holds(s.Beta, p.beta) {
						beta++
					}
					if s := r.Segments[0]; holds(s.Tau, p.tau) {
						tau++
					}
				}
				beta, tau = 100*beta/runs, 100*tau/runs
				t.Logf("%v: %s, %d sizes: β %.1f %%, τ %.1f %%", p, f.name, n, beta, tau)
				// Of 72 shares, one is 2.6 standard errors lower.
				if min(beta, tau) < 91-2.6*100*math.Sqrt(0.91*0.09/runs) {
					t.Errorf("%v: %s, %d sizes: β %.1f %%, τ %.1f %%", p, f.name, n, beta, tau)
				}
			}
		}
	}
}

// With two forms of noise only, intervals of τ that hold 92 % of lines with proportional noise are
// far wider than needed under noise of one deviation, if the sizes are few. With -v it prints the
// trade, by the prior of proportional noise.
func TestTwoForms(t *testing.T) {
	if testing.Short() {
		t.Skip("thousands of fits")
	}
	all := noiseForms
	defer func() { noiseForms = all }()
	runs := 200
	if testing.Verbose() {
		runs = 4000 // the numbers of docs/validation/trust.md
	}
	measure := func(n int, n1 noise, forms ...noiseForm) (held, width float64) {
		noiseForms = forms
		random := rand.New(rand.NewPCG(98, uint64(n)))
		var widths []float64
		for range runs {
			spoil := n1(random)
			r, err := Linear(table(sizes(n, 1, 1<<16), func(n float64) float64 {
				return spoil(plantedBeta + plantedTau*n)
			}), Relative)
			if err != nil {
				t.Fatal(err)
			}
			tau := r.Segments[0].Tau
			if holds(tau, plantedTau) {
				held += 100 / float64(runs)
			}
			widths = append(widths, float64(tau.High-tau.Low))
		}
		return held, stats.Median(widths)
	}
	constant, between, grows := forms[0].noise, forms[1].noise, forms[2].noise
	for _, n := range []int{5, 8, 20} {
		_, known := measure(n, constant, noiseForm{prior: 1})
		show := func(what string, forms ...noiseForm) (held, width, other float64) {
			held, width = measure(n, constant, forms...)
			other, _ = measure(n, grows, forms...)
			mixed, _ := measure(n, between, forms...)
			t.Logf("%d sizes, %s: 3 %% held %.1f %%, 0.5 µs and 1 %% %.1f %%, 0.5 µs %.1f %%, "+
				"%.1f times as wide as with the form known", n, what, other, mixed, held,
				width/known)
			return held, width / known, other
		}
		for _, prior := range []float64{0, 0.3, 0.65, 0.9} {
			held, width, other := show(fmt.Sprintf("prior of 3 %%: %.2f", prior),
				noiseForm{exponent: 0, prior: 1 - prior}, noiseForm{exponent: 1, prior: prior})
			if n < 20 && other > 92 && prior > 0 && (held < 99 || width < 4) {
				t.Errorf("%d sizes, prior %.2f: held %.1f %%, width %.1f", n, prior, held, width)
			}
		}
		show("all forms", all...)
	}
}
