package fit

import (
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
		return hypothesis{line: line{freeTau: tau, varTau: sd * sd}, probability: probability,
			degrees: degrees}
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
			found += l.tau.High - l.tau.Low
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
		if !near(l.tau.Value, plantedTau, 0.05) {
			t.Errorf("τ is %v, planted %v", l.tau.Value, plantedTau)
		}
	}
}
