package fit

import (
	"math"
	"slices"

	"github.com/halfpeak/halfpeak/internal/list"
	"github.com/halfpeak/halfpeak/internal/stats"
)

// A noiseForm is a form of the noise: how its deviation grows with the time. The deviation is
// √(floor² + r^(2·exponent)), but for a factor, at r times the shortest time.
type noiseForm struct {
	exponent, floor float64
	prior           float64 // the probability before any measurement; their sum is 1
}

// noiseForms lists the forms of the noise. Half of the prior is for proportional noise, since
// benchmarks are so as a rule. Of 5 sizes the largest alone decides τ and shows no error, so that
// the prior decides: with much less, intervals under proportional noise hold less than 92 %
// (TestTwoForms). Noise that grows faster makes them a little wider. The floors are those of a
// clock: without them, intervals of τ from times that are cut off to 1 µs hold 85 %. About a dozen
// sets of priors were compared, on other lines and noises than those of TestForms and
// TestOtherLines.
var noiseForms = []noiseForm{
	{exponent: 0, prior: 0.15}, // one deviation at all sizes
	{exponent: 0.25, prior: 0.025},
	{exponent: 0.5, prior: 0.05},
	{exponent: 0.75, prior: 0.025},
	{exponent: 1, prior: 0.5},             // in proportion to the time
	{exponent: 1.25, prior: 0.1},          // growing faster
	{exponent: 1, floor: 3, prior: 0.075}, // of a clock, and in proportion to the time
	{exponent: 1, floor: 10, prior: 0.075},
}

// deviations returns the deviation of the noise at the times of a line.
func (f noiseForm) deviations(points []Point, l *line) []float64 {
	first := l.at(float64(points[0].Size))
	return list.Map(points, func(p Point) float64 {
		return math.Hypot(f.floor, math.Pow(l.at(float64(p.Size))/first, f.exponent))
	})
}

// A hypothesis is the line of least squares under a form of the noise, with its variances, and the
// probability of that form.
type hypothesis struct {
	line
	form        noiseForm
	probability float64
	degrees     float64 // of freedom
}

// minProbability is the probability below which a form of the noise does not count.
const minProbability = 1e-4

// hypothesesOf returns the forms of noise that count. Their probabilities are those of the errors
// without the two parameters of the line (Patterson and Thompson 1971); see likelihood. Errors
// that follow each other count as fewer. The weights are the powers of the times of about.
func hypothesesOf(points []Point, about *line) []hypothesis {
	all := make([]hypothesis, len(noiseForms))
	logs := make([]float64, len(noiseForms))
	independent := 1.0
	w := make([]float64, len(points))
	for i, form := range noiseForms {
		for j, d := range form.deviations(points, about) {
			w[j] = float64(points[j].Count) / (d * d)
		}
		l := solve(points, w)
		l.beta.Value, l.tau.Value = l.freeBeta, l.freeTau
		e := l.residuals(points, w)
		rho, squares := correlation(e)
		l.setVariances(rho, squares, points, w)
		n := (1 - rho) / (1 + rho)
		independent = min(independent, n)
		degrees := max(1, math.Round(n*float64(len(points))-2))
		all[i] = hypothesis{line: l, form: form, degrees: degrees}
		logs[i] = likelihood(points, l, w) / 2
	}
	best := slices.Max(logs)
	var sum float64
	for i, form := range noiseForms {
		all[i].probability = form.prior * math.Exp(independent*(logs[i]-best))
		sum += all[i].probability
	}
	for i := range all {
		all[i].probability /= sum
	}
	return slices.DeleteFunc(all, func(h hypothesis) bool { return h.probability < minProbability })
}

// A parameter selects β or τ and its standard error from a line.
type parameter func(l *line) (value, deviation float64)

func betaOf(l *line) (value, deviation float64) {
	return l.freeBeta, math.Sqrt(max(0, l.varBeta))
}

func tauOf(l *line) (value, deviation float64) { return l.freeTau, math.Sqrt(l.varTau) }

// below returns the probability that a parameter is at most x.
func below(all []hypothesis, of parameter, x float64) (sum float64) {
	for i := range all {
		h := &all[i]
		value, deviation := of(&h.line)
		switch {
		case deviation > 0:
			sum += h.probability * (1 - stats.StudentTail((x-value)/deviation, h.degrees))
		case x >= value:
			sum += h.probability
		}
	}
	return sum
}

// interval returns the ends between which a parameter is with a probability of 95 %: 2.5 % are on
// each side, or, if v would be outside, v is one end.
func interval(all []hypothesis, of parameter, v float64) (low, high float64) {
	low, middles, high := math.Inf(1), []float64{}, math.Inf(-1)
	for i := range all {
		value, deviation := of(&all[i].line)
		d := deviation * stats.T95(all[i].degrees)
		low, high = min(low, value-d), max(high, value+d)
		middles = append(middles, value)
	}
	quantile := func(q float64) float64 {
		// The quantile of a mixture is between those of its parts.
		if q < 0.5 {
			return root(func(x float64) float64 { return below(all, of, x) - q }, low,
				slices.Max(middles))
		}
		return root(func(x float64) float64 { return below(all, of, x) - q }, slices.Min(middles),
			high)
	}
	const tail = (1 - level) / 2
	switch p := below(all, of, v); {
	case p < tail:
		return v, quantile(p + level)
	case p > 1-tail:
		return quantile(p - level), v
	}
	return quantile(tail), quantile(1 - tail)
}

// root returns where f, a cumulative probability less another, is 0 between low and high: regula
// falsi, where the value at an end that stays is halved (Dowell and Jarratt 1971).
func root(f func(x float64) float64, low, high float64) float64 {
	a, b := f(low), f(high)
	if a >= 0 {
		return low
	}
	last := 0.0
	for range 64 {
		if b <= 0 || high-low <= rounding*math.Abs(high) {
			break
		}
		x := high - b*(high-low)/(b-a)
		v := f(x)
		if math.Abs(v) < 1e-6 {
			return x
		}
		if v < 0 {
			low, a = x, v
			if last < 0 {
				b /= 2
			}
		} else {
			high, b = x, v
			if last > 0 {
				a /= 2
			}
		}
		last = v
	}
	return high
}
